//! The layers of the three crates, compared with the imports; the first line and the size of files; the README's length;
//! the links of pages; the paths that comments and pages name; and the crates that a release publishes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library with what it may import, layer by layer.
const LAYERS: [(&str, &[&str]); 20] = [
    ("names", &[]),
    ("shared_word", &[]),
    ("digest", &[]),
    ("error", &["names"]),
    ("tokenizer", &["names", "error"]),
    ("path", &["error", "tokenizer"]),
    ("pattern", &["shared_word", "digest", "error", "tokenizer", "path"]),
    ("event", &["error", "tokenizer", "path", "pattern"]),
    ("tree", &["names", "shared_word", "error", "tokenizer", "path", "pattern", "event"]),
    ("typed", &["error", "tokenizer", "path", "event", "tree"]),
    ("parser", &["names", "digest", "error", "tokenizer", "path", "pattern", "event", "tree"]),
    ("saved", &["names", "digest", "error", "tokenizer", "path", "pattern", "event", "tree", "parser"]),
    ("lenient", &["error", "tokenizer", "path", "pattern", "event", "tree", "parser"]),
    ("rewrite", &["digest", "error", "tokenizer", "path", "pattern", "event", "tree", "parser", "saved"]),
    ("partial_json", &["error", "tokenizer", "path", "pattern", "parser"]),
    // These stand on the public face, which lib.rs re-exports.
    ("texts", &["names", "saved", "error", "event", "parser", "rewrite", "tokenizer"]),
    ("stream", &["error", "event", "parser", "texts"]),
    // Documentation only.
    ("guide", &[]),
    // The private interfaces for `jsonspigot-llm`.
    ("internal", &["*"]),
    ("lib", &["*"]),
];

/// The same for `jsonspigot-llm`.
const LLM_LAYERS: [(&str, &[&str]); 17] = [
    ("words", &[]),
    ("verbs", &[]),
    ("payload", &[]),
    ("json", &[]),
    ("saved", &[]),
    ("calls", &["words", "verbs", "payload", "saved"]),
    ("envelope", &["verbs", "payload", "saved"]),
    ("event", &["words", "json", "payload", "calls", "envelope"]),
    ("message", &["json", "payload", "calls"]),
    ("emitter", &["words", "json", "payload", "calls", "envelope", "event", "message"]),
    ("wire", &["words", "json", "calls", "event", "message", "emitter"]),
    ("formats", &["wire"]),
    (
        "stream",
        &[
            "words", "verbs", "json", "payload", "saved", "calls", "envelope", "event", "message", "emitter", "wire",
            "formats",
        ],
    ),
    ("rewrite", &["json", "saved", "calls", "event", "emitter", "stream"]),
    ("write", &["words", "verbs", "json", "payload", "calls", "event", "stream"]),
    // Documentation only.
    ("guide", &[]),
    ("lib", &["*"]),
];

