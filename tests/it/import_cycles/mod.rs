//! Checks that no package of the repository has an import cycle.

mod imports;

use std::fs;
use std::path::{Path, PathBuf};

use self::imports::Imports;

/// The folders with code, each with the name by which its package's binaries call its library.
const FOLDERS: [(&str, &str); 16] = [
    ("src", "jsonspigot"),
    ("llm/src", "jsonspigot_llm"),
    ("llm/benches", ""),
    ("check/src", "jsonspigot_check"),
    ("framing/src", "jsonspigot_framing"),
    ("benches", ""),
    ("examples", ""),
    ("cli/src", ""),
    ("apps/chat/src", "chat"),
    ("apps/chat/benches", ""),
    ("examples/sdk/src", "jsonspigot_sdk_examples"),
    ("benches/compare/src", ""),
    ("fuzz/src", "jsonspigot_fuzz"),
    ("fuzz/fuzz_targets", ""),
    ("bindings/python/src", ""),
    ("bindings/js/wasm/src", ""),
];

/// Collects all Rust files below a folder, except those of a package inside it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.join("Cargo.toml").exists() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn imports(folder: &Path, package: &str) -> Imports {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let place = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
    let texts: Vec<_> = files.iter().map(|path| (place(path), fs::read_to_string(path).unwrap())).collect();
    Imports::read(package, texts.iter().map(|(place, text)| (place.as_str(), text.as_str())))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn no_imports_go_round_in_circles() {
    let mut circles = Vec::new();
    // The library's package has these tests too, but not the other packages' folders.
    for (folder, package) in FOLDERS.into_iter().filter(|(folder, _)| root().join(folder).exists()) {
        let imports = imports(&root().join(folder), package);
        circles.extend(imports.cycles().into_iter().map(|cycle| format!("{folder}/{cycle}")));
    }
    assert!(circles.is_empty(), "import cycles:\n{}", circles.join("\n"));
}

/// Checks that many imports are found, among them all that the layer table names.
#[test]
fn the_library_is_read() {
    let edges = imports(&root().join("src"), "jsonspigot").edges();
    assert!(edges.len() > 100, "{}", edges.len());
    for (from, to) in [
        ("pattern/parser", "path/quoted"),
        ("pattern/parser", "pattern/syntax"),
        ("path/concrete", "path/quoted"),
        ("parser/text", "tokenizer"),
        ("parser/token_sink", "tokenizer/sink"),
        ("lenient", "parser/translator"),
        ("parser/output/queue", "event"),
        ("tokenizer/string", "tokenizer/escape"),
    ] {
        let module = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        assert!(edges.contains(&(module(from), module(to))), "{from} imports {to}");
    }
}

/// Checks the cycles of a made-up package.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let found = Imports::read("made_up", files.iter().copied()).cycles();
    assert_eq!(found, expected, "{files:?}");
}

#[test]
fn a_made_up_circle_is_found_however_it_is_spelt() {
    const CIRCLE: &str = ": a -> b -> a (a uses b, b uses a)";
    let b = ("b.rs", "use crate::a::A;\npub struct B(A);");
    for a in [
        "use crate::b::B;",
        "pub(crate) use super::b::B as Other;",
        "use super::b;",
        "use super::{b::{self, B}};",
        "use crate::{\n    b::B,\n};",
        "use crate::b::*;",
        "use made_up::b::B;",
        "fn f() -> crate::b::B { todo!() }",
        "fn f() { super::b::f::<u8>(&mut 'x') }",
        "mod inside { fn f() { super::super::b::f() } }",
        "mod inside { use crate::b::B; }\nmod other {}",
        "/* crate */ use crate :: b :: B;",
    ] {
        check(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), b], &[CIRCLE]);
    }
    // Through what the root exports again, and through what is exported again with a star.
    let root = ("main.rs", "mod a; mod b; pub use self::b::B; pub use b::*; pub fn own() {}");
    check(&[root, ("a.rs", "use crate::B;"), b], &[CIRCLE]);
    check(&[root, ("a.rs", "use crate::other;"), ("b.rs", "use crate::a; pub fn other() {}")], &[CIRCLE]);
}

#[test]
fn circles_of_several_files_and_folders_are_found() {
    let three =
        [("a.rs", "use crate::b;"), ("b.rs", "use crate::c;"), ("c.rs", "use crate::a; use crate::d;"), ("d.rs", "")];
    check(&three, &[": a -> b -> c -> a (a uses b, b uses c, c uses a)"]);
    // Two folders that import each other, though no two files do.
    let folders = [
        ("x/mod.rs", "mod a; mod b;"),
        ("x/a.rs", "use crate::y::c;"),
        ("x/b.rs", ""),
        ("y/mod.rs", "pub mod c; mod d;"),
        ("y/c.rs", ""),
        ("y/d.rs", "use crate::x::b;"),
    ];
    check(&folders, &[": x -> y -> x (x/a uses y/c, y/d uses x/b)"]);
    let inside = [("x/mod.rs", "mod a; mod b;"), ("x/a.rs", "use super::b;"), ("x/b.rs", "use crate::x::a;")];
    check(&inside, &["x: a -> b -> a (x/a uses x/b, x/b uses x/a)"]);
}

#[test]
fn paths_without_a_circle_have_none() {
    let b = ("b.rs", "use crate::a::A;");
    for a in [
        "use std::b::B; use b::B;",
        "// use crate::b;\n/* use crate::b; */ /// [`B`](crate::b::B)",
        "const A: &str = \"crate::b\"; const B: &str = r#\"\"crate::b\"#; const C: [char; 2] = ['\"', '\\''];",
        "pub(in crate::b) struct A;",
        "fn f<'b>(self, x: &'b str) -> impl Iterator + use<'b> { self.b::<u8>() }",
        "use self::b::B; mod b { pub struct B; }",
    ] {
        check(&[("lib.rs", "mod a; mod b; use b::B;"), ("a.rs", a), b], &[]);
    }
    // A folder's own file may use what lies in there, and be used by it.
    check(&[("x/mod.rs", "mod a; use a::A; pub struct X;"), ("x/a.rs", "use super::X; pub struct A;")], &[]);
    // A name that a folder's file brings in is another file's.
    let names = [("x/mod.rs", "mod a; mod b; use b::B;"), ("x/a.rs", "use super::B;"), ("x/b.rs", "pub struct B;")];
    check(&names, &[]);
    let edges = Imports::read("", names).edges();
    let module = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    assert!(edges.contains(&(module("x/a"), module("x/b"))) && !edges.contains(&(module("x/a"), module("x"))));
}
