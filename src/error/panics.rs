//! Panics in callbacks. Events of the chunk are lost, so the reader must fail if the caller catches the panic.

use core::mem;

/// A reader that runs the caller's code while it reads a chunk. Hidden, or the other crates' pages would show it.
#[doc(hidden)]
pub trait Interrupted {
    /// Marks the reader as failed after a panic in a callback. Runs while the panic unwinds, so it must not panic.
    fn interrupt(&mut self);
}

/// Runs `read` and interrupts the reader if it panics. Without a panic it costs nothing.
#[inline(always)]
pub fn unless_interrupted<R: Interrupted, T>(reader: &mut R, read: impl FnOnce(&mut R) -> T) -> T {
    struct Guard<'a, R: Interrupted>(&'a mut R);

    impl<R: Interrupted> Drop for Guard<'_, R> {
        #[cold]
        fn drop(&mut self) {
            self.0.interrupt();
        }
    }

    let guard = Guard(reader);
    let result = read(&mut *guard.0);
    mem::forget(guard);
    result
}
