//! The memory of a stream's reader from one event to the next, and what becomes of an event that its wire format does
//! not know.

use alloc::boxed::Box;
use core::mem;

use super::provider::Provider;
#[cfg(feature = "openai-responses")]
use super::sequence::Sequence;
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::emitter::stream_state::KeepMessage;
use crate::event::StreamEvent;
use crate::formats::Understood;
use crate::json::{Json, Unreadable};

/// Makes what keeps the message that goes back, for a provider and up to a length. The one place that names a function
/// of this kind is [`ProviderStream::with_message`](crate::ProviderStream::with_message).
pub(crate) type MakeKeeper = fn(Provider, usize) -> Option<Box<dyn KeepMessage>>;

/// A provider's reader, with what it must know from one event to the next.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    provider: Provider,
    /// True if an event has come before: only the first one can be the body of an HTTP error.
    has_begun: bool,
    #[cfg(feature = "openai-responses")]
    sequence: Sequence,
}

impl Dispatch {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            provider,
            has_begun: false,
            #[cfg(feature = "openai-responses")]
            sequence: Sequence::default(),
        }
    }

    /// The reader for a stream whose first events could have been any provider's.
    pub(crate) fn begun(provider: Provider) -> Self {
        Self { has_begun: true, ..Self::new(provider) }
    }

    pub(crate) fn provider(&self) -> Provider {
        self.provider
    }

    /// Returns true if an event has come before.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns true if an event of the next message is read as if no other had come before. Responses numbers its parts
    /// across messages, and those of Realtime may overlap.
    pub(crate) fn forgets_messages(&self) -> bool {
        match self.provider {
            #[cfg(feature = "openai-responses")]
            Provider::OpenaiResponses => false,
            #[allow(unreachable_patterns, reason = "where Responses is the only format")]
            _ => true,
        }
    }

    /// Sets the keeper of the message that goes back, up to a length.
    pub(crate) fn keep_message(&self, keeper: MakeKeeper, most: usize) -> Option<Box<dyn KeepMessage>> {
        keeper(self.provider, most)
    }

    /// Reads one event; an error says that it can't be read, and then nothing was reported.
    pub(crate) fn read(&mut self, event: Json<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
        #[cfg(feature = "openai-responses")]
        if self.provider == Provider::OpenaiResponses && self.sequence.is_repeated(event) {
            return Ok(());
        }
        let understood = (self.provider.format().read)(event, emit);
        // What is not this provider's at all may have members of the same names, which mean something else.
        let understood = match understood {
            Err(Unreadable) if self.is_foreign(event) => Understood::No,
            other => other?,
        };
        if understood == Understood::Yes {
            emit.keep(event);
        }
        let is_first = !mem::replace(&mut self.has_begun, true);
        if understood == Understood::No {
            match if is_first { Failure::alone(event) } else { Failure::reported_by(event) } {
                Some(failure) => {
                    emit.fail(&failure);
                    emit.unread_beside(&failure, event);
                }
                None => report_unknown(event, self.provider, emit)?,
            }
        }
        Ok(())
    }
}

impl Dispatch {
    /// Returns true if an event is an error's body, another provider's, or of a type that nobody has.
    fn is_foreign(&self, event: Json<'_>) -> bool {
        let failure = if self.has_begun { Failure::reported_by(event) } else { Failure::alone(event) };
        let has_type = ["event_type", "type"].iter().any(|name| !event.member(name).word().is_empty());
        failure.is_some() || Provider::sender_of(event).map_or(has_type, |sender| sender != self.provider)
    }
}

/// The members that say which call an event is of, or have a piece of it, whatever the event is called.
const OF_A_PIECE: [&str; 6] = ["delta", "index", "inputTextDelta", "output_index", "toolCall", "toolCallId"];

/// An event that is not known: of a new type, so that it is this provider's as far as anybody knows, or no provider's.
fn report_unknown(event: Json<'_>, provider: Provider, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    if !event.is_object() {
        return Err(Unreadable);
    }
    let kind = ["event_type", "type"].map(|name| event.member(name).word()).into_iter().find(|kind| !kind.is_empty());
    // What has lost its type may have been a fragment, and so may be what has a place or a piece.
    let has_lost = |name: &&str| event.given(name).is_some_and(|kind| !kind.is_string());
    if ["type", "event_type"].iter().any(has_lost) {
        return Err(Unreadable);
    }
    if OF_A_PIECE.iter().any(|name| event.given(name).is_some()) {
        emit.calls().leave_out("unknown-part");
    }
    match kind {
        Some(kind) if Provider::sender_of(event).is_none_or(|sender| sender == provider) => {
            emit.unknown_part(&kind, event);
        }
        _ => emit.report(StreamEvent::Unknown { text: event.spelt().into() }),
    }
    Ok(())
}
