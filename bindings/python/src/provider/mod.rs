//! `ProviderStream`: a provider's stream into calls, text, reasoning, usage, stop and errors. What it reports is in
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
use self::event::{Subject, made};
use crate::chunk::Chunk;
use crate::envelope::delimiters;
use crate::error::{bad_state, saved};
use crate::event::{Paths, Told};
use crate::keys::Keys;
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::{Options, pattern_set, save_limit};
use crate::shared::locked;
use crate::typed::{Source, Typed, Watch, generic, with_typed};
use crate::value::{Fractions, build};

/// Reads a provider's stream: an SDK's event objects (``push``), or the body of the response (``feed``).
///
/// ``provider`` is ``"anthropic"``, ``"openai-chat"``, ``"openai-responses"``, ``"gemini"``,
/// ``"bedrock"``, ``"cohere"``, ``"ollama"``, ``"ag-ui"``, ``"vercel-ui"``, ``"mcp"``, ``"claude-code"``, ``"codex"``, ``"dashscope"``,
/// ``"mistral-conversations"``, ``"cloudflare"``, or ``"auto"``, which goes by the first
/// event that only one provider sends. The patterns apply to each call's input; ``patterns_for`` has those for single tools,
/// by name. With ``structured=True`` the answer's text is itself the JSON, and is reported as a call without a name.
/// ``envelope`` has marks as ``Envelope`` takes them: the payloads that they describe in the assistant's text are reported as
/// ``PayloadStart`` to ``PayloadEnd``, and the patterns apply to them too.
///
/// ``saveable=True`` buffers the events since the message began, up to 1 MiB or the bytes given instead, so that ``save`` works.
///
/// With ``models``, by the tool's name (``None`` for the structured answer), there is also a ``TypedCall`` each time that more
/// of such a call's input is known, the last one just before its ``CallEnd``; with ``snapshots=False`` only that one. The
/// other options are those of ``Parser``; duplicate keys are rejected unless you choose otherwise.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct ProviderStream(Mutex<Inner>);

