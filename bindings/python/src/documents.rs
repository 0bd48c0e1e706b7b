//! `Documents`: many JSON texts in one stream.

use jsonspigot::{CompleteValue, DocumentEvent, DuplicateKeys, EndedDocument, Error, Framing, RestoreError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::error::{deviations, exception, own};
use crate::event::{Data, Paths, Told, Value, event_object, with_fields};
use crate::lock::lock;
use crate::mirror::Mirror;
use crate::options::{Arguments, Options, pattern_set, unknown};
use crate::parser::Parser;
use crate::reader::{self, Reader, Saved, Shown, reader_methods};
use crate::typed::Watch;

/// One of many documents has ended.
///
/// ``document`` is its number, ``start`` its first byte in the stream, ``byte_count`` its length, ``line`` the line that it begins
/// on. ``error`` is the ``JsonSpigotError``, or ``None``; ``deviations`` are those of a lenient
/// parser. ``value`` is the complete value, made when it is first asked for, and raises the error if there is one; ``raw`` is
/// its JSON text on one line, or ``None``. ``parser`` is the parser at the document's end, with ``snapshots=True``.
#[pyclass(frozen, extends = Data, module = "jsonspigot")]
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
    value: Value,
}

#[pymethods]
impl DocumentEnd {
    #[classattr]
    const __match_args__: (&'static str, &'static str) = ("document", "error");

