//! The state of one open container. A member that has closed is taken once, validated if it has to be, and kept; at most
//! one member is open. The shown value is rebuilt only on the way from the root to that member.
//!
//! Levels see the raw values of the parser's snapshot. Unions, `RootModel`s and values that are shown only once
//! they have closed have levels in Python (`levels.py`), with the same three methods: `sync`, `shown`, `finish`.

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PySet, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use super::place::{Container, Fields, Place, Shape, levels, out, shown};

/// An open value at a place.
pub(super) struct Slot {
    place: Py<Place>,
    level: Child,
    /// The shown value of an open string or number.
    text: Option<Py<PyAny>>,
}

/// The level of an open container.
enum Child {
    /// A string or number, or nothing is open.
    None,
    Level(Box<Level>),
    /// A level of a kind that is written in Python.
    Other(Py<PyAny>),
}

impl Slot {
    pub(super) fn new(place: Py<Place>) -> Self {
        Self { place, level: Child::None, text: None }
    }

    /// Forgets the value.
    pub(super) fn clear(&mut self) {
        (self.level, self.text) = (Child::None, None);
    }

    pub(super) fn place(&self) -> &Place {
        self.place.get()
    }

    pub(super) fn is_container(&self) -> bool {
        !matches!(self.level, Child::None)
    }

    /// Takes what is new in the value, as `Level::sync` does.
    pub(super) fn sync<'py>(
        &mut self,
        raw: &Bound<'py, PyAny>,
        run: &Bound<'py, PyAny>,
        is_tolerant: bool,
        path: &Bound<'_, PyTuple>,
        depth: usize,
    ) -> PyResult<()> {
        let py = raw.py();
        let is_object = raw.is_exact_instance_of::<PyDict>();
        if !is_object && !raw.is_exact_instance_of::<PyList>() {
            self.text = self.place().known(py)?.shown_scalar(raw, run)?.map(Bound::unbind);
            return Ok(());
        }
        if let Child::None = self.level {
            self.level = self.opened(run, is_object, is_tolerant)?;
        }
        match &mut self.level {
            Child::None => Ok(()),
            Child::Level(level) => level.sync(raw, path, depth),
            Child::Other(level) => level.bind(py).call_method1("sync", (raw, path, depth)).map(drop),
        }
    }

    fn opened(&self, run: &Bound<'_, PyAny>, is_object: bool, is_tolerant: bool) -> PyResult<Child> {
        let (py, place) = (run.py(), self.place());
        if let Some(shape) = place.shape(py, is_object)? {
            return Ok(Child::Level(Box::new(Level::of(&self.place, shape, run, is_tolerant)?)));
        }
        Ok(Child::Other(levels(py)?.call_method1("level", (place.node(py), is_object, run, is_tolerant))?.unbind()))
    }

    /// Shows nothing of the value until it has closed.
    fn hide(&mut self, run: &Bound<'_, PyAny>) -> PyResult<()> {
        let opaque = levels(run.py())?.call_method1("OpaqueLevel", (self.place().node(run.py()), run))?;
        self.level = Child::Other(opaque.unbind());
        Ok(())
    }

    /// Shows more of the string that was open and still is. Returns false if a level of another kind is in between.
    pub(super) fn grow(&mut self, text: &Bound<'_, PyAny>) -> PyResult<bool> {
        match &mut self.level {
            Child::None => {
                // A string that was not shown stays hidden as it grows, unless a function decides otherwise.
                self.text = self.place().known(text.py())?.shown_text(text)?.map(Bound::unbind);
                Ok(true)
            }
            Child::Level(level) => level.open.as_mut().map_or(Ok(false), |open| open.slot.grow(text)),
            Child::Other(_) => Ok(false),
        }
    }

    /// Returns the shown value; nothing if it has to be whole.
    pub(super) fn shown<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.level {
            Child::None => Ok(self.text.as_ref().map(|text| text.bind(py).clone())),
            Child::Level(level) => level.shown_value(py),
            Child::Other(level) => shown(level.bind(py).call_method0("shown")?),
        }
    }

    /// Returns the closed value.
    pub(super) fn finish<'py>(
        &mut self,
        raw: &Bound<'py, PyAny>,
        run: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &mut self.level {
            Child::None => self.place().closed(raw, run),
            Child::Level(level) => level.finish(raw),
            Child::Other(level) => level.bind(raw.py()).call_method1("finish", (raw,)),
        }
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.place)?;
        visit.call(&self.text)?;
        match &self.level {
            Child::None => Ok(()),
            Child::Level(level) => level.traverse(visit),
            Child::Other(level) => visit.call(level),
        }
    }
}

