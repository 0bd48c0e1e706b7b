//! The interface that readers share: how `Parser`, `Documents`, `Envelope`, `ProviderStream` and `Rewriter` are locked and
//! saved, and how those of them that keep snapshots show their open values.

use std::collections::BTreeMap;

use jsonspigot::{DuplicateKeys, Error, RestoreError};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{PyClass, PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_state, raised};
use crate::lock::lock;
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::Options;
use crate::typed::{Source, Typed, Watch};

/// A reader whose state can be saved between two calls.
pub(crate) trait Saved: PyClass<Frozen = False> {
    /// True if it only keeps its input for `save` when it is made `saveable`.
    const HAS_SAVEABLE: bool = false;

    fn saved(&self) -> Result<Vec<u8>, Error>;

    /// Puts a new reader into a saved state.
    fn resume(&mut self, state: &[u8]) -> Result<(), RestoreError>;
}

/// A reader that can keep the snapshots of its open values. `call` is the number of one, if several may be open.
pub(crate) trait Reader: Saved {
    /// True if a complete value can only be followed by an error of the whole text.
    const HAS_ONE_TEXT: bool = false;
    /// The policy without the option.
    const DUPLICATE_KEYS: DuplicateKeys = DuplicateKeys::LastWins;

    fn shown(&mut self) -> &mut Shown;

    /// Returns the parser and the objects of an open value.
    fn open(&mut self, call: Option<u64>) -> Option<(&jsonspigot::Parser, &mut Mirror)>;

    /// Fails if an open value can have no typed view.
    fn check_view(&self, _call: Option<u64>) -> PyResult<()> {
        Ok(())
    }
}

/// The Python side of a reader.
pub(crate) struct Shown {
    pub(crate) options: Options,
    /// The objects of open values, by the number of the document or call.
    mirrors: BTreeMap<u64, Mirror>,
    /// The typed views that have to be notified of the ends of values.
    watch: Watch,
    /// The view of the model that a `Parser` was made with.
    pub(crate) view: Option<Py<Typed>>,
}

impl Shown {
    pub(crate) fn new(options: Options, watch: Watch) -> Self {
        Self { options, mirrors: BTreeMap::new(), watch, view: None }
    }

    pub(crate) fn mirror(&mut self, number: u64) -> &mut Mirror {
        self.mirrors.entry(number).or_insert_with(|| Mirror::new(self.options.fractions))
    }

    /// Forgets the objects of a value that has ended.
    pub(crate) fn end(&mut self, number: u64) {
        self.mirrors.remove(&number);
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.view)?;
        self.watch.traverse(visit)?;
        self.mirrors.values().try_for_each(|mirror| mirror.traverse(visit))
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.options, Watch::default());
    }
}

pub(crate) fn save<'py, R: Saved>(reader: &Bound<'py, R>) -> PyResult<Bound<'py, PyBytes>> {
    let py = reader.py();
    let state = lock(reader)?.saved().map_err(|error| raised(py, &error))?;
    Ok(PyBytes::new(py, &state))
}

/// Makes a reader of its arguments, and puts it into a saved state.
pub(crate) fn restore<'py, R: Saved>(
    class: &Bound<'py, PyType>,
    arguments: impl PyCallArgs<'py>,
    state: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let state = Chunk::of_bytes(state, "a saved state is")?;
    let options = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
    if R::HAS_SAVEABLE && options.get_item("saveable")?.is_none_or(|saveable| saveable.is_none()) {
        options.set_item("saveable", true)?;
    }
    // A class of the caller's own makes its objects as it does.
    let object = class.call(arguments, Some(&options))?;
    lock(object.cast::<R>()?)?.resume(state.bytes()).map_err(|error| bad_state(py, &error))?;
    Ok(object)
}

/// Locks a reader to read, and adds the events of typed views when it is no longer locked.
pub(crate) fn read<'py, R: Reader>(
    reader: &Bound<'py, R>,
    read: impl FnOnce(&mut R, Python<'py>) -> PyResult<Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyList>> {
    let events = read(&mut *lock(reader)?, reader.py());
    with_typed(reader, events)
}

/// Returns the events of a call, and those of its error, with those of the typed views among them. Called when nothing
/// is locked.
fn with_typed<'py, R: Reader>(
    reader: &Bound<'py, R>,
    events: PyResult<Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = reader.py();
    let told = |events: Bound<'py, PyAny>| -> PyResult<Bound<'py, PyAny>> {
        let teller = {
            let reader = &mut *lock(reader)?;
            reader.shown().watch.end(&events)?;
            reader.shown().watch.teller(py)
        };
        teller.map_or(Ok(events.clone()), |teller| teller.bind(py).call_method1("told", (reader, events)))
    };
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

