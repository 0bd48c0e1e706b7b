//! Events as data: the class that all of them are derived from, with their dicts, equality, `repr` and pickled form, by the
//! names of their parts. Here are also the classes that are made of such names alone, and their events.

use pyo3::exceptions::{PyAttributeError, PyBaseException};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyInt, PyIterator, PyString, PyTuple, PyType};
use pyo3::{IntoPyObjectExt, PyClass};

use crate::make;
use crate::value::{Fractions, build};

/// The class that all events are derived from: they are data.
#[pyclass(frozen, subclass, name = "_Event", module = "jsonspigot._native")]
pub(crate) struct Data;

/// Returns what makes an event of a class that has fields.
pub(crate) fn with_fields<T: PyClass<BaseType = Data>>(event: T) -> PyClassInitializer<T> {
    PyClassInitializer::from(Data).add_subclass(event)
}

/// A class of events that is made of the names of its parts: its name, documentation and parts.
pub(crate) type Class = (&'static str, String, Vec<&'static str>);

/// The part of an event that is made of the text of another part when it is first asked for.
const LATE: &str = "value";
/// True if the fractions of that value are `Decimal`. A part that no caller sees, of classes that have such a value.
const DECIMALS: &str = "_decimals";

/// Lists classes as `Class`.
macro_rules! classes {
    ($($(#[doc = $docs:literal])+ $class:ident { $($part:ident),* $(,)? })+) => {
        vec![$((stringify!($class), concat!($($docs, "\n"),+).replace("\n ", "\n"), vec![$(stringify!($part)),*])),+]
    };
}
pub(crate) use classes;

/// Adds a class of events to the module, with the classes that are derived from it.
pub(crate) fn add_classes(module: &Bound<'_, PyModule>, name: &str, docs: &str, classes: Vec<Class>) -> PyResult<()> {
    let base = class(&module.py().get_type::<Data>(), name, name, docs, &[])?;
    for (variant, docs, parts) in classes {
        base.setattr(variant, class(&base, variant, &format!("{name}.{variant}"), docs.trim(), &parts)?)?;
    }
    module.add(name, base)
}

fn class<'py>(
    base: &Bound<'py, PyType>,
    name: &str,
    qualified: &str,
    docs: &str,
    parts: &[&str],
) -> PyResult<Bound<'py, PyType>> {
    let (py, body) = (base.py(), PyDict::new(base.py()));
    let mut slots = parts.to_vec();
    if parts.contains(&LATE) {
        slots.push(DECIMALS);
        body.set_item("__getattr__", base.getattr("_late")?)?;
    }
    body.set_item("__slots__", slots)?;
    body.set_item("__match_args__", PyTuple::new(py, parts)?)?;
    body.set_item("__module__", "jsonspigot")?;
    body.set_item("__qualname__", qualified)?;
    // `inspect.signature` reads the first line, which `__doc__` has no longer.
    body.set_item("__doc__", format!("{name}({})\n--\n\n{docs}", parts.join(", ")))?;
    let class = py.get_type::<PyType>().call1((name, (base,), body))?.cast_into::<PyType>()?;
    class.setattr("__doc__", docs)?;
    Ok(class)
}

/// An event of one of these classes, while its parts are added.
pub(crate) struct Making<'py>(Bound<'py, PyAny>);

impl<'py> Making<'py> {
    /// `class` keeps the class that has this name.
    pub(crate) fn of(py: Python<'py>, class: &PyOnceLock<Py<PyType>>, group: &str, name: &str) -> PyResult<Self> {
        let find = || Ok(py.import("jsonspigot._native")?.getattr(group)?.getattr(name)?.cast_into()?.unbind());
        Ok(Self(make::new(class.get_or_try_init(py, || find().map_err(|error: PyErr| error))?.bind(py))?))
    }

