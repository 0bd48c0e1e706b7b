//! Generates the conformance vectors in `vectors/` from its tables with the command's own code, and compares them with
//! the files.
//!
//! `table` reads the tables, `state` makes the saved states from which some vectors resume, and `coverage` checks that
//! nothing lacks a vector. The chunks must be fed exactly as a table cuts them, which is not certain for a process that
//! reads a pipe. So the code is called here, with options that are parsed as the command's arguments are.

mod coverage;
mod laws;
mod state;
mod table;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonspigot::PatternSet;
use jsonspigot_check::command_lines::joined as joined_in_a_chunk;
use jsonspigot_check::laws::Law;
use serde_json::Value;
use serde_json::value::RawValue;

use self::state::State;
use self::table::Row;
use crate::options::Options;
use crate::output::Lines;
use crate::report::Complaints;

/// The longest input that a header also shows as text, in characters.
const MOST_SHOWN: usize = 2000;

/// One vector: the chunks, and the options of the command that reads them.
struct Vector {
    name: String,
    patterns: Vec<String>,
    /// A JSON object on one line, as the table spells it.
    options: String,
    /// The state from which the vector resumes.
    state: Option<State>,
    chunks: Vec<Vec<u8>>,
}

/// The command's output, taken after each chunk.
#[derive(Default)]
struct Written(RefCell<Vec<u8>>);

impl Written {
    fn take(&self) -> String {
        String::from_utf8(self.0.take()).unwrap()
    }
}

impl io::Write for &Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the folder of the vectors; `None` in a package, which does not contain it.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    if !folder.exists() {
        eprintln!("not checked, since it does not exist: {}", folder.display());
        assert!(!folder.with_file_name(".ci").exists(), "the repository has its vectors");
        return None;
    }
    Some(folder)
}

/// Reads the vectors of each table, by its subject.
fn tables() -> BTreeMap<String, Vec<Vector>> {
    let Some(folder) = folder() else { return BTreeMap::new() };
    let files = fs::read_dir(folder.join("table")).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|file| {
            let rows = table::rows(&fs::read_to_string(&file).unwrap());
            let subject = file.file_stem().unwrap().to_str().unwrap().to_owned();
            (subject, rows.iter().flat_map(Row::vectors).collect())
        })
        .collect()
}

impl Vector {
    /// Returns the command's arguments for the options.
    fn arguments(&self) -> Vec<OsString> {
        let options: BTreeMap<String, Value> = serde_json::from_str(&self.options).unwrap();
        let mut arguments = vec![OsString::from("jsonspigot")];
        // Vectors retain all text by default. The command retains less, and so knows the paths of fewer errors.
        if !["retain", "value", "provider", "envelope"].iter().any(|option| options.contains_key(*option)) {
            arguments.push("--retain=all".into());
        }
        for (key, value) in options {
            // `maxDepth` is `--max-depth`.
            let mut argument = String::from("--");
            for letter in key.chars() {
                if letter.is_ascii_uppercase() {
                    argument.push('-');
                }
                argument.push(letter.to_ascii_lowercase());
            }
            match value {
                Value::Bool(true) => arguments.push(argument.into()),
                Value::Array(values) => {
                    let values: Vec<_> = values.iter().map(|value| value.as_str().unwrap()).collect();
                    arguments.push(format!("{argument}={}", values.join(",")).into());
                }
                Value::String(value) => arguments.push(format!("{argument}={value}").into()),
                Value::Number(value) => arguments.push(format!("{argument}={value}").into()),
                other => panic!("{}: {key} is {other}", self.name),
            }
        }
        arguments.push("--".into());
        arguments.extend(self.patterns.iter().map(OsString::from));
        arguments
    }

    fn parsed(&self) -> (Options, PatternSet) {
        let options = match Options::from_arguments(self.arguments()) {
            Ok(options) => options,
            Err(failure) => panic!("{}: {failure}", self.name),
        };
        let patterns = match PatternSet::new(&options.patterns) {
            Ok(patterns) => patterns,
            Err(error) => panic!("{}: {error}", self.name),
        };
        (options, patterns)
    }