/// Begins a new text or stream, and notifies what makes the events of typed views.
pub(crate) fn reset<R: Reader>(reader: &Bound<'_, R>, begin: impl FnOnce(&mut R)) -> PyResult<()> {
    let py = reader.py();
    let teller = {
        let reader = &mut *lock(reader)?;
        begin(reader);
        reader.shown().mirrors.clear();
        reader.shown().watch.reset(py)
    };
    teller.map_or(Ok(()), |teller| teller.bind(py).call_method0("reset").map(drop))
}

/// Locks a reader to show its snapshots.
pub(crate) fn lock_to_show<'a, R: Reader>(reader: &'a Bound<'_, R>) -> PyResult<PyRefMut<'a, R>> {
    let mut reader = lock(reader)?;
    if !reader.shown().options.has_snapshots() {
        let message = format!("this {} keeps no snapshots: make it with snapshots=True", R::NAME);
        return Err(PyRuntimeError::new_err(message));
    }
    Ok(reader)
}

pub(crate) fn snapshot<'py, R: Reader>(
    reader: &Bound<'py, R>,
    call: Option<u64>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let open = &mut lock_to_show(reader)?;
    open.open(call).map_or(Ok(None), |(parser, mirror)| mirror.update(reader.py(), parser))
}

pub(crate) fn snapshot_raw<R: Reader>(reader: &Bound<'_, R>, call: Option<u64>) -> PyResult<Option<String>> {
    let open = &mut lock_to_show(reader)?;
    Ok(open.open(call).and_then(|(parser, _)| Some(parser.snapshot()?.to_string())))
}

pub(crate) fn open_path<'py, R: Reader>(
    reader: &Bound<'py, R>,
    call: Option<u64>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let open = &mut lock_to_show(reader)?;
    let Some((parser, mirror)) = open.open(call) else { return Ok(None) };
    mirror.update(reader.py(), parser)?;
    mirror.open_path(reader.py(), parser)
}

pub(crate) fn state_of<'py, R: Reader>(
    reader: &Bound<'py, R>,
    call: Option<u64>,
    path: &str,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = reader.py();
    let open = &mut lock_to_show(reader)?;
    let Some((parser, _)) = open.open(call) else { return Ok(None) };
    let state = parser.state_of(path).map_err(|error| raised(py, &error))?;
    Ok(Some(PyString::intern(py, state.name())))
}

/// Returns a typed view that is notified of the ends of values.
pub(crate) fn typed<'py, R: Reader>(
    reader: &Bound<'py, R>,
    call: Option<u64>,
    model: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Py<Typed>> {
    let py = reader.py();
    {
        let reader = &mut *lock_to_show(reader)?;
        reader.shown().options.require_typed(R::DUPLICATE_KEYS)?;
        reader.check_view(call)?;
    }
    let view = Py::new(py, view(reader, call, model, options)?)?;
    if !R::HAS_ONE_TEXT {
        lock(reader)?.shown().watch.add(call, &view, py);
    }
    Ok(view)
}

/// Returns a typed view that does not learn how a text ends: `Typed::_end` reports that.
pub(crate) fn view<'py, R: Reader>(
    reader: &Bound<'py, R>,
    call: Option<u64>,
    model: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Typed> {
    let fractions = lock(reader)?.shown().options.fractions;
    Typed::of(Some(Box::new(Open(reader.clone().unbind(), call))), fractions, model, options)
}

/// An open value of a reader, for a typed view.
pub(crate) struct Open<R>(pub(crate) Py<R>, pub(crate) Option<u64>);

