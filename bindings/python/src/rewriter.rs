//! `Rewriter`: a text that is edited while it passes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonspigot::{Error, RestoreError, Retain, RewriteError, Rewriter as Core, Rule as CoreRule, RuleError};
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_pattern, exception, own};
use crate::lock::lock;
use crate::options::{Arguments, items};
use crate::reader::{Saved, saved_methods};

/// A change to the values that a pattern selects.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct Rule(Kind);

enum Kind {
    Remove,
    Redact,
    Replace(String),
    Map(Py<PyAny>),
    MapText(Py<PyAny>),
}

/// The exception of a function, until `reset`.
type Raised = Arc<Mutex<Option<Py<PyBaseException>>>>;

/// A function that a rule and the garbage collector share: it is one reference for both.
type Function = Arc<Mutex<Option<Py<PyAny>>>>;

fn open<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it is locked.
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function that returns text. After an exception, which the slot keeps, no function is called.
fn called(slot: &Raised, function: &Function, argument: Option<&str>) -> Option<String> {
    if open(slot).is_some() {
        return None;
    }
    Python::attach(|py| {
        let function = open(function).as_ref().map(|function| function.clone_ref(py));
        let function = function.ok_or_else(|| PyRuntimeError::new_err("this rewriter was garbage"))?;
        function.call1(py, (argument,))?.extract(py)
    })
    .map_err(|error: PyErr| *open(slot) = Some(Python::attach(|py| error.into_value(py))))
    .ok()
}

impl Rule {
    /// Returns the rule of the library, and adds its function to those that the collector visits.
    fn made(&self, py: Python<'_>, slot: &Raised, functions: &mut Vec<Function>) -> PyResult<CoreRule> {
        let slot = Arc::clone(slot);
        let mut shared = |function: &Py<PyAny>| {
            let function = Arc::new(Mutex::new(Some(function.clone_ref(py))));
            functions.push(Arc::clone(&function));
            function
        };
        Ok(match &self.0 {
            Kind::Remove => CoreRule::remove(),
            Kind::Redact => CoreRule::redact(),
            Kind::Replace(json) => CoreRule::replace(json).map_err(|error| PyValueError::new_err(error.to_string()))?,
            Kind::Map(function) => {
                let function = shared(function);
                // A result that is not JSON ends the text.
                CoreRule::map(move |json| called(&slot, &function, Some(json)).unwrap_or_default())
            }
            Kind::MapText(function) => {
                let function = shared(function);
                CoreRule::map_text(move |piece, out| {
                    out.push_str(&called(&slot, &function, piece).unwrap_or_default());
                })
            }
        })
    }
}

fn function(function: Py<PyAny>, py: Python<'_>) -> PyResult<Py<PyAny>> {
    if function.bind(py).is_callable() {
        return Ok(function);
    }
    Err(PyTypeError::new_err("the function of a rule can be called"))
}

#[pymethods]
impl Rule {
    /// Remove the value, with its key and its comma.
    #[staticmethod]
    fn remove() -> Self {
        Self(Kind::Remove)
    }

    /// Write ``"[redacted]"`` in the value's place.
    ///
    /// If text inside a string turns out not to be JSON, the string ends there.
    #[staticmethod]
    fn redact() -> Self {
        Self(Kind::Redact)
    }

    /// Write another value in its place: anything that ``json.dumps`` takes.
    #[staticmethod]
    fn replace(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let options = PyDict::new(value.py());
        options.set_item("allow_nan", false)?;
        let json = value.py().import("json")?.call_method("dumps", (value,), Some(&options))?;
        Ok(Self(Kind::Replace(json.extract()?)))
    }

    /// Call ``function`` with the value's JSON text once it is complete; it returns another JSON text.
    #[staticmethod]
    #[pyo3(name = "map")]
    fn map_json(py: Python<'_>, function: Py<PyAny>) -> PyResult<Self> {
        Ok(Self(Kind::Map(self::function(function, py)?)))
    }

    /// Call ``function`` with the decoded pieces of a string, then ``None``; it returns the text for each. Other values pass.
    #[staticmethod]
    fn map_text(py: Python<'_>, function: Py<PyAny>) -> PyResult<Self> {
        Ok(Self(Kind::MapText(self::function(function, py)?)))
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Kind::Remove => "Rule.remove()".to_owned(),
            Kind::Redact => "Rule.redact()".to_owned(),
            Kind::Replace(json) => format!("<jsonspigot.Rule, replace by {json}>"),
            Kind::Map(_) => "<jsonspigot.Rule, map>".to_owned(),
            Kind::MapText(_) => "<jsonspigot.Rule, map text>".to_owned(),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.0 {
            Kind::Map(function) | Kind::MapText(function) => visit.call(function),
            Kind::Remove | Kind::Redact | Kind::Replace(_) => Ok(()),
        }
    }
}

/// An editor of a JSON text while it passes: bytes that no rule concerns are written at once, unchanged.
///
/// ``rules`` is a mapping from patterns to rules. If several patterns select a value, the first one's rule is applied, and
/// values inside it are not searched. ``held_limit`` is the most bytes that may be held back, until it is known whether a
/// member is removed, or for a function that waits for a value; by default 1 MiB. The other options are the limits,
/// ``duplicate_keys`` and ``lenient`` of ``Parser``.
#[pyclass(module = "jsonspigot")]
pub(crate) struct Rewriter {
    rewriter: Core,
    raised: Raised,
    functions: Vec<Function>,
    /// The bytes that have been read.
    offset: u64,
}

