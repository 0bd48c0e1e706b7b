//! A parser's choices as keyword arguments, the same for everything that has parsers.

use std::str::FromStr;

use jsonspigot::{DuplicateKeys, Leniency, Limits, ParserBuilder, PatternSet, Retain};
use jsonspigot_llm::SAVE_LIMIT;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString};

use crate::error::bad_pattern;
use crate::value::Fractions;

/// The levels that pydantic's JSON parser reads.
const DEEPEST: usize = 200;

#[derive(Clone, Copy, Default)]
pub(crate) struct Options {
    limits: Limits,
    /// Calls and payloads have defaults of their own for these two.
    retain: Option<Retain>,
    duplicate_keys: Option<DuplicateKeys>,
    snapshots: bool,
    provisional: bool,
    leniency: Leniency,
    accept_deviations: bool,
    pub(crate) fractions: Fractions,
}

impl Options {
    fn of(arguments: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut options = Self::default();
        for (name, value) in arguments {
            let name = name.cast_into::<PyString>()?;
            options.set(name.to_str()?, &value)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name {
            "snapshots" => self.snapshots = flag(name, value)?,
            "provisional" => self.provisional = flag(name, value)?,
            "accept_deviations" => self.accept_deviations = flag(name, value)?,
            "decimals" => self.fractions = Fractions::of(flag(name, value)?),
            "retain" => self.retain = Some(named(name, value, "'all', 'matches' or 'nothing'")?),
            "duplicate_keys" => self.duplicate_keys = Some(named(name, value, "'last-wins' or 'reject'")?),
            "lenient" if value.is_none() => self.leniency = Leniency::NONE,
            "lenient" => self.leniency = leniency(value)?,
            "max_depth" => {
                // There are no more levels than bytes.
                let depth = limit(name, value)?.unwrap_or(u64::MAX);
                self.limits = self.limits.depth(usize::try_from(depth).unwrap_or(usize::MAX));
            }
            "max_key" => self.limits = self.limits.key(limit(name, value)?.unwrap_or(u64::MAX)),
            "max_string" => self.limits = self.limits.string(limit(name, value)?.unwrap_or(u64::MAX)),
            "max_number" => self.limits = self.limits.number(limit(name, value)?.unwrap_or(u64::MAX)),
            "max_blank" => self.limits = self.limits.blank(limit(name, value)?.unwrap_or(u64::MAX)),
            "max_total" => self.limits = self.limits.total(limit(name, value)?.unwrap_or(u64::MAX)),
            _ => return Err(unexpected(name, value.py())),
        }
        Ok(())
    }

    pub(crate) fn builder(&self) -> ParserBuilder {
        self.builder_retaining(Retain::All)
    }

    pub(crate) fn builder_retaining(&self, default: Retain) -> ParserBuilder {
        let builder = jsonspigot::Parser::builder()
            .limits(self.limits)
            .retain(self.retain.unwrap_or(default))
            .lenient(self.leniency);
        let builder = chosen(builder, self.duplicate_keys, ParserBuilder::duplicate_keys);
        let builder = if self.accept_deviations { builder.accept_deviations() } else { builder };
        match (self.snapshots, self.provisional) {
            (_, true) => builder.provisional(),
            (true, false) => builder.snapshots(),
            (false, false) => builder,
        }
    }

    /// Checks the choices that a typed view needs; the default is the reader's own about second members of a name.
    pub(crate) fn require_typed(&self, default: DuplicateKeys) -> PyResult<()> {
        if self.limits.depth > DEEPEST {
            let message = format!("typed needs max_depth={DEEPEST} at most: pydantic reads no more levels");
            return Err(PyValueError::new_err(message));
        }
        if self.duplicate_keys.unwrap_or(default) == DuplicateKeys::Reject {
            return Ok(());
        }
        let message = "typed needs duplicate_keys=\"reject\": a member that came twice could be missed";
        Err(PyValueError::new_err(message))
    }

    /// Checks that whole texts are kept, which is the default.
    pub(crate) fn require_whole(&self) -> PyResult<()> {
        match self.retain {
            None | Some(Retain::All) => Ok(()),
            _ => Err(PyValueError::new_err("typed documents need retain=\"all\": each is validated when it is whole")),
        }
    }

    pub(crate) fn has_snapshots(&self) -> bool {
        self.snapshots || self.provisional
    }
}

/// The keyword arguments of a reader. It takes its own out; the others are those of a parser.
pub(crate) struct Arguments<'py>(Bound<'py, PyDict>);

impl<'py> Arguments<'py> {
    pub(crate) fn of(py: Python<'py>, given: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        given.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy()).map(Self)
    }

    pub(crate) fn take(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.0.get_item(name)?;
        if found.is_some() {
            self.0.del_item(name)?;
        }
        Ok(found.filter(|found| !found.is_none()))
    }

