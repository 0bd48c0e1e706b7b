//! A parser's choices as keyword arguments, the same for everything that has parsers.

use jsonspigot::{DuplicateKeys, Leniency, Limits, ParserBuilder, PatternSet, Retain};
use jsonspigot_llm::SAVE_LIMIT;
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

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
    /// Reads keyword arguments, those of the caller's own aside.
    pub(crate) fn of(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = Self::default();
        let Some(arguments) = arguments else { return Ok(options) };
        for (name, value) in arguments {
            let name = name.cast_into::<PyString>()?;
            options.set(name.to_str()?, &value)?;
        }
        Ok(options)
    }

    /// Choices for typed views, where the caller has made none: what is open is shown, and a member that comes twice is an
    /// error.
    pub(crate) fn for_models(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = Self::of(arguments)?;
        let is_given = |name| arguments.map_or(Ok(false), |arguments| arguments.contains(name));
        options.snapshots |= !is_given("snapshots")?;
        options.duplicate_keys.get_or_insert(DuplicateKeys::Reject);
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name {
            "snapshots" => self.snapshots = value.is_truthy()?,
            "provisional" => self.provisional = value.is_truthy()?,
            "accept_deviations" => self.accept_deviations = value.is_truthy()?,
            "decimals" => self.fractions = if value.is_truthy()? { Fractions::Decimal } else { Fractions::Float },
            "retain" => self.retain = Some(retain(argument(name, value)?)?),
            "duplicate_keys" => self.duplicate_keys = Some(duplicate_keys(argument(name, value)?)?),
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
            _ => return Err(PyTypeError::new_err(format!("unexpected keyword argument '{name}'"))),
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
        let builder = match self.duplicate_keys {
            Some(policy) => builder.duplicate_keys(policy),
            None => builder,
        };
        let builder = if self.accept_deviations { builder.accept_deviations() } else { builder };
        match (self.snapshots, self.provisional) {
            (_, true) => builder.provisional(),
            (true, false) => builder.snapshots(),
            (false, false) => builder,
        }
    }

    /// Checks that snapshots were asked for.
    pub(crate) fn require_snapshots(&self, reader: &str) -> PyResult<()> {
        if self.snapshots || self.provisional {
            return Ok(());
        }
        let message = format!("this {reader} keeps no snapshots: make it with snapshots=True");
        Err(PyRuntimeError::new_err(message))
    }

    /// Checks the choices that a typed view needs; the default is the reader's own about second members of a name.
    pub(crate) fn require_typed(&self, default: DuplicateKeys) -> PyResult<()> {
        self.require_shallow()?;
        if self.duplicate_keys.unwrap_or(default) == DuplicateKeys::Reject {
            return Ok(());
        }
        let message = "typed needs duplicate_keys=\"reject\": a member that came twice could be missed";
        Err(PyValueError::new_err(message))
    }

    /// Checks that pydantic can read whatever closes, which may be all of the text.
    pub(crate) fn require_shallow(&self) -> PyResult<()> {
        if self.limits.depth <= DEEPEST {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("typed needs max_depth={DEEPEST} at most: pydantic reads no more levels")))
    }

    /// An error unless whole texts are kept, where that is the choice unless another is made.
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

/// A limit, or `None` for none: what is too small or too large is a wrong value, whatever it overflows in here.
pub(crate) fn limit(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    value.extract::<Option<u64>>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            PyValueError::new_err(format!("{name}: expected None or an int from 0 to {}", u64::MAX))
        } else {
            of_argument(name, &error, value.py())
        }
    })
}

/// The limit that a `saveable` stands for, if any; without one, that of `otherwise`.
pub(crate) fn save_limit(saveable: Option<&Bound<'_, PyAny>>, otherwise: bool) -> PyResult<Option<usize>> {
    let flag = saveable.map_or(Ok(otherwise), |saveable| saveable.extract::<bool>());
    if let Ok(is_saveable) = flag {
        return Ok(is_saveable.then_some(SAVE_LIMIT));
    }
    let limit = saveable.map(|saveable| limit("saveable", saveable)).transpose()?.flatten();
    Ok(limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)))
}

/// An argument's value, or a `TypeError` that names the argument.
fn argument<'py>(name: &str, value: &'py Bound<'py, PyAny>) -> PyResult<&'py str> {
    value.extract().map_err(|error: PyErr| of_argument(name, &error, value.py()))
}

fn of_argument(name: &str, error: &PyErr, py: Python<'_>) -> PyErr {
    PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)))
}

fn retain(name: &str) -> PyResult<Retain> {
    match name {
        "all" => Ok(Retain::All),
        "matches" => Ok(Retain::Matches),
        "nothing" => Ok(Retain::Nothing),
        _ => Err(unknown("retain", name, "'all', 'matches' or 'nothing'")),
    }
}

fn duplicate_keys(name: &str) -> PyResult<DuplicateKeys> {
    match name {
        "last-wins" => Ok(DuplicateKeys::LastWins),
        "reject" => Ok(DuplicateKeys::Reject),
        _ => Err(unknown("duplicate_keys", name, "'last-wins' or 'reject'")),
    }
}

/// A name, or several of them.
fn leniency(value: &Bound<'_, PyAny>) -> PyResult<Leniency> {
    let named = |name: &str| {
        Leniency::from_name(name).ok_or_else(|| unknown("lenient", name, "'model-output' or the name of a deviation"))
    };
    if let Ok(name) = value.cast::<PyString>() {
        return named(name.to_str()?);
    }
    let mut leniency = Leniency::NONE;
    for name in value.try_iter()? {
        leniency = leniency | named(name?.cast::<PyString>()?.to_str()?)?;
    }
    Ok(leniency)
}

fn unknown(argument: &str, found: &str, expected: &str) -> PyErr {
    PyValueError::new_err(format!("{argument}: expected {expected}, not '{found}'"))
}

/// Patterns: one, or an iterable of them.
pub(crate) fn pattern_set(patterns: Option<&Bound<'_, PyAny>>) -> PyResult<PatternSet> {
    let Some(patterns) = patterns else { return Ok(PatternSet::default()) };
    let py = patterns.py();
    let set = if let Ok(pattern) = patterns.cast::<PyString>() {
        PatternSet::new([pattern.to_str()?])
    } else {
        let patterns: Vec<String> = patterns.try_iter()?.map(|pattern| pattern?.extract()).collect::<PyResult<_>>()?;
        PatternSet::new(&patterns)
    };
    set.map_err(|error| bad_pattern(py, &error))
}