    pub(crate) fn put(&self, name: &Bound<'py, PyString>, part: impl IntoPyObject<'py>) -> PyResult<()> {
        make::put(&self.0, name, &part.into_bound_py_any(name.py())?)
    }

    /// Adds the value that the part `raw` has the text of.
    pub(crate) fn put_value(&self, raw: Option<String>, fractions: Fractions) -> PyResult<()> {
        let py = self.0.py();
        match raw {
            Some(_) => self.put(pyo3::intern!(py, DECIMALS), fractions == Fractions::Decimal)?,
            None => self.put(pyo3::intern!(py, LATE), py.None())?,
        }
        self.put(pyo3::intern!(py, "raw"), raw)
    }

    pub(crate) fn finish(self) -> Bound<'py, PyAny> {
        self.0
    }
}

/// Returns an event of a class that is made of names, with these parts: `event!(py, StreamEvent.Text { text, choice: 0 })`.
macro_rules! event {
    ($py:expr, $group:ident.$class:ident { $($part:ident: $value:expr),* $(,)? } $(, $more:expr)?) => {{
        static CLASS: pyo3::sync::PyOnceLock<Py<pyo3::types::PyType>> = pyo3::sync::PyOnceLock::new();
        let making = $crate::event::data::Making::of($py, &CLASS, stringify!($group), stringify!($class))?;
        $(making.put(pyo3::intern!($py, stringify!($part)), $value)?;)*
        $($more(&making)?;)?
        making.finish()
    }};
}
pub(crate) use event;

#[pymethods]
impl Data {
    #[new]
    #[classmethod]
    #[pyo3(signature = (*given, **named))]
    fn new<'py>(
        class: &Bound<'py, PyType>,
        given: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        let parts = module(class.py())?.call_method("parts_of", (class, given), named)?.cast_into::<PyDict>()?;
        let event = make::new(class)?;
        for (name, part) in parts {
            make::put(&event, name.cast()?, &part)?;
        }
        Ok(event.cast_into()?)
    }

    /// Return the event as a dict that ``json.dumps`` takes, with its ``type``.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, event, class) = (slf.py(), slf.as_any(), slf.get_type());
        let dict = PyDict::new(py);
        dict.set_item(pyo3::intern!(py, "type"), class.qualname()?)?;
        let has_text = class.hasattr(pyo3::intern!(py, "_parts"))?;
        for name in parts(&class)? {
            let name = name?.cast_into::<PyString>()?;
            match name.to_str()? {
                "decimals" => {}
                // The value in place of its text.
                "raw" if has_text => dict.set_item(pyo3::intern!(py, LATE), value_of(event, has_text)?)?,
                LATE => dict.set_item(&name, value_of(event, has_text)?)?,
                _ => dict.set_item(&name, plain(event.getattr(&name)?)?)?,
            }
        }
        Ok(dict)
    }

    /// Iterate over the items of ``to_dict``, so that ``dict(event)`` is the same.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        slf.call_method0("to_dict")?.cast::<PyDict>()?.items().try_iter()
    }

    /// Returns true for an event of the same kind with equal parts.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let class = slf.get_type();
        if !other.get_type().is(&class) {
            return Ok(false);
        }
        for name in parts(&class)? {
            let name = name?.cast_into::<PyString>()?;
            if name == "decimals" {
                continue;
            }
            let is_equal = match (slf.getattr(&name), other.getattr(&name)) {
                (Ok(mine), Ok(others)) => mine.eq(&others)? || are_same_error(&mine, &others)?,
                // An `int` of too many digits cannot be made.
                (mine, others) if name == LATE => mine.is_err() && others.is_err(),
                (mine, others) => return mine.and(others).map(|_| false),
            };
            if !is_equal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        let mut parts = vec![slf.get_type().into_any()];
        for name in ["offset", "document", "call"] {
            parts.extend(slf.getattr_opt(name)?);
        }
        PyTuple::new(slf.py(), parts)?.hash()
    }

    /// Returns the call of its class, without parts that are `None` and without a value that cannot be made.
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let class = slf.get_type();
        let mut shown = Vec::new();
        for name in class.getattr("__match_args__")?.try_iter()? {
            let name = name?.cast_into::<PyString>()?;
            let value = match slf.getattr(&name) {
                Err(_) if name == LATE => continue,
                value => value?,
            };
            if !value.is_none() {
                shown.push(format!("{name}={}", value.repr()?));
            }
        }
        Ok(format!("{}({})", name_of(&class), shown.join(", ")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        module(slf.py())?.call_method1("reduced", (slf,))
    }

    fn __setattr__(slf: &Bound<'_, Self>, name: &Bound<'_, PyString>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyAttributeError::new_err(format!("an event never changes: {}.{name}", name_of(&slf.get_type()))))
    }

    fn __delattr__(slf: &Bound<'_, Self>, name: &Bound<'_, PyString>) -> PyResult<()> {
        Self::__setattr__(slf, name, name)
    }

    /// Makes the value of an event when it is first asked for: the `__getattr__` of classes that have one.
    fn _late<'py>(slf: &Bound<'py, Self>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if name != LATE {
            return Err(PyAttributeError::new_err(format!("{} has no {name}", name_of(&slf.get_type()))));
        }
        let fractions = Fractions::of(slf.getattr(pyo3::intern!(py, DECIMALS))?.is_truthy()?);
        let value = build(py, slf.getattr(pyo3::intern!(py, "raw"))?.cast::<PyString>()?.to_str()?, fractions)?;
        make::put(slf, name, &value)?;
        Ok(value)
    }

    /// Return the serializer that pydantic uses where a type says ``Any``.
    #[getter]
    fn __pydantic_serializer__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        module(slf.py())?.call_method1("serializer", (slf.get_type(),))
    }

    #[classmethod]
    fn __get_pydantic_core_schema__<'py>(
        class: &Bound<'py, PyType>,
        _source: &Bound<'py, PyAny>,
        _handler: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        module(class.py())?.call_method1("core_schema", (class,))
    }
}