/// The same for `jsonspigot-framing`.
const FRAMING_LAYERS: [(&str, &[&str]); 15] = [
    ("checksum", &[]),
    ("frame", &[]),
    ("json", &[]),
    ("saved", &["checksum"]),
    ("repeated", &["saved"]),
    ("sse", &["frame", "json", "repeated", "saved"]),
    ("texts", &["frame", "json", "saved"]),
    ("amazon", &["checksum", "frame", "json", "saved"]),
    ("detection", &["frame", "saved", "sse", "amazon"]),
    ("frames", &["frame", "saved", "sse", "texts", "amazon", "detection"]),
    ("edit", &["frame", "frames", "json", "repeated", "saved", "sse"]),
    ("utf8", &["saved"]),
    ("push", &["frame"]),
    ("body", &["frame", "frames", "push"]),
    ("lib", &["*"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the library's files with their modules in the layer table.
fn library() -> Vec<(String, String, String)> {
    files_of("src")
}

/// Returns a package's files with their modules; none if the folder is missing, as in the library's package.
fn files_of(folder: &str) -> Vec<(String, String, String)> {
    let root = root().join(folder);
    if !root.exists() {
        return Vec::new();
    }
    let mut files = Vec::new();
    sources(&root, &mut files);
    let module = |path: &Path| {
        let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    files.iter().map(|path| (path.display().to_string(), module(path), fs::read_to_string(path).unwrap())).collect()
}

/// Returns the modules of the library that a line of code names after `crate::`.
fn crate_modules(code: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    // A macro is a name of the crate's own.
    let is_macro = |rest: &&str| rest[name(rest).len()..].starts_with('!');
    code.split("crate::")
        .skip(1)
        .filter(|rest| !is_macro(rest))
        .map(name)
        .filter(|name| name.starts_with(|c: char| c.is_lowercase()))
        .collect()
}

#[test]
fn imports_go_down_only() {
    check_imports(&LAYERS, &library());
    check_imports(&LLM_LAYERS, &files_of("llm/src"));
    check_imports(&FRAMING_LAYERS, &files_of("framing/src"));
}

fn check_imports(layers: &[(&str, &[&str])], files: &[(String, String, String)]) {
    let allowed: BTreeMap<_, _> = layers.iter().copied().collect();
    let mut checked = 0;
    for (file, module, text) in files {
        let may = allowed.get(module.as_str()).unwrap_or_else(|| panic!("{file} stands in no layer"));
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            // The unit tests' generator is there for them alone.
            for imported in crate_modules(line).into_iter().filter(|imported| imported != "random") {
                checked += 1;
                let fits = imported == *module || may.contains(&imported.as_str()) || may.contains(&"*");
                assert!(fits, "{file} imports crate::{imported}, which its layer may not");
            }
        }
    }
    assert!(checked > 20 || files.is_empty(), "the check reads imports");
}

#[test]
fn files_say_what_they_own_and_stay_short() {
    for (file, module, text) in ["src", "llm/src", "framing/src", "cli/src"].map(files_of).concat() {
        // A crate's front page may be its README.
        let is_front = module == "lib" && text.contains("README.md");
        let owns = text.strip_prefix("//! ").and_then(|text| text.lines().next());
        assert!(is_front || owns.is_some_and(|owns| owns.len() > 10), "{file} does not say what it owns");
        assert!(text.lines().count() <= 450, "{file} asks to be split");
    }
}

/// A comment begins with a verb or a noun, and not with a relative clause.
#[test]
fn comments_name_things() {
    let folders = ["src", "llm", "framing", "cli", "check", "tests", "benches", "examples", "fuzz"];
    let relative = ["What", "Whatever", "Who", "Whoever", "Whose", "Whether", "Nobody", "Somebody", "Anybody"];
    let mut checked = 0;
    for (file, _, text) in folders.map(files_of).concat().iter().filter(|(file, ..)| !file.contains("/target/")) {
        let mut is_begun = false;
        for line in text.lines().map(str::trim_start) {
            let comment = line.strip_prefix("//").map(|comment| comment.trim_start_matches(['/', '!']).trim_start());
            let begins = comment.is_some_and(|comment| !comment.is_empty());
            let first = comment.and_then(|comment| comment.split([' ', ',']).next()).unwrap_or("");
            checked += usize::from(begins && !is_begun);
            assert!(is_begun || !relative.contains(&first), "{file}: {line}");
            is_begun = begins;
        }
    }
    assert!(checked > 1000, "the check reads comments");
}

#[test]
fn no_unsafe_and_no_std_paths() {
    for (file, module, text) in [library(), files_of("llm/src"), files_of("framing/src")].concat() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            assert!(!line.contains("unsafe ") || line.contains("forbid"), "{file}: {line}");
            let has_std = module == "lib" || file.ends_with("/io.rs");
            assert!(has_std || !line.contains("std::"), "{file} uses std: {line}");
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the texts between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Counts with the default features. A name's first letter distinguishes a type from a function or a module.
#[test]
fn public_types_are_few_and_each_iterator_has_a_name() {
    let face = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let exports = face
        .split("\npub use ")
        .skip(1)
        .zip(face.split("\npub use "))
        .filter(|(_, before)| !before.trim_end().ends_with("#[cfg(feature = \"stream\")]"));
    let names = exports.flat_map(|(export, _)| {
        let list = export.split_once(';').unwrap().0.rsplit("::").next().unwrap();
        list.split(|c: char| !c.is_alphanumeric())
            .filter(|name| name.starts_with(char::is_uppercase))
            .collect::<Vec<_>>()
    });
    let count = names.count();
    assert!((40..=47).contains(&count), "{count} public types, where 47 are enough");
    for (file, _, text) in ["src", "llm/src", "framing/src"].map(files_of).concat() {
        let unnamed = text.lines().find(|line| {
            let (is_public, returned) = (line.trim_start().starts_with("pub fn "), line.split_once(" -> "));
            is_public
                && returned.is_some_and(|(_, returned)| returned.contains("impl ") && returned.contains("Iterator<"))
        });
        assert_eq!(unnamed, None, "{file} returns an iterator that nobody can name");
    }
}

/// Collects the text files of the repository, except those that are built or were found by the fuzzer.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            let skipped = ["target", ".git", "corpus", "seeds", "artifacts", "node_modules", "dist", "__pycache__"];
            if !skipped.contains(&&*name) {
                texts(&path, found);
            }
        } else if matches!(
            path.extension().and_then(|extension| extension.to_str()),
            None | Some("rs" | "md" | "toml" | "js" | "mjs" | "ts" | "py" | "sh" | "lua" | "yml")
        ) {
            found.push(path);
        }
    }
}

#[test]
fn rules_are_called_by_name() {
    let mut files = Vec::new();
    texts(root(), &mut files);
    assert!(files.len() > 100, "the check reads files");
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let text = text.to_lowercase();
        for (word, next) in text.split_whitespace().zip(text.split_whitespace().skip(1)) {
            let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
            let is_rule = ["law", "laws", "property", "properties"].contains(&word);
            assert!(!(is_rule && next.starts_with(|c: char| c.is_ascii_digit())), "{}: {word} {next}", file.display());
        }
    }
}

