//! Typed views: one stream's values as a type that pydantic validates, as they grow. News comes from the parser's
//! snapshot (`mirror.rs`); `level.rs` has the open containers, `showing.rs` their shown values, and `plan.py` the types.
//!
//! No parser is locked while a validator runs, since that is the user's code.

mod level;
mod place;
mod showing;
mod watch;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyAny, PyDict, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

pub(crate) use self::level::Level;
use self::level::Slot;
use self::place::levels;
pub(crate) use self::place::{Place, Shape};
pub(crate) use self::watch::Watch;
use crate::lock::{in_use, lock};
use crate::make;
use crate::mirror::{Moment, Seen};
use crate::value::Fractions;

/// The reader whose text a view shows.
pub(crate) trait Source: Send + Sync {
    /// Returns the news in the snapshot since a moment; nothing if no text is open.
    fn seen<'py>(&self, py: Python<'py>, moment: &mut Moment) -> PyResult<Option<Seen<'py>>>;

    /// Returns true if a complete value can only be followed by an error of the whole text.
    fn is_last(&self) -> bool {
        false
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError>;
}

/// A typed view of a text, as it grows: made by ``typed`` of ``Parser``, ``ProviderStream``, ``Envelope`` and ``Documents``.
///
/// Each look costs what is new. An object that has closed is validated once, by its model, and is the same object in later
/// looks; an open one is an ``Open`` instance of a type derived from its model. After an error, every look raises it again,
/// until another text begins.
#[pyclass(module = "jsonspigot")]
pub(crate) struct Typed {
    /// The reader; none of a view that its parser keeps.
    source: Option<Box<dyn Source>>,
    view: View,
}

struct View {
    run: Py<PyAny>,
    /// The first words of errors.
    heading: Py<PyAny>,
    root: Slot,
    /// That of the innermost open value.
    path: Py<PyTuple>,
    moment: Moment,
    last: Option<Py<PyAny>>,
    is_complete: bool,
    failed: Option<Py<PyAny>>,
    /// The event of the end of the text, if its reader no longer has it; Python's `None` if the text is to be ignored.
    ended: Option<Py<PyAny>>,
}

/// Returns a class with type arguments, for annotations.
pub(crate) fn generic<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    class.py().import("types")?.call_method1("GenericAlias", (class, item))
}

impl View {
    fn begin(&mut self) {
        self.root.clear();
        (self.last, self.is_complete, self.failed, self.ended) = (None, false, None, None);
    }

    /// Notes the end of the text that the view has seen, or of one after it, which it has not seen.
    fn end(&mut self, end: &Bound<'_, PyAny>) {
        if self.ended.is_some() || self.is_complete || self.failed.is_some() {
            self.begin();
        }
        self.ended = Some(end.clone().unbind());
    }

    /// Returns the value of the ended text, or the last look if the text was cut or wrong.
    fn close<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(ended) = self.ended.take() else { return self.again(py) };
        let end = ended.bind(py);
        let raw = end.getattr_opt(pyo3::intern!(py, "raw"))?.filter(|raw| !raw.is_none());
        let closed = match raw {
            Some(raw) if !self.root.is_container() => self.read(&raw, end),
            Some(_) => match end.getattr(pyo3::intern!(py, "value")) {
                Ok(value) => self.closed(&value),
                // It is whole, but its value cannot be made.
                Err(error) => {
                    self.root.clear();
                    self.failed = Some(error.into_value(py).into_any());
                    return self.again(py);
                }
            },
            None => {
                self.root.clear();
                return self.again(py);
            }
        };
        if closed.as_ref().is_err_and(|error| !error.is_instance_of::<PyException>(py)) {
            self.ended = Some(ended);
        }
        closed.map(Some)
    }

    /// Returns the value so far, while the value at `path` is open. If only a string has grown there, it is `grown`.
    fn shown<'py>(
        &mut self,
        raw: &Bound<'py, PyAny>,
        grown: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = raw.py();
        if !grown.map_or(Ok(false), |text| self.root.grow(&text))? {
            self.root.sync(raw, self.run.bind(py), false, self.path.bind(py), 0)?;
        }
        self.root.shown(py)
    }

    /// Returns the look after the news.
    fn look<'py>(&mut self, py: Python<'py>, seen: Seen<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (raw, grown) = match seen {
            Seen::Unchanged => return self.again(py),
            _ if self.is_complete || self.failed.is_some() => return self.again(py),
            Seen::Grown { text, raw } => (raw, Some(text)),
            Seen::Changed { raw, path } => {
                self.path = path.unbind();
                (raw, None)
            }
            Seen::Complete(raw) => return self.closed(&raw).map(Some),
        };
        let value = self.shown(&raw, grown).map_err(|error| {
            let path = self.path.clone_ref(py);
            self.failing(py, error, || Ok(raw), Some(&path))
        })?;
        self.last = value.map(|value| make::partial(&value, false)).transpose()?.map(Bound::unbind);
        Ok(self.last.as_ref().map(|last| last.bind(py).clone()))
    }

    /// Returns the result of the last look.
    fn again<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.failed {
            Some(failed) => Err(self.raised(failed.bind(py))),
            None => Ok(self.last.as_ref().map(|last| last.bind(py).clone())),
        }
    }

    /// Returns the value of the whole text.
    fn closed<'py>(&mut self, raw: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = raw.py();
        if let Some(failed) = &self.failed {
            return Err(self.raised(failed.bind(py)));
        }
        if let (Some(last), true) = (&self.last, self.is_complete) {
            return Ok(last.bind(py).clone());
        }
        let value = self.root.finish(raw, self.run.bind(py));
        let value = value.map_err(|error| self.failing(py, error, || Ok(raw.clone()), None))?;
        self.whole(&value)
    }

    /// Returns the value of a whole text of which nothing was taken before, by the event of its end.
    fn read<'py>(&mut self, text: &Bound<'py, PyAny>, end: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        let value = self.root.place().node(py).call_method1(pyo3::intern!(py, "read"), (text, &self.run));
        let value = value.map_err(|error| self.failing(py, error, || end.getattr("value"), None))?;
        self.whole(&value)
    }

    /// Notes the value of the whole text.
    fn whole<'py>(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let last = make::partial(value, true)?;
        self.root.clear();
        (self.last, self.is_complete) = (Some(last.clone().unbind()), true);
        Ok(last)
    }

    /// Notes an error, which every later look raises again. An exception that is not the text's, such as a
    /// `KeyboardInterrupt`, is raised once: the next look reads all of the text again.
    ///
    /// The first value that does not fit is searched in `raw` from the beginning, with the value at `path` open, so that the error
    /// is the same at any cut.
    fn failing<'py>(
        &mut self,
        py: Python<'py>,
        error: PyErr,
        raw: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
        path: Option<&Py<PyTuple>>,
    ) -> PyErr {
        let first = match error.is_instance_of::<PyException>(py) {
            true => raw().and_then(|raw| {
                levels(py)?.call_method1("first_wrong", (self.root.place().node(py), &self.run, raw, path))
            }),
            false => Err(error.clone_ref(py)),
        };
        let error = match first {
            Ok(first) if !first.is_none() => first.unbind(),
            Ok(_) => error.into_value(py).into_any(),
            Err(interrupt) if !interrupt.is_instance_of::<PyException>(py) => {
                self.begin();
                self.moment = Moment::default();
                return interrupt;
            }
            // The value cannot be made.
            Err(unmade) => unmade.into_value(py).into_any(),
        };
        let raised = self.heading.bind(py).call_method1("raised", (&error,));
        self.failed = Some(error);
        raised.map_or_else(|error| error, PyErr::from_value)
    }

    /// Returns an error that was noted, without the frames that it passed through before.
    fn raised(&self, error: &Bound<'_, PyAny>) -> PyErr {
        let raised = self.heading.bind(error.py()).call_method1("raised", (error,));
        raised
            .and_then(|raised| raised.call_method1("with_traceback", (error.py().None(),)))
            .map_or_else(|error| error, PyErr::from_value)
    }
}

