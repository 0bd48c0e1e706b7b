//! Instances of classes made without their `__init__`: events, open objects and `Partial`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PySet, PyString, PyTuple, PyType};
use pyo3::{PyTypeInfo, ffi};

/// Does the same as `object.__new__(class)`.
pub(crate) fn new<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    static NO_ARGUMENTS: PyOnceLock<Py<PyTuple>> = PyOnceLock::new();
    let none = NO_ARGUMENTS.get_or_init(py, || PyTuple::empty(py).unbind());
    // SAFETY: the slot of `object` is there since Python has begun, and is a `newfunc`; it is called with a class, an empty
    // tuple and no keywords, and returns a new reference, or null with an exception.
    unsafe {
        let slot = ffi::PyType_GetSlot(pyo3::types::PyAny::type_object_raw(py), ffi::Py_tp_new);
        if slot.is_null() {
            return Err(PyRuntimeError::new_err("object has no __new__"));
        }
        let make = std::mem::transmute::<*mut std::ffi::c_void, ffi::newfunc>(slot);
        Bound::from_owned_ptr_or_err(py, make(class.as_type_ptr(), none.as_ptr(), std::ptr::null_mut()))
    }
}

/// Does the same as `object.__setattr__(instance, name, value)`.
pub(crate) fn put(instance: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: all three are alive; the call takes over none of them.
    let done = unsafe { ffi::PyObject_GenericSetAttr(instance.as_ptr(), name.as_ptr(), value.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(PyErr::fetch(instance.py())) }
}

/// Does the same as `instance.__dict__ = fields`.
fn put_dict(instance: &Bound<'_, PyAny>, fields: &Bound<'_, PyDict>) -> PyResult<()> {
    // SAFETY: both are alive; the call takes over neither.
    let done = unsafe { ffi::PyObject_GenericSetDict(instance.as_ptr(), fields.as_ptr(), std::ptr::null_mut()) };
    if done == 0 { Ok(()) } else { Err(PyErr::fetch(instance.py())) }
}

/// Does the same as `set(items)`.
pub(crate) fn set<'py>(items: &Bound<'py, PySet>) -> PyResult<Bound<'py, PySet>> {
    // SAFETY: the argument is alive; the call returns a new reference, or null with an exception.
    let made = unsafe { Bound::from_owned_ptr_or_err(items.py(), ffi::PySet_New(items.as_ptr()))? };
    Ok(made.cast_into()?)
}

/// Makes an instance of an open model.
pub(crate) fn model<'py>(
    class: &Bound<'py, PyType>,
    fields: &Bound<'py, PyDict>,
    came: &Bound<'py, PySet>,
    extra: Option<&Bound<'py, PyDict>>,
    private: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let made = new(class)?;
    let none = py.None();
    let none = none.bind(py);
    put_dict(&made, fields)?;
    put(&made, pyo3::intern!(py, "__pydantic_fields_set__"), came)?;
    put(&made, pyo3::intern!(py, "__pydantic_extra__"), extra.map_or(none, |extra| extra.as_any()))?;
    put(&made, pyo3::intern!(py, "__pydantic_private__"), private.unwrap_or(none))?;
    Ok(made)
}

/// Makes a `Partial`.
pub(crate) fn partial<'py>(value: &Bound<'py, PyAny>, is_complete: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    static PARTIAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = new(PARTIAL.import(py, "jsonspigot._typed", "Partial")?)?;
    put(&made, pyo3::intern!(py, "value"), value)?;
    put(&made, pyo3::intern!(py, "complete"), &PyBool::new(py, is_complete).to_owned().into_any())?;
    Ok(made)
}
