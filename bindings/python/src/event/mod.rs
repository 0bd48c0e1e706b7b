//! Events as a caller gets them, made of the library's events. The classes are in `classes.rs`, and the paths of open matches in
//! `paths.rs`.

mod classes;
pub(crate) mod data;
mod paths;

use jsonspigot::{Error, Event, EventKind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

pub(crate) use self::classes::{Begin, Delta, End, InnerError, Value};
pub(crate) use self::data::{Data, with_fields};
pub(crate) use self::paths::Paths;
use crate::error::{exception, raised_after};
use crate::value::Fractions;

/// The text of a chunk as an object that is there already: often a delta is all of it.
pub(crate) type ChunkText<'a, 'py> = Option<(&'a [u8], &'a Bound<'py, PyString>)>;

/// Returns the Python object of an event, which may be of this chunk.
#[inline]
pub(crate) fn event_object<'py>(
    py: Python<'py>,
    event: &Event<'_>,
    document: u64,
    fractions: Fractions,
    paths: &mut Paths,
    chunk: ChunkText<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (pattern, match_id, offset) = (event.pattern.index() as u32, event.match_id, event.offset);
    match &event.kind {
        EventKind::Begin(kind) => {
            let (path, kind) = (paths.begin(py, event), PyString::intern(py, kind.name()).unbind());
            Ok(Bound::new(py, with_fields(Begin { path, kind, pattern, match_id, offset, document }))?.into_any())
        }
        EventKind::Delta(text) => {
            let path = paths.of(py, event);
            let text = match chunk {
                Some((all, object)) if all == text.as_bytes() => object.clone().unbind(),
                _ => PyString::new(py, text).unbind(),
            };
            Ok(Bound::new(py, with_fields(Delta { path, text, pattern, match_id, offset, document }))?.into_any())
        }
        EventKind::End(value) => {
            let path = paths.end(py, event);
            let value = Value::of(value.as_ref().map(|value| value.text()), fractions);
            let end = End { path, value, pattern, match_id, offset, document };
            Ok(Bound::new(py, with_fields(end))?.into_any())
        }
        EventKind::InnerError(error) => {
            let (path, error) = (paths.spell(py, event), exception(py, error, None)?.unbind());
            let event = InnerError { path, error, pattern, match_id, offset, document };
            Ok(Bound::new(py, with_fields(event))?.into_any())
        }
        _ => Err(pyo3::exceptions::PyRuntimeError::new_err("an event that this version does not know")),
    }
}

/// The events of one call. The first exception ends them, but not the parsing.
pub(crate) struct Told<'py> {
    pub(crate) list: Bound<'py, PyList>,
    pub(crate) failed: Option<PyErr>,
}

impl<'py> Told<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { list: PyList::empty(py), failed: None }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: PyResult<Bound<'py, PyAny>>) {
        if self.failed.is_none()
            && let Err(error) = event.and_then(|event| self.list.append(event))
        {
            self.failed = Some(error);
        }
    }

    /// Adds an event; none of a kind that this version does not know.
    pub(crate) fn push_some(&mut self, event: PyResult<Option<Bound<'py, PyAny>>>) {
        if let Some(event) = event.transpose() {
            self.push(event);
        }
    }

    /// Returns the events, or raises the error that ended the reading, which has them too.
    pub(crate) fn finish(self, read: Result<(), Error>) -> PyResult<Bound<'py, PyList>> {
        let Self { list, failed } = self;
        let read = read.map_err(|error| raised_after(list.py(), &error, Some(list.clone())));
        failed.map_or(read, Err)?;
        Ok(list)
    }
}
