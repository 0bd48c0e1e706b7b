//! `Envelope`: payloads between delimiters in text.

use jsonspigot::internal::on_one_line;
use jsonspigot::{DuplicateKeys, Error, RestoreError, Retain};
use jsonspigot_framing::Utf8;
use jsonspigot_llm::{Delimiter, EnvelopeBuilder, EnvelopeEvent as CoreEvent, Payload};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::chunk::Chunk;
use crate::error::{deviations, exception};
use crate::event::data::{Making, add_classes, classes, event};
use crate::event::{Paths, Told, event_object};
use crate::lock::lock;
use crate::mirror::Mirror;
use crate::options::{Arguments, chosen, items, pattern_set, strings};
use crate::reader::{self, Reader, Saved, Shown, reader_methods};
use crate::typed::Watch;
use crate::value::Fractions;

/// Adds the classes of the events.
pub(crate) fn add_events(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let docs = "The events of an envelope: text around payloads, and the payloads' content.";
    let classes = classes! {
        /// Text outside payloads.
        Text { text }
        /// A payload begins. ``open`` is the delimiter as it was spelt, ``offset`` its first byte.
        Begin { mark, open, offset }
        /// An event of the payload's JSON.
        Match { mark, event }
        /// A piece of a payload that is plain text.
        Fragment { mark, text }
        /// A payload has ended. ``status`` is ``"complete"``, ``"accepted"`` (with accepted deviations),
        /// ``"empty"``, ``"truncated"``, ``"malformed"``, ``"trailing"`` or ``"raw"``; ``value``, made when it is first asked for,
        /// and ``raw`` (its JSON text on one line, as strict JSON) are there if it is complete or accepted; ``text`` is the
        /// payload as it arrived. ``values`` are the JSON texts of a trailing payload that has only whole values, and
        /// ``repeated`` is whether they are all equal.
        End { mark, status, value, raw, text, error, close, values, repeated, deviations, deviation_count }
    };
    add_classes(module, "EnvelopeEvent", docs, classes)
}

/// Adds the parts that say what a text came to.
pub(crate) fn put_end(
    making: &Making<'_>,
    py: Python<'_>,
    payload: &Payload<'_>,
    fractions: Fractions,
) -> PyResult<()> {
    let error = payload.error().map(|error| exception(py, error, None)).transpose()?;
    making.put_value(payload.value().map(|value| on_one_line(value.text())), fractions)?;
    making.put(intern!(py, "status"), payload.status().name())?;
    making.put(intern!(py, "text"), payload.raw())?;
    making.put(intern!(py, "error"), error)?;
    making.put(intern!(py, "values"), payload.values().into_iter().map(on_one_line).collect::<Vec<_>>())?;
    making.put(intern!(py, "repeated"), payload.is_repeated())?;
    making.put(intern!(py, "deviations"), deviations(py, payload.deviations())?)?;
    making.put(intern!(py, "deviation_count"), payload.deviation_count())
}

