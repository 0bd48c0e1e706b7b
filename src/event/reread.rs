//! Reads a text on its own, to find the value that is open at its end, for errors without a path, or to check that it
//! is JSON.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Fault;
use crate::path::{Segment, write_concrete};
use crate::tokenizer::{Interest, Limits, Sink, Tokenizer, ValueKind};

/// Returns the concrete path of the innermost value that is open at the end of the pieces, which begin the
/// JSON text of the value at the path `outer`.
#[cold]
pub(crate) fn path_of_innermost_open(pieces: [&[u8]; 2], outer: &[Segment<'_>]) -> String {
    let (mut tokenizer, mut sink) = (Tokenizer::new(Limits::new().depth(usize::MAX)), PathSink::default());
    // An invalid byte opens no value.
    let _ = pieces.iter().try_for_each(|piece| tokenizer.read_piece(Some(piece), false, &mut sink));
    // The innermost container is open, but its newest child may be closed.
    let inside = sink.open.len().saturating_sub((!sink.is_in_leaf).into());
    let steps = sink.open[..inside].iter().map(|container| match &container.key {
        Some(key) => Segment::Key(key),
        None => Segment::Index(container.children.saturating_sub(1)),
    });
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut outer.iter().copied().chain(steps));
    path
}

/// Checks that `text` is one JSON text of at most `levels` levels.
pub(super) fn check(text: &[u8], levels: usize) -> Result<(), Fault> {
    let (mut tokenizer, mut sink) = (Tokenizer::new(Limits::new().depth(levels)), PathSink::default());
    tokenizer.read_piece(Some(text), false, &mut sink)?;
    tokenizer.finish(&mut sink)
}

/// A sink that tracks the innermost open value.
#[derive(Default)]
struct PathSink {
    open: Vec<Container>,
    /// True if a string or an atom is open.
    is_in_leaf: bool,
}

/// An open container: its newest key, if it is an object, and the number of children that have begun.
#[derive(Default)]
struct Container {
    key: Option<String>,
    children: u64,
}

impl PathSink {
    fn begin(&mut self, is_leaf: bool) -> Result<Interest, Fault> {
        if let Some(container) = self.open.last_mut() {
            container.children += 1;
        }
        self.is_in_leaf = is_leaf;
        Ok(Interest::Follow)
    }
}

impl Sink for PathSink {
    fn as_dyn(&mut self) -> &mut dyn Sink {
        self
    }

    fn begin_container(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        let interest = self.begin(false);
        self.open.push(Container::default());
        interest
    }

    fn end_container(&mut self, _: ValueKind, _: u64) {
        self.open.pop();
    }

    fn key(&mut self, key: &str, _: u64) -> Result<Interest, Fault> {
        if let Some(object) = self.open.last_mut() {
            let newest = object.key.get_or_insert_default();
            newest.clear();
            newest.push_str(key);
        }
        Ok(Interest::Follow)
    }

    fn begin_string(&mut self, _: u64) -> Result<Interest, Fault> {
        self.begin(true)
    }

    fn end_string(&mut self, _: u64) {
        self.is_in_leaf = false;
    }

    fn begin_atom(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        self.begin(true)
    }

    fn end_atom(&mut self, _: &str, _: u64) -> Result<(), Fault> {
        self.is_in_leaf = false;
        Ok(())
    }
}
