//! Many texts that are rewritten while they pass.

use alloc::vec::Vec;

use super::Framing;
use super::framer::{Framer, ReadTexts, Refused};
use crate::error::{ErrorKind, Interrupted, unless_interrupted};
use crate::parser::Parser;
use crate::rewrite::{RewriteError, Rewriter};
use crate::saved::{self, Impossible, Kind, Owner, Reader, RestoreError, Writer};

/// Rewrites a stream of JSON texts while they pass, one after the other, by one [`Rewriter`]; what is between them
/// comes out as it came in.
///
/// Where a text begins and ends is as for [`Documents`](super::Documents). Each is rewritten as if it were alone.
///
/// ```
/// use jsonspigot::{DocumentRewriter, Framing, PatternSet, Rewriter, Rewritten, Rule};
///
/// let rewriter = Rewriter::new(&PatternSet::new(["..password"])?, [Rule::redact()])?;
/// let mut lines = DocumentRewriter::new(Framing::Lines, rewriter);
/// let (mut out, mut bad) = (String::new(), Vec::new());
/// let mut sink = |rewritten: Rewritten<'_>| match rewritten {
///     Rewritten::Bytes(bytes) => out.push_str(str::from_utf8(bytes).unwrap()),
///     Rewritten::End { document, error, .. } => bad.extend(error.map(|error| (document, error.offset()))),
///     _ => {}
/// };
/// for chunk in ["{\"password\": \"hun", "ter2\"}\r\n\n{oops, \"password\": 1}\n", "{\"a\": 1}"] {
///     lines.write(chunk, &mut sink)?;
/// }
/// lines.finish(&mut sink)?;
/// assert_eq!(out, "{\"password\": \"[redacted]\"}\r\n\n{\n{\"a\": 1}");
/// assert_eq!(bad, [(1, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A text with an error comes out up to the bad byte, without what was held back; the rest of it is left out, as
/// nothing can be selected there.
#[derive(Debug)]
pub struct DocumentRewriter {
    rewriter: Rewriter,
    framer: Framer,
}

/// What comes out of a [`DocumentRewriter`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Rewritten<'a> {
    /// The next bytes of the stream; never empty.
    Bytes(&'a [u8]),
    /// A text has ended, well or with an error.
    End {
        /// Its number, from 0; texts with errors are numbered too.
        document: u64,
        /// The offset of its first byte in the stream as it came, from which the error's offset counts.
        start: u64,
        /// What is wrong with it, if anything is.
        error: Option<&'a RewriteError>,
    },
}

impl DocumentRewriter {
    /// A stream whose texts are rewritten by a rewriter, which is [reset](Rewriter::reset) first.
    #[must_use]
    pub fn new(framing: Framing, mut rewriter: Rewriter) -> Self {
        rewriter.reset();
        Self { rewriter, framer: Framer::new(framing) }
    }

    /// Reads a chunk, and passes all to `sink` that is decided by now.
    ///
    /// # Errors
    ///
    /// Only what ends the stream: with [`Framing::Concatenated`] the error of a text, which is reported by its
    /// [end](Rewritten::End) too; with any framing [`ErrorKind::Finished`] for bytes after the end of input.
    pub fn write(&mut self, chunk: impl AsRef<[u8]>, mut sink: impl FnMut(Rewritten<'_>)) -> Result<(), RewriteError> {
        let chunk = chunk.as_ref();
        if !self.framer.is_closed() {
            let fed = unless_interrupted(self, |Self { rewriter, framer }| {
                framer.feed(chunk, &mut Rewriting { rewriter, sink: &mut sink })
            });
            return fed.or_else(|Refused| self.verdict());
        }
        self.verdict()?;
        if chunk.is_empty() {
            return Ok(());
        }
        let expected = "expected no bytes after the end of input";
        Err(RewriteError::Text(self.rewriter.parser().error_of_call(ErrorKind::Finished, expected)))
    }

    /// The end of input: ends the last text, and passes on what was held back.
    ///
    /// # Errors
    ///
    /// With [`Framing::Concatenated`] the error of a text, which ends the stream.
    pub fn finish(&mut self, mut sink: impl FnMut(Rewritten<'_>)) -> Result<(), RewriteError> {
        unless_interrupted(self, |Self { rewriter, framer }| {
            framer.finish(&mut Rewriting { rewriter, sink: &mut sink });
        });
        self.verdict()
    }

    fn verdict(&self) -> Result<(), RewriteError> {
        let has_panicked =
            |error: &RewriteError| matches!(error, RewriteError::Text(error) if error.kind() == ErrorKind::Panicked);
        let open = self.rewriter.check_open();
        open.or_else(|error| match self.framer.framing() {
            Framing::Concatenated => Err(error),
            _ if has_panicked(&error) => Err(error),
            _ => Ok(()),
        })
    }

    /// The number of the text that is open, or of the next one: how many have ended.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.framer.number()
    }

    /// Returns the number of bytes of the stream that have been read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.framer.offset()
    }

