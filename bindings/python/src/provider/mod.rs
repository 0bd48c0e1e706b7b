//! `ProviderStream`: a provider's stream into calls, text, reasoning, usage, stop and errors. Its events are in
//! `event.rs`.

mod event;

use std::borrow::Cow;
use std::collections::HashMap;

use jsonspigot::{DuplicateKeys, Error, Parser, RestoreError, Retain};
use jsonspigot_framing::Frames;
use jsonspigot_llm::{CallEvent, Delimiter, Provider, StreamEvent as CoreEvent, ToolCall, ToolCalls};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

pub(crate) use self::event::add_events;
use self::event::{Subject, made as event_of};
use crate::chunk::Chunk;
use crate::envelope::delimiters;
use crate::error::lone_surrogate;
use crate::event::{Paths, Told};
use crate::lock::lock;
use crate::mirror::Mirror;
use crate::options::{Arguments, chosen, items, pattern_set};
use crate::reader::{self, Reader, Saved, Shown, reader_methods};
use crate::typed::Watch;
use crate::value::build;

/// A reader of a provider's stream: an SDK's event objects (``push``), or the body of the response (``feed``).
///
/// ``provider`` is ``"anthropic"``, ``"openai-chat"``, ``"openai-responses"``, ``"gemini"``, ``"bedrock"``, ``"cohere"``, ``"ollama"``,
/// ``"ag-ui"``, ``"vercel-ui"``, ``"mcp"``, ``"claude-code"``, ``"codex"``, ``"dashscope"``, ``"mistral-conversations"``, ``"cloudflare"``, or
/// ``"auto"``, which is decided by the first event that only one provider sends. The patterns apply to each call's input. Beside
/// the options of ``Parser``, with duplicate keys rejected by default, there are:
///
/// - ``patterns_for``: patterns for single tools, by name.
/// - ``structured``: the answer's text is itself the JSON, reported as a call without a name.
/// - ``with_message``: compose the message for the next request.
/// - ``with_provider_events``: report each event as the provider sent it, too.
/// - ``cumulative``: each fragment of a call repeats all of its input.
/// - ``closed``: report when a call's value closes, and when each of these patterns has selected a closed value.
/// - ``envelope``: marks as ``Envelope`` takes them, of payloads in the assistant's text; the patterns apply to them too.
/// - ``saveable``: buffer the events since the message began, for ``save``, up to 1 MiB or the bytes given instead.
///
/// With ``models``, by the tool's name (``None`` for the structured answer), there is also a ``TypedCall`` each time that more
/// of such a call's input is known, the last one just before its ``CallEnd``; with ``snapshots=False`` only that one.
#[pyclass(module = "jsonspigot")]
pub(crate) struct ProviderStream {
    stream: jsonspigot_llm::ProviderStream,
    frames: Frames,
    paths: HashMap<Subject, Paths>,
    shown: Shown,
}

impl ProviderStream {
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut jsonspigot_llm::ProviderStream, &mut Frames, &mut dyn FnMut(CoreEvent<'_>)),
    ) -> PyResult<Bound<'py, PyList>> {
        let Self { stream, frames, paths, shown } = self;
        let mut told = Told::new(py);
        read(stream, frames, &mut |event| {
            if let CoreEvent::Call(CallEvent::End { call, .. }) = innermost(&event) {
                shown.end(call.number);
            }
            told.push_some(event_of(py, &event, shown.options.fractions, paths));
        });
        told.finish(Ok(()))
    }
}

/// Returns the JSON text of an event, as `str` or `bytes`; an SDK's object is written by the reader of its class.
fn json_of<'py>(event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if event.is_instance_of::<PyString>() || event.is_instance_of::<PyBytes>() {
        return Ok(event.clone());
    }
    static READERS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let (py, class) = (event.py(), event.get_type());
    let sdk = || py.import("jsonspigot._sdk");
    let readers = READERS.get_or_try_init(py, || Ok::<_, PyErr>(sdk()?.getattr("READERS")?.cast_into()?.unbind()))?;
    match readers.bind(py).get_item(&class)? {
        Some(reader) => reader.call1((event,)),
        None => sdk()?.call_method1("reader_of", (class,))?.call1((event,)),
    }
}

/// Returns the text of a `str` or of UTF-8.
fn text_of<'a>(json: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match json.cast::<PyString>() {
        Ok(text) => text.to_str().map_err(|error| lone_surrogate(json.py(), error, 0)),
        Err(_) => {
            str::from_utf8(json.cast::<PyBytes>()?.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))
        }
    }
}

/// Returns the event that an agent has sent, of whichever agent.
fn innermost<'e, 'a>(mut event: &'e CoreEvent<'a>) -> &'e CoreEvent<'a> {
    while let CoreEvent::Agent { event: inner, .. } = event {
        event = inner;
    }
    event
}

/// Returns the open calls of all agents.
fn open_calls(stream: &jsonspigot_llm::ProviderStream) -> impl Iterator<Item = ToolCall<'_>> {
    stream.calls_of_all().into_iter().flat_map(ToolCalls::open_calls)
}

