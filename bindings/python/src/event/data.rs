//! Events as data: their dicts, equality, `repr` and pickled form, by the names of their parts.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyIterator, PyList, PyModule, PyNone, PyString, PyTuple, PyType};

/// Returns the module for what pydantic and pickle ask of events.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("jsonspigot._data")
}

/// Returns the names of the arguments that make an event again.
fn parts<'py>(kind: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyIterator>> {
    let py = kind.py();
    let parts = match kind.getattr_opt(pyo3::intern!(py, "_parts"))? {
        Some(parts) => parts,
        None => kind.getattr(pyo3::intern!(py, "__match_args__"))?,
    };
    parts.try_iter()
}

/// Returns a class's name; that of a variant follows its class's, as there are several kinds of `Begin` and `End`.
fn name_of<'py>(kind: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyString>> {
    let (py, qualified) = (kind.py(), kind.qualname()?);
    Ok(match qualified.to_str()?.rsplit_once('_') {
        Some((class, variant)) => PyString::new(py, &format!("{class}.{variant}")),
        None => qualified,
    })
}

/// Returns the event as a dict that `json.dumps` takes, with its type.
pub(crate) fn to_dict<'py>(event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let (py, kind) = (event.py(), event.get_type());
    let dict = PyDict::new(py);
    dict.set_item(pyo3::intern!(py, "type"), name_of(&kind)?)?;
    let has_raw = kind.hasattr(pyo3::intern!(py, "_parts"))?;
    for name in parts(&kind)? {
        let name = name?.cast_into::<PyString>()?;
        match name.to_str()? {
            "decimals" => {}
            // The value in place of its text, if the text was kept.
            "raw" if has_raw => {
                let value = pyo3::intern!(py, "value");
                let made = if event.getattr(&name)?.is_none() { None } else { Some(plain(event.getattr(value)?)?) };
                dict.set_item(value, made)?;
            }
            _ => dict.set_item(&name, plain(event.getattr(&name)?)?)?,
        }
    }
    Ok(dict)
}

/// Returns a part of an event as JSON has it; a fraction that is a `Decimal` becomes a number.
fn plain(part: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let py = part.py();
    if part.is_exact_instance_of::<PyString>()
        || part.is_exact_instance_of::<PyInt>()
        || part.is_exact_instance_of::<PyNone>()
        || part.is_exact_instance_of::<PyBool>()
        || part.is_exact_instance_of::<PyFloat>()
    {
        return Ok(part);
    }
    if let Ok(dict) = part.cast_exact::<PyDict>() {
        let made = PyDict::new(py);
        for (key, value) in dict {
            made.set_item(key, plain(value)?)?;
        }
        return Ok(made.into_any());
    }
    for method in ["_asdict", "to_dict"] {
        if let Some(method) = part.getattr_opt(method)? {
            return method.call0();
        }
    }
    if part.is_instance_of::<PyList>() || part.is_instance_of::<PyTuple>() {
        let items = part.try_iter()?.map(|item| plain(item?)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, items)?.into_any());
    }
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match part.is_instance(DECIMAL.import(py, "decimal", "Decimal")?)? {
        true => part.call_method0("__float__"),
        false => Ok(part),
    }
}

/// Returns a part of two events; neither if neither can be made, as an `int` of too many digits cannot.
fn both<'py>(
    event: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    match (event.getattr(name), other.getattr(name)) {
        (Err(_), Err(_)) if name == "value" => Ok(None),
        (mine, others) => Ok(Some((mine?, others?))),
    }
}

/// Returns true if two events are of the same kind and have equal parts.
pub(crate) fn equal(event: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = event.get_type();
    if !other.get_type().is(&kind) {
        return Ok(false);
    }
    for name in parts(&kind)? {
        let name = name?.cast_into::<PyString>()?;
        if name == "decimals" {
            continue;
        }
        let is_equal = match both(event, other, &name) {
            Ok(Some((mine, others))) => mine.eq(others)?,
            Ok(None) => true,
            Err(_) if name == "value" => false,
            Err(error) => return Err(error),
        };
        if !is_equal {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the `repr` of a variant: its constructor, without what is `None`, and without a value that cannot be made.
pub(crate) fn shown(event: &Bound<'_, PyAny>) -> PyResult<String> {
    let kind = event.get_type();
    let mut shown = Vec::new();
    for name in parts(&kind)? {
        let name = name?.cast_into::<PyString>()?;
        let value = match event.getattr(&name) {
            Err(_) if name == "value" => continue,
            value => value?,
        };
        if !value.is_none() {
            shown.push(format!("{name}={}", value.repr()?));
        }
    }
    Ok(format!("{}({})", name_of(&kind)?, shown.join(", ")))
}

/// The function and the arguments that make an event again.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyString>, Bound<'py, PyDict>));

/// Returns what `pickle` and `copy` need. The parser of a document's end is not part of it.
pub(crate) fn reduced<'py>(event: &Bound<'py, PyAny>) -> PyResult<Reduced<'py>> {
    let (py, kind) = (event.py(), event.get_type());
    let arguments = PyDict::new(py);
    for name in parts(&kind)? {
        let name = name?.cast_into::<PyString>()?;
        arguments.set_item(&name, event.getattr(&name)?)?;
    }
    Ok((module(py)?.getattr("again")?, (name_of(&kind)?, arguments)))
}
