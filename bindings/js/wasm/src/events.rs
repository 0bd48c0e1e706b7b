//! The lines in which events are written: those of the library, with what a line on its own does not need.
//!
//! Values are strings here, as JavaScript parses each by itself. `../../src/providers/events.ts` reads the lines.

use alloc::string::String;

use jsonspigot::internal::{Line, Member};
use jsonspigot::{Error, Event, EventKind};
use jsonspigot_llm::{CallEvent, Delimiter, EnvelopeEvent, Payload, PayloadStatus, StreamEvent, ToolCall};

/// Writes the line of an event, after a comma unless it is the first one. Writes nothing for fragments of calls, which matches
/// and inputs repeat.
pub(crate) fn write(out: &mut String, event: &StreamEvent<'_>, marks: &[Delimiter]) {
    if let Some(line) = line_of(event, marks) {
        write_line(out, line);
    }
}

/// Writes the line of an event of one text, in the input of a call or in a payload.
pub(crate) fn write_match<'e>(
    out: &mut String,
    event: &'e Event<'_>,
    owner: impl IntoIterator<Item = (&'e str, Member<'e>)>,
) {
    write_line(out, match_line(event).of(owner));
}

fn write_line(out: &mut String, line: Line<'_>) {
    if !out.is_empty() {
        out.push(',');
    }
    // A `String` takes all that is written to it, and the line has no values.
    let _ = line.with_texts().write_json(out);
}

/// Returns an error's members, and its message.
pub(crate) fn error_line(error: &Error) -> Line<'_> {
    let mut line = Line::default();
    line.put_error(error).put("message", alloc::format!("{error}"));
    line
}

fn line_of<'e>(event: &'e StreamEvent<'_>, marks: &[Delimiter]) -> Option<Line<'e>> {
    Some(match event {
        StreamEvent::Agent { agent, event, .. } => line_of(event, marks)?.of([("agent", (&**agent).into())]),
        StreamEvent::Payload { choice, block, event, .. } => {
            let (delimiter, line) = payload_line(event)?;
            // JavaScript knows the marks by their places.
            let mark = marks.iter().position(|known| known == delimiter).map(|place| place as u64);
            line.of([("mark", mark.into()), ("choice", (*choice).into()), ("block", (*block).into())])
        }
        StreamEvent::Call(CallEvent::Start { call }) => {
            let mut line = Line::new("call");
            put_call(&mut line, call).put("choice", call.choice);
            line
        }
        StreamEvent::Call(CallEvent::Match { call, event }) => match_line(event).of([("call", call.number.into())]),
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let mut line = verdict_line("input", input);
            put_call(&mut line, call);
            line
        }
        StreamEvent::Call(CallEvent::Error(error)) => {
            let mut line = Line::new("call-error");
            line.put_some("call", error.call()).put("kind", error.kind().name());
            line
        }
        StreamEvent::Call(event @ (CallEvent::Closed { call } | CallEvent::FieldsClosed { call })) => {
            let is_whole = matches!(event, CallEvent::Closed { .. });
            let mut line = Line::new(if is_whole { "call-closed" } else { "fields-closed" });
            line.put("call", call.number);
            line
        }
        StreamEvent::Call(CallEvent::LooksCumulative { call }) => {
            let mut line = Line::new("warning");
            line.put("call", call.number).put("kind", "cumulative");
            line
        }
        StreamEvent::Call(_) => return None,
        _ => event.declared_line(),
    })
}

fn put_call<'l, 'e>(line: &'l mut Line<'e>, call: &'e ToolCall<'_>) -> &'l mut Line<'e> {
    line.put("call", call.number).put_some("id", call.id.as_deref()).put_some("name", call.name.as_deref());
    line.put("executed", call.executor.name())
}

fn match_line<'e>(event: &'e Event<'_>) -> Line<'e> {
    let mut line = event.line();
    if let EventKind::InnerError(error) = &event.kind {
        line.put("error", error_line(error));
    }
    line
}

/// Returns the line of an event of a payload, without its place. The text around payloads is an event of the stream.
fn payload_line<'e>(event: &'e EnvelopeEvent<'_>) -> Option<(&'e Delimiter, Line<'e>)> {
    Some(match event {
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            let mut line = Line::new("payload-start");
            line.put("open", &**open).put("offset", *offset);
            (delimiter, line)
        }
        EnvelopeEvent::Match { delimiter, event } => (delimiter, match_line(event)),
        EnvelopeEvent::Fragment { delimiter, text } => {
            let mut line = Line::new("fragment");
            line.put("text", &**text);
            (delimiter, line)
        }
        EnvelopeEvent::End { delimiter, payload, close, length } => {
            let mut line = verdict_line("payload", payload);
            line.put("close", &**close).put("length", *length);
            (delimiter, line)
        }
        _ => return None,
    })
}

/// Returns the line of the outcome of a call's input or a payload.
fn verdict_line<'e>(name: &'e str, payload: &'e Payload<'_>) -> Line<'e> {
    let mut line = Line::new(name);
    line.put("status", payload.status().name()).put("raw", payload.raw());
    match payload.status() {
        PayloadStatus::Truncated { reason } => {
            line.put("reason", reason);
        }
        PayloadStatus::Accepted => {
            // The value of what was accepted is not in the text as it came.
            line.put_some("strict", payload.value().map(|value| value.text()));
            let list = payload.deviations().iter().map(|deviation| {
                let mut line = Line::default();
                line.put("kind", deviation.kind().name()).put("offset", deviation.offset());
                line.put("line", deviation.line()).put("column", deviation.column());
                Member::Line(line)
            });
            line.put("deviations", Member::List(list.collect()));
            let more = payload.deviation_count() - payload.deviations().len() as u64;
            line.put_some("more", (more > 0).then_some(more));
        }
        _ => {}
    }
    let values = payload.values();
    if !values.is_empty() {
        line.put("values", alloc::format!("[{}]", values.join(","))).put("repeated", payload.is_repeated());
    }
    line.put_some("error", payload.error().map(error_line));
    line
}
