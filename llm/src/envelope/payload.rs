//! The open payload, fed to the parser as it arrives up to its closing delimiter, and its status at the end.
//!
//! A payload goes through the [`Phase`]s: white space `Before` the value, the `Value`, white space `After` it, and the
//! closing delimiter. Plain text is `Raw` from its first byte. A payload that is not JSON is `Lost`, or `Closing` first.
//! Two questions have to be kept apart:
//!
//! - *Where does the payload end?* While the JSON is valid, a closing delimiter inside a string is part of the string.
//!   So the delimiter is not searched for inside the value: the parser stops after its last byte, where [`Closing`]
//!   starts its search. After the first invalid byte, quotes cannot be trusted, so in `Lost` the next closing delimiter
//!   ends the payload, wherever it is. A payload without a closing text ends with its [`Brackets`], valid or not.
//! - *Is it complete?* The parser decides, and `verdict` turns its error into the status. The parser is fed the value
//!   and the text after it, up to the first invalid byte or the closing delimiter.
//!
//! A byte may seem to belong to both. In `{"a":-->`, the first `-` is read as the sign of a number. When the next byte
//! stops the JSON, both turn out to belong to the closing delimiter, unless they are inside a string.
//!
//! `length` counts all bytes after the opening delimiter, and `raw` keeps them up to the limit. The parser's offsets
//! count from the same byte. The error of a lenient parser may be a deviation in an earlier piece; only `stopped_by`
//! shows how much of the current piece was read.

use alloc::borrow::Cow;
use alloc::string::String;

use jsonspigot::PatternSet;
use jsonspigot::internal::{Root, floor_char_boundary};
use jsonspigot::{Error, ErrorKind, Event, Parser, ParserBuilder, Retain};

use super::brackets::Brackets;
use super::closing::{Closing, Found};
use super::delimiter::{Content, Delimiter};
use super::event::EnvelopeEvent;
use super::{Report, SPACE};
use crate::payload::{Payload, PayloadStatus};

/// A reader of payloads, one at a time, which reuses its buffers.
#[derive(Clone, Debug)]
pub(super) struct OpenPayload {
    /// The index of the payload's delimiter.
    pub(super) delimiter: usize,
    phase: Phase,
    closing: Closing,
    brackets: Brackets,
    /// True if the value is a number, which only the byte after it ends.
    is_number: bool,
    pub(super) parser: Parser,
    /// The text after the opening delimiter, up to the limit.
    raw: String,
    /// The length of all text after the opening delimiter.
    length: u64,
    pub(super) limit: u64,
    error: Option<Error>,
    /// The path of the payload's value, which is the root.
    root: Root,
}

/// The part of a payload that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// White space.
    Before,
    /// A JSON value, or what should be one.
    Value,
    /// A complete JSON value and white space.
    After,
    /// The closing delimiter, if the rest of it follows its first byte, which was read as the last byte of the value.
    Closing,
    /// Text that is not JSON, or beyond the limit. Only the closing delimiter can end the payload.
    Lost,
    /// Plain text.
    Raw,
}

/// The end of a payload.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Closed,
    Cut,
}

impl OpenPayload {
    pub(super) fn new(parser: ParserBuilder, patterns: &PatternSet, limit: u64) -> Self {
        // The strict text of an accepted payload differs from the received text, so the parser has to retain it.
        let parser = if parser.accepts() { parser.retain(Retain::All) } else { parser };
        Self {
            delimiter: 0,
            phase: Phase::Before,
            closing: Closing::of(&Delimiter::bare(), "", 0),
            brackets: Brackets::default(),
            is_number: false,
            parser: parser.whole().patterns(patterns).build(),
            raw: String::new(),
            length: 0,
            limit,
            error: None,
            root: Root::default(),
        }
    }

    /// Returns true if the payload is plain text, which no parser reads.
    pub(super) fn is_text(&self) -> bool {
        self.phase == Phase::Raw
    }