/// Reads a link definition: `[name]: target`.
fn definition(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("]: ")
}

#[test]
fn the_readme_is_short_and_its_links_lead_somewhere() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 220, "the README is too long");
    // Links to files don't work in the library's documentation, where the README is the front page. They need a
    // definition, which `lib.rs` replaces by one with the repository's address; definitions of docs.rs are replaced by
    // items.
    for target in readme.split("](").skip(1) {
        assert!(target.starts_with('#') || target.starts_with("https://"), "a link without a definition: {target:.40}");
    }
    let library = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let links = fs::read_to_string(root().join("src/links.md")).unwrap();
    let mut defined = 0;
    for (name, target) in readme.lines().filter_map(definition) {
        defined += 1;
        assert!(readme.contains(&format!("][{name}]")), "nothing leads to [{name}]");
        let begin = format!("[{name}]: ");
        if let Some(page) = target.strip_prefix("https://docs.rs/jsonspigot/latest/jsonspigot/") {
            let has_item = links.lines().any(|line| line.starts_with(&format!("{begin}crate::")));
            assert!(has_item || library.contains(&format!("\"{begin}crate::")), "no item for {page}");
        } else if !target.starts_with("https://docs.rs/jsonspigot-llm/") {
            let (file, _) = target.split_once('#').unwrap_or((target, ""));
            assert!(root().join(file).exists() || !root().join("cli").exists(), "{file} does not exist");
            let address = format!("concat!(\"{begin}\", env!(\"CARGO_PKG_REPOSITORY\"), ");
            let has_address = library.lines().any(|line| line.contains(&address) && line.contains(target));
            assert!(has_address, "lib.rs has no address for [{name}]");
        }
    }
    assert!(defined > 15, "the check reads definitions");
}

#[test]
fn the_readme_names_each_example_beside_its_job() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let table = readme.split("\n| I want to | use | example |\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let examples = table.lines().filter_map(|row| row.strip_suffix(" |")?.rsplit(" | ").next()).flat_map(quoted);
    let mut files: Vec<_> = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let mut named: Vec<_> = examples.map(|name| root().join("examples").join(name).with_extension("rs")).collect();
    named.sort();
    assert_eq!(files, named);
}

/// Compares the texts only: the example needs an HTTP client, so it is compiled and run in a separate package.
#[test]
fn the_readme_reads_a_response_as_the_example_does() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("\n```rust,ignore\n").nth(1).unwrap().split("```").next().unwrap();
    let example = fs::read_to_string(root().join("examples/sdk/src/bin/reqwest_loop.rs")).unwrap();
    assert!(example.contains(shown), "the README's example and that in examples/sdk/ differ");
    assert_eq!(readme.matches("rust,ignore").count(), 1, "no other example is left out of the tests");
}

/// Returns true if a quoted token is the path of one file or folder, such as `tests/it/tidy.rs`.
fn is_path(token: &str) -> bool {
    let kinds = ["rs", "md", "ts", "mjs", "js", "py", "txt", "jsonl", "json", "toml", "sh", "yml", "lua"];
    let is_file = token.rsplit_once('.').is_some_and(|(stem, kind)| stem.contains('/') && kinds.contains(&kind));
    let is_in_tree = token.starts_with("src/") || token.starts_with("tests/");
    let is_one = !token.contains(|c: char| c.is_whitespace() || "*{}<>$…".contains(c));
    (is_file || is_in_tree) && is_one && !token.starts_with('/') && !token.contains("://")
}

