//! `values` and `rows`: nothing but whole values, each made at once, without the events around it.

use jsonspigot::{DocumentEvent, Documents, EndedDocument, Error, Event, EventKind, Parser, PatternSet, Retain};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::documents::named;
use crate::error::{own_at, raised_after};
use crate::event::Told;
use crate::options::{Arguments, pattern_set};
use crate::value::{Fractions, build};

/// Reads a text, or many, and returns the whole values that the patterns select, or without any, the texts themselves.
/// With columns, it returns a row of them for each text. See ``jsonspigot.values`` and ``jsonspigot.rows``.
#[pyclass(name = "_Values", module = "jsonspigot._native")]
pub(crate) struct Values {
    reader: Reader,
    selects: bool,
    columns: Option<Columns>,
    fractions: Fractions,
}

enum Reader {
    One(Parser),
    Many(Documents),
}

/// The columns of rows, and the row of the open text.
struct Columns {
    /// The name of each pattern's column, and whether it may select several values.
    names: Vec<(Py<PyString>, bool)>,
    missing: Py<PyAny>,
    row: Py<PyDict>,
}

impl Columns {
    fn of(names: Vec<Py<PyString>>, patterns: &PatternSet, missing: Py<PyAny>, py: Python<'_>) -> PyResult<Self> {
        let selects_many = patterns.as_slice().iter().map(|pattern| !pattern.is_singular());
        let names = names.into_iter().zip(selects_many).collect();
        let mut columns = Self { names, missing, row: PyDict::new(py).unbind() };
        columns.end(py)?;
        Ok(columns)
    }

    /// Takes the row out, and begins another one.
    fn end<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let row = PyDict::new(py);
        for (name, has_many) in &self.names {
            match has_many {
                true => row.set_item(name, PyList::empty(py))?,
                false => row.set_item(name, &self.missing)?,
            }
        }
        Ok(std::mem::replace(&mut self.row, row.unbind()).into_bound(py))
    }

    fn put(&self, pattern: usize, value: Bound<'_, PyAny>) -> PyResult<()> {
        let (name, has_many) = &self.names[pattern];
        let row = self.row.bind(value.py());
        match row.get_item(name)? {
            Some(list) if *has_many => list.cast::<PyList>()?.append(value),
            _ => row.set_item(name, value),
        }
    }
}

/// The outcome of a chunk.
struct Made<'a, 'py> {
    py: Python<'py>,
    told: Told<'py>,
    fractions: Fractions,
    columns: &'a mut Option<Columns>,
}

impl Made<'_, '_> {
    fn keep(&mut self, made: impl FnOnce(&mut Self) -> PyResult<()>) {
        if self.told.failed.is_none() {
            self.told.failed = made(self).err();
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match &event.kind {
            EventKind::End(Some(value)) => self.keep(|made| {
                let value = build(made.py, value.text(), made.fractions)?;
                match made.columns {
                    Some(columns) => columns.put(event.pattern.index(), value),
                    None => made.told.list.append(value),
                }
            }),
            EventKind::InnerError(error) => self.error(error, None),
            _ => {}
        }
    }

    /// Adds the row of a text that has ended.
    fn row(&mut self) {
        self.keep(|made| match made.columns {
            Some(columns) => made.told.list.append(columns.end(made.py)?),
            None => Ok(()),
        });
    }

    /// Keeps the first error, with what came before it. In one of many texts, its place is that in the stream.
    fn error(&mut self, error: &Error, document: Option<&EndedDocument<'_>>) {
        self.keep(|made| {
            let events = Some(made.told.list.clone());
            let (Some(document), Some(place)) = (document, error.place()) else {
                return Err(raised_after(made.py, error, events));
            };
            let (offset, line) = (document.start() + place.offset, document.line() + place.line - 1);
            let spelt = |line, offset| format!(" at line {line} column {} (byte {offset})", place.column);
            let message = error.to_string().replacen(&spelt(place.line, place.offset), &spelt(line, offset), 1);
            let path = error.path().unwrap_or("$");
            Err(own_at(made.py, &message, error.kind().name(), (offset, line, place.column), path, events))
        });
    }
}

impl Values {
    fn read<'py>(&mut self, py: Python<'py>, chunk: Option<&[u8]>) -> PyResult<Bound<'py, PyList>> {
        let Self { reader, selects, columns, fractions } = self;
        let mut made = Made { py, told: Told::new(py), fractions: *fractions, columns };
        let read = match reader {
            Reader::One(parser) => {
                let on_event = |event: Event<'_>| made.event(&event);
                match chunk {
                    Some(chunk) => parser.feed_with(chunk, on_event),
                    None => parser.finish_with(on_event).inspect(|()| made.row()),
                }
            }
            Reader::Many(documents) => {
                let on_event = |event: DocumentEvent<'_>| match event {
                    DocumentEvent::Match { event, .. } => made.event(&event),
                    DocumentEvent::End(ended) if *selects => match ended.error() {
                        Some(error) => made.error(error, Some(&ended)),
                        None => made.row(),
                    },
                    DocumentEvent::End(ended) => match ended.complete() {
                        Ok(value) => made.keep(|made| made.told.list.append(build(py, value.text(), made.fractions)?)),
                        Err(error) => made.error(&error, Some(&ended)),
                    },
                    _ => {}
                };
                match chunk {
                    Some(chunk) => documents.feed_with(chunk, on_event),
                    None => documents.finish_with(on_event),
                }
            }
        };
        made.told.finish(read)
    }
}

#[pymethods]
impl Values {
    #[new]
    #[pyo3(signature = (patterns, framing, columns = None, missing = None, **options))]
    fn new(
        py: Python<'_>,
        patterns: Option<&Bound<'_, PyAny>>,
        framing: Option<&str>,
        columns: Option<Vec<Py<PyString>>>,
        missing: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = Arguments::of(py, options)?.options(false)?;
        let set = pattern_set(patterns)?;
        let missing = missing.unwrap_or_else(|| py.None());
        let columns = columns.map(|names| Columns::of(names, &set, missing, py)).transpose()?;
        let reader = match framing {
            None => Reader::One(options.builder_retaining(Retain::Matches).patterns(&set).build()),
            Some(framing) => {
                let retain = if patterns.is_some() { Retain::Matches } else { Retain::All };
                let parser = options.builder_retaining(retain).patterns(&set).build();
                Reader::Many(Documents::new(named(framing)?, parser))
            }
        };
        Ok(Self { reader, selects: patterns.is_some(), columns, fractions: options.fractions })
    }

    fn feed<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let offset = match &self.reader {
            Reader::One(parser) => parser.offset(),
            Reader::Many(documents) => documents.offset(),
        };
        let bytes = Chunk::of(chunk, || offset)?;
        self.read(chunk.py(), Some(bytes.bytes()))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.read(py, None)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.columns.iter().try_for_each(|columns| visit.call(&columns.missing).and_then(|()| visit.call(&columns.row)))
    }

    fn __clear__(&mut self) {
        self.columns = None;
    }
}
