//! `StreamEvent`: what a provider's stream reports, as a Python class with a variant for each kind, made of the
//! library's events.

use std::collections::HashMap;

use jsonspigot_llm::{
    Block, CallEvent, EnvelopeEvent, Media, Opaque, Source, StreamEvent as CoreEvent, ToolCall, ToolResult,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::envelope::{Verdict, equal, shown};
use crate::event::{Paths, Value, as_data, event_methods, event_object};
use crate::value::{Fractions, on_one_line};

/// The events of a provider's stream, the same for every provider. ``json`` is always the provider's own JSON text.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) enum StreamEvent {
    /// A tool call begins. ``executed`` is ``"client"`` or ``"provider"``: what the provider executes, nobody else must.
    CallStart { call: u64, id: Option<String>, name: Option<String>, choice: u64, executed: String },
    /// A piece of a call's input, as it came.
    Fragment { call: u64, text: String },
    /// A pattern's event in a call's input.
    Match { call: u64, event: Py<PyAny>, name: Option<String> },
    /// A call's input has ended. ``status`` is ``"complete"``, ``"accepted"``, ``"empty"``, ``"truncated"``, ``"malformed"``,
    /// ``"trailing"`` or ``"raw"``; ``value``, made when it is first asked for, and ``raw`` (its JSON text on one line) are
    /// there if it is complete, accepted or empty; ``text`` is what came; ``deviations`` are those of a lenient parser; ``reason`` says why it was truncated. ``values`` are the JSON texts of a trailing input that is nothing but whole
    /// values, and ``repeated`` says whether they are all equal.
    CallEnd {
        call: u64,
        status: String,
        value: Value,
        id: Option<String>,
        name: Option<String>,
        choice: u64,
        raw: Option<String>,
        text: String,
        error: Py<PyAny>,
        reason: Option<String>,
        executed: String,
        values: Vec<String>,
        repeated: bool,
        deviations: Py<PyTuple>,
        deviation_count: u64,
    },
    /// A payload in the assistant's text begins, with ``envelope=...``. ``offset`` is the delimiter's first byte in its block.
    PayloadStart { mark: String, open: String, offset: u64, choice: u64, block: u64 },
    /// A pattern's event in a payload.
    PayloadMatch { mark: String, event: Py<PyAny>, choice: u64, block: u64 },
    /// A piece of a payload that is plain text.
    PayloadFragment { mark: String, text: String, choice: u64, block: u64 },
    /// A payload has ended; its parts are as those of ``EnvelopeEvent.End``.
    PayloadEnd {
        mark: String,
        status: String,
        value: Value,
        raw: Option<String>,
        text: String,
        error: Py<PyAny>,
        close: String,
        choice: u64,
        block: u64,
        values: Vec<String>,
        repeated: bool,
        deviations: Py<PyTuple>,
        deviation_count: u64,
    },
    /// Part of a call is missing, or was not reported: ``kind`` says what.
    CallError { kind: String, call: Option<u64> },
    /// The provider asks whether a call may be made.
    ApprovalRequest { id: String, call: Option<u64>, json: String },
    /// An answer begins.
    MessageStart { id: Option<String>, model: Option<String> },
    /// A block of text or reasoning begins.
    BlockStart { block: u64, kind: String, choice: u64, id: Option<String>, phase: Option<String> },
    /// A block has ended.
    BlockEnd { block: u64, kind: String, choice: u64 },
    /// A piece of what the assistant says.
    Text { text: String, choice: u64, block: u64 },
    /// A piece of what it thinks.
    Reasoning { text: String, choice: u64, block: u64 },
    /// A piece of a refusal.
    Refusal { text: String, choice: u64 },
    /// A part that has to go back to the provider as it is: a signature, encrypted reasoning.
    Opaque { kind: String, choice: u64, block: Option<u64>, call: Option<u64>, json: String },
    /// The result of a tool that the provider has executed.
    ToolResult { call: Option<u64>, call_id: Option<String>, is_error: bool, json: String },
    /// A call must not be executed any more.
    CallCancelled { call: Option<u64>, call_id: Option<String>, json: String },
    /// A source of what was said.
    Source {
        url: Option<String>,
        title: Option<String>,
        quote: Option<String>,
        span: Option<(u64, u64)>,
        choice: u64,
        block: Option<u64>,
        json: String,
    },
    /// The findings of a content filter.
    ContentFilter { choice: u64, json: String },
    /// Token counts so far.
    Usage { input: Option<u64>, output: Option<u64>, cached: Option<u64>, reasoning: Option<u64>, json: String },
    /// An answer stopped: the provider's word, and what it means.
    Stop { reason: String, kind: String, choice: u64, native_reason: Option<String>, stop_sequence: Option<String> },
    /// The stream is over.
    End {},
    /// The stream broke off.
    Incomplete { reason: String },
    /// The provider reports an error. ``retry`` is ``"never"``, ``"later"`` or ``None``.
    ProviderError {
        message: String,
        kind: Option<String>,
        code: Option<String>,
        retry: Option<String>,
        retry_after_ms: Option<u64>,
        json: Option<String>,
    },
    /// An image, sound, video or document, or a piece of one: base64 ``data``, or its ``url``.
    Media { media_type: Option<String>, data: Option<String>, url: Option<String>, choice: u64, block: Option<u64> },
    /// The provider repeats something as a whole, and contradicts what was reported. ``kind`` is ``"text"``,
    /// ``"reasoning"``, ``"refusal"`` or ``"arguments"``.
    Mismatch { kind: String, text: String, choice: u64, block: Option<u64>, call: Option<u64> },
    /// An application's own data on a known wire.
    Data { kind: String, json: String },
    /// An event, or a part of one, of a kind that is not known.
    UnknownPart { kind: String, json: String },
    /// An event as it came, with ``provider_events=True``.
    ProviderEvent { json: String },
    /// Something that another agent than the main one said or did, where several speak in one stream: ``agent`` is the id of
    /// the call that started it, or of its session if that is not the main agent's; ``event`` is its own event. Its calls and
    /// blocks are numbered with all others.
    Agent { agent: String, event: Py<PyAny> },
    /// An event that means nothing to this version.
    Unknown { text: String },
    /// Something in the stream that is not an event.
    BadFrame { text: String },
}

