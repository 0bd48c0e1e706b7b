//! The typed views of the open values in a stream of many values, and the maker of their events, if models were given
//! (`_streams.py`).

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use super::Typed;
use crate::event::End;
use crate::mirror::references;

#[derive(Default)]
pub(crate) struct Watch {
    /// Each with the number of its call; those of other streams see each value in turn.
    views: Vec<(Option<u64>, Py<Typed>)>,
    telling: Option<Py<PyAny>>,
}

impl Watch {
    /// `class` is that of `_streams.py` that makes the events.
    pub(crate) fn telling(py: Python<'_>, class: &str, models: &Bound<'_, PyAny>) -> PyResult<Self> {
        let telling = py.import("jsonspigot._streams")?.call_method1(class, (models,))?.unbind();
        Ok(Self { views: Vec::new(), telling: Some(telling) })
    }

    pub(crate) fn add(&mut self, call: Option<u64>, view: &Py<Typed>, py: Python<'_>) {
        self.views.push((call, view.clone_ref(py)));
    }

    /// Reports the ends of texts to their views, by the events of a call.
    pub(crate) fn end(&mut self, events: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.views.is_empty() {
            return Ok(());
        }
        for event in events.try_iter()? {
            let mut event = event?;
            while event.hasattr("agent")? {
                event = event.getattr("event")?;
            }
            // The end of a text has what was read.
            if !event.is_instance_of::<End>() && event.hasattr("raw")? {
                let call = event.getattr_opt("call")?.map(|call| call.extract()).transpose()?;
                self.end_of(call, &event);
            }
        }
        Ok(())
    }

    fn end_of(&mut self, call: Option<u64>, end: &Bound<'_, PyAny>) {
        for (_, view) in self.views.iter().filter(|(of, _)| *of == call) {
            // One that is in use, by a validator that feeds the stream, is left as it is.
            if let Ok(mut view) = view.bind(end.py()).try_borrow_mut() {
                view.view.end(end);
            }
        }
        // One that nobody else holds is not looked at again.
        self.views.retain(|(of, view)| {
            (call.is_none() || *of != call) && (cfg!(Py_GIL_DISABLED) || references(view.as_any()) > 1)
        });
    }

    /// Begins a new stream. Returns what makes events, which has to be notified when nothing is locked.
    pub(crate) fn reset(&mut self, py: Python<'_>) -> Option<Py<PyAny>> {
        for (_, view) in &self.views {
            if let Ok(mut view) = view.bind(py).try_borrow_mut() {
                view.view.begin();
            }
        }
        self.teller(py)
    }

    pub(crate) fn teller(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.telling.as_ref().map(|telling| telling.clone_ref(py))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.telling)?;
        self.views.iter().try_for_each(|(_, view)| visit.call(view))
    }
}
