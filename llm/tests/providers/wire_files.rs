//! Checks the streams of `tests/wires/<wire>/*.txt`, each with its expected lines.
//!
//! A file is a comment on what the stream shows (`# `), with the issues of other projects that report the same,
//! options if it needs any, and its input lines, as a provider sends them: server-sent events or one event a line
//! (`< `), or the text that Bedrock's `chunk` wraps in base64 (`<64 `). Then come the events as the command prints
//! them (`> `), the verdict, and the message for the next request if there is one. `JSONSPIGOT_UPDATE_WIRES=1`
//! updates these lines in each file: read the difference before it is committed.
//!
//! The options are `structured` (the text is itself JSON), `cumulative` (each fragment of a call repeats all so far),
//! `told` (the provider is given, since the events do not identify it), `payloads` (the text is searched for payloads,
//! and for `answer` in them) and `without-calls` (the message that leaves out the calls is shown too).

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonspigot::PatternSet;
use jsonspigot_llm::{Envelope, Provider, ProviderStream, SAVE_LIMIT, ToolCalls};
use serde_json::Value;

use super::payloads::MARKS;
use super::restored::restored_stream;
use super::support::{self, Framing, each_cut};

/// The number of files when this was last edited: a lower number means that files are not found.
const FILES: usize = 870;

struct WireFile {
    name: String,
    /// The comment, the options and the input.
    head: String,
    wanted: Vec<String>,
    input: String,
    provider: Provider,
    is_structured: bool,
    is_cumulative: bool,
    is_told: bool,
    has_payloads: bool,
    is_without_calls: bool,
}

impl WireFile {
    fn new(path: &Path) -> Self {
        let wire = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let name = format!("{wire}/{}", path.file_name().unwrap().to_str().unwrap());
        let text = fs::read_to_string(path).unwrap();
        let mut file = Self {
            provider: *Provider::ALL.iter().find(|provider| provider.name() == wire).unwrap(),
            name,
            head: String::new(),
            wanted: Vec::new(),
            input: String::new(),
            is_structured: false,
            is_cumulative: false,
            is_told: false,
            has_payloads: false,
            is_without_calls: false,
        };
        for line in text.lines() {
            match line.split_once(' ').unwrap_or((line, "")) {
                (">" | "verdict" | "message" | "without-calls", _) => {
                    file.wanted.push(line.to_owned());
                    continue;
                }
                ("#" | "", _) => {}
                ("options:", options) => {
                    for option in options.split(", ") {
                        match option {
                            "structured" => file.is_structured = true,
                            "cumulative" => file.is_cumulative = true,
                            "told" => file.is_told = true,
                            "payloads" => file.has_payloads = true,
                            "without-calls" => file.is_without_calls = true,
                            _ => panic!("{}: unknown option {option}", file.name),
                        }
                    }
                }
                ("<", line) => file.input += &format!("{line}\n"),
                ("<64", text) => file.input += &format!("{{\"chunk\":{{\"bytes\":\"{}\"}}}}\n", STANDARD.encode(text)),
                _ => panic!("{}: unknown line {line}", file.name),
            }
            file.head += &format!("{line}\n");
        }
        assert!(file.head.starts_with("# ") && !file.input.is_empty(), "{} says what it shows", file.name);
        file
    }

    fn stream(&self, is_detected: bool) -> ProviderStream {
        let calls = ToolCalls::builder();
        let calls = if self.is_cumulative { calls.cumulative() } else { calls }.build();
        let stream =
            if is_detected { ProviderStream::detecting(calls) } else { ProviderStream::new(self.provider, calls) };
        let mut stream = stream.saveable(SAVE_LIMIT);
        if self.has_payloads {
            let marks = MARKS.map(|mark| mark.parse().unwrap());
            stream = stream.with_envelope(Envelope::new(marks, &PatternSet::new(["answer"]).unwrap()));
        }
        if self.is_structured { stream.structured() } else { stream.with_message() }
    }

    /// Reads the input, cut at these places, and saves and restores the stream where a cut is.
    fn read(&self, is_detected: bool, cuts: &[usize]) -> Vec<String> {
        let (mut stream, mut framing) = (self.stream(is_detected), Framing::new());
        let (mut lines, mut start) = (Vec::new(), 0);
        let mut tell = |event: jsonspigot_llm::StreamEvent<'_>| {
            let mut line = "> ".to_owned();
            event.write_json(&mut line).unwrap();
            lines.push(line);
        };
        for end in cuts.iter().copied().chain([self.input.len()]) {
            let chunk = &self.input.as_bytes()[start..end];
            framing.feed(chunk, &mut |event| stream.push_with(event, &mut tell));
            stream = restored_stream(&stream, &stream.save().unwrap());
            start = end;
        }
        framing.finish(&mut |event| stream.push_with(event, &mut tell));
        stream.finish_with(&mut tell);
        lines.push(format!(
            "verdict {}",
            stream.verdict().map_or_else(|it| it.kind().name().to_owned(), |()| "ok".to_owned())
        ));
        // A line feed can only be white space.
        let line = |name: &str, message: String| format!("{name} {}", message.replace('\n', " "));
        lines.extend(stream.message().map(|message| line("message", message)));
        if self.is_without_calls {
            lines.extend(stream.message_without_calls().map(|message| line("without-calls", message)));
        }
        lines
    }

    fn check(&self, lines: &[String], how: &str) {
        let place = (0..lines.len().max(self.wanted.len())).find(|&at| lines.get(at) != self.wanted.get(at));
        if let Some(at) = place {
            let line = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "nothing more".to_owned());
            panic!("{}, {how}, line {at} of what comes:\n{}\nwanted:\n{}", self.name, line(lines), line(&self.wanted));
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wires")
}

