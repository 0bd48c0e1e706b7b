//! `Envelope`: payloads between delimiters in text.

use std::sync::{Mutex, MutexGuard};

use jsonspigot::envelope::{Delimiter, EnvelopeEvent as CoreEvent};
use jsonspigot::{Payload, PayloadStatus, Retain};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::chunk::Chunk;
use crate::error::{exception, own_at};
use crate::event::{Paths, Told, event_object};
use crate::keys::Keys;
use crate::options::{Options, limit, pattern_set};
use crate::parser::locked;
use crate::utf8::Utf8;
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
    /// How many bytes and lines have been read, and where the last line begins.
    bytes: u64,
    lines: u64,
    line_start: u64,
    /// Why the text is not text: the error's kind, and its offset, line and column.
    flaw: Option<(&'static str, (u64, u64, u64))>,
}

impl Inner {
    fn count_lines(&mut self, read: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', read) {
            self.line_start = self.bytes + last as u64 + 1;
        }
        self.bytes += read.len() as u64;
    }

    fn refuse(&mut self, kind: &'static str, offset: u64) {
        self.flaw = Some((kind, (offset, self.lines + 1, offset - self.line_start + 1)));
    }

    fn checked<'py>(&self, py: Python<'py>, events: Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        let Some((kind, place)) = self.flaw else { return Ok(events) };
        let (title, expected) = match kind {
            "incomplete" => (kind, "expected the rest of a character"),
            _ => ("invalid UTF-8", "expected text in UTF-8"),
        };
        let (offset, line, column) = place;
        let message = format!("{title}: {expected} at line {line} column {column} (byte {offset}) in $");
        Err(own_at(py, &message, kind, place, "$", Some(events)))
    }

    fn finish<'py>(&mut self, py: Python<'py>, told: &mut Told<'py>) {
        let Self { envelope, fractions, paths, .. } = self;
        envelope.finish_with(|told_event| push(told, event(py, &told_event, *fractions, paths)));
    }
}

impl Envelope {
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
        let marks: Vec<String> =
            if marks.is_instance_of::<PyString>() { vec![marks.extract()?] } else { marks.extract()? };
        let delimiters: Vec<Delimiter> = marks
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
        Ok(Self(Mutex::new(Inner {
            envelope: builder.build(delimiters, &pattern_set(patterns)?),
            utf8: Utf8::default(),
            fractions: options.fractions,
            paths: Paths::default(),
            bytes: 0,
            lines: 0,
            line_start: 0,
            flaw: None,
        })))
    }

    /// Feeds the next piece of the text, as ``str`` or as UTF-8 cut anywhere.
    ///
    /// Raises ``JsonSpigotError`` if it is not UTF-8; its ``events`` are those before the bad byte, and the end of an open
    /// payload. Every later call raises the same error, until ``reset``.
    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut inner = self.lock()?;
        let chunk = Chunk::of(chunk, || inner.bytes)?;
        let mut told = Told::new(py);
        if inner.flaw.is_none() {
            let Inner { envelope, utf8, fractions, paths, .. } = &mut *inner;
            let read = utf8.feed(chunk.bytes(), |text| {
                envelope.feed_with(text, |told_event| push(&mut told, event(py, &told_event, *fractions, paths)));
            });
            let Err(bad) = read else {
                inner.count_lines(chunk.bytes());
                return told.finish();
            };
            let good = usize::try_from(bad.offset.saturating_sub(inner.bytes)).unwrap_or(usize::MAX);
            inner.count_lines(&chunk.bytes()[..good.min(chunk.bytes().len())]);
            inner.refuse("invalid-utf8", bad.offset);
            inner.finish(py, &mut told);
        }
        inner.checked(py, told.finish()?)
    }

    /// Ends the text: what was held back is told, and a payload that is still open is truncated.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut inner = self.lock()?;
        let mut told = Told::new(py);
        if inner.flaw.is_none() {
            inner.finish(py, &mut told);
            if inner.utf8.is_inside_character() {
                let end = inner.bytes;
                inner.refuse("incomplete", end);
            }
        }
        inner.checked(py, told.finish()?)
    }

    /// Begins a new text.
    fn reset(&self) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.envelope.reset();
        inner.paths.clear();
        (inner.utf8, inner.bytes, inner.lines, inner.line_start, inner.flaw) = (Utf8::default(), 0, 0, 0, None);
        Ok(())
    }
}

/// The bytes of an event that an SDK gave as bytes, or nothing.
pub(crate) fn bytes_of<'a>(event: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    event.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes())
}