#[test]
fn comments_and_pages_name_files_that_exist() {
    let mut files = Vec::new();
    texts(root(), &mut files);
    let (mut checked, mut missing) = (0, Vec::new());
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let is_page = file.extension().is_some_and(|extension| extension == "md");
        let is_prose = |line: &&str| is_page || ["//", "#", "*", "/*", "--"].iter().any(|mark| line.starts_with(mark));
        let tokens = text.lines().map(str::trim_start).filter(is_prose).flat_map(quoted);
        // A test's name may follow: `tests/it/tidy.rs::imports_go_down_only`.
        let paths = tokens.filter_map(|token| token.split("::").next()).filter(|token| is_path(token));
        for path in paths {
            checked += 1;
            // Below a folder around the file, or the `src` in one: the file's package is such a folder, and so is the root.
            let mut folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root()));
            if !folders.any(|folder| folder.join(path).exists() || folder.join("src").join(path).exists()) {
                missing.push(format!("{} names {path}", file.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(checked > 100, "the check reads paths");
    assert!(missing.is_empty(), "these paths do not exist:\n{}", missing.join("\n"));
}

#[test]
fn links_of_pages_lead_to_files() {
    let mut files = Vec::new();
    texts(root(), &mut files);
    let mut checked = 0;
    for page in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(page).unwrap();
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in inline.chain(text.lines().filter_map(definition).map(|(_, target)| target)) {
            let file = target.split('#').next().unwrap();
            // The others are addresses and items of the documentation.
            if !file.contains(|c: char| c == ':' || c.is_whitespace()) && file.contains(['.', '/']) {
                checked += 1;
                assert!(page.with_file_name(file).exists(), "{} links to {target}", page.display());
            }
        }
    }
    assert!(checked > 10, "the check reads links");
}

/// Returns the names of the published crates, with their dependencies in the workspace.
fn published() -> BTreeMap<String, Vec<String>> {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = workspace.split_once("\nmembers = [").unwrap().1.split_once(']').unwrap().0;
    let manifests = members.split('"').skip(1).step_by(2).chain(["."]);
    let manifests = manifests.map(|member| fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap());
    let package = |manifest: String| {
        let name = manifest.split_once("\nname = \"").unwrap().1.split_once('"').unwrap().0;
        let dependencies = manifest.split_once("\n[dependencies]\n").unwrap().1.split("\n[").next().unwrap();
        let names = dependencies.lines().filter(|line| line.starts_with("jsonspigot"));
        (name.to_owned(), names.map(|line| line.split(' ').next().unwrap().to_owned()).collect())
    };
    manifests.filter(|manifest| !manifest.contains("\npublish = false")).map(package).collect()
}

#[test]
fn a_release_publishes_each_crate_after_its_dependencies() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let releases = page.split("\n## Releases\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let command = releases.split("`cargo publish --package ").nth(1).unwrap().split('`').next().unwrap();
    let recipe: Vec<_> = command.split(" --package ").collect();
    let published = published();
    let sorted = BTreeMap::from_iter(recipe.iter().map(|name| (*name, ())));
    assert!(sorted.into_keys().eq(published.keys()), "the recipe publishes {recipe:?}, not {published:?}");
    for (place, name) in recipe.iter().enumerate() {
        let is_before = |needed: &String| recipe[..place].contains(&needed.as_str());
        assert!(published[*name].iter().all(is_before), "{name} comes before a crate that it depends on");
    }
    let script = fs::read_to_string(root().join(".ci/package-check")).unwrap();
    assert!(script.contains(&format!("\ncrates=({})\n", recipe.join(" "))), "the dry run is of other crates");
}

#[test]
fn the_release_recipe_names_each_file_with_the_version() {
    let read = |file: &Path| fs::read_to_string(file).unwrap();
    let workspace = read(&root().join("Cargo.toml"));
    let version = workspace.split_once("\nversion = \"").unwrap().1.split_once('"').unwrap().0;
    let page = read(&root().join("CONTRIBUTING.md"));
    let item = page.split("- [ ] The new version").nth(1).unwrap().split(" In `CHANGELOG.md`").next().unwrap();
    let named: Vec<_> = quoted(item).filter(|token| !token.starts_with('[')).map(|file| root().join(file)).collect();
    for file in &named {
        let text = read(file);
        let has_version = text.contains(&format!("\"{version}\"")) || text.contains(&format!("\"={version}\""));
        assert!(has_version, "{} has not the version {version}", file.display());
    }
    let mut files = Vec::new();
    texts(root(), &mut files);
    for file in files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let mut lines = read(file).lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
        let depends = lines.any(|line| line.starts_with("jsonspigot") && line.contains("version = \"="));
        assert!(!depends || named.contains(file), "{} is not in the recipe", file.display());
    }
}

#[test]
fn the_readme_lists_the_features() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("\n[features]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let names = section.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let features: Vec<_> =
        names.map(|line| line.split(" =").next().unwrap()).filter(|name| *name != "default").collect();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let table = readme.split("\n## Features\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let listed: Vec<_> = rows.flat_map(quoted).collect();
    assert!(features.len() > 2, "the check reads features");
    assert_eq!(
        BTreeMap::from_iter(features.iter().map(|name| (*name, ()))),
        listed.iter().map(|name| (*name, ())).collect()
    );
}
