//! JSON texts, one after the other, on one line or several, or the elements of an array.
//!
//! Only brackets and quotes are looked at, to find where a text ends: whether it is JSON is up to who edits it. A line that
//! begins with anything else passes up to its first brace, and the rest of it is a text.

use std::mem;

use jsonspigot::RestoreErrorKind;

use super::Pass;
use crate::frame::Frame;
use crate::saved::{Reader, Writer, possible};

#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// The open text so far.
    value: Vec<u8>,
    /// The number of its open brackets.
    depth: u64,
    place: Place,
    /// True in an array whose elements are the texts.
    is_in_array: bool,
    /// True if the open text is too long: it is left out.
    is_left_out: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Between texts, or outside the strings of one.
    #[default]
    Outside,
    /// After the bracket that a text begins with, which may be that of an array of events.
    Bracket,
    InString,
    AfterBackslash,
    /// In a line that is no text.
    OtherLine,
}

const PLACES: [Place; 5] = [Place::Outside, Place::Bracket, Place::InString, Place::AfterBackslash, Place::OtherLine];

impl Values {
    pub(super) fn feed(&mut self, chunk: &[u8], pass: &mut Pass<'_>) {
        // What passes as it is goes in one piece.
        let mut from = 0;
        for (at, byte) in chunk.iter().enumerate() {
            if self.value.is_empty() && !self.is_left_out {
                let begins = matches!((self.place, byte), (Place::Outside, b'{' | b'[') | (Place::OtherLine, b'{'));
                if !begins {
                    self.read_between(*byte);
                    continue;
                }
                pass.pass(&chunk[from..at]);
            }
            self.read(*byte, pass);
            from = at + 1;
        }
        pass.pass(&chunk[from..]);
    }

    /// A byte that is in no text.
    fn read_between(&mut self, byte: u8) {
        match byte {
            b'\n' => self.place = Place::Outside,
            b']' if self.is_in_array => self.is_in_array = false,
            _ if self.is_in_array || byte.is_ascii_whitespace() => {}
            _ => self.place = Place::OtherLine,
        }
    }

    /// A byte of a text.
    fn read(&mut self, byte: u8, pass: &mut Pass<'_>) {
        if self.place == Place::OtherLine && byte == b'\n' {
            self.end(true, pass);
            self.place = Place::Outside;
            return pass.pass(b"\n");
        }
        if self.place == Place::Bracket && !byte.is_ascii_whitespace() {
            self.place = Place::Outside;
            if byte == b'{' {
                // The elements are the texts.
                pass.pass(&mem::take(&mut self.value));
                (self.depth, self.is_in_array) = (0, true);
            }
        }
        let is_first = self.value.is_empty() && !self.is_left_out;
        if !self.is_left_out {
            self.value.push(byte);
        }
        if self.value.len() > pass.limit {
            self.value = Vec::new();
            self.is_left_out = true;
            let _ = (pass.edit)(Frame::TooLong);
        }
        if self.place == Place::OtherLine {
            return;
        }
        self.place = match (self.place, byte) {
            (Place::InString, b'"') => Place::Outside,
            (Place::InString, b'\\') => Place::AfterBackslash,
            (Place::InString | Place::AfterBackslash, _) => Place::InString,
            (_, b'"') => Place::InString,
            (Place::Outside, b'[') if is_first && !self.is_in_array => Place::Bracket,
            (place, _) => place,
        };
        if matches!(self.place, Place::Outside | Place::Bracket) {
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth == 0 {
                self.place = Place::Outside;
                self.end(true, pass);
            }
        }
    }

    fn end(&mut self, is_whole: bool, pass: &mut Pass<'_>) {
        let value = mem::take(&mut self.value);
        if mem::take(&mut self.is_left_out) || value.is_empty() {
            return;
        }
        match pass.edited(&value, is_whole) {
            None => pass.pass(&value),
            Some(edited) => pass.pass(edited.as_bytes()),
        }
    }

    pub(super) fn finish(&mut self, pass: &mut Pass<'_>) {
        self.end(false, pass);
    }

    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.bytes(&self.value);
        out.number(self.depth);
        out.number(self.place as u64);
        out.flag(self.is_in_array);
        out.flag(self.is_left_out);
    }

    pub(super) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, RestoreErrorKind> {
        let value = reader.bytes()?.to_vec();
        let depth = reader.number()?;
        let place = usize::try_from(reader.number()?).ok().and_then(|place| PLACES.get(place).copied());
        let place = place.ok_or(RestoreErrorKind::Impossible)?;
        let (is_in_array, is_left_out) = (reader.flag()?, reader.flag()?);
        let restored = Self { value, depth, place, is_in_array, is_left_out };
        let is_open = !restored.value.is_empty() || is_left_out;
        possible(restored.value.len() <= limit)?;
        possible(match place {
            Place::OtherLine => depth == 0,
            Place::Outside => is_open == (depth > 0),
            Place::Bracket | Place::InString | Place::AfterBackslash => is_open && depth > 0,
        })?;
        Ok(restored)
    }
}
