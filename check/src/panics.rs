//! Callbacks that panic, and callers that catch the panic.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Panics without a message.
pub fn panic_now() -> ! {
    resume_unwind(Box::new(()))
}

/// Returns a callback that panics at its call number `call`, from 0, and at every later one.
pub fn panic_at(call: usize) -> impl FnMut() + Clone {
    let mut calls = 0;
    move || {
        calls += 1;
        if calls > call {
            panic_now();
        }
    }
}

/// Returns true if `read` panics.
pub fn panics(read: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(read)).is_err()
}
