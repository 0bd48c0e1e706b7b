//! The classes of events: `Begin`, `Delta`, `End`, `InnerError`, frozen and without a `__dict__`, and what
//! they have in common. How they are made of the library's events is not here.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt, PyTraverseError, PyVisit};

use crate::error::own;
use crate::keys::Keys;
use crate::value::{Fractions, build, on_one_line};

/// The array indices in a concrete path, outermost first.
fn indices(path: &str) -> Vec<u64> {
    let mut indices = Vec::new();
    let bytes = path.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'[' {
            continue;
        }
        if bytes.get(at) == Some(&b'\'') {
            // A quoted name, in which a backslash hides what follows it.
            at += 1;
            while let Some(&byte) = bytes.get(at) {
                at += if byte == b'\\' { 2 } else { 1 };
                if byte == b'\'' {
                    break;
                }
            }
        } else {
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            indices.extend(path[at..at + digits].parse::<u64>());
        }
    }
    indices
}

macro_rules! place_of_match {
    ($class:ident { $($extra:tt)* }) => {
        event_methods!($class {
            /// The array indices in the path, outermost first: what the wildcards stood for.
            #[getter]
            fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, indices(self.path.bind(py).to_str()?))
            }

            $($extra)*
        });
    };
}

/// The first byte of a value has arrived.
///
/// ``kind`` is ``"null"``, ``"bool"``, ``"number"``, ``"string"``, ``"array"`` or ``"object"``; ``offset`` is where the
/// value begins.
#[pyclass(frozen, freelist = 256, module = "jsonspigot")]
pub(crate) struct Begin {
    #[pyo3(get)]
    pub(super) path: Py<PyString>,
    #[pyo3(get)]
    pub(super) kind: Py<PyString>,
    #[pyo3(get)]
    pub(super) pattern: u32,
    #[pyo3(get)]
    pub(super) match_id: u64,
    #[pyo3(get)]
    pub(super) offset: u64,
    #[pyo3(get)]
    pub(super) document: u64,
}

place_of_match!(Begin {
    #[classattr]
    const __match_args__: (&'static str, &'static str) = ("path", "kind");

    #[new]
    #[pyo3(signature = (path, kind, *, pattern = 0, match_id = 0, offset = 0, document = 0))]
    fn new(path: Py<PyString>, kind: Py<PyString>, pattern: u32, match_id: u64, offset: u64, document: u64) -> Self {
        Self { path, kind, pattern, match_id, offset, document }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Begin(path={}, kind={})", self.path.bind(py).repr()?, self.kind.bind(py).repr()?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        Ok(self.numbers() == other.numbers() && same(py, &self.path, &other.path)? && same(py, &self.kind, &other.kind)?)
    }

    fn __hash__(&self) -> u64 {
        self.offset ^ self.match_id << 32
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        reduced(py, "Begin", (&self.path, &self.kind), self.numbers())
    }
});

/// New decoded text of an open string: never empty, and never ending inside a character.
///
/// ``offset`` is the first raw byte of it.
#[pyclass(frozen, freelist = 256, module = "jsonspigot")]
pub(crate) struct Delta {
    #[pyo3(get)]
    pub(super) path: Py<PyString>,
    #[pyo3(get)]
    pub(super) text: Py<PyString>,
    #[pyo3(get)]
    pub(super) pattern: u32,
    #[pyo3(get)]
    pub(super) match_id: u64,
    #[pyo3(get)]
    pub(super) offset: u64,
    #[pyo3(get)]
    pub(super) document: u64,
}

