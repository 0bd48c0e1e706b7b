//! `Parser` and `Revision`. What other readers do too is in `reader.rs`.

use jsonspigot::{DuplicateKeys, Error, ErrorKind, RestoreError, Revision as CoreRevision};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::chunk::{Chunk, LARGE};
use crate::error::{deviations, exception, raised};
use crate::event::{ChunkText, Paths, Told, event_object};
use crate::lock::lock;
use crate::mirror::Mirror;
use crate::options::{Arguments, Options, pattern_set};
use crate::reader::{self, Open, Reader, Saved, Shown, lock_to_show, reader_methods};
use crate::typed::{Typed, Watch};
use crate::value::{Fractions, build};

/// A moment of a snapshot, to be compared with a later one; see ``Parser.revision``.
#[pyclass(frozen, eq, hash, module = "jsonspigot")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Revision(CoreRevision);

#[pymethods]
impl Revision {
    /// Return the revision as 20 bytes, to be kept beside a saved parser; see ``from_bytes``.
    #[pyo3(name = "to_bytes")]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Return the revision that gave these bytes; the restored parser knows it. Raise ``ValueError`` if they are not 20.
    #[staticmethod]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = Chunk::of_bytes(data, "a revision is")?;
        let bytes = bytes.bytes();
        let wrong = |_| PyValueError::new_err(format!("a revision is 20 bytes, not {}", bytes.len()));
        Ok(Self(CoreRevision::from_bytes(bytes.try_into().map_err(wrong)?)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().bytes(slf.py()),)))
    }

    fn __repr__(&self) -> String {
        let bytes: String = self.0.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("<jsonspigot.Revision {bytes}>")
    }
}

/// A resumable parser of one JSON text.
///
/// ``patterns`` are RFC 9535 paths of what to report, such as ``"ask_slots[*].message"``: one, or an iterable of them. Names,
/// indices, wildcards, slices, unions and descendants are allowed; ``outer | inner`` reads the JSON text in a string, and
/// the deltas of ``raw:path`` are JSON text. Each ``feed`` returns ``Begin``, ``Delta``, ``End`` and ``InnerError``
/// events. A parser belongs to one thread at a time; a second thread gets a ``RuntimeError``.
///
/// Everything that has parsers takes these options:
///
/// - ``snapshots``: keep the value so far, for ``snapshot`` and patches. Default ``False``.
/// - ``provisional``: also show open numbers and literals: ``12`` of what may become ``123``. Implies ``snapshots``.
/// - ``retain``: the text that is kept: ``"all"`` (default), for ``value``; ``"matches"``, for ``End.value``; or ``"nothing"``.
/// - ``duplicate_keys``: ``"last-wins"`` (default) or ``"reject"``, which is an error at the second key.
/// - ``max_depth``: the most levels; default 127. ``None`` here and below is no limit.
/// - ``max_key``, ``max_string``, ``max_number``: the most bytes of one of them. Default ``None``.
/// - ``max_blank``: the most bytes of white space in a row. ``max_total``: the most bytes of the text. Default ``None``.
/// - ``lenient``: the deviations from JSON after which parsing continues, to show what follows: ``"model-output"`` (all), or
///   any of ``"control-characters"``, ``"bad-escapes"``, ``"lone-surrogates"``, ``"trailing-commas"``, ``"comments"``,
///   ``"single-quotes"``, ``"bare-keys"``, ``"python-literals"``, ``"non-finite"`` (``NaN`` and ``Infinity`` are ``None``) and
///   ``"byte-order-mark"``. A text with one still fails at its end.
/// - ``accept_deviations``: let a text with such deviations succeed, with the value of its strict form.
/// - ``decimals``: make ``Decimal`` of numbers with a fraction or exponent, not ``float``.
///
/// With a ``model``, ``look`` returns a ``Partial`` of it: a pydantic model, dataclass, ``TypedDict``, ``TypeAdapter`` or any type
/// that pydantic validates. Then ``snapshots=True`` and ``duplicate_keys="reject"`` are the defaults, and there are more options:
///
/// - ``missing``: ``"none"`` (default) shows ``None`` for a required field that has not arrived; ``"empty"`` shows an empty
///   ``str``, list, set, dict or object, and raises ``ValueError`` if a required field is of another type.
/// - ``context``, ``strict``, ``by_alias``, ``by_name``: as pydantic has them.
#[pyclass(subclass, module = "jsonspigot")]
pub(crate) struct Parser {
    parser: jsonspigot::Parser,
    paths: Paths,
    shown: Shown,
}

