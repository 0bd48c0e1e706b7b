//! The lines of provider streams and envelopes, except lines about matches. Lines about calls and payloads only have
//! new facts; all other events are written as the library writes them.

use std::collections::BTreeMap;

use jsonspigot::internal::Line;
use jsonspigot_llm::{CallEvent, Delimiter, EnvelopeEvent, Executor, Payload, PayloadStatus, StreamEvent};

use super::Block;

/// The facts that the line `call` had of each open call.
#[derive(Default)]
pub(super) struct CallNames {
    /// For each number: true if the id was known, the name, and the executor.
    known: BTreeMap<u64, (bool, Option<String>, Executor)>,
}

/// Returns the line about the start or the end of a call; `None` for other events.
pub(super) fn call_line<'e>(event: &'e StreamEvent<'_>, names: &mut CallNames) -> Option<Line<'e>> {
    match event {
        StreamEvent::Call(CallEvent::Start { call }) => {
            let (id, name) = (call.id.as_deref(), call.name.as_deref());
            names.known.insert(call.number, (id.is_some(), name.map(str::to_owned), call.executor));
            let mut line = Line::new("call");
            line.put("call", call.number).put("id", id).put("name", name);
            // A call is identified by its name, an answer by its number.
            line.put_some("choice", (name.is_none() || call.choice > 0).then_some(call.choice));
            line.put_some("executed", (!call.is_answer).then(|| call.executor.name()));
            Some(line)
        }
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let (id, name) = (call.id.as_deref(), call.name.as_deref());
            let told = names.known.remove(&call.number);
            let mut line = Line::new("input");
            line.put("call", call.number);
            if let Some((has_id, told_name, _)) = &told {
                line.put_some("id", id.filter(|_| !has_id));
                // More of the name may have arrived since.
                line.put_some("name", name.filter(|_| told_name.as_deref() != name));
            }
            let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
            put_verdict(&mut line, input, reason);
            let is_news = told.is_some_and(|(.., executor)| executor != call.executor);
            line.put_some("executed", is_news.then(|| call.executor.name()));
            Some(line)
        }
        _ => None,
    }
}

/// Returns the line of a payload or of text, other than of a match; `None` for a payload's begin, which the lines after
/// it show.
pub(super) fn envelope_line<'e>(event: &'e EnvelopeEvent<'_>, block: Option<Block>) -> Option<Line<'e>> {
    Some(match event {
        EnvelopeEvent::Text(text) => {
            let mut line = Line::new("text");
            line.put("text", &**text);
            line
        }
        EnvelopeEvent::Fragment { delimiter, text } => {
            let mut line = payload_line("fragment", delimiter, block);
            line.put("text", &**text);
            line
        }
        EnvelopeEvent::End { delimiter, payload, .. } => {
            let mut line = payload_line("payload", delimiter, block);
            // A payload is cut by the end of input or by a limit, which the error names.
            put_verdict(&mut line, payload, None);
            line
        }
        _ => return None,
    })
}

/// Returns a line with the mark of the payload that it is about, and its block.
pub(super) fn payload_line<'e>(name: &'e str, mark: &Delimiter, block: Option<Block>) -> Line<'e> {
    let mut line = Line::new(name);
    line.put("mark", mark.to_string()).put_some("block", block.map(|block| block.number));
    line.put_some("choice", block.map(|block| block.choice).filter(|choice| *choice > 0));
    line
}

/// Adds the outcome of a call's arguments or a payload, and the reason why it was cut, if it was.
fn put_verdict<'e>(line: &mut Line<'e>, payload: &'e Payload<'_>, reason: Option<&'e str>) {
    if payload.status() == PayloadStatus::Empty && payload.value().is_none() {
        // An empty payload has no text to show.
        line.put("status", payload.status().name());
        return;
    }
    payload.put_value(line);
    payload.put_error(line, reason);
    payload.put_values(line);
}
