//! Edits JSON texts, one after the other, on one line or several, or the elements of an array.
//!
//! A parser finds the end of a text. If a text turns out not to be JSON, the lines before the line with the bad byte
//! are unreadable, and reading continues with that line, as in [`Texts`](crate::texts::Texts). A line that starts with
//! anything but a bracket or brace is unreadable up to its first brace; the rest of it is a text, JSON or not.

use alloc::vec::Vec;
use core::mem;

use jsonspigot::{Error, Parser, ParserBuilder};

use super::Pass;
use crate::frame::Frame;
use crate::json::parser;
use crate::saved::{Impossible, Reader, Writer};

#[derive(Clone, Debug)]
pub(super) struct Values {
    place: Place,
    /// The open text so far.
    value: Vec<u8>,
    parser: Parser,
    /// True inside an array whose elements are the texts.
    is_in_array: bool,
    /// True if the open text is too long, so that it is left out.
    is_left_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Between,
    /// After the bracket that a text starts with, which may start an array of events.
    Bracket,
    Value,
    /// In the rest of a line, which is a text but may not be JSON.
    RestOfLine,
    /// In input that is not a text, up to the end of the line or element.
    Other,
}

const PLACES: [Place; 5] = [Place::Between, Place::Bracket, Place::Value, Place::RestOfLine, Place::Other];

impl Default for Values {
    fn default() -> Self {
        let parser = builder().build();
        Self { place: Place::Between, value: Vec::new(), parser, is_in_array: false, is_left_out: false }
    }
}

fn builder() -> ParserBuilder {
    parser().stop_at_root()
}

impl Values {
    pub(super) fn feed(&mut self, chunk: &[u8], pass: &mut Pass<'_>) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let used = match self.place {
                Place::Between => self.between(rest, pass),
                Place::Bracket => self.bracket(rest, pass),
                Place::Value => self.value(rest, pass),
                Place::RestOfLine => {
                    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.keep(&rest[..line], pass);
                    if line < rest.len() {
                        self.end(true, pass);
                    }
                    line
                }
                Place::Other => {
                    let is_end = |byte: &u8| match byte {
                        b'\n' | b'{' => true,
                        b',' | b']' => self.is_in_array,
                        _ => false,
                    };
                    let end = rest.iter().position(is_end).unwrap_or(rest.len());
                    self.keep(&rest[..end], pass);
                    if let Some(byte) = rest.get(end) {
                        self.end(true, pass);
                        if *byte == b'{' && !self.is_in_array {
                            self.place = Place::RestOfLine;
                        }
                    }
                    end
                }
            };
            rest = &rest[used..];
        }
    }

    /// Passes on the bytes between texts. Returns the number of bytes consumed.
    fn between(&mut self, rest: &[u8], pass: &mut Pass<'_>) -> usize {
        let mut used = 0;
        for byte in rest {
            match byte {
                b'[' if !self.is_in_array => {
                    self.place = Place::Bracket;
                    self.value.push(b'[');
                    pass.pass(&rest[..used]);
                    return used + 1;
                }
                b'{' | b'[' => {
                    self.place = Place::Value;
                    self.parser.reset();
                    break;
                }
                b']' if self.is_in_array => self.is_in_array = false,
                b',' if self.is_in_array => {}
                _ if byte.is_ascii_whitespace() => {}
                _ => {
                    self.place = Place::Other;
                    break;
                }
            }
            used += 1;
        }
        pass.pass(&rest[..used]);
        used
    }

    /// Decides by the byte after a bracket what it starts. Returns the number of bytes consumed.
    fn bracket(&mut self, rest: &[u8], pass: &mut Pass<'_>) -> usize {
        let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.keep(&rest[..space], pass);
        if space == rest.len() || self.is_left_out {
            self.place = if self.is_left_out { Place::RestOfLine } else { Place::Bracket };
            return space;
        }
        self.parser.reset();
        self.place = Place::Value;
        if rest[space] == b'{' {
            // An array whose elements are the texts.
            pass.pass(&mem::take(&mut self.value));
            self.is_in_array = true;
        } else if self.parser.feed(&self.value).check().is_err() {
            self.place = Place::RestOfLine;
        }
        space
    }

    /// Continues a value. Returns the number of bytes consumed.
    fn value(&mut self, rest: &[u8], pass: &mut Pass<'_>) -> usize {
        let start = self.parser.offset();
        let fed = self.parser.feed(rest).check();
        let used = fed.as_ref().map_or_else(jsonspigot::Error::offset, |()| self.parser.offset()) - start;
        let used = usize::try_from(used).unwrap_or(rest.len());
        self.keep(&rest[..used], pass);
        if fed.is_err() {
            self.give_up(pass);
        } else if self.parser.is_complete() {
            self.end(true, pass);
        }
        used
    }

    /// Gives up a value that is not JSON because of the next byte.
    fn give_up(&mut self, pass: &mut Pass<'_>) {
        self.place = Place::RestOfLine;
        if let Some(line) = self.value.iter().rposition(|byte| *byte == b'\n') {
            let again = self.value.split_off(line);
            self.end(false, pass);
            // There is no other line feed in these bytes, so this recurses only once.
            self.feed(&again, pass);
        }
    }

    fn keep(&mut self, piece: &[u8], pass: &mut Pass<'_>) {
        if self.is_left_out {
            return;
        }
        self.value.extend_from_slice(piece);
        if self.value.len() > pass.limit {
            self.value = Vec::new();
            self.is_left_out = true;
            let _ = (pass.edit)(Frame::TooLong);
        }
    }

    fn end(&mut self, is_whole: bool, pass: &mut Pass<'_>) {
        let place = mem::replace(&mut self.place, Place::Between);
        let value = mem::take(&mut self.value);
        if mem::take(&mut self.is_left_out) || value.is_empty() {
            return;
        }
        match pass.edited(&value, is_whole && place != Place::Other) {
            None => pass.pass(&value),
            Some(edited) => pass.pass(edited.as_bytes()),
        }
    }

    pub(super) fn finish(&mut self, pass: &mut Pass<'_>) {
        self.end(false, pass);
    }

    pub(super) fn save(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.byte(self.place as u8);
        out.bytes(&self.value);
        out.flag(self.is_in_array);
        out.flag(self.is_left_out);
        if self.place == Place::Value {
            out.bytes(&self.parser.save()?);
        }
        Ok(())
    }

    pub(super) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let mut restored = Self { place: reader.choice(&PLACES)?, ..Self::default() };
        restored.value = reader.bytes()?.to_vec();
        restored.is_in_array = reader.flag()?;
        restored.is_left_out = reader.flag()?;
        if restored.place == Place::Value {
            let saved = reader.bytes()?;
            restored.parser = builder().build().restore(saved).map_err(|_| Impossible)?;
        }
        let is_empty = restored.value.is_empty();
        Impossible::ensure(restored.value.len() <= limit && (is_empty || !restored.is_left_out))?;
        Impossible::ensure(match restored.place {
            Place::Between => is_empty && !restored.is_left_out,
            Place::Bracket => !is_empty && !restored.is_in_array,
            Place::Value | Place::RestOfLine | Place::Other => true,
        })?;
        Ok(restored)
    }
}
