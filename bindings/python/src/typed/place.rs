//! A place of a type, as a level needs to know it, read once of its `Node` (`plan.py`): which closed values need no
//! validator, how an open string is shown, and what an open container is.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyNone, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

/// The way in which the text of an open string is shown.
pub(super) enum Text {
    No,
    AsItIs,
    /// By a function, which returns `OUT` for what is not shown.
    By(Py<PyAny>),
}

/// Types of values, as bits.
mod kind {
    pub(super) const STR: u8 = 1;
    pub(super) const INT: u8 = 2;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const BOOL: u8 = 8;
    pub(super) const NONE: u8 = 16;
    pub(super) const ALL: u8 = 31;
}

fn kind_of(value: &Bound<'_, PyAny>) -> u8 {
    if value.is_exact_instance_of::<PyString>() {
        kind::STR
    } else if value.is_none() {
        kind::NONE
    } else if value.is_exact_instance_of::<PyBool>() {
        kind::BOOL
    } else if value.is_exact_instance_of::<PyInt>() {
        kind::INT
    } else if value.is_exact_instance_of::<PyFloat>() {
        kind::FLOAT
    } else {
        0
    }
}

fn bit_of(class: &Bound<'_, PyAny>) -> u8 {
    let py = class.py();
    let known = [
        (py.get_type::<PyString>(), kind::STR),
        (py.get_type::<PyInt>(), kind::INT),
        (py.get_type::<PyFloat>(), kind::FLOAT),
        (py.get_type::<PyBool>(), kind::BOOL),
        (py.get_type::<PyNone>(), kind::NONE),
    ];
    known.iter().find(|(known, _)| class.is(known)).map_or(0, |(_, bit)| *bit)
}

/// The part of a `Node` that looks use.
#[pyclass(frozen, name = "_Place", module = "jsonspigot._native")]
pub(crate) struct Place {
    node: Py<PyAny>,
    known: OnceLock<Known>,
}

pub(super) struct Known {
    quick: u8,
    literals: Option<Py<PyFrozenSet>>,
    pub(super) text: Text,
    pub(super) has_redo: bool,
    object: OnceLock<Option<Py<Shape>>>,
    array: OnceLock<Option<Py<Shape>>>,
}

impl Known {
    /// Returns true if a closed value is what its validator would return.
    pub(super) fn is_quick(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let kind = kind_of(value);
        if kind & self.quick != 0 {
            return Ok(true);
        }
        match &self.literals {
            Some(literals) if kind == kind::STR => literals.bind(value.py()).contains(value),
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
        (self.quick == kind::ALL).then(|| run.bind(value.py()).call_method1("raw", (value,))).transpose()
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
            quick: node.getattr("quick")?.cast::<PyTuple>()?.iter().fold(0, |bits, class| bits | bit_of(&class)),
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
    Elements {
        kind: Sequence,
        inner: Option<Py<Place>>,
        kids: Option<Py<PyList>>,
        variadic: Option<usize>,
        schema: Py<PyAny>,
        config: Py<PyAny>,
    },
    /// `key` makes a key of what is spelt, unless it is that `str`.
    Entries { inner: Py<Place>, key: Option<Py<PyAny>>, schema: Py<PyAny>, config: Py<PyAny> },
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

pub(super) struct Fields {
    /// The `ObjectPlan`.
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
    pub(super) blank: Option<Py<PyDict>>,
    pub(super) has_private: bool,
    pub(super) has_redo: bool,
}

#[pymethods]
impl Shape {
    #[staticmethod]
    fn elements(
        kind: &str,
        inner: Option<Py<Place>>,
        kids: Option<Py<PyList>>,
        variadic: Option<usize>,
        schema: Py<PyAny>,
        config: Py<PyAny>,
    ) -> Self {
        let kind = match kind {
            "set" => Sequence::Set,
            "frozenset" => Sequence::Frozenset,
            "tuple" => Sequence::Tuple,
            _ => Sequence::List,
        };
        Self(Container::Elements { kind, inner, kids, variadic, schema, config })
    }

    #[staticmethod]
    fn entries(inner: Py<Place>, key: Option<Py<PyAny>>, schema: Py<PyAny>, config: Py<PyAny>) -> Self {
        Self(Container::Entries { inner, key, schema, config })
    }

    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "they are what a plan has, by name")]
    fn fields(
        plan: Py<PyAny>,
        keys: Py<PyDict>,
        open: Option<Py<PyType>>,
        is_model: bool,
        has_extra: bool,
        spare: Py<PyFrozenSet>,
        other: Py<Place>,
        blank: Option<Py<PyDict>>,
        has_private: bool,
        has_redo: bool,
    ) -> Self {
        let fields = Fields { plan, keys, open, is_model, has_extra, spare, other, blank, has_private, has_redo };
        Self(Container::Fields(fields))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.0 {
            Container::Elements { inner, kids, schema, config, .. } => {
                visit.call(inner)?;
                visit.call(kids)?;
                visit.call(schema)?;
                visit.call(config)
            }
            Container::Entries { inner, key, schema, config } => {
                visit.call(inner)?;
                visit.call(key)?;
                visit.call(schema)?;
                visit.call(config)
            }
            Container::Fields(Fields { plan, keys, open, spare, other, blank, .. }) => {
                visit.call(plan)?;
                visit.call(keys)?;
                visit.call(open)?;
                visit.call(spare)?;
                visit.call(other)?;
                visit.call(blank)
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
