//! Saved state of an open payload: what of it has arrived, and where it may end.

use super::{OpenPayload, Phase};
use crate::envelope::closing::Closing;
use crate::envelope::delimiter::{Content, Delimiter};
use crate::envelope::extent::Extent;
use crate::envelope::{SPACE, opening};
use crate::error::ErrorKind;
use crate::saved::{Impossible, Reader, Writer, restore_error, save_error};

/// How phases are written: by their places.
const PHASES: [Phase; 5] = [Phase::Before, Phase::Value, Phase::After, Phase::Lost, Phase::Raw];

impl OpenPayload {
    /// How long a payload may be.
    pub(in crate::envelope) fn limit(&self) -> u64 {
        self.limit
    }

    /// Writes everything but the parser.
    pub(in crate::envelope) fn save(&self, out: &mut Writer<'_>) {
        let Self { delimiter, phase, closing, extent, parser: _, accepts: _, raw, length, limit: _, error, paths: _ } =
            self;
        out.number(*delimiter as u64);
        out.byte(*phase as u8);
        closing.save(out);
        if *phase == Phase::Value {
            extent.save(out);
        }
        out.text(raw);
        out.number(*length);
        out.option(error.as_ref(), |out, error| save_error(error, out));
    }

    /// Reads a parser's state into the one of payloads, which is new.
    pub(in crate::envelope) fn restore_parser(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.parser.restore_body(reader)
    }

    /// Reads the rest of what was saved; a run of backticks is followed no further than `most`.
    pub(in crate::envelope) fn restore(
        &mut self,
        reader: &mut Reader<'_>,
        delimiters: &[Delimiter],
        most: usize,
    ) -> Result<(), Impossible> {
        self.delimiter = reader.size()?;
        let delimiter = delimiters.get(self.delimiter).ok_or(Impossible)?;
        self.phase = reader.choice(&PHASES)?;
        self.closing = Closing::restore(reader, delimiter, most)?;
        if self.phase == Phase::Value {
            self.extent = Extent::restore(reader)?;
        }
        self.raw = reader.string()?;
        self.length = reader.place()?;
        self.error = reader.option(restore_error)?;
        self.settle(delimiter)
    }

    /// Holds the parts against each other.
    fn settle(&self, delimiter: &Delimiter) -> Result<(), Impossible> {
        let Self { phase, closing, extent, parser, raw, length, limit, error, .. } = self;
        let has_all = raw.len() as u64 == *length;
        Impossible::unless(
            raw.len() as u64 <= (*length).min(*limit)
                && (has_all || error.is_some())
                // A bare payload is one that has begun and has not ended.
                && (*phase == Phase::Value || !delimiter.is_bare())
                && match phase {
                    // Inside the value nobody looks for the end.
                    Phase::Value => !closing.is_holding() && (error.is_none() || delimiter.is_bare()),
                    Phase::Lost => error.is_some(),
                    Phase::Before | Phase::After => error.is_none(),
                    Phase::Raw => error.as_ref().is_none_or(|error| error.kind() == ErrorKind::TotalLimit),
                }
                && match delimiter.content {
                    Content::Raw => *phase == Phase::Raw,
                    Content::Json => *phase != Phase::Raw,
                    Content::ByFirstByte => true,
                },
        )?;
        if error.is_some() || *phase == Phase::Raw {
            return Ok(());
        }
        if self.accepts && !parser.is_strict() {
            // Where the value ends, the parser knows; what it has read is not what came.
            let is_enclosed = *extent == Extent::Endless || *phase != Phase::Value || delimiter.is_bare();
            return Impossible::unless(*phase != Phase::Before && is_enclosed && parser.is_open());
        }
        // What has been read is what the parser has read, as far as it is JSON without a deviation.
        let value = raw.trim_start_matches(SPACE.map(char::from));
        let mut again = Extent::default();
        let is_all_value = again.advance(value.as_bytes()) == value.len();
        let is_at_phase = match phase {
            Phase::Before => value.is_empty(),
            Phase::Value => !value.is_empty() && is_all_value && again == *extent && !extent.has_ended(),
            // What ended a number may be the delimiter.
            _ => again.has_ended() || again.is_number(),
        };
        let first = value.bytes().next();
        let is_bare_s =
            !delimiter.is_bare() || first.is_none_or(|first| opening::first_bytes(delimiter).contains(&first));
        let is_json = delimiter.content != Content::ByFirstByte || first.is_none_or(|first| first == b'{');
        Impossible::unless(is_at_phase && is_bare_s && is_json)?;
        Impossible::unless(parser.offset() == *length && parser.has_come_through(raw.as_bytes()))
    }
}
