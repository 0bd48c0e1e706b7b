//! Saved state of the message that goes back.
//!
//! It is put together of pieces of JSON text. One of them, a call's input, may be cut anywhere, so it is read as it is:
//! [`Turn::to_json`] looks at the whole before it is given away.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::{Ended, Name, PART_LEN, Part, Shape, Turn, Value};
use crate::calls::Numbered;
use crate::json::Json;

/// The largest number of members of a part that change, or of names around one; by far not as many do.
const MOST_NAMES: usize = 32;

/// The bytes that stand for kinds of values.
const TEXT: u8 = 0;
const LIST: u8 = 1;
const JSON: u8 = 2;

impl Turn {
    /// Writes a message that may have one of these shapes.
    pub(crate) fn save(&self, shapes: &[Shape; 2], out: &mut Writer<'_>) {
        let Self {
            shape,
            own,
            parts,
            next,
            calls,
            extras,
            ended,
            ended_len: _,
            pending,
            len,
            most: _,
            is_spoilt,
            has_bad_call,
            is_over,
            spoils_next,
        } = self;
        out.flag(*shape != shapes[0]);
        own.save(out);
        out.number(parts.len() as u64);
        for (place, part) in parts.iter() {
            out.number(place);
            part.save(out);
        }
        out.number(*next);
        out.text(calls);
        out.number(extras.len() as u64);
        for (call, extra) in extras.iter() {
            out.number(call);
            out.text(extra);
        }
        out.number(ended.len() as u64);
        for Ended { id, name, input, is_client_s } in ended {
            [id, name, input].into_iter().for_each(|text| out.text(text));
            out.flag(*is_client_s);
        }
        out.option(*pending, Writer::number);
        out.number(*len as u64);
        [is_spoilt, has_bad_call, is_over, spoils_next].into_iter().for_each(|flag| out.flag(*flag));
    }

    /// Reads what was saved into a message that is new.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>, shapes: &[Shape; 2]) -> Result<(), Impossible> {
        self.shape = shapes[usize::from(reader.flag()?)];
        self.own = Part::restore(reader)?;
        self.parts = numbered(reader, Part::restore)?;
        self.next = reader.number()?;
        self.calls = reader.string()?;
        self.extras = numbered(reader, Reader::string)?;
        for _ in 0..reader.count()? {
            let [id, name, input] = [reader.string()?, reader.string()?, reader.string()?];
            self.ended.push(Ended { id, name, input, is_client_s: reader.flag()? });
        }
        let lens =
            self.ended.iter().map(|Ended { id, name, input, .. }| id.len() + name.len() + input.len() + PART_LEN);
        self.ended_len = lens.sum();
        self.pending = reader.option(Reader::number)?;
        self.len = reader.size()?;
        (self.is_spoilt, self.has_bad_call) = (reader.flag()?, reader.flag()?);
        (self.is_over, self.spoils_next) = (reader.flag()?, reader.flag()?);
        let extras = self.extras.iter().all(|(_, extra)| is_json(&["{\"\":0", extra, "}"]));
        Impossible::ensure(extras && is_json(&["[", &self.calls, "]"]))
    }
}

/// Values by numbers, which ascend.
fn numbered<'r, T>(
    reader: &mut Reader<'r>,
    read: impl Fn(&mut Reader<'r>) -> Result<T, Impossible>,
) -> Result<Numbered<T>, Impossible> {
    let mut values = Numbered::default();
    let mut last = None;
    for _ in 0..reader.count()? {
        let number = reader.number()?;
        Impossible::ensure(last.replace(number).is_none_or(|last| last < number))?;
        values.insert(number, read(reader)?);
    }
    Ok(values)
}

fn is_json(pieces: &[&str]) -> bool {
    Json::new(&pieces.concat()).is_some()
}

impl Part {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { wrapped, base, changed } = self;
        out.number(wrapped.len() as u64);
        wrapped.iter().for_each(|name| out.text(name));
        out.text(base);
        out.number(changed.len() as u64);
        for (name, value) in changed {
            out.text(name);
            let (kind, text) = match value {
                Value::Text(text) => (TEXT, text),
                Value::List(text) => (LIST, text),
                Value::Json(text) => (JSON, text),
            };
            out.byte(kind);
            out.text(text);
        }
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, Impossible> {
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_NAMES)?;
        let wrapped = (0..count).map(|_| restore_name(reader)).collect::<Result<_, _>>()?;
        let base = reader.string()?;
        Impossible::ensure(base.is_empty() || Json::new(&base).is_some_and(|json| json.spelt() == base))?;
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_NAMES)?;
        let mut changed: Vec<(Name, Value)> = Vec::new();
        for _ in 0..count {
            let name = restore_name(reader)?;
            let kind = reader.byte()?;
            let text: String = reader.string()?;
            let value = match kind {
                TEXT if is_json(&["\"", &text, "\""]) => Value::Text(text),
                LIST if is_json(&["[", &text, "]"]) => Value::List(text),
                JSON => Value::Json(text),
                _ => return Err(Impossible),
            };
            Impossible::ensure(changed.iter().all(|(known, _)| *known != name))?;
            changed.push((name, value));
        }
        Ok(Self { wrapped, base, changed })
    }
}

/// A name that can stand between quotes.
fn restore_name(reader: &mut Reader<'_>) -> Result<Name, Impossible> {
    let name = reader.text()?;
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    Impossible::ensure(is_word)?;
    Ok(Name::Owned(name.to_owned()))
}
