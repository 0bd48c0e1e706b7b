//! The envelope's laws as functions, for the tests beside and for the fuzz target, which includes this file.

use jsonspigot::adapters::Envelope;

use super::splitter::{Spelt, Then, split};
use super::told::{boundaries, envelope, tell};

/// Each kind of mark, in both ways to declare its payload.
pub(crate) const MARKS: [&str; 12] = [
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
];

pub(crate) fn spelt(marks: &[&str]) -> Vec<Spelt> {
    marks.iter().map(|mark| Spelt::new(mark)).collect()
}

/// The pieces are those of a splitter that sees the whole text, and join to it; a payload's matches are a parser's.
pub(crate) fn pieces_are_the_splitters(text: &str, marks: &[Spelt], hold_limit: usize, cuts: &[usize]) {
    let mut envelope = envelope(Envelope::builder().hold_limit(hold_limit), marks);
    let told = tell(&mut envelope, text, cuts);
    told.check(text);
    assert_eq!(told.pieces, split(text, marks, hold_limit, Then::End), "{marks:?}");
}

/// Cuts at char boundaries change nothing.
pub(crate) fn cuts_change_nothing(text: &str, marks: &[Spelt], hold_limit: usize, payload_limit: u64, cuts: &[usize]) {
    let builder = Envelope::builder().hold_limit(hold_limit).payload_limit(payload_limit);
    let mut envelope = envelope(builder, marks);
    let whole = tell(&mut envelope, text, &[]);
    assert_eq!(tell(&mut envelope, text, cuts), whole, "{marks:?}");
    assert_eq!(tell(&mut envelope, text, &boundaries(text)), whole, "char by char");
}

/// The fuzz target. The head holds two bytes that choose the marks, the hold limit and the payload limit (0: the usual
/// ones); the text is cut at FF.
pub(crate) fn target(input: &[u8]) {
    let (head, text) = match input.iter().position(|&byte| byte == 0xFE) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&[][..], input),
    };
    let choice = |place: usize| head.get(place).copied().unwrap_or(0);
    let chosen = u16::from_le_bytes([choice(0), choice(1)]);
    let wanted = |place: &usize| chosen == 0 || chosen >> place & 1 == 1;
    let marks: Vec<&str> = (0..MARKS.len()).filter(wanted).map(|place| MARKS[place]).collect();
    if marks.is_empty() {
        return;
    }
    let marks = spelt(&marks);
    let (hold_limit, payload_limit) = match (choice(2), choice(3)) {
        (0, payload) => (4096, payload),
        (hold, payload) => (usize::from(hold) - 1, payload),
    };
    let payload_limit = if payload_limit == 0 { u64::MAX } else { u64::from(payload_limit) - 1 };
    let mut cuts = Vec::new();
    let mut joined = String::new();
    for chunk in text.split(|&byte| byte == 0xFF) {
        joined.push_str(&String::from_utf8_lossy(chunk));
        cuts.push(joined.len());
    }
    cuts.pop();
    pieces_are_the_splitters(&joined, &marks, hold_limit, &cuts);
    cuts_change_nothing(&joined, &marks, hold_limit, payload_limit, &cuts);
}
