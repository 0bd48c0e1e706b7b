//! Implements `--provider`: the input is a provider's stream, and the patterns apply to each call's arguments.
//!
//! Decides which events make the run fail. The crate `jsonspigot-framing` splits bytes into frames; the library
//! interprets them.

use std::fmt::Write as _;
use std::io;

use jsonspigot_framing::{Frame, Frames};
use jsonspigot_llm::{
    CallErrorKind, CallEvent, Payload, PayloadStatus, Provider, ProviderStream, StreamEvent, Unfinished,
};

use crate::envelope::{self, is_whole};
use crate::output::Output;
use crate::report::{Complaints, Failure, told};
use crate::source::Source;

/// A reader of a provider's stream.
#[derive(Clone)]
pub(crate) struct Stream {
    frames: Frames,
    calls: ProviderStream,
    /// The stream before it has read anything, into which saved states are restored.
    new: ProviderStream,
    /// True if the provider has to be detected.
    is_detecting: bool,
    bytes: u64,
    /// The first frame that may be an event.
    first: Option<First>,
    /// True if any event meant something.
    has_reported: bool,
    /// True if a complaint already explains why there is no event.
    is_explained: bool,
    /// True if there were any complaints.
    has_complained: bool,
    /// Complaints about lines that are not events, until the provider is known: some programs print other lines between
    /// events.
    noise: Vec<String>,
}

/// The part of a frame that a complaint can show.
#[derive(Clone)]
struct First {
    beginning: String,
    /// The provider that sends events like this one.
    provider: Option<Provider>,
}

/// The largest number of a frame's characters that a complaint shows.
const MOST_SHOWN: usize = 200;

fn beginning(text: &str) -> String {
    text.chars().take(MOST_SHOWN).collect()
}

impl Stream {
    pub(crate) fn new(calls: ProviderStream) -> Self {
        Self {
            frames: Frames::new(),
            new: calls.clone(),
            is_detecting: calls.provider().is_none(),
            calls,
            bytes: 0,
            first: None,
            has_reported: false,
            is_explained: false,
            has_complained: false,
            noise: Vec::new(),
        }
    }

    /// Returns the verdict on the stream.
    pub(crate) fn verdict(&self) -> Result<(), Unfinished> {
        self.calls.verdict()
    }

    /// Reads the frames of a chunk, or those that the end of input leaves.
    fn read_frames(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> io::Result<()> {
        let Self { frames, calls, first, has_reported, is_explained, has_complained, noise, .. } = self;
        let mut result = Ok(());
        let on_frame = |frame: Frame<'_>| {
            let (mut is_bad, mut is_reported) = (false, false);
            let on_event = |event: StreamEvent<'_>| {
                is_bad |= matches!(event, StreamEvent::BadFrame { .. });
                if let StreamEvent::BadFrame { text } = &event
                    && event.is_noise()
                {
                    noise.push(format!("bad-frame: {}", beginning(text)));
                }
                *has_reported |= event.means_something();
                is_reported |= matches!(event, StreamEvent::ProviderError { .. });
                report(&event, output, complaints, &mut result);
            };
            if let Frame::Damaged(damage) = &frame {
                *is_explained = true;
                // Programs print no binary messages to a terminal, so earlier noise is complained about first.
                noise.drain(..).for_each(|line| complaints.push(line));
                return complaints.push(damage.to_string());
            }
            frame.push_to(calls, on_event);
            settle_noise(calls.provider(), noise, complaints);
            match &frame {
                Frame::Text(text) if first.is_none() && !is_bad && !matches!(text.trim_ascii(), "" | "[DONE]") => {
                    *first = Some(First { beginning: beginning(text), provider: Provider::detect(text) });
                }
                Frame::Exception(text) => {
                    *is_explained = true;
                    // The library does not know the exception's name, but it is an error all the same.
                    if !is_reported {
                        complaints.push(format!("provider-error: {}", beginning(text)));
                    }
                }
                _ => {}
            }
        };
        match chunk {
            Some(chunk) => frames.feed_with(chunk, on_frame),
            None => frames.finish_with(on_frame),
        }
        *has_complained |= !complaints.is_empty();
        result
    }
}

