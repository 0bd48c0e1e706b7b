//! Tests that every event, error, deviation, provider, framing, option and status has a vector.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory as _;
use jsonspigot::{DeviationKind, ErrorKind, RestoreError};
use jsonspigot_check::laws::Law;
use serde_json::Value;

use super::tables;
use crate::help::LINES;
use crate::options::Options;

/// Returns the options and the lines of all vectors.
fn vectors() -> Vec<(BTreeMap<String, Value>, String)> {
    let vectors = tables().into_values().flatten();
    vectors.map(|vector| (serde_json::from_str(&vector.options).unwrap(), vector.lines())).collect()
}

/// Returns the lines of all vectors; `None` if the vectors are not in this package.
fn lines() -> Option<String> {
    Some(vectors().into_iter().map(|(_, lines)| lines).collect::<String>()).filter(|lines| !lines.is_empty())
}

/// Fails if `reported` lacks any of the names, in the form that `spelt` gives them.
fn all_are_reported<'a>(names: impl IntoIterator<Item = &'a str>, reported: &str, spelt: impl Fn(&str) -> String) {
    let missing: Vec<_> = names.into_iter().filter(|name| !reported.contains(&spelt(name))).collect();
    assert!(missing.is_empty(), "without a vector: {missing:?}");
}

/// Returns the names of the events that the help lists.
fn event_names() -> BTreeSet<&'static str> {
    let names = LINES.split(r#"{"event":""#).skip(1).flat_map(|listed| {
        // `text","text":"…"}, "reasoning", "refusal"    what it means`
        let others = listed.split_once("}, \"").map_or("", |(_, others)| others.split("    ").next().unwrap());
        let others = others.split(", ").map(|name| name.trim_matches('"')).filter(|name| !name.is_empty());
        listed.split('"').take(1).chain(others)
    });
    names.collect()
}

