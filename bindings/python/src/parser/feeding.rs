//! How chunks become lists of events: small ones as they are parsed, large ones without the GIL.

use jsonspigot::Error;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::Parser;
use crate::chunk::{Chunk, LARGE};
use crate::error::raised_after;
use crate::event::{ChunkText, Paths, Told, event_object};
use crate::value::Fractions;

impl Parser {
    pub(super) fn read<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let Self { parser, options, paths, .. } = self;
        let (py, fed) = (chunk.py(), Chunk::of(chunk, || parser.offset())?);
        let bytes = fed.bytes();
        if bytes.len() >= LARGE {
            // The events are made of the parser's queue afterwards.
            let events = py.detach(|| parser.feed(bytes));
            let told = list_of(py, events, options.fractions, paths, None)?;
            py.check_signals()?;
            return Ok(told);
        }
        // The iterator form: at most one delta per match of a plain pattern and chunk.
        let text = chunk.cast_exact::<PyString>().ok();
        let text = text.map(|object| (bytes, object));
        list_of(py, parser.feed(bytes), options.fractions, paths, text)
    }
}

pub(super) fn list_of<'py>(
    py: Python<'py>,
    events: jsonspigot::Events<'_>,
    fractions: Fractions,
    paths: &mut Paths,
    chunk: ChunkText<'_, 'py>,
) -> PyResult<Bound<'py, PyList>> {
    let mut told = Told::new(py);
    let mut failed: Option<Error> = None;
    for event in events {
        match event {
            Ok(event) => told.push(event_object(py, &event, 0, fractions, paths, chunk)),
            Err(error) => failed = Some(error),
        }
    }
    let events = told.finish()?;
    match failed {
        None => Ok(events),
        Some(error) => Err(raised_after(py, &error, Some(events))),
    }
}