/// Returns the module for what callers, pydantic and pickle ask of events.
pub(super) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("jsonspigot._data")
}

/// Returns the names of the arguments that make an event again.
fn parts<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyIterator>> {
    let py = class.py();
    let parts = match class.getattr_opt(pyo3::intern!(py, "_parts"))? {
        Some(parts) => parts,
        None => class.getattr(pyo3::intern!(py, "__match_args__"))?,
    };
    parts.try_iter()
}

fn name_of(class: &Bound<'_, PyType>) -> String {
    class.qualname().map_or_else(|_| "an event".to_owned(), |name| name.to_string())
}

/// Returns true for exceptions of one class that say the same.
fn are_same_error(mine: &Bound<'_, PyAny>, others: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_comparable = mine.is_instance_of::<PyBaseException>() && mine.get_type().is(others.get_type());
    Ok(is_comparable && mine.str()?.as_any().eq(others.str()?)?)
}

/// Returns the value of an event as JSON has it, made of its text if that was kept.
fn value_of<'py>(event: &Bound<'py, PyAny>, has_text: bool) -> PyResult<Bound<'py, PyAny>> {
    let raw = event.getattr(pyo3::intern!(event.py(), "raw"))?;
    match raw.cast::<PyString>() {
        Ok(text) => build(event.py(), text.to_str()?, Fractions::Float),
        Err(_) if has_text => Ok(raw),
        Err(_) => plain(event.getattr(LATE)?),
    }
}

/// Returns a part of an event as JSON has it.
fn plain(part: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let is_plain = part.is_none()
        || part.is_exact_instance_of::<PyString>()
        || part.is_exact_instance_of::<PyInt>()
        || part.is_exact_instance_of::<PyBool>();
    if is_plain { Ok(part) } else { module(part.py())?.call_method1("plain", (part,)) }
}
