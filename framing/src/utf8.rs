//! Decodes UTF-8 that is cut anywhere: withholds the first bytes of a character until the rest arrives, and counts
//! bytes and lines for the position of an error.

use alloc::vec::Vec;
use core::str;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Error, ErrorKind, RestoreError};

use crate::saved::{Impossible, Reader, Writer, restore_with, with_added};

/// A decoder of UTF-8 text, wherever its chunks are cut.
///
/// For readers of text, such as `Envelope` in the crate `jsonspigot-llm`. (`Parser` does not need it, since it reads
/// bytes.)
///
/// ```
/// use jsonspigot_framing::Utf8;
///
/// let (mut utf8, mut said) = (Utf8::new(), String::new());
/// for chunk in [&b"caf\xC3"[..], b"\xA9\n"] {
///     utf8.feed_with(chunk, |text| said.push_str(text))?;
/// }
/// utf8.finish()?;
/// assert_eq!(said, "caf\u{e9}\n");
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Utf8 {
    /// The first bytes of an incomplete character.
    held: Vec<u8>,
    /// The number of bytes of complete characters, the number of line feeds in them, and the start of their last line.
    whole: u64,
    lines: u64,
    line_start: u64,
    /// The error, once a call has failed.
    error: Option<Error>,
}

/// The kinds of error, by their numbers in saved states.
const KINDS: [ErrorKind; 3] = [ErrorKind::InvalidUtf8, ErrorKind::Incomplete, ErrorKind::Panicked];

impl Utf8 {
    /// Creates a decoder at the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes a chunk and calls `on_text` with the text that is complete now: at most twice, and never with an empty
    /// text.
    ///
    /// ```
    /// use jsonspigot_framing::Utf8;
    ///
    /// let (mut utf8, mut pieces) = (Utf8::new(), Vec::new());
    /// for chunk in [&b"a\xC3"[..], b"\xA9b"] {
    ///     utf8.feed_with(chunk, |text| pieces.push(text.to_owned()))?;
    /// }
    /// assert_eq!(pieces, ["a", "\u{e9}", "b"]);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with [`InvalidUtf8`](ErrorKind::InvalidUtf8) at the first byte after which no valid continuation exists. The
    /// text before the bad sequence has been passed to `on_text`; every later call returns the same error and no text. If the callback panics and the panic is caught, every later call
    /// returns [`ErrorKind::Panicked`].
    pub fn feed_with(&mut self, chunk: impl AsRef<[u8]>, mut on_text: impl FnMut(&str)) -> Result<(), Error> {
        unless_interrupted(self, |utf8| utf8.read(chunk.as_ref(), &mut on_text))
    }

