//! `Documents`: many JSON texts in one stream.

use std::sync::{Mutex, MutexGuard, OnceLock};

use jsonspigot::{DocumentEvent, DuplicateKeys, EndedDocument, Framing};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{bad_state, exception, own, raised, raised_after, saved};
use crate::event::{Paths, Told, event_methods, event_object, made_once};
use crate::mirror::{Mirror, Moment, Seen};
use crate::options::{Arguments, Options, pattern_set};
use crate::parser::Parser;
use crate::shared::{checked_text, deviations, locked, state_name};
use crate::typed::{Source, Typed, Watch, begin_anew, generic, with_typed};
use crate::value::{Fractions, build, on_one_line};

/// One of many documents has ended.
///
/// ``document`` is its number, ``start`` its first byte in the stream, ``byte_count`` its length, ``line`` its line in a stream
/// of JSON Lines that was not restored. ``error`` is the ``JsonSpigotError``, or ``None``; ``deviations`` are those of a lenient
/// parser. ``value`` is the complete value, made when it is first asked for, and raises the error if there is one; ``raw`` is
/// its JSON text on one line, or ``None``. ``parser`` is the parser at the document's end, with ``snapshots=True``.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct DocumentEnd {
    #[pyo3(get)]
    document: u64,
    #[pyo3(get)]
    start: u64,
    #[pyo3(get)]
    byte_count: u64,
    #[pyo3(get)]
    line: Option<u64>,
    #[pyo3(get)]
    error: Option<Py<PyAny>>,
    #[pyo3(get)]
    deviations: Py<PyTuple>,
    #[pyo3(get)]
    deviation_count: u64,
    #[pyo3(get)]
    parser: Option<Py<Parser>>,
    text: Option<Box<str>>,
    value: OnceLock<Py<PyAny>>,
    fractions: Fractions,
}

event_methods!(DocumentEnd {
    #[classattr]
    const __match_args__: (&'static str, &'static str) = ("document", "error");

    #[classattr]
    const _parts: [&'static str; 9] =
        ["document", "error", "raw", "start", "byte_count", "line", "deviations", "deviation_count", "decimals"];

    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        made_once(py, &self.value, || match (&self.text, &self.error) {
            (Some(text), _) => build(py, text, self.fractions),
            // Without the frames that it went through before: it shall not keep them.
            (None, Some(error)) => Err(PyErr::from_value(error.bind(py).call_method1("with_traceback", (py.None(),))?)),
            (None, None) => {
                let message = "not retained: expected a parser with retain=\"all\"";
                Err(own(py, message, "not-retained", self.byte_count, "$"))
            }
        })
    }

    #[new]
    #[pyo3(signature = (document, error = None, *, raw = None, start = 0, byte_count = 0, line = None, deviations = None, deviation_count = 0, decimals = false))]
    #[allow(clippy::too_many_arguments, reason = "they are its parts, by name")]
    fn new(
        py: Python<'_>,
        document: u64,
        error: Option<Py<PyAny>>,
        raw: Option<&str>,
        start: u64,
        byte_count: u64,
        line: Option<u64>,
        deviations: Option<Py<PyTuple>>,
        deviation_count: u64,
        decimals: bool,
    ) -> PyResult<Self> {
        let text = raw.map(checked_text).transpose()?;
        let deviations = deviations.unwrap_or_else(|| PyTuple::empty(py).unbind());
        let fractions = Fractions::of(decimals);
        let (parser, value) = (None, OnceLock::new());
        Ok(Self {
            document,
            start,
            byte_count,
            line,
            error,
            deviations,
            deviation_count,
            parser,
            text,
            value,
            fractions,
        })
    }

    /// Whether fractions of the value are ``Decimal``.
    #[getter]
    fn decimals(&self) -> bool {
        self.fractions == Fractions::Decimal
    }

    fn __hash__(&self) -> u64 {
        self.start ^ self.document << 32
    }

    #[getter]
    fn raw(&self) -> Option<String> {
        self.text.as_deref().map(on_one_line)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let state = match &self.error {
            Some(error) => format!("error={}", error.bind(py).repr()?),
            None => format!("byte_count={}", self.byte_count),
        };
        let line = self.line.map(|line| format!("line={line}, ")).unwrap_or_default();
        Ok(format!("DocumentEnd(document={}, {line}{state})", self.document))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.error)?;
        visit.call(&self.parser)?;
        visit.call(self.value.get())
    }
});

