//! UTF-8 at every cut, and states that were made up.

use jsonspigot::{Error, ErrorKind, RestoreError};
use jsonspigot_framing::Utf8;

use crate::body::{number, sealed};

/// An error's kind, offset, line and column.
type Place = (ErrorKind, u64, u64, u64);

fn place(error: &Error) -> Place {
    (error.kind(), error.offset(), error.line(), error.column())
}

fn restored(state: &[u8]) -> Result<Utf8, RestoreError> {
    Utf8::new().restore_with(state, |_| Ok(())).map(|(utf8, ())| utf8)
}

/// Reads the text of these chunks, and its end. The state is saved and restored after each of them.
fn read(chunks: &[&[u8]]) -> (String, Option<Place>) {
    let (mut utf8, mut text) = (Utf8::default(), String::new());
    for chunk in chunks {
        let read = utf8.feed_with(chunk, |piece| {
            assert!(!piece.is_empty());
            text.push_str(piece);
        });
        utf8 = restored(&utf8.save_with("").unwrap()).unwrap();
        if let Err(error) = &read {
            assert_eq!(&utf8.feed_with(b"more", |piece| text.push_str(piece)), &read);
            assert_eq!(&utf8.finish(), &read);
            assert_eq!((utf8.offset(), utf8.error()), (error.offset(), Some(error)));
            return (text, Some(place(error)));
        }
    }
    assert_eq!(utf8.offset(), chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>());
    (text, utf8.finish().err().as_ref().map(place))
}

#[test]
fn any_cut_gives_the_same_text_and_the_same_error() {
    let incomplete = |offset, line, column| Some((ErrorKind::Incomplete, offset, line, column));
    let invalid = |offset, line, column| Some((ErrorKind::InvalidUtf8, offset, line, column));
    let inputs: [(&[u8], &str, Option<Place>); 13] = [
        ("aé€😀z".as_bytes(), "aé€😀z", None),
        (b"", "", None),
        (b"ab\xE2\x82", "ab", incomplete(4, 1, 5)),
        (b"ab\xF0\x9F\x98", "ab", incomplete(5, 1, 6)),
        (b"ab\xFFcd", "ab", invalid(2, 1, 3)),
        (b"ab\x80", "ab", invalid(2, 1, 3)),
        (b"\xE0\x80", "", invalid(1, 1, 2)),
        (b"x\xED\xA0\x80", "x", invalid(2, 1, 3)),
        (b"\xF4\x90\x80\x80", "", invalid(1, 1, 2)),
        (b"\xF0\x9F\x98A", "", invalid(3, 1, 4)),
        (b"\xC3\xA9\xC3(", "é", invalid(3, 1, 4)),
        (b"a\n\nb\xC3\xA9\xC3\n", "a\n\nbé", invalid(7, 3, 5)),
        (b"a\n\xC3\xA9\n\xC3", "a\né\n", incomplete(6, 3, 2)),
    ];
    for (input, text, end) in inputs {
        for first in 0..=input.len() {
            for second in first..=input.len() {
                let chunks = [&input[..first], &input[first..second], &input[second..]];
                assert_eq!(read(&chunks), (text.to_owned(), end), "{chunks:?}");
            }
        }
    }
}

#[test]
fn a_state_that_was_made_up_is_refused() {
    let made_up = |held: &[u8], numbers: [u64; 3], error: Option<u64>| {
        let mut added = [&*number(held.len() as u64), held, &numbers.map(number).concat()].concat();
        added.push(error.is_some().into());
        if let Some(offset) = error {
            added.push(0);
            added.extend(number(offset));
        }
        restored(&sealed(&added, b"")).map(|utf8| utf8.offset())
    };
    assert_eq!(made_up(b"\xF0\x9F", [9, 2, 5], None), Ok(11));
    assert_eq!(made_up(b"", [9, 2, 5], Some(12)), Ok(12));
    let refused = Err(RestoreError::Impossible);
    for held in [&b"a"[..], "é".as_bytes(), b"\xFF", b"a\xF0", b"\xF0\x9F\x98\x80", b"\xE0\x80"] {
        assert_eq!(made_up(held, [9, 2, 5], None), refused);
    }
    for numbers in [[9, 2, 10], [9, 6, 5], [9, 0, 5], [9, 2, 0], [u64::MAX, 0, 0]] {
        assert_eq!(made_up(b"", numbers, None), refused);
    }
    for (held, offset) in [(&b"\xF0"[..], 9), (b"", 8), (b"", 13), (b"", u64::MAX)] {
        assert_eq!(made_up(held, [9, 2, 5], Some(offset)), refused);
    }
}
