//! Readers that call code of the caller's in the middle of their work, which may panic: if the panic is caught, what
//! the reader had read of the chunk is lost, so it must not go on as if nothing had happened.

use core::mem;

/// A reader that calls back while it reads.
pub trait Interrupted {
    /// Fails for good, as a callback has panicked. Called while the panic unwinds, so it must not panic.
    fn interrupt(&mut self);
}

/// Reads, and interrupts the reader if that panics. If it does not, this costs nothing.
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
