//! The fast way through what nobody follows: checked, and not reported.
//!
//! One loop, compiled once for all sinks, reads the usual text of a long chunk. Its state is the place in the code: the
//! tokenizer's own state is read where it begins and written where it stops. It stops *before* whatever it does not
//! read itself: what is invalid or beyond a limit, what the chunk's end cuts, and the end of what is skipped. The
//! functions by state then go on from there, so they alone judge, and what is read here is only what they would accept.
//!
//! An object that is followed is read here too, as long as its keys are such that no pattern leads on from them
//! ([`KeyFilter`]): most members of most objects are of that kind.

use super::blocks::Blocks;
use super::escape::{unescape, unescape_unicode};
use super::number::number_len;
use super::string::Role;
use super::utf8::Utf8Rest;
use super::{KeyFilter, LONGEST_SKIPPED, Sink, Skipped, State, Tokenizer, scan, utf8};

/// The next thing to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Key,
    Colon,
    Value,
    AfterValue,
}

/// The part of a chunk that has been read here.
pub(super) struct SkippedOver {
    pub(super) to: usize,
    /// The closing quote of the first key in it of an object that is followed.
    pub(super) first_key: Option<usize>,
    /// The comma after the last member in it of that object, if no key follows.
    pub(super) comma: Option<usize>,
}

impl Tokenizer {
    /// Returns the keys that [`Self::skip`] leaves where an object is followed, if it has anything to read here: a part
    /// that nobody follows, up to its end; or members with other keys.
    #[inline(always)]
    pub(super) fn may_skip<S: Sink>(&self, sink: &S) -> Option<KeyFilter> {
        if !self.is_followed() {
            return Some(KeyFilter::ALL);
        }
        let is_at_key = matches!(self.state, State::FirstKey | State::NextKey);
        is_at_key.then(|| sink.wanted_keys()).filter(|wanted| !wanted.is_all())
    }

