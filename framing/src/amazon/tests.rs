//! Tests of memory use, which is not visible from outside: how much memory a length takes.

use alloc::vec::Vec;

use super::{MOST_HEADERS, Messages, PRELUDE};
use crate::frame::Frame;

#[test]
fn a_length_alone_takes_no_memory() {
    for (total, headers) in [(u32::MAX, 0), (u32::MAX, MOST_HEADERS as u32), (30 << 20, MOST_HEADERS as u32)] {
        let lengths = [total.to_be_bytes(), headers.to_be_bytes()].concat();
        let prelude = [&lengths[..], &crc32fast::hash(&lengths).to_be_bytes()].concat();
        assert_eq!(prelude.len(), PRELUDE);
        let (mut messages, mut is_too_long) = (Messages::new(32 << 20), Vec::new());
        messages.feed(&prelude, &mut |frame| is_too_long.push(frame == Frame::TooLong));
        messages.feed(b"{}", &mut |_| {});
        assert!(messages.held.capacity() < 1000);
        assert_eq!(is_too_long, [true; 1][..usize::from(total == u32::MAX)]);
    }
}