    /// Ends the text.
    ///
    /// ```
    /// use jsonspigot_framing::Utf8;
    ///
    /// let mut utf8 = Utf8::new();
    /// utf8.feed_with(b"a\xC3", |text| assert_eq!(text, "a"))?;
    /// let error = utf8.finish().unwrap_err();
    /// assert_eq!(error.to_string(), "incomplete: expected the rest of a character at line 1 column 3 (byte 2) in $");
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with [`Incomplete`](ErrorKind::Incomplete) if the text ends inside a character, or with the error of an
    /// earlier call.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)?;
        if self.held.is_empty() { Ok(()) } else { self.end_at(ErrorKind::Incomplete, self.offset()) }
    }

    /// Returns the error of [`feed_with`](Self::feed_with) or [`finish`](Self::finish); `None` if neither has failed.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Returns the number of bytes that have been read, including an incomplete character, or the offset of the error
    /// if there is one.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.error.as_ref().map_or(self.whole + self.held.len() as u64, Error::offset)
    }

    /// Returns the decoder's state as bytes, together with `state`, the state of the reader of the text. `state` may be
    /// any bytes, even none; it is returned unchanged as long as no byte has been read.
    ///
    /// ```
    /// use jsonspigot_framing::Utf8;
    ///
    /// let mut utf8 = Utf8::new();
    /// utf8.feed_with(b"\xC3", |_| {}).unwrap();
    /// let saved = utf8.save_with("state")?;
    ///
    /// let (mut utf8, state) = Utf8::new().restore_with(&saved, |state| Ok(state.to_vec()))?;
    /// assert_eq!(state, b"state");
    /// utf8.feed_with(b"\xA9", |text| assert_eq!(text, "\u{e9}")).unwrap();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Never fails. The type is that of the other `save` methods.
    pub fn save_with(&self, state: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        let state = state.as_ref();
        if self.offset() == 0 && self.error.is_none() {
            return Ok(state.to_vec());
        }
        with_added(state, |out| {
            self.save(out);
            Ok(())
        })
    }

    /// Resumes where [`save_with`](Self::save_with) saved. `restore_state` receives the state that was saved with it.
    /// See [`save_with`](Self::save_with) for an example.
    ///
    /// # Errors
    ///
    /// Fails if `restore_state`, which is called first, fails; if the bytes are not a saved state; or if no text leads
    /// to the state.
    pub fn restore_with<T>(
        self,
        saved: &[u8],
        restore_state: impl FnOnce(&[u8]) -> Result<T, RestoreError>,
    ) -> Result<(Self, T), RestoreError> {
        let (utf8, state) = restore_with(saved, restore_state, Self::restore)?;
        Ok((utf8.unwrap_or_default(), state))
    }

    fn read(&mut self, chunk: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)?;
        let mut rest = chunk;
        while let (false, Some((&byte, behind))) = (self.held.is_empty(), rest.split_first()) {
            self.held.push(byte);
            rest = behind;
            match str::from_utf8(&self.held) {
                Ok(character) => {
                    on_text(character);
                    // No character of several bytes is a line feed.
                    self.whole += self.held.len() as u64;
                    self.held.clear();
                }
                Err(error) if error.error_len().is_none() => {}
                // Without the last byte, the bytes might still have become a character.
                Err(_) => return self.end_at(ErrorKind::InvalidUtf8, self.whole + self.held.len() as u64 - 1),
            }
        }
        let error = str::from_utf8(rest).err();
        let (whole, behind) = rest.split_at(error.map_or(rest.len(), |error| error.valid_up_to()));
        if !whole.is_empty() {
            on_text(str::from_utf8(whole).unwrap_or_default());
            self.lines += memchr::memchr_iter(b'\n', whole).count() as u64;
            if let Some(last) = memchr::memrchr(b'\n', whole) {
                self.line_start = self.whole + last as u64 + 1;
            }
            self.whole += whole.len() as u64;
        }
        match error.and_then(|error| error.error_len()) {
            Some(len) => self.end_at(ErrorKind::InvalidUtf8, self.whole + bad_byte(&behind[..len])),
            None => {
                self.held.extend_from_slice(behind);
                Ok(())
            }
        }
    }

    fn end_at(&mut self, kind: ErrorKind, offset: u64) -> Result<(), Error> {
        let expected = match kind {
            ErrorKind::Incomplete => "expected the rest of a character",
            ErrorKind::Panicked => "expected a callback that returns",
            _ => "expected text in UTF-8",
        };
        let place = (offset, self.lines + 1, offset - self.line_start + 1);
        self.held.clear();
        Err(self.error.insert(Error::at(kind, place, Some("$"), expected)).clone())
    }

    fn save(&self, out: &mut Writer<'_>) {
        let Self { held, whole, lines, line_start, error } = self;
        out.bytes(held);
        [whole, lines, line_start].into_iter().for_each(|number| out.number(*number));
        out.flag(error.is_some());
        if let Some(error) = error {
            out.byte(KINDS.iter().position(|known| *known == error.kind()).unwrap_or_default() as u8);
            out.number(error.offset());
        }
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, Impossible> {
        let held = reader.bytes()?.to_vec();
        let (whole, lines, line_start) = (reader.place()?, reader.place()?, reader.place()?);
        let is_beginning = str::from_utf8(&held)
            .map_or_else(|error| error.valid_up_to() == 0 && error.error_len().is_none(), str::is_empty);
        Impossible::ensure(
            is_beginning && line_start <= whole && lines <= line_start && (lines > 0) == (line_start > 0),
        )?;
        let mut new = Self { held, whole, lines, line_start, error: None };
        if reader.flag()? {
            let (kind, offset) = (reader.choice(&KINDS)?, reader.place()?);
            // An incomplete character has at most three bytes.
            Impossible::ensure(new.held.is_empty() && (whole..=whole + 3).contains(&offset))?;
            let _ = new.end_at(kind, offset);
        }
        Ok(new)
    }
}

/// Returns the offset of the bad byte relative to `sequence`: its end if it might have become a character, otherwise
/// its start.
fn bad_byte(sequence: &[u8]) -> u64 {
    let is_beginning = str::from_utf8(sequence).is_err_and(|error| error.error_len().is_none());
    if is_beginning { sequence.len() as u64 } else { 0 }
}

impl Interrupted for Utf8 {
    fn interrupt(&mut self) {
        let _ = self.end_at(ErrorKind::Panicked, self.whole);
    }
}
