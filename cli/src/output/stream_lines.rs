//! The lines of provider streams and envelopes, those about matches aside.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use jsonspigot::adapters::{Input, InputStatus, ToolEvent};
use jsonspigot::envelope::{EnvelopeEvent, Payload};
use jsonspigot::{CompleteValue, Error, Parser, PatternSet};

use super::lines::{Place, Quoted};

/// What the lines `call` could not say of calls that are still open.
#[derive(Default)]
pub(super) struct CallNames {
    /// Whether id and name were there.
    known: BTreeMap<u64, (bool, bool)>,
}

pub(super) fn write_tool(out: &mut impl Write, event: &ToolEvent<'_>, names: &mut CallNames) -> io::Result<()> {
    match *event {
        ToolEvent::Call { call, id, name, choice } => {
            if id.is_none() || name.is_none() {
                names.known.insert(call, (id.is_some(), name.is_some()));
            }
            write!(out, r#"{{"event":"call","call":{call},"id":{},"name":{}"#, OrNull(id), OrNull(name))?;
            // An answer is known by its place, a call by its name.
            if name.is_none() { writeln!(out, r#","choice":{choice}}}"#) } else { end_line(out, choice) }
        }
        ToolEvent::Input { call, id, name, input } => {
            write!(out, r#"{{"event":"input","call":{call}"#)?;
            let (has_id, has_name) = names.known.remove(&call).unwrap_or((true, true));
            let late = [("id", has_id, id), ("name", has_name, name)];
            for (member, _, text) in late.into_iter().filter(|(_, was_known, text)| !was_known && text.is_some()) {
                write!(out, r#","{member}":{}"#, OrNull(text))?;
            }
            write_input(out, &input)
        }
        ToolEvent::Text { choice, text } => write_text(out, "text", "text", text, choice),
        ToolEvent::Reasoning { choice, text } => write_text(out, "reasoning", "text", text, choice),
        ToolEvent::Refusal { choice, text } => write_text(out, "refusal", "text", text, choice),
        ToolEvent::Stop { choice, reason, native_reason } => {
            write!(out, r#"{{"event":"stop","reason":{}"#, Quoted(reason))?;
            write_present(out, "native_reason", native_reason)?;
            end_line(out, choice)
        }
        ToolEvent::ProviderError { message, kind, code } => {
            write!(out, r#"{{"event":"provider-error","message":{}"#, Quoted(message))?;
            write_present(out, "type", kind)?;
            write_present(out, "code", code)?;
            end_line(out, 0)
        }
        ToolEvent::BadFrame { text } => write_text(out, "bad-frame", "text", text, 0),
        ToolEvent::Unknown { text } => write_text(out, "unknown-event", "text", text, 0),
        ToolEvent::Usage { json } => writeln!(out, r#"{{"event":"usage","value":{}}}"#, on_one_line(json)),
        ToolEvent::Error(error) => {
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

fn write_input(out: &mut impl Write, input: &Input<'_>) -> io::Result<()> {
    let status = input.status();
    let reason = if let InputStatus::Truncated { reason } = status { Some(reason) } else { None };
    let verdict =
        Verdict { status: status.name(), value: input.value(), raw: input.raw(), error: input.error(), reason };
    writeln!(out, "{verdict}}}")
}

pub(super) fn write_envelope(out: &mut impl Write, event: &EnvelopeEvent<'_>) -> io::Result<()> {
    match *event {
        EnvelopeEvent::Text(text) => write_text(out, "text", "text", text, 0),
        EnvelopeEvent::Fragment { delimiter, text } => {
            let delimiter = delimiter.to_string();
            writeln!(out, r#"{{"event":"fragment","mark":{},"text":{}}}"#, Quoted(&delimiter), Quoted(text))
        }
        EnvelopeEvent::End(payload) => {
            write!(out, r#"{{"event":"payload","mark":{}"#, Quoted(&payload.delimiter().to_string()))?;
            write_payload(out, &payload)
        }
        // Where a payload begins is told by what follows.
        _ => Ok(()),
    }
}

fn write_payload(out: &mut impl Write, payload: &Payload<'_>) -> io::Result<()> {
    let (value, error) = (payload.value(), payload.error());
    let verdict = Verdict { status: payload.status().name(), value, raw: payload.raw(), error, reason: None };
    writeln!(out, "{verdict}}}")
}

/// What came of a call's arguments or a payload, as the last members of its line.
struct Verdict<'a> {
    status: &'a str,
    value: Option<CompleteValue<'a>>,
    raw: &'a str,
    error: Option<&'a Error>,
    /// Why it was cut, if it was.
    reason: Option<&'a str>,
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#","status":"{}""#, self.status)?;
        match self.value {
            Some(value) => write!(f, r#","value":{value}"#)?,
            // What is empty has nothing to show.
            None if self.status == "empty" => {}
            None => write!(f, r#","raw":{}"#, Quoted(self.raw))?,
        }
        match (self.error, self.reason) {
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
    let read = parser.feed_with(json, |_| {}).and_then(|()| parser.finish_with(|_| {}));
    match read.and_then(|()| parser.complete()) {
        Ok(value) => value.to_string(),
        Err(_) => Quoted(json).to_string(),
    }
}
