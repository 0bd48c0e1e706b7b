//! Checks that a text is exactly one JSON value. Its depth is not limited here, but by the reader of the events.

use jsonspigot::{Limits, Parser, ParserBuilder, Retain};

/// Returns the builder of a parser that finds the end of a value and retains nothing of it.
pub(crate) fn parser() -> ParserBuilder {
    Parser::builder().retain(Retain::Nothing).limits(Limits::new().depth(usize::MAX))
}

/// Returns true if a text is exactly one JSON value. Inserting any other text into an object could add members to it.
pub(crate) fn is_json(text: &[u8]) -> bool {
    let mut parser = parser().build();
    parser.feed(text).check().and_then(|()| parser.finish().check()).is_ok()
}
