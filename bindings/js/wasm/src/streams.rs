//! Provider streams, and what one is made from.

use alloc::vec::Vec;

use jsonspigot::{PatternSet, Retain};
use jsonspigot_framing::Frames;
use jsonspigot_llm::{Delimiter, DelimiterError, Envelope, Provider, ProviderStream, ToolCalls};
use slab::Slab;

use crate::options::{Options, flag};

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
