//! Reading from `std::io::Read`, for programs with the standard library.

use std::io;

use super::Parser;
use crate::error::read_chunks;
use crate::event::Event;

impl Parser {
    /// Reads to the end of input, calls `on_event` for each event, and [finishes](Self::finish) the text. The rest of
    /// the input is also read after a root at which the parser [stops](crate::ParserBuilder::stop_at_root).
    ///
    /// The callback cannot stop the reading. If it may fail, such as by writing to a closed pipe, read the chunks yourself
    /// and loop over the events of [`feed`](Self::feed), where `?` and `break` work.
    ///
    /// ```
    /// use std::io;
    ///
    /// use jsonspigot::{Error, Parser, PatternSet};
    ///
    /// let file = io::Cursor::new(r#"{"say": "hello"}"#);
    /// let mut parser = Parser::new(&PatternSet::new(["say"])?);
    /// let mut said = String::new();
    /// parser.read_with(file, |event| {
    ///     if let Some(text) = event.delta() {
    ///         said.push_str(text);
    ///     }
    /// })?;
    /// assert_eq!(said, "hello");
    ///
    /// parser.reset();
    /// let error = parser.read_with(io::Cursor::new("[1, 2"), |_| {}).unwrap_err();
    /// assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    /// assert_eq!(error.downcast::<Error>()?.offset(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with an error of the reader, after which the parser can continue with another reader, or with the
    /// [converted](io::Error#impl-From<Error>-for-Error) error of the text. A read that is interrupted is retried.
    pub fn read_with(&mut self, reader: impl io::Read, mut on_event: impl FnMut(Event<'_>)) -> io::Result<()> {
        read_chunks(reader, |chunk| self.feed_with(chunk, &mut on_event))?;
        Ok(self.finish_with(on_event)?)
    }
}
