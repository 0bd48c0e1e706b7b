//! What a caller is told: `Begin`, `Delta`, `End`, `InnerError`, frozen and without a `__dict__`, and how they are made of
//! the library's events.

use std::fmt::Write as _;
use std::sync::OnceLock;

use jsonspigot::{Event, EventKind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use pyo3::{IntoPyObjectExt, PyTraverseError, PyVisit};

use crate::error::{exception, own};
use crate::keys::Keys;
use crate::value::{Fractions, build, on_one_line};

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
        #[pymethods]
        impl $class {
            /// The array indices in the path, outermost first: what the wildcards stood for.
            #[getter]
            fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, indices(self.path.bind(py).to_str()?))
            }

            $($extra)*
        }
    };
}

/// The first byte of a value has arrived.
///
/// ``kind`` is ``"null"``, ``"bool"``, ``"number"``, ``"string"``, ``"array"`` or ``"object"``; ``offset`` is where the
/// value begins.
#[pyclass(frozen, freelist = 256, module = "jsonspigot")]
pub(crate) struct Begin {
    #[pyo3(get)]
    path: Py<PyString>,
    #[pyo3(get)]
    kind: Py<PyString>,
    #[pyo3(get)]
    pattern: u32,
    #[pyo3(get)]
    match_id: u64,
    #[pyo3(get)]
    offset: u64,
    #[pyo3(get)]
    document: u64,
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
    path: Py<PyString>,
    #[pyo3(get)]
    text: Py<PyString>,
    #[pyo3(get)]
    pattern: u32,
    #[pyo3(get)]
    match_id: u64,
    #[pyo3(get)]
    offset: u64,
    #[pyo3(get)]
    document: u64,
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
    path: Py<PyString>,
    text: Option<Box<str>>,
    value: OnceLock<Py<PyAny>>,
    fractions: Fractions,
    #[pyo3(get)]
    pattern: u32,
    #[pyo3(get)]
    match_id: u64,
    #[pyo3(get)]
    offset: u64,
    #[pyo3(get)]
    document: u64,
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
        let text = raw.map(crate::parser::checked_text).transpose()?;
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
    path: Py<PyString>,
    #[pyo3(get)]
    error: Py<PyAny>,
    #[pyo3(get)]
    pattern: u32,
    #[pyo3(get)]
    match_id: u64,
    #[pyo3(get)]
    offset: u64,
    #[pyo3(get)]
    document: u64,
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

/// What `pickle` and `copy` need to make an event again.
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

/// The paths of open matches, as `str`: each is spelt once.
#[derive(Default)]
pub(crate) struct Paths {
    open: Vec<(u64, Py<PyString>)>,
    spelt: String,
}

/// More matches than this are rarely open at once. Those of a text inside a string that turned out not to be JSON never
/// close.
const MOST_OPEN: usize = 64;

impl Paths {
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    fn spell(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        self.spelt.clear();
        // A `String` takes all that is written to it.
        let _ = write!(self.spelt, "{}", event.path);
        PyString::new(py, &self.spelt).unbind()
    }

    fn begin(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        let path = self.spell(py, event);
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push((event.match_id, path.clone_ref(py)));
        path
    }

    #[inline]
    fn of(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        match self.open.iter().rev().find(|(id, _)| *id == event.match_id) {
            Some((_, path)) => path.clone_ref(py),
            None => self.spell(py, event),
        }
    }

    fn end(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        match self.open.iter().rposition(|(id, _)| *id == event.match_id) {
            Some(place) => self.open.remove(place).1,
            None => self.spell(py, event),
        }
    }
}

/// The Python object of an event.
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

/// The Python object of an event that came out of this chunk.
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
    match event.kind {
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
            let text = value.map(|value| value.text().into());
            let end = End { path, text, value: OnceLock::new(), fractions, pattern, match_id, offset, document };
            Ok(Bound::new(py, end)?.into_any())
        }
        EventKind::InnerError(error) => {
            let (path, error) = (paths.spell(py, event), exception(py, error, None)?.unbind());
            Ok(Bound::new(py, InnerError { path, error, pattern, match_id, offset, document })?.into_any())
        }
        _ => Err(pyo3::exceptions::PyRuntimeError::new_err("an event that this version does not know")),
    }
}

/// Events of one call as they come; the first exception ends it, but not the parsing.
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
