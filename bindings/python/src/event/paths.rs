//! The paths of open matches as `str` objects, each spelt once.

use std::fmt::Write as _;

use jsonspigot::Event;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The paths of open matches, as `str`: each is spelt once.
#[derive(Default)]
pub(crate) struct Paths {
    open: Vec<(u64, Py<PyString>)>,
    spelt: String,
}

/// More matches than this are rarely open at once. Matches in a text inside a string that is not JSON never
/// close.
const MOST_OPEN: usize = 64;

impl Paths {
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    pub(super) fn spell(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        self.spelt.clear();
        // A `String` takes all that is written to it.
        let _ = write!(self.spelt, "{}", event.path);
        PyString::new(py, &self.spelt).unbind()
    }

    pub(super) fn begin(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        let path = self.spell(py, event);
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push((event.match_id, path.clone_ref(py)));
        path
    }

    #[inline]
    pub(super) fn of(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        match self.open.iter().rev().find(|(id, _)| *id == event.match_id) {
            Some((_, path)) => path.clone_ref(py),
            None => self.spell(py, event),
        }
    }

    pub(super) fn end(&mut self, py: Python<'_>, event: &Event<'_>) -> Py<PyString> {
        match self.open.iter().rposition(|(id, _)| *id == event.match_id) {
            Some(place) => self.open.remove(place).1,
            None => self.spell(py, event),
        }
    }
}
