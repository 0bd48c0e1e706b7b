//! Code that several classes share: locks, checked JSON texts, the names of states, patches and deviations.

use std::sync::{Mutex, MutexGuard, TryLockError};

use jsonspigot::{Deviation, Error, Revision as CoreRevision, ValueState};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// Returns the error for a second thread, or a call from within a call.
#[cold]
pub(crate) fn in_use(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("this {what} is in use: it belongs to one thread at a time"))
}

pub(crate) fn locked<'a, T>(mutex: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    mutex.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => in_use(what),
        TryLockError::Poisoned(_) => {
            PyRuntimeError::new_err(format!("this {what} is unusable: an earlier call panicked"))
        }
    })
}

/// Returns a text if it is JSON, for an event that is made by hand.
pub(crate) fn checked_text(text: &str) -> PyResult<Box<str>> {
    let mut parser = jsonspigot::Parser::builder()
        .retain(jsonspigot::Retain::Nothing)
        .limits(jsonspigot::Limits::new().depth(usize::MAX))
        .build();
    let read = parser.feed(text).check().and_then(|()| parser.finish().check());
    read.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(text.trim_ascii().into())
}

pub(crate) fn state_name(py: Python<'_>, state: ValueState) -> Bound<'_, PyString> {
    match state {
        ValueState::Pending => pyo3::intern!(py, "pending"),
        ValueState::Partial => pyo3::intern!(py, "partial"),
        ValueState::Complete => pyo3::intern!(py, "complete"),
        ValueState::Absent => pyo3::intern!(py, "absent"),
    }
    .clone()
}

/// Returns the operations that bring a copy up to date as JSON text.
pub(crate) fn patch_text(parser: &jsonspigot::Parser, revision: CoreRevision) -> Result<String, Error> {
    use std::fmt::Write as _;
    let mut text = String::from("[");
    for (place, op) in parser.patch_since(revision)?.into_iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        // A `String` takes all that is written to it.
        let _ = write!(text, "{comma}{op}");
    }
    text.push(']');
    Ok(text)
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