/// Returns the paths of all files, in order.
fn paths() -> Vec<PathBuf> {
    let inside = |path: PathBuf| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = inside(root()).flat_map(inside).collect();
    paths.sort_unstable();
    paths
}

/// Returns all files, which are read once.
fn files() -> &'static [WireFile] {
    static READ: LazyLock<Vec<WireFile>> = LazyLock::new(|| paths().iter().map(|path| WireFile::new(path)).collect());
    &READ
}

/// Returns the name and the input of each file.
pub(crate) fn inputs() -> Vec<(String, String)> {
    files().iter().map(|file| (file.name.clone(), file.input.clone())).collect()
}

/// Returns the input of the file with this name.
pub(crate) fn input(name: &str) -> &'static str {
    &files().iter().find(|file| file.name == name).unwrap_or_else(|| panic!("there is no {name}")).input
}

/// The wires that are read as another provider's, and the beginnings of their files' names.
const SHARED: [(&str, &str); 4] = [
    ("cohere v1", "cohere/v1-"),
    ("gemini interactions", "gemini/interactions-"),
    ("gemini live", "gemini/live-"),
    ("openai realtime", "openai-responses/realtime-"),
];

/// The columns of the table of wires, each with what a line has to contain.
const COLUMNS: [(&str, &str); 12] = [
    ("text", r#"{"event":"text""#),
    ("reasoning", r#"{"event":"reasoning""#),
    ("calls", r#"{"event":"call","#),
    ("calls run by the provider", r#""executed":"provider""#),
    ("results", r#"{"event":"tool-result""#),
    ("sources", r#"{"event":"source""#),
    ("media", r#"{"event":"media""#),
    ("data", r#"{"event":"data""#),
    ("usage", r#"{"event":"usage""#),
    ("stop reason", r#"{"event":"stop""#),
    ("errors", r#"{"event":"provider-error""#),
    ("message", "message {"),
];

/// Returns the table of wires: what the files of each report.
fn table() -> String {
    let own = Provider::ALL.iter().map(|provider| (provider.name(), format!("{}/", provider.name())));
    let shared = SHARED.iter().map(|(name, prefix)| (*name, (*prefix).to_owned()));
    let mut wires: Vec<_> = own.chain(shared).collect();
    wires.sort_unstable();
    let mut table = format!("| wire | {} |\n|{}\n", COLUMNS.map(|(name, _)| name).join(" | "), "---|".repeat(13));
    for (name, prefix) in wires {
        let is_own = |file: &&WireFile| {
            let is_shared = |(_, other): &(&str, &str)| *other != prefix && file.name.starts_with(other);
            file.name.starts_with(&prefix) && !SHARED.iter().any(is_shared)
        };
        let lines: Vec<_> = files().iter().filter(is_own).flat_map(|file| &file.wanted).collect();
        let has = |column: &str| lines.iter().any(|line| line.replacen("message [", "message {", 1).contains(column));
        let cells = COLUMNS.map(|(_, column)| if has(column) { "yes" } else { "–" });
        table += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    table
}

/// Checks that the table in the documentation is the one of the files.
#[test]
fn the_table_of_wires_is_what_the_files_report() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/formats/formats.md");
    let page = fs::read_to_string(&path).unwrap();
    let start = page.find("| wire |").unwrap();
    let end = start + page[start..].find("\n\n").unwrap() + 1;
    if env::var_os("JSONSPIGOT_UPDATE_WIRES").is_some() {
        fs::write(&path, [&page[..start], &table(), &page[end..]].concat()).unwrap();
    } else {
        assert_eq!(&page[start..end], table());
    }
}

/// Returns the events of the file with this name, such as `anthropic/one-call`, or `None` if it does not exist.
pub(crate) fn events_of(name: &str) -> Option<Vec<Value>> {
    let path = root().join(format!("{name}.txt"));
    let events = path.exists().then(|| support::events_of(WireFile::new(&path).input.as_bytes()))?;
    Some(events.iter().filter(|event| !event.is_empty()).map(|event| serde_json::from_str(event).unwrap()).collect())
}

#[test]
fn each_stream_gives_its_lines() {
    let mut seen = Vec::new();
    for path in paths() {
        let file = WireFile::new(&path);
        if env::var_os("JSONSPIGOT_UPDATE_WIRES").is_some() {
            let lines = file.read(false, &[]).join("\n");
            fs::write(&path, format!("{}\n\n{lines}\n", file.head.trim_end())).unwrap();
        }
        let file = WireFile::new(&path);
        file.check(&file.read(false, &[]), "whole");
        if !file.is_told {
            file.check(&file.read(true, &[]), "whole, detected");
        }
        for cuts in each_cut(file.input.len()) {
            file.check(&file.read(!file.is_told, &cuts), &format!("cut at {cuts:?}"));
        }
        seen.push(file.provider);
    }
    assert!(seen.len() >= FILES, "{} of {FILES} files are found", seen.len());
    let missing: Vec<_> = Provider::ALL.iter().filter(|provider| !seen.contains(provider)).collect();
    assert!(missing.is_empty(), "no file for {missing:?}");
}
