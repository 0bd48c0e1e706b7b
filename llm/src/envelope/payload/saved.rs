//! Saved state of an open payload: what of it has arrived, and where it may end.

use jsonspigot::ErrorKind;
use jsonspigot::internal::saved::{Impossible, Reader, Writer, restore_error, save_error};

use super::{OpenPayload, Phase};
use crate::envelope::closing::Closing;
use crate::envelope::delimiter::{Content, Delimiter};
use crate::envelope::extent::Extent;
use crate::envelope::{SPACE, opening};

/// The phases as they are written: by their places.
const PHASES: [Phase; 5] = [Phase::Before, Phase::Value, Phase::After, Phase::Lost, Phase::Raw];

/// The last character.
const LAST: [u8; 4] = [0xF4, 0x8F, 0xBF, 0xBF];

impl OpenPayload {
    /// Returns the largest length of a payload.
    pub(in crate::envelope) fn limit(&self) -> u64 {
        self.limit
    }

    /// Writes the text, which leads to where the parser is, and what no text says.
    pub(in crate::envelope) fn save(&self, out: &mut Writer<'_>) {
        let Self { delimiter, phase, closing, extent, parser, accepts: _, raw, length, limit: _, error, root: _ } =
            self;
        out.number(*delimiter as u64);
        out.byte(*phase as u8);
        closing.save(out);
        if *phase == Phase::Value {
            extent.save(out);
        }
        out.text(raw);
        out.number(*length);
        out.option(error.as_ref(), |out, error| {
            save_error(error, out);
            // The bad byte may be held, as it may begin the closing delimiter.
            out.flag(parser.stopped_by().is_some());
            // A number may have ended at the first byte beyond the limit.
            out.flag(extent.has_ended());
        });
    }

    /// Reads what was saved; a run of backticks is followed no further than `most`.
    pub(in crate::envelope) fn restore(
        &mut self,
        reader: &mut Reader<'_>,
        delimiters: &[Delimiter],
        most: usize,
    ) -> Result<(), Impossible> {
        let place = reader.size()?;
        let delimiter = delimiters.get(place).ok_or(Impossible)?;
        let phase = reader.choice(&PHASES)?;
        self.begin(place, delimiter, Closing::restore(reader, delimiter, most)?);
        self.phase = phase;
        if self.phase == Phase::Value {
            self.extent = Extent::restore(reader)?;
        }
        self.raw = reader.string()?;
        self.length = reader.place()?;
        self.error = reader.option(restore_error)?;
        let is_refused = self.error.is_some() && reader.flag()?;
        let has_ended = if self.error.is_some() { reader.flag()? } else { self.phase == Phase::After };
        Impossible::ensure(!has_ended || matches!(self.phase, Phase::After | Phase::Lost))?;
        if has_ended {
            self.extent = Extent::Ended;
        }
        if self.phase != Phase::Raw {
            self.parse_again(is_refused)?;
        }
        self.settle(delimiter)
    }

    /// The parser, which is new, reads what it has read.
    fn parse_again(&mut self, is_refused: bool) -> Result<(), Impossible> {
        let Self { parser, closing, extent, raw, length, limit, error, .. } = self;
        // What is not kept has been read too: the bad byte, if it may begin the closing delimiter; or, if the limit has
        // cut a character, its first bytes, instead of which any others lead to the same.
        let not_kept = match usize::try_from(limit.saturating_sub(raw.len() as u64)) {
            _ if !is_refused => &[],
            Ok(1..) if raw.len() as u64 == *length => closing.held().as_bytes(),
            Ok(room @ ..3) => &LAST[..room],
            _ => &LAST[..3],
        };
        let mut rest = raw.as_bytes();
        if self.accepts && extent.has_ended() {
            let taken = parser.feed_value_with(rest, |_| {}).map_err(|_| Impossible)?;
            rest = &rest[taken..];
            if parser.is_in_root_number() {
                // White space ends it at its limit on the total too.
                parser.feed_value_with(b" ", |_| {}).map_err(|_| Impossible)?;
            }
        }
        let mut feed = |bytes: &[u8]| parser.feed_dyn(bytes, &mut |_| {});
        let has_stopped = feed(rest).and_then(|()| feed(not_kept)).is_err();
        // Not all that stops it is in the text, and what else may stop it there is another error.
        if let Some(error) = error.clone().filter(|_| is_refused && !(has_stopped && parser.has_deviated())) {
            parser.fail_again(error);
        }
        Impossible::ensure(is_refused || !has_stopped)
    }

    /// Holds the parts against each other.
    fn settle(&self, delimiter: &Delimiter) -> Result<(), Impossible> {
        let Self { phase, closing, extent, parser, raw, length, limit, error, .. } = self;
        let has_all = raw.len() as u64 == *length;
        Impossible::ensure(
            raw.len() as u64 <= (*length).min(*limit)
                && (has_all || error.is_some())
                // A payload that no delimiter closes has not ended; a bare one has begun.
                && match phase {
                    Phase::Value => true,
                    Phase::Before => !delimiter.is_bare(),
                    Phase::After | Phase::Lost | Phase::Raw => !delimiter.closes_itself(),
                }
                && match phase {
                    // Inside the value nobody looks for the end.
                    Phase::Value => closing.held().is_empty() && (error.is_none() || delimiter.closes_itself()),
                    Phase::Lost => error.is_some(),
                    Phase::Before | Phase::After => error.is_none(),
                    Phase::Raw => error.as_ref().is_none_or(|error| error.kind() == ErrorKind::TotalLimit),
                }
                && match delimiter.content {
                    Content::Raw => *phase == Phase::Raw,
                    Content::Json | Content::Led => *phase != Phase::Raw,
                    Content::ByFirstByte => true,
                },
        )?;
        if error.is_some() || *phase == Phase::Raw {
            return Ok(());
        }
        // What has been read is what the parser has read, as far as it is JSON without a deviation.
        let value = raw.trim_start_matches(SPACE.map(char::from));
        let mut again = Extent::default();
        let is_all_value = again.advance(value.as_bytes()) == value.len();
        let is_at_phase = match phase {
            Phase::Before => value.is_empty(),
            // There it is the parser that says where the value ends.
            Phase::Value if self.accepts && !delimiter.closes_itself() => {
                !value.is_empty() && !parser.has_root_ended() && (!parser.is_strict() || again == *extent)
            }
            // A comment may have begun after it.
            _ if self.accepts && !delimiter.closes_itself() => parser.is_done(),
            Phase::Value => !value.is_empty() && is_all_value && again == *extent && !extent.has_ended(),
            // What ended a number may be the delimiter.
            _ => again.has_ended() || again.is_number(),
        };
        let first = value.bytes().next();
        let is_bare_s = match first {
            Some(first) if delimiter.is_bare() => opening::first_bytes(delimiter).contains(&first),
            Some(first) if delimiter.closes_itself() => matches!(first, b'{' | b'['),
            _ => true,
        };
        let is_json = delimiter.content != Content::ByFirstByte || first.is_none_or(|first| first == b'{');
        Impossible::ensure(is_at_phase && is_bare_s && is_json)
    }
}