/// The level of a container that has a `Shape`.
#[pyclass(name = "_Level", module = "jsonspigot._native")]
pub(crate) struct Level {
    place: Py<Place>,
    pub(super) shape: Py<Shape>,
    run: Py<PyAny>,
    /// That of the members.
    inner_run: Py<PyAny>,
    /// A validator further out will see the raw value, so what does not fit here may yet become right.
    is_tolerant: bool,
    /// All of it is read again when it has closed: a validator sees the raw value, or something did not fit.
    is_read_again: bool,
    /// The number of members that have been taken.
    done: usize,
    pub(super) open: Option<Open>,
    pub(super) members: Members,
}

/// The open member.
pub(super) struct Open {
    pub(super) key: Py<PyAny>,
    /// The name of its field, if it is one.
    pub(super) name: Option<Py<PyAny>>,
    pub(super) slot: Slot,
}

pub(super) enum Members {
    Elements(Py<PyList>),
    /// By the key as its type reads it.
    Entries(Py<PyDict>),
    Fields {
        /// By the key as it is spelt, for the shell.
        values: Py<PyDict>,
        /// By the field's name, with the shown values of missing fields.
        view: Py<PyDict>,
        came: Py<PySet>,
        extra: Option<Py<PyDict>>,
        keys: Py<PyDict>,
    },
}