pub(super) fn each_event() {
    let names = event_names();
    assert!(names.len() > 30 && ["block-end", "refusal", "begin"].iter().all(|name| names.contains(name)), "{names:?}");
    let Some(lines) = lines() else { return };
    all_are_reported(names.iter().copied(), &lines, |name| format!(r#"{{"event":"{name}""#));
    // Every reported event is in the help.
    let reported: BTreeSet<_> = lines.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!(reported.difference(&names).collect::<Vec<_>>(), Vec::<&&str>::new());
    Law::Vectors.mark_compared();
}

#[test]
fn each_error_that_a_text_can_have() {
    let Some(lines) = lines() else { return };
    let never = [
        // Takes 4 GiB of text.
        ErrorKind::SnapshotLimit,
        // Needs bytes after the end, which the command never feeds.
        ErrorKind::Finished,
        // Errors of a request, not of a text.
        ErrorKind::OutOfOrder,
        ErrorKind::NotRetained,
        ErrorKind::InvalidPath,
        ErrorKind::ForeignRevision,
        // The command's callbacks do not panic.
        ErrorKind::Panicked,
        // Only redacted text has it, for which no lines are written.
        ErrorKind::PrivateKey,
        ErrorKind::Data,
    ];
    let errors: String = lines.lines().filter(|line| line.starts_with(r#"{"event":"error","kind""#)).collect();
    let kinds = ErrorKind::ALL.iter().filter(|kind| !never.contains(kind));
    all_are_reported(kinds.map(|kind| kind.name()), &errors, |name| format!(r#""kind":"{name}""#));
}

#[test]
fn each_reason_to_refuse_a_state() {
    let Some(lines) = lines() else { return };
    // Needs forged bytes with the right checksum.
    let kinds = RestoreError::ALL.iter().filter(|kind| **kind != RestoreError::Impossible);
    all_are_reported(kinds.map(|kind| kind.name()), &lines, |name| format!(r#"{{"event":"error","kind":"{name}""#));
}

#[test]
fn each_kind_of_value() {
    let Some(lines) = lines() else { return };
    all_are_reported(["null", "bool", "number", "string", "array", "object"], &lines, |name| {
        format!(r#""path":"$","kind":"{name}""#)
    });
}

#[test]
fn each_deviation_shown_and_accepted() {
    let vectors = vectors();
    if vectors.is_empty() {
        return;
    }
    for is_accepted in [false, true] {
        let lenient = vectors.iter().filter(|(options, _)| options.contains_key("accept") == is_accepted);
        let lines: String = lenient.map(|(_, lines)| lines.as_str()).collect();
        all_are_reported(DeviationKind::ALL.iter().map(|kind| kind.name()), &lines, |name| {
            format!(r#"{{"event":"deviation","kind":"{name}""#)
        });
    }
}

#[test]
fn each_option_with_each_of_its_values() {
    let vectors = vectors();
    if vectors.is_empty() {
        return;
    }
    // The other options are about a process, its input and its terminal, write the text itself, or describe the text
    // before it; the vector cuts the chunks.
    let not_here = [
        "input",
        "chunk",
        "text",
        "raw-control",
        "generate",
        "help",
        "version",
        "remove",
        "replace",
        "redact",
        "inside",
        "to",
        "allow-loss",
    ];
    let command = Options::command();
    for argument in
        command.get_arguments().filter(|argument| argument.get_long().is_some_and(|name| !not_here.contains(&name)))
    {
        let name = argument.get_long().unwrap();
        // `--max-depth` is `maxDepth`.
        let mut words = name.split('-');
        let first = words.next().unwrap().to_owned();
        let key = words.fold(first, |key, word| key + &word[..1].to_uppercase() + &word[1..]);
        let values: Vec<_> = vectors.iter().filter_map(|(options, _)| options.get(&key)).collect();
        assert!(!values.is_empty(), "no vector has {key}");
        let possible = argument.get_possible_values();
        for possible in possible.iter().filter(|_| argument.get_action().takes_values()) {
            let is_used = values.iter().any(|value| match value {
                Value::Array(names) => names.iter().any(|value| value == possible.get_name()),
                value => **value == possible.get_name(),
            });
            assert!(is_used, "no vector has {key} {}", possible.get_name());
        }
    }
}

/// Checks names for which the library has no list.
#[test]
fn each_name_in_a_stream() {
    let Some(lines) = lines() else { return };
    let reported = |member: &'static str| move |name: &str| format!(r#","{member}":"{name}""#);
    for event in ["input", "payload"] {
        let lines: String = lines.lines().filter(|line| line.starts_with(&format!(r#"{{"event":"{event}""#))).collect();
        all_are_reported(
            ["complete", "accepted", "empty", "truncated", "malformed", "trailing", "raw"],
            &lines,
            reported("status"),
        );
    }
    // A comment with any name is `comment:x`.
    let marks = lines.lines().filter_map(|line| line.strip_prefix(r#"{"event":"payload","mark":""#));
    let marks = marks.map(|line| {
        let mut parts: Vec<_> = line.split('"').next().unwrap().split(':').collect();
        if parts[0] != "bare" && parts[1] != "*" {
            parts[1] = "x";
        }
        format!("{}\n", parts.join(":"))
    });
    let any = ["comment:x", "fence:x", "tag:x", "comment:x:raw", "fence:x:raw", "tag:x:raw", "tag:x:json", "fence:*"];
    all_are_reported(any.into_iter().chain(["bare", "bare:object"]), &marks.collect::<String>(), |mark| {
        format!("{mark}\n")
    });
    let stops = LINES.split_once("A stop's \"kind\" is ").unwrap().1.split('.').next().unwrap();
    let stops: Vec<_> = stops.split([',', ' ', '\n']).filter(|word| !["", "or"].contains(word)).collect();
    assert!(stops.len() > 9, "{stops:?}");
    all_are_reported(stops, &lines, reported("kind"));
    all_are_reported(["client", "provider"], &lines, reported("executed"));
    all_are_reported(["never", "later"], &lines, reported("retry"));
    all_are_reported(
        ["text", "reasoning", "signature", "encrypted", "container", "compaction"],
        &lines,
        reported("kind"),
    );
    all_are_reported(["not-started", "ended", "mismatch"], &lines, reported("kind"));
}
