//! `ProviderStream`: a provider's stream into calls, text, reasoning, usage, stop and errors. Its events are in
//! `event.rs`.

#[rustfmt::skip]
mod declared;
mod event;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use jsonspigot::{DuplicateKeys, Parser, Retain};
use jsonspigot_framing::Frames;
use jsonspigot_llm::{CallEvent, Delimiter, Provider, StreamEvent as CoreEvent, ToolCalls};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

pub(crate) use self::event::StreamEvent;
use self::event::{Subject, made as event_of};
use crate::chunk::Chunk;
use crate::envelope::delimiters;
use crate::error::{bad_state, saved};
use crate::event::{Paths, Told};
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::{Arguments, Options, pattern_set};
use crate::shared::locked;
use crate::typed::{Source, Typed, Watch, generic, with_typed};
use crate::value::{Fractions, build};

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
/// - ``envelope``: marks as ``Envelope`` takes them, of payloads in the assistant's text; the patterns apply to them too.
/// - ``saveable``: buffer the events since the message began, for ``save``, up to 1 MiB or the bytes given instead.
///
/// With ``models``, by the tool's name (``None`` for the structured answer), there is also a ``TypedCall`` each time that more
/// of such a call's input is known, the last one just before its ``CallEnd``; with ``snapshots=False`` only that one.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct ProviderStream(Mutex<Inner>);

struct Inner {
    stream: jsonspigot_llm::ProviderStream,
    frames: Frames,
    options: Options,
    watch: Watch,
    paths: HashMap<Subject, Paths>,
    /// The snapshots of open calls.
    mirrors: HashMap<u64, Mirror>,
}

impl Inner {
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut jsonspigot_llm::ProviderStream, &mut Frames, &mut dyn FnMut(CoreEvent<'_>)),
    ) -> PyResult<Bound<'py, PyList>> {
        let Self { stream, frames, options, paths, mirrors, watch, .. } = self;
        let mut told = Told::new(py);
        read(stream, frames, &mut |event| {
            if let CoreEvent::Call(CallEvent::End { call, .. }) = &event {
                mirrors.remove(&call.number);
            }
            let event = event_of(py, &event, options.fractions, paths);
            if let Ok(Some(StreamEvent::CallEnd { call, status, value, .. })) = &event {
                let is_whole = matches!(status.as_str(), "complete" | "empty" | "accepted");
                watch.end(py, Some(*call), || is_whole.then(|| value.get(py)));
            }
            match event {
                Ok(Some(event)) => told.push(event.into_pyobject(py).map(Bound::into_any)),
                Ok(None) => {}
                Err(error) => told.push(Err(error)),
            }
        });
        told.finish()
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
        Ok(text) => text.to_str(),
        Err(_) => {
            str::from_utf8(json.cast::<PyBytes>()?.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))
        }
    }
}

impl ProviderStream {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        locked(&self.0, "provider stream")
    }

    /// Reads, and adds the events of typed views when nothing is locked any more.
    fn read<'py>(
        slf: &Bound<'py, Self>,
        read: impl FnOnce(&mut jsonspigot_llm::ProviderStream, &mut Frames, &mut dyn FnMut(CoreEvent<'_>)),
    ) -> PyResult<Bound<'py, PyList>> {
        let (events, teller) = {
            let mut inner = slf.get().lock()?;
            (inner.run(slf.py(), read), inner.watch.teller(slf.py()))
        };
        with_typed(slf.as_any(), teller, events)
    }
}

/// An open call of the stream.
impl Source for (Py<ProviderStream>, u64) {
    fn fractions(&self, _: Python<'_>) -> PyResult<Fractions> {
        Ok(self.0.get().lock()?.options.fractions)
    }