place_of_match!(Delta {
    #[classattr]
    const __match_args__: (&'static str, &'static str) = ("path", "text");

    #[new]
    #[pyo3(signature = (path, text, *, pattern = 0, match_id = 0, offset = 0, document = 0))]
    fn new(path: Py<PyString>, text: Py<PyString>, pattern: u32, match_id: u64, offset: u64, document: u64) -> Self {
        Self { path, text, pattern, match_id, offset, document }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Delta(path={}, text={})", self.path.bind(py).repr()?, self.text.bind(py).repr()?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        Ok(self.numbers() == other.numbers() && same(py, &self.path, &other.path)? && same(py, &self.text, &other.text)?)
    }

    fn __hash__(&self) -> u64 {
        self.offset ^ self.match_id << 32
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        reduced(py, "Delta", (&self.path, &self.text), self.numbers())
    }
});

/// The value is complete.
///
/// ``value`` is the value as Python objects, made when it is first asked for; ``raw`` is its JSON text on one line, numbers
/// and escapes as they were spelt, or ``None`` if it was not kept (``retain="nothing"``), in which case ``value`` raises.
/// ``offset`` is that of the byte after the value.
// No freelist: objects from it are not tracked by the garbage collector, and this one may be part of a circle.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct End {
    #[pyo3(get)]
    pub(super) path: Py<PyString>,
    pub(super) text: Option<Box<str>>,
    pub(super) value: OnceLock<Py<PyAny>>,
    pub(super) fractions: Fractions,
    #[pyo3(get)]
    pub(super) pattern: u32,
    #[pyo3(get)]
    pub(super) match_id: u64,
    #[pyo3(get)]
    pub(super) offset: u64,
    #[pyo3(get)]
    pub(super) document: u64,
}

place_of_match!(End {
    #[classattr]
    const __match_args__: (&'static str, &'static str) = ("path", "value");

    #[new]
    #[pyo3(signature = (path, raw, *, pattern = 0, match_id = 0, offset = 0, document = 0, decimals = false))]
    fn new(
        path: Py<PyString>,
        raw: Option<&str>,
        pattern: u32,
        match_id: u64,
        offset: u64,
        document: u64,
        decimals: bool,
    ) -> PyResult<Self> {
        let text = raw.map(crate::shared::checked_text).transpose()?;
        let fractions = if decimals { Fractions::Decimal } else { Fractions::Float };
        Ok(Self { path, text, value: OnceLock::new(), fractions, pattern, match_id, offset, document })
    }

    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        made_once(py, &self.value, || match &self.text {
            Some(text) => build(py, text, self.fractions, &mut Keys::default()),
            None => {
                let path = self.path.bind(py).to_str()?;
                let message = format!("not retained: expected a parser that keeps its matches in {path}");
                Err(own(py, &message, "not-retained", self.offset, path))
            }
        })
    }

    #[getter]
    fn raw(&self) -> Option<String> {
        self.text.as_deref().map(on_one_line)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let raw = self.raw().into_bound_py_any(py)?.repr()?;
        Ok(format!("End(path={}, raw={raw})", self.path.bind(py).repr()?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        Ok(self.numbers() == other.numbers() && same(py, &self.path, &other.path)? && self.raw() == other.raw())
    }

    fn __hash__(&self) -> u64 {
        self.offset ^ self.match_id << 32
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let decimals = self.fractions == Fractions::Decimal;
        let (path, raw) = (self.path.clone_ref(py), self.raw());
        let (pattern, match_id, offset, document) = self.numbers();
        let arguments = (path, raw, pattern, match_id, offset, document, decimals);
        (py.import("jsonspigot._errors")?.getattr("rebuild_end")?, arguments).into_bound_py_any(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Only who has put this event into its own value has made a circle; the value's container breaks it.
        visit.call(self.value.get())
    }
});

/// The text inside a string that a pattern ``outer | inner`` reads is not JSON, or the string has ended before it has.
///
/// The outer text goes on. ``error`` is the :class:`JsonSpigotError`, whose offset, line, column and path are those within
/// the inner text.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct InnerError {
    #[pyo3(get)]
    pub(super) path: Py<PyString>,
    #[pyo3(get)]
    pub(super) error: Py<PyAny>,
    #[pyo3(get)]
    pub(super) pattern: u32,
    #[pyo3(get)]
    pub(super) match_id: u64,
    #[pyo3(get)]
    pub(super) offset: u64,
    #[pyo3(get)]
    pub(super) document: u64,
}

place_of_match!(InnerError {
    #[classattr]
    const __match_args__: (&'static str, &'static str) = ("path", "error");

    #[new]
    #[pyo3(signature = (path, error, *, pattern = 0, match_id = 0, offset = 0, document = 0))]
    fn new(path: Py<PyString>, error: Py<PyAny>, pattern: u32, match_id: u64, offset: u64, document: u64) -> Self {
        Self { path, error, pattern, match_id, offset, document }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("InnerError(path={}, error={})", self.path.bind(py).repr()?, self.error.bind(py).repr()?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        Ok(self.numbers() == other.numbers() && same(py, &self.path, &other.path)? && same(py, &self.error, &other.error)?)
    }

    fn __hash__(&self) -> u64 {
        self.offset ^ self.match_id << 32
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        reduced(py, "InnerError", (&self.path, &self.error), self.numbers())
    }
});

/// An object that is made when it is first asked for.
pub(crate) fn made_once<'py>(
    py: Python<'py>,
    cell: &OnceLock<Py<PyAny>>,
    make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Py<PyAny>> {
    if let Some(made) = cell.get() {
        return Ok(made.clone_ref(py));
    }
    let made = make()?.unbind();
    // Another thread may have been first: then its object is the one.
    Ok(cell.get_or_init(|| made).clone_ref(py))
}

/// The value of a text that has ended, made when it is first asked for: a number that Python cannot make costs nothing but
/// this value.
pub(crate) struct Value {
    text: Option<Box<str>>,
    fractions: Fractions,
    made: OnceLock<Py<PyAny>>,
}

impl Value {
    /// Without a text it is ``None``.
    pub(crate) fn of(text: Option<&str>, fractions: Fractions) -> Self {
        Self { text: text.map(Into::into), fractions, made: OnceLock::new() }
    }

    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        made_once(py, &self.made, || match &self.text {
            Some(text) => build(py, text, self.fractions, &mut Keys::default()),
            None => Ok(py.None().into_bound(py)),
        })
    }
}

impl<'py> IntoPyObject<'py> for &Value {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        self.get(py).map(|value| value.into_bound(py))
    }
}

