//! Provider streams: what one is made from, and how what it reports is written.

use alloc::vec::Vec;

use jsonspigot::{DuplicateKeys, PatternSet, Retain};
use jsonspigot_llm::{
    CallEvent, CallLimits, Delimiter, Envelope, Provider, ProviderStream, StreamEvent, ToolCall, ToolCalls,
};

use crate::output::Output;
use crate::record::{Number, Text, record, tag, write_verdict};
use crate::table::Table;
use crate::{declared, envelopes, events, options};

/// A stream, and the marks of payloads in its text, which JavaScript knows by their places.
pub(crate) struct Streamed {
    pub(crate) stream: ProviderStream,
    pub(crate) marks: Vec<Delimiter>,
}

impl Streamed {
    /// A stream of the provider with this place in `Provider::ALL`, or of one that is to be found out. The input has:
    ///
    /// - flags: the answer is structured, the message is kept, fragments repeat the input so far, the last of equal keys
    ///   counts, each event is passed on as it came, the text has payloads between marks;
    /// - five limits of 64 bits each: open calls, bytes of an input, of a name, of an event, and of what is buffered to be
    ///   saved, which is 0 if it is not to be;
    /// - the options of the parsers;
    /// - the number of marks and these, if the flags say that there are some, as texts;
    /// - numbers and names of the pattern sets of single tools, as texts.
    ///
    /// Returns the number of the match from which on the ends of strings have their text.
    pub(crate) fn new(input: &[u8], patterns: u32, provider: u32, sets: &mut Table<PatternSet>) -> (Self, u64) {
        let number = |at: usize| options::number(input, at);
        let flags = number(0) as u32;
        let size = |place: usize| usize::try_from(number(4 + 8 * place)).unwrap_or(usize::MAX);
        let limits =
            CallLimits::new().open_calls(size(0)).input_bytes(size(1)).name_bytes(size(2)).event_bytes(size(3));
        let options::Options { builder, texts_to, .. } = options::read(input.get(44..).unwrap_or_default());
        let builder = if flags & 8 != 0 { builder.duplicate_keys(DuplicateKeys::LastWins) } else { builder };
        let mut calls = ToolCalls::builder().parser(builder.clone()).limits(limits);
        if let Some(patterns) = sets.get_mut(patterns) {
            calls = calls.patterns(patterns);
        }
        let mut tools = options::texts(input.get(44 + options::LEN..).unwrap_or_default());
        let marks = if flags & 32 != 0 { envelopes::marks(&mut tools) } else { Vec::new() };
        let envelope = (flags & 32 != 0).then(|| {
            let empty = PatternSet::default();
            let patterns = sets.get_mut(patterns).map_or(&empty, |patterns| &*patterns);
            Envelope::builder().parser(builder.retain(Retain::Matches)).build(marks.iter().cloned(), patterns)
        });
        while let (Some(set), Some(name)) = (tools.next(), tools.next()) {
            if let Some(patterns) = set.parse().ok().and_then(|set| sets.get_mut(set)) {
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
        if size(4) > 0 {
            stream = stream.saveable(size(4));
        }
        if let Some(envelope) = envelope {
            stream = stream.with_envelope(envelope);
        }
        (Self { stream, marks }, texts_to)
    }
}

/// An event, those in the text and those of a sub-agent included: such a one has the agent's record before its own.
pub(crate) fn write_any(output: &mut Output, event: &StreamEvent<'_>, marks: &[Delimiter], texts_to: u64) {
    match event {
        // These have no record.
        StreamEvent::Agent { event, .. } if matches!(**event, StreamEvent::Call(CallEvent::Fragment { .. })) => {}
        StreamEvent::Agent { agent, event, .. } => {
            record(output, tag::AGENT, &[(&**agent).into()]);
            write_any(output, event, marks, texts_to);
        }
        StreamEvent::Payload { choice, block, event, .. } => {
            envelopes::write(output, event, marks, texts_to, Some((*choice, *block)));
        }
        _ => write(output, event, texts_to),
    }
}

fn write(output: &mut Output, event: &StreamEvent<'_>, texts_to: u64) {
    match event {
        StreamEvent::Call(CallEvent::Start { call: ToolCall { number, id, name, choice, executor, .. } }) => {
            let fields = [
                (*number).into(),
                Text(id.as_deref()),
                Text(name.as_deref()),
                (*choice).into(),
                executor.name().into(),
            ];
            record(output, tag::CALL, &fields);
        }
        StreamEvent::Call(CallEvent::Match { call, event }) => {
            record(output, tag::MATCH, &[call.number.into()]);
            events::write(output, event, &[], texts_to);
        }
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let fields =
                [call.number.into(), Text(call.id.as_deref()), Text(call.name.as_deref()), call.executor.name().into()];
            write_verdict(output, tag::INPUT, fields, input, None);
        }
        StreamEvent::Call(CallEvent::Error(error)) => {
            record(output, tag::CALL_ERROR, &[Number(error.call()), error.kind().name().into()]);
        }
        StreamEvent::Call(CallEvent::LooksCumulative { call }) => {
            record(output, tag::WARNING, &[call.number.into(), "cumulative".into()]);
        }
        StreamEvent::End => record(output, tag::STREAM_END, &[]),
        // Fragments say what matches and inputs say.
        StreamEvent::Call(_) => {}
        _ => declared::write(output, event),
    }
}
