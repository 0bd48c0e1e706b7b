//! The shown value of an open container: rebuilt for each look from its closed members and the shown value of the open
//! one.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::level::{Level, Members};
use super::place::{Container, Fields};
use crate::make;

impl Level {
    /// Returns the shown value; nothing if it has to be whole.
    pub(super) fn shown_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = match &self.open {
            Some(open) => open.slot.shown(py)?.map(|value| (open, value)),
            None => None,
        };
        match (&self.shape.get().0, &self.members) {
            (Container::Elements { class, is_set, kids, variadic }, Members::Elements(items)) => {
                let items = items.bind(py);
                // A set is shown without the open one: a longer text would be another element.
                let shown = match open.filter(|_| !is_set) {
                    Some((_, value)) => items.as_sequence().concat(PyList::new(py, [value])?.as_sequence())?.into_any(),
                    None => items.get_slice(0, items.len()).into_any(),
                };
                if variadic.is_none() && shown.len()? < kids.len() {
                    return Ok(None);
                }
                let is_list = class.is(py.get_type::<PyList>());
                Ok(Some(if is_list { shown } else { class.bind(py).call1((shown,))? }))
            }
            (_, Members::Entries(entries)) => {
                let shown = entries.bind(py).copy()?;
                if let Some((open, value)) = open {
                    let key = open.key.bind(py);
                    match self.own_key(key) {
                        Ok(own) => shown.set_item(own.as_ref().unwrap_or(key), value)?,
                        Err(error) if error.is_instance_of::<PyException>(py) => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(Some(shown.into_any()))
            }
            (
                Container::Fields(Fields { plan, open: class, is_model, has_extra, has_private, .. }),
                Members::Fields { view, came, extra, .. },
            ) => {
                let fields = view.bind(py).copy()?;
                let came = make::set(came.bind(py))?;
                let extra = extra.as_ref().map(|extra| extra.bind(py).copy()).transpose()?;
                if let Some((open, value)) = open {
                    match &open.name {
                        Some(name) if came.contains(name)? => {}
                        Some(name) => {
                            fields.set_item(name, value)?;
                            came.add(name)?;
                        }
                        None if *has_extra => extra.as_ref().unwrap_or(&fields).set_item(&open.key, value)?,
                        None => {}
                    }
                }
                match class {
                    Some(class) if *is_model => {
                        let private = if *has_private { Some(plan.bind(py).call_method0("privates")?) } else { None };
                        make::model(class.bind(py), &fields, &came, extra.as_ref(), private.as_ref()).map(Some)
                    }
                    _ => plan.bind(py).call_method1("made", (fields,)).map(Some),
                }
            }
            _ => Ok(None),
        }
    }
}