impl Typed {
    /// Returns a view of the text of `source`, or without one, of a text that its caller has. The options are those of
    /// `_typed.typed`.
    pub(crate) fn of<'py>(
        source: Option<Box<dyn Source>>,
        fractions: Fractions,
        model: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let py = model.py();
        let decimals = fractions == Fractions::Decimal;
        static TYPED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let prepared = TYPED.import(py, "jsonspigot._typed", "typed")?.call((model, decimals), options)?;
        let (place, run, heading) = prepared.extract()?;
        let (root, path, moment) = (Slot::new(place), PyTuple::empty(py).unbind(), Moment::default());
        let view = View { run, heading, root, path, moment, last: None, is_complete: false, failed: None, ended: None };
        Ok(Self { source, view })
    }

    fn look_now<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let source = self.source.take().ok_or_else(in_use::<Self>)?;
        let looked = self.look_at(py, &*source);
        self.source = Some(source);
        looked
    }

    pub(crate) fn look_at<'py>(&mut self, py: Python<'py>, source: &dyn Source) -> PyResult<Option<Bound<'py, PyAny>>> {
        let view = &mut self.view;
        let moment = &mut view.moment;
        let epoch = moment.epoch;
        let seen = source.seen(py, moment)?;
        if view.moment.epoch != epoch {
            view.begin();
        }
        match seen {
            // A value that an error may still follow is whole when its reader reports that.
            Some(Seen::Complete(_)) if !source.is_last() => view.again(py),
            Some(seen) => view.look(py, seen),
            // Nothing is open: what was seen last stays.
            None => view.close(py),
        }
    }
}

#[pymethods]
impl Typed {
    /// Return the value so far, as a ``Partial``; ``None`` before anything can be shown.
    ///
    /// It is the same object if nothing has arrived since the last look. Raises pydantic's ``ValidationError`` for a closed value
    /// that does not fit.
    fn look<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        lock(slf)?.look_now(py)
    }

    /// Ends a text, and returns the last look at it. With `None`, the text is ignored.
    fn _end<'py>(slf: &Bound<'py, Self>, end: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let view = &mut lock(slf)?.view;
        view.end(end);
        if end.is_none() {
            return Ok(None);
        }
        // An error is reported once, here: the next text starts afresh.
        view.close(end.py()).inspect_err(|_| view.begin())
    }

    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        generic(class, item)
    }

    fn __repr__(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<String> {
        let view = &lock(slf)?.view;
        let last = view.last.as_ref().map(|last| last.bind(py).repr()).transpose()?;
        let last = last.map_or_else(|| "nothing yet".to_owned(), |last| last.to_string());
        Ok(format!("<jsonspigot.Typed {}: {last}>", view.heading.bind(py)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(source) = &self.source {
            source.traverse(&visit)?;
        }
        let View { run, heading, root, path, moment: _, last, is_complete: _, failed, ended } = &self.view;
        visit.call(run)?;
        visit.call(heading)?;
        visit.call(path)?;
        visit.call(ended)?;
        visit.call(last)?;
        visit.call(failed)?;
        root.traverse(&visit)
    }

    fn __clear__(&mut self) {
        self.view.begin();
    }
}