    /// Begins a payload after its opening delimiter.
    pub(super) fn begin(&mut self, place: usize, delimiter: &Delimiter, closing: Closing) {
        self.delimiter = place;
        self.phase = if delimiter.content == Content::Raw { Phase::Raw } else { Phase::Before };
        self.closing = closing;
        self.brackets = Brackets::default();
        self.parser.reset();
        self.raw.clear();
        self.length = 0;
        self.error = None;
    }

    /// Reads more input, which begins with `held` bytes that were held back before. They are a piece of their own, as
    /// earlier chunks are. Returns how much was read and, if the payload has ended, its length with the closing
    /// delimiter. What is not read, while the payload is open, may be the beginning of the closing delimiter.
    pub(super) fn feed(
        &mut self,
        delimiters: &[Delimiter],
        input: &str,
        held: usize,
        report: &mut Report<'_>,
    ) -> (usize, Option<u64>) {
        let delimiter = &delimiters[self.delimiter];
        let closes_itself = delimiter.closes_itself();
        let mut used = 0;
        while used < input.len() {
            let rest = &input[used..];
            let piece = if used < held { &input[used..held] } else { rest };
            let found = match self.phase {
                Phase::Value => {
                    used += self.value(delimiter, piece, report);
                    if closes_itself && self.brackets.has_ended() {
                        return (used, Some(self.end(delimiter, Ending::Closed, "", report)));
                    }
                    continue;
                }
                // Before a value, and after the value between two texts, the delimiter can only follow white space.
                Phase::Before => self.next_after_space(rest),
                Phase::After if delimiter.is_between() => self.next_after_space(rest),
                Phase::Closing => self.closing.at(rest, 1),
                Phase::After | Phase::Lost | Phase::Raw => Some(self.closing.find(rest)),
            };
            match found {
                Some(Found::Content(length)) => {
                    used += self.content(delimiter, &piece[..length.min(piece.len())], report);
                }
                Some(Found::Held) => return (used, None),
                Some(Found::Closed(length)) => {
                    let close = &rest[..length];
                    return (used + length, Some(self.end(delimiter, Ending::Closed, close, report)));
                }
                None if self.phase == Phase::Closing => self.phase = Phase::Lost,
                None if self.phase == Phase::Before && (!closes_itself || rest.starts_with(['{', '['])) => {
                    self.begin_value(delimiter, rest.as_bytes()[0], report);
                }
                // Between two texts a payload ends with its JSON. Without a closing text and a bracket, it is empty.
                None => return (used, Some(self.end(delimiter, Ending::Closed, "", report))),
            }
            if self.phase == Phase::Lost && closes_itself {
                return (used, Some(self.end(delimiter, Ending::Closed, "", report)));
            }
        }
        (used, None)
    }

    /// Returns the white space with which a text begins or, without any, the closing delimiter.
    fn next_after_space(&mut self, text: &str) -> Option<Found> {
        match text.bytes().take_while(|byte| SPACE.contains(byte)).count() {
            0 => self.closing.at(text, 0),
            space => Some(Found::Content(space)),
        }
    }

    /// Ends the payload at the end of input. `held` is the text that was not read.
    pub(super) fn finish(&mut self, delimiters: &[Delimiter], held: &str, report: &mut Report<'_>) {
        let ending = if self.closing.is_whole(held) { Ending::Closed } else { Ending::Cut };
        self.end(&delimiters[self.delimiter], ending, held, report);
    }

    /// Reads the next part of the value. Returns how much of it was read.
    fn value(&mut self, delimiter: &Delimiter, rest: &str, report: &mut Report<'_>) -> usize {
        let closes_itself = delimiter.closes_itself();
        let length = match () {
            () if closes_itself => self.brackets.advance(rest.as_bytes()),
            () if self.is_number => number_len(self.raw.bytes().last(), rest.as_bytes()),
            () => rest.len(),
        };
        let piece = &rest[..length];
        if self.error.is_some() {
            self.keep(piece);
            return length;
        }
        let used = self.parse(delimiter, piece, !closes_itself, report);
        if self.error.is_some() {
            if closes_itself {
                self.keep(&piece[used..]);
                return length;
            }
            let last_bytes = self.raw.as_bytes().last().zip(rest.as_bytes().get(used));
            let is_closing = last_bytes.is_some_and(|(last, byte)| self.closing.begins_with(*last, *byte));
            self.phase = if is_closing && !self.is_in_string() { Phase::Closing } else { Phase::Lost };
        } else if closes_itself && self.brackets.has_ended()
            || !closes_itself && (used < rest.len() || self.parser.has_root_ended())
        {
            self.phase = Phase::After;
        }
        used
    }

