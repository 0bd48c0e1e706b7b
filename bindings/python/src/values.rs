//! `values`: nothing but whole values, each made at once, without the events around it.

use jsonspigot::{DocumentEvent, Documents, Error, Event, EventKind, Parser, Retain};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::chunk::Chunk;
use crate::documents::{Lines, named};
use crate::error::{exception, raised_after};
use crate::keys::Keys;
use crate::options::{Options, pattern_set};
use crate::value::{Fractions, build};

/// Reads a text, or many, and gives the whole values that the patterns select, or without any, the texts themselves. See
/// ``jsonspigot.values``.
#[pyclass(module = "jsonspigot._native")]
pub(crate) struct Values {
    reader: Reader,
    selects: bool,
    fractions: Fractions,
    keys: Keys,
    failed: Option<Py<PyAny>>,
}

enum Reader {
    One(Parser),
    Many(Documents, Lines),
}

/// The outcome of a chunk.
struct Made<'a, 'py> {
    py: Python<'py>,
    list: Bound<'py, PyList>,
    fractions: Fractions,
    keys: &'a mut Keys,
    failed: Option<PyErr>,
}

impl Made<'_, '_> {
    fn value(&mut self, text: &str) {
        if self.failed.is_none() {
            let made = build(self.py, text, self.fractions, self.keys).and_then(|value| self.list.append(value));
            self.failed = made.err();
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match &event.kind {
            EventKind::End(Some(value)) => self.value(value.text()),
            EventKind::InnerError(error) => self.error(error, None),
            _ => {}
        }
    }

    /// The first error, with what came before it, and with its line if it is one of many.
    fn error(&mut self, error: &Error, line: Option<u64>) {
        if self.failed.is_some() {
            return;
        }
        let made = || -> PyResult<PyErr> {
            let error = exception(self.py, error, Some(self.list.clone()))?;
            if let Some(line) = line {
                error.call_method1("add_note", (format!("in line {line} of the stream"),))?;
            }
            Ok(PyErr::from_value(error))
        };
        self.failed = Some(made().unwrap_or_else(|error| error));
    }
}

impl Values {
    fn read<'py>(&mut self, py: Python<'py>, chunk: Option<&[u8]>) -> PyResult<Bound<'py, PyList>> {
        let Self { reader, selects, fractions, keys, failed } = self;
        if let Some(failed) = failed {
            let error = failed.bind(py);
            error.setattr("events", PyList::empty(py))?;
            return Err(PyErr::from_value(error.clone()));
        }
        let mut made = Made { py, list: PyList::empty(py), fractions: *fractions, keys, failed: None };
        let read = match reader {
            Reader::One(parser) => {
                let on_event = |event: Event<'_>| made.event(&event);
                match chunk {
                    Some(chunk) => parser.feed_with(chunk, on_event),
                    None => parser.finish_with(on_event),
                }
            }
            Reader::Many(documents, lines) => {
                lines.begin(documents.offset(), chunk.unwrap_or_default());
                let on_event = |event: DocumentEvent<'_>| match event {
                    DocumentEvent::Match { event, .. } => made.event(&event),
                    DocumentEvent::End(ended) => match ended.error() {
                        Some(error) => made.error(error, lines.of_document(ended.start())),
                        None if *selects => {}
                        None => match ended.complete() {
                            Ok(value) => made.value(value.text()),
                            Err(error) => made.error(&error, lines.of_document(ended.start())),
                        },
                    },
                    _ => {}
                };
                match chunk {
                    Some(chunk) => documents.feed_with(chunk, on_event),
                    None => documents.finish_with(on_event),
                }
            }
        };
        let Made { list, failed: wrong, .. } = made;
        let wrong = wrong.or_else(|| read.err().map(|error| raised_after(py, &error, Some(list.clone()))));
        match wrong {
            None => Ok(list),
            Some(error) => {
                *failed = Some(error.value(py).clone().unbind().into_any());
                Err(error)
            }
        }
    }
}

#[pymethods]
impl Values {
    #[new]
    #[pyo3(signature = (patterns, framing, **options))]
    fn new(
        patterns: Option<&Bound<'_, PyAny>>,
        framing: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = Options::of(options)?;
        let set = pattern_set(patterns)?;
        let reader = match framing {
            None => Reader::One(options.builder_retaining(Retain::Matches).patterns(&set).build()),
            Some(framing) => {
                let retain = if patterns.is_some() { Retain::Matches } else { Retain::All };
                let framing = named(framing)?;
                let parser = options.builder_retaining(retain).patterns(&set).build();
                Reader::Many(Documents::new(framing, parser), Lines::of(framing))
            }
        };
        let fractions = options.fractions;
        Ok(Self { reader, selects: patterns.is_some(), fractions, keys: Keys::default(), failed: None })
    }

    fn feed<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let offset = match &self.reader {
            Reader::One(parser) => parser.offset(),
            Reader::Many(documents, _) => documents.offset(),
        };
        let bytes = Chunk::of(chunk, || offset)?;
        self.read(chunk.py(), Some(bytes.bytes()))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.read(py, None)
    }
}
