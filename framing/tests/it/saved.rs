//! Saved state: resumed at every byte, cut, changed and made up.

use jsonspigot::RestoreError;
use jsonspigot_framing::{Frame, Frames};

use crate::amazon::prelude;
use crate::body::{HEADER, restored, saved_and_restored, sealed};

/// Inputs that come by all states.
pub(crate) fn inputs() -> Vec<Vec<u8>> {
    let message = |total, rest: &str| [&prelude(total, 0)[..], rest.as_bytes()].concat();
    let long = "1, ".repeat(30);
    [
        "\u{feff}\n[ x\ndata: {}\n\n".as_bytes(),
        "\n[ é: x\r\n y: {\n\n{}\nz".as_bytes(),
        "\u{1b}[33mx: and longer\nid: 1\ndata: 2\n\n".as_bytes(),
        "data: {\"é\":1}\r\ndata\rdata:1\n\n: x\nevent: y\n\ndata: z".as_bytes(),
        format!("data: {long}\n\ndata: 1\n\n").as_bytes(),
        " {\"a\":\n[\"é\\n\"]}\n\nnoise\n[\n{},12,\n{\"a\":1}]\n{ \nx".as_bytes(),
        format!("{{\"a\":[\n{long}2]}}\n[{}{{}}, [{long}\n2], {{}}", " ".repeat(40)).as_bytes(),
        format!("{{}}\n{}\n{{}}\n[1]", "x".repeat(40)).as_bytes(),
        &message(20, "{}{}xxxx and more"),
        &[&message(120, &"x".repeat(108))[..], &prelude(16, 0), b"last"].concat(),
        &[&message(18, "{}xxxx")[..], b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0"].concat(),
    ]
    .map(<[u8]>::to_vec)
    .to_vec()
}

const LIMIT: usize = 20;

/// Returns the saved states of all these inputs after each byte, each with the rest of its input.
fn states() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut states = Vec::new();
    for input in inputs() {
        assert_eq!(Frames::new().save_with("reader").unwrap(), b"reader");
        for cut in 1..=input.len() {
            let mut frames = Frames::with_limit(LIMIT);
            frames.feed_with(&input[..cut], |_| {});
            states.push((frames.save_with("").unwrap(), input[cut..].to_vec()));
        }
    }
    states
}

fn rest_of(mut frames: Frames, rest: &[u8]) -> Vec<String> {
    let mut printed = Vec::new();
    let mut on_frame = |frame: Frame<'_>| {
        if let Frame::Text(text) | Frame::Unreadable(text) | Frame::Exception(text) = &frame {
            // Each byte that is not UTF-8 becomes three, and an event's name is put around it.
            assert!(text.len() <= 3 * LIMIT + 30, "{text}");
        }
        printed.push(format!("{frame:?}"));
    };
    frames.feed_with(rest, &mut on_frame);
    frames.finish_with(&mut on_frame);
    printed
}

#[test]
fn cut_and_changed_bytes_are_refused() {
    for (state, _) in states() {
        for len in 0..state.len() {
            assert_eq!(restored(&state[..len], LIMIT).err(), (len > 2).then_some(RestoreError::Cut), "{len}");
        }
        for place in 0..state.len() {
            let mut changed = state.clone();
            changed[place] ^= 1 << (place % 8);
            let kind = restored(&changed, LIMIT).err();
            let expected: &[Option<RestoreError>] = match place {
                // The reader refuses those.
                0..3 => &[None],
                3 => &[Some(RestoreError::NotSavedState)],
                4 => &[Some(RestoreError::OtherVersion)],
                5..21 => &[Some(RestoreError::Cut), Some(RestoreError::Changed)],
                _ => &[Some(RestoreError::Changed)],
            };
            assert!(expected.contains(&kind), "{place}: {kind:?}");
        }
        let longer = [&state[..], b"\0"].concat();
        assert_eq!(restored(&longer, LIMIT).err(), Some(RestoreError::Changed));
    }
}

/// Checks that forged bytes with the right checksum are refused or as good as saved ones.
#[test]
fn bytes_that_were_made_up_are_refused_or_sound() {
    let (mut refused, mut sound) = (0, 0);
    for (state, rest) in states() {
        let added = &state[HEADER..];
        let changes = (0..added.len()).flat_map(|place| {
            [0, 1, 2, 11, 20, 21, b'{', 0xFF].map(|byte| {
                let mut changed = added.to_vec();
                changed[place] = byte;
                changed
            })
        });
        let cuts = (0..added.len()).map(|len| added[..len].to_vec());
        for made_up in changes.chain(cuts) {
            match restored(&sealed(&made_up, b""), LIMIT) {
                Err(kind) => {
                    assert_eq!(kind, RestoreError::Impossible);
                    refused += 1;
                }
                Ok(frames) => {
                    rest_of(saved_and_restored(&frames), &rest);
                    sound += 1;
                }
            }
        }
    }
    assert!(refused > 1000 && sound > 1000, "{refused} {sound}");
}

/// Checks that the reader's state is restored first, and that its error is the returned one.
#[test]
fn a_readers_state_is_saved_beside() {
    let mut frames = Frames::new();
    frames.feed_with("data: {", |_| {});
    let saved = frames.save_with("reader").unwrap();
    assert_eq!(saved, sealed(&saved[HEADER..saved.len() - 6], b"reader"));
    let (mut frames, state) = Frames::new().restore_with(&saved, |state| Ok(state.to_vec())).unwrap();
    assert_eq!(state, b"reader");
    assert_eq!(frames.feed("}\n\n").collect::<Vec<_>>(), [Frame::Text("{}".into())]);
    let refuse = |_: &[u8]| Err::<(), _>(RestoreError::OtherPatterns);
    let too_small = Frames::with_limit(0).restore_with(&saved, refuse).unwrap_err();
    assert_eq!(too_small, RestoreError::OtherPatterns);
    let too_small = Frames::with_limit(0).restore_with(&saved, |_| Ok(())).unwrap_err();
    assert_eq!(too_small, RestoreError::Impossible);
}

#[test]
fn states_without_a_limit_are_restored() {
    let mut frames = Frames::with_limit(usize::MAX);
    assert_eq!(frames.feed("event: x\ndata: {}\n").count(), 0);
    let state = frames.save_with("").unwrap();
    let (mut frames, ()) = Frames::with_limit(usize::MAX).restore_with(&state, |_| Ok::<_, RestoreError>(())).unwrap();
    assert_eq!(frames.feed("\n").count(), 1);
}
