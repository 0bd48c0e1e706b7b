//! `Rewriter`: a text that is edited while it passes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonspigot::{Error, RestoreError, Retain, RewriteError, Rewriter as Core, Rule as CoreRule, RuleError};
use pyo3::exceptions::{PyBaseException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_pattern, exception, own};
use crate::lock::lock;
use crate::options::{Arguments, chosen, items};
use crate::reader::{Saved, saved_methods};

/// The functions of a rewriter's rules, by their places, and the exception of one of them, until `reset`. The rules and the
/// garbage collector share it: a function is one reference for both.
#[derive(Default)]
struct Functions {
    functions: Vec<Py<PyAny>>,
    raised: Option<Py<PyBaseException>>,
}

type Shared = Arc<Mutex<Functions>>;

fn open(shared: &Shared) -> MutexGuard<'_, Functions> {
    // Nothing panics while it is locked.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function that returns text. After an exception, which is kept, no function is called.
fn called(shared: &Shared, place: usize, argument: Option<&str>) -> Option<String> {
    Python::attach(|py| {
        let function = {
            let shared = open(shared);
            // Without functions, the rewriter is garbage.
            shared.functions.get(place).filter(|_| shared.raised.is_none())?.clone_ref(py)
        };
        let called = function.call1(py, (argument,)).and_then(|text| text.extract(py));
        called.map_err(|error: PyErr| open(shared).raised = Some(error.into_value(py))).ok()
    })
}

/// Returns a rule of the library, made of a `Rule` (`_rules.py`), and adds its function to the others.
fn rule_of(rule: &Bound<'_, PyAny>, shared: &Shared) -> PyResult<CoreRule> {
    let (kind, argument): (String, Bound<'_, PyAny>) = (rule.getattr("_kind")?.extract()?, rule.getattr("_argument")?);
    let place = open(shared).functions.len();
    if kind.starts_with("map") {
        open(shared).functions.push(argument.clone().unbind());
    }
    let shared = Arc::clone(shared);
    Ok(match kind.as_str() {
        "remove" => CoreRule::remove(),
        "redact" => CoreRule::redact(),
        "replace" => {
            CoreRule::replace(argument.extract::<&str>()?).map_err(|error| PyValueError::new_err(error.to_string()))?
        }
        // A result that is not JSON ends the text.
        "map" => CoreRule::map(move |json| called(&shared, place, Some(json)).unwrap_or_default()),
        _ => CoreRule::map_text(move |piece, out| out.push_str(&called(&shared, place, piece).unwrap_or_default())),
    })
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
    shared: Shared,
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
        if let Some(error) = &open(&self.shared).raised {
            // Each raise would add to the same traceback.
            return Err(PyErr::from_value(error.bind(py).call_method1("with_traceback", (py.None(),))?));
        }
        let read = read(&mut self.rewriter, &mut out);
        let raised = open(&self.shared).raised.as_ref().map(|error| error.bind(py).clone().into_any());
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
            let (mut made, shared) = (Vec::new(), Shared::default());
            for pair in items("rules", rules)? {
                let (pattern, rule): (String, Bound<'_, PyAny>) = pair.extract()?;
                if !rule.is_instance(&py.import("jsonspigot._rules")?.getattr("Rule")?)? {
                    return Err(PyTypeError::new_err(format!("rules: expected a Rule, not {}", rule.get_type().name()?)));
                }
                made.push((pattern, rule_of(&rule, &shared)?));
            }
            let parser = arguments.options(false)?.builder_retaining(Retain::Nothing);
            let rewriter = Core::with_parser(parser, made).map_err(|error| match error {
                RuleError::Pattern(error) => bad_pattern(py, &error),
                other => PyValueError::new_err(other.to_string()),
            })?;
            let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
            let rewriter = chosen(rewriter, limit, Core::held_limit);
            Ok(Self { rewriter, shared })
        }

        /// Read the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and return all that is decided.
        ///
        /// Raises ``JsonSpigotError`` if the text is not JSON, if more has to be held back than ``held_limit`` allows
        /// (``"held-limit"``), or if a function has returned text that is not JSON (``"bad-replacement"``). An exception of a function
        /// is raised as it is. Either has the bytes that were decided before as ``written``, and is raised again until ``reset``.
        fn write<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
            let reader = &mut *lock(slf)?;
            let chunk = Chunk::of(chunk, || reader.rewriter.offset())?;
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
            open(&reader.shared).raised = None;
            Ok(())
        }

        fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
            Ok(format!("<jsonspigot.Rewriter, {} bytes passed>", Self::passed(slf)?))
        }

        fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
            let shared = open(&self.shared);
            visit.call(&shared.raised)?;
            shared.functions.iter().try_for_each(|function| visit.call(function))
        }

        fn __clear__(&mut self) {
            let garbage = std::mem::take(&mut *open(&self.shared));
            drop(garbage);
        }
    }
}
