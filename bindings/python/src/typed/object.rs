//! A level as an object, for those that are written in Python (`levels.py`).

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyTraverseError, PyVisit};

use super::level::Child;
use super::place::{Place, out};

/// A level for those that are written in Python.
#[pyclass(name = "_Level", module = "jsonspigot._native")]
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