impl<'py> FromPyObject<'_, 'py> for Value {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let made = OnceLock::from(value.to_owned().unbind());
        Ok(Self { text: None, fractions: Fractions::default(), made })
    }
}

/// Returns the function that makes data of events: the same for all kinds, so it is written in Python.
pub(crate) fn as_data(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("jsonspigot._data")
}

fn same<T>(py: Python<'_>, own: &Py<T>, other: &Py<T>) -> PyResult<bool> {
    own.bind(py).as_any().eq(other.bind(py).as_any())
}

type Numbers = (u32, u64, u64, u64);

macro_rules! numbers {
    ($($class:ident),+) => {
        $(impl $class {
            fn numbers(&self) -> Numbers {
                (self.pattern, self.match_id, self.offset, self.document)
            }
        })+
    };
}
numbers!(Begin, Delta, End, InnerError);

/// Returns the parts that `pickle` and `copy` need to make an event again.
fn reduced<'py, T>(
    py: Python<'py>,
    class: &str,
    parts: (&Py<PyString>, &Py<T>),
    numbers: Numbers,
) -> PyResult<Bound<'py, PyAny>> {
    let (pattern, match_id, offset, document) = numbers;
    let arguments =
        (class, parts.0.clone_ref(py), parts.1.clone_ref(py).into_any(), pattern, match_id, offset, document);
    (py.import("jsonspigot._errors")?.getattr("rebuild_event")?, arguments).into_bound_py_any(py)
}
