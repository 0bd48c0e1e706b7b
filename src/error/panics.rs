//! What happens to a reader if a callback panics: part of the chunk is lost, so the reader must fail if the caller catches
//! the panic.

use core::mem;

/// A reader that calls the caller's code while it reads a chunk.
pub trait Interrupted {
    /// Marks the reader as failed after a panic in a callback. Runs while the panic unwinds, so it must not panic.
    fn interrupt(&mut self);
}

/// Calls `read`, and interrupts the reader if it panics. Costs nothing if it does not.
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
