//! Saved state of JSON texts: the value or line that is held, and of a value that is too long to be held how its parser
//! goes on.

use std::num::NonZeroUsize;

use jsonspigot::{PatternSet, RestoreErrorKind};

use super::{Reading, Texts, Value, parser};
use crate::saved::{Reader, Writer, possible};

impl Texts {
    pub(in crate::framing) fn save(&self, out: &mut Writer<'_>) {
        let Self { reading, parser, held, value, is_too_long, is_in_list, limit: _ } = self;
        out.number(*reading as u64);
        out.flag(*is_in_list);
        out.flag(*is_too_long);
        out.bytes(held);
        if *is_too_long && *reading == Reading::Value {
            let Value { line: _, is_joined, has_line_begun, may_be_list } = value;
            [is_joined, has_line_begun, may_be_list].into_iter().for_each(|flag| out.flag(*flag));
            out.bytes(&parser.save());
        }
    }

    pub(in crate::framing) fn restore(reader: &mut Reader<'_>, limit: NonZeroUsize) -> Result<Self, RestoreErrorKind> {
        let reading = match reader.number()? {
            0 => Reading::Between,
            1 => Reading::Value,
            2 => Reading::Line,
            _ => return Err(RestoreErrorKind::Impossible),
        };
        let (is_in_list, is_too_long, held) = (reader.flag()?, reader.flag()?, reader.bytes()?);
        possible(held.len() <= limit.get() && (!is_too_long || held.is_empty()))?;
        let mut new = Self { is_in_list, ..Self::new(limit) };
        match reading {
            Reading::Between => possible(held.is_empty() && !is_too_long)?,
            Reading::Line => {
                possible(!held.contains(&b'\n'))?;
                (new.reading, new.held, new.is_too_long) = (Reading::Line, held.to_vec(), is_too_long);
            }
            Reading::Value if is_too_long => {
                let [is_joined, has_line_begun, may_be_list] = [reader.flag()?, reader.flag()?, reader.flag()?];
                new.value = Value { line: 0, is_joined, has_line_begun, may_be_list };
                (new.reading, new.is_too_long) = (Reading::Value, true);
                let restored = parser().restore(&PatternSet::empty(), reader.bytes()?);
                new.parser = restored.map_err(|_| RestoreErrorKind::Impossible)?;
                possible(new.parser.error().is_none() && new.parser.offset() > 0)?;
            }
            Reading::Value => {
                let mut has_told = false;
                new.feed(held, &mut |_| has_told = true);
                possible(!has_told && new.reading == Reading::Value && new.held == held)?;
                possible(new.is_in_list == is_in_list)?;
            }
        }
        Ok(new)
    }
}
