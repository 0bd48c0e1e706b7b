//! `ProviderStream`: a provider's stream into calls, text, reasoning, usage, stop and errors.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard};

use jsonspigot::providers::{Block, Opaque, Provider, Source, StreamEvent as CoreEvent, ToolResult};
use jsonspigot::tool_calls::{CallEvent, CallLimits, ToolCall, ToolCalls};
use jsonspigot::{Parser, Retain};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::chunk::Chunk;
use crate::envelope::{Verdict, bytes_of, equal, shown};
use crate::event::{Paths, Told, event_object};
use crate::framing::{Frame, Framing};
use crate::keys::Keys;
use crate::mirror::Mirror;
use crate::options::{Options, pattern_set};
use crate::parser::locked;
use crate::value::{Fractions, build, on_one_line};

/// What a provider's stream tells, the same for every provider. ``json`` is always the provider's own JSON text.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) enum StreamEvent {
    /// A tool call begins. ``executed`` is ``"client"`` or ``"provider"``: what the provider executes, nobody else must.
    CallStart { call: u64, id: Option<String>, name: Option<String>, choice: u64, executed: String },
    /// A piece of a call's input, as it came.
    Fragment { call: u64, text: String },
    /// A pattern's event in a call's input.
    Match { call: u64, event: Py<PyAny>, name: Option<String> },
    /// A call's input has ended. ``status`` is ``"complete"``, ``"empty"``, ``"truncated"``, ``"malformed"``, ``"trailing"``
    /// or ``"raw"``; ``value`` and ``raw`` (its JSON text on one line) are there if it is complete or empty; ``text`` is what
    /// came; ``reason`` says why it was truncated.
    CallEnd {
        call: u64,
        status: String,
        value: Py<PyAny>,
        id: Option<String>,
        name: Option<String>,
        choice: u64,
        raw: Option<String>,
        text: String,
        error: Py<PyAny>,
        reason: Option<String>,
        executed: String,
    },
    /// Part of a call is missing, or was not told: ``kind`` says what.
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
    /// What has to go back to the provider as it is: a signature, encrypted reasoning.
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
    /// What a content filter says.
    ContentFilter { choice: u64, json: String },
    /// Token counts so far.
    Usage { input: Option<u64>, output: Option<u64>, cached: Option<u64>, reasoning: Option<u64>, json: String },
    /// Why an answer stopped: the provider's word, and what it means.
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
    },
    /// An event that means nothing to this version.
    Unknown { text: String },
    /// Something in the stream that is not an event.
    BadFrame { text: String },
}

#[pymethods]
impl StreamEvent {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf.as_any(), "StreamEvent")
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        equal(slf.as_any(), other)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.as_any().get_type().hash()
    }
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// A provider's JSON as it was spelt, without white space; what is not JSON stays as it is.
fn spelt(json: &str) -> String {
    on_one_line(json)
}

#[allow(clippy::too_many_lines, reason = "one arm for each kind")]
fn made(
    py: Python<'_>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut HashMap<u64, Paths>,
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
            let paths = paths.entry(call.number).or_default();
            let event = event_object(py, event, 0, fractions, paths)?.unbind();
            StreamEvent::Match { call: call.number, event, name: owned(call.name) }
        }
        CoreEvent::Call(CallEvent::End { call, ref input }) => {
            paths.remove(&call.number);
            let Verdict { status, reason, value, raw, text, error } = Verdict::of(py, input, fractions)?;
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
            }
        }
        CoreEvent::Call(CallEvent::Error(error)) => {
            StreamEvent::CallError { kind: error.kind().name().to_owned(), call: error.call() }
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
        CoreEvent::ProviderError { message, kind, code, retry, .. } => StreamEvent::ProviderError {
            message: message.to_owned(),
            kind: owned(kind),
            code: owned(code),
            retry: owned(retry.name()),
            retry_after_ms: retry.after_ms(),
        },
        CoreEvent::Unknown { text } => StreamEvent::Unknown { text: text.to_owned() },
        CoreEvent::BadFrame { text } => StreamEvent::BadFrame { text: text.to_owned() },
        _ => return Ok(None),
    }))
}

/// Reads a provider's stream: an SDK's event objects (``push``), or the body of the response (``feed``).
///
/// ``provider`` is ``"anthropic"``, ``"openai-chat"``, ``"openai-responses"``, ``"openai-assistants"``, ``"gemini"``,
/// ``"bedrock"``, ``"cohere"``, ``"ollama"``, ``"ag-ui"``, ``"vercel-ui"``, ``"mcp"``, or ``"auto"``, which goes by the first
/// event that only one provider sends. The patterns apply to each call's input; ``patterns_for`` has those for single tools,
/// by name. With ``structured=True`` the answer's text is itself the JSON, and is told as a call without a name. The other
/// options are those of ``Parser``; duplicate keys are rejected unless you choose otherwise.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct ProviderStream(Mutex<Inner>);

struct Inner {
    stream: jsonspigot::providers::ProviderStream,
    framing: Framing,
    fractions: Fractions,
    has_snapshots: bool,
    paths: HashMap<u64, Paths>,
    keys: Keys,
    /// The snapshots of open calls.
    mirrors: HashMap<u64, Mirror>,
}

impl Inner {
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut jsonspigot::providers::ProviderStream, &mut Framing, &mut dyn FnMut(CoreEvent<'_>)),
    ) -> PyResult<Bound<'py, PyList>> {
        let Self { stream, framing, fractions, paths, mirrors, .. } = self;
        let mut told = Told::new(py);
        read(stream, framing, &mut |event| {
            if let CoreEvent::Call(CallEvent::End { call, .. }) = &event {
                mirrors.remove(&call.number);
            }
            match made(py, &event, *fractions, paths) {
                Ok(Some(event)) => told.push(event.into_pyobject(py).map(Bound::into_any)),
                Ok(None) => {}
                Err(error) => told.push(Err(error)),
            }
        });
        told.finish()
    }
}

