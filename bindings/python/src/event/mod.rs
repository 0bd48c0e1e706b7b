//! Events as a caller gets them, made of the library's events. The classes are in `classes.rs`, and the paths of open matches in
//! `paths.rs`.

use jsonspigot::{Event, EventKind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

pub(crate) use self::classes::{Begin, Delta, End, InnerError, Value};
pub(crate) use self::paths::Paths;
use crate::error::exception;
use crate::value::Fractions;

/// The methods that all classes of events have in common: they are data.
macro_rules! event_methods {
    ($class:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            /// Return the event as a dict that ``json.dumps`` takes, with its ``type``.
            fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
                $crate::event::data::to_dict(slf.as_any())
            }

            /// Iterate over the items of ``to_dict``, so that ``dict(event)`` is the same.
            fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
                $crate::event::data::to_dict(slf.as_any())?.items().try_iter()
            }

            fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
                $crate::event::data::equal(slf.as_any(), other)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<impl pyo3::IntoPyObject<'py> + use<'py>> {
                $crate::event::data::reduced(slf.as_any())
            }

            /// Return the serializer that pydantic uses where a type says ``Any``.
            #[getter]
            fn __pydantic_serializer__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $crate::event::data::module(slf.py())?.call_method1("serializer", (slf.as_any().get_type(),))
            }

            #[classmethod]
            fn __get_pydantic_core_schema__<'py>(
                class: &Bound<'py, pyo3::types::PyType>,
                _source: &Bound<'py, PyAny>,
                _handler: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $crate::event::data::module(class.py())?.call_method1("core_schema", (class,))
            }

            $($own)*
        }
    };
}
pub(crate) use event_methods;

mod classes;
pub(crate) mod data;
mod paths;

/// A string that is made once for the interpreter.
macro_rules! fixed {
    ($py:expr, $name:expr; $($known:literal),+) => {
        match $name {
            $($known => pyo3::intern!($py, $known).clone().unbind(),)+
            other => PyString::new($py, other).unbind(),
        }
    };
}

fn kind_string(py: Python<'_>, name: &str) -> Py<PyString> {
    fixed!(py, name; "null", "bool", "number", "string", "array", "object")
}

/// Returns the Python object of an event.
pub(crate) fn event_object<'py>(
    py: Python<'py>,
    event: &Event<'_>,
    document: u64,
    fractions: Fractions,
    paths: &mut Paths,
) -> PyResult<Bound<'py, PyAny>> {
    event_object_of(py, event, document, fractions, paths, None)
}

/// The text of a chunk as an object that is there already: often a delta is all of it.
pub(crate) type ChunkText<'a, 'py> = Option<(&'a [u8], &'a Bound<'py, PyString>)>;

/// Returns the Python object of an event of this chunk.
#[inline]
pub(crate) fn event_object_of<'py>(
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
            let (path, kind) = (paths.begin(py, event), kind_string(py, kind.name()));
            Ok(Bound::new(py, Begin { path, kind, pattern, match_id, offset, document })?.into_any())
        }
        EventKind::Delta(text) => {
            let path = paths.of(py, event);
            let text = match chunk {
                Some((all, object)) if all == text.as_bytes() => object.clone().unbind(),
                _ => PyString::new(py, text).unbind(),
            };
            Ok(Bound::new(py, Delta { path, text, pattern, match_id, offset, document })?.into_any())
        }
        EventKind::End(value) => {
            let path = paths.end(py, event);
            let value = Value::of(value.as_ref().map(|value| value.text()), fractions);
            let end = End { path, value, pattern, match_id, offset, document };
            Ok(Bound::new(py, end)?.into_any())
        }
        EventKind::InnerError(error) => {
            let (path, error) = (paths.spell(py, event), exception(py, error, None)?.unbind());
            Ok(Bound::new(py, InnerError { path, error, pattern, match_id, offset, document })?.into_any())
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

    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyList>> {
        self.failed.map_or(Ok(self.list), Err)
    }
}