impl Saved for ProviderStream {
    const HAS_SAVEABLE: bool = true;

    fn saved(&self) -> Result<Vec<u8>, Error> {
        self.stream.save().and_then(|state| self.frames.save_with(state))
    }

    fn resume(&mut self, state: &[u8]) -> Result<(), RestoreError> {
        let new = self.stream.clone();
        (self.frames, self.stream) = Frames::new().restore_with(state, |state| new.restore(state))?;
        Ok(())
    }
}

impl Reader for ProviderStream {
    const DUPLICATE_KEYS: DuplicateKeys = DuplicateKeys::Reject;

    fn shown(&mut self) -> &mut Shown {
        &mut self.shown
    }

    fn open(&mut self, call: Option<u64>) -> Option<(&Parser, &mut Mirror)> {
        let call = call?;
        let parser = self.stream.calls_of_all().into_iter().find_map(|calls| calls.parser(call))?;
        parser.has_snapshots().then_some((parser, self.shown.mirror(call)))
    }

    fn check_view(&self, call: Option<u64>) -> PyResult<()> {
        let call = call.unwrap_or_default();
        match open_calls(&self.stream).any(|open| open.number == call) {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("call {call} is not open"))),
        }
    }
}

/// Refuses a model for a mark: models are by the names of tools, so it would never be used.
fn refuse_mark(name: &Bound<'_, PyAny>, marks: &[Delimiter]) -> PyResult<()> {
    let Ok(name) = name.extract::<&str>() else { return Ok(()) };
    let is_mark = name.parse().is_ok_and(|mark: Delimiter| mark.name().is_some() || marks.contains(&mark));
    if marks.is_empty() || !is_mark {
        return Ok(());
    }
    let message =
        format!("models: '{name}' is a mark, and models are by the names of tools; Envelope(models=…) takes marks");
    Err(PyValueError::new_err(message))
}

/// Returns the provider's reader.
fn stream_of(provider: &str, calls: ToolCalls) -> PyResult<jsonspigot_llm::ProviderStream> {
    if provider == "auto" {
        return Ok(jsonspigot_llm::ProviderStream::detecting(calls));
    }
    let known: Provider = provider.parse().map_err(|_| {
        let names: Vec<_> = Provider::ALL.iter().map(|provider| provider.name()).collect();
        let names = names.join(", ");
        PyValueError::new_err(format!("provider: expected 'auto' or one of {names}, not '{provider}'"))
    })?;
    Ok(jsonspigot_llm::ProviderStream::new(known, calls))
}

