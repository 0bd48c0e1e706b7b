//! The folder of recorded streams: its position, its contents, and the tests that are skipped without it.
//!
//! `JSONSPIGOT_SHARED` names the folder; without the variable it is `shared` beside the repository, and if the variable
//! is empty, there is no folder. It is not part of the repository, so each test that reads it is registered with
//! [`recorded_tests!`](crate::recorded_tests).

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const VARIABLE: &str = "JSONSPIGOT_SHARED";

/// Returns the folder of recorded streams, or `None` if the variable is empty, or is not set and no such folder is
/// beside the repository.
///
/// # Panics
///
/// If the variable names no folder.
pub fn folder() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        if named.is_empty() {
            return None;
        }
        let named = PathBuf::from(named);
        assert!(named.is_dir(), "{VARIABLE} names no folder: {}", named.display());
        return Some(named);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    // Another project's folder may have the same name.
    beside.join("fixtures/INDEX.md").is_file().then_some(beside)
}

/// Reads a file of the folder, such as `recordings/anthropic/x.sse`.
///
/// # Panics
///
/// If the file cannot be read. A test that is registered is not called without the folder.
pub fn read(name: &str) -> Vec<u8> {
    let folder = folder().expect("tests that need recorded streams are registered with `recorded_tests!`");
    let path = folder.join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// Returns the names in the first column of a folder's `INDEX.md`, such as `anthropic/x.sse`, in its order.
pub fn listed(folder: &str) -> Vec<String> {
    let index = String::from_utf8(read(&format!("{folder}/INDEX.md"))).unwrap();
    let names = index.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    names.filter(|name| name.contains('/') && !name.contains(' ')).map(str::to_owned).collect()
}

/// Returns the name of each recorded stream, such as `recordings/anthropic/x.sse`, without the bodies of errors.
pub fn streams() -> Vec<String> {
    let of = |folder| listed(folder).into_iter().map(move |name| format!("{folder}/{name}"));
    of("fixtures").chain(of("recordings")).filter(|name| !name.contains("/errors/")).collect()
}

/// Returns the name of each recorded body of an error, such as `errors/…` in the folder `recordings`.
pub fn errors() -> Vec<String> {
    let names = listed("recordings").into_iter().filter(|name| name.starts_with("errors/"));
    names.map(|name| format!("recordings/{name}")).collect()
}

/// Runs a test that needs recorded streams, or skips it if they are missing.
pub fn run(test: fn()) {
    if folder().is_some() {
        test();
    }
}

/// Writes which tests are skipped if there are no recorded streams, past the capture of libtest.
///
/// # Panics
///
/// If the folder is there without the two folders that tests read.
pub fn report(tests: &[&[&str]]) {
    let tests = tests.concat();
    if folder().is_some() {
        assert!(streams().len() > 80 && !tests.is_empty(), "{} recorded streams are listed", streams().len());
        return;
    }
    let (count, names) = (tests.len(), tests.join(", "));
    let plural = if count == 1 { "" } else { "s" };
    let line =
        format!("skipped {count} test{plural}, as neither {VARIABLE} nor ../shared has recorded streams: {names}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Registers the tests of a test binary that need recorded streams, module by module. Each becomes a test that is
/// skipped without them, and one more test writes which ones are.
///
/// ```text
/// recorded_tests! {
///     fixtures: the_recorded_calls, raw_deltas;
///     provider::tests: every_cut;
/// }
/// ```
#[macro_export]
#[allow(clippy::crate_in_macro_def, reason = "the tests are in the crate that registers them")]
macro_rules! recorded_tests {
    ($($(#[$meta:meta])* $module:ident$(::$inner:ident)*: $($test:ident),+;)+) => {
        mod recorded {
            $($(#[$meta])* mod $module {
                use crate::$module$(::$inner)* as tests;

                $(#[test]
                fn $test() {
                    $crate::recorded::run(tests::$test);
                })+
            })+

            #[test]
            fn skipped_tests_are_listed() {
                $crate::recorded::report(&[
                    $($(#[$meta])* &[$(concat!(stringify!($module), "::", stringify!($test))),+],)+
                ]);
            }
        }
    };
}