    fn seen<'py>(&self, py: Python<'py>, moment: &mut Moment) -> PyResult<Option<Seen<'py>>> {
        let mut inner = self.0.get().lock()?;
        let Inner { stream, options, mirrors, .. } = &mut *inner;
        let Some(parser) = parser_of(stream, self.1) else {
            return Ok(None);
        };
        mirrors.entry(self.1).or_insert_with(|| Mirror::new(options.fractions)).seen(py, parser, moment)
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// Returns the parser of an open call of any agent, if it keeps snapshots.
fn parser_of(stream: &jsonspigot_llm::ProviderStream, call: u64) -> Option<&Parser> {
    stream.calls_of_all().into_iter().find_map(|calls| calls.parser(call)).filter(|parser| parser.has_snapshots())
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

/// Makes a stream of its keyword arguments, and begins it.
fn made(
    provider: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    models: Option<&Bound<'_, PyAny>>,
    (arguments, save_limit): (&Arguments<'_>, Option<usize>),
    begin: impl FnOnce(jsonspigot_llm::ProviderStream) -> PyResult<(jsonspigot_llm::ProviderStream, Frames)>,
) -> PyResult<ProviderStream> {
    let patterns_for = arguments.take("patterns_for")?.map(Bound::cast_into::<PyDict>).transpose()?;
    let is_structured = arguments.flag("structured")?;
    let marks = arguments.take("envelope")?.map(|marks| delimiters(&marks)).transpose()?;
    let (has_message, has_events) = (arguments.flag("with_message")?, arguments.flag("with_provider_events")?);
    let is_cumulative = arguments.flag("cumulative")?;
    let options = arguments.options(models.is_some())?;
    if is_structured && marks.is_some() {
        return Err(PyValueError::new_err("envelope: with structured=True, all of the text is JSON"));
    }
    if !is_structured && models.map_or(Ok(false), |models| models.contains(models.py().None()))? {
        return Err(PyValueError::new_err("models: None is the name of the answer with structured=True"));
    }
    let watch = models.map_or(Ok(Watch::default()), |models| Watch::telling(models.py(), "Calls", models))?;
    if let Some(models) = models {
        options.require_typed(DuplicateKeys::Reject)?;
        for name in models.try_iter()? {
            refuse_mark(&name?, marks.as_deref().unwrap_or_default())?;
        }
    }
    let patterns = pattern_set(patterns)?;
    let mut calls = ToolCalls::builder().patterns(&patterns).parser(options.builder_retaining(Retain::Matches));
    for (name, patterns) in patterns_for.into_iter().flatten() {
        calls = calls.patterns_for(name.cast::<PyString>()?.to_str()?, &pattern_set(Some(&patterns))?);
    }
    let calls = if is_cumulative { calls.cumulative() } else { calls }.build();
    let stream = if provider == "auto" {
        jsonspigot_llm::ProviderStream::detecting(calls)
    } else {
        let known: Provider = provider.parse().map_err(|_| {
            let names: Vec<_> = Provider::ALL.iter().map(|provider| provider.name()).collect();
            let names = names.join(", ");
            PyValueError::new_err(format!("provider: expected 'auto' or one of {names}, not '{provider}'"))
        })?;
        jsonspigot_llm::ProviderStream::new(known, calls)
    };
    let stream = if is_structured { stream.structured() } else { stream };
    let stream = if has_message { stream.with_message() } else { stream };
    let stream = if has_events { stream.with_provider_events() } else { stream };
    let stream = match save_limit {
        Some(limit) => stream.saveable(limit),
        None => stream,
    };
    let stream = match marks {
        None => stream,
        Some(marks) => {
            let envelope = jsonspigot_llm::Envelope::builder().parser(options.builder_retaining(Retain::Matches));
            stream.with_envelope(envelope.build(marks, &patterns))
        }
    };
    let (stream, frames) = begin(stream)?;
    let (paths, mirrors) = (HashMap::new(), HashMap::new());
    Ok(ProviderStream(Mutex::new(Inner { stream, frames, options, watch, paths, mirrors })))
}

#[pymethods]
impl ProviderStream {
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
        let save_limit = arguments.save_limit(false)?;
        made(provider, patterns, models, (&arguments, save_limit), |new| Ok((new, Frames::new())))
    }

    /// Return the stream's state between two events or chunks as bytes; see ``Parser.save``.
    ///
    /// It has the events since the message began, and an event that is not complete. Raises ``JsonSpigotError`` unless the stream
    /// was made ``saveable``, and while the events of the message are longer than its limit.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let state = inner.stream.save().and_then(|state| inner.frames.save_with(state));
        saved(py, state)
    }

    /// Return the stream that was saved, ``saveable`` again unless you say otherwise.
    ///
    /// The provider (``"auto"``, if it was made with that), patterns and options are those that it had; see
    /// ``Parser.restore``.
    #[staticmethod]
    #[pyo3(signature = (provider, patterns, state, *, models = None, **options))]
    fn restore(
        py: Python<'_>,
        provider: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        models: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        let arguments = Arguments::of(py, options)?;
        let save_limit = arguments.save_limit(true)?;
        made(provider, patterns, models, (&arguments, save_limit), |new| {
            let restored = Frames::new().restore_with(state.bytes(), |state| new.restore(state));
            restored.map(|(frames, stream)| (stream, frames)).map_err(|error| bad_state(py, &error))
        })
    }

    /// Read one event: an SDK's event object, a dict, or JSON text. Return what it reports.
    fn push<'py>(slf: &Bound<'py, Self>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let json = json_of(event)?;
        let text = text_of(&json)?;
        Self::read(slf, |stream, _, on_event| stream.push_with(text, on_event))
    }

    /// Read the next piece of the response's body, cut anywhere, and return its events.
    ///
    /// The body has server-sent events, JSON texts or Amazon's event stream.
    fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let chunk = Chunk::of(chunk, || 0)?;
        Self::read(slf, |stream, frames, on_event| {
            frames.feed_with(chunk.bytes(), |frame| frame.push_to(stream, &mut *on_event));
        })
    }

    /// End the stream, and return the events. Open calls and messages are truncated, for this reason.
    #[pyo3(signature = (reason = None))]
    fn finish<'py>(slf: &Bound<'py, Self>, reason: Option<&str>) -> PyResult<Bound<'py, PyList>> {
        Self::read(slf, |stream, frames, on_event| {
            frames.finish_with(|frame| frame.push_to(stream, &mut *on_event));
            stream.cut_with(reason.unwrap_or_default(), on_event);
        })
    }

    /// Return the kind and a sentence of why the stream is not whole; ``None`` if it is. Call it after ``finish``.
    ///
    /// It is whole if everything that the provider sent was reported, and every message and call has ended.
    fn unfinished(&self) -> PyResult<Option<(&'static str, String)>> {
        let verdict = self.lock()?.stream.verdict();
        Ok(verdict.err().map(|unfinished| (unfinished.kind().name(), unfinished.to_string())))
    }

    /// Return an open call's input so far, as ``Parser.snapshot`` does; ``None`` before it begins.
    ///
    /// Needs ``snapshots=True``.
    fn snapshot<'py>(&self, py: Python<'py>, call: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, mirrors, .. } = &mut *inner;
        options.require_snapshots("stream")?;
        match parser_of(stream, call) {
            None => Ok(None),
            Some(parser) => mirrors.entry(call).or_insert_with(|| Mirror::new(options.fractions)).update(py, parser),
        }
    }

    /// Return the path to the innermost open value of an open call's input; ``None`` if nothing is open.
    fn open_path<'py>(&self, py: Python<'py>, call: u64) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, mirrors, .. } = &mut *inner;
        let Some(parser) = parser_of(stream, call) else {
            return Ok(None);
        };
        let mirror = mirrors.entry(call).or_insert_with(|| Mirror::new(options.fractions));
        mirror.update(py, parser)?;
        mirror.open_path(py, parser)
    }

    /// Return a typed view of an open call's input; see ``Typed``. Needs ``snapshots=True``.
    ///
    /// When the call has ended, ``look`` returns the complete value, or what was last known of a call that was cut.
    #[pyo3(signature = (call, model, **options))]
    fn typed<'py>(
        slf: &Bound<'py, Self>,
        call: u64,
        model: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<Typed>> {
        let py = slf.py();
        {
            let inner = slf.get().lock()?;
            inner.options.require_snapshots("stream")?;
            inner.options.require_typed(DuplicateKeys::Reject)?;
            if !inner.stream.calls_of_all().into_iter().flat_map(ToolCalls::open_calls).any(|open| open.number == call)
            {
                return Err(PyValueError::new_err(format!("call {call} is not open")));
            }
        }
        let view = Py::new(py, Typed::of((slf.clone().unbind(), call), model, options)?)?;
        slf.get().lock()?.watch.add(Some(call), &view, py);
        Ok(view)
    }

    /// Returns a view that does not learn how a text ends: `_whole` and `_broken` report that.
    fn _view<'py>(slf: &Bound<'py, Self>, call: u64, model: &Bound<'py, PyAny>) -> PyResult<Typed> {
        Typed::of((slf.clone().unbind(), call), model, None)
    }

    /// Returns the numbers and names of the open calls.
    fn _named_calls(&self) -> PyResult<Vec<(u64, Option<String>)>> {
        let inner = self.lock()?;
        Ok(inner
            .stream
            .calls_of_all()
            .into_iter()
            .flat_map(ToolCalls::open_calls)
            .map(|call| (call.number, call.name.map(Cow::into_owned)))
            .collect())
    }

    /// Return the message for the next request, with ``with_message=True``; ``None`` before its end.
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, .. } = &mut *inner;
        stream.message().map(|text| build(py, &text, options.fractions)).transpose()
    }

    /// Return the message without its calls and their results.
    ///
    /// Servers refuse a message with a call that is not whole, now and in every later request.
    fn message_without_calls<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, .. } = &mut *inner;
        stream.message_without_calls().map(|text| build(py, &text, options.fractions)).transpose()
    }

    /// The provider's name, once it is known.
    #[getter]
    fn provider(&self) -> PyResult<Option<&'static str>> {
        Ok(self.lock()?.stream.provider().map(Provider::name))
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let provider = inner.stream.provider().map_or("not known yet", Provider::name);
        let open = inner.stream.calls_of_all().into_iter().flat_map(ToolCalls::open_calls).count();
        Ok(format!("<jsonspigot.ProviderStream {provider}, {open} open calls>"))
    }

    /// The numbers of the open calls.
    #[getter]
    fn open_calls(&self) -> PyResult<Vec<u64>> {
        Ok(self
            .lock()?
            .stream
            .calls_of_all()
            .into_iter()
            .flat_map(ToolCalls::open_calls)
            .map(|call| call.number)
            .collect())
    }

    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        generic(class, item)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.0.try_lock() else { return Ok(()) };
        inner.watch.traverse(&visit)?;
        inner.mirrors.values().try_for_each(|mirror| mirror.traverse(&visit))
    }

    fn __clear__(&self) {
        if let Ok(mut inner) = self.0.try_lock() {
            let (watch, mirrors) = (std::mem::take(&mut inner.watch), std::mem::take(&mut inner.mirrors));
            drop(inner);
            drop((watch, mirrors));
        }
    }
}
