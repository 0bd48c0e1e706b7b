//! `Envelope`: payloads between delimiters in text.

use std::sync::{Mutex, MutexGuard};

use jsonspigot::{DuplicateKeys, Retain};
use jsonspigot_framing::{Utf8, Utf8Error};
use jsonspigot_llm::{Delimiter, EnvelopeEvent as CoreEvent, Payload, PayloadStatus};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_state, exception, own_at, saved};
use crate::event::{Paths, Told, Value, as_data, event_methods, event_object};
use crate::keys::Keys;
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::{Options, limit, pattern_set, save_limit};
use crate::shared::{deviations, locked};
use crate::typed::{Source, Typed, Watch, begin_anew, generic, with_typed};
use crate::value::{Fractions, on_one_line};

/// The events of an envelope: text around payloads, and what is in them.
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
    /// A payload has ended. ``status`` is ``"complete"``, ``"accepted"`` (with deviations, which were to be accepted),
    /// ``"empty"``, ``"truncated"``, ``"malformed"``, ``"trailing"`` or ``"raw"``; ``value``, made when it is first asked for,
    /// and ``raw`` (its JSON text on one line, as strict JSON) are there if it is complete or accepted; ``text`` is what came.
    /// ``values`` are the JSON texts of a trailing payload that is nothing but whole values, and ``repeated`` says whether they
    /// are all equal.
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
        shown(slf.as_any(), "EnvelopeEvent")
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

/// Returns the `repr` of an event of one of several kinds: by its constructor, with what is not `None`, and without a
/// value that cannot be made; its text is shown.
pub(crate) fn shown(event: &Bound<'_, PyAny>, class: &str) -> PyResult<String> {
    let kind = event.get_type();
    let mut parts = Vec::new();
    for name in kind.getattr("__match_args__")?.try_iter()? {
        let name = name?.cast_into::<PyString>()?;
        let value = match event.getattr(&name) {
            Err(_) if name == "value" => continue,
            value => value?,
        };
        if !value.is_none() {
            parts.push(format!("{name}={}", value.repr()?));
        }
    }
    Ok(format!("{class}.{}({})", kind.name()?, parts.join(", ")))
}

/// Returns true if two of them are of the same kind and have equal parts. If neither value can be made, their texts say
/// it.
pub(crate) fn equal(event: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = event.get_type();
    if !other.get_type().is(&kind) {
        return Ok(false);
    }
    for name in kind.getattr("__match_args__")?.try_iter()? {
        let name = name?.cast_into::<PyString>()?;
        let is_equal = match (event.getattr(&name), other.getattr(&name)) {
            (Err(_), Err(_)) if name == "value" => true,
            (Err(_), Ok(_)) | (Ok(_), Err(_)) if name == "value" => false,
            (mine, others) => mine?.eq(others?)?,
        };
        if !is_equal {
            return Ok(false);
        }
    }
    Ok(true)
}

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

/// The content of an event's Python object; nothing for an event that this version does not know.
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
            let Verdict { status, value, raw, text, error, values, repeated, deviations, deviation_count, .. } =
                Verdict::of(py, payload, fractions)?;
            let (mark, status, close) = (delimiter.to_string(), status.to_owned(), close.to_string());
            EnvelopeEvent::End {
                mark,
                status,
                value,
                raw,
                text,
                error,
                close,
                values,
                repeated,
                deviations,
                deviation_count,
            }
        }
        _ => return Ok(None),
    }))
}

/// Separates what a person should see from payloads between delimiters.
///
/// ``marks`` are ``"comment:NAME"``, ``"fence:INFO"``, ``"fence:*"`` (any that holds an object or array), ``"tag:NAME"``,
/// ``"between:OPEN:CLOSE"``, ``"bare"`` or ``"bare:object"``, with ``":json"`` or ``":raw"`` appended to say what to expect
/// there. The patterns apply to each payload; the options are those of ``Parser``. With ``starts_inside`` the text begins
/// inside a payload of the first mark, whose opening came before it: ``…</think>answer``.
///
/// ``saveable=True`` buffers the text since the open payload began, up to 1 MiB or the bytes given instead, so that ``save``
/// works.
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
    keys: Keys,
    /// Of the open payload.
    mirror: Mirror,
    watch: Watch,
}

impl Inner {
    fn finish<'py>(&mut self, py: Python<'py>, told: &mut Told<'py>) {
        let Self { envelope, options, paths, mirror, watch, .. } = self;
        envelope.finish_with(|event| push(py, told, &event, options.fractions, paths, mirror, watch));
    }

    /// The parser of the open payload, if it shows what is known.
    fn open(&mut self) -> Option<(&jsonspigot::Parser, &mut Keys, &mut Mirror)> {
        let parser = self.envelope.parser()?;
        parser.has_snapshots().then_some((parser, &mut self.keys, &mut self.mirror))
    }
}

/// The events, or why the text is not text.
fn checked<'py>(
    py: Python<'py>,
    read: Result<(), Utf8Error>,
    events: Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyList>> {
    let Err(error) = read else { return Ok(events) };
    let place = (error.offset(), error.line(), error.column());
    Err(own_at(py, &format!("{error} in $"), error.kind().name(), place, "$", Some(events)))
}

