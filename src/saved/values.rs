//! Saved state of values by path: the text that they stand for. What is open follows from it.

use alloc::string::ToString;

use super::{Impossible, Reader, Writer};
use crate::document::PartialValue;
use crate::parser::{OpenedByPath, Parser, Retain, ValueFeed};
use crate::pattern::PatternSet;
use crate::tokenizer::{Limits, Place, ValueKind};

impl ValueFeed {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        self.parser.save_body(out);
    }

    /// Reads what was saved into a feed that is new, and that keeps all of its text.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.parser.restore_body(reader)?;
        let tokenizer = &self.parser.engine.tokenizer;
        self.has_root = !tokenizer.is_before_root();
        self.has_open_string = tokenizer.place() == Place::String;
        // After an error, nothing that is written is read any more.
        if self.parser.is_open() { self.open_again() } else { Ok(()) }
    }

    /// Finds what is open in the text.
    fn open_again(&mut self) -> Result<(), Impossible> {
        let limits = Limits::new().depth(usize::MAX);
        let builder = Parser::builder().limits(limits).retain(Retain::Nothing).snapshots();
        let mut again = builder.build(&PatternSet::empty());
        let text = self.parser.text().map_err(|_| Impossible)?;
        again.feed_dyn(text, &mut |_| {}).map_err(|_| Impossible)?;
        let is_open = |value: &PartialValue<'_>| !value.is_complete();
        let mut open = again.snapshot().filter(is_open);
        while let Some(container) = open.filter(|value| matches!(value.kind(), ValueKind::Array | ValueKind::Object)) {
            // A container opens with its first child, whose place is told with it.
            let (opened, newest) = match container.kind() {
                ValueKind::Object => container.entries().last().map(|(key, child)| (object(key), child)),
                _ => (0..).zip(container.iter()).last().map(|(newest, child)| (OpenedByPath::Array { newest }, child)),
            }
            .ok_or(Impossible)?;
            self.open.push(opened);
            open = Some(newest).filter(is_open);
        }
        Impossible::unless(self.open.len() == self.parser.engine.tokenizer.nest().depth())
    }
}

fn object(newest: &str) -> OpenedByPath {
    OpenedByPath::Object { newest: newest.to_string() }
}
