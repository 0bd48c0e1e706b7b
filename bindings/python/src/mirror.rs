//! A parser's snapshot as Python objects, brought up to date by patches. Objects that no user holds are changed in
//! place; of the others, only the containers on the way to the new value are copied. So a snapshot that a user holds never
//! changes, and what has not changed since is the same object in the next one.
//!
//! An object's other holders show in its reference count: one reference is the parent's (or `root`'s), one is the
//! stack's, and any other is the user's. The walk goes down from the root, and from the first container that is shared
//! on, everything below it is shared too. Without a GIL the count is no such proof, so there everything counts as
//! shared.

use std::sync::atomic::{AtomicU64, Ordering};

use jsonspigot::{Parser, PartialValue, PatchOp, Revision, Segment, ValueKind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyNone, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit, ffi};

use crate::keys::Keys;
use crate::value::{Fractions, number};

#[derive(Default)]
pub(crate) struct Mirror {
    revision: Revision,
    root: Option<Py<PyAny>>,
    /// The containers from the root to the newest value's parent, and perhaps some that have closed, which the next
    /// addition drops.
    stack: Vec<Open>,
    /// The place of the newest value in the last of them, if it is a string or number.
    leaf: Place,
    fractions: Fractions,
    moment: Moment,
}

/// The part of a mirror that a view has seen.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The number of the text; 0 for none.
    pub(crate) epoch: u64,
    /// Counts all changes.
    changes: u64,
    /// Counts those that are not just more of the string that was open and still is.
    steps: u64,
}

/// The news of a mirror.
pub(crate) enum Seen<'py> {
    Unchanged,
    /// More of the string that was open and still is.
    Grown {
        text: Bound<'py, PyAny>,
        raw: Bound<'py, PyAny>,
    },
    /// The innermost open value is at that path.
    Changed {
        raw: Bound<'py, PyAny>,
        path: Bound<'py, PyTuple>,
    },
    Complete(Bound<'py, PyAny>),
}

/// Up to this length in bytes, making a new string is faster than appending to one.
const SHORT: usize = 128;

/// A container on the way to the newest value.
struct Open {
    container: Container,
    place: Place,
    /// The number of its children that the current walk still has to reach.
    left: usize,
}

enum Container {
    List(Py<PyList>),
    Dict(Py<PyDict>),
}

/// The place of a value in its parent.
#[derive(Default)]
enum Place {
    #[default]
    Root,
    Last,
    Key(Py<PyString>),
}

impl Place {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Root => Self::Root,
            Self::Last => Self::Last,
            Self::Key(key) => Self::Key(key.clone_ref(py)),
        }
    }
}

impl Container {
    fn any(&self) -> &Py<PyAny> {
        match self {
            Self::List(list) => list.as_any(),
            Self::Dict(dict) => dict.as_any(),
        }
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(match self {
            Self::List(list) => {
                let list = list.bind(py);
                Self::List(list.get_slice(0, list.len()).unbind())
            }
            Self::Dict(dict) => Self::Dict(dict.bind(py).copy()?.unbind()),
        })
    }

    fn get<'py>(&self, py: Python<'py>, place: &Place) -> PyResult<Bound<'py, PyAny>> {
        match (self, place) {
            (Self::Dict(dict), Place::Key(key)) => dict.bind(py).as_any().get_item(key),
            (Self::List(list), _) => {
                let list = list.bind(py);
                list.get_item(list.len().saturating_sub(1))
            }
            (Self::Dict(_), _) => Err(inconsistent()),
        }
    }

    fn set(&self, py: Python<'_>, place: &Place, value: Bound<'_, PyAny>) -> PyResult<()> {
        match (self, place) {
            (Self::Dict(dict), Place::Key(key)) => dict.bind(py).set_item(key, value),
            (Self::List(list), _) => {
                let list = list.bind(py);
                list.set_item(list.len().saturating_sub(1), value)
            }
            (Self::Dict(_), _) => Err(inconsistent()),
        }
    }
}