    #[classattr]
    const _parts: [&'static str; 9] =
        ["document", "error", "raw", "start", "byte_count", "line", "deviations", "deviation_count", "decimals"];

    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.value.get_or(py, || match &self.error {
            // Without the frames that it went through before: it shall not keep them.
            Some(error) => Err(PyErr::from_value(error.bind(py).call_method1("with_traceback", (py.None(),))?)),
            None => {
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
    ) -> PyResult<PyClassInitializer<Self>> {
        let deviations = deviations.unwrap_or_else(|| PyTuple::empty(py).unbind());
        let value = Value::checked(raw, decimals)?;
        let end = Self { document, start, byte_count, line, error, deviations, deviation_count, parser: None, value };
        Ok(with_fields(end))
    }

    /// Whether fractions of the value are ``Decimal``.
    #[getter]
    fn decimals(&self) -> bool {
        self.value.has_decimals()
    }

    #[getter]
    fn raw(&self) -> Option<String> {
        self.value.raw()
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
        self.value.traverse(&visit)
    }
}

impl DocumentEnd {
    fn of(py: Python<'_>, ended: &EndedDocument<'_>, options: &Options) -> PyResult<Self> {
        let core = ended.parser().expect("a borrowed event has its parser");
        let error = ended.error().map(|error| exception(py, error, None)).transpose()?;
        let parser = if options.has_snapshots() { Some(Py::new(py, Parser::of(core.clone(), options))?) } else { None };
        Ok(Self {
            document: ended.number(),
            start: ended.start(),
            byte_count: ended.byte_count(),
            line: Some(ended.line()),
            error: error.map(Bound::unbind),
            deviations: deviations(py, core.deviations())?.unbind(),
            deviation_count: core.deviation_count(),
            parser,
            value: Value::of(ended.complete().ok().as_ref().map(CompleteValue::text), options.fractions),
        })
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
#[pyclass(module = "jsonspigot")]
pub(crate) struct Documents {
    documents: jsonspigot::Documents,
    paths: Paths,
    shown: Shown,
}

impl Documents {
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        read: impl FnOnce(&mut jsonspigot::Documents, &mut dyn FnMut(DocumentEvent<'_>)) -> Result<(), jsonspigot::Error>,
    ) -> PyResult<Bound<'py, PyList>> {
        let Self { documents, paths, shown } = self;
        let mut told = Told::new(py);
        let read = read(documents, &mut |event| match event {
            DocumentEvent::Match { document, event } => {
                told.push(event_object(py, &event, document, shown.options.fractions, paths, None));
            }
            DocumentEvent::End(ended) => {
                paths.clear();
                shown.end(ended.number());
                let end = DocumentEnd::of(py, &ended, &shown.options);
                told.push(end.and_then(|end| Ok(Bound::new(py, with_fields(end))?.into_any())));
            }
            _ => {}
        });
        told.finish(read)
    }
}

pub(crate) fn named(framing: &str) -> PyResult<Framing> {
    framing.parse().map_err(|_| unknown("framing", framing, "'lines', 'concatenated' or 'sequence'"))
}

impl Saved for Documents {
    fn saved(&self) -> Result<Vec<u8>, Error> {
        self.documents.save()
    }

    fn resume(&mut self, state: &[u8]) -> Result<(), RestoreError> {
        self.documents = self.documents.clone().restore(state)?;
        Ok(())
    }
}

impl Reader for Documents {
    fn shown(&mut self) -> &mut Shown {
        &mut self.shown
    }

    fn open(&mut self, _: Option<u64>) -> Option<(&jsonspigot::Parser, &mut Mirror)> {
        Some((self.documents.parser()?, self.shown.mirror(self.documents.number())))
    }

    fn check_view(&self, _: Option<u64>) -> PyResult<()> {
        self.shown.options.require_whole()
    }
}

reader_methods! {
    Documents(framing, patterns)
    /// Return the stream's state between two chunks as bytes; see ``Parser.save``.
    save,
    /// Return the stream that was saved, with the framing, patterns and options that it had; see ``Parser.restore``.
    restore,
    /// Return a typed view of the open document, and of each later one; see ``Typed``.
    ///
    /// Between documents, ``look`` returns the last one's complete value, or the last look at one that was cut or wrong.
    /// Needs the options that ``Parser.typed`` needs.
    typed,
    {
        #[new]
        #[pyo3(signature = (framing, patterns = None, *, model = None, **options))]
        fn new(
            py: Python<'_>,
            framing: &str,
            patterns: Option<&Bound<'_, PyAny>>,
            model: Option<&Bound<'_, PyAny>>,
            options: Option<&Bound<'_, PyDict>>,
        ) -> PyResult<Self> {
            let options = Arguments::of(py, options)?.options(model.is_some())?;
            let mut watch = Watch::default();
            if let Some(model) = model {
                options.require_typed(DuplicateKeys::LastWins)?;
                options.require_whole()?;
                watch = Watch::telling(py, "Rows", model)?;
            }
            let parser = options.builder().patterns(&pattern_set(patterns)?).build();
            let documents = jsonspigot::Documents::new(named(framing)?, parser);
            Ok(Self { documents, paths: Paths::default(), shown: Shown::new(options, watch) })
        }

        /// Read the next piece of the stream, cut anywhere, and return its events.
        ///
        /// Raises ``JsonSpigotError`` only for concatenated texts, which end at a bad one. With the other framings the
        /// ``DocumentEnd`` of a bad text has the error, and the stream continues.
        fn feed<'py>(slf: &Bound<'py, Self>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
            reader::read(slf, |reader, py| {
                let chunk = Chunk::of(chunk, || reader.documents.offset())?;
                reader.read(py, |documents, on_event| documents.feed_with(chunk.bytes(), on_event))
            })
        }

        /// End the stream, and with it the last text, and return the events.
        fn finish<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
            reader::read(slf, |reader, py| reader.read(py, |documents, on_event| documents.finish_with(on_event)))
        }

        /// Return a parser in the open document's state; ``None`` between documents.
        fn parser(slf: &Bound<'_, Self>) -> PyResult<Option<Parser>> {
            let reader = lock(slf)?;
            Ok(reader.documents.parser().map(|parser| Parser::of(parser.clone(), &reader.shown.options)))
        }

        /// Begin a new stream.
        fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
            reader::reset(slf, |Self { documents, paths, .. }| {
                documents.reset();
                paths.clear();
            })
        }

        fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
            let documents = &lock(slf)?.documents;
            Ok(format!("<jsonspigot.Documents number {}, {} bytes>", documents.number(), documents.offset()))
        }

        /// The number of the document that is open or comes next.
        #[getter]
        fn number(slf: &Bound<'_, Self>) -> PyResult<u64> {
            Ok(lock(slf)?.documents.number())
        }

        /// The number of bytes that have been read.
        #[getter]
        fn offset(slf: &Bound<'_, Self>) -> PyResult<u64> {
            Ok(lock(slf)?.documents.offset())
        }
    }
}
