//! Sequence numbers, which identify events that a server sends again after a connection broke: [`Sequence`].

use alloc::vec::Vec;

use jsonspigot::internal::saved::Digest;

use crate::json::Node;

/// The digests of the events that were read with consecutive numbers.
///
/// A number alone is not enough, since some servers give all events the same number. An event is a repetition if an
/// event with its number and its text was read, and an event with another number too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequence {
    first: u64,
    digests: Vec<Digest>,
}

/// The largest number of events that are remembered. One more event clears the memory.
const MOST_EVENTS: usize = 16 << 10;

impl Sequence {
    /// Records an event. Returns true if it has a `sequence_number` and was recorded before. Linear in the event's
    /// length.
    pub(crate) fn is_repeated(&mut self, event: Node<'_>) -> bool {
        let (mut number, mut digest) = (None, Digest::new());
        for value in event.members() {
            match value.key() {
                "sequence_number" => number = value.whole(),
                // Padding, which differs each time.
                "obfuscation" => {}
                _ => digest = digest.with_bytes(value.spelt().as_bytes()),
            }
        }
        let Some(number) = number else { return false };
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        match place {
            Some(place) if self.digests.get(place) == Some(&digest) && self.digests.len() > 1 => return true,
            Some(place) if place == self.digests.len() && place < MOST_EVENTS => {}
            _ => *self = Self { first: number, digests: Vec::new() },
        }
        self.digests.push(digest);
        false
    }
}
