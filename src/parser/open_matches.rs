//! Reporting open matches again.

use super::Parser;
use crate::event::Event;

impl Parser {
    /// Reports the begin of each open match again, outermost first; none once the text has ended or failed.
    ///
    /// For programs that keep state by match id and have to rebuild it for a restored parser. A number that turned out
    /// to mean `null` is reported as `null`.
    ///
    /// ```
    /// use jsonspigot::{EventKind, Parser, PatternSet, ValueKind};
    ///
    /// let patterns = PatternSet::new(["items[*]", "items[*].name"])?;
    /// let mut parser = Parser::new(&patterns);
    /// parser.feed(r#"{"items": [{"name": "a"}, {"name": "b"#).check()?;
    ///
    /// let parser = Parser::new(&patterns).restore(&parser.save()?)?;
    /// let mut open = Vec::new();
    /// parser.open_matches_with(|event| {
    ///     if let EventKind::Begin(kind) = event.kind {
    ///         open.push((event.match_id, event.path.to_string(), kind));
    ///     }
    /// });
    /// assert_eq!(open, [
    ///     (2, "items[1]".to_owned(), ValueKind::Object),
    ///     (3, "items[1].name".to_owned(), ValueKind::String),
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_matches_with(&self, on_event: impl FnMut(Event<'_>)) {
        if self.is_open() {
            self.engine.tracker.report_open(on_event);
        }
    }
}
