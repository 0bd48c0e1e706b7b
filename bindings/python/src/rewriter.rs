//! `Rewriter`: a text that is edited while it passes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonspigot::{Retain, RewriteError, Rewriter as Core, Rule as CoreRule, RuleError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_pattern, bad_state, exception, own_at, saved};
use crate::options::{Options, limit};
use crate::shared::locked;

/// What becomes of a value that a pattern selects.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct Rule(Kind);

enum Kind {
    Remove,
    Redact,
    Replace(String),
    Map(Py<PyAny>),
    MapText(Py<PyAny>),
}

/// What a function has raised, until the call that called it returns.
type Raised = Arc<Mutex<Option<PyErr>>>;

fn raised(slot: &Raised) -> MutexGuard<'_, Option<PyErr>> {
    // Nothing panics while it is locked.
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function that gives text; after an exception, the slot has it, and no function is called any more.
fn called(slot: &Raised, call: impl FnOnce(Python<'_>) -> PyResult<String>) -> Option<String> {
    if raised(slot).is_some() {
        return None;
    }
    Python::attach(call).map_err(|error| *raised(slot) = Some(error)).ok()
}

impl Rule {
    fn made(&self, py: Python<'_>, slot: &Raised) -> PyResult<CoreRule> {
        let slot = Arc::clone(slot);
        Ok(match &self.0 {
            Kind::Remove => CoreRule::remove(),
            Kind::Redact => CoreRule::redact(),
            Kind::Replace(json) => CoreRule::replace(json).map_err(|error| PyValueError::new_err(error.to_string()))?,
            Kind::Map(function) => {
                let function = Arc::new(function.clone_ref(py));
                // What is no JSON ends the text.
                CoreRule::map(move |json| {
                    called(&slot, |py| function.call1(py, (json,))?.extract(py)).unwrap_or_default()
                })
            }
            Kind::MapText(function) => {
                let function = Arc::new(function.clone_ref(py));
                CoreRule::map_text(move |piece, out| {
                    let text = called(&slot, |py| function.call1(py, (piece,))?.extract(py));
                    out.push_str(&text.unwrap_or_default());
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
    /// The value is left out, with its key and the comma that goes with it.
    #[staticmethod]
    fn remove() -> Self {
        Self(Kind::Remove)
    }

    /// ``"[redacted]"`` comes out in the value's place. If the text in a string that is read inside turns out not to be
    /// JSON, that string ends there.
    #[staticmethod]
    fn redact() -> Self {
        Self(Kind::Redact)
    }

    /// Another value comes out in its place: whatever ``json.dumps`` takes.
    #[staticmethod]
    fn replace(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let options = PyDict::new(value.py());
        options.set_item("allow_nan", false)?;
        let json = value.py().import("json")?.call_method("dumps", (value,), Some(&options))?;
        Ok(Self(Kind::Replace(json.extract()?)))
    }

    /// ``function`` gets the value's JSON text once all of it has come, and returns another JSON text.
    #[staticmethod]
    #[pyo3(name = "map")]
    fn map_json(py: Python<'_>, function: Py<PyAny>) -> PyResult<Self> {
        Ok(Self(Kind::Map(self::function(function, py)?)))
    }

    /// ``function`` gets the decoded text of a string in pieces, as they come, and ``None`` at its end, and returns what comes
    /// out for each. Values that are not strings pass.
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

/// Edits a JSON text while it passes: what no rule concerns comes out as it came in, at once.
///
/// ``rules`` is a mapping from patterns to rules. If several patterns select a value, the first one's rule is applied; what is
/// inside a value that a rule concerns is not searched. ``held_limit`` is how many bytes may be held back, until it is known
/// whether a member is removed, or for a function that waits for a value; by default 1 MiB. The other options are limits and
/// ``duplicate_keys``, as ``Parser`` has them.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct Rewriter(Mutex<Inner>);

struct Inner {
    rewriter: Core,
    raised: Raised,
    /// The bytes that have been read.
    offset: u64,
}

impl Inner {
    fn of(
        rules: &Bound<'_, PyAny>,
        held_limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = rules.py();
        let slot = Raised::default();
        let mut made = Vec::new();
        for pair in rules.call_method0("items")?.try_iter()? {
            let (pattern, rule): (String, Bound<'_, Rule>) = pair?.extract()?;
            made.push((pattern, rule.get().made(py, &slot)?));
        }
        let parser = Options::of(options)?.builder_retaining(Retain::Nothing);
        let rewriter = Core::with_parser(parser, made).map_err(|error| match error {
            RuleError::Pattern(error) => bad_pattern(py, &error),
            other => PyValueError::new_err(other.to_string()),
        })?;
        let limit = held_limit.map(|value| limit("held_limit", value)).transpose()?.flatten();
        let rewriter = match limit {
            Some(limit) => rewriter.held_limit(usize::try_from(limit).unwrap_or(usize::MAX)),
            None => rewriter,
        };
        Ok(Self { rewriter, raised: slot, offset: 0 })
    }

    /// What comes out, or what a function has raised, or the error with what came out before it.
    fn checked<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut Core, &mut Vec<u8>) -> Result<(), RewriteError>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut out = Vec::new();
        if let Some(error) = &*raised(&self.raised) {
            return Err(error.clone_ref(py));
        }
        let read = read(&mut self.rewriter, &mut out);
        if let Some(error) = &*raised(&self.raised) {
            return Err(error.clone_ref(py));
        }
        let Err(error) = read else { return Ok(PyBytes::new(py, &out)) };
        let before = PyList::empty(py);
        if !out.is_empty() {
            before.append(PyBytes::new(py, &out))?;
        }
        let kind = match &error {
            RewriteError::Text(error) => return Err(PyErr::from_value(exception(py, error, Some(before))?)),
            RewriteError::HeldLimit { .. } => "held-limit",
            _ => "bad-replacement",
        };
        Err(own_at(py, &error.to_string(), kind, (error.offset(), 0, 0), "$", Some(before)))
    }
}

#[pymethods]
impl Rewriter {
    #[new]
    #[pyo3(signature = (rules, *, held_limit = None, **options))]
    fn new(
        rules: &Bound<'_, PyAny>,
        held_limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Ok(Self(Mutex::new(Inner::of(rules, held_limit, options)?)))
    }

    /// The rewriter that was saved, with the rules and options that it had; see ``Parser.restore``. What functions remember is
    /// not part of a state.
    #[staticmethod]
    #[pyo3(signature = (rules, state, *, held_limit = None, **options))]
    fn restore(
        rules: &Bound<'_, PyAny>,
        state: &Bound<'_, PyAny>,
        held_limit: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        let Inner { rewriter, raised, offset } = Inner::of(rules, held_limit, options)?;
        let rewriter = rewriter.restore(state.bytes()).map_err(|error| bad_state(rules.py(), &error))?;
        Ok(Self(Mutex::new(Inner { rewriter, raised, offset })))
    }

    /// The rewriter's state as bytes, between two chunks, with what is held back; see ``Parser.save``.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, locked(&self.0, "rewriter")?.rewriter.save())
    }

    /// Reads the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and returns all that is decided by now.
    ///
    /// Raises ``JsonSpigotError`` if the text is not JSON, if more has to be held back than ``held_limit`` allows
    /// (``"held-limit"``), or if a function has returned what is not JSON (``"bad-replacement"``); its ``events`` are then the
    /// bytes that came out before. What a function raises is raised, and nothing comes out any more, until ``reset``.
    fn write<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let mut inner = locked(&self.0, "rewriter")?;
        let offset = inner.offset;
        let chunk = Chunk::of(chunk, || offset)?;
        inner.offset += chunk.bytes().len() as u64;
        inner.checked(py, |rewriter, out| rewriter.write(chunk.bytes(), |bytes| out.extend_from_slice(bytes)))
    }

    /// Ends the text, and returns what was held back; raises ``JsonSpigotError`` if it is incomplete.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        locked(&self.0, "rewriter")?.checked(py, |rewriter, out| rewriter.finish(|bytes| out.extend_from_slice(bytes)))
    }

    /// How many bytes of the text have been passed on or left out; the others are held back.
    #[getter]
    fn passed(&self) -> PyResult<u64> {
        Ok(locked(&self.0, "rewriter")?.rewriter.passed())
    }

    /// Begins a new text.
    fn reset(&self) -> PyResult<()> {
        let mut inner = locked(&self.0, "rewriter")?;
        inner.rewriter.reset();
        inner.offset = 0;
        *raised(&inner.raised) = None;
        Ok(())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<jsonspigot.Rewriter, {} bytes passed>", self.passed()?))
    }
}
