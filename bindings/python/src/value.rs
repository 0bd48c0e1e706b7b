//! JSON text that was received whole into Python objects, as `json.loads` would: dict, list, str, int, float, bool, None.
//! The grammar has been checked before, so this only looks for where things end. Does not recurse.

use std::borrow::Cow;

use jsonspigot::internal::unescaped;
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyArithmeticError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyNone, PyString, PyType};

use crate::error::own;
use crate::keys::Keys;

/// The Python type of a number with a fraction or an exponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fractions {
    #[default]
    Float,
    Decimal,
}

impl Fractions {
    pub(crate) fn of(is_decimal: bool) -> Self {
        if is_decimal { Self::Decimal } else { Self::Float }
    }
}

/// Returns a number's Python object: `int` if it has neither fraction nor exponent.
pub(crate) fn number<'py>(py: Python<'py>, text: &str, fractions: Fractions) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        // CPython refuses more than `sys.get_int_max_str_digits()` digits; so does `json.loads`.
        let too_long = |error: &PyErr| format!("a number of {} digits is too long for int(): {error}", digits.len());
        return made_of::<PyValueError>(&py.get_type::<PyInt>(), text, too_long);
    }
    match fractions {
        // Rust's reading is correctly rounded, as Python's is, and too large a number is infinite in both.
        Fractions::Float => Ok(PyFloat::new(py, text.parse().unwrap_or(f64::NAN)).into_any()),
        Fractions::Decimal => {
            static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            // Its exponents have limits: `decimal.InvalidOperation` is an `ArithmeticError`.
            let too_large = |_: &PyErr| "a number whose exponent is too large for Decimal()".to_owned();
            made_of::<PyArithmeticError>(DECIMAL.import(py, "decimal", "Decimal")?, text, too_large)
        }
    }
}

/// Returns a number of a class, which refuses some with an exception of the class `E`.
fn made_of<'py, E: PyTypeInfo>(
    class: &Bound<'py, PyType>,
    text: &str,
    refused: impl FnOnce(&PyErr) -> String,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    class.call1((text,)).map_err(|error| {
        if !error.is_instance_of::<E>(py) {
            return error;
        }
        let raised = own(py, &format!("data: {}", refused(&error)), "data", 0, "$");
        raised.set_cause(py, Some(error));
        raised
    })
}

/// An open container, and the key that the next value belongs to.
enum Open<'py> {
    List(Bound<'py, PyList>),
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
}

/// Returns the objects of a complete value's text.
pub(crate) fn build<'py>(py: Python<'py>, text: &str, fractions: Fractions) -> PyResult<Bound<'py, PyAny>> {
    let bytes = text.as_bytes();
    let mut keys = Keys::default();
    let mut open: Vec<Open<'py>> = Vec::new();
    let mut at = 0;
    loop {
        let (value, len) = match bytes.get(at).ok_or_else(not_json)? {
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => {
                at += 1;
                continue;
            }
            b'{' => {
                at += 1;
                open.push(Open::Dict(PyDict::new(py), None));
                continue;
            }
            b'[' => {
                at += 1;
                open.push(Open::List(PyList::empty(py)));
                continue;
            }
            b'}' | b']' => match open.pop().ok_or_else(not_json)? {
                Open::Dict(dict, _) => (dict.into_any(), 1),
                Open::List(list) => (list.into_any(), 1),
            },
            b'"' => {
                let (string, len) = string(&text[at..])?;
                if let Some(Open::Dict(_, key @ None)) = open.last_mut() {
                    *key = Some(keys.get(py, &string));
                    at += len;
                    continue;
                }
                (PyString::new(py, &string).into_any(), len)
            }
            b't' => (PyBool::new(py, true).to_owned().into_any(), 4),
            b'f' => (PyBool::new(py, false).to_owned().into_any(), 5),
            b'n' => (PyNone::get(py).to_owned().into_any(), 4),
            _ => {
                let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let len = bytes[at..].iter().take_while(|byte| is_number(byte)).count();
                let digits = text.get(at..at + len).filter(|digits| !digits.is_empty());
                (number(py, digits.ok_or_else(not_json)?, fractions)?, len)
            }
        };
        at += len;
        match open.last_mut() {
            None => return Ok(value),
            Some(Open::List(list)) => list.append(value)?,
            Some(Open::Dict(dict, key)) => dict.set_item(key.take().ok_or_else(not_json)?, value)?,
        }
    }
}

/// Returns the decoded string that a text begins with, and its length with the quotes.
fn string(text: &str) -> PyResult<(Cow<'_, str>, usize)> {
    let bytes = text.as_bytes();
    let (mut end, mut is_escaped) = (1, false);
    loop {
        end += memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()).ok_or_else(not_json)?;
        if bytes[end] == b'"' {
            break;
        }
        is_escaped = true;
        end += 2;
    }
    let raw = &text[1..end];
    let decoded = if is_escaped { Cow::Owned(unescaped(raw).ok_or_else(not_json)?) } else { Cow::Borrowed(raw) };
    Ok((decoded, end + 1))
}

#[cold]
fn not_json() -> PyErr {
    PyValueError::new_err("not JSON")
}
