//! The open payload, fed to the parser as it arrives up to its closing delimiter, and its status at the end.
//!
//! A payload goes through the [`Phase`]s: white space `Before` the value, the `Value`, white space `After` it, and the
//! closing delimiter. Plain text is `Raw` from its first byte. A payload that is not JSON is `Lost`. Two questions have
//! to be kept apart:
//!
//! - *Where does the payload end?* While the JSON is valid, a closing delimiter inside a string is part of the string.
//!   So the delimiter is not searched for inside the value: the parser stops after its last byte, where [`Closing`]
//!   starts its search. After the first invalid byte, quotes cannot be trusted, so in `Lost` the next closing delimiter
//!   ends the payload, wherever it is. A payload without a closing text ends with its [`Brackets`], valid or not.
//! - *Is it complete?* The parser decides, and `verdict` turns its error into the status. The parser is fed the value
//!   and the text after it, up to the first invalid byte or the closing delimiter.
//!
//! A byte may seem to belong to both. In `{"a":-->`, the first `-` is read as the sign of a number. When the next byte
//! stops the JSON, both turn out to belong to the closing delimiter, and `unread_beginning` takes the first one back.
//!
//! `length` counts all bytes after the opening delimiter, and `raw` keeps them up to the limit. The parser's offsets
//! count from the same byte. The error of a lenient parser may be a deviation in an earlier piece; only `stopped_by`
//! shows how much of the current piece was read.

use alloc::string::String;

use jsonspigot::PatternSet;
use jsonspigot::internal::{Root, floor_char_boundary};
use jsonspigot::{CompleteValue, Error, ErrorKind, Event, Parser, ParserBuilder, Retain};

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
    delimiter: usize,
    phase: Phase,
    closing: Closing,
    brackets: Brackets,
    /// True if the value is a number, which only the byte after it ends.
    is_number: bool,
    parser: Parser,
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
    /// Text that is not JSON, or beyond the limit. Only the closing delimiter can end the payload.
    Lost,
    /// Plain text.
    Raw,
}

/// A payload that has ended.
pub(super) struct Ended {
    /// The number of input bytes that belonged to it.
    pub(super) used: usize,
    /// Its length, including the closing delimiter.
    pub(super) length: u64,
    /// Text that was held as the beginning of the closing delimiter, but is not one. It precedes the unused input.
    pub(super) given_back: String,
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

    pub(super) fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Returns true if the payload is plain text, which no parser reads.
    pub(super) fn is_text(&self) -> bool {
        self.phase == Phase::Raw
    }

    /// Returns the index of the payload's delimiter.
    pub(super) fn place(&self) -> usize {
        self.delimiter
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

    /// Reads more input. Returns the payload's end if it has ended.
    pub(super) fn feed(&mut self, delimiters: &[Delimiter], input: &str, report: &mut Report<'_>) -> Option<Ended> {
        let delimiter = &delimiters[self.delimiter];
        let mut used = 0;
        while used < input.len() {
            let rest = &input[used..];
            if self.phase == Phase::Value {
                used += self.value(delimiter, rest, report);
                if delimiter.closes_itself() && self.brackets.has_ended() {
                    return Some(self.end(delimiter, Ending::Closed, used, "", report));
                }
                continue;
            }
            match self.closing.next(self.near(delimiter, rest)) {
                Found::Content(length) => {
                    let piece = &rest[..length];
                    let belonging = self.belonging(delimiter, piece);
                    used += self.content(delimiter, &piece[..belonging], report);
                    // Without a closing text, a payload ends at an error before its first bracket.
                    let is_lost = self.phase == Phase::Lost && delimiter.closes_itself();
                    if belonging < length && self.error.is_none() || is_lost {
                        return Some(self.end(delimiter, Ending::Closed, used, "", report));
                    }
                }
                // The text is not white space, so none of it belongs to the payload.
                Found::Released(text) if self.phase == Phase::After && delimiter.is_between() => {
                    let given_back = text + &self.closing.take_held();
                    return Some(Ended { given_back, ..self.end(delimiter, Ending::Closed, used, "", report) });
                }
                Found::Released(text) => {
                    if let Some(given_back) = self.released(delimiters, text, report) {
                        return Some(Ended { used, length: self.length, given_back });
                    }
                }
                Found::Held => used = input.len(),
                Found::Closed(length, close) => {
                    return Some(self.end(delimiter, Ending::Closed, used + length, &close, report));
                }
            }
        }
        None
    }

    /// Returns the part of `rest` to search for the closing delimiter. Around the value of a payload between two texts,
    /// the delimiter can only be the next text after white space.
    fn near<'t>(&self, delimiter: &Delimiter, rest: &'t str) -> &'t str {
        if !delimiter.is_between() || !matches!(self.phase, Phase::Before | Phase::After) {
            return rest;
        }
        let space = rest.bytes().take_while(|byte| SPACE.contains(byte)).count();
        let length = space + delimiter.close.len().max(1);
        let end = (length..rest.len()).find(|end| rest.is_char_boundary(*end));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Returns how many bytes of a piece without a closing delimiter may belong to the payload. A payload between two
    /// texts ends with its JSON. Without a closing text and a bracket at its beginning, it is empty.
    fn belonging(&self, delimiter: &Delimiter, piece: &str) -> usize {
        let is_over = match self.phase {
            Phase::After => delimiter.is_between(),
            Phase::Before => delimiter.closes_itself(),
            Phase::Value | Phase::Lost | Phase::Raw => false,
        };
        let space = piece.bytes().take_while(|byte| SPACE.contains(byte)).count();
        let begins = self.phase == Phase::Before && matches!(piece.as_bytes().get(space), Some(b'{' | b'['));
        if is_over && !begins { space } else { piece.len() }
    }

