//! How long the paths of events are kept: until the events have been read, or the values have ended.

use super::Tracker;
use crate::parser::output::Output;

impl Tracker {
    /// Keeps the path of the event just reported until the event has been read.
    #[inline]
    pub(in crate::parser) fn keep_path<O: Output + ?Sized>(&mut self, out: &O) {
        if out.reads_later() {
            self.paths.pin(self.node);
        }
    }

    /// Releases the paths of events, which have been read, so that they may be [dropped](Self::compact_paths). Returns
    /// true if any path was kept for an event.
    #[inline]
    pub(in crate::parser) fn unpin_paths(&mut self) -> bool {
        self.paths.unpin()
    }

    /// Drops the paths of values that are no longer open, if there are many.
    #[inline]
    pub(in crate::parser) fn compact_paths(&mut self) {
        if self.paths.len() > 2 * self.frames.len() + 64 {
            self.compact_many_paths();
        }
    }

    #[inline(never)]
    fn compact_many_paths(&mut self) {
        let mut compaction = self.paths.begin_compaction();
        for frame in &mut self.frames {
            frame.node = compaction.keep(frame.node);
        }
        self.node = compaction.keep(self.node);
        compaction.finish();
    }
}
