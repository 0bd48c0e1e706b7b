//! `Envelope`: payloads between delimiters in text.

use std::sync::{Mutex, MutexGuard};

use jsonspigot::{DuplicateKeys, Error, Retain};
use jsonspigot_framing::Utf8;
use jsonspigot_llm::{Delimiter, EnvelopeEvent as CoreEvent, Payload, PayloadStatus};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_state, exception, own_at, saved};
use crate::event::{Paths, Told, Value, data, event_methods, event_object};
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::{Arguments, Options, pattern_set};
use crate::shared::{deviations, locked};
use crate::typed::{Source, Typed, Watch, begin_anew, generic, with_typed};
use crate::value::{Fractions, on_one_line};

/// The events of an envelope: text around payloads, and the payloads' content.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) enum EnvelopeEvent {
    /// Text outside payloads.
    Text { text: String },
    /// A payload begins. ``open`` is the delimiter as it was spelt, ``offset`` its first byte.
    Begin { mark: String, open: String, offset: u64 },
    /// An event of the payload's JSON.
    Match { mark: String, event: Py<PyAny> },
    /// A piece of a payload that is plain text.
    Fragment { mark: String, text: String },
    /// A payload has ended. ``status`` is ``"complete"``, ``"accepted"`` (with accepted deviations),
    /// ``"empty"``, ``"truncated"``, ``"malformed"``, ``"trailing"`` or ``"raw"``; ``value``, made when it is first asked for,
    /// and ``raw`` (its JSON text on one line, as strict JSON) are there if it is complete or accepted; ``text`` is the
    /// payload as it arrived. ``values`` are the JSON texts of a trailing payload that has only whole values, and ``repeated``
    /// is whether they are all equal.
    End {
        mark: String,
        status: String,
        value: Value,
        raw: Option<String>,
        text: String,
        error: Py<PyAny>,
        close: String,
        values: Vec<String>,
        repeated: bool,
        deviations: Py<PyTuple>,
        deviation_count: u64,
    },
}

event_methods!(EnvelopeEvent {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        data::shown(slf.as_any())
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.as_any().get_type().hash()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Match { event, .. } => visit.call(event),
            Self::End { error, value, .. } => visit.call(error).and_then(|()| value.traverse(&visit)),
            _ => Ok(()),
        }
    }
});

/// The parts that say what a text came to.
pub(crate) struct Verdict {
    pub(crate) status: &'static str,
    pub(crate) reason: Option<String>,
    pub(crate) value: Value,
    pub(crate) raw: Option<String>,
    pub(crate) text: String,
    pub(crate) error: Py<PyAny>,
    pub(crate) values: Vec<String>,
    pub(crate) repeated: bool,
    pub(crate) deviations: Py<PyTuple>,
    pub(crate) deviation_count: u64,
}

/// An event of a text's end, of a verdict and of parts of its own.
macro_rules! ended {
    ($variant:path, $verdict:expr, { $($own:tt)* }) => {{
        let Verdict { status, value, raw, text, error, values, repeated, deviations, deviation_count, .. } = $verdict;
        let status = status.to_owned();
        $variant { status, value, raw, text, error, values, repeated, deviations, deviation_count, $($own)* }
    }};
}
pub(crate) use ended;

impl Verdict {
    pub(crate) fn of(py: Python<'_>, payload: &Payload<'_>, fractions: Fractions) -> PyResult<Self> {
        let value = payload.value();
        Ok(Self {
            status: payload.status().name(),
            reason: match payload.status() {
                PayloadStatus::Truncated { reason } => Some(reason.to_owned()),
                _ => None,
            },
            value: Value::of(value.map(|value| value.text()), fractions),
            raw: value.map(|value| on_one_line(value.text())),
            text: payload.raw().to_owned(),
            error: match payload.error() {
                Some(error) => exception(py, error, None)?.unbind(),
                None => py.None(),
            },
            values: payload.values().into_iter().map(on_one_line).collect(),
            repeated: payload.is_repeated(),
            deviations: deviations(py, payload.deviations())?.unbind(),
            deviation_count: payload.deviation_count(),
        })
    }
}

