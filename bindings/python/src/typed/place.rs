//! A place of a type, as a level needs to know it, read once of its `Node` (`plan.py`): which closed values need no
//! validator, how an open string is shown, and what an open container is.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyString, PyType};
use pyo3::{PyTraverseError, PyVisit};

/// The part of a `Node` that looks use.
#[pyclass(frozen, name = "_Place", module = "jsonspigot._native")]
pub(crate) struct Place {
    node: Py<PyAny>,
    known: OnceLock<Known>,
    object: OnceLock<Option<Py<Shape>>>,
    array: OnceLock<Option<Py<Shape>>>,
}

/// The attributes of a `Node`.
#[derive(FromPyObject)]
pub(super) struct Known {
    /// The classes of closed values that are what their validator would return.
    quick: Vec<Py<PyType>>,
    /// The strings that are.
    literals: Py<PyFrozenSet>,
    is_any: bool,
    /// The function that shows the text of an open string, and returns `OUT` for what is not shown. `str` shows all.
    text: Option<Py<PyAny>>,
    #[pyo3(attribute("redo"))]
    pub(super) has_redo: bool,
}

impl Known {
    /// Returns true if a closed value is what its validator would return.
    pub(super) fn is_quick(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let class = value.get_type();
        if self.quick.iter().any(|quick| quick.is(&class)) {
            return Ok(true);
        }
        Ok(value.is_exact_instance_of::<PyString>() && self.literals.bind(value.py()).contains(value)?)
    }

    /// Returns the shown value of an open string; or of a number that may grow, if a parser shows those: only where any
    /// value fits.
    pub(super) fn shown_scalar<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        run: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if value.is_exact_instance_of::<PyString>() {
            return self.shown_text(value);
        }
        self.is_any.then(|| run.call_method1("raw", (value,))).transpose()
    }

    /// Returns the shown value of an open string.
    pub(super) fn shown_text<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = text.py();
        match &self.text {
            None => Ok(None),
            Some(as_it_is) if as_it_is.is(py.get_type::<PyString>()) => Ok(Some(text.clone())),
            Some(function) => shown(function.bind(py).call1((text,))?),
        }
    }
}

#[pymethods]
impl Place {
    #[new]
    fn new(node: Py<PyAny>) -> Self {
        Self { node, known: OnceLock::new(), object: OnceLock::new(), array: OnceLock::new() }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.node)?;
        if let Some(known) = self.known.get() {
            visit.call(&known.literals)?;
            visit.call(&known.text)?;
        }
        [&self.object, &self.array].into_iter().flat_map(OnceLock::get).try_for_each(|shape| visit.call(shape))
    }
}

impl Place {
    pub(super) fn node<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.node.bind(py)
    }

    pub(super) fn known(&self, py: Python<'_>) -> PyResult<&Known> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let known = self.node.bind(py).call_method0("resolved")?.extract()?;
        // Another thread may have been first: it has read the same.
        Ok(self.known.get_or_init(|| known))
    }

    /// Returns the shape of an open object or array; nothing if it is of a kind that has a level of its own in
    /// `levels.py`.
    pub(super) fn shape(&self, py: Python<'_>, is_object: bool) -> PyResult<Option<&Py<Shape>>> {
        let cell = if is_object { &self.object } else { &self.array };
        if cell.get().is_none() {
            // Resolves the `Node`.
            self.known(py)?;
            let shape = levels(py)?.call_method1("shape", (&self.node, is_object))?.extract()?;
            let _ = cell.set(shape);
        }
        Ok(cell.get().and_then(Option::as_ref))
    }

    /// Returns a closed value, validated if it has to be.
    pub(super) fn closed<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        run: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.known(value.py())?.is_quick(value)? {
            return Ok(value.clone());
        }
        self.node.bind(value.py()).call_method1(pyo3::intern!(value.py(), "full"), (value, run))
    }
}

/// The kind of an open container.
#[pyclass(frozen, name = "_Shape", module = "jsonspigot._native")]
pub(crate) struct Shape(pub(super) Container);

pub(super) enum Container {
    /// Elements are `kids`, of which the one at `variadic` is repeated. `class` makes their container of a list.
    Elements { class: Py<PyType>, is_set: bool, kids: Vec<Py<Place>>, variadic: Option<usize> },
    /// `key` makes a key of what is spelt, unless it is that `str`.
    Entries { inner: Py<Place>, key: Option<Py<PyAny>> },
    /// A model, dataclass or `TypedDict`.
    Fields(Fields),
}

/// The fields of an `ObjectPlan`, by the names of its attributes.
#[derive(FromPyObject)]
pub(super) struct Fields {
    /// The `ObjectPlan` itself.
    pub(super) plan: Py<PyAny>,
    /// The name and the `Place` of each field, by its key.
    pub(super) keys: Py<PyDict>,
    /// The type of open objects.
    pub(super) open: Option<Py<PyType>>,
    pub(super) is_model: bool,
    pub(super) has_extra: bool,
    /// The keys that count only if a field's better one does not come.
    pub(super) spare: Py<PyFrozenSet>,
    /// The place of a key that is no field.
    pub(super) other: Py<Place>,
    /// The values of fields that have not come, if they are always the same but for those in `changing`.
    pub(super) fixed: Option<Py<PyDict>>,
    /// The names of fields, each with what makes another object of its value.
    pub(super) changing: Py<PyList>,
    pub(super) has_private: bool,
    #[pyo3(attribute("redo"))]
    pub(super) has_redo: bool,
}

#[pymethods]
impl Shape {
    #[staticmethod]
    fn elements(class: Py<PyType>, is_set: bool, kids: Vec<Py<Place>>, variadic: Option<usize>) -> Self {
        Self(Container::Elements { class, is_set, kids, variadic })
    }

    #[staticmethod]
    fn entries(inner: Py<Place>, key: Option<Py<PyAny>>) -> Self {
        Self(Container::Entries { inner, key })
    }

    #[staticmethod]
    fn fields(plan: &Bound<'_, PyAny>) -> PyResult<Self> {
        plan.extract().map(|fields| Self(Container::Fields(fields)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.0 {
            Container::Elements { kids, .. } => kids.iter().try_for_each(|place| visit.call(place)),
            Container::Entries { inner, key } => visit.call(inner).and_then(|()| visit.call(key)),
            Container::Fields(Fields { plan, keys, open, spare, other, fixed, changing, .. }) => {
                visit.call(plan)?;
                visit.call(keys)?;
                visit.call(open)?;
                visit.call(spare)?;
                visit.call(other)?;
                visit.call(fixed)?;
                visit.call(changing)
            }
        }
    }
}

pub(super) fn levels(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static LEVELS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(LEVELS
        .get_or_try_init(py, || py.import("jsonspigot._typed.levels").map(|module| module.into_any().unbind()))?
        .bind(py))
}

/// Returns a value, or nothing for `OUT`.
pub(super) fn shown(value: Bound<'_, PyAny>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let out = out(value.py())?;
    Ok((!value.is(out)).then_some(value))
}

pub(super) fn out(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static OUT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    OUT.import(py, "jsonspigot._typed.open", "OUT")
}
