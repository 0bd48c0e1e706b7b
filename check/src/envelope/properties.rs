//! The envelope's laws as functions, for `llm/tests/envelope` and for the fuzz target.

use jsonspigot::{DuplicateKeys, Limits, Parser, ParserBuilder, RestoreError, Retain};
use jsonspigot_llm::{Envelope, EnvelopeEvent};
use serde::de::IgnoredAny;

use super::recorder::{SavedEnvelope, boundaries, envelope, seen, tell};
use super::splitter::{Choices, Piece, Spelt, Then, split};
use crate::forged::edited;
use crate::laws::Law;

/// Each kind of delimiter, in both ways to declare its payload.
pub const MARKS: [&str; 16] = [
    "comment:context",
    "fence:json",
    "fence:text:raw",
    "tag:think",
    "tag:tool_call:json",
    "tag:note:raw",
    "comment:meta",
    "bare",
    "bare:object",
    "tag:think:json",
    "comment:context:raw",
    "fence:json:raw",
    "fence:*",
    "fence:*:raw",
    "between:[ARGS]:[END]",
    "between:<｜call\\:｜>:<｜end｜>:raw",
];

pub fn spelt(delimiters: &[&str]) -> Vec<Spelt> {
    delimiters.iter().map(|delimiter| Spelt::new(delimiter)).collect()
}

/// Checks that the pieces are those of a splitter of the whole text, and that a payload's matches are a parser's.
pub fn pieces_are_the_splitters(text: &str, delimiters: &[Spelt], choices: &Choices, cuts: &[usize]) {
    let mut envelope = envelope(choices, delimiters);
    let reported = tell(&mut envelope, text, cuts);
    assert_eq!(reported.pieces, split(text, delimiters, choices, Then::End), "{delimiters:?}, {choices:?}");
    reported.check(text, choices);
    Law::NoPanics.mark_compared();
    if reported.pieces.iter().any(|piece| matches!(piece, Piece::Payload { .. })) {
        Law::Payloads.mark_compared();
    }
}

/// Cuts at char boundaries change nothing.
pub fn cuts_change_nothing(text: &str, delimiters: &[Spelt], choices: &Choices, cuts: &[usize]) {
    let mut envelope = envelope(choices, delimiters);
    let whole = tell(&mut envelope, text, &[]);
    assert_eq!(tell(&mut envelope, text, cuts), whole, "{delimiters:?}, {choices:?}");
    assert_eq!(tell(&mut envelope, text, &boundaries(text)), whole, "char by char, {delimiters:?}, {choices:?}");
    if !whole.pieces.is_empty() {
        Law::ChunkEdges.mark_compared();
    }
}

/// Checks both for every single cut.
pub fn every_cut_is_the_splitters(text: &str, delimiters: &[Spelt], choices: &Choices) {
    let all = boundaries(text);
    pieces_are_the_splitters(text, delimiters, choices, &all);
    all.into_iter().for_each(|cut| pieces_are_the_splitters(text, delimiters, choices, &[cut]));
}

/// Runs the fuzz target. The head holds two bytes that choose the delimiters, the hold limit and the payload limit (0:
/// the default); then the parser: a byte of flags, and the five limits, 0 for none. The text is cut at FF.
pub fn target(input: &[u8]) {
    let (head, text) = match input.iter().position(|&byte| byte == 0xFE) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&[][..], input),
    };
    let Some((delimiters, choices)) = chosen(head) else { return };
    let mut cuts = Vec::new();
    let mut joined = String::new();
    for chunk in text.split(|&byte| byte == 0xFF) {
        joined.push_str(&String::from_utf8_lossy(chunk));
        cuts.push(joined.len());
    }
    cuts.pop();
    pieces_are_the_splitters(&joined, &delimiters, &choices, &cuts);
    cuts_change_nothing(&joined, &delimiters, &choices, &cuts);
}

