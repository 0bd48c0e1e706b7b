//! Saved state of JSON texts: the buffered value or line, or the parser's state if a value is too long to be buffered.

use jsonspigot::Error;

use super::{Reading, Texts, Value};
use crate::json::parser;
use crate::saved::{Impossible, Reader, Writer};

impl Texts {
    pub(crate) fn save(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let Self { reading, parser, held, value, is_too_long, is_in_array, limit: _ } = self;
        out.byte(*reading as u8);
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

    pub(crate) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let reading = reader.choice(&[Reading::Between, Reading::Value, Reading::Line])?;
        let (is_in_array, is_too_long, held) = (reader.flag()?, reader.flag()?, reader.bytes()?);
        Impossible::ensure(held.len() <= limit && (!is_too_long || held.is_empty()))?;
        let mut new = Self { is_in_array, ..Self::new(limit) };
        match reading {
            Reading::Between => Impossible::ensure(held.is_empty() && !is_too_long)?,
            Reading::Line => {
                Impossible::ensure(!held.contains(&b'\n'))?;
                (new.reading, new.held, new.is_too_long) = (Reading::Line, held.to_vec(), is_too_long);
            }
            Reading::Value if is_too_long => {
                let [is_joined, has_line_begun, may_be_array] = [reader.flag()?, reader.flag()?, reader.flag()?];
                new.value = Value { line: 0, is_joined, has_line_begun, may_be_array };
                (new.reading, new.is_too_long) = (Reading::Value, true);
                let restored = parser().build().restore(reader.bytes()?);
                new.parser = restored.map_err(|_| Impossible)?;
                Impossible::ensure(new.parser.error().is_none() && new.parser.offset() > 0)?;
            }
            Reading::Value => {
                let mut has_frames = false;
                new.feed(held, &mut |_| has_frames = true);
                Impossible::ensure(!has_frames && new.reading == Reading::Value && new.held == held)?;
                Impossible::ensure(new.is_in_array == is_in_array)?;
            }
        }
        Ok(new)
    }
}
