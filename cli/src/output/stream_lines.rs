//! The lines of provider streams and envelopes, those about matches aside.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use jsonspigot::envelope::EnvelopeEvent;
use jsonspigot::providers::StreamEvent;
use jsonspigot::tool_calls::{CallEvent, ToolCall};
use jsonspigot::{Parser, PatternSet};
use jsonspigot::{Payload, PayloadStatus};

use super::members::{Place, Quoted};

/// What the lines `call` could not say of calls that are still open.
#[derive(Default)]
pub(super) struct CallNames {
    /// Whether id and name were there.
    known: BTreeMap<u64, (bool, bool)>,
}

pub(super) fn write_tool(out: &mut impl Write, event: &StreamEvent<'_>, names: &mut CallNames) -> io::Result<()> {
    match *event {
        StreamEvent::Call(CallEvent::Start(ToolCall { number, id, name, choice, .. })) => {
            if id.is_none() || name.is_none() {
                names.known.insert(number, (id.is_some(), name.is_some()));
            }
            write!(out, r#"{{"event":"call","call":{number},"id":{},"name":{}"#, OrNull(id), OrNull(name))?;
            // An answer is known by its place, a call by its name.
            if name.is_none() { writeln!(out, r#","choice":{choice}}}"#) } else { end_line(out, choice) }
        }
        StreamEvent::Call(CallEvent::End { call: ToolCall { number, id, name, .. }, input }) => {
            write!(out, r#"{{"event":"input","call":{number}"#)?;
            let (has_id, has_name) = names.known.remove(&number).unwrap_or((true, true));
            let late = [("id", has_id, id), ("name", has_name, name)];
            for (member, _, text) in late.into_iter().filter(|(_, was_known, text)| !was_known && text.is_some()) {
                write!(out, r#","{member}":{}"#, OrNull(text))?;
            }
            let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
            writeln!(out, "{}}}", Verdict { payload: &input, reason })
        }
        StreamEvent::Text { choice, text } => write_text(out, "text", "text", text, choice),
        StreamEvent::Reasoning { choice, text } => write_text(out, "reasoning", "text", text, choice),
        StreamEvent::Refusal { choice, text } => write_text(out, "refusal", "text", text, choice),
        StreamEvent::Stop { choice, reason, native_reason } => {
            write!(out, r#"{{"event":"stop","reason":{}"#, Quoted(reason))?;
            write_present(out, "native_reason", native_reason)?;
            end_line(out, choice)
        }
        StreamEvent::ProviderError { message, kind, code } => {
            write!(out, r#"{{"event":"provider-error","message":{}"#, Quoted(message))?;
            write_present(out, "type", kind)?;
            write_present(out, "code", code)?;
            end_line(out, 0)
        }
        StreamEvent::BadFrame { text } => write_text(out, "bad-frame", "text", text, 0),
        StreamEvent::Unknown { text } => write_text(out, "unknown-event", "text", text, 0),
        StreamEvent::Usage { json } => writeln!(out, r#"{{"event":"usage","value":{}}}"#, on_one_line(json)),
        StreamEvent::Call(CallEvent::Error(error)) => {
            out.write_all(br#"{"event":"call-error""#)?;
            if let Some(call) = error.call() {
                write!(out, r#","call":{call}"#)?;
            }
            writeln!(out, r#","kind":"{}"}}"#, error.kind().name())
        }
        // Matches have lines of their own; fragments say what matches and inputs say.
        _ => Ok(()),
    }
}

/// Nobody asked for several answers where there is only the first.
fn end_line(out: &mut impl Write, choice: u64) -> io::Result<()> {
    if choice > 0 { writeln!(out, r#","choice":{choice}}}"#) } else { out.write_all(b"}\n") }
}

fn write_text(out: &mut impl Write, event: &str, member: &str, text: &str, choice: u64) -> io::Result<()> {
    write!(out, r#"{{"event":"{event}","{member}":{}"#, Quoted(text))?;
    end_line(out, choice)
}

/// A member that not all such lines have.
fn write_present(out: &mut impl Write, member: &str, text: Option<&str>) -> io::Result<()> {
    text.map_or(Ok(()), |text| write!(out, r#","{member}":{}"#, Quoted(text)))
}

pub(super) fn write_envelope(out: &mut impl Write, event: &EnvelopeEvent<'_>) -> io::Result<()> {
    match *event {
        EnvelopeEvent::Text(text) => write_text(out, "text", "text", text, 0),
        EnvelopeEvent::Fragment { delimiter, text } => {
            let delimiter = delimiter.to_string();
            writeln!(out, r#"{{"event":"fragment","mark":{},"text":{}}}"#, Quoted(&delimiter), Quoted(text))
        }
        EnvelopeEvent::End { delimiter, payload, .. } => {
            write!(out, r#"{{"event":"payload","mark":{}"#, Quoted(&delimiter.to_string()))?;
            // A payload is cut by the end of input or a limit, which the error says.
            writeln!(out, "{}}}", Verdict { payload: &payload, reason: None })
        }
        // Where a payload begins is told by what follows.
        _ => Ok(()),
    }
}

/// What came of a call's arguments or a payload, as the last members of its line.
struct Verdict<'a> {
    payload: &'a Payload<'a>,
    /// Why it was cut, if it was.
    reason: Option<&'a str>,
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { payload, reason } = self;
        write!(f, r#","status":"{}""#, payload.status().name())?;
        match payload.value() {
            Some(value) => write!(f, r#","value":{value}"#)?,
            // What is empty has nothing to show.
            None if payload.status() == PayloadStatus::Empty => {}
            None => write!(f, r#","raw":{}"#, Quoted(payload.raw()))?,
        }
        match (payload.error(), reason) {
            (None, None) => Ok(()),
            (Some(error), None) => write!(f, r#","error":{{{}}}"#, Place::from(error)),
            (Some(error), Some(reason)) => {
                write!(f, r#","error":{{{},"reason":{}}}"#, Place::from(error), Quoted(reason))
            }
            // Nothing is wrong with what has come, or nothing has.
            (None, Some(reason)) => write!(f, r#","error":{{"kind":"incomplete","reason":{}}}"#, Quoted(reason)),
        }
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

/// A provider's JSON as it was spelt, without the white space between its tokens.
fn on_one_line(json: &str) -> String {
    let mut parser = Parser::new(&PatternSet::empty());
    let read = parser.feed(json).check().and_then(|()| parser.finish().check());
    match read.and_then(|()| parser.complete()) {
        Ok(value) => value.to_string(),
        Err(_) => Quoted(json).to_string(),
    }
}