impl Parser {
    pub(crate) fn of(parser: jsonspigot::Parser, options: &Options) -> Self {
        Self { parser, paths: Paths::default(), shown: Shown::new(*options, Watch::default()) }
    }

    /// Makes the events of a call, which may be of this chunk.
    fn told<'py>(
        py: Python<'py>,
        events: jsonspigot::Events<'_>,
        fractions: Fractions,
        paths: &mut Paths,
        chunk: ChunkText<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (mut told, mut read) = (Told::new(py), Ok(()));
        for event in events {
            match event {
                Ok(event) => told.push(event_object(py, &event, 0, fractions, paths, chunk)),
                Err(error) => read = Err(error),
            }
        }
        told.finish(read)
    }

    /// Returns the operations that bring a copy up to date as JSON text.
    fn patch_text(&self, py: Python<'_>, revision: Option<&Bound<'_, Revision>>) -> PyResult<String> {
        let revision = revision.map(|revision| revision.get().0).unwrap_or_default();
        let ops = self.parser.patch_since(revision).map_err(|error| raised(py, &error))?;
        let ops: Vec<_> = ops.into_iter().map(|op| op.to_string()).collect();
        Ok(format!("[{}]", ops.join(",")))
    }
}

impl Saved for Parser {
    fn saved(&self) -> Result<Vec<u8>, Error> {
        self.parser.save()
    }

    fn resume(&mut self, state: &[u8]) -> Result<(), RestoreError> {
        self.parser = self.parser.clone().restore(state)?;
        Ok(())
    }
}

impl Reader for Parser {
    const HAS_ONE_TEXT: bool = true;

    fn shown(&mut self) -> &mut Shown {
        &mut self.shown
    }

    fn open(&mut self, _: Option<u64>) -> Option<(&jsonspigot::Parser, &mut Mirror)> {
        Some((&self.parser, self.shown.mirror(0)))
    }
}