impl<R: Reader> Source for Open<R> {
    fn seen<'py>(&self, py: Python<'py>, moment: &mut Moment) -> PyResult<Option<Seen<'py>>> {
        let mut reader = lock(self.0.bind(py))?;
        let seen = reader.open(self.1).map_or(Ok(None), |(parser, mirror)| mirror.seen(py, parser, moment))?;
        if R::HAS_ONE_TEXT && seen.is_none() {
            // No value of the text has begun, and it may be a new one.
            *moment = Moment::default();
        }
        Ok(seen)
    }

    fn is_last(&self) -> bool {
        R::HAS_ONE_TEXT
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// The methods of a reader that can be saved: `Class(arguments)`, the documentation of two methods, and its own methods.
macro_rules! saved_methods {
    ($class:ident($($first:ident),+) $(#[$save:meta])+ save, $(#[$restore:meta])+ restore, { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $(#[$save])+
            fn save<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
                $crate::reader::save(slf)
            }

            $(#[$restore])+
            #[classmethod]
            #[pyo3(signature = ($($first,)+ state, **options))]
            fn restore<'py>(
                class: &Bound<'py, pyo3::types::PyType>,
                $($first: &Bound<'py, PyAny>,)+
                state: &Bound<'py, PyAny>,
                options: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $crate::reader::restore::<Self>(class, ($($first,)+), state, options)
            }

            $($own)*
        }
    };
}
pub(crate) use saved_methods;

/// The methods of a reader that keeps snapshots, as `saved_methods` has them; with the name of the argument for the number of a
/// call, if several values may be open.
macro_rules! reader_methods {
    (
        $class:ident($($first:ident),+) $([$call:ident])?
        $(#[$save:meta])+ save, $(#[$restore:meta])+ restore, $(#[$typed:meta])+ typed, { $($own:tt)* }
    ) => {
        $crate::reader::saved_methods! {
            $class($($first),+) $(#[$save])+ save, $(#[$restore])+ restore,
            {
                /// Return the open value so far, with open strings and containers closed; ``None`` if nothing has begun.
                ///
                /// Needs ``snapshots=True``. A snapshot never changes once you hold it, and unchanged parts are the same
                /// objects in the next one. Do not change it yourself. The cost is that of what is new, and of the containers
                /// on the way to it if you still hold an earlier snapshot.
                fn snapshot<'py>(slf: &Bound<'py, Self> $(, $call: u64)?) -> PyResult<Option<Bound<'py, PyAny>>> {
                    $crate::reader::snapshot(slf, $crate::reader::call!($($call)?))
                }

                /// Return the snapshot's JSON text on one line, or ``None`` if nothing has begun.
                fn snapshot_raw(slf: &Bound<'_, Self> $(, $call: u64)?) -> PyResult<Option<String>> {
                    $crate::reader::snapshot_raw(slf, $crate::reader::call!($($call)?))
                }

                /// Return the path to the innermost open value that the snapshot shows; ``None`` if nothing is open.
                fn open_path<'py>(
                    slf: &Bound<'py, Self> $(, $call: u64)?
                ) -> PyResult<Option<Bound<'py, pyo3::types::PyTuple>>> {
                    $crate::reader::open_path(slf, $crate::reader::call!($($call)?))
                }

                /// Return the state of the value at a concrete path such as ``"a[0].b"``; ``None`` if no text is open.
                ///
                /// It is ``"pending"`` (it may still arrive), ``"partial"``, ``"complete"`` or ``"absent"``. Needs
                /// ``snapshots=True``.
                fn state_of<'py>(
                    slf: &Bound<'py, Self>,
                    $($call: u64,)?
                    path: &str,
                ) -> PyResult<Option<Bound<'py, pyo3::types::PyString>>> {
                    $crate::reader::state_of(slf, $crate::reader::call!($($call)?), path)
                }

                $(#[$typed])+
                #[pyo3(signature = ($($call,)? model, **options))]
                fn typed<'py>(
                    slf: &Bound<'py, Self>,
                    $($call: u64,)?
                    model: &Bound<'py, PyAny>,
                    options: Option<&Bound<'py, pyo3::types::PyDict>>,
                ) -> PyResult<Py<$crate::typed::Typed>> {
                    $crate::reader::typed(slf, $crate::reader::call!($($call)?), model, options)
                }

                /// Return a view for `_streams.py`.
                #[pyo3(signature = (model $(, $call)?))]
                fn _view<'py>(
                    slf: &Bound<'py, Self>,
                    model: &Bound<'py, PyAny>,
                    $($call: u64,)?
                ) -> PyResult<$crate::typed::Typed> {
                    $crate::reader::view(slf, $crate::reader::call!($($call)?), model, None)
                }

                #[classmethod]
                fn __class_getitem__<'py>(
                    class: &Bound<'py, pyo3::types::PyType>,
                    item: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    $crate::typed::generic(class, item)
                }

                fn __traverse__(&self, visit: pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
                    self.shown.traverse(&visit)
                }

                fn __clear__(&mut self) {
                    self.shown.clear();
                }

                $($own)*
            }
        }
    };
}
pub(crate) use reader_methods;

/// The number of a call, if there is an argument for it.
macro_rules! call {
    () => {
        None
    };
    ($call:ident) => {
        Some($call)
    };
}
pub(crate) use call;
