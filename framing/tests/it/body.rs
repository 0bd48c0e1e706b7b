//! Bodies into frames, as the tests write them.

use jsonspigot::RestoreError;
use jsonspigot_framing::{Frame, Frames};

/// Checks the frames at every single and double cut, with a limit of 20 bytes, saved and restored there.
#[track_caller]
pub(crate) fn check(input: impl AsRef<[u8]>, wanted: &[&str]) {
    check_with(20, input, wanted);
}

/// Checks frames with another limit.
#[track_caller]
pub(crate) fn check_with(limit: usize, input: impl AsRef<[u8]>, wanted: &[&str]) {
    let input = input.as_ref();
    for first in 0..=input.len() {
        for second in first..=input.len() {
            let chunks = [&input[..first], &input[first..second], &input[second..]];
            let frames = frames(limit, chunks);
            assert_eq!(frames, wanted, "{:?} cut at {first} and {second}", String::from_utf8_lossy(input));
        }
    }
}

/// Returns the frames of a body in these chunks, saved and restored after each of them.
pub(crate) fn frames<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let (mut printed, mut frames) = (Vec::new(), Frames::with_limit(limit));
    for chunk in chunks {
        printed.extend(frames.feed(chunk).map(print));
        frames = saved_and_restored(&frames);
    }
    printed.extend(frames.finish().map(print));
    // Damage is seen by those too who look for frames that can't be read.
    let has = |what: &str| printed.iter().any(|frame| frame.starts_with(what));
    assert!(!has("damage") || has("bad") || has("too long"), "{printed:?}");
    // Nothing is left, for a second call or for whom the state is restored.
    assert_eq!(frames.finish().next(), None);
    assert_eq!(saved_and_restored(&frames).finish().next(), None);
    printed
}

fn print(frame: Frame<'_>) -> String {
    match frame {
        Frame::Text(text) => text.into_owned(),
        Frame::Unreadable(text) => format!("bad {text}"),
        Frame::Exception(text) => format!("exception {text}"),
        Frame::TooLong => "too long".to_owned(),
        Frame::Damaged(damage) => format!("damage {damage}"),
        _ => panic!("{frame:?}"),
    }
}

/// Restores frames from these bytes, together with an empty state.
pub(crate) fn restored(saved: &[u8], limit: usize) -> Result<Frames, RestoreError> {
    let nothing = |_: &[u8]| Ok(());
    let restored = Frames::with_limit(limit).restore_with(saved, nothing);
    restored.map(|(frames, ())| frames)
}

/// Saves and restores frames.
pub(crate) fn saved_and_restored(frames: &Frames) -> Frames {
    let bytes = frames.save_with("").unwrap();
    let new = restored(&bytes, frames.limit()).unwrap();
    assert_eq!(new.save_with("").unwrap(), bytes, "what was restored is saved as it was");
    new
}

/// How long the header of a saved state is.
pub(crate) const HEADER: usize = 25;

/// Returns a state with these bytes in front of a reader's, written independently of the tested code.
pub(crate) fn sealed(added: &[u8], state: &[u8]) -> Vec<u8> {
    let lengths = [added.len() as u64, state.len() as u64].map(u64::to_le_bytes).concat();
    let checksum = crc32fast::hash(&[&lengths[..], added, state].concat()).to_le_bytes();
    [b"jsf\x1A\x01", &lengths[..], &checksum, added, state].concat()
}

/// Returns a number as saved states have it: seven bits a byte, the lowest first.
pub(crate) fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
