//! The classes of a pattern's events: `Begin`, `Delta`, `End`, `InnerError`, frozen and without a `__dict__`. How they are
//! made of the library's events is not here.

use std::sync::OnceLock;

use jsonspigot::internal::on_one_line;
use jsonspigot::{Limits, Parser, Retain};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyTraverseError, PyVisit};

use super::data::{Data, module, with_fields};
use crate::error::own;
use crate::value::{Fractions, build};

/// The methods of an event of a match.
macro_rules! methods_of_match {
    ($class:ident($part:ident) { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            #[classattr]
            const __match_args__: (&'static str, &'static str) = ("path", stringify!($part));

            /// The array indices in the path, outermost first: the values of the wildcards.
            #[getter]
            fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                module(py)?.call_method1("indices", (&self.path,))
            }

            $($own)*
        }
    };
}

/// A class of events of a match that have one part of their own.
macro_rules! event_of_match {
    ($(#[$meta:meta])* $class:ident { $part:ident: $kind:ty } $($own:tt)*) => {
        $(#[$meta])*
        pub(crate) struct $class {
            #[pyo3(get)]
            pub(super) path: Py<PyString>,
            #[pyo3(get)]
            pub(super) $part: Py<$kind>,
            #[pyo3(get)]
            pub(super) pattern: u32,
            #[pyo3(get)]
            pub(super) match_id: u64,
            #[pyo3(get)]
            pub(super) offset: u64,
            #[pyo3(get)]
            pub(super) document: u64,
        }

        methods_of_match!($class($part) {
            #[classattr]
            const _parts: [&'static str; 6] = ["path", stringify!($part), "pattern", "match_id", "offset", "document"];

            #[new]
            #[pyo3(signature = (path, $part, *, pattern = 0, match_id = 0, offset = 0, document = 0))]
            fn new(path: Py<PyString>, $part: Py<$kind>, pattern: u32, match_id: u64, offset: u64, document: u64) -> PyClassInitializer<Self> {
                with_fields(Self { path, $part, pattern, match_id, offset, document })
            }

            $($own)*
        });
    };
}

event_of_match! {
    /// The first byte of a value has arrived.
    ///
    /// ``kind`` is ``"null"``, ``"bool"``, ``"number"``, ``"string"``, ``"array"`` or ``"object"``; ``offset`` is where the
    /// value begins.
    #[pyclass(frozen, extends = Data, freelist = 256, module = "jsonspigot")]
    Begin { kind: PyString }
}

event_of_match! {
    /// New decoded text of an open string: never empty, and never ending inside a character.
    ///
    /// ``offset`` is the first raw byte of it.
    #[pyclass(frozen, extends = Data, freelist = 256, module = "jsonspigot")]
    Delta { text: PyString }
}

event_of_match! {
    /// The text inside a string, as ``outer | inner`` reads it, is not JSON, or is incomplete at the string's end.
    ///
    /// The outer text continues. ``error`` is the ``JsonSpigotError``; its offset, line, column and path are those within the
    /// inner text.
    #[pyclass(frozen, extends = Data, module = "jsonspigot")]
    InnerError { error: PyAny }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.error)
    }
}

/// The value is complete.
///
/// ``value`` is the value as Python objects, made when it is first asked for. ``raw`` is its JSON text on one line, with
/// numbers and escapes as they were spelled, or ``None`` if it was not kept (``retain="nothing"``); then ``value`` raises.
/// ``offset`` is that of the byte after the value.
// No freelist: objects from it are not tracked by the garbage collector, and this one may be part of a cycle.
#[pyclass(frozen, extends = Data, module = "jsonspigot")]
pub(crate) struct End {
    #[pyo3(get)]
    pub(super) path: Py<PyString>,
    pub(super) value: Value,
    #[pyo3(get)]
    pub(super) pattern: u32,
    #[pyo3(get)]
    pub(super) match_id: u64,
    #[pyo3(get)]
    pub(super) offset: u64,
    #[pyo3(get)]
    pub(super) document: u64,
}

methods_of_match!(End(value) {
    #[classattr]
    const _parts: [&'static str; 7] = ["path", "raw", "pattern", "match_id", "offset", "document", "decimals"];

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
    ) -> PyResult<PyClassInitializer<Self>> {
        let value = Value::checked(raw, decimals)?;
        Ok(with_fields(Self { path, value, pattern, match_id, offset, document }))
    }

    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.value.get_or(py, || {
            let path = self.path.bind(py).to_str()?;
            let message = format!("not retained: expected a parser that keeps its matches in {path}");
            Err(own(py, &message, "not-retained", self.offset, path))
        })
    }

    #[getter]
    fn raw(&self) -> Option<String> {
        self.value.raw()
    }

    /// Whether fractions of the value are ``Decimal``.
    #[getter]
    fn decimals(&self) -> bool {
        self.value.has_decimals()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let raw = self.raw().into_pyobject(py)?.repr()?;
        Ok(format!("End(path={}, raw={raw})", self.path.bind(py).repr()?))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A cycle takes a user who has put this event into its own value; the value's container breaks it.
        self.value.traverse(&visit)
    }
});

/// The value of a text that has ended, made when it is first asked for: a number that Python cannot make costs nothing but
/// this value.
pub(crate) struct Value {
    text: Option<Box<str>>,
    fractions: Fractions,
    made: OnceLock<Py<PyAny>>,
}

impl Value {
    pub(crate) fn of(text: Option<&str>, fractions: Fractions) -> Self {
        Self { text: text.map(Into::into), fractions, made: OnceLock::new() }
    }

    /// Returns the value of a text for an event that is made by hand. Fails if it is not JSON.
    pub(crate) fn checked(text: Option<&str>, has_decimals: bool) -> PyResult<Self> {
        let text = text.map(checked_text).transpose()?;
        Ok(Self::of(text, Fractions::of(has_decimals)))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.made.get())
    }

    /// Returns the value of the text, or what `otherwise` returns if there is no text.
    pub(crate) fn get_or(
        &self,
        py: Python<'_>,
        otherwise: impl FnOnce() -> PyResult<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        if let Some(made) = self.made.get() {
            return Ok(made.clone_ref(py));
        }
        let Some(text) = &self.text else { return otherwise() };
        let made = build(py, text, self.fractions)?.unbind();
        // Another thread may have been first: then its object is the one.
        Ok(self.made.get_or_init(|| made).clone_ref(py))
    }

    pub(crate) fn raw(&self) -> Option<String> {
        self.text.as_deref().map(on_one_line)
    }

    pub(crate) fn has_decimals(&self) -> bool {
        self.fractions == Fractions::Decimal
    }
}

/// Returns a text without the white space around it if it is JSON.
fn checked_text(text: &str) -> PyResult<&str> {
    let limits = Limits::new().depth(usize::MAX);
    let mut parser = Parser::builder().retain(Retain::Nothing).limits(limits).build();
    let read = parser.feed(text).check().and_then(|()| parser.finish().check());
    read.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(text.trim_ascii())
}
