//! Who asks for the innermost open value when it is read out of one of serde's buffers.
//!
//! A buffer hands a value to any visitor that asks. Only the type knows whether it wants a string as text, which may be
//! shown while it grows, or as a tag, variant, date or address: an open `run` may still become `runner`. And only the
//! type knows whether a list that is still open is asked for by a [`Settled`](crate::Settled). So the type is read once
//! more with a single character in place of that value. serde's buffers distinguish characters from strings and lists,
//! so whoever asks for one of those gets an error. Our error type makes that error, and is told what was expected. A
//! `Settled` takes anything, and notes the character itself.
//!
//! But serde drops the errors of an untagged enum's variants and of an optional flattened field, and an error type has
//! nowhere to leave a note that outlives the error. Hence the only global state in this library: one byte for each
//! reading that withholds a value. The character says which byte.

use core::sync::atomic::{AtomicU8, Ordering};

const FREE: u8 = 0;
/// Of a place that is taken: who asked, one bit each.
const TAKEN: u8 = 1;
const BY_NAME: u8 = 2;
const BY_SETTLED: u8 = 4;
const BY_OTHERS: u8 = 8;

/// How many readings may withhold a value at the same moment, in all threads.
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

    /// What stands for the value.
    pub(super) fn character(&self) -> char {
        char::from_u32(FIRST + self.place as u32).unwrap_or_default()
    }

    /// Whether the character was asked for as something that a string may be, other than text.
    pub(super) fn was_asked_as_name(&self) -> bool {
        NOTES[self.place].load(Ordering::Relaxed) & BY_NAME != 0
    }

    /// Whether the character was asked for by anything but a settled value.
    pub(super) fn was_asked_by_others(&self) -> bool {
        NOTES[self.place].load(Ordering::Relaxed) & BY_OTHERS != 0
    }

    /// Whether a settled value has the character in it.
    pub(super) fn was_asked_by_settled(&self) -> bool {
        NOTES[self.place].load(Ordering::Relaxed) & BY_SETTLED != 0
    }
}

impl Drop for Withheld {
    fn drop(&mut self) {
        NOTES[self.place].store(FREE, Ordering::Relaxed);
    }
}

/// Notes that a character was found where something else was expected, if it stands for what is withheld.
pub(super) fn note(found: char, expected: &str) {
    let is_name = !is_text(expected) && !is_never_a_string(expected);
    note_bit(found, if is_name { BY_OTHERS | BY_NAME } else { BY_OTHERS });
}

/// Notes that a settled value has the character in it.
pub(super) fn note_settled(found: char) {
    note_bit(found, BY_SETTLED);
}

fn note_bit(found: char, bit: u8) {
    let place = u32::from(found).checked_sub(FIRST).and_then(|place| NOTES.get(place as usize));
    if let Some(note) = place {
        // A free place stays free: then no reading withholds anything under this character.
        let _ = note.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bits| (bits != FREE).then_some(bits | bit));
    }
}

/// How serde describes the readers of text.
fn is_text(expected: &str) -> bool {
    const TEXT: [&str; 7] = [
        "a string",
        "a borrowed string",
        "path string",
        "a borrowed path",
        "byte array",
        "a byte array",
        "a borrowed byte array",
    ];
    TEXT.contains(&expected)
}

/// How serde, and code derived by it, describes what no string is read as.
fn is_never_a_string(expected: &str) -> bool {
    const NEVER: [&str; 19] = [
        "a boolean",
        "a sequence",
        "a map",
        "unit",
        "option",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "f32",
        "f64",
    ];
    const BEGINNINGS: [&str; 10] = [
        "a nonzero ",
        "struct ",
        "tuple struct ",
        "unit struct ",
        "struct variant",
        "tuple variant",
        "a tuple of size ",
        "an array of length ",
        "internally tagged enum ",
        "adjacently tagged enum ",
    ];
    NEVER.contains(&expected) || BEGINNINGS.iter().any(|beginning| expected.starts_with(beginning))
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
        note(all[1].character(), "struct Point");
        assert!(!all[1].was_asked_as_name() && all[1].was_asked_by_others() && !all[1].was_asked_by_settled());
        note_settled(all[1].character());
        note_settled('a');
        assert!(all[1].was_asked_by_settled() && !all[0].was_asked_by_settled() && !all[2].was_asked_by_others());
        assert!(Withheld::new().is_none());
        let last = all[0].character();
        drop(all);
        note_settled(last);
        let again = Withheld::new().unwrap();
        assert!(!again.was_asked_as_name() && !again.was_asked_by_settled());
    }
}
