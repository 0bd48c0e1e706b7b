//! Whether a type took the open string for the name of a variant when it read that string out of one of serde's
//! buffers.
//!
//! A buffer hands a string to any visitor that asks. Only the type knows whether it wants text, which may be shown
//! while it grows, or a tag or variant: an open `run` may still become `runner`. So the type is read once more with a
//! single character in place of the string. serde's buffers distinguish characters from strings, so a visitor that asks
//! for a string or a name gets an error there. Our error type makes that error, and is told what was expected.
//!
//! But serde drops the errors of an untagged enum's variants and of an optional flattened field, and an error type has
//! nowhere to leave a note that outlives the error. Hence the only global state in this library: one byte for each
//! reading that withholds its string. The character says which byte.

use core::sync::atomic::{AtomicU8, Ordering};

const FREE: u8 = 0;
const TAKEN: u8 = 1;
const ASKED: u8 = 2;

/// How many readings may withhold their open string at the same moment, in all threads.
const PLACES: usize = 64;

static NOTES: [AtomicU8; PLACES] = [const { AtomicU8::new(FREE) }; PLACES];

/// The first of the characters that stand for what is withheld; they are from a private use area. A document's own
/// characters can't be mistaken for them: they are in strings.
const FIRST: u32 = 0xF_0000;

/// A note's place, for one reading.
#[derive(Debug)]
pub(super) struct Withheld {
    place: usize,
}

impl Withheld {
    /// Takes a free place, if there is one.
    pub(super) fn new() -> Option<Self> {
        // A note is written and read by one thread. Threads only have to agree on who owns which place.
        let take = |note: &AtomicU8| note.compare_exchange(FREE, TAKEN, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        NOTES.iter().position(take).map(|place| Self { place })
    }

    /// What stands for the string.
    pub(super) fn character(&self) -> char {
        char::from_u32(FIRST + self.place as u32).unwrap_or_default()
    }

    /// Whether a name was asked for where the character was.
    pub(super) fn was_asked_as_name(&self) -> bool {
        NOTES[self.place].load(Ordering::Relaxed) == ASKED
    }
}

impl Drop for Withheld {
    fn drop(&mut self) {
        NOTES[self.place].store(FREE, Ordering::Relaxed);
    }
}

/// Notes that a character was found where something else was expected, if the character stands for an open string and
/// what was expected is a name.
pub(super) fn note(found: char, expected: &str) {
    // How derived code describes tags and variants, and how serde's buffers describe enums.
    let is_name = matches!(expected, "variant identifier" | "field identifier" | "string or map");
    let place = u32::from(found).checked_sub(FIRST).and_then(|place| NOTES.get(place as usize));
    if let (true, Some(note)) = (is_name, place) {
        // A free place stays free: then no reading withholds anything under this character.
        let _ = note.compare_exchange(TAKEN, ASKED, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_place_is_one_readings() {
        let all: Vec<_> = core::iter::from_fn(Withheld::new).collect();
        let mut characters: Vec<_> = all.iter().map(Withheld::character).collect();
        characters.dedup();
        assert!(!all.is_empty() && characters.len() == all.len());
        note(all[0].character(), "variant identifier");
        assert!(all[0].was_asked_as_name() && all[1..].iter().all(|one| !one.was_asked_as_name()));
        note(all[1].character(), "a string");
        assert!(!all[1].was_asked_as_name());
        assert!(Withheld::new().is_none());
        drop(all);
        assert!(!Withheld::new().unwrap().was_asked_as_name());
    }
}
