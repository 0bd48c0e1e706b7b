//! Strings and keys in single quotes. Their states are those of other strings, and so are the functions that read a
//! character in pieces. But what is between two characters is read here: see [`Tokenizer::is_single_quoted`].

use crate::error::{DeviationKind, ErrorKind, Fault};
use crate::tokenizer::escape::{EscapeStep, OpenEscape};
use crate::tokenizer::string::Role;
use crate::tokenizer::utf8::{self, Utf8Carry, Utf8Rest};
use crate::tokenizer::{Interest, Sink, State, Tokenizer};

const QUOTE: u8 = b'\'';

impl Tokenizer {
    pub(super) fn begin_single_quoted_key<S: Sink>(
        &mut self,
        chunk: &[u8],
        quote: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        self.pass(DeviationKind::SingleQuotes, self.unexpected(quote), sink)?;
        self.scratch.clear();
        let limit = self.at(quote + 1).saturating_add(self.limits.key);
        self.open_string(Role::Key, self.is_followed(), limit);
        self.string.room = 0;
        self.rewrite(self.at(quote), self.at(quote) + 1, "\"", sink);
        self.single_quotes(chunk, quote + 1, sink)
    }

    pub(super) fn begin_single_quoted_value<S: Sink>(
        &mut self,
        chunk: &[u8],
        quote: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        self.pass(DeviationKind::SingleQuotes, self.unexpected(quote), sink)?;
        let is_followed = self.is_followed() && sink.begin_string(self.at(quote))? == Interest::Follow;
        let limit = self.at(quote + 1).saturating_add(self.limits.string);
        self.open_string(Role::Value, is_followed, limit);
        self.string.room = 0;
        self.rewrite(self.at(quote), self.at(quote) + 1, "\"", sink);
        self.single_quotes(chunk, quote + 1, sink)
    }

    /// Whether the open string has single quotes. Then it has no room for plain text.
    pub(in crate::tokenizer) fn is_single_quoted(&self) -> bool {
        self.string.room == 0
    }

    /// Reads on between two characters.
    #[cold]
    #[inline(never)]
    pub(in crate::tokenizer) fn single_quotes<S: Sink>(
        &mut self,
        chunk: &[u8],
        mut start: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        // As in `string_run`: the search stops at the limit, and the byte after it is judged by itself.
        let within = self.within(self.string.limit, chunk);
        loop {
            let rest = chunk.get(start..within).unwrap_or_default();
            let run =
                rest.split(|&byte| byte < b' ' || matches!(byte, QUOTE | b'"' | b'\\')).next().unwrap_or_default();
            let end = start + run.len();
            let prefix = utf8::valid_prefix(run);
            if !prefix.valid.is_empty() {
                self.tell(prefix.valid, self.at(start), sink)?;
            }
            match prefix.rest {
                Utf8Rest::Empty => {}
                Utf8Rest::Cut(sequence) => {
                    self.carry = Utf8Carry::begin(sequence);
                    self.state = State::Utf8;
                    return Ok(end);
                }
                Utf8Rest::Bad(after) => return Err(self.bad_utf8(start + prefix.valid.len() + after)),
            }
            match chunk.get(end) {
                None => return Ok(end),
                Some(&QUOTE) => {
                    self.rewrite(self.at(end), self.at(end) + 1, "\"", sink);
                    self.close_string(end, sink)?;
                    return Ok(end + 1);
                }
                Some(b'"') => {
                    self.check_limit(end)?;
                    self.rewrite(self.at(end), self.at(end), "\\", sink);
                    self.tell("\"", self.at(end), sink)?;
                    start = end + 1;
                }
                Some(b'\\') => {
                    self.check_limit(end)?;
                    self.escape = OpenEscape::default();
                    self.state = State::Escape;
                    return Ok(end + 1);
                }
                Some(&byte) => {
                    self.pass_control(self.judge_special(byte, end), byte, end, sink)?;
                    start = end + 1;
                }
            }
        }
    }

    /// `\'`, which is an escape here; it leaves a high surrogate before it alone. It belongs to the escape.
    pub(super) fn escaped_quote<S: Sink>(&mut self, pos: usize, sink: &mut S) -> Result<bool, Fault> {
        if matches!(self.escape.step, EscapeStep::PairU) {
            let expected = "expected a low surrogate after a high one";
            let fault = Fault::new(ErrorKind::LoneSurrogate, self.at(pos), expected);
            self.pass(DeviationKind::LoneSurrogates, fault, sink)?;
            self.tell_lone_surrogate(self.at(pos) - 7, sink)?;
        }
        self.check_limit(pos)?;
        self.rewrite(self.at(pos) - 1, self.at(pos), "", sink);
        self.state = State::String;
        self.tell("'", self.at(pos) - 1, sink)?;
        Ok(true)
    }
}