/// Returns the content of an event's Python object; nothing for an event that this version does not know.
fn made(
    py: Python<'_>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut Paths,
) -> PyResult<Option<EnvelopeEvent>> {
    Ok(Some(match event {
        CoreEvent::Text(text) => EnvelopeEvent::Text { text: text.to_string() },
        CoreEvent::Begin { delimiter, open, offset } => {
            paths.clear();
            EnvelopeEvent::Begin { mark: delimiter.to_string(), open: open.to_string(), offset: *offset }
        }
        CoreEvent::Match { delimiter, event } => EnvelopeEvent::Match {
            mark: delimiter.to_string(),
            event: event_object(py, event, 0, fractions, paths)?.unbind(),
        },
        CoreEvent::Fragment { delimiter, text } => {
            EnvelopeEvent::Fragment { mark: delimiter.to_string(), text: text.to_string() }
        }
        CoreEvent::End { delimiter, payload, close, .. } => {
            ended!(EnvelopeEvent::End, Verdict::of(py, payload, fractions)?, {
                mark: delimiter.to_string(),
                close: close.to_string(),
            })
        }
        _ => return Ok(None),
    }))
}

/// A reader that separates text for a person from payloads between delimiters.
///
/// ``marks`` are ``"comment:NAME"``, ``"fence:INFO"``, ``"fence:*"`` (any that holds an object or array), ``"tag:NAME"``,
/// ``"between:OPEN:CLOSE"``, ``"bare"`` or ``"bare:object"``, with ``":json"`` or ``":raw"`` appended to say what to expect there.
/// The patterns apply to each payload. Beside the options of ``Parser`` there are:
///
/// - ``payload_limit``: the most bytes of a payload. Default ``None``.
/// - ``starts_inside``: the text begins inside a payload of the first mark, as in ``...</think>answer``.
/// - ``saveable``: buffer the text since the open payload began, for ``save``, up to 1 MiB or the bytes given instead.
///
/// With ``models``, by the mark, there is also a ``TypedPayload`` each time that more of such a payload is known, the last one
/// just before its ``End``; with ``snapshots=False`` only that one.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct Envelope(Mutex<Inner>);

struct Inner {
    envelope: jsonspigot_llm::Envelope,
    utf8: Utf8,
    options: Options,
    paths: Paths,
    /// Of the open payload.
    mirror: Mirror,
    watch: Watch,
}

impl Inner {
    /// Ends the text, and adds its events.
    fn finish<'py>(&mut self, py: Python<'py>, told: &mut Told<'py>) {
        let Self { envelope, options, paths, mirror, watch, .. } = self;
        envelope.finish_with(|event| push(py, told, &event, options.fractions, paths, mirror, watch));
    }

    /// Returns the parser of the open payload, if it keeps snapshots.
    fn open(&mut self) -> Option<(&jsonspigot::Parser, &mut Mirror)> {
        let parser = self.envelope.parser()?;
        parser.has_snapshots().then_some((parser, &mut self.mirror))
    }
}

/// Returns the events, or the error of text that is not UTF-8.
fn checked<'py>(
    py: Python<'py>,
    read: Result<(), Error>,
    events: Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyList>> {
    let Err(error) = read else { return Ok(events) };
    let place = (error.offset(), error.line(), error.column());
    Err(own_at(py, &error.to_string(), error.kind().name(), place, "$", Some(events)))
}

/// Reads marks: one, or an iterable of them.
pub(crate) fn delimiters(marks: &Bound<'_, PyAny>) -> PyResult<Vec<Delimiter>> {
    let marks_given: Vec<String> = if marks.is_instance_of::<PyString>() {
        vec![marks.extract()?]
    } else {
        marks.try_iter()?.map(|mark| mark?.extract()).collect::<PyResult<_>>()?
    };
    marks_given
        .iter()
        .map(|mark| mark.parse::<Delimiter>().map_err(|error| PyValueError::new_err(format!("mark '{mark}': {error}"))))
        .collect()
}

