//! Saved state: what the tokenizer remembers between two chunks, as far as the state that it is in has a use for it.
//!
//! Who follows what is not saved. The layers above know it, and say so again: see [`Tokenizer::follow`].

use alloc::vec::Vec;
use core::ops::Range;

use super::escape::OpenEscape;
use super::literal::OpenLiteral;
use super::nest::Nest;
use super::number::OpenNumber;
use super::string::OpenString;
use super::utf8::Utf8Carry;
use super::{Interest, Leniency, Limits, Sink, Skipped, State, Tokenizer, ValueKind};
use crate::error::{Deviation, DeviationKind, Fault};
use crate::saved::{FARTHEST, Impossible, Reader, Writer};

/// What is open between two chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// No value that has begun and is no container.
    Between,
    /// The same after a key, whose value has not begun.
    AfterKey,
    /// A key.
    Key,
    /// A string that is a value.
    String,
    Atom(ValueKind),
    /// Nothing more is read.
    Closed,
}

impl State {
    /// By their places in the declaration.
    pub(super) const ALL: [Self; 15] = [
        Self::Value,
        Self::FirstElement,
        Self::FirstKey,
        Self::NextKey,
        Self::Colon,
        Self::AfterValue,
        Self::Done,
        Self::String,
        Self::Escape,
        Self::Utf8,
        Self::Number,
        Self::Literal,
        Self::Unexpected,
        Self::Lenient,
        Self::Closed,
    ];
}

/// Whether the state is one between two tokens.
pub(super) fn is_between(state: State) -> bool {
    use State::{AfterValue, Colon, Done, FirstElement, FirstKey, NextKey, Value};
    matches!(state, Value | FirstElement | FirstKey | NextKey | Colon | AfterValue | Done)
}