impl Source for Stream {
    fn read(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> Result<(), Failure> {
        self.bytes += chunk.map_or(0, <[u8]>::len) as u64;
        self.read_frames(chunk, output, complaints)?;
        if chunk.is_none() { self.end(output, complaints) } else { Ok(()) }
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let saved = self.frames.save_with(self.calls.save()?)?;
        (self.frames, self.calls) = Frames::new().restore_with(&saved, |state| self.new.clone().restore(state))?;
        Ok(())
    }
}

impl Stream {
    /// Ends the stream, and complains if it is not whole.
    fn end(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        self.noise.drain(..).for_each(|line| complaints.push(line));
        let (mut result, mut is_cut, mut has_cut_calls) = (Ok(()), false, false);
        self.calls.finish_with(|event| {
            self.has_reported |= event.means_something();
            is_cut |= matches!(own(&event), StreamEvent::Incomplete { .. });
            has_cut_calls |=
                matches!(own(&event), StreamEvent::Call(CallEvent::End { input, .. }) if is_truncated(input));
            report(&event, output, complaints, &mut result);
        });
        result?;
        self.has_complained |= !complaints.is_empty();
        // A complaint about a cut call or array already says so.
        if is_cut && !has_cut_calls && !self.is_explained {
            complaints.push("incomplete: the stream broke off before the provider ended the answer".to_owned());
        }
        match &self.first {
            None if self.is_explained => {}
            // The input is something else, such as an error page, or empty.
            None => complaints.push("no-event: nothing in the input is a provider's event".to_owned()),
            // The complaint about an error is enough, whichever provider sent it.
            Some(First { beginning, .. })
                if self.is_detecting && self.calls.provider().is_none() && !self.has_reported =>
            {
                complaints.push(format!(
                    "unknown-provider: no event identifies the provider; name it with --provider: {beginning}"
                ));
            }
            // A stream that was cut early may have no event with a meaning yet, but its provider is recognized.
            Some(First { beginning, provider }) if !self.has_reported && !is_cut => {
                let instead = provider.filter(|provider| Some(*provider) != self.calls.provider());
                let instead =
                    instead.map(|provider| format!(" (--provider {provider} may be meant)")).unwrap_or_default();
                complaints
                    .push(format!("no-event: no event has a meaning in this provider's format{instead}: {beginning}"));
            }
            Some(_) => {}
        }
        // The complaints above are the reason. Without any, the library's verdict may name another.
        self.has_complained |= !complaints.is_empty();
        if let Err(unfinished) = self.calls.verdict()
            && !self.has_complained
        {
            complaints.push(format!("{}: {unfinished}", unfinished.kind().name()));
        }
        Ok(output.done(self.bytes, None, None)?)
    }
}

/// Adds complaints about noise, unless a program may print such lines to its terminal.
fn settle_noise(provider: Option<Provider>, noise: &mut Vec<String>, complaints: &mut Complaints) {
    match provider {
        // After this much noise, the stream is not a program's.
        None if noise.len() < 64 => {}
        Some(Provider::ClaudeCode | Provider::Codex) => noise.clear(),
        _ => noise.drain(..).for_each(|line| complaints.push(line)),
    }
}

/// Returns a sub-agent's event without the agent; other events unchanged.
fn own<'e>(event: &'e StreamEvent<'e>) -> &'e StreamEvent<'e> {
    if let StreamEvent::Agent { event, .. } = event { event } else { event }
}

fn is_truncated(input: &Payload<'_>) -> bool {
    matches!(input.status(), PayloadStatus::Truncated { .. })
}

fn report(event: &StreamEvent<'_>, output: &mut dyn Output, complaints: &mut Complaints, result: &mut io::Result<()>) {
    if result.is_ok() {
        complain(event, complaints);
        *result = output.tool(event);
    }
}

