//! An open member: a level of one of the two kinds, native or Python's (`_levels.py`), or none.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyTraverseError, PyVisit};

use super::level::Level;
use super::place::{Place, levels, out, shown, which};

/// The known part of an open member.
pub(super) enum Child {
    /// A string or number, or nothing is open.
    None,
    Level(Box<Level>),
    /// A level of a kind that is written in Python.
    Other(Py<PyAny>),
}

impl Child {
    /// The level of an open object or array at a place.
    pub(super) fn opened(
        py: Python<'_>,
        place: &Py<Place>,
        is_object: bool,
        run: &Bound<'_, PyAny>,
        is_tolerant: bool,
    ) -> PyResult<Self> {
        let is_tolerant = is_tolerant || place.get().known(py)?.has_redo;
        if let Some(shape) = place.get().shape(py, is_object)? {
            return Ok(Self::Level(Box::new(Level::new(py, place, shape, run, is_tolerant)?)));
        }
        let arguments = (place.get().node(py), which(is_object), run, is_tolerant);
        Ok(Self::Other(levels(py)?.call_method1("level", arguments)?.unbind()))
    }

    pub(super) fn sync(&mut self, raw: &Bound<'_, PyAny>, path: &Bound<'_, PyTuple>, depth: usize) -> PyResult<()> {
        match self {
            Self::None => Ok(()),
            Self::Level(level) => level.sync(raw, path, depth),
            Self::Other(level) => level.bind(raw.py()).call_method1("sync", (raw, path, depth)).map(drop),
        }
    }

    pub(super) fn shown<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::None => Ok(None),
            Self::Level(level) => level.shown(py),
            Self::Other(level) => shown(level.bind(py).call_method0("shown")?),
        }
    }

    pub(super) fn finish<'py>(&mut self, raw: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::None => Ok(raw.clone()),
            Self::Level(level) => level.finish(raw),
            Self::Other(level) => level.bind(raw.py()).call_method1("finish", (raw,)),
        }
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::None => Ok(()),
            Self::Level(level) => level.traverse(visit),
            Self::Other(level) => visit.call(level),
        }
    }
}

/// A level for those that are written in Python.
#[pyclass(name = "Level", module = "jsonspigot._native")]
pub(crate) struct LevelObject(Child);

#[pymethods]
impl LevelObject {
    #[new]
    fn new(place: Bound<'_, Place>, is_object: bool, run: &Bound<'_, PyAny>, is_tolerant: bool) -> PyResult<Self> {
        let py = place.py();
        Ok(Self(Child::opened(py, &place.unbind(), is_object, run, is_tolerant)?))
    }

    fn sync(&mut self, raw: &Bound<'_, PyAny>, path: &Bound<'_, PyTuple>, depth: usize) -> PyResult<()> {
        self.0.sync(raw, path, depth)
    }

    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.0.shown(py)? {
            Some(value) => value,
            None => out(py)?.clone(),
        })
    }

    fn finish<'py>(&mut self, raw: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.finish(raw)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.traverse(&visit)
    }

    fn __clear__(&mut self) {
        self.0 = Child::None;
    }
}
