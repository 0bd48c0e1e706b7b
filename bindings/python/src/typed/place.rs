//! A place of a type, as a level needs to know it, read once of its `Node` (`plan.py`): which closed values need no
//! validator, how an open string is shown, and what an open container is.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyString, PyType};
use pyo3::{PyTraverseError, PyVisit};

/// The way in which the text of an open string is shown.
pub(super) enum Text {
    No,
    AsItIs,
    /// By a function, which returns `OUT` for what is not shown.
    By(Py<PyAny>),
}

/// The part of a `Node` that looks use.
#[pyclass(frozen, name = "_Place", module = "jsonspigot._native")]
pub(crate) struct Place {
    node: Py<PyAny>,
    known: OnceLock<Known>,
}

pub(super) struct Known {
    /// The classes of closed values that are what their validator would return.
    quick: Vec<Py<PyType>>,
    is_any: bool,
    literals: Option<Py<PyFrozenSet>>,
    pub(super) text: Text,
    pub(super) has_redo: bool,
    object: OnceLock<Option<Py<Shape>>>,
    array: OnceLock<Option<Py<Shape>>>,
}

impl Known {
    /// Returns true if a closed value is what its validator would return.
    pub(super) fn is_quick(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let class = value.get_type();
        if self.quick.iter().any(|quick| quick.is(&class)) {
            return Ok(true);
        }
        match &self.literals {
            Some(literals) if value.is_exact_instance_of::<PyString>() => literals.bind(value.py()).contains(value),
            _ => Ok(false),
        }
    }

    /// Returns the shown value of an open string; or of a number that may grow, if a parser shows those: only where any
    /// value fits.
    pub(super) fn shown_scalar<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        run: &Py<PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if value.is_exact_instance_of::<PyString>() {
            return self.shown_text(value);
        }
        self.is_any.then(|| run.bind(value.py()).call_method1("raw", (value,))).transpose()
    }

    /// Returns the shown value of an open string.
    pub(super) fn shown_text<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.text {
            Text::No => Ok(None),
            Text::AsItIs => Ok(Some(text.clone())),
            Text::By(function) => shown(function.bind(text.py()).call1((text,))?),
        }
    }
}

#[pymethods]
impl Place {
    #[new]
    fn new(node: Py<PyAny>) -> Self {
        Self { node, known: OnceLock::new() }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.node)?;
        let Some(known) = self.known.get() else { return Ok(()) };
        visit.call(&known.literals)?;
        if let Text::By(function) = &known.text {
            visit.call(function)?;
        }
        [&known.object, &known.array].into_iter().flat_map(OnceLock::get).try_for_each(|shape| visit.call(shape))
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
        static AS_IT_IS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let as_it_is = AS_IT_IS.import(py, "jsonspigot._typed.plan", "_same")?;
        let node = self.node.bind(py).call_method0("resolved")?;
        let text = node.getattr("text")?;
        let literals = node.getattr("literals")?.cast_into::<PyFrozenSet>()?;
        let known = Known {
            quick: node.getattr("quick")?.extract()?,
            is_any: node.getattr("is_any")?.is_truthy()?,
            literals: (!literals.is_empty()).then(|| literals.unbind()),
            text: match text {
                text if text.is_none() => Text::No,
                text if text.is(as_it_is) => Text::AsItIs,
                text => Text::By(text.unbind()),
            },
            has_redo: node.getattr("redo")?.is_truthy()?,
            object: OnceLock::new(),
            array: OnceLock::new(),
        };
        // Another thread may have been first: it has read the same.
        Ok(self.known.get_or_init(|| known))
    }

    /// Returns the shape of an open object or array; nothing if it is of a kind that has a level of its own in
    /// `levels.py`.
    pub(super) fn shape(&self, py: Python<'_>, is_object: bool) -> PyResult<Option<&Py<Shape>>> {
        let known = self.known(py)?;
        let cell = if is_object { &known.object } else { &known.array };
        if cell.get().is_none() {
            let shape = levels(py)?.call_method1("shape", (&self.node, which(is_object)))?;
            let shape = shape.extract::<Option<Py<Shape>>>()?;
            let _ = cell.set(shape);
        }
        Ok(cell.get().and_then(Option::as_ref))
    }

    /// Returns a closed value, validated.
    pub(super) fn closed<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        run: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.node.bind(value.py()).call_method1(pyo3::intern!(value.py(), "full"), (value, run))
    }
}

pub(super) fn which(is_object: bool) -> &'static str {
    if is_object { "object" } else { "array" }
}

/// The kind of an open container.
#[pyclass(frozen, name = "_Shape", module = "jsonspigot._native")]
pub(crate) struct Shape(pub(super) Container);

pub(super) enum Container {
    /// Either all elements are `inner`, or each of `kids` is one.
    Elements { kind: Sequence, inner: Option<Py<Place>>, kids: Option<Py<PyList>>, variadic: Option<usize> },
    /// `key` makes a key of what is spelt, unless it is that `str`.
    Entries { inner: Py<Place>, key: Option<Py<PyAny>> },
    /// A model, dataclass or `TypedDict`.
    Fields(Fields),
}

/// The kinds of arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sequence {
    List,
    Set,
    Frozenset,
    Tuple,
}

/// The fields of an `ObjectPlan`, by the names of its attributes.
#[derive(FromPyObject)]
pub(super) struct Fields {
    /// The `ObjectPlan` itself.
    pub(super) plan: Py<PyAny>,
    /// The name and the `Node` of each field, by its key.
    pub(super) keys: Py<PyDict>,
    /// The type of open objects.
    pub(super) open: Option<Py<PyType>>,
    pub(super) is_model: bool,
    pub(super) has_extra: bool,
    /// The keys that count only if a field's better one does not come.
    pub(super) spare: Py<PyFrozenSet>,
    /// The place of a key that is no field.
    pub(super) other: Py<Place>,
    /// The values of fields that have not come, if they are always the same.
    pub(super) fixed: Option<Py<PyDict>>,
    pub(super) has_private: bool,
    #[pyo3(attribute("redo"))]
    pub(super) has_redo: bool,
}

#[pymethods]
impl Shape {
    #[staticmethod]
    fn elements(kind: &str, inner: Option<Py<Place>>, kids: Option<Py<PyList>>, variadic: Option<usize>) -> Self {
        let kind = match kind {
            "set" => Sequence::Set,
            "frozenset" => Sequence::Frozenset,
            "tuple" => Sequence::Tuple,
            _ => Sequence::List,
        };
        Self(Container::Elements { kind, inner, kids, variadic })
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
            Container::Elements { inner, kids, .. } => visit.call(inner).and_then(|()| visit.call(kids)),
            Container::Entries { inner, key } => visit.call(inner).and_then(|()| visit.call(key)),
            Container::Fields(Fields { plan, keys, open, spare, other, fixed, .. }) => {
                visit.call(plan)?;
                visit.call(keys)?;
                visit.call(open)?;
                visit.call(spare)?;
                visit.call(other)?;
                visit.call(fixed)
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