impl Level {
    fn of(place: &Py<Place>, shape: &Py<Shape>, run: &Bound<'_, PyAny>, is_tolerant: bool) -> PyResult<Self> {
        let py = run.py();
        let mut has_redo = place.get().known(py)?.has_redo;
        let members = match &shape.get().0 {
            Container::Elements { .. } => Members::Elements(PyList::empty(py).unbind()),
            Container::Entries { .. } => Members::Entries(PyDict::new(py).unbind()),
            Container::Fields(Fields {
                plan,
                keys,
                fixed,
                changing,
                is_model,
                has_extra,
                has_redo: fields_redo,
                ..
            }) => {
                has_redo |= fields_redo;
                let view: Bound<'_, PyDict> = match fixed {
                    Some(fixed) if !run.getattr(pyo3::intern!(py, "fills"))?.is_truthy()? => fixed.bind(py).copy()?,
                    _ => plan.bind(py).call_method1("started", (run,))?.cast_into()?,
                };
                for copied in changing.bind(py) {
                    let (name, make): (Bound<'_, PyAny>, Bound<'_, PyAny>) = copied.extract()?;
                    view.set_item(name, make.call0()?)?;
                }
                let keys = if run.getattr(pyo3::intern!(py, "has_own_names"))?.is_truthy()? {
                    plan.bind(py).call_method1("keys_of", (run,))?.cast_into()?
                } else {
                    keys.bind(py).clone()
                };
                Members::Fields {
                    values: PyDict::new(py).unbind(),
                    view: view.unbind(),
                    came: PySet::empty(py)?.unbind(),
                    extra: (*is_model && *has_extra).then(|| PyDict::new(py).unbind()),
                    keys: keys.unbind(),
                }
            }
        };
        let inner_run = if has_redo { run.call_method0("below")? } else { run.clone() };
        Ok(Self {
            place: place.clone_ref(py),
            shape: shape.clone_ref(py),
            run: run.clone().unbind(),
            inner_run: inner_run.unbind(),
            is_tolerant: is_tolerant || has_redo,
            is_read_again: has_redo,
            done: 0,
            open: None,
            members,
        })
    }

    /// Returns a member of which nothing is known.
    fn member(&self, key: &Bound<'_, PyAny>) -> PyResult<Open> {
        let (py, mut name) = (key.py(), None);
        let place = match (&self.shape.get().0, &self.members) {
            (Container::Elements { kids, variadic, .. }, _) => {
                let index: usize = key.extract()?;
                kids.get(variadic.map_or(index, |variadic| index.min(variadic))).map(|place| place.clone_ref(py))
            }
            (Container::Entries { inner, .. }, _) => Some(inner.clone_ref(py)),
            (Container::Fields(Fields { other, .. }), Members::Fields { keys, .. }) => {
                match keys.bind(py).get_item(key)? {
                    Some(field) => {
                        let (of, place) = field.extract()?;
                        name = Some(of);
                        Some(place)
                    }
                    None => Some(other.clone_ref(py)),
                }
            }
            _ => None,
        };
        let anything = || Ok::<_, PyErr>(levels(py)?.getattr("ANYTHING")?.extract()?);
        Ok(Open { key: key.clone().unbind(), name, slot: Slot::new(place.map_or_else(anything, Ok)?) })
    }

    /// Keeps a closed member.
    fn put(&self, key: &Bound<'_, PyAny>, name: Option<&Bound<'_, PyAny>>, value: Bound<'_, PyAny>) -> PyResult<()> {
        let py = key.py();
        match &self.members {
            Members::Elements(items) => {
                // The elements of a set have to be hashable.
                if matches!(&self.shape.get().0, Container::Elements { is_set: true, .. }) && value.hash().is_err() {
                    levels(py)?.call_method1("hashed", (&value, &self.run))?;
                }
                items.bind(py).append(value)
            }
            Members::Entries(entries) => {
                let own = self.own_key(key)?;
                entries.bind(py).set_item(own.as_ref().unwrap_or(key), value)
            }
            Members::Fields { values, view, came, extra, .. } => {
                values.bind(py).set_item(key, &value)?;
                if let Some(name) = name {
                    // By another of its names, which of them counts is said at the closing.
                    if !came.bind(py).contains(name)? {
                        view.bind(py).set_item(name, value)?;
                        came.bind(py).add(name)?;
                    }
                    return Ok(());
                }
                match (extra, &self.shape.get().0) {
                    (Some(extra), _) => extra.bind(py).set_item(key, value),
                    (None, Container::Fields(Fields { has_extra: true, .. })) => view.bind(py).set_item(key, value),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Returns the key that an entry's key becomes; nothing if it stays as it is spelt.
    pub(super) fn own_key<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.shape.get().0 {
            Container::Entries { key: Some(validator), .. } => {
                Ok(Some(levels(key.py())?.call_method1("key_of", (validator, key, &self.run))?))
            }
            _ => Ok(None),
        }
    }

    fn is_open(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        match &self.open {
            Some(open) => Ok(open.key.is(key) || open.key.bind(key.py()).eq(key)?),
            None => Ok(false),
        }
    }

    /// Returns true if a field has a better key than this one: then this one may not count.
    fn is_spare(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        match (&self.shape.get().0, &self.members) {
            (Container::Fields(Fields { spare, .. }), Members::Fields { keys, .. }) => {
                Ok(spare.bind(key.py()).contains(key)? && keys.bind(key.py()).contains(key)?)
            }
            _ => Ok(false),
        }
    }

    /// Passes on an error with its place; below a validator that sees the raw value, and of a member that may not count, only
    /// notes it. It also only notes `PydanticOmit` and `PydanticUseDefault`, which ask the container for something.
    fn missed(&mut self, key: &Bound<'_, PyAny>, error: PyErr) -> PyResult<()> {
        let py = key.py();
        static SCHEMA_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let asks = error.matches(py, SCHEMA_ERROR.import(py, "pydantic_core", "SchemaError")?)?;
        let bears = self.is_tolerant || self.is_spare(key)?;
        let is_noted = asks || (bears && error.is_instance_of::<PyException>(py));
        if !is_noted {
            static WRONG: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let value = error.value(py);
            if value.is_instance(WRONG.import(py, "jsonspigot._typed.run", "Wrong")?)? {
                value.call_method1("at", (key,))?;
            }
            return Err(error);
        }
        self.is_read_again = true;
        Ok(())
    }

    /// Takes the closed members that have not been taken, `count` in all; `open` is the open one's key.
    fn take(&mut self, raw: &Bound<'_, PyAny>, count: usize, open: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        if count <= self.done {
            return Ok(());
        }
        if let Ok(raw) = raw.cast_exact::<PyList>() {
            if count - self.done > 3 && self.take_many(raw, count)? {
                return Ok(());
            }
            for index in self.done..count {
                let key = index.into_pyobject(raw.py())?.into_any();
                self.take_one(&key, raw.get_item(index)?)?;
            }
        } else {
            let raw = raw.cast_exact::<PyDict>()?;
            for key in keys_after(raw, self.done)? {
                let is_open = match open {
                    Some(open) => open.is(&key) || open.eq(&key)?,
                    None => false,
                };
                if !is_open {
                    let value = raw.as_any().get_item(&key)?;
                    self.take_one(&key, value)?;
                }
            }
        }
        self.done = count;
        Ok(())
    }

    fn take_one(&mut self, key: &Bound<'_, PyAny>, raw: Bound<'_, PyAny>) -> PyResult<()> {
        let py = key.py();
        let open = if self.is_open(key)? { self.open.take() } else { None };
        let Open { name, mut slot, .. } = open.map_or_else(|| self.member(key), Ok)?;
        let name = name.as_ref().map(|name| name.bind(py));
        let closed = slot.finish(&raw, self.inner_run.bind(py));
        let Err(error) = closed.and_then(|value| self.put(key, name, value)) else { return Ok(()) };
        self.missed(key, error)?;
        // It is shown as it was or would have been while it was open, whatever the cuts, until all is validated again.
        if !slot.is_container()
            && let Err(error) = slot.sync(&raw, self.inner_run.bind(py), true, &PyTuple::empty(py), 0)
        {
            return self.missed(key, error);
        }
        match slot.shown(py)?.map(|value| self.put(key, name, value)) {
            // Its key does not fit either.
            Some(Err(error)) => self.missed(key, error),
            _ => Ok(()),
        }
    }

    /// Takes elements that arrived whole between two looks, in one call. Returns false if they have to be taken one by one.
    fn take_many(&mut self, raw: &Bound<'_, PyList>, count: usize) -> PyResult<bool> {
        let py = raw.py();
        let (Container::Elements { is_set: false, kids, variadic: Some(0), .. }, Members::Elements(items)) =
            (&self.shape.get().0, &self.members)
        else {
            return Ok(false);
        };
        let first = self.done;
        if self.open.as_ref().is_some_and(|open| open.slot.is_container()) {
            let key = first.into_pyobject(py)?.into_any();
            self.take_one(&key, raw.get_item(first)?)?;
            self.done += 1;
            return self.take_many(raw, count);
        }
        let known = kids[0].get().known(py)?;
        let mut fresh = raw.get_slice(first, count);
        let mut is_quick = true;
        for value in &fresh {
            is_quick = is_quick && known.is_quick(&value)?;
        }
        if !is_quick {
            let made = levels(py)?.call_method1("many", (kids[0].get().node(py), &fresh, &self.inner_run))?;
            if made.is_none() {
                return Ok(false);
            }
            fresh = made.cast_into()?;
        }
        let items = items.bind(py);
        items.set_slice(items.len(), items.len(), &fresh)?;
        self.done = count;
        Ok(true)
    }

    /// Returns the container, made of its members, after its own checks. Nothing if all of it has to be read again.
    fn close<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (members, is_object) = match (&self.members, &self.shape.get().0) {
            (Members::Fields { values, view, .. }, Container::Fields(Fields { plan, .. })) => {
                let is_whole = values.bind(py).len() == count;
                let closed = || plan.bind(py).call_method1("closed", (values, &self.run, view));
                return is_whole.then(closed).transpose();
            }
            (Members::Elements(items), _) => (items.bind(py).clone().into_any(), false),
            (Members::Entries(entries), _) => (entries.bind(py).copy()?.into_any(), true),
            (Members::Fields { .. }, _) => return Ok(None),
        };
        let node = self.place.get().node(py);
        levels(py)?.call_method1("shell", (node, is_object, members, &self.run)).map(Some)
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.members {
            Members::Elements(items) => visit.call(items)?,
            Members::Entries(entries) => visit.call(entries)?,
            Members::Fields { values, view, came, extra, keys } => {
                visit.call(values)?;
                visit.call(view)?;
                visit.call(came)?;
                visit.call(extra)?;
                visit.call(keys)?;
            }
        }
        visit.call(&self.place)?;
        visit.call(&self.shape)?;
        visit.call(&self.run)?;
        visit.call(&self.inner_run)?;
        let Some(open) = &self.open else { return Ok(()) };
        visit.call(&open.key)?;
        open.slot.traverse(visit)
    }
}

