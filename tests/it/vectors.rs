//! The conformance vectors in `vectors/`, replayed through `feed`: the model of a replayer in another language.
//!
//! Each is replayed again with a parser that is saved and restored between chunks. Vectors of provider streams and of
//! text with payloads are left out: what cuts these into events is the command's.

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonspigot::{
    DocumentEvent, Documents, DuplicateKeys, Error, Event, EventKind, Framing, Leniency, Limits, Parser, ParserBuilder,
    PatternSet, RestoreError, Retain, Revision,
};
use jsonspigot_check::command_lines::joined;
use jsonspigot_check::laws::Law;
use serde_json::{Map, Value, json};

struct Vector {
    name: String,
    patterns: PatternSet,
    options: Map<String, Value>,
    /// The state from which the parser is restored.
    state: Option<Vec<u8>>,
    chunks: Vec<Vec<u8>>,
    lines: String,
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// Returns the vectors that need only a parser.
fn vectors() -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let mut vectors = Vec::<Vector>::new();
    let files = std::fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl")) {
        for line in std::fs::read_to_string(&file).unwrap().split_inclusive('\n') {
            if !line.starts_with(r#"{"vector":"#) {
                vectors.last_mut().unwrap().lines += line;
                continue;
            }
            let header: Value = serde_json::from_str(line).unwrap();
            vectors.push(Vector {
                name: format!("{}: {}", file.file_stem().unwrap().display(), header["vector"]),
                patterns: PatternSet::new(strings(&header["patterns"])).unwrap(),
                options: header["options"].as_object().unwrap().clone(),
                state: header.get("state").map(|state| STANDARD.decode(state.as_str().unwrap()).unwrap()),
                chunks: strings(&header["chunks"]).map(|chunk| STANDARD.decode(chunk).unwrap()).collect(),
                lines: String::new(),
            });
        }
    }
    vectors.retain(|vector| !vector.options.contains_key("provider") && !vector.options.contains_key("envelope"));
    vectors
}

impl Vector {
    fn is(&self, option: &str) -> bool {
        self.options.get(option).is_some_and(|value| value == true)
    }

    /// Returns the number of chunks after which the state is saved and a restored parser continues.
    fn checkpoint(&self) -> Option<usize> {
        self.options.get("checkpoint").map(|every| every.as_u64().unwrap().try_into().unwrap())
    }

    fn builder(&self) -> ParserBuilder {
        let mut builder = Parser::builder();
        let mut limits = Limits::new();
        for (name, value) in &self.options {
            let number = || value.as_u64().unwrap();
            match name.as_str() {
                "maxDepth" => limits = limits.depth(number().try_into().unwrap()),
                "maxKey" => limits = limits.key(number()),
                "maxString" => limits = limits.string(number()),
                "maxNumber" => limits = limits.number(number()),
                "maxBlank" => limits = limits.blank(number()),
                "maxTotal" => limits = limits.total(number()),
                "duplicateKeys" if value == "reject" => builder = builder.duplicate_keys(DuplicateKeys::Reject),
                "retain" if value == "matches" => builder = builder.retain(Retain::Matches),
                "retain" if value == "nothing" => builder = builder.retain(Retain::Nothing),
                "snapshots" | "patches" => builder = builder.snapshots(),
                "lenient" => {
                    let names = strings(value).map(|name| Leniency::from_name(name).unwrap());
                    builder = names.fold(builder, ParserBuilder::lenient);
                }
                "accept" => builder = builder.accept_deviations(),
                "duplicateKeys" | "retain" | "provisional" | "value" | "documents" | "checkpoint" => {}
                _ => panic!("{}: unknown option {name}", self.name),
            }
        }
        let builder = if self.is("provisional") { builder.provisional() } else { builder };
        builder.limits(limits)
    }
}

/// The printed lines, and the progress in the current text.
#[derive(Default)]
struct Printer {
    out: String,
    /// The text's number as a member, if it is one of many.
    document: String,
    revision: Revision,
    told_deviations: usize,
}