impl DocumentEnd {
    fn of(py: Python<'_>, ended: &EndedDocument<'_>, options: &Options, lines: &Lines) -> PyResult<Self> {
        let core = ended.parser().expect("a borrowed event has its parser");
        let error = ended.error().map(|error| exception(py, error, None)).transpose()?;
        let parser = if options.has_snapshots() { Some(Py::new(py, Parser::of(core.clone(), options))?) } else { None };
        Ok(Self {
            document: ended.number(),
            start: ended.start(),
            byte_count: ended.byte_count(),
            line: lines.of_document(ended.start()),
            error: error.map(Bound::unbind),
            deviations: deviations(py, core.deviations())?.unbind(),
            deviation_count: core.deviation_count(),
            parser,
            text: ended.complete().ok().map(|value| value.text().into()),
            value: OnceLock::new(),
            fractions: options.fractions,
        })
    }
}

/// Counts the lines of a stream whose documents are lines, so that each has its physical line.
pub(crate) struct Lines {
    is_counted: bool,
    /// The number of documents that had ended before the chunk; nothing if that is not known.
    ended: Option<u64>,
    /// The offsets at which lines begin that the chunk has ended.
    begins: Vec<u64>,
}

impl Lines {
    pub(crate) fn of(framing: Framing) -> Self {
        let is_counted = framing == Framing::Lines;
        Self { is_counted, ended: is_counted.then_some(0), begins: Vec::new() }
    }

    /// Counts no lines of a restored stream: the number of earlier lines is not part of the state.
    fn unknown(framing: Framing) -> Self {
        Self { ended: None, ..Self::of(framing) }
    }

    /// Begin a new stream.
    fn reset(&mut self) {
        self.begins.clear();
        self.ended = self.is_counted.then_some(0);
    }

    /// Finds the lines of a chunk at this offset.
    pub(crate) fn begin(&mut self, offset: u64, chunk: &[u8]) {
        self.ended = self.ended.map(|ended| ended + self.begins.len() as u64);
        self.begins.clear();
        if self.ended.is_some() {
            self.begins.extend(memchr::memchr_iter(b'\n', chunk).map(|at| offset + at as u64 + 1));
        }
    }

    /// Returns the number of the line, from 1, of a document that begins there or before the chunk.
    pub(crate) fn of_document(&self, start: u64) -> Option<u64> {
        Some(self.ended? + self.begins.partition_point(|begin| *begin <= start) as u64 + 1)
    }
}

/// A reader of many JSON texts in one stream, one after the other.
///
/// ``framing`` is ``"lines"`` (JSON Lines; a bad line is reported, and the next one is read), ``"concatenated"`` or ``"sequence"``
/// (RFC 7464). ``feed`` returns the events of matches, each with its ``document`` number, and a ``DocumentEnd`` after each text.
/// The options are those of ``Parser``.
///
/// With a ``model`` there is also a ``TypedDocument`` each time that more of a text is known, the last one just before its
/// ``DocumentEnd``; with ``snapshots=False`` only that one.
#[pyclass(frozen, module = "jsonspigot")]
pub(crate) struct Documents(Mutex<Inner>);

/// Its name in errors.
const READER: &str = "reader of documents";

struct Inner {
    documents: jsonspigot::Documents,
    options: Options,
    paths: Paths,
    mirror: Mirror,
    /// The number of the document that the mirror shows.
    mirrored: u64,
    lines: Lines,
    watch: Watch,
}