impl Tokenizer {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        out.byte(self.state as u8);
        out.number(self.offset);
        out.number(self.lines);
        // A chunk that has failed counts to its lines, but not to the offset.
        out.number(self.offset.saturating_sub(self.line_start));
        if self.state == State::Closed {
            return;
        }
        self.nest.save(out);
        match self.state {
            State::String => self.save_string(out),
            State::Escape => {
                self.save_string(out);
                self.escape.save(out);
            }
            State::Utf8 => {
                self.save_string(out);
                self.carry.save(out);
            }
            State::Number => {
                self.number.save(out, self.offset, &self.limits);
                out.text(&self.scratch);
            }
            State::Literal => self.literal.save(out),
            State::Lenient => self.save_lenient(out),
            _ => {}
        }
    }

    pub(super) fn save_string(&self, out: &mut Writer<'_>) {
        self.string.save(out, self.offset, &self.limits);
        if self.string.is_key() {
            out.text(&self.scratch);
        }
    }

    /// Reads what was saved into a tokenizer that is new. Nothing is followed until [`follow`](Self::follow) says so.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let (limits, leniency) = (self.limits, self.leniency());
        let read = self;
        read.state = reader.choice(&State::ALL)?;
        read.offset = reader.at_most(limits.total.min(FARTHEST))?;
        read.lines = reader.place()?;
        read.line_start = read.offset - reader.at_most(read.offset)?;
        if read.state == State::Closed {
            return Ok(());
        }
        // Each line feed that was counted lies before the line's start.
        Impossible::unless(read.lines <= read.line_start && (read.lines > 0 || read.line_start == 0))?;
        read.nest = Nest::restore(reader, limits.depth)?;
        let token = match read.state {
            State::String => {
                read.restore_string(reader)?;
                1
            }
            State::Escape => {
                read.restore_string(reader)?;
                read.escape = OpenEscape::restore(reader)?;
                1 + read.escape.len()
            }
            State::Utf8 => {
                read.restore_string(reader)?;
                read.carry = Utf8Carry::restore(reader)?;
                1 + read.carry.len() as u64
            }
            State::Number => {
                read.number = OpenNumber::restore(reader, read.offset, &limits)?;
                read.scratch = reader.string()?;
                read.scratch.len().max(1) as u64
            }
            State::Literal => {
                read.literal = OpenLiteral::restore(reader)?;
                read.literal.len()
            }
            State::Lenient => {
                read.restore_lenient(reader, leniency)?;
                1
            }
            State::Unexpected => return Err(Impossible),
            _ => 0,
        };
        let state = if read.state == State::Lenient && !read.is_in_token() { read.interrupted } else { read.state };
        Impossible::unless(read.fits_nest(state) && read.offset >= token + read.nest.depth() as u64)?;
        Ok(())
    }

    pub(super) fn restore_string(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.string = OpenString::restore(reader, self.offset, &self.limits)?;
        let is_single_quoted = self.string.room == 0;
        Impossible::unless(!is_single_quoted || self.allows(DeviationKind::SingleQuotes))?;
        if self.string.is_key() {
            self.scratch = reader.string()?;
        }
        Impossible::unless(self.scratch.len() as u64 <= 2 * self.offset)
    }

    fn is_in_token(&self) -> bool {
        matches!(self.position(), Position::Key | Position::String | Position::Atom(_))
    }

    /// Whether nothing but white space has come.
    pub(crate) fn is_before_root(&self) -> bool {
        self.state == State::Value && self.nest.depth() == 0
    }

    /// Whether it is inside what surely is a deviation.
    pub(crate) fn is_deviating(&self) -> bool {
        let in_string = matches!(self.state, State::String | State::Escape | State::Utf8);
        in_string && self.string.room == 0 || self.state == State::Lenient && self.left_undecided().is_none()
    }

    /// Whether the root has closed, whatever follows it.
    pub(crate) fn is_after_root(&self) -> bool {
        self.state == State::Done
            || self.state == State::Lenient && !self.is_in_token() && self.interrupted == State::Done
    }

    /// Whether the innermost container has such a state.
    fn fits_nest(&self, state: State) -> bool {
        let (depth, in_object) = (self.nest.depth(), self.nest.depth() > 0 && self.nest.in_object());
        match state {
            State::FirstElement => depth > 0 && !in_object,
            State::FirstKey | State::NextKey | State::Colon => in_object,
            State::AfterValue => depth > 0,
            State::Done => depth == 0 && self.offset > 0,
            _ => self.position() != Position::Key || in_object,
        }
    }

    /// What is open between two chunks.
    pub(crate) fn position(&self) -> Position {
        match self.state {
            State::String | State::Escape | State::Utf8 if self.string.is_key() => Position::Key,
            State::String | State::Escape | State::Utf8 => Position::String,
            State::Number => Position::Atom(ValueKind::Number),
            State::Literal => Position::Atom(self.literal.kind()),
            State::Lenient => self.lenient_position(),
            State::Closed => Position::Closed,
            between => self.position_in(between),
        }
    }

    pub(super) fn position_in(&self, between: State) -> Position {
        match between {
            State::Colon => Position::AfterKey,
            State::Value if self.nest.depth() > 0 && self.nest.in_object() => Position::AfterKey,
            _ => Position::Between,
        }
    }

    /// The open containers.
    pub(crate) fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Says what is followed of a state that was read: all but what is skipped, and the open string
    /// or atom.
    pub(crate) fn follow(&mut self, skipped: Skipped, follows_value: bool) -> Result<(), Impossible> {
        self.skipped = skipped;
        let is_followed = self.is_followed();
        match self.position() {
            Position::Key => {
                self.string.is_followed = is_followed;
                Impossible::unless(is_followed || self.scratch.is_empty())
            }
            Position::String => {
                self.string.is_followed = is_followed && follows_value;
                Ok(())
            }
            Position::Atom(_) => {
                let is_followed = is_followed && follows_value;
                match self.state {
                    State::Number => self.number.follow(is_followed, &self.scratch)?,
                    State::Literal => self.literal.follow(is_followed),
                    _ => self.follow_word(is_followed),
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether the open atom may be told as one of this kind: `-Infinity` was told to begin as a number, and is null.
    pub(crate) fn may_be_told_as(&self, kind: ValueKind) -> bool {
        match self.position() {
            Position::String => kind == ValueKind::String,
            Position::Atom(own) => own == kind,
            _ => false,
        }
    }
}

/// What has been kept of a text, held against the state that its tokenizer is in.
impl Tokenizer {
    /// Whether `text` leads there from the beginning of the container at `depth`, or of the string or atom inside, without
    /// any deviation that has ended. `starts` are places in it where values begin that are still open, each with how many
    /// containers are around it.
    pub(crate) fn has_come_through(
        &self,
        text: &[u8],
        depth: usize,
        starts: impl Iterator<Item = (usize, u64)>,
    ) -> bool {
        let limits = Limits::new().depth(usize::MAX);
        let mut again = Self::new(limits, self.leniency());
        let mut open = OpenStarts::default();
        // The reader of tokens that texts inside strings have is one more only in the source.
        let mut sink = &mut open as &mut dyn Sink;
        if again.feed(text, &mut sink).is_err() {
            return false;
        }
        // A number that a comment may have ended: the comment is not kept.
        let is_ended = self.allows(DeviationKind::Comments)
            && again.state == State::Number
            && !matches!(self.position(), Position::Atom(_));
        if is_ended && again.feed(b" ", &mut sink).is_err() || open.is_rewritten {
            return false;
        }
        let begins = |place: usize| place.checked_sub(depth).and_then(|place| open.starts.get(place));
        let mut starts = starts;
        again.resembles(self, depth) && starts.all(|(place, start)| begins(place) == Some(&start))
    }

    /// Whether `text` is one complete text, without any deviation, however deep it is.
    pub(crate) fn takes_all(text: &[u8]) -> bool {
        let mut tokenizer = Self::new(Limits::new().depth(usize::MAX), Leniency::NONE);
        let mut open = OpenStarts::default();
        let mut sink = &mut open as &mut dyn Sink;
        tokenizer.feed(text, &mut sink).and_then(|()| tokenizer.finish(&mut sink)).is_ok()
    }

    /// Whether this tokenizer is where another one is, apart from the outermost containers of that one.
    fn resembles(&self, other: &Self, depth: usize) -> bool {
        let is_comment = |it: &Self| it.state == State::Lenient && !it.is_in_token() && it.left_undecided().is_none();
        let state = |it: &Self| match it.state {
            _ if is_comment(it) => it.interrupted,
            // What is kept of it has a quote in front.
            State::Lenient if it.is_in_bare_key() => State::String,
            state => state,
        };
        let (nest, own_state) = (&other.nest, state(self));
        if own_state != state(other) {
            return false;
        }
        let is_same_token = match own_state {
            State::Escape => self.escape == other.escape,
            State::Utf8 => self.carry == other.carry,
            State::Number => self.number.is_at(&other.number),
            State::Literal => self.literal.is_at(&other.literal),
            State::Lenient => self.is_in_same_deviation(other),
            _ => true,
        };
        let in_string = matches!(own_state, State::String | State::Escape | State::Utf8);
        is_same_token
            && self.position() == other.position()
            && (!in_string || self.string.is_key() == other.string.is_key())
            && nest.depth().checked_sub(depth) == Some(self.nest.depth())
            && (0..self.nest.depth()).all(|place| self.nest.is_object(place) == nest.is_object(place + depth))
    }
}

/// Where the values begin that are open.
#[derive(Default)]
struct OpenStarts {
    starts: Vec<u64>,
    is_rewritten: bool,
}

impl Sink for OpenStarts {
    fn begin_container(&mut self, _: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.starts.push(at);
        Ok(Interest::Follow)
    }

    fn end_container(&mut self, _: ValueKind, _: u64) {
        self.starts.pop();
    }

    fn key(&mut self, _: &str, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Follow)
    }

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        self.starts.push(at);
        Ok(Interest::Skip)
    }

    fn text(&mut self, _: &str, _: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn end_string(&mut self, _: u64) {
        self.starts.pop();
    }

    fn begin_atom(&mut self, _: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.starts.push(at);
        Ok(Interest::Follow)
    }

    fn end_atom(&mut self, _: &str, _: u64) -> Result<(), Fault> {
        self.starts.pop();
        Ok(())
    }

    fn deviation(&mut self, _: &Fault, _: Deviation) {}

    fn rewrite(&mut self, _: Range<u64>, _: &str, _: u64) {
        self.is_rewritten = true;
    }

    fn drop_comma(&mut self, _: u64, _: u64) {
        self.is_rewritten = true;
    }

    fn number_is_null(&mut self) {}
}