event_methods!(StreamEvent {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf.as_any(), "StreamEvent")
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        equal(slf.as_any(), other)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.as_any().get_type().hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_data(py)?.call_method1("reduced", (slf,))
    }
});

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// A provider's JSON as it was spelt, without white space; what is not JSON stays as it is.
fn spelt(json: &str) -> String {
    on_one_line(json)
}

/// The thing that the paths of matches are remembered for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Call(u64),
    /// The payload that is open in the block with this number.
    Block(u64),
}

/// The content of the Python object for an event of a payload.
fn payload(
    py: Python<'_>,
    event: &EnvelopeEvent<'_>,
    (choice, block): (u64, u64),
    fractions: Fractions,
    paths: &mut HashMap<Subject, Paths>,
) -> PyResult<Option<StreamEvent>> {
    Ok(Some(match event {
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            let (mark, open) = (delimiter.to_string(), (*open).to_owned());
            StreamEvent::PayloadStart { mark, open, offset: *offset, choice, block }
        }
        EnvelopeEvent::Match { delimiter, event } => {
            let paths = paths.entry(Subject::Block(block)).or_default();
            let event = event_object(py, event, 0, fractions, paths)?.unbind();
            StreamEvent::PayloadMatch { mark: delimiter.to_string(), event, choice, block }
        }
        EnvelopeEvent::Fragment { delimiter, text } => {
            let (mark, text) = (delimiter.to_string(), (*text).to_owned());
            StreamEvent::PayloadFragment { mark, text, choice, block }
        }
        EnvelopeEvent::End { delimiter, payload, close, .. } => {
            paths.remove(&Subject::Block(block));
            let Verdict { status, value, raw, text, error, values, repeated, deviations, deviation_count, .. } =
                Verdict::of(py, payload, fractions)?;
            let (mark, status, close) = (delimiter.to_string(), status.to_owned(), (*close).to_owned());
            StreamEvent::PayloadEnd {
                mark,
                status,
                value,
                raw,
                text,
                error,
                close,
                choice,
                block,
                values,
                repeated,
                deviations,
                deviation_count,
            }
        }
        _ => return Ok(None),
    }))
}

