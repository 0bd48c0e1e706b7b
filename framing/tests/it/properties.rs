//! Any body, any cut, any limit, any state.

use jsonspigot::RestoreError;
use jsonspigot_framing::{Frame, Frames, Utf8};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::amazon::event;
use crate::body::{restored, saved_and_restored, sealed};
use crate::saved::inputs;

/// Pieces with a meaning in one of the formats.
const KNOWN: &[&str] = &[
    "data: ",
    "data:",
    "data",
    "error: ",
    "event: e\n",
    ": c\n",
    "\n",
    "\r",
    "\r\n",
    " ",
    "\u{feff}",
    "{",
    "}",
    "[",
    "]",
    ",",
    "{}",
    "{\"a\":",
    "\"",
    "\\",
    "1",
    "12.5e3",
    "é",
    "😀",
    "[DONE]",
    "noise",
    "\0",
];

/// Generates a body of pieces with a meaning in one of the formats, and of others.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(KNOWN).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
        1 => (select(&["a", "chunk", "é"][..]), select(&["{}", "1", "{\"b\":[]}", "x"][..]))
            .prop_map(|(name, payload)| event(name, payload)),
        1 => select(inputs()),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Returns the chunks of a body that is cut at these positions.
fn chunks<'a>(body: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(body.len() + 1)).chain([0, body.len()]).collect();
    places.sort_unstable();
    places.windows(2).map(|edges| &body[edges[0]..edges[1]]).collect()
}

fn through_callbacks<'a>(mut frames: Frames, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame<'static>> {
    let mut owned = Vec::new();
    chunks.into_iter().for_each(|chunk| frames.feed_with(chunk, |frame| owned.push(frame.into_owned())));
    frames.finish_with(|frame| owned.push(frame.into_owned()));
    owned
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Checks that the frames do not depend on the cut, on the form of the call, on saving and restoring, or on clones;
    /// that an event is within the limit; and that unreadable bytes become at most three times as long.
    #[test]
    fn chunk_edges_are_invisible(body in body(), cuts in vec(any::<Index>(), 0..8), limit in 0_usize..60) {
        let whole = through_callbacks(Frames::with_limit(limit), [&*body]);
        prop_assert_eq!(&through_callbacks(Frames::with_limit(limit), body.chunks(1)), &whole);
        let (mut frames, mut owned) = (Frames::with_limit(limit), Vec::new());
        for chunk in chunks(&body, &cuts) {
            owned.extend(frames.feed(chunk));
            frames = saved_and_restored(&frames.clone());
        }
        owned.extend(frames.finish());
        prop_assert_eq!(&owned, &whole);
        for frame in &whole {
            match frame {
                Frame::Text(text) => prop_assert!(text.len() <= limit, "{}", text),
                Frame::Unreadable(text) => prop_assert!(text.len() <= 3 * limit, "{}", text),
                _ => {}
            }
        }
    }

    /// Checks that forged states are refused, or resume like saved ones, before any input.
    #[test]
    fn states_that_were_made_up_are_harmless(
        kind in 0_u8..5, rest in vec(prop_oneof![Just(0), Just(1), any::<u8>()], 0..60), body in body(), limit in 0_usize..60,
    ) {
        let state = sealed(&[&[kind], &*rest].concat(), b"");
        match restored(&state, limit) {
            Err(kind) => prop_assert_eq!(kind, RestoreError::Impossible),
            Ok(frames) => {
                let frames = saved_and_restored(&frames);
                prop_assert_eq!(through_callbacks(frames.clone(), [&*body]), through_callbacks(frames, body.chunks(1)));
            }
        }
    }

    /// Checks that foreign bytes are refused, or left unchanged for the reader.
    #[test]
    fn any_bytes_are_a_readers_state_or_refused(bytes in vec(any::<u8>(), 0..60), is_ours in any::<bool>()) {
        let bytes = if is_ours { [b"jsf\x1A", &*bytes].concat() } else { bytes };
        if let Ok((_, state)) = Frames::new().restore_with(&bytes, |state| Ok(state.to_vec())) {
            prop_assert_eq!(state, &*bytes);
        }
        let _ = Utf8::new().restore_with(&bytes, |_| Ok(()));
    }

    /// Text is what the standard library makes of the whole, at any cut, saved and restored there.
    #[test]
    fn text_is_that_of_the_whole(
        bytes in vec(prop_oneof![4 => select(&b"a\n\xC3\xA9\xF0\x9F\x98\x80\xE2\x82"[..]), 1 => any::<u8>()], 0..20),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let (mut utf8, mut text, mut read) = (Utf8::new(), String::new(), Ok(()));
        for chunk in chunks(&bytes, &cuts) {
            read = utf8.feed_with(chunk, |piece| text.push_str(piece));
            utf8 = Utf8::new().restore_with(&utf8.save_with("").unwrap(), |_| Ok(())).unwrap().0;
        }
        let ended = read.and_then(|()| utf8.finish());
        match std::str::from_utf8(&bytes) {
            Ok(whole) => prop_assert_eq!((&*text, ended), (whole, Ok(()))),
            Err(error) => {
                prop_assert_eq!(text.as_bytes(), &bytes[..error.valid_up_to()]);
                let place = ended.unwrap_err();
                let before = usize::try_from(place.offset()).unwrap();
                prop_assert!((error.valid_up_to()..=error.valid_up_to() + 3).contains(&before));
                let line_start = bytes[..before].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let lines = bytes[..before].iter().filter(|byte| **byte == b'\n').count();
                prop_assert_eq!((place.line(), place.column()), (lines as u64 + 1, (before - line_start) as u64 + 1));
            }
        }
    }
}
