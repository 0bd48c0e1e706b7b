//! Provider streams by number, and how what they report is written; and envelopes (`envelopes.rs`), where there are
//! some.
//!
//! An event is a record: its first word has its tag in the lowest eight bits, and above them a bit for each of its fields
//! that is there; the fields follow, numbers as two words. `RECORDS` in `../../src/providers/events.ts` has the same tags
//! and fields in the same order; those of the declared events (`declared.rs`) come from their declarations on both sides. A match has behind its record an event as `events.rs` writes it, and the end of a call's
//! input or of a payload an error as it is written there, if there is one.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use jsonspigot::{DuplicateKeys, PatternSet, Retain};
use jsonspigot_llm::{
    CallEvent, CallLimits, Delimiter, Envelope, Payload, PayloadStatus, Provider, ProviderStream, StreamEvent,
    ToolCall, ToolCalls,
};

use crate::envelopes::Marked;
use crate::output::Output;
use crate::{declared, events, options, with};

pub(crate) mod tag {
    pub(super) const CALL: u32 = 0;
    pub(crate) const MATCH: u32 = 1;
    pub(super) const INPUT: u32 = 2;
    pub(super) const CALL_ERROR: u32 = 3;
    pub(super) const AGENT: u32 = 4;
    pub(super) const STREAM_END: u32 = 5;
    /// The first of the declared events, whose tags follow one another; those of envelopes are between.
    pub(crate) const DECLARED: u32 = 11;
}

/// The bit of a record that an error follows.
const HAS_ERROR: u32 = 1 << 31;

pub(crate) struct Slot {
    pub(crate) reader: Reader,
    /// True if the ends of strings have their text.
    pub(crate) texts_to: u64,
}

pub(crate) enum Reader {
    Provider(Box<Streamed>),
    Envelope(Box<Marked>),
}

/// A stream, and the marks of payloads in its text, which JavaScript knows by their places.
pub(crate) struct Streamed {
    pub(crate) stream: ProviderStream,
    pub(crate) marks: Vec<Delimiter>,
}

/// A part of a record.
#[derive(Clone, Copy)]
pub(crate) enum Field<'a> {
    Number(Option<u64>),
    Text(Option<&'a str>),
    Flag(bool),
}

use Field::{Flag, Number, Text};

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

/// A new stream of the provider with this place in `Provider::ALL`, or of one that is to be found out. The input has:
///
/// - flags: the answer is structured, the message is kept, fragments repeat the input so far, the last of equal keys
///   counts, each event is passed on as it came, the text has payloads between marks;
/// - four limits of 64 bits each: open calls, bytes of an input, of a name, of an event;
/// - the options of the parsers;
/// - the number of marks and these, if the flags say that there are some, as texts;
/// - numbers and names of the pattern sets of single tools, as texts.
#[unsafe(no_mangle)]
extern "C" fn create_stream(patterns: u32, provider: u32, len: u32) -> u32 {
    with(|module| {
        let input = module.input.get(..len as usize).unwrap_or_default();
        let number = |at: usize| options::number(input, at);
        let flags = number(0) as u32;
        let size = |place: usize| usize::try_from(number(4 + 8 * place)).unwrap_or(usize::MAX);
        let limits =
            CallLimits::new().open_calls(size(0)).input_bytes(size(1)).name_bytes(size(2)).event_bytes(size(3));
        let options::Options { builder, texts_to, .. } = options::read(input.get(36..).unwrap_or_default());
        let builder = if flags & 8 != 0 { builder.duplicate_keys(DuplicateKeys::LastWins) } else { builder };
        let mut calls = ToolCalls::builder().parser(builder).limits(limits);
        if let Some(patterns) = module.patterns.get_mut(patterns) {
            calls = calls.patterns(patterns);
        }
        let mut tools = options::texts(input.get(80..).unwrap_or_default());
        let marks = if flags & 32 != 0 { crate::envelopes::marks(&mut tools) } else { Vec::new() };
        let envelope = (flags & 32 != 0).then(|| {
            let empty = PatternSet::empty();
            let patterns = module.patterns.get_mut(patterns).map_or(&empty, |patterns| &*patterns);
            Envelope::builder().parser(builder.retain(Retain::Matches)).build(marks.iter().cloned(), patterns)
        });
        while let (Some(set), Some(name)) = (tools.next(), tools.next()) {
            if let Some(patterns) = set.parse().ok().and_then(|set| module.patterns.get_mut(set)) {
                calls = calls.patterns_for(name, patterns);
            }
        }
        if flags & 4 != 0 {
            calls = calls.cumulative();
        }
        let calls = calls.build();
        let mut stream = match Provider::ALL.get(provider as usize) {
            Some(provider) => ProviderStream::new(*provider, calls),
            None => ProviderStream::detecting(calls),
        };
        if flags & 1 != 0 {
            stream = stream.structured();
        }
        if flags & 2 != 0 {
            stream = stream.with_message();
        }
        if flags & 16 != 0 {
            stream = stream.with_provider_events();
        }
        if let Some(envelope) = envelope {
            stream = stream.with_envelope(envelope);
        }
        let streamed = Streamed { stream, marks };
        module.parsers.add(Box::new(Slot { reader: Reader::Provider(Box::new(streamed)), texts_to }))
    })
}