impl Envelope {
    /// Makes an envelope of its keyword arguments, or as `state` was saved.
    fn made(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        models: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
        state: Option<&[u8]>,
    ) -> PyResult<Self> {
        let arguments = Arguments::of(marks.py(), options)?;
        let (payload_limit, starts_inside) = (arguments.limit("payload_limit")?, arguments.flag("starts_inside")?);
        let save_limit = arguments.save_limit(state.is_some())?;
        let options = arguments.options(models.is_some())?;
        let delimiters = delimiters(marks)?;
        let mut watch = Watch::default();
        if let Some(models) = models {
            options.require_typed(DuplicateKeys::LastWins)?;
            let by_mark = PyDict::new(models.py());
            for pair in models.call_method0("items")?.try_iter()? {
                let (mark, model): (String, Bound<'_, PyAny>) = pair?.extract()?;
                let is_one = |delimiter: &&Delimiter| mark.parse().is_ok_and(|mark: Delimiter| mark == **delimiter);
                let Some(delimiter) = delimiters.iter().find(is_one) else {
                    return Err(PyValueError::new_err(format!("models: '{mark}' is not among the marks")));
                };
                if delimiter.name().is_some() && *delimiter == delimiter.clone().raw() {
                    return Err(PyValueError::new_err(format!("models: what '{mark}' marks is text, not JSON")));
                }
                by_mark.set_item(delimiter.to_string(), model)?;
            }
            watch = Watch::telling(models.py(), "Payloads", by_mark.as_any())?;
        }
        let builder = jsonspigot_llm::Envelope::builder().parser(options.builder_retaining(Retain::Matches));
        let builder = match payload_limit {
            Some(limit) => builder.payload_limit(limit),
            None => builder,
        };
        let builder = if starts_inside { builder.starts_inside() } else { builder };
        let builder = match save_limit {
            Some(limit) => builder.saveable(limit),
            None => builder,
        };
        let patterns = pattern_set(patterns)?;
        let (utf8, new) = (Utf8::new(), builder.build(delimiters, &patterns));
        let (utf8, envelope) = match state {
            None => (utf8, new),
            Some(state) => {
                utf8.restore_with(state, |state| new.restore(state)).map_err(|error| bad_state(marks.py(), &error))?
            }
        };
        let (paths, mirror) = (Paths::default(), Mirror::new(options.fractions));
        Ok(Self(Mutex::new(Inner { envelope, utf8, options, paths, mirror, watch })))
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        locked(&self.0, "envelope")
    }

    /// Reads, and adds the events of typed views when nothing is locked any more.
    fn read<'py>(
        slf: &Bound<'py, Self>,
        read: impl FnOnce(&mut Inner) -> PyResult<Bound<'py, PyList>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (events, teller) = {
            let mut inner = slf.get().lock()?;
            (read(&mut inner), inner.watch.teller(slf.py()))
        };
        with_typed(slf.as_any(), teller, events)
    }
}

impl Source for Py<Envelope> {
    fn fractions(&self, _: Python<'_>) -> PyResult<Fractions> {
        Ok(self.get().lock()?.options.fractions)
    }

    fn seen<'py>(&self, py: Python<'py>, moment: &mut Moment) -> PyResult<Option<Seen<'py>>> {
        self.get().lock()?.open().map_or(Ok(None), |(parser, mirror)| mirror.seen(py, parser, moment))
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self)
    }
}

/// Adds an event to the list, and updates the mirror and the views of payloads.
fn push<'py>(
    py: Python<'py>,
    told: &mut Told<'py>,
    core: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut Paths,
    mirror: &mut Mirror,
    watch: &mut Watch,
) {
    let made = made(py, core, fractions, paths);
    match &made {
        Ok(Some(EnvelopeEvent::Begin { .. })) => mirror.clear(),
        Ok(Some(EnvelopeEvent::End { status, value, .. })) => {
            let is_whole = matches!(status.as_str(), "complete" | "accepted");
            watch.end(py, None, || is_whole.then(|| value.get(py)));
        }
        _ => {}
    }
    if let Some(made) = made.transpose() {
        told.push(made.and_then(|made| Ok(made.into_pyobject(py)?.into_any())));
    }
}

#[pymethods]
impl Envelope {
    #[new]
    #[pyo3(signature = (marks, patterns = None, *, models = None, **options))]
    fn new(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        models: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::made(marks, patterns, models, options, None)
    }

