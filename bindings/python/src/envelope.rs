//! `Envelope`: payloads between delimiters in text.

use std::sync::{Mutex, MutexGuard};

use jsonspigot::envelope::{Delimiter, EnvelopeEvent as CoreEvent};
use jsonspigot::{Payload, PayloadStatus, Retain};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyType};

use crate::chunk::Chunk;
use crate::error::{bad_state, exception, own_at};
use crate::event::{Paths, Told, as_data, event_object};
use crate::keys::Keys;
use crate::options::{Options, limit, pattern_set};
use crate::parser::locked;
use crate::saved::Saved;
use crate::utf8::{Flaw, Utf8};
use crate::value::{Fractions, build, on_one_line};

/// What an envelope tells: text around payloads, and what is in them.
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
    /// A payload has ended. ``status`` is ``"complete"``, ``"empty"``, ``"truncated"``, ``"malformed"``, ``"trailing"`` or
    /// ``"raw"``; ``value`` and ``raw`` (its JSON text on one line) are there if it is complete; ``text`` is what came.
    End {
        mark: String,
        status: String,
        value: Py<PyAny>,
        raw: Option<String>,
        text: String,
        error: Py<PyAny>,
        close: String,
    },
}

#[pymethods]
impl EnvelopeEvent {
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

    /// The event as a dict that ``json.dumps`` takes, with its ``type``.
    fn to_dict<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_data(py)?.call_method1("to_dict", (slf,))
    }

    #[classmethod]
    fn __get_pydantic_core_schema__<'py>(
        class: &Bound<'py, PyType>,
        _source: &Bound<'py, PyAny>,
        _handler: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        as_data(class.py())?.call_method1("core_schema", (class,))
    }
}

/// How an event of one of several kinds is shown: by its constructor, with what is not `None`.
pub(crate) fn shown(event: &Bound<'_, PyAny>, class: &str) -> PyResult<String> {
    let kind = event.get_type();
    let mut parts = Vec::new();
    for name in kind.getattr("__match_args__")?.try_iter()? {
        let name = name?.cast_into::<PyString>()?;
        let value = event.getattr(&name)?;
        if !value.is_none() {
            parts.push(format!("{name}={}", value.repr()?));
        }
    }
    Ok(format!("{class}.{}({})", kind.name()?, parts.join(", ")))
}

/// Whether two of them are of the same kind and have equal parts.
pub(crate) fn equal(event: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = event.get_type();
    if !other.get_type().is(&kind) {
        return Ok(false);
    }
    for name in kind.getattr("__match_args__")?.try_iter()? {
        let name = name?.cast_into::<PyString>()?;
        if !event.getattr(&name)?.eq(other.getattr(&name)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The parts that say what a text came to.
pub(crate) struct Verdict {
    pub(crate) status: &'static str,
    pub(crate) reason: Option<String>,
    pub(crate) value: Py<PyAny>,
    pub(crate) raw: Option<String>,
    pub(crate) text: String,
    pub(crate) error: Py<PyAny>,
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
            value: match value {
                Some(value) => build(py, value.text(), fractions, &mut Keys::default())?.unbind(),
                None => py.None(),
            },
            raw: value.map(|value| on_one_line(value.text())),
            text: payload.raw().to_owned(),
            error: match payload.error() {
                Some(error) => exception(py, error, None)?.unbind(),
                None => py.None(),
            },
        })
    }
}

fn event<'py>(
    py: Python<'py>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut Paths,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let made = match event {
        CoreEvent::Text(text) => EnvelopeEvent::Text { text: (*text).to_owned() },
        CoreEvent::Begin { delimiter, open, offset } => {
            paths.clear();
            EnvelopeEvent::Begin { mark: delimiter.to_string(), open: (*open).to_owned(), offset: *offset }
        }
        CoreEvent::Match { delimiter, event } => EnvelopeEvent::Match {
            mark: delimiter.to_string(),
            event: event_object(py, event, 0, fractions, paths)?.unbind(),
        },
        CoreEvent::Fragment { delimiter, text } => {
            EnvelopeEvent::Fragment { mark: delimiter.to_string(), text: (*text).to_owned() }
        }
        CoreEvent::End { delimiter, payload, close, .. } => {
            let Verdict { status, value, raw, text, error, .. } = Verdict::of(py, payload, fractions)?;
            let (mark, status, close) = (delimiter.to_string(), status.to_owned(), (*close).to_owned());
            EnvelopeEvent::End { mark, status, value, raw, text, error, close }
        }
        _ => return Ok(None),
    };
    Ok(Some(made.into_pyobject(py)?.into_any()))
}

/// Separates what a person should see from payloads between delimiters.
///
/// ``marks`` are ``"comment:NAME"``, ``"fence:INFO"``, ``"tag:NAME"``, ``"bare"`` or ``"bare:object"``, with ``":json"`` or
/// ``":raw"`` appended to say what to expect there. The patterns apply to each payload; the options are those of ``Parser``.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct Envelope(Mutex<Inner>);

struct Inner {
    envelope: jsonspigot::envelope::Envelope,
    utf8: Utf8,
    fractions: Fractions,
    paths: Paths,
}