impl Printer {
    fn line(&mut self, event: &str, members: &str) {
        let document = &self.document;
        writeln!(self.out, r#"{{"event":"{event}"{document}{members}}}"#).unwrap();
    }

    fn event(&mut self, event: &Event<'_>, patterns: &PatternSet) {
        let mut line = String::new();
        event.write_json(&mut line).unwrap();
        // The command says whether it is text or spelt so.
        if matches!(event.kind, EventKind::Delta(_)) && patterns.get(event.pattern).unwrap().is_raw() {
            line = line.replacen("delta", "raw", 1);
        }
        // It has the members of its line, and then two more with which it can be read back. An error's place is one.
        let (begin, rest) = line[..line.rfind(r#","match":"#).unwrap()].split_at(line.find(',').unwrap());
        let is_error = matches!(event.kind, EventKind::InnerError(_));
        let offset = if is_error { format!(r#","offset":{}"#, event.offset) } else { String::new() };
        writeln!(self.out, "{begin}{}{rest}{offset}}}", self.document).unwrap();
    }

    /// Prints the deviations up to this offset that have not been printed.
    fn deviations(&mut self, parser: &Parser, end: u64) {
        while let Some(deviation) = parser.deviations().get(self.told_deviations).filter(|next| next.offset() < end) {
            self.told_deviations += 1;
            let (kind, offset) = (deviation.kind().name(), deviation.offset());
            let (line, column) = (deviation.line(), deviation.column());
            self.line("deviation", &format!(r#","kind":"{kind}","offset":{offset},"line":{line},"column":{column}"#));
        }
    }

    fn unlisted_deviations(&mut self, parser: &Parser) {
        let unlisted = parser.deviation_count() - parser.deviations().len() as u64;
        if unlisted > 0 {
            self.line("deviation", &format!(r#","more":{unlisted}"#));
        }
    }

    /// Prints the snapshot or patch, if it was requested and has changed.
    fn partial(&mut self, vector: &Vector, parser: &Parser) {
        let is_asked_for = vector.is("snapshots") || vector.is("patches");
        if !is_asked_for || parser.patch_since(self.revision).unwrap().is_empty() {
            return;
        }
        if vector.is("patches") {
            let ops: Vec<_> = parser.patch_since(self.revision).unwrap().iter().map(ToString::to_string).collect();
            self.line("patch", &format!(r#","ops":[{}]"#, ops.join(",")));
        } else {
            self.line("snapshot", &format!(r#","value":{}"#, parser.snapshot().unwrap()));
        }
        self.revision = parser.revision();
    }

    /// Prints a refused state.
    fn refusal(&mut self, error: &RestoreError) {
        let kind = error.name();
        self.line("error", &format!(r#","kind":"{kind}","offset":0,"line":0,"column":0,"path":"$""#));
    }

    fn error(&mut self, error: &Error) {
        let (kind, path) = (error.kind().name(), json!(error.path()));
        let (offset, line, column) = (error.offset(), error.line(), error.column());
        let place = format!(r#""offset":{offset},"line":{line},"column":{column},"path":{path}"#);
        self.line("error", &format!(r#","kind":"{kind}",{place}"#));
    }
}

/// Replays a vector of one text; each chunk's events go through the iterator.
fn document(vector: &Vector, checkpoint: Option<usize>) -> String {
    let mut parser = vector.builder().patterns(&vector.patterns).build();
    let mut printer = Printer::default();
    if let Some(state) = &vector.state {
        match vector.builder().patterns(&vector.patterns).build().restore(state) {
            Ok(restored) => parser = restored,
            Err(error) => {
                printer.refusal(&error);
                return printer.out;
            }
        }
    }
    for (place, chunk) in vector.chunks.iter().map(Some).chain([None]).enumerate() {
        if chunk.is_none() {
            printer.unlisted_deviations(&parser);
        }
        if checkpoint.is_some_and(|every| place > 0 && place % every == 0) {
            parser = vector.builder().patterns(&vector.patterns).build().restore(&parser.save().unwrap()).unwrap();
        }
        let events = match chunk {
            Some(chunk) => parser.feed(chunk),
            None => parser.finish(),
        };
        let parser = events.parser();
        let (mut refused, reported) = (None, printer.out.len());
        for event in events {
            match event {
                Ok(event) => {
                    // An end's offset is that of the byte after it.
                    let is_end = matches!(event.kind, EventKind::End(_));
                    printer.deviations(parser, event.offset + u64::from(!is_end));
                    printer.event(&event.into_owned(), &vector.patterns);
                }
                Err(error) => refused = Some(error),
            }
        }
        printer.deviations(parser, u64::MAX);
        let new = joined(&printer.out.split_off(reported));
        printer.out += &new;
        printer.partial(vector, parser);
        if let Some(error) = refused {
            printer.error(&error);
            return printer.out;
        }
    }
    let value = if vector.is("value") { format!(r#","value":{}"#, parser.complete().unwrap()) } else { String::new() };
    let bytes = parser.offset();
    printer.line("done", &format!(r#","bytes":{bytes}{value}"#));
    printer.out
}

/// Replays a vector of many texts.
fn documents(vector: &Vector, framing: Framing, checkpoint: Option<usize>) -> String {
    let new_parser = || vector.builder().patterns(&vector.patterns).build();
    let mut documents = Documents::new(framing, new_parser());
    let mut printer = Printer::default();
    if let Some(state) = &vector.state {
        match Documents::new(framing, new_parser()).restore(state) {
            Ok(restored) => documents = restored,
            Err(error) => {
                printer.refusal(&error);
                return printer.out;
            }
        }
    }
    let begin = |printer: &mut Printer, number: u64| {
        let document = format!(r#","document":{number}"#);
        if printer.document != document {
            *printer = Printer { out: std::mem::take(&mut printer.out), document, ..Printer::default() };
        }
    };
    let mut bytes = 0;
    for (place, chunk) in vector.chunks.iter().map(Some).chain([None]).enumerate() {
        if checkpoint.is_some_and(|every| place > 0 && place % every == 0) {
            documents = Documents::new(framing, new_parser()).restore(&documents.save().unwrap()).unwrap();
        }
        let on_event = |event: DocumentEvent<'_>| match event {
            DocumentEvent::Match { document, event } => {
                begin(&mut printer, document);
                printer.event(&event.into_owned(), &vector.patterns);
            }
            DocumentEvent::End(ended) => {
                begin(&mut printer, ended.number());
                printer.deviations(ended.parser().unwrap(), u64::MAX);
                printer.unlisted_deviations(ended.parser().unwrap());
                printer.partial(vector, ended.parser().unwrap());
                match (ended.error(), ended.byte_count()) {
                    (Some(error), _) => printer.error(error),
                    (None, bytes) if vector.is("value") => {
                        printer.line("document", &format!(r#","bytes":{bytes},"value":{}"#, ended.complete().unwrap()));
                    }
                    (None, bytes) => printer.line("document", &format!(r#","bytes":{bytes}"#)),
                }
            }
            _ => panic!("an event that nobody knows"),
        };
        let read = match chunk {
            Some(chunk) => documents.feed_with(chunk, on_event),
            None => documents.finish_with(on_event),
        };
        // Its error has been printed with its document.
        if read.is_err() {
            return printer.out;
        }
        bytes += chunk.map_or(0, Vec::len);
        if let (Some(_), Some(parser)) = (chunk, documents.parser()) {
            begin(&mut printer, documents.number());
            printer.partial(vector, parser);
        }
    }
    let number = documents.number();
    writeln!(printer.out, r#"{{"event":"done","bytes":{bytes},"documents":{number}}}"#).unwrap();
    printer.out
}

pub(super) fn the_library_does_what_the_vectors_say() {
    let vectors = vectors();
    assert!(vectors.len() > 200, "the vectors are here");
    for vector in vectors {
        let framing = vector.options.get("documents").map(|name| name.as_str().unwrap().parse().unwrap());
        for checkpoint in [vector.checkpoint(), Some(1), Some(3)] {
            let printed = match framing {
                Some(framing) => documents(&vector, framing, checkpoint),
                None => document(&vector, checkpoint),
            };
            assert_eq!(printed, vector.lines, "{}, saved after every {checkpoint:?} chunks", vector.name);
            Law::Vectors.mark_compared();
        }
    }
}