/// Returns an event's Python object; nothing for an event that this version does not know.
pub(crate) fn made<'py>(
    py: Python<'py>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut Paths,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(match event {
        CoreEvent::Text(text) => event!(py, EnvelopeEvent.Text { text: &**text }),
        CoreEvent::Begin { delimiter, open, offset } => {
            paths.clear();
            event!(py, EnvelopeEvent.Begin { mark: delimiter.to_string(), open: &**open, offset: *offset })
        }
        CoreEvent::Match { delimiter, event } => {
            let event = event_object(py, event, 0, fractions, paths, None)?;
            event!(py, EnvelopeEvent.Match { mark: delimiter.to_string(), event: event })
        }
        CoreEvent::Fragment { delimiter, text } => {
            event!(py, EnvelopeEvent.Fragment { mark: delimiter.to_string(), text: &**text })
        }
        CoreEvent::End { delimiter, payload, close, .. } => {
            let (mark, end) = (delimiter.to_string(), |making: &_| put_end(making, py, payload, fractions));
            event!(py, EnvelopeEvent.End { mark: mark, close: &**close }, end)
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
/// - ``payload_limit``: the most bytes of a payload. Default 16 MiB.
/// - ``starts_inside``: the text begins inside a payload of the first mark, as in ``...</think>answer``.
/// - ``saveable``: buffer the text since the open payload began, for ``save``, up to 1 MiB or the bytes given instead.
///
/// With ``models``, by the mark, there is also a ``TypedPayload`` each time that more of such a payload is known, the last one
/// just before its ``End``; with ``snapshots=False`` only that one.
#[pyclass(module = "jsonspigot")]
pub(crate) struct Envelope {
    envelope: jsonspigot_llm::Envelope,
    utf8: Utf8,
    paths: Paths,
    shown: Shown,
}

/// Reads marks: one, or an iterable of them.
pub(crate) fn delimiters(marks: &Bound<'_, PyAny>) -> PyResult<Vec<Delimiter>> {
    let read = |mark: &String| {
        mark.parse::<Delimiter>().map_err(|error| PyValueError::new_err(format!("mark '{mark}': {error}")))
    };
    strings("marks", marks)?.iter().map(read).collect()
}

/// Returns the models by the marks as the envelope spells them.
fn by_mark<'py>(models: &Bound<'py, PyAny>, delimiters: &[Delimiter]) -> PyResult<Bound<'py, PyDict>> {
    let by_mark = PyDict::new(models.py());
    for pair in items("models", models)? {
        let (mark, model): (String, Bound<'_, PyAny>) = pair.extract()?;
        let is_one = |delimiter: &&Delimiter| mark.parse().is_ok_and(|mark: Delimiter| mark == **delimiter);
        let Some(delimiter) = delimiters.iter().find(is_one) else {
            return Err(PyValueError::new_err(format!("models: '{mark}' is not among the marks")));
        };
        if delimiter.name().is_some() && *delimiter == delimiter.clone().raw() {
            return Err(PyValueError::new_err(format!("models: what '{mark}' marks is text, not JSON")));
        }
        by_mark.set_item(delimiter.to_string(), model)?;
    }
    Ok(by_mark)
}

impl Envelope {
    /// Reads, and returns the events, or raises the error of text that is not UTF-8.
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut Self, &mut Told<'py>) -> Result<(), Error>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut told = Told::new(py);
        let read = read(self, &mut told);
        told.finish(read)
    }

    /// Ends the text, and adds its events.
    fn end<'py>(&mut self, py: Python<'py>, told: &mut Told<'py>) {
        let Self { envelope, paths, shown, .. } = self;
        envelope.finish_with(|event| told.push_some(shown_event(py, &event, shown, paths)));
    }
}

/// Returns an event's object, and forgets the objects of the payload before it.
fn shown_event<'py>(
    py: Python<'py>,
    event: &CoreEvent<'_>,
    shown: &mut Shown,
    paths: &mut Paths,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if matches!(event, CoreEvent::Begin { .. }) {
        shown.end(0);
    }
    made(py, event, shown.options.fractions, paths)
}

impl Saved for Envelope {
    const HAS_SAVEABLE: bool = true;

    fn saved(&self) -> Result<Vec<u8>, Error> {
        self.envelope.save().and_then(|state| self.utf8.save_with(state))
    }

    fn resume(&mut self, state: &[u8]) -> Result<(), RestoreError> {
        let new = self.envelope.clone();
        (self.utf8, self.envelope) = Utf8::new().restore_with(state, |state| new.restore(state))?;
        Ok(())
    }
}

impl Reader for Envelope {
    fn shown(&mut self) -> &mut Shown {
        &mut self.shown
    }

    fn open(&mut self, _: Option<u64>) -> Option<(&jsonspigot::Parser, &mut Mirror)> {
        let parser = self.envelope.parser()?;
        parser.has_snapshots().then_some((parser, self.shown.mirror(0)))
    }
}

