//! The lines of provider streams and envelopes, those about matches aside.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use jsonspigot::{Parser, PatternSet};
use jsonspigot_llm::{
    Block, CallEvent, Delimiter, EnvelopeEvent, Executor, Media, Opaque, Payload, PayloadStatus, Source, StreamEvent,
    ToolCall, ToolResult,
};

use super::members::{Place, Quoted};

/// The facts that the lines `call` could not give of calls that are still open.
#[derive(Default)]
pub(super) struct CallNames {
    /// By number, true if id and name were there, and the executor.
    known: BTreeMap<u64, (bool, bool, Executor)>,
}

pub(super) fn write_tool(out: &mut impl Write, event: &StreamEvent<'_>, names: &mut CallNames) -> io::Result<()> {
    match *event {
        StreamEvent::Call(CallEvent::Start(ToolCall { number, id, name, choice, executor, .. })) => {
            names.known.insert(number, (id.is_some(), name.is_some(), executor));
            write!(out, r#"{{"event":"call","call":{number},"id":{},"name":{}"#, OrNull(id), OrNull(name))?;
            // An answer is known by its place, a call by its name.
            if name.is_none() {
                write!(out, r#","choice":{choice}"#)?;
            } else {
                write_choice(out, choice)?;
            }
            // A structured answer, which has neither, is nobody's to execute.
            if id.is_some() || name.is_some() {
                write!(out, r#","executed":"{}""#, executor.name())?;
            }
            writeln!(out, "}}")
        }
        StreamEvent::Call(CallEvent::End { call: ToolCall { number, id, name, executor, .. }, input }) => {
            write!(out, r#"{{"event":"input","call":{number}"#)?;
            let (has_id, has_name, known) = names.known.remove(&number).unwrap_or((true, true, executor));
            let late = [("id", has_id, id), ("name", has_name, name)];
            for (member, _, text) in late.into_iter().filter(|(_, was_known, text)| !was_known && text.is_some()) {
                write!(out, r#","{member}":{}"#, OrNull(text))?;
            }
            let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
            write!(out, "{}", Verdict { payload: &input, reason })?;
            write_values(out, &input)?;
            let was_told = has_id || has_name || (id.is_none() && name.is_none());
            if was_told && known == executor {
                out.write_all(b"}\n")
            } else {
                writeln!(out, r#","executed":"{}"}}"#, executor.name())
            }
        }
        StreamEvent::ApprovalRequest { id, call, json, .. } => {
            write!(out, r#"{{"event":"approval-request","id":{}"#, Quoted(id))?;
            write_number(out, "call", call)?;
            end_with_value(out, json, 0)
        }
        StreamEvent::MessageStart { id, model, .. } => {
            out.write_all(br#"{"event":"message-start""#)?;
            write_present(out, "id", id)?;
            write_present(out, "model", model)?;
            end_line(out, 0)
        }
        StreamEvent::BlockStart(Block { number, choice, kind, id, phase, .. }) => {
            write!(out, r#"{{"event":"block-start","block":{number},"kind":"{}""#, kind.name())?;
            write_present(out, "id", id)?;
            write_present(out, "phase", phase)?;
            end_line(out, choice)
        }
        StreamEvent::BlockEnd(Block { number, choice, kind, .. }) => {
            write!(out, r#"{{"event":"block-end","block":{number},"kind":"{}""#, kind.name())?;
            end_line(out, choice)
        }
        StreamEvent::Text { choice, block, text, .. } => write_said(out, "text", text, choice, block),
        StreamEvent::Reasoning { choice, block, text, .. } => write_said(out, "reasoning", text, choice, block),
        StreamEvent::Refusal { choice, text } => write_text(out, "refusal", "text", text, choice),
        StreamEvent::Media(Media { choice, block, media_type, data, url, .. }) => {
            out.write_all(br#"{"event":"media""#)?;
            for (member, text) in [("media_type", media_type), ("data", data), ("url", url)] {
                write_present(out, member, text)?;
            }
            write_number(out, "block", block)?;
            end_line(out, choice)
        }
        StreamEvent::Mismatch { kind, choice, block, call, text, .. } => {
            write!(out, r#"{{"event":"mismatch","kind":"{}""#, kind.name())?;
            write_number(out, "block", block)?;
            write_number(out, "call", call)?;
            write!(out, r#","text":{}"#, Quoted(text))?;
            end_line(out, choice)
        }
        StreamEvent::Data { kind, json, .. } => write_kind(out, "data", kind, json),
        StreamEvent::UnknownPart { kind, json, .. } => write_kind(out, "unknown-part", kind, json),
        StreamEvent::ProviderEvent { json, .. } => {
            out.write_all(br#"{"event":"provider-event""#)?;
            end_with_value(out, json, 0)
        }
        StreamEvent::Opaque(Opaque { kind, choice, block, call, json, .. }) => {
            write!(out, r#"{{"event":"opaque","kind":"{}""#, kind.name())?;
            write_number(out, "block", block)?;
            write_number(out, "call", call)?;
            end_with_value(out, json, choice)
        }
        StreamEvent::ToolResult(ToolResult { call, call_id, is_error, json, .. }) => {
            out.write_all(br#"{"event":"tool-result""#)?;
            write_number(out, "call", call)?;
            write_present(out, "id", call_id)?;
            if is_error {
                out.write_all(br#","is_error":true"#)?;
            }
            end_with_value(out, json, 0)
        }
        StreamEvent::CallCancelled { call, call_id, json, .. } => {
            out.write_all(br#"{"event":"call-cancelled""#)?;
            write_number(out, "call", call)?;
            write_present(out, "id", call_id)?;
            end_with_value(out, json, 0)
        }
        StreamEvent::Source(Source { choice, block, url, title, quote, span, json, .. }) => {
            out.write_all(br#"{"event":"source""#)?;
            for (member, text) in [("url", url), ("title", title), ("quote", quote)] {
                write_present(out, member, text)?;
            }
            if let Some((start, end)) = span {
                write!(out, r#","span":[{start},{end}]"#)?;
            }
            write_number(out, "block", block)?;
            end_with_value(out, json, choice)
        }
        StreamEvent::ContentFilter { choice, json, .. } => {
            out.write_all(br#"{"event":"content-filter""#)?;
            end_with_value(out, json, choice)
        }
        StreamEvent::Stop { choice, reason, kind, native_reason, stop_sequence, .. } => {
            write!(out, r#"{{"event":"stop","reason":{}"#, Quoted(reason))?;
            write_present(out, "native_reason", native_reason)?;
            write_choice(out, choice)?;
            write!(out, r#","kind":"{}""#, kind.name())?;
            write_present(out, "stop_sequence", stop_sequence)?;
            end_line(out, 0)
        }
        StreamEvent::Incomplete { reason, .. } => write_text(out, "incomplete", "reason", reason, 0),
        StreamEvent::ProviderError { message, kind, code, retry, json, .. } => {
            write!(out, r#"{{"event":"provider-error","message":{}"#, Quoted(message))?;
            write_present(out, "type", kind)?;
            write_present(out, "code", code)?;
            write_present(out, "retry", retry.name())?;
            write_number(out, "retry_after_ms", retry.after_ms())?;
            match json {
                Some(json) => end_with_value(out, json, 0),
                None => end_line(out, 0),
            }
        }
        StreamEvent::BadFrame { text } => write_text(out, "bad-frame", "text", text, 0),
        StreamEvent::Unknown { text } => write_text(out, "unknown-event", "text", text, 0),
        StreamEvent::Usage { tokens, json, .. } => {
            write!(out, r#"{{"event":"usage","value":{}"#, on_one_line(json))?;
            write_number(out, "input", tokens.input)?;
            write_number(out, "output", tokens.output)?;
            write_number(out, "cached", tokens.cached)?;
            write_number(out, "reasoning", tokens.reasoning)?;
            end_line(out, 0)
        }
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

/// The values of an input that has several.
fn write_values(out: &mut impl Write, input: &Payload<'_>) -> io::Result<()> {
    let values = input.values();
    if values.is_empty() {
        return Ok(());
    }
    out.write_all(br#","values":["#)?;
    for (place, value) in values.into_iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(out, "{comma}{}", on_one_line(value))?;
    }
    write!(out, r#"],"repeated":{}"#, input.is_repeated())
}

/// Nobody asked for several answers where there is only the first.
fn write_choice(out: &mut impl Write, choice: u64) -> io::Result<()> {
    if choice > 0 { write!(out, r#","choice":{choice}"#) } else { Ok(()) }
}

fn end_line(out: &mut impl Write, choice: u64) -> io::Result<()> {
    write_choice(out, choice)?;
    out.write_all(b"}\n")
}

/// The provider's own JSON, last of all but the choice.
fn end_with_value(out: &mut impl Write, json: &str, choice: u64) -> io::Result<()> {
    write!(out, r#","value":{}"#, on_one_line(json))?;
    end_line(out, choice)
}

/// A provider's JSON of a kind that has a name.
fn write_kind(out: &mut impl Write, event: &str, kind: &str, json: &str) -> io::Result<()> {
    write!(out, r#"{{"event":"{event}","kind":{}"#, Quoted(kind))?;
    end_with_value(out, json, 0)
}

/// A piece of what is said, in its block.
fn write_said(out: &mut impl Write, event: &str, text: &str, choice: u64, block: u64) -> io::Result<()> {
    write!(out, r#"{{"event":"{event}","text":{}"#, Quoted(text))?;
    write_choice(out, choice)?;
    writeln!(out, r#","block":{block}}}"#)
}

fn write_number(out: &mut impl Write, member: &str, number: Option<u64>) -> io::Result<()> {
    number.map_or(Ok(()), |number| write!(out, r#","{member}":{number}"#))
}

fn write_text(out: &mut impl Write, event: &str, member: &str, text: &str, choice: u64) -> io::Result<()> {
    write!(out, r#"{{"event":"{event}","{member}":{}"#, Quoted(text))?;
    end_line(out, choice)
}

/// A member that not all such lines have.
fn write_present(out: &mut impl Write, member: &str, text: Option<&str>) -> io::Result<()> {
    text.map_or(Ok(()), |text| write!(out, r#","{member}":{}"#, Quoted(text)))
}

/// Writes the payload that a line is about: its mark, and its place in an answer.
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
    match *event {
        EnvelopeEvent::Text(text) => write_text(out, "text", "text", text, 0),
        EnvelopeEvent::Fragment { delimiter, text } => {
            out.write_all(br#"{"event":"fragment""#)?;
            write_mark(out, delimiter, block)?;
            writeln!(out, r#","text":{}}}"#, Quoted(text))
        }
        EnvelopeEvent::End { delimiter, payload, .. } => {
            out.write_all(br#"{"event":"payload""#)?;
            write_mark(out, delimiter, block)?;
            // A payload is cut by the end of input or a limit, which the error says.
            writeln!(out, "{}}}", Verdict { payload: &payload, reason: None })
        }
        // What follows shows where a payload begins.
        _ => Ok(()),
    }
}

/// The outcome of a call's arguments or a payload, as the last members of its line.
struct Verdict<'a> {
    payload: &'a Payload<'a>,
    /// The reason why it was cut, if it was.
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
        if payload.status() == PayloadStatus::Accepted {
            write_deviations(f, payload)?;
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

/// A provider's JSON as it was spelt, without the white space between its tokens.
fn on_one_line(json: &str) -> String {
    let mut parser = Parser::new(&PatternSet::empty());
    let read = parser.feed(json).check().and_then(|()| parser.finish().check());
    match read.and_then(|()| parser.complete()) {
        Ok(value) => value.to_string(),
        Err(_) => Quoted(json).to_string(),
    }
}
