//! `Parser` and `Revision`. How chunks are fed is in `feeding.rs`; what other classes need too, in `shared.rs`.

mod feeding;

use jsonspigot::{DuplicateKeys, ErrorKind, Revision as CoreRevision};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use self::feeding::{Inner, list_of};
use crate::chunk::Chunk;
use crate::error::{bad_state, exception, raised, saved};
use crate::event::Paths;
use crate::keys::Keys;
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::{Options, pattern_set};
use crate::shared::{deviations, in_use, patch_text, state_name};
use crate::typed::{Source, Typed};
use crate::value::{Fractions, build, on_one_line};

/// A moment of a snapshot, to be compared with a later one; see ``Parser.revision``.
#[pyclass(frozen, eq, hash, module = "jsonspigot")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Revision(CoreRevision);

#[pymethods]
impl Revision {
    /// The revision as 20 bytes, to be kept beside a saved parser: ``from_bytes`` makes one that the restored parser knows.
    #[pyo3(name = "to_bytes")]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// The revision that gave these bytes. Raises ``ValueError`` if they are not 20.
    #[staticmethod]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = Chunk::of_bytes(data, "a revision")?;
        let bytes = bytes.bytes();
        let wrong = |_| PyValueError::new_err(format!("a revision is 20 bytes, not {}", bytes.len()));
        Ok(Self(CoreRevision::from_bytes(bytes.try_into().map_err(wrong)?)))
    }

    fn __repr__(&self) -> String {
        let bytes: String = self.0.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("<jsonspigot.Revision {bytes}>")
    }
}

/// Reads one JSON text as it arrives.
///
/// ``patterns`` says what to report: RFC 9535 paths such as ``"ask_slots[*].message"``, one or an iterable of them. Each call
/// of ``feed`` returns what became known: ``Begin``, ``Delta``, ``End`` (and ``InnerError``, for ``"outer | inner"``).
///
/// A parser belongs to one thread at a time; a second thread gets a ``RuntimeError``.
#[pyclass(subclass, module = "jsonspigot")]
pub(crate) struct Parser(Inner);

impl Parser {
    pub(crate) fn of(parser: jsonspigot::Parser, options: &Options) -> Self {
        let mirror = Mirror::new(options.fractions);
        Self(Inner { parser, options: *options, paths: Paths::default(), keys: Keys::default(), mirror })
    }

    /// Locks the parser; a second thread, or a call from within a call, gets an error.
    #[inline]
    fn lock<'a>(slf: &'a Bound<'_, Self>) -> PyResult<PyRefMut<'a, Self>> {
        slf.try_borrow_mut().map_err(|_| in_use("parser"))
    }
}

impl Source for Py<Parser> {
    fn fractions(&self, py: Python<'_>) -> PyResult<Fractions> {
        Ok(Parser::lock(self.bind(py))?.0.options.fractions)
    }