reader_methods! {
    Envelope(marks, patterns)
    /// Return the envelope's state between two chunks as bytes: the text since the open payload began. See ``Parser.save``.
    ///
    /// Raises ``JsonSpigotError`` unless the envelope was made ``saveable``, and while the payload is longer than its limit.
    save,
    /// Return the envelope that was saved, ``saveable`` again unless you say otherwise.
    ///
    /// The marks, patterns and options are those that it had; see ``Parser.restore``.
    restore,
    /// Return a typed view of the open payload, and of each later one; see ``Typed``.
    ///
    /// Between payloads, ``look`` returns the last one's complete value, or the last look at one that was cut or wrong. Needs
    /// the options that ``Parser.typed`` needs.
    typed,
    {
        #[new]
        #[pyo3(signature = (marks, patterns = None, *, models = None, **options))]
        fn new(
            marks: &Bound<'_, PyAny>,
            patterns: Option<&Bound<'_, PyAny>>,
            models: Option<&Bound<'_, PyAny>>,
            options: Option<&Bound<'_, PyDict>>,
        ) -> PyResult<Self> {
            let arguments = Arguments::of(marks.py(), options)?;
            let (payload_limit, starts_inside) = (arguments.limit("payload_limit")?, arguments.flag("starts_inside")?);
            let save_limit = arguments.save_limit()?;
            let options = arguments.options(models.is_some())?;
            let delimiters = delimiters(marks)?;
            let mut watch = Watch::default();
            if let Some(models) = models {
                options.require_typed(DuplicateKeys::LastWins)?;
                watch = Watch::telling(models.py(), "Payloads", by_mark(models, &delimiters)?.as_any())?;
            }
            let builder = jsonspigot_llm::Envelope::builder().parser(options.builder_retaining(Retain::Matches));
            let builder = chosen(builder, payload_limit, EnvelopeBuilder::payload_limit);
            let builder = if starts_inside { builder.starts_inside() } else { builder };
            let builder = chosen(builder, save_limit, EnvelopeBuilder::saveable);
            let envelope = builder.build(delimiters, &pattern_set(patterns)?);
            Ok(Self { envelope, utf8: Utf8::new(), paths: Paths::default(), shown: Shown::new(options, watch) })
        }

        /// Read the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and return its events.
        ///
        /// Raises ``JsonSpigotError`` if it is not UTF-8; its ``events`` are those before the bad byte, and the end of an open
        /// payload. Every later call raises the same error, until ``reset``.
        fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
            reader::read(slf, |reader, py| {
                let chunk = Chunk::of(chunk, || reader.utf8.offset())?;
                reader.read(py, |reader, told| {
                    let had_error = reader.utf8.error().is_some();
                    let Self { envelope, utf8, paths, shown } = reader;
                    let read = utf8.feed_with(chunk.bytes(), |text| {
                        envelope.feed_with(text, |event| told.push_some(shown_event(py, &event, shown, paths)));
                    });
                    if read.is_err() && !had_error {
                        reader.end(py, told);
                    }
                    read
                })
            })
        }

        /// End the text, and return the events. A payload that is still open is truncated.
        fn finish<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
            reader::read(slf, |reader, py| {
                reader.read(py, |reader, told| {
                    if reader.utf8.error().is_none() {
                        reader.end(py, told);
                    }
                    reader.utf8.finish()
                })
            })
        }

        /// The mark of the open payload; ``None`` between payloads.
        #[getter]
        fn open_mark(slf: &Bound<'_, Self>) -> PyResult<Option<String>> {
            Ok(lock(slf)?.envelope.open_payload().map(ToString::to_string))
        }

        /// Begin a new text.
        fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
            reader::reset(slf, |reader| {
                reader.envelope.reset();
                reader.utf8 = Utf8::new();
                reader.paths.clear();
            })
        }

        fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
            let reader = lock(slf)?;
            let marks: Vec<_> = reader.envelope.delimiters().iter().map(ToString::to_string).collect();
            let open = reader.envelope.open_payload().map_or_else(|| "text".to_owned(), |open| format!("in {open}"));
            Ok(format!("<jsonspigot.Envelope {}, {open}, {} bytes>", marks.join(" "), reader.utf8.offset()))
        }
    }
}
