//! JSON text that was received whole into Python objects, as `json.loads` would: dict, list, str, int, float, bool, None.
//! The grammar has been checked before, so this only looks for where things end. Does not recurse.

use std::borrow::Cow;

use jsonspigot::internal::unescaped;
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
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let magnitude = digits.bytes().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0'));
        let number = if digits.len() < text.len() { -magnitude } else { magnitude };
        return Ok(number.into_pyobject(py)?.into_any());
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        // CPython refuses more than `sys.get_int_max_str_digits()` digits; so does `json.loads`.
        return py.get_type::<PyInt>().call1((text,)).map_err(|error| {
            if error.is_instance_of::<PyValueError>(py) {
                let message = format!("data: a number of {} digits is too long for int(): {error}", digits.len());
                let raised = own(py, &message, "data", 0, "$");
                raised.set_cause(py, Some(error));
                raised
            } else {
                error
            }
        });
    }
    match fractions {
        // Rust's reading is correctly rounded, as Python's is, and too large a number is infinite in both.
        Fractions::Float => Ok(PyFloat::new(py, text.parse().unwrap_or(f64::NAN)).into_any()),
        Fractions::Decimal => {
            static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let made = DECIMAL.import(py, "decimal", "Decimal")?.call1((text,));
            // Its exponents have limits: `decimal.InvalidOperation` is an `ArithmeticError`.
            made.map_err(|error| {
                if !error.is_instance_of::<PyArithmeticError>(py) {
                    return error;
                }
                let raised = own(py, "data: a number whose exponent is too large for Decimal()", "data", 0, "$");
                raised.set_cause(py, Some(error));
                raised
            })
        }
    }
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
        let Some(&byte) = bytes.get(at) else { return Err(not_json()) };
        let value = match byte {
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
            b'}' | b']' => {
                at += 1;
                match open.pop() {
                    Some(Open::Dict(dict, _)) => dict.into_any(),
                    Some(Open::List(list)) => list.into_any(),
                    None => return Err(not_json()),
                }
            }
            b'"' => {
                let (string, end) = string(text, at)?;
                at = end;
                if let Some(Open::Dict(_, key @ None)) = open.last_mut() {
                    *key = Some(keys.get(py, &string));
                    continue;
                }
                PyString::new(py, &string).into_any()
            }
            b't' => {
                at += 4;
                PyBool::new(py, true).to_owned().into_any()
            }
            b'f' => {
                at += 5;
                PyBool::new(py, false).to_owned().into_any()
            }
            b'n' => {
                at += 4;
                PyNone::get(py).to_owned().into_any()
            }
            _ => {
                let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let len = bytes[at..].iter().take_while(|byte| is_number(byte)).count();
                let end = at + len;
                let number =
                    number(py, text.get(at..end).filter(|text| !text.is_empty()).ok_or_else(not_json)?, fractions)?;
                at = end;
                number
            }
        };
        match open.last_mut() {
            None => return Ok(value),
            Some(Open::List(list)) => list.append(value)?,
            Some(Open::Dict(dict, key)) => dict.set_item(key.take().ok_or_else(not_json)?, value)?,
        }
    }
}

/// Returns the decoded string that opens at `at`, and the place after its closing quote.
fn string(text: &str, at: usize) -> PyResult<(Cow<'_, str>, usize)> {
    let start = at + 1;
    let bytes = text.as_bytes();
    let mut end = start;
    let mut is_escaped = false;
    loop {
        match memchr::memchr2(b'"', b'\\', &bytes[end.min(bytes.len())..]) {
            None => return Err(not_json()),
            Some(len) if bytes[end + len] == b'"' => {
                end += len;
                break;
            }
            Some(len) => {
                is_escaped = true;
                end += len + 2;
            }
        }
    }
    let raw = &text[start..end];
    let decoded = if is_escaped { Cow::Owned(unescaped(raw).ok_or_else(not_json)?) } else { Cow::Borrowed(raw) };
    Ok((decoded, end + 1))
}

#[cold]
fn not_json() -> PyErr {
    PyValueError::new_err("not JSON")
}