    /// Ends the payload at the end of input.
    pub(super) fn finish(&mut self, delimiters: &[Delimiter], report: &mut Report<'_>) {
        let ending = if self.closing.is_whole() { Ending::Closed } else { Ending::Cut };
        let close = self.closing.take_held();
        self.end(&delimiters[self.delimiter], ending, 0, &close, report);
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
            self.phase = Phase::Lost;
            // After a deviation, quotes may mean something else than in JSON.
            if self.parser.deviation_count() > 0 || !Brackets::after(&self.raw).is_in_string() {
                self.unread_beginning(&rest[used..]);
            }
        } else if closes_itself && self.brackets.has_ended()
            || !closes_itself && (used < rest.len() || self.parser.has_root_ended())
        {
            self.phase = Phase::After;
        }
        used
    }

    /// Takes back the last byte if it and the byte that stopped the JSON begin the closing delimiter, as in `{"a":-->`.
    fn unread_beginning(&mut self, rest: &str) {
        let (last, byte) = (self.raw.as_bytes().last(), rest.as_bytes().first());
        if let (Some(&last), Some(&byte)) = (last, byte)
            && self.closing.begins_with(last, byte)
        {
            self.raw.pop();
            self.length -= 1;
            self.closing.hold(char::from(last));
        }
    }

    /// Reads text outside the value that belongs to no closing delimiter. Returns how much of it was read.
    fn content(&mut self, delimiter: &Delimiter, piece: &str, report: &mut Report<'_>) -> usize {
        match self.phase {
            Phase::Before => {
                let space = piece.bytes().take_while(|byte| SPACE.contains(byte)).count();
                let used = self.parse(delimiter, &piece[..space], false, report);
                if self.error.is_some() {
                    self.phase = Phase::Lost;
                } else if space < piece.len() {
                    self.begin_value(delimiter, piece.as_bytes()[space], report);
                }
                used
            }
            Phase::After => {
                let used = self.parse(delimiter, piece, false, report);
                if self.error.is_some() {
                    self.phase = Phase::Lost;
                }
                used
            }
            Phase::Lost | Phase::Value => {
                self.keep(piece);
                piece.len()
            }
            Phase::Raw => {
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

    /// Reads text that was held as a possible closing delimiter, but is not one. If the payload ends in it, returns the
    /// text after the payload.
    fn released(&mut self, delimiters: &[Delimiter], mut text: String, report: &mut Report<'_>) -> Option<String> {
        let delimiter = &delimiters[self.delimiter];
        if self.phase == Phase::Before {
            // A value begins with this text, so all held text is read again.
            text.push_str(&self.closing.take_held());
            self.begin_value(delimiter, text.as_bytes()[0], report);
            // The beginning of a closing delimiter does not contain one, but may contain a whole value and text after
            // it.
            return self.feed(delimiters, &text, report).map(|ended| text.split_off(ended.used));
        }
        let used = self.content(delimiter, &text, report);
        self.keep(&text[used..]);
        None
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

    /// Reports the end of the payload with its status.
    fn end(
        &mut self,
        delimiter: &Delimiter,
        ending: Ending,
        used: usize,
        close: &str,
        report: &mut Report<'_>,
    ) -> Ended {
        let status = self.verdict(delimiter, ending, report);
        let value = match status {
            PayloadStatus::Complete => Some(self.whole_value()),
            PayloadStatus::Accepted => self.parser.complete().ok(),
            _ => None,
        };
        let payload = Payload::new(status, &self.raw, value, self.error.as_ref(), Some(&self.parser));
        let (delimiter, length) = (delimiter.into(), self.length);
        report(EnvelopeEvent::End { delimiter, payload, close: close.into(), length });
        Ended { used, length: self.length + close.len() as u64, given_back: String::new() }
    }

    fn verdict(&mut self, delimiter: &Delimiter, ending: Ending, report: &mut Report<'_>) -> PayloadStatus<'static> {
        if self.error.is_none() {
            match (self.phase, ending) {
                (Phase::Before, Ending::Closed) => return PayloadStatus::Empty,
                (Phase::Raw, Ending::Closed) => return PayloadStatus::Raw,
                (Phase::Before | Phase::Raw | Phase::Lost, _) => {
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

    fn whole_value(&self) -> CompleteValue<'_> {
        self.root.value(&self.raw)
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
