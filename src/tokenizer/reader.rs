//! Reads JSON's structure (RFC 8259 §2): white space, brackets, commas, colons, and the first byte of every key and
//! value.
//!
//! [`Reader::run`] is the loop. Each step falls through to the one that usually follows it, so most steps need no
//! dispatch on the state. A string or number that a chunk's end has cut is resumed by the same steps.
//!
//! Skipped values and unwanted members are read by the same loop with a [`SkipSink`], which reports nothing.

use core::convert::Infallible;

use super::number::number_end;
use super::utf8::ascii_text;
use super::{
    AfterRoot, Interest, KeyFilter, Limits, Read, Role, Sink, SkipSink, Skipped, State, Stops, Tokenizer, ValueKind,
};
use crate::error::{ErrorKind, Fault};

/// The number of remaining bytes from which skipped values and unwanted members are read by a separate loop; small in
/// unit tests.
const LONG: usize = if cfg!(test) { 16 } else { 256 };

/// The state of reading one chunk. `state` and `pos` are variables of the loop; the tokenizer's own are current before
/// and after it. `SKIPS` is true if the sink is a [`SkipSink`].
pub(super) struct Reader<'r, 'c, S: ?Sized, const SKIPS: bool> {
    pub(super) tokenizer: &'r mut Tokenizer,
    pub(super) stops: &'r mut Stops<'c>,
    pub(super) sink: &'r mut S,
    pub(super) state: State,
    pub(super) pos: usize,
    /// A copy of the tokenizer's limits for a [`SkipSink`], whose loop checks them often enough to be worth it.
    limits: Limits,
    /// True if white space is unlimited, so that it is not counted.
    passes_blanks: bool,
}

/// The reason why the loop ended.
pub(super) enum Ended {
    /// The chunk has ended, or the rest is left to another sink or to the caller.
    Here,
    Failed(Fault),
}

impl From<Fault> for Ended {
    #[inline(always)]
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// The result of a step of the loop: whether to continue.
pub(super) type Step = Result<(), Ended>;

impl Tokenizer {
    /// Reads a chunk from `pos` on. Returns the place after the last byte that was read.
    #[inline(always)]
    pub(super) fn read<S: Sink + ?Sized, const SKIPS: bool>(
        &mut self,
        stops: &mut Stops<'_>,
        pos: usize,
        sink: &mut S,
    ) -> Read {
        let limits = if SKIPS { *self.limits } else { Limits::new() };
        let passes_blanks = !SKIPS && self.limits.blank == u64::MAX;
        let state = self.state;
        let mut reader = Reader::<S, SKIPS> { tokenizer: self, stops, sink, state, pos, limits, passes_blanks };
        let Err(ended) = reader.run();
        let (state, pos) = (reader.state, reader.pos);
        self.state = state;
        match ended {
            Ended::Here => Ok(pos),
            Ended::Failed(fault) => Err(fault),
        }
    }

    #[inline(never)]
    fn read_skipping(&mut self, stops: &mut Stops<'_>, pos: usize, skip_sink: &mut SkipSink) -> Read {
        self.read::<_, true>(stops, pos, skip_sink)
    }
}

impl<S: Sink + ?Sized, const SKIPS: bool> Reader<'_, '_, S, SKIPS> {
    #[inline(always)]
    fn run(&mut self) -> Result<Infallible, Ended> {
        loop {
            self.pass_over()?;
            if let State::FirstKey | State::NextKey = self.state {
                self.key()?;
            }
            if self.state == State::Colon {
                self.colon()?;
            }
            if let State::Value | State::FirstElement = self.state {
                self.value()?;
            }
            if self.state.is_in_string() {
                self.string()?;
            }
            if let State::Number | State::Literal | State::Closed = self.state {
                self.atom()?;
            }
            while self.state == State::AfterValue {
                self.comma_or_end()?;
            }
        }
    }

