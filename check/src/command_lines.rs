//! Joins the command's lines: a chunk may give a match's new text in several lines.

use std::collections::HashMap;

/// Returns a chunk's lines with the deltas of each match joined in its first one. Without a pattern that has `|` or
/// `raw:`, there is one for each match already.
pub fn joined(lines: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut newest: HashMap<String, usize> = HashMap::new();
    for line in lines.lines() {
        let (head, text) = line.split_once(r#","text":""#).unwrap_or((line, ""));
        let (_, origin) = head.split_once(r#","pattern":"#).unwrap_or_default();
        if !head.starts_with(r#"{"event":"delta""#) && !head.starts_with(r#"{"event":"raw""#) {
            // A path may have another match.
            let origin = origin.split_once(r#","kind":"#).map_or(origin, |(origin, _)| origin);
            newest.remove(origin);
        } else if let Some(&first) = newest.get(origin) {
            let closed = all[first].len() - r#""}"#.len();
            all[first].replace_range(closed.., text);
            continue;
        } else {
            newest.insert(origin.to_owned(), all.len());
        }
        all.push(line.to_owned());
    }
    all.into_iter().map(|line| line + "\n").collect()
}
