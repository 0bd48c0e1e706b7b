//! The shown value of an open container: rebuilt for each look from its closed members and the shown value of the open
//! one.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyList, PySet};

use super::level::{Child, Level, Members, Open};
use super::place::{Container, Fields, Sequence};
use crate::make;

impl Open {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.child {
            Child::None => Ok(self.text.as_ref().map(|text| text.bind(py).clone())),
            child => child.shown(py),
        }
    }
}

impl Level {
    /// Returns the shown value; nothing if it has to be whole.
    pub(super) fn shown_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = match &self.open {
            Some(open) => open.shown(py)?.map(|value| (open, value)),
            None => None,
        };
        match (&self.shape.get().0, &self.members) {
            (Container::Elements { kind, kids, variadic, .. }, Members::Elements(items)) => {
                let items = items.bind(py);
                let shown = match (kind, open) {
                    // Without the open one: a longer text would be another element.
                    (Sequence::Set, _) => return Ok(Some(PySet::new(py, items)?.into_any())),
                    (Sequence::Frozenset, _) => {
                        return Ok(Some(PyFrozenSet::new(py, items)?.into_any()));
                    }
                    (_, Some((_, value))) => {
                        items.as_sequence().concat(PyList::new(py, [value])?.as_sequence())?.into_any().cast_into()?
                    }
                    (_, None) => items.get_slice(0, items.len()),
                };
                if *kind == Sequence::List {
                    return Ok(Some(shown.into_any()));
                }
                let wanted = if variadic.is_some() { 0 } else { kids.as_ref().map_or(0, |kids| kids.bind(py).len()) };
                Ok((shown.len() >= wanted).then(|| shown.to_tuple().into_any()))
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
                let came = came.bind(py).call_method0(pyo3::intern!(py, "copy"))?.cast_into::<PySet>()?;
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
