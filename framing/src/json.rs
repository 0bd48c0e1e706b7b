//! The check that a text is exactly one JSON value. The reader of the events decides how deep one may be.

use jsonspigot::{Limits, Parser, ParserBuilder, Retain};

/// Builds a parser that finds the end of a value, and keeps nothing of it.
pub(crate) fn parser() -> ParserBuilder {
    Parser::builder().retain(Retain::Nothing).limits(Limits::new().depth(usize::MAX))
}

/// Returns true if a text is exactly one JSON value. Putting anything else into an object could add members to it.
pub(crate) fn is_json(text: &[u8]) -> bool {
    let mut parser = parser().build();
    parser.feed(text).check().and_then(|()| parser.finish().check()).is_ok()
}
