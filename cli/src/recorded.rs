//! The recorded streams that tests are run on: read where they lie, if they are there.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the folder of recordings: beside the repository, or where the environment says.
fn shared() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    env::var_os("JSONSPIGOT_SHARED").map_or_else(beside, PathBuf::from)
}

/// The name of each recorded stream, such as `anthropic/x.sse`, in order. None, said aloud, where they are not there.
pub(crate) fn each_recorded() -> Vec<String> {
    names_in("fixtures")
}

/// The same for the bodies of recorded error responses.
pub(crate) fn each_recorded_error() -> Vec<String> {
    names_in("recordings/errors").into_iter().map(|name| format!("../recordings/errors/{name}")).collect()
}

/// A recorded response in Amazon's binary event stream.
#[allow(dead_code, reason = "not all who find recordings need it")]
pub(crate) fn recorded_messages() -> Option<Vec<u8>> {
    let path = shared().join("recordings/bedrock/tool-call.eventstream.bin");
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("not checked, as it is not there: {}", path.display());
    }
    bytes
}

/// A stream that was rebuilt from a report.
#[allow(dead_code, reason = "not all who find recordings need it")]
pub(crate) fn case(name: &str) -> Option<Vec<u8>> {
    let path = shared().join(format!("cases/{name}.input"));
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("not checked, as it is not there: {}", path.display());
    }
    bytes
}

fn names_in(folder: &str) -> Vec<String> {
    let folder = shared().join(folder);
    let mut names = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(inner) = folders.pop() {
        let Ok(entries) = fs::read_dir(&inner) else {
            assert_eq!(inner, folder, "a folder inside can be read");
            eprintln!("not checked, as it is not there: {}", folder.display());
            break;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name != "INDEX.md" {
                names.push(name);
            }
        }
    }
    names.sort_unstable();
    names
}

/// A recorded stream's bytes.
pub(crate) fn recorded(name: &str) -> Vec<u8> {
    fs::read(shared().join("fixtures").join(name)).unwrap()
}