    /// Return the envelope's state between two chunks as bytes: the text since the open payload began. See ``Parser.save``.
    ///
    /// Raises ``JsonSpigotError`` unless the envelope was made ``saveable``, and while the payload is longer than its limit.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let state = inner.envelope.save().and_then(|state| inner.utf8.save_with(state));
        saved(py, state)
    }

    /// Return the envelope that was saved, ``saveable`` again unless you say otherwise.
    ///
    /// The marks, patterns and options are those that it had; see ``Parser.restore``.
    #[staticmethod]
    #[pyo3(signature = (marks, patterns, state, *, models = None, **options))]
    fn restore(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        models: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        Self::made(marks, patterns, models, options, Some(state.bytes()))
    }

    /// Read the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and return its events.
    ///
    /// Raises ``JsonSpigotError`` if it is not UTF-8; its ``events`` are those before the bad byte, and the end of an open payload.
    /// Every later call raises the same error, until ``reset``.
    fn feed<'py>(slf: &Bound<'py, Self>, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let offset = slf.get().lock()?.utf8.offset();
        let chunk = Chunk::of(chunk, || offset)?;
        Self::read(slf, |inner| {
            let mut told = Told::new(py);
            let had_error = inner.utf8.error().is_some();
            let Inner { envelope, utf8, options, paths, mirror, watch, .. } = inner;
            let read = utf8.feed_with(chunk.bytes(), |text| {
                envelope.feed_with(text, |event| push(py, &mut told, &event, options.fractions, paths, mirror, watch));
            });
            if read.is_err() && !had_error {
                inner.finish(py, &mut told);
            }
            checked(py, read, told.finish()?)
        })
    }

    /// End the text, and return the events. A payload that is still open is truncated.
    fn finish<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Self::read(slf, |inner| {
            let mut told = Told::new(py);
            if inner.utf8.error().is_none() {
                inner.finish(py, &mut told);
            }
            checked(py, inner.utf8.finish(), told.finish()?)
        })
    }

    /// Return the open payload so far, as ``Parser.snapshot`` does; ``None`` between payloads. Needs ``snapshots=True``.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        inner.options.require_snapshots("envelope")?;
        inner.open().map_or(Ok(None), |(parser, mirror)| mirror.update(py, parser))
    }

    /// Return the path to the innermost open value of the open payload; ``None`` if nothing is open.
    fn open_path<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut inner = self.lock()?;
        inner.options.require_snapshots("envelope")?;
        let Some((parser, mirror)) = inner.open() else { return Ok(None) };
        mirror.update(py, parser)?;
        mirror.open_path(py, parser)
    }

    /// The mark of the open payload; ``None`` between payloads.
    #[getter]
    fn open_mark(&self) -> PyResult<Option<String>> {
        Ok(self.lock()?.envelope.open_payload().map(ToString::to_string))
    }

    /// Return a typed view of the open payload, and of each later one; see ``Typed``.
    ///
    /// Between payloads, ``look`` returns the last one's complete value, or the last look at one that was cut or wrong. Needs
    /// the options that ``Parser.typed`` needs.
    #[pyo3(signature = (model, **options))]
    fn typed<'py>(
        slf: &Bound<'py, Self>,
        model: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<Typed>> {
        let py = slf.py();
        {
            let inner = slf.get().lock()?;
            inner.options.require_snapshots("envelope")?;
            inner.options.require_typed(DuplicateKeys::LastWins)?;
        }
        let view = Py::new(py, Typed::of(slf.clone().unbind(), model, options)?)?;
        slf.get().lock()?.watch.add(None, &view, py);
        Ok(view)
    }

    /// Returns a view that does not learn how a text ends: `_whole` and `_broken` report that.
    fn _view<'py>(slf: &Bound<'py, Self>, model: &Bound<'py, PyAny>) -> PyResult<Typed> {
        Typed::of(slf.clone().unbind(), model, None)
    }

    /// Begin a new text.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.envelope.reset();
        inner.paths.clear();
        inner.mirror.clear();
        inner.utf8 = Utf8::new();
        let teller = inner.watch.reset(py);
        drop(inner);
        begin_anew(py, teller)
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let marks: Vec<_> = inner.envelope.delimiters().iter().map(ToString::to_string).collect();
        let open = inner.envelope.open_payload().map_or_else(|| "text".to_owned(), |open| format!("in {open}"));
        Ok(format!("<jsonspigot.Envelope {}, {open}, {} bytes>", marks.join(" "), inner.utf8.offset()))
    }

    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        generic(class, item)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.0.try_lock() else { return Ok(()) };
        inner.watch.traverse(&visit)?;
        inner.mirror.traverse(&visit)
    }

    fn __clear__(&self) {
        if let Ok(mut inner) = self.0.try_lock() {
            let (mirror, watch) = (std::mem::take(&mut inner.mirror), std::mem::take(&mut inner.watch));
            drop(inner);
            drop((mirror, watch));
        }
    }
}