struct Inner {
    stream: jsonspigot_llm::ProviderStream,
    frames: Frames,
    options: Options,
    watch: Watch,
    paths: HashMap<Subject, Paths>,
    keys: Keys,
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
            let event = made(py, &event, options.fractions, paths);
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
        let Inner { stream, options, keys, mirrors, .. } = &mut *inner;
        let Some(parser) = parser_of(stream, self.1) else {
            return Ok(None);
        };
        mirrors.entry(self.1).or_insert_with(|| Mirror::new(options.fractions)).seen(py, parser, keys, moment)
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// The parser of an open call, whichever agent's it is, if it keeps snapshots.
fn parser_of(stream: &jsonspigot_llm::ProviderStream, call: u64) -> Option<&Parser> {
    stream.calls_of_all().into_iter().find_map(|calls| calls.parser(call)).filter(|parser| parser.has_snapshots())
}

/// Refuses a model by a mark: models are by the names of tools, and this one would never be used.
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

/// The choices that a stream is made from.
struct Choices<'a, 'py> {
    provider: &'a str,
    patterns: Option<&'a Bound<'py, PyAny>>,
    patterns_for: Option<&'a Bound<'py, PyDict>>,
    structured: bool,
    with_message: bool,
    provider_events: bool,
    cumulative: bool,
    models: Option<&'a Bound<'py, PyAny>>,
    envelope: Option<&'a Bound<'py, PyAny>>,
    save_limit: Option<usize>,
    options: Option<&'a Bound<'py, PyDict>>,
}

impl Choices<'_, '_> {
    /// The stream that `begin` makes of a new one.
    fn make(
        self,
        begin: impl FnOnce(jsonspigot_llm::ProviderStream) -> PyResult<(jsonspigot_llm::ProviderStream, Frames)>,
    ) -> PyResult<ProviderStream> {
        let (options, watch) = match self.models {
            None => (Options::of(self.options)?, Watch::default()),
            Some(models) => (Options::for_models(self.options)?, Watch::telling(models.py(), "Calls", models)?),
        };
        if self.structured && self.envelope.is_some() {
            return Err(PyValueError::new_err("envelope: with structured=True, all of the text is JSON"));
        }
        if !self.structured && self.models.map_or(Ok(false), |models| models.contains(models.py().None()))? {
            return Err(PyValueError::new_err("models: None is the name of the answer with structured=True"));
        }
        let marks = self.envelope.map(delimiters).transpose()?;
        if let Some(models) = self.models {
            options.require_typed(DuplicateKeys::Reject)?;
            for name in models.try_iter()? {
                refuse_mark(&name?, marks.as_deref().unwrap_or_default())?;
            }
        }
        let mut calls = ToolCalls::builder()
            .patterns(&pattern_set(self.patterns)?)
            .parser(options.builder_retaining(Retain::Matches));
        for (name, patterns) in self.patterns_for.into_iter().flatten() {
            calls = calls.patterns_for(name.cast::<PyString>()?.to_str()?, &pattern_set(Some(&patterns))?);
        }
        let calls = if self.cumulative { calls.cumulative() } else { calls }.build();
        let stream = if self.provider == "auto" {
            jsonspigot_llm::ProviderStream::detecting(calls)
        } else {
            let known: Provider = self.provider.parse().map_err(|_| {
                let names: Vec<_> = Provider::ALL.iter().map(|provider| provider.name()).collect();
                PyValueError::new_err(format!(
                    "provider: expected 'auto' or one of {}, not '{}'",
                    names.join(", "),
                    self.provider
                ))
            })?;
            jsonspigot_llm::ProviderStream::new(known, calls)
        };
        let stream = if self.structured { stream.structured() } else { stream };
        let stream = if self.with_message { stream.with_message() } else { stream };
        let stream = if self.provider_events { stream.with_provider_events() } else { stream };
        let stream = match self.save_limit {
            Some(limit) => stream.saveable(limit),
            None => stream,
        };
        let stream = match marks {
            None => stream,
            Some(marks) => {
                let builder = options.builder_retaining(Retain::Matches);
                let envelope = jsonspigot_llm::Envelope::builder().parser(builder);
                stream.with_envelope(envelope.build(marks, &pattern_set(self.patterns)?))
            }
        };
        let (stream, frames) = begin(stream)?;
        Ok(ProviderStream(Mutex::new(Inner {
            stream,
            frames,
            options,
            watch,
            paths: HashMap::new(),
            keys: Keys::default(),
            mirrors: HashMap::new(),
        })))
    }
}

#[pymethods]
impl ProviderStream {
    #[new]
    #[pyo3(signature = (
        provider = "auto", patterns = None, *, patterns_for = None, structured = false, with_message = false,
        provider_events = false, cumulative = false, models = None, envelope = None, saveable = None, **options
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        provider: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        patterns_for: Option<&Bound<'_, PyDict>>,
        structured: bool,
        with_message: bool,
        provider_events: bool,
        cumulative: bool,
        models: Option<&Bound<'_, PyAny>>,
        envelope: Option<&Bound<'_, PyAny>>,
        saveable: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let choices = Choices {
            provider,
            patterns,
            patterns_for,
            structured,
            with_message,
            provider_events,
            cumulative,
            models,
            envelope,
            save_limit: save_limit(saveable, false)?,
            options,
        };
        choices.make(|new| Ok((new, Frames::new())))
    }

