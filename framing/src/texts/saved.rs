//! Saved state of JSON texts: the buffered value or line, or the parser's state if a value is too long to be buffered.

use jsonspigot::{Error, RestoreError};

use super::{Reading, Texts, Value};
use crate::json::parser;
use crate::saved::{Reader, Writer, possible};

impl Texts {
    pub(crate) fn save(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let Self { reading, parser, held, value, is_too_long, is_in_array, limit: _ } = self;
        out.number(*reading as u64);
        out.flag(*is_in_array);
        out.flag(*is_too_long);
        out.bytes(held);
        if *is_too_long && *reading == Reading::Value {
            let Value { line: _, is_joined, has_line_begun, may_be_array } = value;
            [is_joined, has_line_begun, may_be_array].into_iter().for_each(|flag| out.flag(*flag));
            out.bytes(&parser.save()?);
        }
        Ok(())
    }

    pub(crate) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, RestoreError> {
        let reading = match reader.number()? {
            0 => Reading::Between,
            1 => Reading::Value,
            2 => Reading::Line,
            _ => return Err(RestoreError::Impossible),
        };
        let (is_in_array, is_too_long, held) = (reader.flag()?, reader.flag()?, reader.bytes()?);
        possible(held.len() <= limit && (!is_too_long || held.is_empty()))?;
        let mut new = Self { is_in_array, ..Self::new(limit) };
        match reading {
            Reading::Between => possible(held.is_empty() && !is_too_long)?,
            Reading::Line => {
                possible(!held.contains(&b'\n'))?;
                (new.reading, new.held, new.is_too_long) = (Reading::Line, held.to_vec(), is_too_long);
            }
            Reading::Value if is_too_long => {
                let [is_joined, has_line_begun, may_be_array] = [reader.flag()?, reader.flag()?, reader.flag()?];
                new.value = Value { line: 0, is_joined, has_line_begun, may_be_array };
                (new.reading, new.is_too_long) = (Reading::Value, true);
                let restored = parser().build().restore(reader.bytes()?);
                new.parser = restored.map_err(|_| RestoreError::Impossible)?;
                possible(new.parser.error().is_none() && new.parser.offset() > 0)?;
            }
            Reading::Value => {
                let mut has_frames = false;
                new.feed(held, &mut |_| has_frames = true);
                possible(!has_frames && new.reading == Reading::Value && new.held == held)?;
                possible(new.is_in_array == is_in_array)?;
            }
        }
        Ok(new)
    }
}
