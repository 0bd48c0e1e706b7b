//! The typed views of the open values in a stream of many values, and the maker of their events, if models were given
//! (`_streams.py`).

use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTraverseError, PyVisit};

use super::{Ended, Typed};
use crate::event::Value;
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

    /// Reports the end of a call's text, or of the open text, to its views. It is whole if it has a value, which is made if
    /// there is a view.
    pub(crate) fn end(&mut self, py: Python<'_>, call: Option<u64>, value: &Value) {
        let mut views = self.views.iter().filter(|(of, _)| *of == call).peekable();
        if views.peek().is_none() {
            return;
        }
        let value = value.get_if_whole(py);
        for (_, view) in views {
            // One that is in use, by a validator that feeds the stream, is left as it is.
            if let Ok(mut view) = view.bind(py).try_borrow_mut() {
                view.view.end(match &value {
                    None => Ended::Broken,
                    Some(Ok(value)) => Ended::Whole(value.clone_ref(py)),
                    Some(Err(error)) => Ended::Unmade(error.value(py).clone().into_any().unbind()),
                });
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

/// Notifies what makes the events of typed views that the stream begins anew. Called when nothing is locked.
pub(crate) fn begin_anew(py: Python<'_>, teller: Option<Py<PyAny>>) -> PyResult<()> {
    teller.map_or(Ok(()), |teller| teller.bind(py).call_method0("reset").map(drop))
}

/// Returns the events of a call, and those of its error, with those of the typed views among them. Called when nothing is
/// locked.
pub(crate) fn with_typed<'py>(
    stream: &Bound<'py, PyAny>,
    teller: Option<Py<PyAny>>,
    events: PyResult<Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyList>> {
    let Some(teller) = teller else { return events };
    let py = stream.py();
    let told = |events| teller.bind(py).call_method1("told", (stream, events));
    match events {
        Ok(events) => Ok(told(events.into_any())?.cast_into()?),
        Err(error) => {
            if let Ok(events) = error.value(py).getattr("events") {
                error.value(py).setattr("events", told(events)?)?;
            }
            Err(error)
        }
    }
}
