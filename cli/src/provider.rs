//! `--provider`: the input is a provider's stream, and the patterns apply to each call's arguments.
//!
//! Owns what of a stream makes the run fail. How bytes become frames is in `framing`; what frames mean, the library
//! knows.

use std::fmt::Write as _;
use std::io;
use std::num::NonZeroUsize;

use jsonspigot::adapters::{CallErrorKind, CallLimits, CallsBuilder, InputStatus, Provider, ToolCalls, ToolEvent};

use crate::framing::{Frame, Framing};
use crate::output::Output;
use crate::report::{Failure, told};
use crate::source::{Complaints, Source};

/// A provider's stream.
pub(crate) struct Stream {
    framing: Framing,
    calls: ToolCalls,
    /// Whether its provider has to be found out.
    is_detecting: bool,
    bytes: u64,
    /// Frames that could be events, and those of them that could not.
    frames: u64,
    bad_frames: u64,
}

impl Stream {
    /// The stream of this provider, or of whom it shows to be.
    pub(crate) fn new(provider: Option<Provider>, calls: CallsBuilder) -> Self {
        let limit = NonZeroUsize::new(CallLimits::default().event_bytes).unwrap_or(NonZeroUsize::MAX);
        let calls = calls.build();
        let calls = match provider {
            Some(provider) => ToolCalls::new(provider, calls),
            None => ToolCalls::detecting(calls),
        };
        let is_detecting = provider.is_none();
        Self { framing: Framing::new(limit), calls, is_detecting, bytes: 0, frames: 0, bad_frames: 0 }
    }

    /// Reads what `frames` takes out of the framing.
    fn read(
        &mut self,
        output: &mut dyn Output,
        complaints: &mut Complaints,
        frames: impl FnOnce(&mut Framing, &mut dyn FnMut(Frame<'_>)),
    ) -> io::Result<()> {
        let Self { framing, calls, frames: count, bad_frames, .. } = self;
        let mut result = Ok(());
        frames(framing, &mut |frame| {
            let on_event = |event: ToolEvent<'_>| {
                *bad_frames += u64::from(matches!(event, ToolEvent::BadFrame { .. }));
                if result.is_ok() {
                    complain(&event, complaints);
                    result = output.tool(&event);
                }
            };
            *count += u64::from(frame != Frame::Text("[DONE]"));
            match frame {
                Frame::Text(text) => calls.push(text, on_event),
                Frame::NotUtf8(text) => calls.push_unreadable(text, on_event),
                Frame::TooLong => calls.push_oversized(on_event),
            }
        });
        result
    }
}

impl Source for Stream {
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        self.bytes += chunk.len() as u64;
        Ok(self.read(output, complaints, |framing, on_frame| framing.feed(chunk, on_frame))?)
    }

    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        self.read(output, complaints, |framing, on_frame| framing.finish(on_frame))?;
        let mut result = Ok(());
        self.calls.finish(|event| {
            if result.is_ok() {
                complain(&event, complaints);
                result = output.tool(&event);
            }
        });
        result?;
        // Not what was asked for: an error page, say, or nothing at all.
        if self.frames == self.bad_frames {
            complaints.push("no-event: nothing in the input is a provider's event".to_owned());
        } else if self.is_detecting && self.calls.provider().is_none() {
            complaints
                .push("unknown-provider: no event tells whose stream this is; name it: --provider NAME".to_owned());
        }
        Ok(output.done(self.bytes, None)?)
    }
}

/// What makes the run fail, though the stream goes on: something of a call, or more, did not come whole.
fn complain(event: &ToolEvent<'_>, complaints: &mut Complaints) {
    match *event {
        ToolEvent::ProviderError { message } => complaints.push(format!("provider-error: {message}")),
        ToolEvent::Error(error) => {
            // The call is what its deltas made it.
            let is_harmless = matches!(error.kind(), CallErrorKind::Ended | CallErrorKind::Mismatch);
            if !is_harmless {
                complaints.push(format!("{}: {error}", error.kind().name()));
            }
        }
        ToolEvent::Input { call, name, input, .. } => {
            let reason = match input.status() {
                InputStatus::Complete | InputStatus::Empty | InputStatus::Raw => return,
                InputStatus::Truncated { reason } => Some(reason),
                _ => None,
            };
            let mut line = input.error().map_or_else(|| "incomplete: nothing to go by has come".to_owned(), told);
            let _ = write!(line, " (call {call}");
            for part in [name, Some(input.status().name())].into_iter().flatten() {
                let _ = write!(line, ", {part}");
            }
            let _ = reason.map(|reason| write!(line, ": {reason}"));
            complaints.push(line + ")");
        }
        _ => {}
    }
}