/// Marks: one, or an iterable of them.
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
    /// An envelope as it is made, or as `state` was saved.
    fn made(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        (payload_limit, starts_inside, save_limit): (Option<&Bound<'_, PyAny>>, bool, Option<usize>),
        models: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
        state: Option<&[u8]>,
    ) -> PyResult<Self> {
        let delimiters = delimiters(marks)?;
        let (options, watch) = match models {
            None => (Options::of(options)?, Watch::default()),
            Some(models) => {
                let options = Options::for_models(options)?;
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
                (options, Watch::telling(models.py(), "Payloads", by_mark.as_any())?)
            }
        };
        let builder = jsonspigot_llm::Envelope::builder().parser(options.builder_retaining(Retain::Matches));
        let limit = payload_limit.map(|value| limit("payload_limit", value)).transpose()?.flatten();
        let builder = match limit {
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
        let (paths, keys, mirror) = (Paths::default(), Keys::default(), Mirror::new(options.fractions));
        Ok(Self(Mutex::new(Inner { envelope, utf8, options, paths, keys, mirror, watch })))
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
        self.get().lock()?.open().map_or(Ok(None), |(parser, keys, mirror)| mirror.seen(py, parser, keys, moment))
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self)
    }
}

/// Adds an event to the list, and notes what it means for those who look at payloads.
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
    #[pyo3(signature = (marks, patterns = None, *, payload_limit = None, starts_inside = false, models = None, saveable = None, **options))]
    fn new(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        payload_limit: Option<&Bound<'_, PyAny>>,
        starts_inside: bool,
        models: Option<&Bound<'_, PyAny>>,
        saveable: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let choices = (payload_limit, starts_inside, save_limit(saveable, false)?);
        Self::made(marks, patterns, choices, models, options, None)
    }

    /// The envelope's state as bytes, between two chunks: what was fed since the open payload began. See ``Parser.save``.
    ///
    /// Raises ``JsonSpigotError`` unless the envelope was made ``saveable``, and as long as the payload is longer than its limit.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let state = inner.envelope.save().and_then(|state| inner.utf8.save_with(state));
        saved(py, state)
    }

    /// The envelope that was saved, ``saveable`` again unless you say otherwise, with the marks, patterns and options that it had; see ``Parser.restore``.
    #[staticmethod]
    #[pyo3(signature = (marks, patterns, state, *, payload_limit = None, starts_inside = false, models = None, saveable = None, **options))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn restore(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        payload_limit: Option<&Bound<'_, PyAny>>,
        starts_inside: bool,
        models: Option<&Bound<'_, PyAny>>,
        saveable: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        let choices = (payload_limit, starts_inside, save_limit(saveable, true)?);
        Self::made(marks, patterns, choices, models, options, Some(state.bytes()))
    }

    /// Feeds the next piece of the text, as ``str`` or as UTF-8 cut anywhere.
    ///
    /// Raises ``JsonSpigotError`` if it is not UTF-8; its ``events`` are those before the bad byte, and the end of an open
    /// payload. Every later call raises the same error, until ``reset``.
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

    /// Ends the text: text that was held back is returned, and a payload that is still open is truncated.
    fn finish<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Self::read(slf, |inner| {
            let mut told = Told::new(py);
            if inner.utf8.error().is_none() {
                inner.finish(py, &mut told);
            }
            checked(py, inner.utf8.finish(), told.finish()?)
        })
    }

    /// The open payload as far as it is known; ``None`` between payloads. Needs ``snapshots=True``. The same rules as for
    /// ``Parser.snapshot`` apply.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        inner.options.require_snapshots("envelope")?;
        inner.open().map_or(Ok(None), |(parser, keys, mirror)| mirror.update(py, parser, keys))
    }

    /// The path to the innermost open value of the open payload; ``None`` if nothing is open. Needs ``snapshots=True``.
    fn open_path<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut inner = self.lock()?;
        inner.options.require_snapshots("envelope")?;
        let Some((parser, keys, mirror)) = inner.open() else { return Ok(None) };
        mirror.update(py, parser, keys)?;
        mirror.open_path(py, parser)
    }

    /// The mark of the open payload; ``None`` between payloads.
    #[getter]
    fn open_mark(&self) -> PyResult<Option<String>> {
        Ok(self.lock()?.envelope.open_payload().map(ToString::to_string))
    }

    /// A typed view of the open payload, as it grows, as ``Parser.typed`` gives of a text: of one after the other. Between
    /// payloads, ``look`` gives the last one's complete value; if that was cut or wrong, what was last known of it. Needs
    /// what ``Parser.typed`` needs.
    #[pyo3(
        signature = (model, **options),
        text_signature = "($self, model, *, context=None, strict=None, by_alias=None, by_name=None)"
    )]
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

    /// A view that does not learn how the text ends: its maker reports that (`_whole`, `_broken`).
    fn _view<'py>(slf: &Bound<'py, Self>, model: &Bound<'py, PyAny>) -> PyResult<Typed> {
        Typed::of(slf.clone().unbind(), model, None)
    }

    /// Begins a new text.
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
