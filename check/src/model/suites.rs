//! The public suites that ship inside the dev-dependency `actson` 2.1.0: found where cargo put them, never copied.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// Returns the `test_parsing` files of `JSONTestSuite`, byte-exact: name (`y_…`, `n_…`, `i_…`) and bytes, by name.
pub fn json_test_suite() -> Vec<(String, Vec<u8>)> {
    let files = read_folder(&actson_folder().join("tests/json_test_suite/test_parsing"));
    assert_eq!(files.len(), 318, "JSONTestSuite is not whole");
    files
}

/// Returns the `JSON_checker` files: `pass1` to `pass3` and `fail2` to `fail34`, by name.
///
/// `fail18` and `fail34` only go deeper than 19 levels, which RFC 8259 does not forbid.
pub fn json_checker() -> Vec<(String, Vec<u8>)> {
    let files = read_folder(&actson_folder().join("tests/fixtures"));
    assert_eq!(files.len(), 36, "JSON_checker is not whole");
    files
}

fn read_folder(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}

/// Returns the folder into which cargo unpacked `actson`.
fn actson_folder() -> PathBuf {
    // Offline first, as the sources must be there for this test to be running. But cargo then wants the sources of the
    // whole workspace, and `cargo test` of one package has not fetched them all: hence the second try.
    let metadata =
        metadata(&["--offline"]).or_else(|_| metadata(&[])).unwrap_or_else(|error| panic!("cargo metadata: {error}"));
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let actson = packages
        .iter()
        .find(|package| package["name"] == "actson" && package["version"] == "2.1.0")
        .expect("actson 2.1.0 is a dev-dependency");
    let manifest = Path::new(actson["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a manifest stands in a folder").to_owned()
}

fn metadata(more: &[&str]) -> Result<Value, String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(cargo())
        // Without the platform, cargo wants the sources of every other platform's dependencies too.
        .args(["metadata", "--format-version", "1", "--filter-platform", &host()])
        .arg("--manifest-path")
        .arg(manifest)
        .args(more)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn host() -> String {
    let output = Command::new(cargo()).arg("-vV").output().expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("cargo speaks UTF-8");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("cargo names its host").to_owned()
}

/// Returns the cargo that runs the tests, or else the cargo that built them.
fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from(env!("CARGO")), PathBuf::from)
}