    /// Begins a new stream, with the same rules and framing.
    pub fn reset(&mut self) {
        self.rewriter.reset();
        self.framer.reset();
    }

    /// The stream's state as bytes, between two chunks; see [`Rewriter::save`].
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        saved::save(&self.owner(), |out: &mut Writer<'_>| {
            self.framer.save(out);
            if self.framer.needs_reader() {
                self.rewriter.save_body(out);
            }
        })
    }

    /// Goes on where a [saved](Self::save) stream was. This one is new, with the same framing and a rewriter with the
    /// same choices; what has come to it is forgotten.
    ///
    /// ```
    /// use jsonspigot::{DocumentRewriter, Framing, PatternSet, Rewriter, Rule};
    ///
    /// let patterns = PatternSet::new(["..password"])?;
    /// let new = || Rewriter::new(&patterns, [Rule::redact()]).map(|new| DocumentRewriter::new(Framing::Lines, new));
    /// let mut lines = new()?;
    /// lines.write("{\"a\": 1}\n{\"b\"", |_| {})?;
    /// let lines = new()?.restore(&lines.save())?;
    /// assert_eq!((lines.number(), lines.offset()), (1, 13));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Rewriter::restore`]; another framing is another choice.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(), bytes, |reader| self.restore_body(reader))?;
        Ok(self)
    }

    fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let Self { rewriter, framer } = self;
        framer.restore(reader)?;
        if framer.needs_reader() {
            rewriter.restore_body(reader)?;
        }
        let is_open = rewriter.check_open().is_ok() && rewriter.parser().is_open();
        framer.check(rewriter.parser(), is_open)
    }

    fn owner(&self) -> Owner {
        self.rewriter.owner(Kind::DocumentRewriter).with_choice(self.framer.framing() as u64)
    }
}

impl Interrupted for DocumentRewriter {
    fn interrupt(&mut self) {
        self.rewriter.interrupt();
        self.framer.close();
    }
}

/// The rewriter, and where what comes out of it goes.
struct Rewriting<'a> {
    rewriter: &'a mut Rewriter,
    sink: &'a mut dyn FnMut(Rewritten<'_>),
}

impl ReadTexts for Rewriting<'_> {
    fn parser(&self) -> &Parser {
        self.rewriter.parser()
    }

    fn error_at(&self) -> u64 {
        self.rewriter.check_open().err().map_or(0, |error| error.offset())
    }

    fn reset(&mut self) {
        self.rewriter.reset();
    }

    fn read(&mut self, piece: &[u8], _: u64) -> Result<(), Refused> {
        self.rewriter.write(piece, |bytes| (self.sink)(Rewritten::Bytes(bytes))).map_err(|_| Refused)
    }

    fn read_value(&mut self, chunk: &[u8], _: u64) -> Result<usize, Refused> {
        self.rewriter.write_value(chunk, &mut |bytes| (self.sink)(Rewritten::Bytes(bytes))).map_err(|_| Refused)
    }

    fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        self.rewriter.refuse(kind, expected);
    }

    fn finish(&mut self, _: u64) {
        // Its error is reported with the end.
        let _ = self.rewriter.finish(|bytes| (self.sink)(Rewritten::Bytes(bytes)));
    }

    fn end(&mut self, document: u64, start: u64) {
        (self.sink)(Rewritten::End { document, start, error: self.rewriter.check_open().err().as_ref() });
    }

    fn pass(&mut self, between: &[u8]) {
        (self.sink)(Rewritten::Bytes(between));
    }
}
