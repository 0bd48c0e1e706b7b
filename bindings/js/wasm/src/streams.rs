//! Provider streams: what one is made from, and how what it reports is written.

use alloc::vec::Vec;

use jsonspigot::{DuplicateKeys, PatternSet, Retain};
use jsonspigot_framing::Frames;
use jsonspigot_llm::{
    CallEvent, CallLimits, Delimiter, DelimiterError, Envelope, EnvelopeEvent, Provider, ProviderStream, StreamEvent,
    ToolCall, ToolCalls,
};

use crate::output::Output;
use crate::record::{Field, Flag, Number, Text, record, tag, write_verdict};
use crate::table::Table;
use crate::{declared, events, options};

/// A stream, and the reader of the body that it comes in.
pub(crate) struct Stream {
    pub(crate) frames: Frames,
    pub(crate) stream: ProviderStream,
    pub(crate) names: Names,
}

/// What the records of a stream's events depend on.
pub(crate) struct Names {
    /// The marks of payloads in its text, which JavaScript knows by their places.
    pub(crate) marks: Vec<Delimiter>,
    /// The first match from which on the ends of strings don't have their text.
    pub(crate) texts_to: u64,
}

impl Stream {
    /// Creates a stream of the provider with this place in `Provider::ALL`, or one that detects its provider. The input has:
    ///
    /// - flags: the answer is structured, the message is kept, fragments repeat the input so far, the last of equal keys
    ///   counts, each event is passed on as it came;
    /// - five limits of 64 bits each: open calls, bytes of an input, of a name, of an event, and of what is buffered to be
    ///   saved, which is 0 if it is not to be;
    /// - the options of the parsers;
    /// - the number of marks of payloads and these, as texts;
    /// - numbers and names of the pattern sets of single tools, as texts.
    ///
    /// # Errors
    ///
    /// Fails with the place of the first mark that is invalid.
    pub(crate) fn new(
        input: &[u8],
        patterns: u32,
        provider: u32,
        sets: &mut Table<PatternSet>,
    ) -> Result<Self, (usize, DelimiterError)> {
        let number = |at: usize| options::number(input, at);
        let flags = number(0) as u32;
        let size = |place: usize| usize::try_from(number(4 + 8 * place)).unwrap_or(usize::MAX);
        let limits =
            CallLimits::new().open_calls(size(0)).input_bytes(size(1)).name_bytes(size(2)).event_bytes(size(3));
        let options::Options { builder, texts_to } = options::read(input.get(44..).unwrap_or_default());
        let builder = if flags & 8 != 0 { builder.duplicate_keys(DuplicateKeys::LastWins) } else { builder };
        let mut calls = ToolCalls::builder().parser(builder.clone()).limits(limits);
        if let Some(patterns) = sets.get_mut(patterns) {
            calls = calls.patterns(patterns);
        }
        let mut texts = options::texts(input.get(44 + options::LEN..).unwrap_or_default());
        let count = texts.next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let marks = texts.by_ref().take(count).enumerate();
        let marks: Vec<Delimiter> =
            marks.map(|(place, mark)| mark.parse().map_err(|error| (place, error))).collect::<Result<_, _>>()?;
        let envelope = (!marks.is_empty()).then(|| {
            let empty = PatternSet::default();
            let patterns = sets.get_mut(patterns).map_or(&empty, |patterns| &*patterns);
            Envelope::builder().parser(builder.retain(Retain::Matches)).build(marks.iter().cloned(), patterns)
        });
        while let (Some(set), Some(name)) = (texts.next(), texts.next()) {
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
        Ok(Self { frames: Frames::with_limit(size(3)), stream, names: Names { marks, texts_to } })
    }
}

/// Writes an event of any kind. An event of a sub-agent has the agent's record before its own.
pub(crate) fn write_any(output: &mut Output, event: &StreamEvent<'_>, names: &Names) {
    match event {
        // These have no record.
        StreamEvent::Agent { event, .. } if matches!(**event, StreamEvent::Call(CallEvent::Fragment { .. })) => {}
        StreamEvent::Agent { agent, event, .. } => {
            record(output, tag::AGENT, &[(&**agent).into()]);
            write_any(output, event, names);
        }
        StreamEvent::Payload { choice, block, event, .. } => {
            write_payload(output, event, names, (*choice, *block));
        }
        _ => write(output, event, names.texts_to),
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
            events::write(output, event, texts_to);
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

/// Writes an event of a payload in the text of an answer's block.
fn write_payload(output: &mut Output, event: &EnvelopeEvent<'_>, names: &Names, within: (u64, u64)) {
    let (choice, block): (Field<'_>, Field<'_>) = (within.0.into(), within.1.into());
    let place = |mark: &Delimiter| Number(names.marks.iter().position(|known| known == mark).map(|place| place as u64));
    match event {
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            let fields = [place(delimiter), (&**open).into(), (*offset).into(), choice, block];
            record(output, tag::PAYLOAD_START, &fields);
        }
        EnvelopeEvent::Match { delimiter, event } => {
            record(output, tag::PAYLOAD_MATCH, &[place(delimiter), choice, block]);
            events::write(output, event, names.texts_to);
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