    /// Reads what is not reported. Keys that `wanted` lets through are left, if the innermost container is followed.
    #[inline(never)]
    pub(super) fn skip(&mut self, chunk: &[u8], mut pos: usize, wanted: KeyFilter) -> SkippedOver {
        let mut blocks = Blocks::default();
        let nothing = SkippedOver { to: pos, first_key: None, comma: None };
        let mut is_first = matches!(self.state, State::FirstKey | State::FirstElement);
        let mut step = match self.state {
            State::FirstKey | State::NextKey => Step::Key,
            State::Colon => Step::Colon,
            State::AfterValue => Step::AfterValue,
            State::String => {
                let (end, is_closed) = string_end(chunk, pos, &mut blocks);
                if end - usize::from(is_closed) > self.within(self.limit, chunk) {
                    return nothing;
                }
                if !is_closed {
                    return SkippedOver { to: end, ..nothing };
                }
                pos = end;
                if self.string.is_key() { Step::Colon } else { Step::AfterValue }
            }
            State::Value | State::FirstElement => Step::Value,
            State::Escape | State::Utf8 | State::Number | State::Literal => return nothing,
            State::Done | State::Stopped | State::Closed => return nothing,
        };
        let mut depth = self.nest.depth();
        let mut in_object = self.nest.in_object();
        let mut skipped = self.skipped;
        // Here, so that the loop need not ask whose they are.
        let limits = *self.limits;
        let (mut first_key, mut comma) = (None, None);
        // Where what comes before a key begins.
        let mut key_from = pos;
        let state = 'all: loop {
            if step == Step::Key {
                let here = if is_first { State::FirstKey } else { State::NextKey };
                let Some(byte) = self.next_token(chunk, &mut pos) else { break 'all here };
                if byte == b'"' {
                    let (end, is_closed) = if skipped == Skipped::NOTHING {
                        // Only a key that is plain and not cut can be known not to be wanted.
                        let quote = blocks.next_stop(chunk, pos + 1);
                        if chunk.get(quote) != Some(&b'"')
                            || wanted.lets_through(&chunk[pos + 1..=quote])
                            || quote - key_from >= LONGEST_SKIPPED as usize
                        {
                            break 'all here;
                        }
                        (quote + 1, true)
                    } else {
                        string_end(chunk, pos + 1, &mut blocks)
                    };
                    if (end - usize::from(is_closed) - pos - 1) as u64 > limits.key {
                        break 'all here;
                    }
                    if skipped == Skipped::NOTHING {
                        skipped = Skipped::member(depth);
                        first_key = first_key.or(Some(end - 1));
                        comma = None;
                    }
                    if !is_closed {
                        let limit = self.at(pos + 1).saturating_add(limits.key);
                        self.open_string(Role::Key, false, limit);
                        pos = end;
                        break 'all State::String;
                    }
                    pos = end;
                    step = Step::Colon;
                } else if byte == b'}' && is_first && skipped != Skipped::NOTHING && !skipped.ends_with(depth) {
                    self.nest.pop();
                    depth -= 1;
                    in_object = self.nest.in_object();
                    pos += 1;
                    step = Step::AfterValue;
                } else {
                    break 'all here;
                }
            }
            if step == Step::Colon {
                if self.next_token(chunk, &mut pos) != Some(b':') {
                    break 'all State::Colon;
                }
                pos += 1;
                is_first = false;
                step = Step::Value;
            }
            if step == Step::Value {
                let here = if is_first { State::FirstElement } else { State::Value };
                let Some(byte) = self.next_token(chunk, &mut pos) else { break 'all here };
                match byte {
                    b'"' => {
                        let (end, is_closed) = string_end(chunk, pos + 1, &mut blocks);
                        if (end - usize::from(is_closed) - pos - 1) as u64 > limits.string {
                            break 'all here;
                        }
                        if !is_closed {
                            let limit = self.at(pos + 1).saturating_add(limits.string);
                            self.open_string(Role::Value, false, limit);
                            pos = end;
                            break 'all State::String;
                        }
                        pos = end;
                    }
                    b'-' | b'0'..=b'9' => match number_len(&chunk[pos..]) {
                        Some(len) if len as u64 <= limits.number => pos += len,
                        _ => break 'all here,
                    },
                    b't' | b'f' | b'n' => {
                        let Some(len) = literal_len(&chunk[pos..]) else { break 'all here };
                        pos += len;
                    }
                    b'{' | b'[' => {
                        if depth >= limits.depth {
                            break 'all here;
                        }
                        in_object = byte == b'{';
                        if in_object {
                            self.nest.push_object();
                            step = Step::Key;
                        } else {
                            self.nest.push_array();
                        }
                        depth += 1;
                        pos += 1;
                        is_first = true;
                        continue 'all;
                    }
                    b']' if is_first && !skipped.ends_with(depth) => {
                        self.nest.pop();
                        depth -= 1;
                        in_object = self.nest.in_object();
                        pos += 1;
                    }
                    _ => break 'all here,
                }
            }
            is_first = false;
            loop {
                let Some(byte) = self.next_token(chunk, &mut pos) else { break 'all State::AfterValue };
                if byte == b',' {
                    if skipped == Skipped::member(depth) && wanted.is_all() {
                        // The sink gets to know.
                        break 'all State::AfterValue;
                    }
                    pos += 1;
                    step = if in_object { Step::Key } else { Step::Value };
                    if skipped == Skipped::member(depth) {
                        skipped = Skipped::NOTHING;
                        (key_from, comma) = (pos, Some(pos - 1));
                    }
                    continue 'all;
                }
                if byte != if in_object { b'}' } else { b']' } || skipped.ends_with(depth) {
                    break 'all State::AfterValue;
                }
                self.nest.pop();
                depth -= 1;
                in_object = self.nest.in_object();
                pos += 1;
            }
        };
        self.state = state;
        self.skipped = skipped;
        SkippedOver { to: pos, first_key, comma }
    }

    /// The next byte that is not white space.
    #[inline(always)]
    fn next_token(&mut self, chunk: &[u8], pos: &mut usize) -> Option<u8> {
        let byte = *chunk.get(*pos)?;
        if byte > b' ' {
            return Some(byte);
        }
        *pos = self.white_space_away(chunk, *pos);
        chunk.get(*pos).copied()
    }

    // Not inlined: compact text has none.
    #[inline(never)]
    fn white_space_away(&mut self, chunk: &[u8], pos: usize) -> usize {
        self.white_space(chunk, pos)
    }
}

/// Finds the end of a string from `pos` on. Returns the place after the closing quote, and true; or the place up to
/// which it can be read here, and false.
#[inline(always)]
fn string_end(chunk: &[u8], pos: usize, blocks: &mut Blocks) -> (usize, bool) {
    let stop = blocks.next_stop(chunk, pos);
    if chunk.get(stop) == Some(&b'"') { (stop + 1, true) } else { rest_of_string(chunk, stop, blocks) }
}

/// The same where something else than a quote comes first.
#[inline(never)]
fn rest_of_string(chunk: &[u8], mut pos: usize, blocks: &mut Blocks) -> (usize, bool) {
    loop {
        match chunk.get(pos) {
            Some(b'"') => return (pos + 1, true),
            Some(b'\\') => {
                let escape = &chunk[pos..];
                if escape.get(1).is_some_and(|letter| unescape(*letter).is_some()) {
                    pos += 2;
                } else if let Some((_, len)) = unescape_unicode(escape) {
                    pos += len;
                } else {
                    return (pos, false);
                }
                pos = blocks.next_stop(chunk, pos);
            }
            Some(byte) if !byte.is_ascii() => {
                let end = scan::run(chunk, pos).end;
                let prefix = utf8::valid_prefix(&chunk[pos..end]);
                if !matches!(prefix.rest, Utf8Rest::Empty) {
                    return (pos + prefix.valid.len(), false);
                }
                pos = end;
            }
            _ => return (pos, false),
        }
    }
}

/// The length of the literal that a text begins with, if all of it is there.
#[inline(always)]
fn literal_len(text: &[u8]) -> Option<usize> {
    let four = text.first_chunk::<4>()?;
    if four == b"true" || four == b"null" {
        return Some(4);
    }
    (four == b"fals" && text.get(4) == Some(&b'e')).then_some(5)
}