/// Reads the input's first bytes: an event of a stream, or text of an envelope.
#[unsafe(no_mangle)]
extern "C" fn feed(slot: u32, len: u32) -> i32 {
    told(slot, len, Call::Feed)
}

/// Takes an event that could not be read on its way here.
#[unsafe(no_mangle)]
extern "C" fn feed_unreadable(slot: u32, len: u32) -> i32 {
    told(slot, len, Call::Unreadable)
}

/// Takes an event that was too long to get here.
#[unsafe(no_mangle)]
extern "C" fn feed_oversized(slot: u32) -> i32 {
    told(slot, 0, Call::Oversized)
}

/// The end. The input has the reason, if there is one.
#[unsafe(no_mangle)]
extern "C" fn finish(slot: u32, len: u32) -> i32 {
    told(slot, len, Call::Finish)
}

#[derive(Clone, Copy)]
pub(crate) enum Call {
    Feed,
    Unreadable,
    Oversized,
    Finish,
}

/// Runs a call on a stream or an envelope, and writes what it reports.
fn told(slot: u32, len: u32, call: Call) -> i32 {
    with(|module| {
        module.on(slot, |slot, input, output| {
            let text = options::text(input.get(..len as usize).unwrap_or_default());
            let texts_to = slot.texts_to;
            match &mut slot.reader {
                Reader::Provider(streamed) => {
                    let Streamed { stream, marks } = &mut **streamed;
                    let on_event = |event: StreamEvent<'_>| write_any(output, &event, marks, texts_to);
                    match call {
                        Call::Feed => stream.push_with(text, on_event),
                        Call::Unreadable => stream.push_unreadable_with(text, on_event),
                        Call::Oversized => stream.push_oversized_with(on_event),
                        Call::Finish => stream.finish_with(Some(text), on_event),
                    }
                }
                Reader::Envelope(envelope) => envelope.told(call, text, output, texts_to),
            }
            Ok(())
        })
    })
}

/// The assistant's message, if there is one, with its calls or without them.
#[unsafe(no_mangle)]
extern "C" fn message(slot: u32, with_calls: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            if let Reader::Provider(stream) = &slot.reader
                && let Some(message) =
                    if with_calls != 0 { stream.stream.message() } else { stream.stream.message_without_calls() }
            {
                output.text(&message);
            }
            Ok(())
        })
    })
}

/// Returns the reason why the stream does not count as whole: the kind, a blank, and a sentence; nothing if it does.
#[unsafe(no_mangle)]
extern "C" fn unfinished(slot: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            if let Reader::Provider(stream) = &slot.reader
                && let Err(unfinished) = stream.stream.verdict()
            {
                output.text(&alloc::format!("{} {unfinished}", unfinished.kind().name()));
            }
            Ok(())
        })
    })
}

/// The provider's name, once it is known.
#[unsafe(no_mangle)]
extern "C" fn provider(slot: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            if let Reader::Provider(stream) = &slot.reader
                && let Some(provider) = stream.stream.provider()
            {
                output.text(provider.name());
            }
            Ok(())
        })
    })
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

/// An event, those in the text and those of a sub-agent included: such a one has the agent's record before its own.
fn write_any(output: &mut Output, event: &StreamEvent<'_>, marks: &[Delimiter], texts_to: u64) {
    match *event {
        // These have no record.
        StreamEvent::Agent { event: StreamEvent::Call(CallEvent::Fragment { .. }), .. } => {}
        StreamEvent::Agent { agent, event, .. } => {
            record(output, tag::AGENT, &[agent.into()]);
            write_any(output, event, marks, texts_to);
        }
        StreamEvent::Payload { choice, block, ref event, .. } => {
            crate::envelopes::write(output, event, marks, texts_to, Some((choice, block)));
        }
        _ => write(output, event, texts_to),
    }
}

fn write(output: &mut Output, event: &StreamEvent<'_>, texts_to: u64) {
    match *event {
        StreamEvent::Call(CallEvent::Start(ToolCall { number, id, name, choice, executor, .. })) => {
            let fields = [number.into(), Text(id), Text(name), choice.into(), executor.name().into()];
            record(output, tag::CALL, &fields);
        }
        StreamEvent::Call(CallEvent::Match { call, event }) => {
            record(output, tag::MATCH, &[call.number.into()]);
            events::write(output, &event, &[], texts_to);
        }
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let fields = [call.number.into(), Text(call.id), Text(call.name), call.executor.name().into()];
            write_verdict(output, tag::INPUT, fields, &input, None);
        }
        StreamEvent::Call(CallEvent::Error(error)) => {
            record(output, tag::CALL_ERROR, &[Number(error.call()), error.kind().name().into()]);
        }
        StreamEvent::End => record(output, tag::STREAM_END, &[]),
        // Fragments say what matches and inputs say.
        StreamEvent::Call(_) => {}
        _ => declared::write(output, event),
    }
}