impl Inner {
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        chunk: &[u8],
        read: impl FnOnce(&mut jsonspigot::Documents, &mut dyn FnMut(DocumentEvent<'_>)) -> Result<(), jsonspigot::Error>,
    ) -> PyResult<Bound<'py, PyList>> {
        let Self { documents, options, paths, lines, watch, .. } = self;
        lines.begin(documents.offset(), chunk);
        let mut told = Told::new(py);
        let result = read(documents, &mut |event| match event {
            DocumentEvent::Match { document, event } => {
                told.push(event_object(py, &event, document, options.fractions, paths));
            }
            DocumentEvent::End(ended) => {
                paths.clear();
                told.push(DocumentEnd::of(py, &ended, options, lines).and_then(|end| {
                    watch.end(py, None, || end.error.is_none().then(|| end.value(py)));
                    Ok(Bound::new(py, end)?.into_any())
                }));
            }
            _ => {}
        });
        let events = told.finish()?;
        result.map_err(|error| raised_after(py, &error, Some(events.clone())))?;
        Ok(events)
    }
}

pub(crate) fn named(framing: &str) -> PyResult<Framing> {
    framing.parse().map_err(|_| {
        PyValueError::new_err(format!("framing: expected 'lines', 'concatenated' or 'sequence', not '{framing}'"))
    })
}

impl Documents {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        locked(&self.0, READER)
    }

    /// Makes a stream of its arguments, or as `state` was saved.
    fn made(
        py: Python<'_>,
        framing: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        model: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
        state: Option<&[u8]>,
    ) -> PyResult<Self> {
        let options = Arguments::of(py, options)?.options(model.is_some())?;
        let mut watch = Watch::default();
        if let Some(model) = model {
            options.require_typed(DuplicateKeys::LastWins)?;
            options.require_whole()?;
            watch = Watch::telling(py, "Rows", model)?;
        }
        let parser = options.builder().patterns(&pattern_set(patterns)?).build();
        let framing = named(framing)?;
        let (mut documents, mut lines) = (jsonspigot::Documents::new(framing, parser), Lines::of(framing));
        if let Some(state) = state {
            documents = documents.restore(state).map_err(|error| bad_state(py, &error))?;
            lines = Lines::unknown(framing);
        }
        let (paths, mirror) = (Paths::default(), Mirror::new(options.fractions));
        Ok(Self(Mutex::new(Inner { documents, options, paths, mirror, mirrored: 0, lines, watch })))
    }

    /// Reads, and adds the events of typed views when nothing is locked any more.
    fn read<'py>(
        slf: &Bound<'py, Self>,
        chunk: &[u8],
        read: impl FnOnce(&mut jsonspigot::Documents, &mut dyn FnMut(DocumentEvent<'_>)) -> Result<(), jsonspigot::Error>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (events, teller) = {
            let mut inner = slf.get().lock()?;
            (inner.run(slf.py(), chunk, read), inner.watch.teller(slf.py()))
        };
        with_typed(slf.as_any(), teller, events)
    }
}

impl Source for Py<Documents> {
    fn fractions(&self, _: Python<'_>) -> PyResult<Fractions> {
        Ok(self.get().lock()?.options.fractions)
    }

