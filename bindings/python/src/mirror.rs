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
    /// The key or index of the newest value in the last of them, if it is a string or number.
    leaf: Option<Py<PyAny>>,
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

/// A list or dict on the way to the newest value.
struct Open {
    container: Py<PyAny>,
    /// Its key or index in its parent; nothing for the root.
    key: Option<Py<PyAny>>,
    /// The number of its children that the current walk still has to reach.
    left: usize,
}

/// Returns the key or index of a value in its parent.
fn key_of<'py>(py: Python<'py>, value: PartialValue<'_>, keys: &mut Keys) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(match value.segment() {
        Some(Segment::Key(key)) => Some(keys.get(py, key).into_any()),
        Some(Segment::Index(index)) => Some(index.into_pyobject(py)?.into_any()),
        Some(Segment::Inside) | None => None,
    })
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
                Some(parent) => parent.container.bind(py).get_item(&self.leaf)?,
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
            Some(parent) => parent.container.bind(py).set_item(&self.leaf, value)?,
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
                let string = parent.container.bind(py).get_item(&self.leaf)?;
                // Our reference shall be the only one.
                parent.container.bind(py).set_item(&self.leaf, py.None())?;
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
            let Open { container, key, .. } = &self.stack[depth];
            is_shared |= references(container) > 2;
            if is_shared {
                let container = container.bind(py);
                let copy = match container.cast::<PyDict>() {
                    Ok(dict) => dict.copy()?.into_any(),
                    Err(_) => container.call_method0(pyo3::intern!(py, "copy"))?,
                };
                match depth.checked_sub(1).and_then(|parent| self.stack.get(parent)) {
                    Some(parent) => parent.container.bind(py).set_item(key, &copy)?,
                    None => self.root = Some(copy.clone().unbind()),
                }
                self.stack[depth].container = copy.unbind();
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
            let object = match node.kind() {
                ValueKind::Null => PyNone::get(py).to_owned().into_any(),
                ValueKind::Bool => PyBool::new(py, node.as_bool() == Some(true)).to_owned().into_any(),
                ValueKind::Number => number(py, node.as_number().unwrap_or("0"), self.fractions)?,
                ValueKind::String => PyString::new(py, node.as_str().unwrap_or_default()).into_any(),
                ValueKind::Array => PyList::empty(py).into_any(),
                ValueKind::Object => PyDict::new(py).into_any(),
            };
            let is_container = matches!(node.kind(), ValueKind::Array | ValueKind::Object);
            let mut key = None;
            match self.stack.last_mut() {
                None => self.root = Some(object.clone().unbind()),
                Some(parent) => {
                    parent.left = parent.left.saturating_sub(1);
                    if let Ok(list) = parent.container.bind(py).cast::<PyList>() {
                        list.append(&object)?;
                        key = is_container.then(|| key_of(py, node, keys)).transpose()?.flatten();
                    } else {
                        key = key_of(py, node, keys)?;
                        parent.container.bind(py).set_item(&key, &object)?;
                    }
                }
            }
            newest = Some(node);
            if is_container {
                let (container, key) = (object.unbind(), key.map(Bound::unbind));
                self.stack.push(Open { container, key, left: node.len() });
            }
        }
        // Nothing but a string or number grows.
        let newest = newest.filter(|value| matches!(value.kind(), ValueKind::String | ValueKind::Number));
        let leaf = newest.map(|value| key_of(py, value, keys)).transpose()?;
        self.leaf = leaf.flatten().map(Bound::unbind);
        Ok(())
    }

    /// Returns the path of the innermost open value that is shown; nothing if all of it is complete.
    pub(crate) fn open_path<'py>(&self, py: Python<'py>, parser: &Parser) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(mut value) = parser.snapshot().filter(|root| !root.is_complete()) else { return Ok(None) };
        let mut path = Vec::new();
        for key in self.stack.iter().map(|open| &open.key).chain([&self.leaf]).flatten() {
            let key = key.bind(py);
            let child = match key.cast::<PyString>() {
                Ok(key) => value.get(key.to_str()?),
                Err(_) => value.index(key.extract()?),
            };
            let Some(child) = child.filter(|child| !child.is_complete()) else { break };
            path.push(key.clone());
            value = child;
        }
        PyTuple::new(py, path).map(Some)
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.root)?;
        self.stack.iter().try_for_each(|open| visit.call(&open.container))
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