fn read_frame(
    stream: &mut jsonspigot::providers::ProviderStream,
    frame: Frame<'_>,
    mut on_event: &mut dyn FnMut(CoreEvent<'_>),
) {
    match frame {
        Frame::Text(text) => stream.push(text, on_event),
        Frame::Exception(text) => {
            let mut is_told = false;
            stream.push(text, |event| {
                is_told |= matches!(event, CoreEvent::ProviderError { .. });
                on_event(event);
            });
            // Nobody knows its name, but it is an error all the same.
            if !is_told {
                stream.push_unreadable(text, &mut on_event);
            }
        }
        Frame::Unreadable(text) => stream.push_unreadable(text, on_event),
        Frame::TooLong => stream.push_oversized(on_event),
        // What is lost by it is told as incomplete.
        Frame::Damage(_) => {}
    }
}

/// The JSON text of an SDK's event object.
fn event_text(event: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = event.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if let Some(bytes) = bytes_of(event) {
        return str::from_utf8(bytes).map(str::to_owned).map_err(|error| PyValueError::new_err(error.to_string()));
    }
    event.py().import("jsonspigot._sdk")?.call_method1("event_text", (event,))?.extract()
}

impl ProviderStream {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        locked(&self.0, "provider stream")
    }
}

#[pymethods]
impl ProviderStream {
    #[new]
    #[pyo3(signature = (
        provider = "auto", patterns = None, *, patterns_for = None, structured = false, with_message = false,
        cumulative = false, **options
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        provider: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        patterns_for: Option<&Bound<'_, PyDict>>,
        structured: bool,
        with_message: bool,
        cumulative: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = Options::of(options)?;
        let mut calls =
            ToolCalls::builder().patterns(&pattern_set(patterns)?).parser(options.builder_retaining(Retain::Matches));
        for (name, patterns) in patterns_for.into_iter().flatten() {
            calls = calls.patterns_for(name.cast::<PyString>()?.to_str()?, &pattern_set(Some(&patterns))?);
        }
        let calls = if cumulative { calls.cumulative() } else { calls }.build();
        let stream = if provider == "auto" {
            jsonspigot::providers::ProviderStream::detecting(calls)
        } else {
            let known = Provider::from_name(provider).ok_or_else(|| {
                let names: Vec<_> = Provider::ALL.iter().map(|provider| provider.name()).collect();
                PyValueError::new_err(format!(
                    "provider: expected 'auto' or one of {}, not '{provider}'",
                    names.join(", ")
                ))
            })?;
            jsonspigot::providers::ProviderStream::new(known, calls)
        };
        let stream = if structured { stream.structured() } else { stream };
        let stream = if with_message { stream.with_message() } else { stream };
        let limit = NonZeroUsize::new(CallLimits::default().event_bytes).unwrap_or(NonZeroUsize::MAX);
        Ok(Self(Mutex::new(Inner {
            stream,
            framing: Framing::new(limit),
            fractions: options.fractions,
            has_snapshots: options.has_snapshots(),
            paths: HashMap::new(),
            keys: Keys::default(),
            mirrors: HashMap::new(),
        })))
    }

    /// One event: an SDK's event object, a dict, or its JSON text.
    fn push<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let text = event_text(event)?;
        self.lock()?.run(py, |stream, _, on_event| stream.push(&text, on_event))
    }

    /// The next piece of the response's body, cut anywhere: server-sent events, JSON texts or Amazon's event stream.
    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let chunk = Chunk::of(chunk, || 0)?;
        self.lock()?.run(py, |stream, framing, on_event| {
            framing.feed(chunk.bytes(), |frame| read_frame(stream, frame, on_event));
        })
    }

    /// Ends the stream: what is still open was cut off, for this reason.
    #[pyo3(signature = (reason = None))]
    fn finish<'py>(&self, py: Python<'py>, reason: Option<&str>) -> PyResult<Bound<'py, PyList>> {
        self.lock()?.run(py, |stream, framing, on_event| {
            framing.finish(|frame| read_frame(stream, frame, on_event));
            stream.finish(reason, on_event);
        })
    }

    /// An open call's input as far as it is known; ``None`` if it has not begun, or the call is not open. Needs
    /// ``snapshots=True``. The same rules as for ``Parser.snapshot`` apply.
    fn snapshot<'py>(&self, py: Python<'py>, call: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, has_snapshots, fractions, keys, mirrors, .. } = &mut *inner;
        if !*has_snapshots {
            return Err(PyRuntimeError::new_err(
                "this stream was built without snapshots: snapshots=True asks for them",
            ));
        }
        match stream.calls().parser(call).filter(|parser| Parser::has_snapshots(parser)) {
            None => Ok(None),
            Some(parser) => mirrors.entry(call).or_insert_with(|| Mirror::new(*fractions)).update(py, parser, keys),
        }
    }

    /// The message as it goes back to the provider, if the stream was built ``with_message=True``; ``None`` before its end.
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, fractions, keys, .. } = &mut *inner;
        stream.message().map(|text| build(py, &text, *fractions, keys)).transpose()
    }

    /// The provider's name, as far as it is known.
    #[getter]
    fn provider(&self) -> PyResult<Option<&'static str>> {
        Ok(self.lock()?.stream.provider().map(Provider::name))
    }

    /// The numbers of the calls that are open.
    #[getter]
    fn open_calls(&self) -> PyResult<Vec<u64>> {
        Ok(self.lock()?.stream.calls().open_calls().map(|call| call.number).collect())
    }
}
