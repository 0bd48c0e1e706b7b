//! The iterator form: the frames of one chunk, queued as ranges of one text.

use alloc::string::String;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::Range;
use core::slice;

use crate::frame::{Damage, Frame};

/// The frames of one chunk, in order.
///
/// Returned by [`Frames::feed`](crate::Frames::feed) and [`Frames::finish`](crate::Frames::finish). The frames borrow
/// from [`Frames`](crate::Frames), not from this iterator, so they can be collected. The whole chunk has been read
/// already: frames that are not taken out of the iterator are dropped.
///
/// ```
/// use jsonspigot_framing::{Frame, Frames};
///
/// let mut frames = Frames::new();
/// assert_eq!(frames.feed("{\"n\":1}\n{\"n\":").collect::<Vec<_>>(), [Frame::Text("{\"n\":1}")]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "the frames that are not taken are lost"]
pub struct FrameIter<'a> {
    text: &'a str,
    entries: slice::Iter<'a, Entry>,
}

impl<'a> Iterator for FrameIter<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = |range: &Range<usize>| &self.text[range.clone()];
        Some(match self.entries.next()? {
            Entry::Text(range) => Frame::Text(text(range)),
            Entry::Exception(range) => Frame::Exception(text(range)),
            Entry::Unreadable(range) => Frame::Unreadable(text(range)),
            Entry::TooLong => Frame::TooLong,
            Entry::Damaged(damage) => Frame::Damaged(*damage),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ExactSizeIterator for FrameIter<'_> {}

impl FusedIterator for FrameIter<'_> {}

/// The frames of one chunk. The buffers are reused from chunk to chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    text: String,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
enum Entry {
    Text(Range<usize>),
    Exception(Range<usize>),
    Unreadable(Range<usize>),
    TooLong,
    Damaged(Damage),
}

impl Queue {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
    }

    pub(crate) fn push(&mut self, frame: Frame<'_>) {
        let mut range = |text: &str| {
            let start = self.text.len();
            self.text.push_str(text);
            start..self.text.len()
        };
        let entry = match frame {
            Frame::Text(text) => Entry::Text(range(text)),
            Frame::Exception(text) => Entry::Exception(range(text)),
            Frame::Unreadable(text) => Entry::Unreadable(range(text)),
            Frame::TooLong => Entry::TooLong,
            Frame::Damaged(damage) => Entry::Damaged(damage),
        };
        self.entries.push(entry);
    }

    pub(crate) fn iter(&self) -> FrameIter<'_> {
        FrameIter { text: &self.text, entries: self.entries.iter() }
    }
}
