//! Many texts as a writer, for whatever copies bytes.

use std::io::{self, Write};

use super::Documents;

/// Feeds the documents, for [`std::io::copy`] and whatever else writes bytes: the events are dropped, the verdict on
/// the stream and the number of documents are there afterwards. With the feature `std`.
///
/// ```
/// use jsonspigot::{Documents, Framing, Parser, PatternSet};
///
/// let mut documents = Documents::new(Framing::Concatenated, Parser::new(&PatternSet::empty()));
/// std::io::copy(&mut &b"{} [1] 2"[..], &mut documents)?;
/// documents.finish().check()?;
/// assert_eq!(documents.number(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`feed`](Documents::feed), with [`io::ErrorKind::InvalidData`].
impl Write for Documents {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.feed_with(bytes, |_| ())?;
        Ok(bytes.len())
    }

    /// Nothing is held back, so there is nothing to do. The end of the stream is [`finish`](Documents::finish).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