reader_methods! {
    ProviderStream(provider, patterns)[call]
    /// Return the stream's state between two events or chunks as bytes; see ``Parser.save``.
    ///
    /// It has the events since the message began, and an event that is not complete. Raises ``JsonSpigotError`` unless the stream
    /// was made ``saveable``, and while the events of the message are longer than its limit.
    save,
    /// Return the stream that was saved, ``saveable`` again unless you say otherwise.
    ///
    /// The provider (``"auto"``, if it was made with that), patterns and options are those that it had; see
    /// ``Parser.restore``.
    restore,
    /// Return a typed view of an open call's input; see ``Typed``. Needs ``snapshots=True``.
    ///
    /// When the call has ended, ``look`` returns the complete value, or what was last known of a call that was cut.
    typed,
    {
        #[new]
        #[pyo3(signature = (provider = "auto", patterns = None, *, models = None, **options))]
        fn new(
            py: Python<'_>,
            provider: &str,
            patterns: Option<&Bound<'_, PyAny>>,
            models: Option<&Bound<'_, PyAny>>,
            options: Option<&Bound<'_, PyDict>>,
        ) -> PyResult<Self> {
            let arguments = Arguments::of(py, options)?;
            let patterns_for = arguments.take("patterns_for")?.map(|given| items("patterns_for", &given)).transpose()?;
            let is_structured = arguments.flag("structured")?;
            let marks = arguments.take("envelope")?.map(|marks| delimiters(&marks)).transpose()?;
            let (has_message, has_events) = (arguments.flag("with_message")?, arguments.flag("with_provider_events")?);
            let (is_cumulative, save_limit) = (arguments.flag("cumulative")?, arguments.save_limit()?);
            let closed = arguments.take("closed")?.map(|fields| pattern_set(Some(&fields))).transpose()?;
            let options = arguments.options(models.is_some())?;
            if is_structured && marks.is_some() {
                return Err(PyValueError::new_err("envelope: with structured=True, all of the text is JSON"));
            }
            if !is_structured && models.map_or(Ok(false), |models| models.contains(py.None()))? {
                return Err(PyValueError::new_err("models: None is the name of the answer with structured=True"));
            }
            let watch = models.map_or(Ok(Watch::default()), |models| Watch::telling(py, "Calls", models))?;
            if let Some(models) = models {
                options.require_typed(DuplicateKeys::Reject)?;
                for name in models.try_iter()? {
                    refuse_mark(&name?, marks.as_deref().unwrap_or_default())?;
                }
            }
            let patterns = pattern_set(patterns)?;
            let mut calls = ToolCalls::builder().patterns(&patterns).parser(options.builder_retaining(Retain::Matches));
            for pair in patterns_for.into_iter().flatten() {
                let (name, patterns): (String, Bound<'_, PyAny>) = pair.extract()?;
                calls = calls.patterns_for(&name, &pattern_set(Some(&patterns))?);
            }
            let calls = if is_cumulative { calls.cumulative() } else { calls };
            let calls = chosen(calls, closed, |calls, fields| calls.report_closed(&fields));
            let stream = stream_of(provider, calls.build())?;
            let stream = if is_structured { stream.structured() } else { stream };
            let stream = if has_message { stream.with_message() } else { stream };
            let stream = if has_events { stream.with_provider_events() } else { stream };
            let stream = chosen(stream, save_limit, jsonspigot_llm::ProviderStream::saveable);
            let stream = chosen(stream, marks, |stream, marks| {
                let envelope = jsonspigot_llm::Envelope::builder().parser(options.builder_retaining(Retain::Matches));
                stream.with_envelope(envelope.build(marks, &patterns))
            });
            Ok(Self { stream, frames: Frames::new(), paths: HashMap::new(), shown: Shown::new(options, watch) })
        }

        /// Read one event: an SDK's event object, a dict, or JSON text. Return what it reports.
        fn push<'py>(slf: &Bound<'py, Self>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
            let json = json_of(event)?;
            let text = text_of(&json)?;
            reader::read(slf, |reader, py| reader.read(py, |stream, _, on_event| stream.push_with(text, on_event)))
        }

        /// Read the next piece of the response's body, cut anywhere, and return its events.
        ///
        /// The body has server-sent events, JSON texts or Amazon's event stream. Raises ``JsonSpigotError`` for a ``str`` that
        /// UTF-8 cannot encode, with the ``offset`` in it.
        fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
            let chunk = Chunk::of(chunk, || 0)?;
            reader::read(slf, |reader, py| {
                reader.read(py, |stream, frames, on_event| {
                    frames.feed_with(chunk.bytes(), |frame| frame.push_to(stream, &mut *on_event));
                })
            })
        }

        /// End the stream, and return the events. Open calls and messages are truncated, for this reason.
        #[pyo3(signature = (reason = None))]
        fn finish<'py>(slf: &Bound<'py, Self>, reason: Option<&str>) -> PyResult<Bound<'py, PyList>> {
            reader::read(slf, |reader, py| {
                reader.read(py, |stream, frames, on_event| {
                    frames.finish_with(|frame| frame.push_to(stream, &mut *on_event));
                    stream.cut_with(reason.unwrap_or_default(), on_event);
                })
            })
        }

        /// Return the kind and a sentence of why the stream is not whole; ``None`` if it is. Call it after ``finish``.
        ///
        /// It is whole if everything that the provider sent was reported, and every message and call has ended.
        fn unfinished(slf: &Bound<'_, Self>) -> PyResult<Option<(&'static str, String)>> {
            let verdict = lock(slf)?.stream.verdict();
            Ok(verdict.err().map(|unfinished| (unfinished.kind().name(), unfinished.to_string())))
        }

        /// Returns the numbers and names of the open calls.
        fn _named_calls(slf: &Bound<'_, Self>) -> PyResult<Vec<(u64, Option<String>)>> {
            let reader = lock(slf)?;
            Ok(open_calls(&reader.stream).map(|call| (call.number, call.name.map(Cow::into_owned))).collect())
        }

        /// Return the message for the next request, with ``with_message=True``; ``None`` before its end.
        fn message<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
            let reader = &mut *lock(slf)?;
            let text = reader.stream.message();
            text.map(|text| build(slf.py(), &text, reader.shown.options.fractions)).transpose()
        }

        /// Return the message without its calls and their results.
        ///
        /// Servers refuse a message with a call that is not whole, now and in every later request.
        fn message_without_calls<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
            let reader = &mut *lock(slf)?;
            let text = reader.stream.message_without_calls();
            text.map(|text| build(slf.py(), &text, reader.shown.options.fractions)).transpose()
        }

        /// The provider's name, once it is known.
        #[getter]
        fn provider(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
            Ok(lock(slf)?.stream.provider().map(Provider::name))
        }

        fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
            let reader = lock(slf)?;
            let provider = reader.stream.provider().map_or("not known yet", Provider::name);
            Ok(format!("<jsonspigot.ProviderStream {provider}, {} open calls>", open_calls(&reader.stream).count()))
        }

        /// The numbers of the open calls.
        #[getter]
        fn open_calls(slf: &Bound<'_, Self>) -> PyResult<Vec<u64>> {
            Ok(self::open_calls(&lock(slf)?.stream).map(|call| call.number).collect())
        }
    }
}
