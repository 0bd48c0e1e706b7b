//! A word that several threads may read and write at once.

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering};

/// A cached word. It only saves time and never affects a result: a clone starts from 0. On a platform
/// without 64-bit atomics it is always 0.
#[derive(Debug, Default)]
pub(crate) struct Word {
    #[cfg(target_has_atomic = "64")]
    word: AtomicU64,
}

impl Word {
    /// Returns the word, and makes all earlier stores before it visible.
    pub(crate) fn load(&self) -> u64 {
        #[cfg(target_has_atomic = "64")]
        return self.word.load(Ordering::Acquire);
        #[cfg(not(target_has_atomic = "64"))]
        return 0;
    }

    /// Replaces the word.
    pub(crate) fn store(&self, word: u64) {
        #[cfg(target_has_atomic = "64")]
        self.word.store(word, Ordering::Release);
        #[cfg(not(target_has_atomic = "64"))]
        let _ = word;
    }
}

impl Clone for Word {
    fn clone(&self) -> Self {
        Self::default()
    }
}