    fn seen<'py>(&self, py: Python<'py>, moment: &mut Moment) -> PyResult<Option<Seen<'py>>> {
        let mut inner = self.get().lock()?;
        let Inner { documents, mirror, mirrored, .. } = &mut *inner;
        let number = documents.number();
        if *mirrored != number {
            mirror.clear();
            *mirrored = number;
        }
        documents.parser().map_or(Ok(None), |parser| mirror.seen(py, parser, moment))
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self)
    }
}

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (framing, patterns = None, *, model = None, **options))]
    fn new(
        py: Python<'_>,
        framing: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        model: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::made(py, framing, patterns, model, options, None)
    }

    /// Return the stream's state between two chunks as bytes; see ``Parser.save``.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, self.lock()?.documents.save())
    }

    /// Return the stream that was saved, with the framing, patterns and options that it had; see ``Parser.restore``.
    #[staticmethod]
    #[pyo3(signature = (framing, patterns, state, *, model = None, **options))]
    fn restore(
        py: Python<'_>,
        framing: &str,
        patterns: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        model: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let state = Chunk::of_bytes(state, "a saved state")?;
        Self::made(py, framing, patterns, model, options, Some(state.bytes()))
    }

    /// Read the next piece of the stream, cut anywhere, and return its events.
    ///
    /// Raises ``JsonSpigotError`` only for concatenated texts, which end at a bad one. With the other framings the ``DocumentEnd``
    /// of a bad text has the error, and the stream continues.
    fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let offset = slf.get().lock()?.documents.offset();
        let chunk = Chunk::of(chunk, || offset)?;
        Self::read(slf, chunk.bytes(), |documents, on_event| documents.feed_with(chunk.bytes(), on_event))
    }

    /// End the stream, and with it the last text, and return the events.
    fn finish<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        Self::read(slf, &[], |documents, on_event| documents.finish_with(on_event))
    }

    /// Return a typed view of the open document, and of each later one; see ``Typed``.
    ///
    /// Between documents, ``look`` returns the last one's complete value, or the last look at one that was cut or wrong.
    /// Needs the options that ``Parser.typed`` needs.
    #[pyo3(signature = (model, **options))]
    fn typed<'py>(
        slf: &Bound<'py, Self>,
        model: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<Typed>> {
        let py = slf.py();
        {
            let inner = slf.get().lock()?;
            inner.options.require_snapshots(READER)?;
            inner.options.require_typed(DuplicateKeys::LastWins)?;
            inner.options.require_whole()?;
        }
        let view = Py::new(py, Typed::of(slf.clone().unbind(), model, options)?)?;
        slf.get().lock()?.watch.add(None, &view, py);
        Ok(view)
    }

    /// Returns a view that does not learn how a text ends: `_whole` and `_broken` report that.
    fn _view<'py>(slf: &Bound<'py, Self>, model: &Bound<'py, PyAny>) -> PyResult<Typed> {
        Typed::of(slf.clone().unbind(), model, None)
    }

    /// Return the open document's snapshot; ``None`` between documents. Needs ``snapshots=True``.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut inner = self.lock()?;
        let Inner { documents, mirror, mirrored, options, .. } = &mut *inner;
        options.require_snapshots(READER)?;
        let number = documents.number();
        if *mirrored != number {
            mirror.clear();
            *mirrored = number;
        }
        documents.parser().map_or(Ok(None), |parser| mirror.update(py, parser))
    }

    /// Return the snapshot's JSON text on one line; ``None`` between documents.
    fn snapshot_raw(&self) -> PyResult<Option<String>> {
        let inner = self.lock()?;
        inner.options.require_snapshots(READER)?;
        Ok(inner.documents.parser().and_then(|parser| Some(parser.snapshot()?.to_string())))
    }

    /// Return the state of a value in the open document; ``None`` between documents.
    fn state_of<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Option<Bound<'py, PyString>>> {
        let inner = self.lock()?;
        inner.options.require_snapshots(READER)?;
        let state = inner.documents.parser().map(|parser| parser.state_of(path)).transpose();
        Ok(state.map_err(|error| raised(py, &error))?.map(|state| state_name(py, state)))
    }

    /// Return a parser in the open document's state; ``None`` between documents.
    fn parser(&self) -> PyResult<Option<Parser>> {
        let inner = self.lock()?;
        Ok(inner.documents.parser().map(|parser| Parser::of(parser.clone(), &inner.options)))
    }

    /// Begins a new stream.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.documents.reset();
        inner.paths.clear();
        inner.mirror.clear();
        inner.mirrored = 0;
        inner.lines.reset();
        let teller = inner.watch.reset(py);
        drop(inner);
        begin_anew(py, teller)
    }

    fn __repr__(&self) -> PyResult<String> {
        let documents = &self.lock()?.documents;
        Ok(format!("<jsonspigot.Documents number {}, {} bytes>", documents.number(), documents.offset()))
    }

    /// The number of the document that is open or comes next.
    #[getter]
    fn number(&self) -> PyResult<u64> {
        Ok(self.lock()?.documents.number())
    }

    /// The number of bytes that have been read.
    #[getter]
    fn offset(&self) -> PyResult<u64> {
        Ok(self.lock()?.documents.offset())
    }

    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        generic(class, item)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.0.try_lock() else { return Ok(()) };
        inner.watch.traverse(&visit)?;
        inner.mirror.traverse(&visit)
    }

    fn __clear__(&self) {
        if let Ok(mut inner) = self.0.try_lock() {
            let (mirror, watch) = (std::mem::take(&mut inner.mirror), std::mem::take(&mut inner.watch));
            drop(inner);
            drop((mirror, watch));
        }
    }
}