    /// Reads, in a long chunk, the rest of a skipped value, or the unwanted members of a followed object.
    #[inline(always)]
    fn pass_over(&mut self) -> Step {
        let left = self.stops.chunk().len() - self.pos;
        if left == 0 {
            return Err(Ended::Here);
        }
        // WebAssembly modules have one loop, to stay small.
        if cfg!(target_family = "wasm") || SKIPS || left < LONG {
            return Ok(());
        }
        let wanted = if !self.tokenizer.is_followed() {
            KeyFilter::ALL
        } else if let State::FirstKey | State::NextKey = self.state {
            let wanted = self.sink.wanted_keys();
            if wanted.is_all() {
                return Ok(());
            }
            wanted
        } else {
            return Ok(());
        };
        let mut skip_sink = SkipSink::new(wanted, self.at());
        self.tokenizer.state = self.state;
        let read = self.tokenizer.read_skipping(self.stops, self.pos, &mut skip_sink);
        self.state = self.tokenizer.state;
        if let Some(quote) = skip_sink.first_key {
            self.sink.skip_keys(quote, skip_sink.comma);
        } else if let Some(comma) = skip_sink.comma {
            self.sink.comma(comma);
        }
        self.pos = read?;
        Ok(())
    }

    /// Reads a key from its opening quote on, or the end of an empty object.
    #[inline(always)]
    fn key(&mut self) -> Step {
        self.pass_blank();
        match self.next_token()? {
            b'"' => {}
            b'}' if self.state == State::FirstKey => return self.close_container(),
            _ => return Err(self.unexpected()),
        }
        let start = self.pos + 1;
        let most = self.limits().key;
        let is_followed = self.tokenizer.is_followed();
        let plain_end = self.stops.plain_end(start, most);
        // Only a plain key that is not cut can be known to be unwanted.
        let may_be_wanted =
            |quote: usize| self.sink.leaves(&self.stops.chunk()[start..=quote], self.tokenizer.at(quote));
        if SKIPS && is_followed && plain_end.is_none_or(may_be_wanted) {
            return Err(Ended::Here);
        }
        // A plain key that is not cut, the usual case, needs no state.
        if let Some(quote) = plain_end {
            if is_followed {
                let key = if SKIPS { "" } else { self.stops.text(start..quote) };
                self.tokenizer.report_key(key, self.tokenizer.at(quote), self.sink)?;
            }
            (self.state, self.pos) = (State::Colon, quote + 1);
            return Ok(());
        }
        self.open_string(Role::Key, is_followed, most)
    }

    #[inline(always)]
    fn colon(&mut self) -> Step {
        if self.next_token()? != b':' {
            return Err(self.unexpected());
        }
        (self.state, self.pos) = (State::Value, self.pos + 1);
        Ok(())
    }

    /// Reads the beginning of a value, or all of one that needs no state, or the end of an empty array.
    #[inline(always)]
    fn value(&mut self) -> Step {
        self.pass_blank();
        match self.next_token()? {
            b'"' => self.begin_string(),
            bracket @ (b'{' | b'[') => self.open_container(bracket == b'{'),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.literal(ValueKind::Bool, "true"),
            b'f' => self.literal(ValueKind::Bool, "false"),
            b'n' => self.literal(ValueKind::Null, "null"),
            b']' if self.state == State::FirstElement => self.close_container(),
            _ => Err(self.unexpected()),
        }
    }

    #[inline(always)]
    fn begin_string(&mut self) -> Step {
        let is_reported = self.tokenizer.is_followed();
        let is_followed = is_reported && self.sink.begin_string(self.at())? == Interest::Follow;
        let most = self.limits().string;
        if !is_followed && let Some(quote) = self.stops.plain_end(self.pos + 1, most) {
            (self.state, self.pos) = (State::AfterValue, quote + 1);
            if is_reported {
                self.sink.end_string(self.at());
            }
            return Ok(());
        }
        self.open_string(Role::Value, is_followed, most)
    }

    /// Reads the opening quote of a string of at most `most` bytes.
    #[inline(always)]
    fn open_string(&mut self, role: Role, is_followed: bool, most: u64) -> Step {
        let start = self.pos + 1;
        self.tokenizer.open_string(role, is_followed, self.tokenizer.at(start).saturating_add(most));
        self.state = State::String;
        self.resume_at(Ok(start))
    }

    /// Reads a number from its first byte on.
    #[inline(always)]
    fn number(&mut self) -> Step {
        // A whole number needs no state. Chunks as short as a model's token rarely contain one.
        let most = self.limits().number;
        if self.stops.chunk().len() >= 16
            && let Some(end) = number_end(self.stops.chunk(), self.pos)
            && (end - self.pos) as u64 <= most
        {
            return self.whole_atom(ValueKind::Number, end);
        }
        self.away(|tokenizer, chunk, pos, sink| tokenizer.begin_number(chunk, pos, most, sink))
    }

