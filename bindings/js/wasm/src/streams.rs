//! Provider streams: what one is made from, and how what it reports is written.

use alloc::vec::Vec;

use jsonspigot::{PatternSet, Retain};
use jsonspigot_framing::Frames;
use jsonspigot_llm::{
    CallEvent, Delimiter, DelimiterError, Envelope, EnvelopeEvent, Provider, ProviderStream, StreamEvent, ToolCall,
    ToolCalls,
};
use slab::Slab;

use crate::options::{Options, flag};
use crate::output::Output;
use crate::record::{Field, Flag, Number, Text, record, tag, write_verdict};
use crate::{declared, events};

/// A stream, and the reader of the body that it comes in.
pub(crate) struct Stream {
    pub(crate) frames: Frames,
    pub(crate) stream: ProviderStream,
    /// The marks of payloads in its text, which JavaScript knows by their places.
    pub(crate) marks: Vec<Delimiter>,
}

impl Stream {
    /// Creates a stream of the provider with this place in `Provider::ALL`, or one that detects its provider. The input has
    /// the [`Options`], the number of the pattern set whose closing is reported, if it is, the number of marks of payloads and
    /// these, and numbers and names of the pattern sets of single tools.
    ///
    /// # Errors
    ///
    /// Fails with the place of the first mark that is invalid.
    pub(crate) fn new(
        input: &[u8],
        patterns: u32,
        provider: u32,
        sets: &Slab<PatternSet>,
    ) -> Result<Self, (usize, DelimiterError)> {
        let (options, mut texts) = Options::read(input);
        let mut calls = ToolCalls::builder().parser(options.parser()).limits(options.call_limits());
        if let Some(patterns) = sets.get(patterns as usize) {
            calls = calls.patterns(patterns);
        }
        let closed = texts.next().and_then(|set| set.parse().ok()).and_then(|set: usize| sets.get(set));
        if let Some(closed) = closed {
            calls = calls.report_closed(closed);
        }
        let count = texts.next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let marks = texts.by_ref().take(count).enumerate();
        let marks: Vec<Delimiter> =
            marks.map(|(place, mark)| mark.parse().map_err(|error| (place, error))).collect::<Result<_, _>>()?;
        let envelope = (!marks.is_empty()).then(|| {
            let empty = PatternSet::default();
            let patterns = sets.get(patterns as usize).unwrap_or(&empty);
            let parser = options.parser().retain(Retain::Matches);
            Envelope::builder().parser(parser).build(marks.iter().cloned(), patterns)
        });
        while let (Some(set), Some(name)) = (texts.next(), texts.next()) {
            if let Some(patterns) = set.parse().ok().and_then(|set| sets.get(set)) {
                calls = calls.patterns_for(name, patterns);
            }
        }
        if options.has(flag::CUMULATIVE) {
            calls = calls.cumulative();
        }
        let calls = calls.build();
        let mut stream = match Provider::ALL.get(provider as usize) {
            Some(provider) => ProviderStream::new(*provider, calls),
            None => ProviderStream::detecting(calls),
        };
        if options.has(flag::STRUCTURED) {
            stream = stream.structured();
        }
        if options.has(flag::MESSAGE) {
            stream = stream.with_message();
        }
        if options.has(flag::PROVIDER_EVENTS) {
            stream = stream.with_provider_events();
        }
        if options.saveable() > 0 {
            stream = stream.saveable(options.saveable());
        }
        if let Some(envelope) = envelope {
            stream = stream.with_envelope(envelope);
        }
        Ok(Self { frames: Frames::with_limit(options.event_bytes()), stream, marks })
    }
}

/// Writes an event of any kind. An event of a sub-agent has the agent's record before its own.
pub(crate) fn write_any(output: &mut Output, event: &StreamEvent<'_>, marks: &[Delimiter]) {
    match event {
        // These have no record.
        StreamEvent::Agent { event, .. } if matches!(**event, StreamEvent::Call(CallEvent::Fragment { .. })) => {}
        StreamEvent::Agent { agent, event, .. } => {
            record(output, tag::AGENT, &[(&**agent).into()]);
            write_any(output, event, marks);
        }
        StreamEvent::Payload { choice, block, event, .. } => {
            write_payload(output, event, marks, (*choice, *block));
        }
        _ => write(output, event),
    }
}

fn write(output: &mut Output, event: &StreamEvent<'_>) {
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
            events::write(output, event);
        }
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let fields =
                [call.number.into(), Text(call.id.as_deref()), Text(call.name.as_deref()), call.executor.name().into()];
            write_verdict(output, tag::INPUT, fields, input, None);
        }
        StreamEvent::Call(CallEvent::Error(error)) => {
            record(output, tag::CALL_ERROR, &[Number(error.call()), error.kind().name().into()]);
        }
        StreamEvent::Call(CallEvent::Closed { call }) => record(output, tag::CALL_CLOSED, &[call.number.into()]),
        StreamEvent::Call(CallEvent::FieldsClosed { call }) => {
            record(output, tag::FIELDS_CLOSED, &[call.number.into()])
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

/// Writes an event of a payload in the text of an answer's block.
fn write_payload(output: &mut Output, event: &EnvelopeEvent<'_>, marks: &[Delimiter], within: (u64, u64)) {
    let (choice, block): (Field<'_>, Field<'_>) = (within.0.into(), within.1.into());
    let place = |mark: &Delimiter| Number(marks.iter().position(|known| known == mark).map(|place| place as u64));
    match event {
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            let fields = [place(delimiter), (&**open).into(), (*offset).into(), choice, block];
            record(output, tag::PAYLOAD_START, &fields);
        }
        EnvelopeEvent::Match { delimiter, event } => {
            record(output, tag::PAYLOAD_MATCH, &[place(delimiter), choice, block]);
            events::write(output, event);
        }
        EnvelopeEvent::Fragment { delimiter, text } => {
            record(output, tag::FRAGMENT, &[place(delimiter), (&**text).into(), choice, block]);
        }
        EnvelopeEvent::End { delimiter, payload, close, length } => {
            let fields = [place(delimiter), (&**close).into(), (*length).into(), Flag(false)];
            write_verdict(output, tag::PAYLOAD, fields, payload, Some(within));
        }
        // The text around payloads is an event of the stream.
        _ => {}
    }
}