    fn seen<'py>(&self, py: Python<'py>, moment: &mut Moment) -> PyResult<Option<Seen<'py>>> {
        let Inner { parser, keys, mirror, .. } = &mut Parser::lock(self.bind(py))?.0;
        let seen = mirror.seen(py, parser, keys, moment)?;
        if seen.is_none() {
            // Nothing has come of a text, which may be a new one.
            *moment = Moment::default();
        }
        Ok(seen)
    }

    fn is_last(&self) -> bool {
        true
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self)
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(
        signature = (patterns = None, **options),
        text_signature = "(patterns=None, *, snapshots=False, provisional=False, retain='all', \
                          duplicate_keys='last-wins', max_depth=127, max_key=None, max_string=None, max_number=None, \
                          max_blank=None, max_total=None, lenient=None, accept_deviations=False, decimals=False)"
    )]
    fn new(patterns: Option<&Bound<'_, PyAny>>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = Options::of(options)?;
        Ok(Self::of(options.builder().patterns(&pattern_set(patterns)?).build(), &options))
    }

    /// Feeds the next piece of the text, cut anywhere, and returns what became known.
    ///
    /// Raises ``JsonSpigotError`` for the first bad byte; its ``events`` are those before it. Every later call raises the
    /// same error. A large chunk is parsed without the GIL. The cost is linear in the chunk and its events.
    fn feed<'py>(slf: &Bound<'py, Self>, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        Self::lock(slf)?.0.feed(py, chunk)
    }

    /// Ends the text, and returns what that made known: the end of a number at the root.
    ///
    /// Raises ``JsonSpigotError`` if the text is incomplete or was invalid. Calling it again after it succeeded is a no-op.
    fn finish<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let inner = &mut Self::lock(slf)?.0;
        let Inner { parser, options, paths, .. } = inner;
        list_of(py, parser.finish(), options.fractions, paths, None)
    }

    /// The complete value, as ``json.loads`` would give it, after ``finish`` has succeeded.
    ///
    /// Needs ``retain="all"``. Raises ``JsonSpigotError`` before the end, after an error, and if the text was not kept.
    /// Each call makes new objects.
    fn value<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = &mut Self::lock(slf)?.0;
        let Inner { parser, options, keys, .. } = inner;
        let value = parser.complete().map_err(|error| raised(py, &error))?;
        build(py, value.text(), options.fractions, keys)
    }

    /// The complete value's own JSON text on one line: numbers and escapes as they were spelt, members in order.
    fn raw(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<String> {
        let inner = &Self::lock(slf)?.0;
        let value = inner.parser.complete().map_err(|error| raised(py, &error))?;
        Ok(on_one_line(value.text()))
    }

    /// The state as bytes, between two chunks, from which ``restore`` makes a parser that goes on as if nothing had
    /// happened, in another process or on another machine.
    ///
    /// It is a header of 26 bytes, a few bytes for each open container, the open key or number, and what was asked to be
    /// kept: the text (``retain``), the partial document (``snapshots``). Patterns and options are not in it. A ``Revision``
    /// that was given before is known afterwards.
    ///
    /// Raises ``JsonSpigotError`` of the kind ``"not-retained"`` if the parser is ``lenient`` and does not retain ``"all"`` its
    /// text, which alone leads to where it is.
    fn save<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, Self::lock(slf)?.0.parser.save())
    }

    /// A parser that goes on from a state, with the patterns and options that it was saved with; only ``decimals``, which
    /// says what values look like here, may be another.
    ///
    /// Raises ``JsonSpigotError`` if the bytes are refused. Its ``kind`` is ``"not-saved-state"``, ``"other-version"``,
    /// ``"cut"``, ``"changed"``, ``"other-kind"`` (that of ``Documents``, say), ``"other-patterns"``, ``"other-choices"``, or
    /// ``"impossible"`` for bytes that were made up. They are read as hostile, and any bytes give a parser or this error. But
    /// whoever can write them can make up what has been read, so protect them as you would the text.
    #[classmethod]
    #[pyo3(
        signature = (patterns, state, **options),
        text_signature = "($cls, patterns, state, *, snapshots=False, provisional=False, retain='all', \
                          duplicate_keys='last-wins', max_depth=127, max_key=None, max_string=None, max_number=None, \
                          max_blank=None, max_total=None, lenient=None, accept_deviations=False, decimals=False)"
    )]
    fn restore<'py>(
        class: &Bound<'py, PyType>,
        patterns: &Bound<'py, PyAny>,
        state: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        // A class of the caller's own makes its objects as it does.
        let object = class.call((patterns,), options)?;
        let new = object.cast::<Self>()?;
        let mut parser = Self::lock(new)?;
        let restored = parser.0.parser.clone().restore(state.bytes());
        parser.0.parser = restored.map_err(|error| bad_state(class.py(), &error))?;
        drop(parser);
        Ok(object)
    }

    /// Starts over with a new text, keeping the patterns, options and buffers.
    fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
        let inner = &mut Self::lock(slf)?.0;
        inner.parser.reset();
        inner.paths.clear();
        inner.mirror.clear();
        Ok(())
    }

    /// The value as far as it is known, with open strings and containers closed; ``None`` before its first byte.
    ///
    /// Needs ``snapshots=True``. A snapshot never changes once you hold it, and what has not changed since the last one is
    /// the same object in the next. Do not change it yourself. The cost is that of what is new, and of the containers on the
    /// way to it if you still hold an earlier snapshot.
    fn snapshot<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = &mut Self::lock(slf)?.0;
        inner.require_snapshots()?;
        let Inner { parser, keys, mirror, .. } = inner;
        mirror.update(py, parser, keys)
    }

    /// The snapshot's JSON text on one line, numbers as they were spelt; ``None`` before its first byte.
    fn snapshot_raw(slf: &Bound<'_, Self>) -> PyResult<Option<String>> {
        let inner = &Self::lock(slf)?.0;
        inner.require_snapshots()?;
        Ok(inner.parser.snapshot().map(|value| value.to_string()))
    }

    /// The snapshot as a ``Model``: a pydantic model, dataclass, ``TypedDict`` or any type that pydantic validates.
    ///
    /// One look as of ``typed``: its cost is that of validating the whole snapshot. Duplicate keys may be of either kind.
    fn snapshot_as<'py>(slf: &Bound<'py, Self>, model: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        {
            let inner = &Self::lock(slf)?.0;
            inner.require_snapshots()?;
            inner.options.require_shallow()?;
        }
        Typed::of(slf.clone().unbind(), model, None)?.look_now(slf.py())
    }

    /// A typed view of this text, as it grows: each ``look()`` gives what is known as a ``Partial`` of the model, at the
    /// price of what is new. ``model`` is a pydantic model, a ``TypeAdapter`` or any type that pydantic validates.
    ///
    /// Needs ``snapshots=True``, ``duplicate_keys="reject"``, and a ``max_depth`` of 200 at most.
    #[pyo3(
        signature = (model, **options),
        text_signature = "($self, model, *, context=None, strict=None, by_alias=None, by_name=None)"
    )]
    fn typed<'py>(
        slf: &Bound<'py, Self>,
        model: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Typed> {
        {
            let inner = &Self::lock(slf)?.0;
            inner.require_snapshots()?;
            inner.options.require_typed(DuplicateKeys::LastWins)?;
        }
        Typed::of(slf.clone().unbind(), model, options)
    }

    /// The path to the innermost open value that the snapshot shows; ``None`` if nothing is open.
    fn open_path<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let inner = &mut Self::lock(slf)?.0;
        inner.require_snapshots()?;
        let Inner { parser, keys, mirror, .. } = inner;
        mirror.update(py, parser, keys)?;
        mirror.open_path(py, parser)
    }

    /// The state of the value at a concrete path, such as ``"a[0].b"``: ``"pending"`` (may still come), ``"partial"``,
    /// ``"complete"`` or ``"absent"``. Needs ``snapshots=True``.
    fn state_of<'py>(slf: &Bound<'py, Self>, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyString>> {
        let inner = &Self::lock(slf)?.0;
        inner.require_snapshots()?;
        let state = inner.parser.state_of(path).map_err(|error| raised(py, &error))?;
        Ok(state_name(py, state))
    }

    /// This moment of the snapshot.
    fn revision(slf: &Bound<'_, Self>) -> PyResult<Revision> {
        let inner = &Self::lock(slf)?.0;
        inner.require_snapshots()?;
        Ok(Revision(inner.parser.revision()))
    }

    /// Returns true if a snapshot could show something else than it did then, or a value has closed; since the
    /// beginning, without an argument.
    #[pyo3(signature = (revision = None))]
    fn has_changed_since(slf: &Bound<'_, Self>, revision: Option<&Bound<'_, Revision>>) -> PyResult<bool> {
        let inner = &Self::lock(slf)?.0;
        inner.require_snapshots()?;
        Ok(inner.parser.has_changed_since(revision.map(|revision| revision.get().0).unwrap_or_default()))
    }

    /// The operations that bring a copy up to date: RFC 6902's ``add`` and ``replace``, and ``append`` for strings.
    ///
    /// ``apply_patch`` applies them. Without a revision, since the beginning.
    #[pyo3(signature = (revision = None))]
    fn patch_since<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        revision: Option<&Bound<'py, Revision>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inner = &mut Self::lock(slf)?.0;
        inner.require_snapshots()?;
        let Inner { parser, options, keys, .. } = inner;
        let revision = revision.map(|revision| revision.get().0).unwrap_or_default();
        let text = patch_text(parser, revision).map_err(|error| raised(py, &error))?;
        build(py, &text, options.fractions, keys)
    }

    /// The same operations as their JSON text, ready to be sent.
    #[pyo3(signature = (revision = None))]
    fn patch_raw_since(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        revision: Option<&Bound<'_, Revision>>,
    ) -> PyResult<String> {
        let inner = &Self::lock(slf)?.0;
        inner.require_snapshots()?;
        let revision = revision.map(|revision| revision.get().0).unwrap_or_default();
        patch_text(&inner.parser, revision).map_err(|error| raised(py, &error))
    }

    /// Returns true if the text so far is one complete JSON text.
    #[getter]
    fn is_complete(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::lock(slf)?.0.parser.is_complete())
    }

    /// The number of bytes that have been read, or where the error is.
    #[getter]
    fn offset(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::lock(slf)?.0.parser.offset())
    }

    /// The error that ended the text, or ``None``.
    #[getter]
    fn error<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = &Self::lock(slf)?.0;
        inner.parser.error().map(|error| exception(py, error, None)).transpose()
    }

    /// The deviations from JSON that a lenient parser has tolerated, at most 100 of them; ``deviation_count`` counts all.
    #[getter]
    fn deviations<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        deviations(py, Self::lock(slf)?.0.parser.deviations())
    }

    /// The number of deviations.
    #[getter]
    fn deviation_count(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::lock(slf)?.0.parser.deviation_count())
    }

    /// Returns true if no deviation has been passed.
    #[getter]
    fn is_strict(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::lock(slf)?.0.parser.is_strict())
    }

    /// Returns true if fractions are ``Decimal``.
    #[getter]
    fn decimals(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::lock(slf)?.0.options.fractions == Fractions::Decimal)
    }

    /// The patterns, as they were given.
    #[getter]
    fn patterns<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let inner = &Self::lock(slf)?.0;
        PyTuple::new(py, inner.parser.patterns().as_slice().iter().map(ToString::to_string))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let inner = &Self::lock(slf)?.0;
        let state = match inner.parser.error() {
            Some(error) if error.kind() != ErrorKind::Finished => format!("failed: {}", error.kind().name()),
            _ if inner.parser.is_complete() => "complete".to_owned(),
            _ => "open".to_owned(),
        };
        Ok(format!("<jsonspigot.Parser {state}, {} bytes>", inner.parser.offset()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.mirror.traverse(&visit)
    }

    fn __clear__(&mut self) {
        self.0.mirror.clear();
    }
}
