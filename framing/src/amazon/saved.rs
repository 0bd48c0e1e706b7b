//! Saved state of Amazon's event stream: the bytes of the open message, or the number of them that are still to be
//! skipped.

use super::{CHECKSUM, Lengths, MOST_HEADERS, Messages, PRELUDE};
use crate::saved::{Impossible, Reader, Writer};

impl Messages {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { held, start, lengths, passing, is_lost, limit: _ } = self;
        out.number(*start);
        out.flag(*is_lost);
        out.number(*passing as u64);
        if let Some(lengths) = lengths.filter(|_| *passing > 0) {
            out.number(lengths.total as u64);
            out.number(lengths.headers as u64);
        }
        out.bytes(if *is_lost { &[] } else { held });
    }

    pub(crate) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let mut new = Self { start: reader.place()?, ..Self::new(limit) };
        let (is_lost, passing) = (reader.flag()?, reader.size()?);
        if passing > 0 {
            let lengths = Lengths { total: reader.size()?, headers: reader.size()? };
            let rest = lengths.total.checked_sub(PRELUDE + CHECKSUM).ok_or(Impossible)?;
            Impossible::ensure(u32::try_from(lengths.total).is_ok() && lengths.headers <= rest.min(MOST_HEADERS))?;
            Impossible::ensure(lengths.payload() > limit && passing <= lengths.total - PRELUDE)?;
            (new.lengths, new.passing) = (Some(lengths), passing);
        }
        let held = reader.bytes()?;
        Impossible::ensure(held.is_empty() || !is_lost && passing == 0)?;
        let mut has_frames = false;
        if !held.is_empty() {
            new.feed(held, &mut |_| has_frames = true);
        }
        Impossible::ensure(!has_frames && new.held == held)?;
        new.is_lost = is_lost;
        Ok(new)
    }
}
