//! State of a read while serde deserializes a type from one of its own buffers.
//!
//! To read a tagged or untagged enum, or a flattened field, serde first reads the value into a private tree and then
//! the type from that tree, through a deserializer that has no notion of open values. Two questions then have no answer
//! in serde's buffer:
//!
//! - *Is this value complete?* [`Settled`](crate::Settled) has to know. Serde fills and reads a buffer within one call,
//!   so a buffered value belongs to the value being read, and the answer is whether that value is open
//!   ([`OpenGuard`]). A value inside it may have closed already; that shows when the surrounding value closes.
//! - *Does the type read the open string as text?* Text may be shown while it grows. A tag, variant, date or address
//!   may not: an open `run` may still become `runner`. So the type is read once more with a stand-in for that string.
//!   Serde's buffers keep the stand-in, and no reader of a string accepts it, neither from a buffer nor through a
//!   visitor that accepts anything and is not a buffer. A reader that expects a string fails, and our error type
//!   records here what it expected ([`Probe`]).
//!
//! Neither answer can pass through serde's buffers, and serde drops the errors of an untagged enum's variants. The
//! answers are therefore stored per thread: a read begins and ends in one thread. Without the feature `std` there are
//! no thread locals. Then an open value is not buffered, and a value that serde buffers is absent until it closes
//! ([`CAN_BE_OPEN`]). A `Settled` that is itself flattened, or that reads from another deserializer, is then taken for
//! complete.

#![cfg_attr(not(feature = "std"), allow(dead_code, unused_variables, reason = "nothing is kept there"))]

#[cfg(feature = "std")]
use core::cell::Cell;

/// True if an open value may be buffered.
pub(super) const CAN_BE_OPEN: bool = cfg!(feature = "std");

/// The stand-in for the innermost open string: a noncharacter in a newtype. A document's own characters are in strings.
pub(super) const STAND_IN: char = '\u{FFFF}';

#[cfg(feature = "std")]
thread_local! {
    static STATE: Cell<State> = const { Cell::new(State { is_open: false, probed: Probed::Inactive }) };
}

#[derive(Clone, Copy)]
struct State {
    /// True if the value being read is open.
    is_open: bool,
    probed: Probed,
}

/// How readers have asked for the stand-in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probed {
    /// No stand-in is in use.
    Inactive,
    /// No reader yet, or only readers that expect text or never accept a string.
    AsText,
    /// A reader that may turn a string into something other than text.
    AsName,
}

/// Changes the state of this thread. Returns the previous state.
fn change(to: impl FnOnce(State) -> State) -> State {
    #[cfg(feature = "std")]
    return STATE.with(|state| {
        let before = state.get();
        state.set(to(before));
        before
    });
    #[cfg(not(feature = "std"))]
    State { is_open: false, probed: Probed::Inactive }
}

/// A guard: while it lives, the value being read is open or complete, as given.
pub(super) struct OpenGuard {
    before: bool,
}

impl OpenGuard {
    pub(super) fn new(is_open: bool) -> Self {
        Self { before: change(|state| State { is_open, ..state }).is_open }
    }
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        change(|state| State { is_open: self.before, ..state });
    }
}

/// Returns true if a value read from a buffer may be open.
pub(super) fn may_be_open() -> bool {
    change(|state| state).is_open
}

/// A guard: while it lives, a type is being read with the stand-in.
pub(super) struct Probe {
    before: Probed,
}

impl Probe {
    pub(super) fn start() -> Self {
        Self { before: change(|state| State { probed: Probed::AsText, ..state }).probed }
    }

    /// Returns true if a reader may have turned the stand-in into something other than text.
    pub(super) fn has_found_name(&self) -> bool {
        change(|state| state).probed == Probed::AsName
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        change(|state| State { probed: self.before, ..state });
    }
}

/// Records what a reader expected in place of the stand-in.
pub(super) fn record_expected(expected: &str) {
    let expects_name = !is_text(expected) && !is_never_a_string(expected);
    change(|state| match state.probed {
        Probed::AsText if expects_name => State { probed: Probed::AsName, ..state },
        _ => state,
    });
}

/// Recognizes readers of text by the wording that serde and serde_json use for them. With an unknown wording the string
/// is absent until it has closed, which delays a value but never shows a wrong one.
fn is_text(expected: &str) -> bool {
    const TEXT: &str = "a string, a borrowed string, path string, a borrowed path, byte array, a byte array, \
                        a borrowed byte array, any valid JSON value";
    TEXT.split(", ").any(|text| text == expected)
}

/// Recognizes readers that never accept a string by the wording that serde and derived code use for them.
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
        let outer = OpenGuard::new(true);
        {
            let _inner = OpenGuard::new(false);
            assert!(!may_be_open());
        }
        assert!(may_be_open());
        let probe = Probe::start();
        record_expected("a string");
        record_expected("struct Point");
        assert!(!probe.has_found_name());
        {
            let inside = Probe::start();
            record_expected("variant identifier");
            assert!(inside.has_found_name());
        }
        assert!(!probe.has_found_name());
        record_expected("a date");
        record_expected("a string");
        assert!(probe.has_found_name() && may_be_open());
        drop((probe, outer));
        record_expected("a date");
        assert!(!may_be_open() && !Probe::start().has_found_name());
    }
}
