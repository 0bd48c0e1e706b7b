//! Recorded streams as answers: which files there are, and their frames as they were sent.

use std::path::Path;

/// A recorded stream's frames. A file of server-sent events is sent as it is; of one with an event's JSON on each line,
/// each is framed.
///
/// # Errors
///
/// In words: there is no such file in the folder, or a name that leads out of it.
pub(super) fn frames(folder: Option<&Path>, file: &str) -> Result<Vec<String>, String> {
    let folder = folder.ok_or("the scripted provider was started without a folder of recorded streams")?;
    if file.contains(['/', '\\']) || file.starts_with('.') {
        return Err(format!("`{file}` is not the name of a recorded stream"));
    }
    let text =
        std::fs::read_to_string(folder.join(file)).map_err(|error| format!("no recorded stream `{file}`: {error}"))?;
    Ok(if file.ends_with(".chunks.txt") {
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("data: {line}\n\n")).collect()
    } else {
        text.split_inclusive("\n\n").map(str::to_owned).collect()
    })
}