    pub(crate) fn flag(&self, name: &str) -> PyResult<bool> {
        self.take(name)?.map_or(Ok(false), |value| flag(name, &value))
    }

    pub(crate) fn limit(&self, name: &str) -> PyResult<Option<u64>> {
        Ok(self.take(name)?.map(|value| limit(name, &value)).transpose()?.flatten())
    }

    /// Takes `saveable` and returns its limit, if there is one.
    pub(crate) fn save_limit(&self) -> PyResult<Option<usize>> {
        let Some(saveable) = self.take("saveable")? else { return Ok(None) };
        if let Ok(is_saveable) = saveable.extract::<bool>() {
            return Ok(is_saveable.then_some(SAVE_LIMIT));
        }
        let limit = limit("saveable", &saveable)?;
        Ok(limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    /// Takes the choices of a typed view.
    pub(crate) fn of_view(&self) -> PyResult<Bound<'py, PyDict>> {
        let of_view = PyDict::new(self.0.py());
        for name in ["missing", "context", "strict", "by_alias", "by_name"] {
            if let Some(value) = self.take(name)? {
                of_view.set_item(name, value)?;
            }
        }
        Ok(of_view)
    }

    /// Returns the options of a parser. With a model, the defaults are snapshots, and an error for duplicate keys.
    pub(crate) fn options(&self, has_model: bool) -> PyResult<Options> {
        let mut options = Options::of(&self.0)?;
        if has_model {
            options.snapshots |= !self.0.contains("snapshots")?;
            options.duplicate_keys.get_or_insert(DuplicateKeys::Reject);
        }
        Ok(options)
    }
}

/// Applies a choice to a builder, if it was made.
pub(crate) fn chosen<T, V>(builder: T, choice: Option<V>, apply: impl FnOnce(T, V) -> T) -> T {
    match choice {
        Some(choice) => apply(builder, choice),
        None => builder,
    }
}

/// Reads a limit, or `None` for no limit. An integer out of range is a `ValueError`.
fn limit(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    value.extract::<Option<u64>>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            PyValueError::new_err(format!("{name}: expected None or an int from 0 to {}", u64::MAX))
        } else {
            of_argument(name, &error, value.py())
        }
    })
}

/// Reads the name of one of a few values.
fn named<T: FromStr>(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyResult<T> {
    let text: &str = value.extract().map_err(|error: PyErr| of_argument(name, &error, value.py()))?;
    text.parse().map_err(|_| unknown(name, text, expected))
}

fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|error: PyErr| of_argument(name, &error, value.py()))
}

/// Returns the error for an unknown option, with the most similar name.
fn unexpected(name: &str, py: Python<'_>) -> PyErr {
    let close = || -> PyResult<Vec<String>> {
        let options = py.import("jsonspigot._types")?.getattr("ParserOptions")?;
        let names = options.getattr("__annotations__")?;
        py.import("difflib")?.call_method1("get_close_matches", (name, names, 1))?.extract()
    };
    let close = close().unwrap_or_default();
    let hint = close.first().map(|meant| format!(", did you mean '{meant}'?")).unwrap_or_default();
    PyTypeError::new_err(format!("unexpected keyword argument '{name}'{hint}"))
}

fn of_argument(name: &str, error: &PyErr, py: Python<'_>) -> PyErr {
    PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)))
}

/// Reads the name of a deviation, or several names.
fn leniency(value: &Bound<'_, PyAny>) -> PyResult<Leniency> {
    let named = |name: &str| {
        Leniency::from_name(name).ok_or_else(|| unknown("lenient", name, "'model-output' or the name of a deviation"))
    };
    strings("lenient", value)?.iter().try_fold(Leniency::NONE, |leniency, name| Ok(leniency | named(name)?))
}

/// Returns the items of a mapping.
pub(crate) fn items<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    match given.cast::<PyMapping>() {
        Ok(mapping) => mapping.items(),
        Err(_) => {
            let found = given.get_type().name()?;
            Err(PyTypeError::new_err(format!("{name}: expected a mapping, not {found}")))
        }
    }
}

pub(crate) fn unknown(argument: &str, found: &str, expected: &str) -> PyErr {
    PyValueError::new_err(format!("{argument}: expected {expected}, not '{found}'"))
}

/// Reads one string, or an iterable of them.
pub(crate) fn strings(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(one) = given.cast::<PyString>() {
        return Ok(vec![one.to_str()?.to_owned()]);
    }
    if given.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!("{name}: expected str or an iterable of str, not bytes")));
    }
    given.try_iter()?.map(|item| item?.extract()).collect()
}

/// Reads patterns: one, or an iterable of them.
pub(crate) fn pattern_set(patterns: Option<&Bound<'_, PyAny>>) -> PyResult<PatternSet> {
    let Some(patterns) = patterns else { return Ok(PatternSet::default()) };
    PatternSet::new(&strings("patterns", patterns)?).map_err(|error| bad_pattern(patterns.py(), &error))
}
