//! Saved state of values by path: the open containers, as the next paths are held against them.

use super::{Impossible, Reader, Writer};
use crate::document::PartialValue;
use crate::parser::{OpenedByPath, Parser, Retain, ValueFeed};
use crate::pattern::PatternSet;
use crate::tokenizer::{Limits, Place};

impl ValueFeed {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { parser, open, has_open_string, has_root, .. } = self;
        parser.save_body(out);
        out.number(open.len() as u64);
        for container in open {
            match container {
                OpenedByPath::Object { newest } => {
                    out.flag(true);
                    out.text(newest);
                }
                OpenedByPath::Array { newest } => {
                    out.flag(false);
                    out.number(*newest);
                }
            }
        }
        out.flag(*has_open_string);
        out.flag(*has_root);
    }

    /// Reads what was saved into a feed that is new, and that keeps all of its text.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.parser.restore_body(reader)?;
        for _ in 0..reader.count()? {
            self.open.push(if reader.flag()? {
                OpenedByPath::Object { newest: reader.string()? }
            } else {
                OpenedByPath::Array { newest: reader.place()? }
            });
        }
        (self.has_open_string, self.has_root) = (reader.flag()?, reader.flag()?);
        // After an error, nothing that is written is read any more.
        if self.parser.is_open() { self.settle_open() } else { Ok(()) }
    }

    /// Holds what is open against the text.
    fn settle_open(&self) -> Result<(), Impossible> {
        let tokenizer = &self.parser.engine.tokenizer;
        Impossible::unless(
            self.has_root != tokenizer.is_before_root()
                && self.has_open_string == (tokenizer.place() == Place::String)
                && self.open.len() == tokenizer.nest().depth(),
        )?;
        let limits = Limits::new().depth(usize::MAX);
        let builder = Parser::builder().limits(limits).retain(Retain::Nothing).snapshots();
        let mut again = builder.build(&PatternSet::empty());
        let text = self.parser.text().map_err(|_| Impossible)?;
        again.feed_dyn(text, &mut |_| {}).map_err(|_| Impossible)?;
        let mut place = again.snapshot();
        for open in &self.open {
            place = place.and_then(|place| open.newest_of(place));
            Impossible::unless(place.is_some())?;
        }
        Ok(())
    }
}

impl OpenedByPath {
    /// The container's newest child, if it is the one that is known here.
    fn newest_of<'a>(&self, container: PartialValue<'a>) -> Option<PartialValue<'a>> {
        match self {
            Self::Object { newest } => {
                container.entries().last().filter(|(key, _)| key == newest).map(|(_, child)| child)
            }
            Self::Array { newest } => {
                let (index, child) = (0..).zip(container.iter()).last()?;
                (*newest == index).then_some(child)
            }
        }
    }
}