reader_methods! {
    Parser(patterns)
    /// Return the state between two chunks as bytes, for ``restore`` in this or another process.
    ///
    /// The state is a header of 26 bytes, a few bytes for each open container, the open key or number, and what the options
    /// keep: the text (``retain``), the partial document (``snapshots``). Patterns and options are not in it. A ``Revision`` from
    /// before is known to the restored parser.
    ///
    /// Raises ``JsonSpigotError`` of the kind ``"not-retained"`` if the parser is ``lenient`` and does not retain all its text, from
    /// which such a parser is restored.
    save,
    /// Return a parser that continues from a state, with the patterns and options that it was saved with.
    ///
    /// Only ``decimals`` may differ. Raises ``JsonSpigotError`` if the bytes are refused. Its ``kind`` is ``"not-saved-state"``,
    /// ``"other-version"``, ``"cut"``, ``"changed"``, ``"other-kind"`` (such as that of ``Documents``), ``"other-patterns"``,
    /// ``"other-choices"``, or ``"impossible"`` for bytes that were made up. Any bytes give a parser or this error. Anyone who can
    /// write a state can forge the parser's input, so protect it like the text itself.
    restore,
    /// Return a typed view of the text, as one of several; see ``Typed``. For one view, use ``Parser(model=...)``.
    ///
    /// ``model`` is a pydantic model, a ``TypeAdapter`` or any type that pydantic validates. Needs ``snapshots=True``,
    /// ``duplicate_keys="reject"``, and a ``max_depth`` of 200 at most.
    typed,
    {
        #[new]
        #[pyo3(signature = (patterns = None, *, model = None, **options))]
        fn new(
            py: Python<'_>,
            patterns: Option<&Bound<'_, PyAny>>,
            model: Option<&Bound<'_, PyAny>>,
            options: Option<&Bound<'_, PyDict>>,
        ) -> PyResult<Self> {
            let arguments = Arguments::of(py, options)?;
            let of_view = model.is_some().then(|| arguments.of_view()).transpose()?;
            let options = arguments.options(model.is_some())?;
            let mut parser = Self::of(options.builder().patterns(&pattern_set(patterns)?).build(), &options);
            if let Some(model) = model {
                if !options.has_snapshots() {
                    return Err(PyRuntimeError::new_err("look() needs snapshots: make it with snapshots=True"));
                }
                options.require_typed(DuplicateKeys::LastWins)?;
                parser.shown.view = Some(Py::new(py, Typed::of(None, options.fractions, model, of_view.as_ref())?)?);
            }
            Ok(parser)
        }

        /// Read the next piece of the text, cut anywhere, and return its events.
        ///
        /// Raises ``JsonSpigotError`` for the first bad byte; its ``events`` are those before it. Every later call raises the same
        /// error. A chunk of 256 KiB or more is parsed without the GIL. The cost is linear in the chunk and its events.
        fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
            let Self { parser, paths, shown } = &mut *lock(slf)?;
            let (py, fed) = (slf.py(), Chunk::of(chunk, || parser.offset())?);
            let bytes = fed.bytes();
            let text = chunk.cast_exact::<PyString>().ok().map(|object| (bytes, object));
            // The iterator form: at most one delta per match of a plain pattern and chunk.
            let events = if bytes.len() < LARGE { parser.feed(bytes) } else { py.detach(|| parser.feed(bytes)) };
            Self::told(py, events, shown.options.fractions, paths, text)
        }

        /// End the text, and return the events that this makes known: the end of a number at the root.
        ///
        /// Raises ``JsonSpigotError`` if the text is incomplete or was invalid. Calling it again after it succeeded is a no-op.
        fn finish<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
            let Self { parser, paths, shown } = &mut *lock(slf)?;
            Self::told(slf.py(), parser.finish(), shown.options.fractions, paths, None)
        }

        /// Return the complete value, as ``json.loads`` would, after ``finish`` has succeeded.
        ///
        /// Needs ``retain="all"``. Raises ``JsonSpigotError`` before the end, after an error, and if the text was not kept. Each
        /// call makes new objects.
        fn value<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
            let (py, reader) = (slf.py(), lock(slf)?);
            let value = reader.parser.complete().map_err(|error| raised(py, &error))?;
            build(py, value.text(), reader.shown.options.fractions)
        }

        /// Return the complete value's JSON text on one line, with numbers and escapes as they were spelled.
        fn raw(slf: &Bound<'_, Self>) -> PyResult<String> {
            let reader = lock(slf)?;
            let value = reader.parser.complete().map_err(|error| raised(slf.py(), &error))?;
            Ok(value.to_string())
        }

        /// Begin a new text, and keep the patterns, options and buffers.
        fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
            reader::reset(slf, |Self { parser, paths, .. }| {
                parser.reset();
                paths.clear();
            })
        }

        /// Return the value so far as a ``Partial`` of the model; ``None`` before anything can be shown.
        ///
        /// It is the same object if nothing has arrived since the last look. Raises pydantic's ``ValidationError`` for a closed
        /// value that does not fit, and ``TypeError`` without a model.
        fn look<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
            let py = slf.py();
            let view = lock(slf)?.shown.view.as_ref().map(|view| view.clone_ref(py));
            let view = view.ok_or_else(|| PyTypeError::new_err("look() needs a parser with a model: Parser(model=...)"))?;
            // Nothing of the parser is locked while validators run.
            lock(view.bind(py))?.look_at(py, &Open(slf.clone().unbind(), None))
        }

        /// Return this moment of the snapshot, for a later comparison.
        fn revision(slf: &Bound<'_, Self>) -> PyResult<Revision> {
            Ok(Revision(lock_to_show(slf)?.parser.revision()))
        }

        /// Return whether the snapshot may differ from that moment, or a value has closed since.
        #[pyo3(signature = (revision = None))]
        fn has_changed_since(slf: &Bound<'_, Self>, revision: Option<&Bound<'_, Revision>>) -> PyResult<bool> {
            let revision = revision.map(|revision| revision.get().0).unwrap_or_default();
            Ok(lock_to_show(slf)?.parser.has_changed_since(revision))
        }

        /// Return the operations that bring a copy up to date, for ``apply_patch``.
        ///
        /// They are RFC 6902's ``add`` and ``replace``, and ``append`` for strings. Without a revision, they are those since the
        /// beginning.
        #[pyo3(signature = (revision = None))]
        fn patch_since<'py>(
            slf: &Bound<'py, Self>,
            revision: Option<&Bound<'py, Revision>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let (py, reader) = (slf.py(), lock_to_show(slf)?);
            build(py, &reader.patch_text(py, revision)?, reader.shown.options.fractions)
        }

        /// Return the operations of ``patch_since`` as their JSON text, ready to be sent.
        #[pyo3(signature = (revision = None))]
        fn patch_raw_since(slf: &Bound<'_, Self>, revision: Option<&Bound<'_, Revision>>) -> PyResult<String> {
            lock_to_show(slf)?.patch_text(slf.py(), revision)
        }

        /// Whether the text so far is one complete JSON text.
        #[getter]
        fn is_complete(slf: &Bound<'_, Self>) -> PyResult<bool> {
            Ok(lock(slf)?.parser.is_complete())
        }

        /// The number of bytes that have been read, or the offset of the error.
        #[getter]
        fn offset(slf: &Bound<'_, Self>) -> PyResult<u64> {
            Ok(lock(slf)?.parser.offset())
        }

        /// The error that ended the text, or ``None``.
        #[getter]
        fn error<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
            lock(slf)?.parser.error().map(|error| exception(slf.py(), error, None)).transpose()
        }

        /// The first 100 deviations from JSON that a lenient parser has tolerated; ``deviation_count`` counts all.
        #[getter]
        fn deviations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
            deviations(slf.py(), lock(slf)?.parser.deviations())
        }

        /// The number of deviations.
        #[getter]
        fn deviation_count(slf: &Bound<'_, Self>) -> PyResult<u64> {
            Ok(lock(slf)?.parser.deviation_count())
        }

        /// Whether the parser has tolerated no deviation.
        #[getter]
        fn is_strict(slf: &Bound<'_, Self>) -> PyResult<bool> {
            Ok(lock(slf)?.parser.is_strict())
        }

        /// Whether fractions are ``Decimal``.
        #[getter]
        fn decimals(slf: &Bound<'_, Self>) -> PyResult<bool> {
            Ok(lock(slf)?.shown.options.fractions == Fractions::Decimal)
        }

        /// The patterns as paths from the root: ``"a.b"`` is ``"$.a.b"``.
        #[getter]
        fn patterns<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
            PyTuple::new(slf.py(), lock(slf)?.parser.patterns().as_slice().iter().map(ToString::to_string))
        }

        fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
            let parser = &lock(slf)?.parser;
            let state = match parser.error() {
                Some(error) if error.kind() != ErrorKind::Finished => format!("failed: {}", error.kind().name()),
                _ if parser.is_complete() => "complete".to_owned(),
                _ => "open".to_owned(),
            };
            Ok(format!("<jsonspigot.Parser {state}, {} bytes>", parser.offset()))
        }
    }
}
