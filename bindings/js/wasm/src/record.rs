//! Records, in which the events of streams are written.
//!
//! A record's first word has its tag in the lowest eight bits, and above them a bit for each of its fields that is there; the
//! fields follow, numbers as two words. `RECORDS` in `../../src/providers/events.ts` has the same tags and fields in the same
//! order; those of the declared events (`declared.rs`) come from their declarations on both sides. A match has behind its
//! record an event as `events.rs` writes it, and the end of a call's input or of a payload an error as it is written there,
//! if there is one.

use alloc::string::String;
use core::fmt::Write as _;

use jsonspigot_llm::{Payload, PayloadStatus};

use crate::events;
use crate::output::Output;

pub(crate) mod tag {
    pub(crate) const CALL: u32 = 0;
    pub(crate) const MATCH: u32 = 1;
    pub(crate) const INPUT: u32 = 2;
    pub(crate) const CALL_ERROR: u32 = 3;
    pub(crate) const AGENT: u32 = 4;
    pub(crate) const STREAM_END: u32 = 5;
    pub(crate) const PAYLOAD_START: u32 = 6;
    pub(crate) const PAYLOAD_MATCH: u32 = 7;
    pub(crate) const FRAGMENT: u32 = 8;
    pub(crate) const PAYLOAD: u32 = 9;
    pub(crate) const WARNING: u32 = 10;
    pub(crate) const CALL_CLOSED: u32 = 11;
    pub(crate) const FIELDS_CLOSED: u32 = 12;
    /// The first of the declared events, whose tags follow one another.
    pub(crate) const DECLARED: u32 = 13;
}

/// The bit of a record that an error follows.
const HAS_ERROR: u32 = 1 << 31;

/// A part of a record.
#[derive(Clone, Copy)]
pub(crate) enum Field<'a> {
    Number(Option<u64>),
    Text(Option<&'a str>),
    Flag(bool),
}

pub(crate) use Field::{Flag, Number, Text};

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Text(Some(text))
    }
}

impl From<u64> for Field<'_> {
    fn from(number: u64) -> Self {
        Number(Some(number))
    }
}

/// Not inlined: it is called from many places.
#[inline(never)]
pub(crate) fn record(output: &mut Output, tag: u32, fields: &[Field<'_>]) {
    let mut first = tag & (HAS_ERROR | 0xFF);
    for (place, field) in fields.iter().enumerate() {
        let is_there = match field {
            Number(number) => number.is_some(),
            Text(text) => text.is_some(),
            Flag(flag) => *flag,
        };
        first |= u32::from(is_there) << (8 + place);
    }
    output.word(first);
    for field in fields {
        match *field {
            Number(Some(number)) => output.long(number),
            Text(Some(text)) => output.text(text),
            _ => {}
        }
    }
}

/// Writes the outcome of a call's input or a payload: tag and fields, and the verdict behind them.
pub(crate) fn write_verdict(
    output: &mut Output,
    tag: u32,
    [first, id, name, executor]: [Field<'_>; 4],
    payload: &Payload<'_>,
    place: Option<(u64, u64)>,
) {
    let reason = match payload.status() {
        PayloadStatus::Truncated { reason } => Some(reason),
        _ => None,
    };
    let has_error = if payload.error().is_some() { HAS_ERROR } else { 0 };
    let (status, has_value) = (payload.status().name().into(), Flag(payload.value().is_some()));
    let values = payload.values();
    let values = (!values.is_empty()).then(|| alloc::format!("[{}]", values.join(",")));
    let (values, is_repeated) = (Text(values.as_deref()), Flag(payload.is_repeated()));
    let raw = payload.raw().into();
    // The value of what was accepted is not in the text as it came.
    let is_accepted = payload.status() == PayloadStatus::Accepted;
    let strict = payload.value().filter(|_| is_accepted).map(|value| value.text());
    let deviations = is_accepted.then(|| deviations(payload));
    let more = payload.deviation_count() - payload.deviations().len() as u64;
    let more = Number(Some(more).filter(|more| is_accepted && *more > 0));
    let (choice, block) = place.unzip();
    let fields = [
        first,
        id,
        name,
        executor,
        status,
        Text(reason),
        has_value,
        raw,
        values,
        is_repeated,
        Text(strict),
        Text(deviations.as_deref()),
        more,
        Number(choice),
        Number(block),
    ];
    record(output, tag | has_error, &fields);
    if let Some(error) = payload.error() {
        events::write_error(output, error);
    }
}

/// Deviations as a JSON text.
fn deviations(payload: &Payload<'_>) -> String {
    let mut text = String::from("[");
    for (place, deviation) in payload.deviations().iter().enumerate() {
        let (comma, kind) = (if place > 0 { "," } else { "" }, deviation.kind().name());
        let (offset, line, column) = (deviation.offset(), deviation.line(), deviation.column());
        // A `String` takes all that is written to it.
        let _ = write!(text, r#"{comma}{{"kind":"{kind}","offset":{offset},"line":{line},"column":{column}}}"#);
    }
    text + "]"
}
