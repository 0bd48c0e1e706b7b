//! The knowledge of a look while serde reads a type out of one of its own buffers.
//!
//! To read a tagged or untagged enum, or a flattened field, serde first reads the value into a private tree, and then
//! the type from that tree, through a deserializer that knows nothing of open values. Two questions are left open,
//! which only the look can answer and only the type asks:
//!
//! - *Is this complete?* [`Settled`](crate::Settled) has to know. What is read out of a buffer belongs to the value
//!   that is being read at the time, since serde reads both within one call: so the answer is whether that one is open
//!   ([`Around`]). Something inside it may have closed already; that shows when the value around it closes.
//! - *Who asks for the open string?* Only the type knows whether it wants a string as text, which may be shown while it
//!   grows, or as a tag, variant, date or address: an open `run` may still become `runner`. So the type is read once
//!   more with a stand-in for that string, which serde's buffers keep, and which nobody takes who wants a string:
//!   neither out of a buffer, nor where a visitor that takes anything is no buffer at all. Whoever asks for one gets an
//!   error; our error type makes it, and learns here what was expected ([`Asking`]).
//!
//! Neither answer has a way through serde's buffers, and serde drops the errors of an untagged enum's variants.
//! Therefore they are kept by thread: a look begins and ends in one. Without the feature `std` there are no threads to
//! keep them by. Then an open value is not buffered, and what serde buffers is absent until it closes
//! ([`CAN_BE_OPEN`]); and a `Settled` that is flattened itself, or is handed what others have read, can't know better
//! than that it is complete.

#[cfg(feature = "std")]
use core::cell::Cell;

/// True if an open value may be buffered.
pub(super) const CAN_BE_OPEN: bool = cfg!(feature = "std");

/// The stand-in for the innermost open string, in a newtype: a noncharacter. A document's own characters are in
/// strings.
pub(super) const STAND_IN: char = '\u{FFFF}';

#[cfg(feature = "std")]
thread_local! {
    static STATE: Cell<State> = const { Cell::new(State { is_open: false, asked: Asked::Unwatched }) };
}

#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "nothing is kept there"))]
struct State {
    /// True if the value that is being read is open.
    is_open: bool,
    asked: Asked,
}

/// The reader that has asked for the stand-in.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "nobody is watched there"))]
enum Asked {
    /// There is none.
    Unwatched,
    /// Nobody, or those who want text, or what no string is.
    AsText,
    /// Somebody who may make something else of a string.
    AsName,
}

/// Changes what is kept for this thread; gives what was kept before.
#[cfg_attr(not(feature = "std"), allow(unused_variables, reason = "nothing is kept there"))]
fn change(to: impl FnOnce(State) -> State) -> State {
    #[cfg(feature = "std")]
    return STATE.with(|state| {
        let before = state.get();
        state.set(to(before));
        before
    });
    #[cfg(not(feature = "std"))]
    State { is_open: false, asked: Asked::Unwatched }
}

/// As long as this lives, a value is being read that is open, or that is not.
pub(super) struct Around {
    before: bool,
}

impl Around {
    pub(super) fn value(is_open: bool) -> Self {
        Self { before: change(|state| State { is_open, ..state }).is_open }
    }
}

impl Drop for Around {
    fn drop(&mut self) {
        change(|state| State { is_open: self.before, ..state });
    }
}

/// Returns true if what is read out of a buffer may be open.
pub(super) fn may_be_open() -> bool {
    change(|state| state).is_open
}

/// As long as this lives, a type is being read with the stand-in.
pub(super) struct Asking {
    before: Asked,
}

impl Asking {
    pub(super) fn start() -> Self {
        Self { before: change(|state| State { asked: Asked::AsText, ..state }).asked }
    }

    /// Returns true if the stand-in was asked for as something that a string may be, other than text.
    pub(super) fn was_as_name(&self) -> bool {
        change(|state| state).asked == Asked::AsName
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        change(|state| State { asked: self.before, ..state });
    }
}

/// Notes what was expected where the stand-in was found.
pub(super) fn note(expected: &str) {
    let asks_for_name = !is_text(expected) && !is_never_a_string(expected);
    change(|state| match state.asked {
        Asked::AsText if asks_for_name => State { asked: Asked::AsName, ..state },
        _ => state,
    });
}

/// Recognizes the readers of text, by the way in which serde and serde_json describe them. What is not known here is
/// absent until it has closed, so another wording delays and never lies.
fn is_text(expected: &str) -> bool {
    const TEXT: &str = "a string, a borrowed string, path string, a borrowed path, byte array, a byte array, \
                        a borrowed byte array, any valid JSON value";
    TEXT.split(", ").any(|text| text == expected)
}

/// Recognizes readers that take no string, by the way in which serde and derived code describe them.
fn is_never_a_string(expected: &str) -> bool {
    const NEVER: &str = "a boolean, a sequence, a map, unit, option, i8, i16, i32, i64, i128, isize, \
                         u8, u16, u32, u64, u128, usize, f32, f64";
    const BEGINNINGS: &str = "a nonzero , struct , tuple struct , unit struct , struct variant, tuple variant, \
                              a tuple of size , an array of length , internally tagged enum , adjacently tagged enum ";
    NEVER.split(", ").any(|never| never == expected)
        || BEGINNINGS.split(", ").any(|beginning| expected.starts_with(beginning))
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn each_guard_puts_back_what_was_before() {
        assert!(!may_be_open());
        let outer = Around::value(true);
        {
            let _inner = Around::value(false);
            assert!(!may_be_open());
        }
        assert!(may_be_open());
        let asking = Asking::start();
        note("a string");
        note("struct Point");
        assert!(!asking.was_as_name());
        {
            let inside = Asking::start();
            note("variant identifier");
            assert!(inside.was_as_name());
        }
        assert!(!asking.was_as_name());
        note("a date");
        note("a string");
        assert!(asking.was_as_name() && may_be_open());
        drop((asking, outer));
        note("a date");
        assert!(!may_be_open() && !Asking::start().was_as_name());
    }
}