impl Mirror {
    pub(crate) fn new(fractions: Fractions) -> Self {
        Self { fractions, ..Self::default() }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.fractions);
    }

    /// Returns the news since a moment, which becomes this one; nothing before the first value.
    pub(crate) fn seen<'py>(
        &mut self,
        py: Python<'py>,
        parser: &Parser,
        moment: &mut Moment,
    ) -> PyResult<Option<Seen<'py>>> {
        let Some(raw) = self.update(py, parser)? else { return Ok(None) };
        let before = std::mem::replace(moment, self.moment);
        if before == self.moment {
            return Ok(Some(Seen::Unchanged));
        }
        if before.epoch == self.moment.epoch && before.steps == self.moment.steps {
            let text = match self.stack.last() {
                Some(parent) => parent.container.get(py, &self.leaf)?,
                None => raw.clone(),
            };
            return Ok(Some(Seen::Grown { text, raw }));
        }
        Ok(match self.open_path(py, parser)? {
            Some(path) => Some(Seen::Changed { raw, path }),
            // The root of a text that has failed is open.
            None => Some(Seen::Complete(raw)),
        })
    }

    /// Returns the snapshot; nothing before the first value.
    pub(crate) fn update<'py>(&mut self, py: Python<'py>, parser: &Parser) -> PyResult<Option<Bound<'py, PyAny>>> {
        if parser.has_changed_since(self.revision) {
            // A value that cannot be made, such as an int of too many digits, leaves no half of a change behind.
            self.apply_patch(py, parser).inspect_err(|_| self.clear())?;
        }
        Ok(self.root.as_ref().map(|root| root.bind(py).clone()))
    }

    fn apply_patch(&mut self, py: Python<'_>, parser: &Parser) -> PyResult<()> {
        if self.moment.epoch == 0 {
            static EPOCHS: AtomicU64 = AtomicU64::new(1);
            self.moment.epoch = EPOCHS.fetch_add(1, Ordering::Relaxed);
        }
        let ops = parser.patch_since(self.revision).map_err(|error| crate::error::raised(py, &error))?;
        let (mut count, mut has_grown) = (0, false);
        let mut keys = Keys::default();
        for op in ops {
            self.apply(py, &op, &mut keys)?;
            count += 1;
            has_grown = op.appended().is_some() && !op.value().is_complete();
        }
        self.moment.changes += 1;
        // Without an operation, something has closed.
        self.moment.steps += u64::from(!(count == 1 && has_grown));
        self.revision = parser.revision();
        Ok(())
    }

    fn apply(&mut self, py: Python<'_>, op: &PatchOp<'_>, keys: &mut Keys) -> PyResult<()> {
        if let Some(text) = op.appended() {
            return self.grow(py, text, op.value().as_str().unwrap_or(text));
        }
        let value = op.value();
        if op.is_replacement() {
            let number = number(py, value.as_number().unwrap_or("0"), self.fractions)?;
            self.unshare(py)?;
            return self.set_leaf(py, number);
        }
        self.stack.truncate(value.depth());
        self.unshare(py)?;
        self.add(py, value, keys)
    }

    fn set_leaf(&mut self, py: Python<'_>, value: Bound<'_, PyAny>) -> PyResult<()> {
        match self.stack.last() {
            Some(parent) => parent.container.set(py, &self.leaf, value)?,
            None => self.root = Some(value.unbind()),
        }
        Ok(())
    }

    /// Adds text to the newest string. While the string is not shared, the cost is that of the added text.
    fn grow(&mut self, py: Python<'_>, text: &str, all: &str) -> PyResult<()> {
        self.unshare(py)?;
        if all.len() <= SHORT {
            return self.set_leaf(py, PyString::new(py, all).into_any());
        }
        let string = match self.stack.last() {
            Some(parent) => {
                let string = parent.container.get(py, &self.leaf)?;
                // Our reference shall be the only one.
                parent.container.set(py, &self.leaf, PyNone::get(py).to_owned().into_any())?;
                string
            }
            None => self.root.take().ok_or_else(inconsistent)?.into_bound(py),
        };
        let grown = append(string.cast_into::<PyString>()?, &PyString::new(py, text))?;
        self.set_leaf(py, grown.into_any())
    }

    /// Replaces each container of the stack that may be shared by a copy.
    fn unshare(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut is_shared = cfg!(Py_GIL_DISABLED);
        for depth in 0..self.stack.len() {
            let Open { container, place, .. } = &self.stack[depth];
            is_shared |= references(container.any()) > 2;
            if is_shared {
                let (copy, place) = (container.copy(py)?, place.clone_ref(py));
                let value = copy.any().bind(py).clone();
                match depth.checked_sub(1).and_then(|parent| self.stack.get(parent)) {
                    Some(parent) => parent.container.set(py, &place, value)?,
                    None => self.root = Some(value.unbind()),
                }
                self.stack[depth].container = copy;
            }
        }
        Ok(())
    }

    /// Adds a value and all that is in it to the last container of the stack, or as the root.
    fn add(&mut self, py: Python<'_>, value: PartialValue<'_>, keys: &mut Keys) -> PyResult<()> {
        let base = self.stack.len();
        let mut newest = None;
        for node in value.walk() {
            while self.stack.len() > base && self.stack.last().is_some_and(|open| open.left == 0) {
                self.stack.pop();
            }
            let (object, container) = match node.kind() {
                ValueKind::Null => (PyNone::get(py).to_owned().into_any(), None),
                ValueKind::Bool => (PyBool::new(py, node.as_bool() == Some(true)).to_owned().into_any(), None),
                ValueKind::Number => (number(py, node.as_number().unwrap_or("0"), self.fractions)?, None),
                ValueKind::String => (PyString::new(py, node.as_str().unwrap_or_default()).into_any(), None),
                ValueKind::Array => {
                    let list = PyList::empty(py);
                    (list.clone().into_any(), Some(Container::List(list.unbind())))
                }
                ValueKind::Object => {
                    let dict = PyDict::new(py);
                    (dict.clone().into_any(), Some(Container::Dict(dict.unbind())))
                }
            };
            let mut place = Place::Root;
            match self.stack.last_mut() {
                None => self.root = Some(object.unbind()),
                Some(parent) => {
                    parent.left = parent.left.saturating_sub(1);
                    match &parent.container {
                        Container::List(list) => {
                            list.bind(py).append(object)?;
                            place = Place::Last;
                        }
                        Container::Dict(dict) => {
                            let Some(Segment::Key(key)) = node.segment() else { return Err(inconsistent()) };
                            let key = keys.get(py, key);
                            dict.bind(py).set_item(&key, object)?;
                            if container.is_some() {
                                place = Place::Key(key.unbind());
                            }
                        }
                    }
                }
            }
            newest = Some(node);
            if let Some(container) = container {
                self.stack.push(Open { container, place, left: node.len() });
            }
        }
        // Nothing but a string or number grows.
        let newest = newest.filter(|value| matches!(value.kind(), ValueKind::String | ValueKind::Number));
        self.leaf = match newest.and_then(PartialValue::segment) {
            Some(Segment::Key(key)) => Place::Key(keys.get(py, key).unbind()),
            Some(_) => Place::Last,
            None => Place::Root,
        };
        Ok(())
    }

    /// Returns the path of the innermost open value that is shown; nothing if all of it is complete.
    pub(crate) fn open_path<'py>(&self, py: Python<'py>, parser: &Parser) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(mut value) = parser.snapshot().filter(|root| !root.is_complete()) else { return Ok(None) };
        let mut path: Vec<Bound<'py, PyAny>> = Vec::new();
        let places = self.stack.iter().skip(1).map(|open| &open.place).chain([&self.leaf]);
        for place in places {
            let child = match place {
                Place::Root => None,
                Place::Last => value
                    .len()
                    .checked_sub(1)
                    .and_then(|last| Some((value.index(last)?, last.into_pyobject(py).ok()?.into_any()))),
                Place::Key(key) => {
                    let key = key.bind(py);
                    value.get(key.to_str()?).map(|child| (child, key.clone().into_any()))
                }
            };
            let Some((child, segment)) = child.filter(|(child, _)| !child.is_complete()) else { break };
            path.push(segment);
            value = child;
        }
        PyTuple::new(py, path).map(Some)
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.root)?;
        self.stack.iter().try_for_each(|open| visit.call(open.container.any()))
    }
}

/// Returns the number of references to an object.
pub(crate) fn references(object: &Py<PyAny>) -> isize {
    // SAFETY: the object lives, since this is a reference to it.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) as isize }
}

/// Joins two strings, in place if the first one is not shared.
fn append<'py>(left: Bound<'py, PyString>, right: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let py = left.py();
    let mut joined = left.into_any().into_ptr();
    // SAFETY: `joined` is a strong reference to a `str`, which the call takes over; it leaves a strong reference to the
    // joined `str` there, or a null pointer and an exception. It is in the stable ABI.
    let joined = unsafe {
        ffi::PyUnicode_Append(&raw mut joined, right.as_ptr());
        Bound::from_owned_ptr_or_err(py, joined)?
    };
    Ok(joined.cast_into::<PyString>()?)
}

#[cold]
fn inconsistent() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("the snapshot's objects do not match the parser's: please report this")
}