    /// Returns the lines that the command prints for these chunks. Stops at a failure.
    fn lines_of<'a>(&self, chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
        let every = self.parsed().0.checkpoint;
        self.lines_with(every, chunks)
    }

    /// Returns the lines that the command prints, with a checkpoint after every `every` chunks.
    fn lines_with<'a>(&self, every: Option<NonZeroUsize>, chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
        if let Some(refusal) = self.state.as_ref().and_then(|state| state.refusal(self)) {
            // No command resumes from a state in a file. The line is that of an error without an offset.
            let place = r#""offset":0,"line":0,"column":0,"path":"$""#;
            return format!("{{\"event\":\"error\",\"kind\":\"{}\",{place}}}\n", refusal.name());
        }
        let (mut options, patterns) = self.parsed();
        options.checkpoint = every;
        let mut source = options.source(&patterns).unwrap();
        let mut complaints = Complaints::default();
        if let Some(state) = &self.state {
            // The text before the state has been reported.
            let mut told = Lines::new(io::Cursor::new(Vec::new()), options.snapshots(), &patterns);
            let _ = source.read(Some(&state.read), &mut told, &mut complaints);
        }
        let written = Written::default();
        let mut lines = Lines::new(&written, options.snapshots(), &patterns);
        // Events of other kinds of input come from callbacks, piece by piece.
        let is_one_text =
            !["documents", "provider", "envelope"].iter().any(|name| self.options.contains(&format!("\"{name}\":")));
        let joins = |lines: String| if is_one_text { joined_in_a_chunk(&lines) } else { lines };
        let mut all = String::new();
        let fed = chunks.into_iter().zip(1..).try_for_each(|(chunk, count)| {
            let fed = source.read(Some(chunk), &mut lines, &mut complaints);
            all += &joins(written.take());
            fed?;
            let is_checkpoint = every.is_some_and(|every| count % every == 0);
            if is_checkpoint { source.checkpoint() } else { Ok(()) }
        });
        // The lines report a failure.
        let _ = fed.and_then(|()| source.read(None, &mut lines, &mut complaints));
        all + &written.take()
    }

    fn lines(&self) -> String {
        self.lines_of(self.chunks.iter().map(Vec::as_slice))
    }

    fn header(&self) -> String {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let list = |texts: Vec<String>| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(",");
        let (name, patterns, options) = (quoted(&self.name), list(self.patterns.clone()), &self.options);
        let mut header = format!(r#"{{"vector":{name},"patterns":[{patterns}],"options":{options}"#);
        if let Ok(input) = String::from_utf8(self.chunks.concat())
            && input.chars().count() <= MOST_SHOWN
        {
            write!(header, r#","input":{}"#, quoted(&input)).unwrap();
        }
        if let Some(state) = &self.state {
            write!(header, r#","state":"{}""#, STANDARD.encode(&state.bytes)).unwrap();
        }
        let chunks = list(self.chunks.iter().map(|chunk| STANDARD.encode(chunk)).collect());
        write!(header, r#","chunks":[{chunks}]}}"#).unwrap();
        header
    }
}

/// Returns the text of a file of vectors.
fn printed(vectors: &[Vector]) -> String {
    vectors.iter().map(|vector| vector.header() + "\n" + &vector.lines()).collect()
}

fn files_are_what_the_command_prints() {
    let Some(folder) = folder() else { return };
    let tables = tables();
    if env::var_os("JSONSPIGOT_UPDATE_VECTORS").is_some() {
        for (subject, vectors) in &tables {
            fs::write(folder.join(subject).with_extension("jsonl"), printed(vectors)).unwrap();
        }
    }
    for (subject, vectors) in &tables {
        let file = fs::read_to_string(folder.join(subject).with_extension("jsonl")).unwrap_or_default();
        let printed = printed(vectors);
        for (number, (line, expected)) in file.split('\n').zip(printed.split('\n')).enumerate() {
            assert_eq!(line, expected, "{subject}.jsonl, line {}", number + 1);
        }
        assert_eq!(file.len(), printed.len(), "{subject}.jsonl is up to date");
        Law::Vectors.mark_compared();
    }
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    assert_eq!(files, tables.keys().map(|subject| format!("{subject}.jsonl")).collect(), "each file has its table");
}

/// Headers are recognized by their beginning, and vectors by their file and name.
#[test]
fn names_are_unique_and_no_line_is_a_header() {
    for (subject, vectors) in tables() {
        let names: BTreeSet<_> = vectors.iter().map(|vector| &vector.name).collect();
        assert_eq!(names.len(), vectors.len(), "{subject} has a name twice");
        for vector in &vectors {
            let lines = vector.lines();
            assert!(lines.ends_with("}\n"), "{subject}: {}", vector.name);
            assert!(lines.lines().all(|line| line.starts_with(r#"{"event":""#)), "{subject}: {}", vector.name);
        }
    }
}

/// The part of an output that must not depend on the chunks. Deltas of a match are appended to its first one, and
/// pieces of text to the piece before. Deviations are kept apart, since they may come between the pieces of a delta. Of
/// each document, only the last snapshot counts. Patches are left out, since each is about a chunk.
#[derive(Debug, Default, PartialEq)]
struct Joined {
    lines: Vec<(String, String)>,
    deviations: Vec<String>,
    snapshots: BTreeMap<Option<String>, String>,
}

fn joined(printed: &str) -> Joined {
    const TEXT: &str = r#","text":""#;
    let mut joined = Joined::default();
    // The place of the open match's first delta, by the members that identify the match.
    let mut open = BTreeMap::<String, usize>::new();
    for line in printed.split_terminator('\n') {
        // Not a `Value`, which has no numbers beyond the range of f64.
        let members: BTreeMap<&str, &RawValue> = serde_json::from_str(line).unwrap();
        let text_of = |name| serde_json::from_str::<String>(members[name].get()).unwrap();
        let event = text_of("event");
        let of = |end: &str| line[line.find(',').unwrap()..line.find(end).unwrap_or(line.len())].to_owned();
        match &*event {
            "deviation" => joined.deviations.push(line.to_owned()),
            "snapshot" => {
                let document = members.get("document").map(|number| number.get().to_owned());
                joined.snapshots.insert(document, line.to_owned());
            }
            "patch" => {}
            "delta" | "raw" => match open.get(&of(TEXT)) {
                Some(place) => joined.lines[*place].1.push_str(&text_of("text")),
                None => {
                    open.insert(of(TEXT), joined.lines.len());
                    joined.lines.push((event + &of(TEXT), text_of("text")));
                }
            },
            "text" | "fragment" => {
                let (before, after) = line.split_once(&format!(r#","text":{}"#, members["text"].get())).unwrap();
                let (line, text) = (format!("{before}{after}"), text_of("text"));
                match joined.lines.last_mut() {
                    Some((last, before)) if *last == line => before.push_str(&text),
                    _ => joined.lines.push((line, text)),
                }
            }
            _ => {
                if event == "begin" {
                    open.remove(&of(r#","kind":""#));
                }
                joined.lines.push((line.to_owned(), String::new()));
            }
        }
    }
    joined
}

#[test]
fn cuts_change_nothing() {
    for (subject, vectors) in tables() {
        for vector in &vectors {
            let (input, given) = (vector.chunks.concat(), joined(&vector.lines()));
            let whole = vector.lines_of([&input[..]]);
            assert_eq!(joined(&whole), given, "{subject}: {}, as a whole", vector.name);
            let bytes = vector.lines_of(input.chunks(1));
            assert_eq!(joined(&bytes), given, "{subject}: {}, byte by byte", vector.name);
            let threes = vector.lines_of(input.chunks(3).flat_map(|chunk| [b"", chunk, b""]));
            assert_eq!(joined(&threes), given, "{subject}: {}, in threes with empty chunks", vector.name);
        }
    }
}

/// Also for vectors without checkpoints. A source keeps the counters that are not part of a saved state.
#[test]
fn checkpoints_change_nothing() {
    for (subject, vectors) in tables() {
        for vector in &vectors {
            for every in [1, 3] {
                let saved = vector.lines_with(NonZeroUsize::new(every), vector.chunks.iter().map(Vec::as_slice));
                assert_eq!(saved, vector.lines(), "{subject}: {}, after every {every} chunks", vector.name);
            }
        }
    }
}
