//! Rewrites a stream of many texts.

use alloc::vec::Vec;

use super::framer::{Framer, ReadTexts, Refused};
use super::{Framing, finished};
use crate::error::{Error, ErrorKind, Interrupted, unless_interrupted};
use crate::parser::Parser;
use crate::rewrite::{RewriteError, Rewriter};
use crate::saved::{self, Kind, Owner, RestoreError};

/// Rewrites a stream of JSON texts while they arrive, with one [`Rewriter`].
///
/// The stream is split like that of [`Documents`](super::Documents), and each text is rewritten by itself. Bytes
/// between texts are passed through unchanged.
///
/// ```
/// use jsonspigot::{DocumentRewriter, Framing, Rewriter, Rewritten, Rule};
///
/// let rewriter = Rewriter::new([("..password", Rule::redact())])?;
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
/// A text with an error is written up to the bad byte, without the bytes that were held back. The rest of it is
/// dropped, because rules cannot be applied there.
#[derive(Debug)]
pub struct DocumentRewriter {
    rewriter: Rewriter,
    framer: Framer,
}

/// The output of a [`DocumentRewriter`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Rewritten<'a> {
    /// The next bytes of the rewritten stream; never empty.
    Bytes(&'a [u8]),
    /// The end of a text, with or without an error.
    End {
        /// The text's number, from 0. Texts with errors are numbered too.
        document: u64,
        /// The offset of the text's first byte in the original stream. The error's offset counts from there.
        start: u64,
        /// The text's error, if there is one.
        error: Option<&'a RewriteError>,
    },
}

impl DocumentRewriter {
    /// Creates a stream whose texts are rewritten by `rewriter`, which is [reset](Rewriter::reset) first.
    #[must_use]
    pub fn new(framing: Framing, mut rewriter: Rewriter) -> Self {
        rewriter.reset();
        Self { rewriter, framer: Framer::new(framing) }
    }

    /// Reads a chunk and passes all output that is decided to `sink`.
    ///
    /// # Errors
    ///
    /// Fails only if the stream has ended: with [`Framing::Concatenated`] because of an error in a text, which its
    /// [end](Rewritten::End) also reports, and with any framing with [`ErrorKind::Finished`] for bytes after the end of
    /// input.
    pub fn write(&mut self, chunk: impl AsRef<[u8]>, mut sink: impl FnMut(Rewritten<'_>)) -> Result<(), RewriteError> {
        let chunk = chunk.as_ref();
        if self.framer.is_closed() {
            self.verdict()?;
            return if chunk.is_empty() { Ok(()) } else { Err(RewriteError::Text(finished(self.rewriter.parser()))) };
        }
        let fed = unless_interrupted(self, |Self { rewriter, framer }| {
            framer.feed(chunk, &mut RewriterWithSink { rewriter, sink: &mut sink })
        });
        fed.or_else(|Refused| self.verdict())
    }

    /// Ends the input and the last text, and passes the bytes that were held back to `sink`.
    ///
    /// # Errors
    ///
    /// Fails with the error of a text if the framing is [`Framing::Concatenated`].
    pub fn finish(&mut self, mut sink: impl FnMut(Rewritten<'_>)) -> Result<(), RewriteError> {
        unless_interrupted(self, |Self { rewriter, framer }| {
            framer.finish(&mut RewriterWithSink { rewriter, sink: &mut sink });
        });
        self.verdict()
    }

    fn verdict(&self) -> Result<(), RewriteError> {
        let open = self.rewriter.check_open();
        let has_panicked = matches!(&open, Err(RewriteError::Text(error)) if error.kind() == ErrorKind::Panicked);
        if has_panicked || self.framer.framing() == Framing::Concatenated { open } else { Ok(()) }
    }

    /// Returns the number of texts that have ended, which is the number of the open or next text.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.framer.number()
    }

    /// Returns the number of bytes of the stream that have been read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.framer.offset()
    }

    /// Begins a new stream with the same rules and framing.
    pub fn reset(&mut self) {
        self.rewriter.reset();
        self.framer.reset();
    }

    /// Returns the stream's state between two chunks as bytes; see [`Rewriter::save`].
    ///
    /// # Errors
    ///
    /// Fails like [`Rewriter::save`].
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(), |out| {
            self.framer.save(out);
            if self.framer.needs_reader() { self.rewriter.save_body(out) } else { Ok(()) }
        })
    }

    /// Restores a [saved](Self::save) stream. The framing and the rewriter's options must be those of the saved stream.
    /// Anything this stream has read is discarded.
    ///
    /// ```
    /// use jsonspigot::{DocumentRewriter, Framing, Rewriter, Rule};
    ///
    /// let rules = || [("..password", Rule::redact())];
    /// let new = || Rewriter::new(rules()).map(|rewriter| DocumentRewriter::new(Framing::Lines, rewriter));
    /// let mut lines = new()?;
    /// lines.write("{\"a\": 1}\n{\"b\"", |_| {})?;
    /// let lines = new()?.restore(&lines.save()?)?;
    /// assert_eq!((lines.number(), lines.offset()), (1, 13));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`Rewriter::restore`], and with [`RestoreError::OtherChoices`] if the framing differs.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(), bytes, |reader| {
            let Self { rewriter, framer } = &mut self;
            framer.restore(reader)?;
            if framer.needs_reader() {
                rewriter.restore_body(reader)?;
            }
            let is_open = rewriter.check_open().is_ok() && rewriter.parser().is_open();
            framer.check(rewriter.parser(), is_open)
        })?;
        Ok(self)
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

/// The rewriter and the callback that receives its output.
struct RewriterWithSink<'a> {
    rewriter: &'a mut Rewriter,
    sink: &'a mut dyn FnMut(Rewritten<'_>),
}

impl ReadTexts for RewriterWithSink<'_> {
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
        // An error is reported by `end`.
        let _ = self.rewriter.finish(|bytes| (self.sink)(Rewritten::Bytes(bytes)));
    }

    fn end(&mut self, document: u64, start: u64, _: u64) {
        (self.sink)(Rewritten::End { document, start, error: self.rewriter.check_open().err().as_ref() });
    }

    fn between_texts(&mut self, bytes: &[u8]) {
        (self.sink)(Rewritten::Bytes(bytes));
    }
}