    /// Returns true if the kept text ends inside a string. Reads it again, because the parser has failed.
    fn is_in_string(&self) -> bool {
        let mut parser = self.parser.clone();
        parser.reset();
        parser.feed_dyn(self.raw.as_bytes(), &mut |_| {}).is_ok() && parser.is_in_string()
    }

    /// Reads text outside the value that belongs to no closing delimiter. Returns how much of it was read.
    fn content(&mut self, delimiter: &Delimiter, piece: &str, report: &mut Report<'_>) -> usize {
        match self.phase {
            Phase::Before | Phase::After => {
                let used = self.parse(delimiter, piece, false, report);
                if self.error.is_some() {
                    self.phase = Phase::Lost;
                }
                used
            }
            Phase::Closing | Phase::Lost | Phase::Value => {
                self.keep(piece);
                piece.len()
            }
            Phase::Raw => {
                self.closing.pass(piece);
                self.keep(piece);
                if self.error.is_none() && self.length > self.limit {
                    self.error = Some(self.error_of_limit());
                }
                report(EnvelopeEvent::Fragment { delimiter: delimiter.into(), text: piece.into() });
                piece.len()
            }
        }
    }

    /// Begins the value, or plain text, at the first byte that is not white space.
    fn begin_value(&mut self, delimiter: &Delimiter, first: u8, report: &mut Report<'_>) {
        if delimiter.content != Content::ByFirstByte || first == b'{' {
            self.phase = Phase::Value;
            self.is_number = first == b'-' || first.is_ascii_digit();
            return;
        }
        self.phase = Phase::Raw;
        if !self.raw.is_empty() {
            report(EnvelopeEvent::Fragment { delimiter: delimiter.into(), text: (&*self.raw).into() });
        }
    }

    /// Feeds the parser, up to the end of the value if `ends_value`, and keeps the text that it read. Returns how much
    /// that was. If an error stopped the parser, it is in `error`.
    fn parse(&mut self, delimiter: &Delimiter, piece: &str, ends_value: bool, report: &mut Report<'_>) -> usize {
        let room = usize::try_from(self.limit.saturating_sub(self.length)).unwrap_or(usize::MAX);
        let bytes = &piece.as_bytes()[..piece.len().min(room)];
        let mut on_event = |event: Event<'_>| report(EnvelopeEvent::Match { delimiter: delimiter.into(), event });
        let fed = if ends_value {
            self.parser.feed_value_with(bytes, &mut on_event)
        } else {
            self.parser.feed_with(bytes, &mut on_event).map(|()| bytes.len())
        };
        // The parser's error may be a deviation in an earlier piece; the error that stopped it is in this one. Both the
        // parser's offsets and `length` count from the opening delimiter.
        let taken = fed.as_ref().map_or(bytes.len(), |taken| *taken);
        let used = self.parser.stopped_by().map_or(taken, |error| {
            let taken = error.offset().saturating_sub(self.length);
            usize::try_from(taken).unwrap_or(usize::MAX).min(bytes.len())
        });
        let used = floor_char_boundary(piece, used);
        self.keep(&piece[..used]);
        if let Err(error) = fed {
            self.error = Some(error);
        } else if taken == bytes.len() && bytes.len() < piece.len() {
            // The value may have ended at the limit.
            if !(ends_value && self.parser.has_root_ended()) {
                let error = self.parser.error().cloned().unwrap_or_else(|| self.error_of_limit());
                self.parser.fail_again(error.clone());
                self.error = Some(error);
            }
        }
        used
    }

