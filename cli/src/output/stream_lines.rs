//! The lines of provider streams and envelopes, except lines about matches. Lines about calls and payloads only have
//! new facts; all other events are written as the library writes them.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use jsonspigot::Parser;
use jsonspigot_llm::{CallEvent, Delimiter, EnvelopeEvent, Executor, Payload, PayloadStatus, StreamEvent, ToolCall};

use super::members::{Place, Quoted};

/// The facts that the line `call` had of each open call.
#[derive(Default)]
pub(super) struct CallNames {
    /// For each number: true if the id was known, the name, and the executor.
    known: BTreeMap<u64, (bool, Option<String>, Executor)>,
}

pub(super) fn write_tool(out: &mut impl Write, event: &StreamEvent<'_>, names: &mut CallNames) -> io::Result<()> {
    match event {
        StreamEvent::Call(CallEvent::Start {
            call: ToolCall { number, id, name, choice, executor, is_answer, .. },
        }) => {
            let (id, name) = (id.as_deref(), name.as_deref());
            names.known.insert(*number, (id.is_some(), name.map(str::to_owned), *executor));
            write!(out, r#"{{"event":"call","call":{number},"id":{},"name":{}"#, OrNull(id), OrNull(name))?;
            // A call is identified by its name, an answer by its number.
            if name.is_none() {
                write!(out, r#","choice":{choice}"#)?;
            } else {
                write_choice(out, *choice)?;
            }
            if !is_answer {
                write!(out, r#","executed":"{}""#, executor.name())?;
            }
            writeln!(out, "}}")
        }
        StreamEvent::Call(CallEvent::End { call: ToolCall { number, id, name, executor, .. }, input }) => {
            let (id, name) = (id.as_deref(), name.as_deref());
            write!(out, r#"{{"event":"input","call":{number}"#)?;
            let told = names.known.remove(number);
            let (has_id, told_name, known) = told.unwrap_or_else(|| (true, name.map(str::to_owned), *executor));
            // More of the name may have arrived since.
            let late = [("id", has_id, id), ("name", told_name.as_deref() == name, name)];
            for (member, _, text) in late.into_iter().filter(|(_, was_known, text)| !was_known && text.is_some()) {
                write!(out, r#","{member}":{}"#, OrNull(text))?;
            }
            let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
            write!(out, "{}", Verdict { payload: input, reason })?;
            if known == *executor {
                out.write_all(b"}\n")
            } else {
                writeln!(out, r#","executed":"{}"}}"#, executor.name())
            }
        }
        StreamEvent::Call(CallEvent::Error(error)) => {
            out.write_all(br#"{"event":"call-error""#)?;
            if let Some(call) = error.call() {
                write!(out, r#","call":{call}"#)?;
            }
            writeln!(out, r#","kind":"{}"}}"#, error.kind().name())
        }
        // Matches have lines of their own, fragments repeat what matches and inputs contain, and the last line stands
        // for the end.
        StreamEvent::Call(CallEvent::Fragment { .. } | CallEvent::Match { .. })
        | StreamEvent::Payload { .. }
        | StreamEvent::End => Ok(()),
        event => {
            let mut line = String::new();
            event.write_json(&mut line).map_err(io::Error::other)?;
            writeln!(out, "{line}")
        }
    }
}

/// Writes the number of the answer, unless it is the first.
fn write_choice(out: &mut impl Write, choice: u64) -> io::Result<()> {
    if choice > 0 { write!(out, r#","choice":{choice}"#) } else { Ok(()) }
}

fn end_line(out: &mut impl Write, choice: u64) -> io::Result<()> {
    write_choice(out, choice)?;
    out.write_all(b"}\n")
}

fn write_text(out: &mut impl Write, event: &str, member: &str, text: &str, choice: u64) -> io::Result<()> {
    write!(out, r#"{{"event":"{event}","{member}":{}"#, Quoted(text))?;
    end_line(out, choice)
}

/// Writes the mark of the payload that a line is about, and its block.
pub(super) fn write_mark(out: &mut impl Write, mark: &Delimiter, block: Option<super::Block>) -> io::Result<()> {
    write!(out, r#","mark":{}"#, Quoted(&mark.to_string()))?;
    let Some(super::Block { number, choice }) = block else { return Ok(()) };
    write!(out, r#","block":{number}"#)?;
    write_choice(out, choice)
}

pub(super) fn write_envelope(
    out: &mut impl Write,
    event: &EnvelopeEvent<'_>,
    block: Option<super::Block>,
) -> io::Result<()> {
    match event {
        EnvelopeEvent::Text(text) => write_text(out, "text", "text", text, 0),
        EnvelopeEvent::Fragment { delimiter, text } => {
            out.write_all(br#"{"event":"fragment""#)?;
            write_mark(out, delimiter, block)?;
            writeln!(out, r#","text":{}}}"#, Quoted(text))
        }
        EnvelopeEvent::End { delimiter, payload, .. } => {
            out.write_all(br#"{"event":"payload""#)?;
            write_mark(out, delimiter, block)?;
            // A payload is cut by the end of input or by a limit, which the error names.
            writeln!(out, "{}}}", Verdict { payload, reason: None })
        }
        // The following lines show where a payload starts.
        _ => Ok(()),
    }
}

/// The outcome of a call's arguments or a payload, as the last members of its line.
struct Verdict<'a> {
    payload: &'a Payload<'a>,
    /// The reason why the payload was cut, if it was.
    reason: Option<&'a str>,
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { payload, reason } = self;
        write!(f, r#","status":"{}""#, payload.status().name())?;
        match payload.value() {
            Some(value) => write!(f, r#","value":{value}"#)?,
            // An empty payload has no text to show.
            None if payload.status() == PayloadStatus::Empty => {}
            None => write!(f, r#","raw":{}"#, Quoted(payload.raw()))?,
        }
        if payload.status() == PayloadStatus::Accepted {
            write_deviations(f, payload)?;
        }
        match (payload.error(), reason) {
            (None, None) => Ok(()),
            (Some(error), None) => write!(f, r#","error":{{{}}}"#, Place::from(error)),
            (Some(error), Some(reason)) => {
                write!(f, r#","error":{{{},"reason":{}}}"#, Place::from(error), Quoted(reason))
            }
            // The text so far is valid, or empty.
            (None, Some(reason)) => write!(f, r#","error":{{"kind":"incomplete","reason":{}}}"#, Quoted(reason)),
        }?;
        write_values(f, payload)
    }
}

/// Writes the values of a text that has several.
fn write_values(f: &mut fmt::Formatter<'_>, payload: &Payload<'_>) -> fmt::Result {
    let values = payload.values();
    if values.is_empty() {
        return Ok(());
    }
    f.write_str(r#","values":["#)?;
    for (place, value) in values.into_iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(f, "{comma}{}", on_one_line(value))?;
    }
    write!(f, r#"],"repeated":{}"#, payload.is_repeated())
}

/// Writes the deviations that were accepted.
fn write_deviations(f: &mut fmt::Formatter<'_>, payload: &Payload<'_>) -> fmt::Result {
    f.write_str(r#","deviations":["#)?;
    for (place, deviation) in payload.deviations().iter().enumerate() {
        let (comma, kind) = (if place > 0 { "," } else { "" }, deviation.kind().name());
        write!(f, r#"{comma}{{"kind":"{kind}","offset":{}}}"#, deviation.offset())?;
    }
    f.write_str("]")?;
    match payload.deviation_count() - payload.deviations().len() as u64 {
        0 => Ok(()),
        more => write!(f, r#","more":{more}"#),
    }
}

struct OrNull<'a>(Option<&'a str>);

impl fmt::Display for OrNull<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(text) => Quoted(text).fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// Returns a provider's JSON as spelled, without white space between its tokens. Returns text that is not JSON as a
/// string.
fn on_one_line(json: &str) -> String {
    let mut parser = Parser::default();
    let read = parser.feed(json).check().and_then(|()| parser.finish().check());
    match read.and_then(|()| parser.complete()) {
        Ok(value) => value.to_string(),
        Err(_) => Quoted(json).to_string(),
    }
}