    /// Reads a literal from its first letter on.
    #[inline(always)]
    fn literal(&mut self, kind: ValueKind, text: &'static str) -> Step {
        if self.stops.chunk()[self.pos..].starts_with(text.as_bytes()) {
            return self.whole_atom(kind, self.pos + text.len());
        }
        self.away(|tokenizer, chunk, pos, sink| tokenizer.begin_literal(kind, chunk, pos, sink))
    }

    /// Reports a number or literal that ends at `end`.
    #[inline(always)]
    fn whole_atom(&mut self, kind: ValueKind, end: usize) -> Step {
        if self.tokenizer.is_followed() && self.sink.begin_atom(kind, self.at())? == Interest::Follow {
            self.sink.end_atom(ascii_text(&self.stops.chunk()[self.pos..end]), self.tokenizer.at(end))?;
        }
        (self.state, self.pos) = (State::AfterValue, end);
        Ok(())
    }

    /// Continues a number or literal. If the tokenizer is closed, accepts only white space.
    #[inline(always)]
    fn atom(&mut self) -> Step {
        match self.state {
            State::Number => self.away(Tokenizer::number),
            State::Literal => self.away(Tokenizer::literal),
            _ => self.end(),
        }
    }

    /// Runs a method of the tokenizer for input that is too rare to be part of the loop. Such methods are compiled once
    /// for all sinks.
    #[inline(always)]
    pub(super) fn away(&mut self, read: impl FnOnce(&mut Tokenizer, &[u8], usize, &mut dyn Sink) -> Read) -> Step {
        self.tokenizer.state = self.state;
        let read = read(self.tokenizer, self.stops.chunk(), self.pos, self.sink.as_dyn());
        self.state = self.tokenizer.state;
        self.resume_at(read)
    }

    /// Continues after a token or a part of one, or ends the loop at the chunk's end.
    #[inline(always)]
    pub(super) fn resume_at(&mut self, read: Read) -> Step {
        self.pos = read?;
        if self.pos == self.stops.chunk().len() { Err(Ended::Here) } else { Ok(()) }
    }

    #[inline(always)]
    fn comma_or_end(&mut self) -> Step {
        // The skip sink never reads at the root.
        if !SKIPS && self.tokenizer.nest.depth() == 0 {
            return if self.tokenizer.after_root == AfterRoot::Stop { Err(Ended::Here) } else { self.end() };
        }
        let in_object = self.tokenizer.nest.in_object();
        let byte = self.next_token()?;
        if byte == b',' {
            if self.tokenizer.skipped == Skipped::member(self.tokenizer.nest.depth()) {
                self.tokenizer.skipped = Skipped::NOTHING;
            }
            if self.tokenizer.is_followed() {
                self.sink.comma(self.at());
            }
            self.pos += 1;
            self.state = if in_object { State::NextKey } else { State::Value };
            return Ok(());
        }
        if byte == if in_object { b'}' } else { b']' } { self.close_container() } else { Err(self.unexpected()) }
    }

    /// Reads white space after the root or the end of input, and fails at any other byte.
    #[inline(always)]
    fn end(&mut self) -> Step {
        self.next_token()?;
        Err(self.unexpected())
    }

    #[inline(always)]
    fn open_container(&mut self, is_object: bool) -> Step {
        let depth = self.tokenizer.nest.depth();
        if depth >= self.limits().depth {
            let expected = "expected no deeper nesting than allowed";
            return Err(Fault::new(ErrorKind::DepthLimit, self.at(), expected).into());
        }
        let kind = if is_object { ValueKind::Object } else { ValueKind::Array };
        if self.tokenizer.is_followed() && self.sink.begin_container(kind, self.at())? == Interest::Skip {
            self.tokenizer.skipped = Skipped::container(depth);
        }
        self.tokenizer.nest.push(is_object);
        self.state = if is_object { State::FirstKey } else { State::FirstElement };
        self.pos += 1;
        Ok(())
    }

