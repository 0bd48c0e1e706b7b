//! The exceptions. `JsonSpigotError` and `PatternError` are Python classes (`_errors.py`), because a class of ours cannot
//! extend `ValueError` in the stable ABI before 3.12, and because they pickle that way; they are raised here. Deviations are made here too.

use jsonspigot::{Deviation, Error, PatternError, RestoreError};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple, PyType};

/// Makes a `JsonSpigotError` of a message, a kind, a place (offset, line, column), a path and the events before it.
fn made<'py>(
    py: Python<'py>,
    message: &str,
    kind: &str,
    (offset, line, column): (u64, u64, u64),
    path: Option<&str>,
    events: Option<Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let events = events.unwrap_or_else(|| PyList::empty(py));
    let class = CLASS.import(py, "jsonspigot._errors", "JsonSpigotError")?;
    class.call1((message, kind, offset, line, column, path, events))
}

/// Returns an error as an exception object, with the events before it in the same chunk.
pub(crate) fn exception<'py>(
    py: Python<'py>,
    error: &Error,
    events: Option<Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyAny>> {
    let place = (error.offset(), error.line(), error.column());
    made(py, &error.to_string(), error.kind().name(), place, error.path(), events)
}

/// Returns the exception to raise for an error of the library.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    raised_after(py, error, None)
}

pub(crate) fn raised_after(py: Python<'_>, error: &Error, events: Option<Bound<'_, PyList>>) -> PyErr {
    exception(py, error, events).map_or_else(|error| error, PyErr::from_value)
}

/// Returns an error of the binding's own, of a kind that the library has too.
pub(crate) fn own(py: Python<'_>, message: &str, kind: &str, offset: u64, path: &str) -> PyErr {
    own_at(py, message, kind, (offset, 0, 0), path, None)
}

/// Returns an error of the binding's own with a place (offset, line, column) and the events before it.
pub(crate) fn own_at(
    py: Python<'_>,
    message: &str,
    kind: &str,
    place: (u64, u64, u64),
    path: &str,
    events: Option<Bound<'_, PyList>>,
) -> PyErr {
    made(py, message, kind, place, Some(path), events).map_or_else(|error| error, PyErr::from_value)
}

/// Returns the error for a state that is refused. It has no place in a text.
pub(crate) fn bad_state(py: Python<'_>, error: &RestoreError) -> PyErr {
    own(py, &error.to_string(), error.name(), 0, "$")
}

pub(crate) fn bad_pattern(py: Python<'_>, error: &PatternError) -> PyErr {
    let raise = || -> PyResult<PyErr> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "jsonspigot._errors", "PatternError")?;
        let (pattern, index) = (error.pattern(), error.index());
        Ok(PyErr::from_value(class.call1((error.to_string(), pattern, index, error.column(), error.reason()))?))
    };
    raise().unwrap_or_else(|error| error)
}

/// Returns the error for a `str` that UTF-8 cannot encode: it was not read at all, so the parser is as it was.
pub(crate) fn lone_surrogate(py: Python<'_>, cause: PyErr, offset: u64) -> PyErr {
    if !cause.is_instance_of::<PyUnicodeEncodeError>(py) {
        return cause;
    }
    let made = || py.import("jsonspigot._errors")?.call_method1("lone_surrogate", (cause.value(py), offset));
    made().map_or_else(|error| error, PyErr::from_value)
}

/// Returns deviations as tuples of kind, offset, line and column.
pub(crate) fn deviations<'py>(py: Python<'py>, listed: &[Deviation]) -> PyResult<Bound<'py, PyTuple>> {
    if listed.is_empty() {
        return Ok(PyTuple::empty(py));
    }
    let class = py.import("jsonspigot._types")?.getattr("Deviation")?;
    let made = listed.iter().map(|deviation| {
        class.call1((deviation.kind().name(), deviation.offset(), deviation.line(), deviation.column()))
    });
    PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
}
