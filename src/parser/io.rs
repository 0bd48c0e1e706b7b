//! A parser as a writer, for whatever copies bytes.

use std::io::{self, Write};

use super::Parser;

/// Feeds the parser, for [`std::io::copy`] and whatever else writes bytes: the events are dropped, and the value, a
/// snapshot or the verdict is there afterwards. With the feature `std`.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::empty());
/// std::io::copy(&mut &br#"{"city": "Paris"}"#[..], &mut parser)?;
/// parser.finish().check()?;
/// assert_eq!(parser.deserialize::<serde_json::Value>()?["city"], "Paris");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The parser's own, with [`io::ErrorKind::InvalidData`].
impl Write for Parser {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not `feed`: one more copy of it makes the compiler leave out of line what all others have inline.
        self.feed_dyn(bytes, &mut |_| ())?;
        Ok(bytes.len())
    }

    /// Nothing is held back, so there is nothing to do. The end of the text is [`finish`](Parser::finish).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