/// Adds a complaint about an event that makes the run fail although the stream continues: a call, or another part, did
/// not arrive whole.
fn complain(event: &StreamEvent<'_>, complaints: &mut Complaints) {
    match event {
        StreamEvent::Agent { event, .. } => complain(event, complaints),
        StreamEvent::ProviderError { message, .. } => complaints.push(format!("provider-error: {message}")),
        StreamEvent::Call(CallEvent::Error(error)) => {
            // A late fragment changes nothing, a mismatch has an event of its own, and whether a fragment found its
            // call is known at the end.
            let is_harmless =
                matches!(error.kind(), CallErrorKind::Ended | CallErrorKind::Mismatch | CallErrorKind::NotStarted);
            if !is_harmless {
                complaints.push(format!("{}: {error}", error.kind().name()));
            }
        }
        StreamEvent::Payload { event, .. } => envelope::complain(event, complaints),
        StreamEvent::BadFrame { text } if !event.is_noise() => {
            complaints.push(format!("bad-frame: {}", beginning(text)));
        }
        StreamEvent::Mismatch { kind, call, .. } => {
            let of = call.map(|call| format!(" (call {call})")).unwrap_or_default();
            complaints.push(format!("mismatch: the provider contradicts the {} it sent before{of}", kind.name()));
        }
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let reason = match input.status() {
                status if is_whole(status) => return,
                PayloadStatus::Truncated { reason } => Some(reason),
                _ => None,
            };
            let mut line = input.error().map_or_else(|| "incomplete: the arguments were cut".to_owned(), told);
            let _ = write!(line, " (call {}", call.number);
            for part in [call.name.as_deref(), Some(input.status().name())].into_iter().flatten() {
                let _ = write!(line, ", {part}");
            }
            let _ = reason.map(|reason| write!(line, ": {reason}"));
            complaints.push(line + ")");
        }
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{io, iter};

    use jsonspigot::PatternSet;
    use jsonspigot_check::recorded;
    use jsonspigot_check::streams::support::each_cut;
    use jsonspigot_llm::{ProviderStream, ToolCalls};

    use super::Stream;
    use crate::output::Lines;
    use crate::report::Complaints;
    use crate::source::Source;

    /// The number of bytes that checkpoints may read again. After that there are few, since each reads all earlier
    /// bytes.
    const OFTEN: usize = 1 << 20;
    const RARELY: usize = 997;

    /// Returns the standard output and the complaints of a stream in these chunks, with checkpoints before them.
    fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<String>) {
        let calls = ToolCalls::builder().patterns(&PatternSet::new(["$..*"]).unwrap());
        let mut stream = Stream::new(ProviderStream::detecting(calls.build()).saveable(usize::MAX));
        let (mut written, mut complaints) = (Vec::new(), Complaints::default());
        let mut lines = Lines::new(io::Cursor::new(&mut written), None, &PatternSet::default());
        let (mut read, mut spent) = (0, 0);
        for (place, chunk) in chunks.into_iter().enumerate() {
            if spent < OFTEN || place % RARELY == 0 {
                stream.checkpoint().unwrap();
                spent += read;
            }
            stream.read(Some(chunk), &mut lines, &mut complaints).unwrap();
            read += chunk.len();
        }
        stream.read(None, &mut lines, &mut complaints).unwrap();
        (written, complaints.take())
    }

    pub(crate) fn every_cut_of_a_recorded_stream_gives_the_same_lines() {
        let errors = recorded::errors();
        for name in recorded::streams().into_iter().filter(|name| name.starts_with("fixtures/")).chain(errors) {
            let bytes = recorded::read(&name);
            let whole = read([&bytes[..]]);
            assert!(
                whole.0.ends_with(format!("{{\"event\":\"done\",\"bytes\":{}}}\n", bytes.len()).as_bytes()),
                "{name}"
            );
            assert_eq!(read(bytes.chunks(1)), whole, "{name}, byte by byte");
            for cuts in each_cut(bytes.len()) {
                let ends = cuts.iter().copied().chain([bytes.len()]);
                let chunks = iter::once(0).chain(cuts.iter().copied()).zip(ends).map(|(start, end)| &bytes[start..end]);
                assert_eq!(read(chunks), whole, "{name} cut at {cuts:?}");
            }
        }
    }
}