/// The methods of all levels.
#[pymethods]
impl Level {
    #[new]
    fn new(place: &Bound<'_, Place>, is_object: bool, run: &Bound<'_, PyAny>, is_tolerant: bool) -> PyResult<Self> {
        let (py, place) = (place.py(), place.clone().unbind());
        let shape = place.get().shape(py, is_object)?.ok_or_else(|| PyTypeError::new_err("a place without a shape"))?;
        Self::of(&place, shape, run, is_tolerant)
    }

    /// Takes what is new in `raw`; `path` leads from the root to the innermost open value, and this is `depth` levels down.
    pub(super) fn sync(&mut self, raw: &Bound<'_, PyAny>, path: &Bound<'_, PyTuple>, depth: usize) -> PyResult<()> {
        let py = raw.py();
        let count = raw.len()?;
        if depth >= path.len() {
            if count != self.done || self.open.is_some() {
                self.take(raw, count, None)?;
                self.open = None;
            }
            return Ok(());
        }
        let key = path.get_item(depth)?;
        let value = raw.get_item(&key)?;
        let is_same = self.is_open(&key)?;
        if !is_same || count - 1 != self.done {
            self.take(raw, count - 1, Some(&key))?;
        }
        if !is_same {
            self.open = Some(self.member(&key)?);
        }
        let Some(Open { slot, .. }) = &mut self.open else { return Ok(()) };
        let run = self.inner_run.bind(py);
        let Err(error) = slot.sync(&value, run, self.is_tolerant, path, depth + 1) else { return Ok(()) };
        slot.hide(run)?;
        self.missed(&key, error)
    }

    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shown_value(py)?.map_or_else(|| out(py).cloned(), Ok)
    }

    /// Returns the closed value.
    pub(super) fn finish<'py>(&mut self, raw: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = raw.py();
        if !self.is_read_again {
            self.take(raw, raw.len()?, None)?;
            if !self.is_read_again
                && let Some(closed) = self.close(py, raw.len()?)?
            {
                return Ok(closed);
            }
        }
        self.place.get().closed(raw, self.run.bind(py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.traverse(&visit)
    }

    fn __clear__(&mut self) {
        self.open = None;
    }
}

/// Returns the keys from the `done`-th on, in order. The cost is linear in their number.
fn keys_after<'py>(raw: &Bound<'py, PyDict>, done: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let newest = raw.call_method0(pyo3::intern!(raw.py(), "__reversed__"))?.try_iter()?;
    let mut fresh: Vec<_> = newest.take(raw.len().saturating_sub(done)).collect::<PyResult<_>>()?;
    fresh.reverse();
    Ok(fresh)
}
