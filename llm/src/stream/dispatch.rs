//! The state that a stream's reader keeps between events, and the handling of events that the wire format does not
//! know.

use alloc::boxed::Box;
use core::mem;

use super::provider::Provider;
use super::sequence::Sequence;
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::emitter::stream_state::KeepMessage;
use crate::formats::{Understood, kind_of};
use crate::json::{Node, Unreadable};

/// A function that makes the keeper of a provider's message from the provider and the largest length of the message.
/// Only [`ProviderStream::with_message`](crate::ProviderStream::with_message) names such a function, so programs that
/// never call it do not link the keepers.
pub(crate) type MakeKeeper = fn(Provider, usize) -> Option<Box<dyn KeepMessage>>;

/// A provider's reader, with its state between events.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    provider: Provider,
    /// True if an event has been read. Only the first event can be the body of an HTTP error.
    has_begun: bool,
    sequence: Sequence,
}

impl Dispatch {
    pub(crate) fn new(provider: Provider) -> Self {
        Self { provider, has_begun: false, sequence: Sequence::default() }
    }

    /// Creates the reader of a stream that began with events of no particular provider.
    pub(crate) fn begun(provider: Provider) -> Self {
        Self { has_begun: true, ..Self::new(provider) }
    }

    pub(crate) fn provider(&self) -> Provider {
        self.provider
    }

    /// Returns true if an event has been read.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns true if events are read without regard to earlier messages. Responses numbers its parts across messages,
    /// and messages of Realtime may overlap.
    pub(crate) fn forgets_messages(&self) -> bool {
        self.provider.format().forgets_messages
    }

    /// Makes the keeper of a message of at most `most` bytes; `None` if the provider has no such message.
    pub(crate) fn keep_message(&self, keeper: MakeKeeper, most: usize) -> Option<Box<dyn KeepMessage>> {
        keeper(self.provider, most)
    }

    /// Reads one event. Fails if it can't be read; then nothing was reported.
    pub(crate) fn read(&mut self, event: Node<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
        let format = self.provider.format();
        if format.has_numbers && self.sequence.is_repeated(event) {
            return Ok(());
        }
        // The event may have been looked at to detect the provider.
        event.tree().forget_marks();
        let understood = (format.read)(event, emit);
        // An event of another provider may have members of the same names with other meanings.
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
    /// Returns true if an event is the body of an error, an event of another provider, or of a type that no provider
    /// has.
    fn is_foreign(&self, event: Node<'_>) -> bool {
        let failure = if self.has_begun { Failure::reported_by(event) } else { Failure::alone(event) };
        let has_type = !kind_of(event).is_empty();
        failure.is_some() || Provider::sender_of(event).map_or(has_type, |sender| sender != self.provider)
    }
}

/// The members that identify an event's call or hold a piece of it, in events of any type.
const OF_A_PIECE: [&str; 6] = ["delta", "index", "inputTextDelta", "output_index", "toolCall", "toolCallId"];

/// Reports an unknown event: as an unknown part if its type may be a new one of this provider, otherwise as unknown.
/// Fails if it is not an object, or if its type is not a string.
fn report_unknown(event: Node<'_>, provider: Provider, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    if !event.is_object() {
        return Err(Unreadable);
    }
    // An event without a valid type may have been a fragment, and so may an event with members of a fragment.
    let has_lost = |name: &&str| event.member(name).is_there() && !event.member(name).is_string();
    if ["type", "event_type"].iter().any(has_lost) {
        return Err(Unreadable);
    }
    if OF_A_PIECE.iter().any(|name| event.member(name).is_there()) {
        emit.calls().leave_out("unknown-part");
    }
    match kind_of(event) {
        "" => emit.unknown_event(event),
        kind if Provider::sender_of(event).is_none_or(|sender| sender == provider) => emit.unknown_part(kind, event),
        _ => emit.unknown_event(event),
    }
    Ok(())
}