/// Reads a target's head: the delimiters, if there are any, and the other choices.
fn chosen(head: &[u8]) -> Option<(Vec<Spelt>, Choices)> {
    let choice = |place: usize| head.get(place).copied().unwrap_or(0);
    let chosen = u16::from_le_bytes([choice(0), choice(1)]);
    let wanted = |place: &usize| chosen == 0 || chosen >> place & 1 == 1;
    let delimiters: Vec<&str> = (0..MARKS.len()).filter(wanted).map(|place| MARKS[place]).collect();
    if delimiters.is_empty() {
        return None;
    }
    let delimiters = spelt(&delimiters);
    let limit = |place: usize| choice(place).checked_sub(1).map(u64::from);
    let flags = choice(4);
    let limits = Limits::new()
        .depth(limit(5).map_or(127, |depth| depth as usize))
        .key(limit(6).unwrap_or(u64::MAX))
        .string(limit(7).unwrap_or(u64::MAX))
        .number(limit(8).unwrap_or(u64::MAX))
        .total(limit(9).unwrap_or(u64::MAX));
    let retain = [Retain::Matches, Retain::Nothing, Retain::All, Retain::Matches][usize::from(flags >> 3 & 3)];
    let choices = Choices {
        hold_limit: limit(2).map_or(4096, |most| most as usize),
        payload_limit: limit(3).unwrap_or(u64::MAX),
        parser: parser(limits, retain, [flags & 1 != 0, flags & 2 != 0, flags & 4 != 0]),
    };
    Some((delimiters, choices))
}

/// Runs the part of the fuzz target for saved state: the head of [`target`] after one byte, and then edits of the
/// state's body. At the first FF the state is saved, edited and restored.
pub fn states(input: &[u8]) {
    let (head, text) = match input.iter().position(|&byte| byte == 0xFE) {
        Some(end) => (&input[1..end.max(1)], &input[end + 1..]),
        None => (&[][..], input),
    };
    let (head, edits) = head.split_at(head.len().min(10));
    let Some((delimiters, choices)) = chosen(head) else { return };
    let mut chunks = text.split(|&byte| byte == 0xFF).map(String::from_utf8_lossy);
    let mut subject = envelope(&choices, &delimiters);
    subject.feed_with(chunks.next().unwrap_or_default(), |_| {});
    let state = edited(subject.save().unwrap(), edits);
    a_state_is_refused_or_sound(&state, &subject, &chunks.collect::<Vec<_>>());
}

/// Checks that any bytes give an error, or an envelope that keeps its promises and is as good as its own bytes.
pub fn a_state_is_refused_or_sound<S: AsRef<str>>(
    bytes: &[u8],
    subject: &SavedEnvelope,
    chunks: &[S],
) -> Option<RestoreError> {
    let mut plain = match subject.restore(bytes) {
        Ok(envelope) => envelope,
        Err(error) => return Some(error),
    };
    let mut saved = subject.restored(&plain);
    for chunk in chunks.iter().map(Some).chain([None, None]) {
        let (mut reported, mut expected) = (Vec::new(), Vec::new());
        let act = |envelope: &mut Envelope, on_event: &mut dyn FnMut(EnvelopeEvent<'_>)| match chunk {
            Some(chunk) => envelope.feed_with(chunk, on_event),
            None => envelope.finish_with(on_event),
        };
        act(&mut plain, &mut |event| {
            expected.push(format!("{event:?}"));
            if let EnvelopeEvent::End { payload, .. } = event {
                let status = payload.status().name();
                assert_eq!(payload.value().is_some(), status == "complete");
                if let Some(value) = payload.value() {
                    let read = serde_json::from_str::<IgnoredAny>(value.text());
                    assert!(read.is_ok() && payload.raw().contains(value.text()), "{} is JSON", value.text());
                }
            }
        });
        act(&mut saved, &mut |event| reported.push(format!("{event:?}")));
        assert_eq!(reported, expected);
        assert_eq!(seen(&saved), seen(&plain));
        Law::SavedState.mark_compared();
        saved = subject.restored(&saved);
    }
    None
}

/// Builds a parser of these choices: leniency, rejection of duplicate keys, snapshots.
pub fn parser(limits: Limits, retain: Retain, [lenient, reject, snapshots]: [bool; 3]) -> ParserBuilder {
    let duplicate_keys = if reject { DuplicateKeys::Reject } else { DuplicateKeys::LastWins };
    let builder = Parser::builder().limits(limits).retain(retain).duplicate_keys(duplicate_keys);
    let builder = if lenient { builder.lenient(jsonspigot::Leniency::MODEL_OUTPUT) } else { builder };
    if snapshots { builder.snapshots() } else { builder }
}
