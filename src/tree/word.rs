//! A word that several threads may read and write at once.

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering};

/// A word beside the document that saves time and never decides: a copy of the document begins with 0 again. On a
/// platform without such words it is always 0.
#[derive(Debug, Default)]
pub(crate) struct Word {
    #[cfg(target_has_atomic = "64")]
    word: AtomicU64,
}

impl Word {
    /// Returns the word, and makes visible what was stored before it.
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
