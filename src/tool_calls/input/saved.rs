//! Saved state of a call's input.

use alloc::boxed::Box;

use super::{Input, InputReader};
use crate::parser::ValueFeed;
use crate::saved::{Impossible, Reader, Writer, restore_error, save_error};
use crate::tool_calls::options::{Options, for_text};

/// How inputs are written.
const UNTOUCHED: u8 = 0;
const TEXT: u8 = 1;
const OPEN: u8 = 2;
const FAILED: u8 = 3;
const APART: u8 = 4;

impl Input {
    /// How long the raw text is.
    pub(in crate::tool_calls) fn raw_len(&self) -> usize {
        self.raw_bytes().len()
    }

    /// Writes the input of a call with this name.
    pub(in crate::tool_calls) fn save(&self, options: &Options, name: &str, out: &mut Writer<'_>) {
        match self {
            Self::Untouched => out.byte(UNTOUCHED),
            Self::Text(raw) => {
                out.byte(TEXT);
                out.text(raw);
            }
            Self::Open(reader) => {
                out.byte(OPEN);
                reader.save(options, name, out);
            }
            Self::Apart { error, raw, reader } => {
                match error {
                    Some(error) => {
                        out.byte(FAILED);
                        save_error(error, out);
                    }
                    None => out.byte(APART),
                }
                out.text(raw);
                reader.save(options, name, out);
            }
        }
    }

    /// Reads what was saved.
    pub(in crate::tool_calls) fn restore(
        reader: &mut Reader<'_>,
        options: &Options,
        name: &str,
    ) -> Result<Self, Impossible> {
        Ok(match reader.byte()? {
            UNTOUCHED => Self::Untouched,
            TEXT => Self::Text(reader.string()?),
            OPEN => {
                let reader = InputReader::restore(reader, options, name)?;
                let parser = reader.parser();
                let is_its_own = !(options.parser.accepts() && matches!(reader, InputReader::Text(_)));
                Impossible::unless(is_its_own && parser.is_open() && parser.error().is_none())?;
                Self::Open(reader)
            }
            FAILED => {
                let error = restore_error(reader)?;
                let raw = reader.string()?;
                let reader = InputReader::restore(reader, options, name)?;
                Impossible::unless(reader.parser().error().is_some())?;
                Self::Apart { error: Some(error), raw, reader }
            }
            APART => {
                let raw = reader.string()?;
                let reader = InputReader::restore(reader, options, name)?;
                let parser = reader.parser();
                // A text without a deviation is the parser's own, but for what may still begin one.
                let is_its_own = |text: &[u8]| raw.as_bytes().starts_with(text) && raw.len() - text.len() < 4;
                Impossible::unless(
                    options.parser.accepts()
                        && matches!(reader, InputReader::Text(_))
                        && parser.is_open()
                        && parser.error().is_none()
                        && (!parser.is_strict() || parser.text().is_ok_and(is_its_own)),
                )?;
                Self::Apart { error: None, raw, reader }
            }
            _ => return Err(Impossible),
        })
    }
}

impl InputReader {
    fn save(&self, options: &Options, name: &str, out: &mut Writer<'_>) {
        // The name may have come after the first fragment, for which the patterns were chosen.
        let is_by_name = self.parser().patterns().digest() == options.patterns_of(name).digest();
        out.flag(is_by_name);
        match self {
            Self::Text(parser) => {
                out.flag(false);
                parser.save_body(out);
            }
            Self::Values(feed) => {
                out.flag(true);
                feed.feed().save(out);
            }
        }
    }

    fn restore(reader: &mut Reader<'_>, options: &Options, name: &str) -> Result<Self, Impossible> {
        let patterns = options.patterns_of(if reader.flag()? { name } else { "" });
        Ok(if reader.flag()? {
            let mut feed = super::new_values(options.parser, patterns);
            feed.restore(reader)?;
            Self::Values(Box::<ValueFeed>::new(feed))
        } else {
            let mut parser = Box::new(for_text(options.parser).build(patterns));
            parser.restore_body(reader)?;
            Self::Text(parser)
        })
    }
}