impl Saved for Rewriter {
    fn saved(&self) -> Result<Vec<u8>, Error> {
        self.rewriter.save()
    }

    fn resume(&mut self, state: &[u8]) -> Result<(), RestoreError> {
        self.rewriter = self.rewriter.clone().restore(state)?;
        Ok(())
    }
}

impl Rewriter {
    /// Returns the bytes written, or raises the exception of a function or of the text, with those bytes as `written`.
    fn checked<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut Core, &mut Vec<u8>) -> Result<(), RewriteError>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut out = Vec::new();
        if let Some(error) = &*open(&self.raised) {
            // Each raise would add to the same traceback.
            return Err(PyErr::from_value(error.bind(py).call_method1("with_traceback", (py.None(),))?));
        }
        let read = read(&mut self.rewriter, &mut out);
        let raised = open(&self.raised).as_ref().map(|error| error.bind(py).clone().into_any());
        let error = match (raised, read) {
            (Some(raised), _) => raised,
            (None, Ok(())) => return Ok(PyBytes::new(py, &out)),
            (None, Err(RewriteError::Text(error))) => exception(py, &error, None)?,
            (None, Err(error)) => {
                let kind = match error {
                    RewriteError::HeldLimit { .. } => "held-limit",
                    _ => "bad-replacement",
                };
                own(py, &error.to_string(), kind, error.offset(), "$").into_value(py).into_bound(py).into_any()
            }
        };
        // An exception of a function may be of a class that takes no attributes.
        let _ = error.setattr("written", PyBytes::new(py, &out));
        Err(PyErr::from_value(error))
    }
}

saved_methods! {
    Rewriter(rules)
    /// Return the rewriter's state between two chunks as bytes, with the bytes held back; see ``Parser.save``.
    save,
    /// Return the rewriter that was saved, with the rules and options that it had; see ``Parser.restore``.
    ///
    /// State that functions keep is not part of it.
    restore,
    {
        #[new]
        #[pyo3(signature = (rules, **options))]
        fn new(rules: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
            let py = rules.py();
            let arguments = Arguments::of(py, options)?;
            let limit = arguments.limit("held_limit")?;
            let slot = Raised::default();
            let (mut made, mut functions) = (Vec::new(), Vec::new());
            for pair in items("rules", rules)? {
                let (pattern, rule): (String, Bound<'_, Rule>) = pair.extract()?;
                made.push((pattern, rule.get().made(py, &slot, &mut functions)?));
            }
            let parser = arguments.options(false)?.builder_retaining(Retain::Nothing);
            let rewriter = Core::with_parser(parser, made).map_err(|error| match error {
                RuleError::Pattern(error) => bad_pattern(py, &error),
                other => PyValueError::new_err(other.to_string()),
            })?;
            let rewriter = match limit {
                Some(limit) => rewriter.held_limit(usize::try_from(limit).unwrap_or(usize::MAX)),
                None => rewriter,
            };
            Ok(Self { rewriter, raised: slot, functions, offset: 0 })
        }

        /// Read the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and return all that is decided.
        ///
        /// Raises ``JsonSpigotError`` if the text is not JSON, if more has to be held back than ``held_limit`` allows
        /// (``"held-limit"``), or if a function has returned text that is not JSON (``"bad-replacement"``). An exception of a function
        /// is raised as it is. Either has the bytes that were decided before as ``written``, and is raised again until ``reset``.
        fn write<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
            let reader = &mut *lock(slf)?;
            let chunk = Chunk::of(chunk, || reader.offset)?;
            reader.offset += chunk.bytes().len() as u64;
            reader.checked(slf.py(), |rewriter, out| rewriter.write(chunk.bytes(), |bytes| out.extend_from_slice(bytes)))
        }

        /// End the text, and return the bytes held back. Raise ``JsonSpigotError`` if it is incomplete.
        fn finish<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
            lock(slf)?.checked(slf.py(), |rewriter, out| rewriter.finish(|bytes| out.extend_from_slice(bytes)))
        }

        /// The number of bytes of the text that are no longer held back.
        #[getter]
        fn passed(slf: &Bound<'_, Self>) -> PyResult<u64> {
            Ok(lock(slf)?.rewriter.passed())
        }

        /// Begin a new text.
        fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
            let reader = &mut *lock(slf)?;
            reader.rewriter.reset();
            reader.offset = 0;
            *open(&reader.raised) = None;
            Ok(())
        }

        fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
            Ok(format!("<jsonspigot.Rewriter, {} bytes passed>", Self::passed(slf)?))
        }

        fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
            visit.call(&*open(&self.raised))?;
            self.functions.iter().try_for_each(|function| visit.call(&*open(function)))
        }

        fn __clear__(&mut self) {
            let functions: Vec<_> = self.functions.iter().map(|function| open(function).take()).collect();
            let raised = open(&self.raised).take();
            drop((functions, raised));
        }
    }
}
