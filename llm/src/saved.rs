//! Saved state by replay: a state holds the inputs that lead to it.
//!
//! A state's body is a base and the inputs since the base was written. The base holds what the inputs do not show, such
//! as the number of calls so far. Restoring reads the base and replays the inputs, so any bytes lead to a state that
//! real input can reach, or to an error.

use alloc::format;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::saved::{self, Impossible, Owner, Reader, Writer};
use jsonspigot::{Error, ErrorKind, RestoreError};

/// The recommended limit for `saveable`, in bytes: 1 MiB.
///
/// ```
/// use jsonspigot_llm::{SAVE_LIMIT, ToolCalls};
///
/// let calls = ToolCalls::builder().saveable(SAVE_LIMIT).build();
/// assert!(calls.save().is_ok());
/// assert!(ToolCalls::builder().build().save().is_err());
/// ```
pub const SAVE_LIMIT: usize = 1 << 20;

/// The inputs to replay for a type that is saveable.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The maximum length of the inputs; `None` if none are buffered.
    limit: Option<usize>,
    /// The state that the inputs do not show; empty at the start.
    base: Vec<u8>,
    inputs: Vec<u8>,
    /// A later base, which replaces this one once the inputs before it are no longer needed.
    mark: Option<Mark>,
    /// The reason why inputs before the mark, or all inputs, are missing.
    lost: Option<Lost>,
}

#[derive(Clone, Debug)]
struct Mark {
    /// The length of the inputs before the mark.
    at: usize,
    base: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum Lost {
    Limit,
    Panic,
}

impl History {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit: Some(limit), ..Self::default() }
    }

    /// Returns an empty history with the same limit.
    pub(crate) fn emptied(&self) -> Self {
        Self { limit: self.limit, ..Self::default() }
    }

    /// Returns true if inputs are buffered.
    pub(crate) fn is_kept(&self) -> bool {
        self.limit.is_some()
    }

    /// Appends an input, before it is read. If the limit is exceeded, drops the inputs before the mark, or all of them.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        let Some(limit) = self.limit else { return };
        if self.lost.is_some() && self.mark.is_none() {
            return;
        }
        write(&mut Writer::new(&mut self.inputs));
        if self.inputs.len() > limit {
            self.lost = self.lost.or(Some(Lost::Limit));
            match &mut self.mark {
                Some(mark) if mark.at > 0 => drop(self.inputs.drain(..mem::take(&mut mark.at))),
                _ => self.forget(),
            }
        }
    }

    /// Records that a callback panicked. The inputs no longer lead to the current state, so they are dropped.
    pub(crate) fn interrupt(&mut self) {
        self.lost = Some(Lost::Panic);
        self.forget();
    }

    fn forget(&mut self) {
        (self.inputs, self.mark) = (Vec::new(), None);
    }

    /// Marks the current position with a base. Nothing may be open there.
    pub(crate) fn mark(&mut self, base: Vec<u8>) {
        self.unmark();
        self.mark = Some(Mark { at: self.inputs.len(), base });
    }

    /// Removes the mark, because the inputs before it are still needed.
    pub(crate) fn unmark(&mut self) {
        if self.lost.is_some() {
            self.forget();
        }
        self.mark = None;
    }

    /// Drops the inputs before the mark and adopts its base. Does nothing without a mark.
    pub(crate) fn cut(&mut self) {
        if let Some(Mark { at, base }) = self.mark.take() {
            self.inputs.drain(..at);
            (self.base, self.lost) = (base, None);
        }
    }

    /// Starts again from a new base, without inputs.
    pub(crate) fn restart(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        if self.is_kept() {
            let mut base = Vec::new();
            write(&mut Writer::new(&mut base));
            self.mark(base);
            self.cut();
        }
    }

    /// Returns the saved state of the type that has read these inputs. Fails if nothing is buffered, the limit was
    /// exceeded or a callback panicked.
    pub(crate) fn save(&self, owner: &Owner) -> Result<Vec<u8>, Error> {
        let refused = |kind, expected: &str| Err(Error::at(kind, (0, 0, 0), None, expected));
        match (self.limit, self.lost) {
            (None, _) => refused(ErrorKind::NotRetained, "expected `saveable` to be called first"),
            (Some(limit), Some(Lost::Limit)) => refused(
                ErrorKind::NotRetained,
                &format!("expected at most {limit} bytes of input to buffer, which is the limit of `saveable`"),
            ),
            (_, Some(Lost::Panic)) => refused(ErrorKind::Panicked, "expected no panic in a callback"),
            (Some(_), None) => saved::save(owner, |out| {
                out.bytes(&self.base);
                out.bytes(&self.inputs);
                Ok(())
            }),
        }
    }
}

/// A type whose inputs can be replayed.
pub(crate) trait Replay {
    fn history(&mut self) -> &mut History;

    /// Reads a base into a new value.
    fn restore_base(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible>;

    /// Reads an input and replays it without reporting events.
    fn replay(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible>;
}

/// Restores a saved state of this owner into `new`.
pub(crate) fn restore<T: Replay>(owner: &Owner, mut new: T, bytes: &[u8]) -> Result<T, RestoreError> {
    saved::restore(owner, bytes, |reader| {
        let (base, inputs) = (reader.bytes()?, reader.bytes()?);
        if !base.is_empty() {
            let mut reader = Reader::new(base);
            new.restore_base(&mut reader)?;
            reader.end()?;
            new.history().base = base.to_vec();
        }
        let mut reader = Reader::new(inputs);
        while reader.end().is_err() {
            new.replay(&mut reader)?;
        }
        Ok(())
    })?;
    Ok(new)
}