impl Inner {
    fn finish<'py>(&mut self, py: Python<'py>, told: &mut Told<'py>) {
        let Self { envelope, fractions, paths, utf8: _ } = self;
        envelope.finish_with(|told_event| push(told, event(py, &told_event, *fractions, paths)));
    }
}

/// The events, or why the text is not text.
fn checked<'py>(py: Python<'py>, read: Result<(), Flaw>, events: Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    let Err(Flaw { kind, offset, line, column }) = read else { return Ok(events) };
    let (title, expected) = match kind {
        "incomplete" => (kind, "expected the rest of a character"),
        _ => ("invalid UTF-8", "expected text in UTF-8"),
    };
    let message = format!("{title}: {expected} at line {line} column {column} (byte {offset}) in $");
    Err(own_at(py, &message, kind, (offset, line, column), "$", Some(events)))
}

impl Envelope {
    /// An envelope as it is made, or as `state` was saved.
    fn made(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        payload_limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
        state: Option<&[u8]>,
    ) -> PyResult<Self> {
        let marks_given: Vec<String> = if marks.is_instance_of::<PyString>() {
            vec![marks.extract()?]
        } else {
            marks.try_iter()?.map(|mark| mark?.extract()).collect::<PyResult<_>>()?
        };
        let delimiters: Vec<Delimiter> = marks_given
            .iter()
            .map(|mark| mark.parse().map_err(|error| PyValueError::new_err(format!("mark '{mark}': {error}"))))
            .collect::<PyResult<_>>()?;
        let options = Options::of(options)?;
        let builder = jsonspigot::envelope::Envelope::builder().parser(options.builder_retaining(Retain::Matches));
        let limit = payload_limit.map(|value| limit("payload_limit", value)).transpose()?.flatten();
        let builder = match limit {
            Some(limit) => builder.payload_limit(limit),
            None => builder,
        };
        let patterns = pattern_set(patterns)?;
        let (envelope, utf8) = match state {
            None => (builder.build(delimiters, &patterns), Utf8::default()),
            Some(state) => Saved::of(state)
                .and_then(|saved| Ok((builder.restore(delimiters, &patterns, saved.state)?, Utf8::of(&saved)?)))
                .map_err(|error| bad_state(marks.py(), &error))?,
        };
        Ok(Self(Mutex::new(Inner { envelope, utf8, fractions: options.fractions, paths: Paths::default() })))
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        locked(&self.0, "envelope")
    }
}

fn push<'py>(told: &mut Told<'py>, event: PyResult<Option<Bound<'py, PyAny>>>) {
    if let Some(event) = event.transpose() {
        told.push(event);
    }
}

#[pymethods]
impl Envelope {
    #[new]
    #[pyo3(signature = (marks, patterns = None, *, payload_limit = None, **options))]
    fn new(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        payload_limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::made(marks, patterns, payload_limit, options, None)
    }

    /// The envelope's state as bytes, between two chunks: with what is held back, and the text of the open payload. See
    /// ``Parser.save``.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        Ok(PyBytes::new(py, &inner.utf8.add_to(inner.envelope.save())))
    }

    /// The envelope that was saved, with the marks, patterns and options that it had; see ``Parser.restore``.
    #[staticmethod]
    #[pyo3(signature = (marks, patterns, state, *, payload_limit = None, **options))]
    fn restore(
        marks: &Bound<'_, PyAny>,
        patterns: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        payload_limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        Self::made(marks, patterns, payload_limit, options, Some(state.bytes()))
    }

    /// Feeds the next piece of the text, as ``str`` or as UTF-8 cut anywhere.
    ///
    /// Raises ``JsonSpigotError`` if it is not UTF-8; its ``events`` are those before the bad byte, and the end of an open
    /// payload. Every later call raises the same error, until ``reset``.
    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut inner = self.lock()?;
        let chunk = Chunk::of(chunk, || inner.utf8.offset())?;
        let mut told = Told::new(py);
        let had_flaw = inner.utf8.has_flaw();
        let Inner { envelope, utf8, fractions, paths } = &mut *inner;
        let read = utf8.feed(chunk.bytes(), |text| {
            envelope.feed_with(text, |told_event| push(&mut told, event(py, &told_event, *fractions, paths)));
        });
        if read.is_err() && !had_flaw {
            inner.finish(py, &mut told);
        }
        checked(py, read, told.finish()?)
    }

    /// Ends the text: text that was held back is returned, and a payload that is still open is truncated.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut inner = self.lock()?;
        let mut told = Told::new(py);
        if !inner.utf8.has_flaw() {
            inner.finish(py, &mut told);
        }
        checked(py, inner.utf8.finish(), told.finish()?)
    }

    /// Begins a new text.
    fn reset(&self) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.envelope.reset();
        inner.paths.clear();
        inner.utf8 = Utf8::default();
        Ok(())
    }
}

/// The bytes of an event that an SDK gave as bytes, or nothing.
pub(crate) fn bytes_of<'a>(event: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    event.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes())
}