/// The content of an event's Python object; nothing for an event that this version does not know.
#[allow(clippy::too_many_lines, reason = "one arm for each kind")]
pub(super) fn made(
    py: Python<'_>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut HashMap<Subject, Paths>,
) -> PyResult<Option<StreamEvent>> {
    Ok(Some(match *event {
        CoreEvent::Call(CallEvent::Start(ToolCall { number, id, name, choice, executor, .. })) => {
            StreamEvent::CallStart {
                call: number,
                id: owned(id),
                name: owned(name),
                choice,
                executed: executor.name().to_owned(),
            }
        }
        CoreEvent::Call(CallEvent::Fragment { call, text }) => {
            StreamEvent::Fragment { call: call.number, text: text.to_owned() }
        }
        CoreEvent::Call(CallEvent::Match { call, ref event }) => {
            let paths = paths.entry(Subject::Call(call.number)).or_default();
            let event = event_object(py, event, 0, fractions, paths)?.unbind();
            StreamEvent::Match { call: call.number, event, name: owned(call.name) }
        }
        CoreEvent::Call(CallEvent::End { call, ref input }) => {
            paths.remove(&Subject::Call(call.number));
            let Verdict { status, reason, value, raw, text, error, values, repeated, deviations, deviation_count } =
                Verdict::of(py, input, fractions)?;
            StreamEvent::CallEnd {
                call: call.number,
                status: status.to_owned(),
                value,
                id: owned(call.id),
                name: owned(call.name),
                choice: call.choice,
                raw,
                text,
                error,
                reason,
                executed: call.executor.name().to_owned(),
                values,
                repeated,
                deviations,
                deviation_count,
            }
        }
        CoreEvent::Call(CallEvent::Error(error)) => {
            StreamEvent::CallError { kind: error.kind().name().to_owned(), call: error.call() }
        }
        CoreEvent::Payload { choice, block, ref event, .. } => {
            match payload(py, event, (choice, block), fractions, paths)? {
                Some(event) => event,
                None => return Ok(None),
            }
        }
        CoreEvent::ApprovalRequest { id, call, json, .. } => {
            StreamEvent::ApprovalRequest { id: id.to_owned(), call, json: spelt(json) }
        }
        CoreEvent::MessageStart { id, model, .. } => StreamEvent::MessageStart { id: owned(id), model: owned(model) },
        CoreEvent::BlockStart(Block { number, choice, kind, id, phase, .. }) => StreamEvent::BlockStart {
            block: number,
            kind: kind.name().to_owned(),
            choice,
            id: owned(id),
            phase: owned(phase),
        },
        CoreEvent::BlockEnd(Block { number, choice, kind, .. }) => {
            StreamEvent::BlockEnd { block: number, kind: kind.name().to_owned(), choice }
        }
        CoreEvent::Text { choice, block, text, .. } => StreamEvent::Text { text: text.to_owned(), choice, block },
        CoreEvent::Reasoning { choice, block, text, .. } => {
            StreamEvent::Reasoning { text: text.to_owned(), choice, block }
        }
        CoreEvent::Refusal { choice, text } => StreamEvent::Refusal { text: text.to_owned(), choice },
        CoreEvent::Opaque(Opaque { kind, choice, block, call, json, .. }) => {
            StreamEvent::Opaque { kind: kind.name().to_owned(), choice, block, call, json: spelt(json) }
        }
        CoreEvent::ToolResult(ToolResult { call, call_id, is_error, json, .. }) => {
            StreamEvent::ToolResult { call, call_id: owned(call_id), is_error, json: spelt(json) }
        }
        CoreEvent::CallCancelled { call, call_id, json, .. } => {
            StreamEvent::CallCancelled { call, call_id: owned(call_id), json: spelt(json) }
        }
        CoreEvent::Source(Source { choice, block, url, title, quote, span, json, .. }) => StreamEvent::Source {
            url: owned(url),
            title: owned(title),
            quote: owned(quote),
            span,
            choice,
            block,
            json: spelt(json),
        },
        CoreEvent::ContentFilter { choice, json, .. } => StreamEvent::ContentFilter { choice, json: spelt(json) },
        CoreEvent::Usage { tokens, json, .. } => StreamEvent::Usage {
            input: tokens.input,
            output: tokens.output,
            cached: tokens.cached,
            reasoning: tokens.reasoning,
            json: spelt(json),
        },
        CoreEvent::Stop { choice, reason, kind, native_reason, stop_sequence, .. } => StreamEvent::Stop {
            reason: reason.to_owned(),
            kind: kind.name().to_owned(),
            choice,
            native_reason: owned(native_reason),
            stop_sequence: owned(stop_sequence),
        },
        CoreEvent::End => StreamEvent::End {},
        CoreEvent::Incomplete { reason, .. } => StreamEvent::Incomplete { reason: reason.to_owned() },
        CoreEvent::ProviderError { message, kind, code, retry, json, .. } => StreamEvent::ProviderError {
            message: message.to_owned(),
            kind: owned(kind),
            code: owned(code),
            retry: owned(retry.name()),
            retry_after_ms: retry.after_ms(),
            json: json.map(spelt),
        },
        CoreEvent::Media(Media { choice, block, media_type, data, url, .. }) => {
            StreamEvent::Media { media_type: owned(media_type), data: owned(data), url: owned(url), choice, block }
        }
        CoreEvent::Mismatch { kind, choice, block, call, text, .. } => {
            StreamEvent::Mismatch { kind: kind.name().to_owned(), text: text.to_owned(), choice, block, call }
        }
        CoreEvent::Data { kind, json, .. } => StreamEvent::Data { kind: kind.to_owned(), json: spelt(json) },
        CoreEvent::UnknownPart { kind, json, .. } => {
            StreamEvent::UnknownPart { kind: kind.to_owned(), json: spelt(json) }
        }
        CoreEvent::ProviderEvent { json, .. } => StreamEvent::ProviderEvent { json: spelt(json) },
        CoreEvent::Agent { agent, event, .. } => match made(py, event, fractions, paths)? {
            Some(event) => {
                StreamEvent::Agent { agent: agent.to_owned(), event: event.into_pyobject(py)?.into_any().unbind() }
            }
            None => return Ok(None),
        },
        CoreEvent::Unknown { text } => StreamEvent::Unknown { text: text.to_owned() },
        CoreEvent::BadFrame { text } => StreamEvent::BadFrame { text: text.to_owned() },
        _ => return Ok(None),
    }))
}
