//! How long the paths of events stay: until the events have been read, or the values have ended.

use super::Tracker;
use crate::parser::output::Output;

impl Tracker {
    /// The path of the event just reported must stay until the event has been read.
    #[inline]
    pub(in crate::parser) fn keep_path<O: Output + ?Sized>(&mut self, out: &O) {
        if out.reads_later() {
            self.paths.pin(self.node);
        }
    }

    /// The events have been read: their paths may be [dropped](Self::compact_paths). Returns whether any had to stay.
    #[inline]
    pub(in crate::parser) fn unpin_paths(&mut self) -> bool {
        self.paths.unpin()
    }

    /// Drops paths, unless they are still open.
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
