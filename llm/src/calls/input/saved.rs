//! Saved state of a call's input: its text, which leads to all else.

use jsonspigot::internal::saved::{Impossible, Reader, Writer, restore_error, save_error};
use jsonspigot::{Error, ErrorKind};

use super::{Input, InputReader};
use crate::calls::options::Options;
use crate::calls::values::ValueWriter;

/// The bytes that stand for kinds of inputs.
const UNTOUCHED: u8 = 0;
const TEXT: u8 = 1;
const JSON: u8 = 2;
const VALUES: u8 = 3;
/// Values by path, the last of which was out of order. No text says so, so the error comes with it.
const OUT_OF_ORDER: u8 = 4;

impl Input {
    /// Returns the length of the raw text.
    pub(in crate::calls) fn raw_len(&self) -> usize {
        self.raw_bytes().len()
    }

    /// Writes the input of a call with this name.
    pub(in crate::calls) fn save(&self, options: &Options, name: &str, out: &mut Writer<'_>) {
        match self {
            Self::Untouched => return out.byte(UNTOUCHED),
            Self::Text(_) => out.byte(TEXT),
            Self::Open(reader) => reader.save(None, options, name, out),
            Self::Apart { error, reader, .. } => {
                let error = error.as_ref().filter(|error| error.kind() == ErrorKind::OutOfOrder);
                reader.save(error, options, name, out);
            }
        }
        out.text(self.raw());
    }

    /// Reads what was saved.
    pub(in crate::calls) fn restore(
        reader: &mut Reader<'_>,
        options: &Options,
        name: &str,
    ) -> Result<Self, Impossible> {
        let form = reader.byte()?;
        if let UNTOUCHED | TEXT = form {
            return Ok(if form == TEXT { Self::Text(reader.string()?) } else { Self::Untouched });
        }
        let patterns = options.patterns_of(if reader.flag()? { name } else { "" });
        let mut input = match form {
            JSON => Self::json(options.parser.clone(), patterns),
            VALUES | OUT_OF_ORDER => Self::values(options.parser.clone(), patterns),
            _ => return Err(Impossible),
        };
        let error = if form == OUT_OF_ORDER { Some(restore_error(reader)?) } else { None };
        let text = reader.text()?;
        input.read(text, &mut |_| {});
        if let Self::Open(reader) | Self::Apart { reader, .. } = &mut input
            && let Some(values) = &mut reader.values
        {
            **values = ValueWriter::after(text).ok_or(Impossible)?;
        }
        if let Some(error) = error {
            let Self::Open(reader) = &mut input else { return Err(Impossible) };
            Impossible::ensure(error.kind() == ErrorKind::OutOfOrder && error.offset() == text.len() as u64)?;
            reader.parser.fail_again(error);
            input.read("", &mut |_| {});
        }
        Ok(input)
    }
}

impl InputReader {
    fn save(&self, error: Option<&Error>, options: &Options, name: &str, out: &mut Writer<'_>) {
        out.byte(match (&self.values, error) {
            (None, _) => JSON,
            (Some(_), None) => VALUES,
            (Some(_), Some(_)) => OUT_OF_ORDER,
        });
        // The name may have come after the first fragment, for which the patterns were chosen.
        out.flag(self.parser.patterns().digest() == options.patterns_of(name).digest());
        if let Some(error) = error {
            save_error(error, out);
        }
    }
}
