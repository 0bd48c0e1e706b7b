//! The lock of an object that belongs to one thread at a time.

use pyo3::PyClass;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;

/// Locks an object. Fails in a second thread, or in a call from within a call.
#[inline]
pub(crate) fn lock<'a, T: PyClass<Frozen = False>>(object: &'a Bound<'_, T>) -> PyResult<PyRefMut<'a, T>> {
    object.try_borrow_mut().map_err(|_| in_use::<T>())
}

#[cold]
pub(crate) fn in_use<T: PyClass>() -> PyErr {
    let message = format!("this {} is in use: it belongs to one thread at a time", T::NAME);
    PyRuntimeError::new_err(message)
}