    #[inline(always)]
    fn close_container(&mut self) -> Step {
        let is_end_of_skipped = self.tokenizer.skipped.ends_with(self.tokenizer.nest.depth());
        if SKIPS && (self.tokenizer.is_followed() || is_end_of_skipped) {
            return Err(Ended::Here);
        }
        let kind = if self.tokenizer.nest.in_object() { ValueKind::Object } else { ValueKind::Array };
        if is_end_of_skipped {
            self.tokenizer.skipped = Skipped::NOTHING;
        }
        self.tokenizer.nest.pop();
        self.pos += 1;
        if self.tokenizer.is_followed() {
            self.sink.end_container(kind, self.at());
        }
        self.state = State::AfterValue;
        Ok(())
    }

    #[inline(always)]
    fn limits(&self) -> &Limits {
        if SKIPS { &self.limits } else { &self.tokenizer.limits }
    }

    #[inline(always)]
    pub(super) fn at(&self) -> u64 {
        self.tokenizer.at(self.pos)
    }

    /// Skips the single space that is usual before a key or a value, without a branch.
    #[inline(always)]
    fn pass_blank(&mut self) {
        let is_blank = self.stops.chunk().get(self.pos) == Some(&b' ');
        self.pos += usize::from(self.passes_blanks & is_blank);
    }

    /// Skips white space and returns the next byte without consuming it.
    #[inline(always)]
    fn next_token(&mut self) -> Result<u8, Ended> {
        let chunk = self.stops.chunk();
        let byte = *chunk.get(self.pos).ok_or(Ended::Here)?;
        if byte > b' ' {
            return Ok(byte);
        }
        self.pos = self.tokenizer.white_space(chunk, self.pos)?;
        chunk.get(self.pos).copied().ok_or(Ended::Here)
    }

    /// Returns the error for the next byte, which is not allowed in this state.
    // Always inlined, like all methods here: taking the reader's address would force its variables into memory.
    #[inline(always)]
    fn unexpected(&self) -> Ended {
        self.tokenizer.unexpected_in(self.state, self.at(), self.stops.chunk().get(self.pos)).into()
    }
}

impl Tokenizer {
    /// Reports a whole key, and skips its value if the sink says so.
    #[inline]
    pub(super) fn report_key<S: Sink + ?Sized>(&mut self, key: &str, quote: u64, sink: &mut S) -> Result<(), Fault> {
        if sink.key(key, quote)? == Interest::Skip {
            self.skipped = Skipped::member(self.nest.depth());
        }
        Ok(())
    }

    /// Returns the error for the byte at `at`, which is not allowed in the current state.
    #[cold]
    pub(crate) fn unexpected_at(&self, at: u64) -> Fault {
        self.unexpected_in(self.state, at, None)
    }

    #[cold]
    #[inline(never)]
    fn unexpected_in(&self, state: State, at: u64, byte: Option<&u8>) -> Fault {
        let is_at_root = self.nest.depth() == 0;
        let is_done = state == State::AfterValue && is_at_root;
        let kind = if is_done { ErrorKind::TrailingBytes } else { ErrorKind::UnexpectedByte };
        // The first byte of a text that is not JSON is the only one that is known wherever the text is cut.
        let expected = match byte.filter(|_| state == State::Value && is_at_root) {
            Some(0xEF) => "expected a value, and this may be a byte order mark",
            Some(b'<') => "expected a value, and this may be HTML or XML",
            Some(b'`') => "expected a value, and this may be a code fence",
            Some(b'd') => "expected a value, and this may be `data:`, a line of server-sent events",
            _ => self.expected(state),
        };
        Fault::new(kind, at, expected)
    }

    /// Returns the description of the expected input between tokens, for error messages.
    pub(super) fn expected(&self, state: State) -> &'static str {
        match state {
            State::FirstElement => "expected a value or `]`",
            State::FirstKey => "expected a key or `}`",
            State::NextKey => "expected a key",
            State::Colon => "expected `:`",
            State::AfterValue if self.nest.depth() == 0 => "expected nothing but white space after the value",
            State::AfterValue if self.nest.in_object() => "expected `,` or `}`",
            State::AfterValue => "expected `,` or `]`",
            State::Value => "expected a value",
            // Not between tokens.
            State::String | State::Escape | State::Utf8 | State::Number | State::Literal => {
                "expected the rest of a value"
            }
            State::Closed => "expected nothing more",
        }
    }
}