    /// The stream's state as bytes, between two events or chunks, cut anywhere: the events since the message began, and half
    /// an event that waits for the rest. See ``Parser.save``.
    ///
    /// Raises ``JsonSpigotError`` unless the stream was made ``saveable``, and as long as the events of the message are longer
    /// than its limit.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let state = inner.stream.save().and_then(|state| inner.frames.save_with(state));
        saved(py, state)
    }

    /// The stream that was saved, ``saveable`` again unless you say otherwise, with the provider (``"auto"``, if it was made with that), patterns and options that it had;
    /// see ``Parser.restore``.
    #[staticmethod]
    #[pyo3(signature = (
        provider, patterns, state, *, patterns_for = None, structured = false, with_message = false,
        provider_events = false, cumulative = false, models = None, envelope = None, saveable = None, **options
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn restore(
        py: Python<'_>,
        provider: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        patterns_for: Option<&Bound<'_, PyDict>>,
        structured: bool,
        with_message: bool,
        provider_events: bool,
        cumulative: bool,
        models: Option<&Bound<'_, PyAny>>,
        envelope: Option<&Bound<'_, PyAny>>,
        saveable: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        let choices = Choices {
            provider,
            patterns,
            patterns_for,
            structured,
            with_message,
            provider_events,
            cumulative,
            models,
            envelope,
            save_limit: save_limit(saveable, true)?,
            options,
        };
        choices.make(|new| {
            let restored = Frames::new().restore_with(state.bytes(), |state| new.restore(state));
            restored.map(|(frames, stream)| (stream, frames)).map_err(|error| bad_state(py, &error))
        })
    }

    /// One event: an SDK's event object, a dict, or its JSON text.
    fn push<'py>(slf: &Bound<'py, Self>, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let json = json_of(event)?;
        let text = text_of(&json)?;
        Self::read(slf, |stream, _, on_event| stream.push_with(text, on_event))
    }

    /// The next piece of the response's body, cut anywhere: server-sent events, JSON texts or Amazon's event stream.
    fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let chunk = Chunk::of(chunk, || 0)?;
        Self::read(slf, |stream, frames, on_event| {
            frames.feed_with(chunk.bytes(), |frame| frame.push_to(stream, &mut *on_event));
        })
    }

    /// Ends the stream: what is still open was cut off, for this reason.
    #[pyo3(signature = (reason = None))]
    fn finish<'py>(slf: &Bound<'py, Self>, reason: Option<&str>) -> PyResult<Bound<'py, PyList>> {
        Self::read(slf, |stream, frames, on_event| {
            frames.finish_with(|frame| frame.push_to(stream, &mut *on_event));
            stream.cut_with(reason.unwrap_or_default(), on_event);
        })
    }

    /// The reason why the stream does not count as whole, as a kind and a sentence; ``None`` if everything that the
    /// provider said was reported and has come to its end. Ask after ``finish``.
    fn unfinished(&self) -> PyResult<Option<(&'static str, String)>> {
        let verdict = self.lock()?.stream.verdict();
        Ok(verdict.err().map(|unfinished| (unfinished.kind().name(), unfinished.to_string())))
    }

    /// An open call's input as far as it is known; ``None`` if it has not begun, or the call is not open. Needs
    /// ``snapshots=True``. The same rules as for ``Parser.snapshot`` apply.
    fn snapshot<'py>(&self, py: Python<'py>, call: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, keys, mirrors, .. } = &mut *inner;
        options.require_snapshots("stream")?;
        match parser_of(stream, call) {
            None => Ok(None),
            Some(parser) => {
                mirrors.entry(call).or_insert_with(|| Mirror::new(options.fractions)).update(py, parser, keys)
            }
        }
    }

    /// The path to the innermost open value of an open call's input; ``None`` if nothing is open. Needs ``snapshots=True``.
    fn open_path<'py>(&self, py: Python<'py>, call: u64) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, keys, mirrors, .. } = &mut *inner;
        let Some(parser) = parser_of(stream, call) else {
            return Ok(None);
        };
        let mirror = mirrors.entry(call).or_insert_with(|| Mirror::new(options.fractions));
        mirror.update(py, parser, keys)?;
        mirror.open_path(py, parser)
    }

    /// A typed view of an open call's input, as it grows, as ``Parser.typed`` gives of a text. Needs ``snapshots=True``. When
    /// the call has ended, ``look`` gives the complete value; if the call was cut, what was last known of it.
    #[pyo3(
        signature = (call, model, **options),
        text_signature = "($self, call, model, *, context=None, strict=None, by_alias=None, by_name=None)"
    )]
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

    /// A view that does not learn how the text ends: its maker reports that (`_whole`, `_broken`).
    fn _view<'py>(slf: &Bound<'py, Self>, call: u64, model: &Bound<'py, PyAny>) -> PyResult<Typed> {
        Typed::of((slf.clone().unbind(), call), model, None)
    }

    /// The numbers and names of the calls that are open.
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

    /// The message as it goes back to the provider, if the stream was built ``with_message=True``; ``None`` before its end.
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, keys, .. } = &mut *inner;
        stream.message().map(|text| build(py, &text, options.fractions, keys)).transpose()
    }

    /// The same without its calls and what came of them: what an app continues with if a call is not whole, as servers refuse
    /// a message with such a call, now and in every later request.
    fn message_without_calls<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { stream, options, keys, .. } = &mut *inner;
        stream.message_without_calls().map(|text| build(py, &text, options.fractions, keys)).transpose()
    }

    /// The provider's name, as far as it is known.
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

    /// The numbers of the calls that are open.
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