    /// Appends a piece to the raw text, up to the limit.
    fn keep(&mut self, piece: &str) {
        if self.raw.len() as u64 == self.length {
            let room = usize::try_from(self.limit - self.length).unwrap_or(usize::MAX);
            self.raw.push_str(&piece[..floor_char_boundary(piece, room)]);
        }
        self.length += piece.len() as u64;
    }

    #[cold]
    fn error_of_limit(&self) -> Error {
        self.error_here(ErrorKind::TotalLimit, "expected no longer payload than allowed")
    }

    /// Returns an error at the end of the kept text.
    #[cold]
    fn error_here(&self, kind: ErrorKind, expected: &str) -> Error {
        let line = self.raw.bytes().filter(|byte| *byte == b'\n').count();
        let column = self.raw.len() - self.raw.rfind('\n').map_or(0, |at| at + 1);
        // The path is known only before the value, in plain text, and in a number at the root.
        let is_at_root = matches!(self.phase, Phase::Before | Phase::Raw) || self.parser.is_in_root_number();
        let place = (self.raw.len() as u64, line as u64 + 1, column as u64 + 1);
        Error::at(kind, place, is_at_root.then_some("$"), expected)
    }

    /// Reports the end of the payload with its status. Returns its length with the closing delimiter.
    fn end(&mut self, delimiter: &Delimiter, ending: Ending, close: &str, report: &mut Report<'_>) -> u64 {
        let mut close = Cow::Borrowed(close);
        if self.phase == Phase::Closing
            && let Some(first) = self.raw.pop()
        {
            self.length -= 1;
            close.to_mut().insert(0, first);
        }
        let status = self.verdict(delimiter, ending, report);
        let value = match status {
            PayloadStatus::Complete => Some(self.root.value(&self.raw)),
            PayloadStatus::Accepted => self.parser.complete().ok(),
            _ => None,
        };
        let payload = Payload::new(status, &self.raw, value, self.error.as_ref(), Some(&self.parser));
        let whole_length = self.length + close.len() as u64;
        report(EnvelopeEvent::End { delimiter: delimiter.into(), payload, close, length: self.length });
        whole_length
    }

    fn verdict(&mut self, delimiter: &Delimiter, ending: Ending, report: &mut Report<'_>) -> PayloadStatus<'static> {
        if self.error.is_none() {
            match (self.phase, ending) {
                (Phase::Before, Ending::Closed) => return PayloadStatus::Empty,
                (Phase::Raw, Ending::Closed) => return PayloadStatus::Raw,
                (Phase::Before | Phase::Raw | Phase::Closing | Phase::Lost, _) => {
                    self.error = Some(self.error_here(ErrorKind::Incomplete, "expected a closing delimiter"));
                }
                (Phase::Value, _) if self.parser.is_in_root_number() => {
                    self.error =
                        Some(self.error_here(ErrorKind::Incomplete, "expected more digits or a closing delimiter"));
                }
                (Phase::Value | Phase::After, _) => {
                    match self.parser.finish_with(|event| {
                        report(EnvelopeEvent::Match { delimiter: delimiter.into(), event });
                    }) {
                        Ok(()) if self.parser.is_strict() => return PayloadStatus::Complete,
                        Ok(()) => return PayloadStatus::Accepted,
                        Err(error) => self.error = Some(error),
                    }
                }
            }
        }
        match self.error.as_ref().map(Error::kind) {
            Some(ErrorKind::Incomplete) => PayloadStatus::Truncated { reason: "end-of-input" },
            Some(ErrorKind::TotalLimit) => PayloadStatus::Truncated { reason: "limit" },
            Some(ErrorKind::TrailingBytes) => PayloadStatus::Trailing,
            _ => PayloadStatus::Malformed,
        }
    }
}

/// Returns the length of a number's next piece; `before` is the byte before it. The number ends where a byte after a digit
/// can't be part of a number.
fn number_len(mut before: Option<u8>, bytes: &[u8]) -> usize {
    let belongs = |byte: &&u8| {
        let follows_digit = before.replace(**byte).is_some_and(|before| before.is_ascii_digit());
        !follows_digit || byte.is_ascii_digit() || b".eE".contains(byte)
    };
    bytes.iter().take_while(belongs).count()
}
