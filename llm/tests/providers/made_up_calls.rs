//! States of calls whose parts contradict each other, though each of them is right by itself: every part of a small
//! state is replaced in turn.

use jsonspigot::RestoreError;
use jsonspigot_llm::{CallLimits, ToolCalls};

use super::properties::states::with_body;

/// The parts of a body, in their order.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// How many calls have been numbered.
    Next,
    Open,
    /// By call, its choice and what it is found by there.
    Known,
    /// By choice, itself and what is found by no slot or id.
    Rest,
    Ended,
    Flags,
    Refused,
    Orphaned,
    Noted,
    Waiting,
}

use Part::{Ended, Flags, Known, Next, Noted, Open, Orphaned, Refused, Rest, Waiting};

/// An open call with the id `a`: without an input, told, in choice 0.
const CALL: &[u8] = &[0, 1, b'a', 1, b'f', 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/// Where in a call something stands.
const CHOICE: usize = 0;
const EXECUTOR: usize = 5;
const FORMAT: usize = 6;
const PHASE: usize = 7;
const IS_TOLD: usize = 9;
const IS_FULL: usize = 11;
const LEFT_OUT: usize = 12;
const START_INPUT: usize = 13;
const INPUT: usize = 15;

/// What is said of a state, and the parts that it has in place of others.
type Case<'a> = (&'a str, &'a [(Part, &'a [u8])]);

/// The call with some of its bytes replaced, each by any number of others, from the last to the first.
fn call(edits: &[(usize, &[u8])]) -> Vec<u8> {
    let mut call = CALL.to_vec();
    for (place, bytes) in edits {
        call.splice(place..=place, bytes.iter().copied());
    }
    call
}

fn text(len: usize) -> Vec<u8> {
    [vec![u8::try_from(len).unwrap()], vec![b'x'; len]].concat()
}

/// The open calls, each after its number.
fn open(calls: &[(u8, &[u8])]) -> Vec<u8> {
    let calls_bytes = calls.iter().flat_map(|(number, call)| [&[*number][..], call].concat());
    [u8::try_from(calls.len()).unwrap()].into_iter().chain(calls_bytes).collect()
}

/// So many slots of choice 0, and that there were no more.
fn slots(count: u64) -> Vec<u8> {
    let number =
        |number: u64| if number < 0x80 { vec![number as u8] } else { vec![number as u8 | 0x80, (number >> 7) as u8] };
    let slots = (0..count).flat_map(|slot| [vec![0, 3], number(slot), vec![0]].concat());
    number(count).into_iter().chain(slots).chain([0]).collect()
}

/// What comes of a state with these parts in place of those of one that is right: call 0 has ended in slot 5, call 1 is
/// open, and choice 0 may have ended because of `r`.
fn restored(limits: CallLimits, parts: &[(Part, &[u8])]) -> Result<(), RestoreError> {
    let one = open(&[(1, CALL)]);
    let mut body: [&[u8]; 10] = [
        &[2],
        &one,
        &[4, 0, 0, 0, 0, 3, 5, 0, 1, 0, 0, 1, 4, 1, b'a', 0],
        &[2, 0, 0, 1, 0, 2, 1],
        &[1, 0],
        &[0, 0, 0, 0],
        &[0, 0],
        &[0, 0],
        &[1, 0, 4, 1, b'r', 0],
        &[],
    ];
    for (part, bytes) in parts {
        body[*part as usize] = bytes;
    }
    let builder = ToolCalls::builder().limits(limits);
    let state = with_body(builder.clone().build().save().unwrap(), &body.concat());
    let calls = builder.build().restore(&state)?;
    assert_eq!(calls.save().unwrap(), state, "the same state");
    Ok(())
}

#[test]
fn parts_that_contradict_each_other_are_refused() {
    let limits = CallLimits::new().open_calls(2).input_bytes(20);
    let untold = call(&[(IS_TOLD, &[0])]);
    let stopped = call(&[(PHASE, &[2])]);
    let full = call(&[(IS_FULL, &[1])]);
    let full_for_a_reason = call(&[(LEFT_OUT, &[1, 1]), (IS_FULL, &[1])]);
    let start_input = |len| call(&[(START_INPUT, &text(len))]);
    let with_text = |edits: &[(usize, &[u8])], len| {
        let input = [vec![1], text(len)].concat();
        call(&[&[(INPUT, &input[..])], edits].concat())
    };
    let is_text: (usize, &[u8]) = (FORMAT, &[1]);
    // Call 0 is the one in slot 5, wherever it says that it is.
    let both = |first: &[u8], second: &[u8]| open(&[(0, first), (1, second)]);
    let three_known = &[6, 0, 0, 0, 0, 3, 5, 0, 1, 0, 0, 1, 4, 1, b'a', 0, 2, 0, 0, 2, 3, 7, 0];

    let right: [Case<'_>; 17] = [
        ("as it is", &[]),
        ("the newest call is not told yet", &[(Open, &open(&[(1, &untold)]))]),
        ("a call is stopped and waits", &[(Open, &open(&[(1, &stopped)])), (Waiting, &[1])]),
        ("two wait, in any order", &[(Open, &both(&stopped, &stopped)), (Ended, &[0]), (Waiting, &[1, 0])]),
        ("full, and why", &[(Open, &open(&[(1, &full_for_a_reason)]))]),
        ("the longest input of a start", &[(Open, &open(&[(1, &start_input(24))]))]),
        ("text that has not come", &[(Open, &open(&[(1, &call(&[is_text]))]))]),
        ("the longest text", &[(Open, &open(&[(1, &with_text(&[is_text], 20))]))]),
        ("as many ended as are remembered", &[(Next, &[3]), (Known, three_known), (Ended, &[2, 2, 0])]),
        ("another executor", &[(Open, &open(&[(1, &call(&[(EXECUTOR, &[1])]))]))]),
        ("the message's own text", &[(Rest, &[3, 0, 0, 1, 0, 1, 1, 0, 2, 1])]),
        ("a choice's last call is an older one", &[(Rest, &[2, 0, 0, 0, 0, 2, 0])]),
        ("no reason", &[(Noted, &[0])]),
        ("flags", &[(Flags, &[1, 1, 1, 1])]),
        ("a refused slot, and more", &[(Refused, &[1, 0, 3, 5, 0, 1])]),
        ("an orphaned id", &[(Orphaned, &[1, 0, 4, 1, b'x', 0, 0])]),
        ("as many slots as are remembered", &[(Refused, &slots(512))]),
    ];
    for (name, parts) in right {
        assert_eq!(restored(limits, parts), Ok(()), "{name}");
    }

    let wrong: [Case<'_>; 39] = [
        ("an open call that was not numbered", &[(Next, &[1])]),
        ("an older call that was not told", &[(Open, &both(&untold, CALL)), (Ended, &[0])]),
        ("open calls out of order", &[(Open, &open(&[(1, CALL), (0, CALL)])), (Ended, &[0])]),
        ("a call twice", &[(Open, &open(&[(1, CALL), (1, CALL)])), (Ended, &[0])]),
        ("a call in another choice", &[(Open, &open(&[(1, &call(&[(CHOICE, &[1])]))]))]),
        ("no such executor", &[(Open, &open(&[(1, &call(&[(EXECUTOR, &[2])]))]))]),
        ("no such format", &[(Open, &open(&[(1, &call(&[(FORMAT, &[2])]))]))]),
        ("no such phase", &[(Open, &open(&[(1, &call(&[(PHASE, &[3])]))]))]),
        ("no such input", &[(Open, &open(&[(1, &call(&[(INPUT, &[4])]))]))]),
        ("full for no reason", &[(Open, &open(&[(1, &full)]))]),
        ("a start's input is too long", &[(Open, &open(&[(1, &start_input(25))]))]),
        ("too long and not full", &[(Open, &open(&[(1, &with_text(&[is_text], 21))]))]),
        ("text where JSON is expected", &[(Open, &open(&[(1, &with_text(&[], 2))]))]),
        ("an input before the start", &[(Open, &open(&[(1, &with_text(&[(IS_TOLD, &[0]), is_text], 2))]))]),
        ("stopped, and does not wait", &[(Open, &open(&[(1, &stopped)]))]),
        ("waits, and has ended", &[(Open, &open(&[(1, &stopped)])), (Waiting, &[0])]),
        ("one waits for two", &[(Open, &both(&stopped, &stopped)), (Ended, &[0]), (Waiting, &[1, 1])]),
        ("waits, and is not stopped", &[(Open, &both(CALL, &stopped)), (Ended, &[0]), (Waiting, &[0])]),
        (
            "a known call that was not numbered",
            &[(Known, &[4, 0, 0, 0, 1, 0, 0, 1, 4, 1, b'a', 0, 2, 0, 0]), (Ended, &[2, 0, 2])],
        ),
        ("a known call without its choice", &[(Known, &[3, 0, 3, 5, 0, 1, 0, 0, 1, 4, 1, b'a', 0])]),
        ("a slot in another choice", &[(Known, &[4, 0, 0, 0, 0, 3, 5, 0, 1, 0, 0, 1, 4, 1, b'a', 1])]),
        ("a key that is shared", &[(Known, &[4, 0, 0, 0, 0, 3, 5, 0, 1, 0, 0, 1, 3, 5, 0])]),
        ("a key that is no call's own", &[(Known, &[4, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1, 4, 1, b'a', 0])]),
        ("keys out of order", &[(Known, &[4, 1, 0, 0, 1, 4, 1, b'a', 0, 0, 0, 0, 0, 3, 5, 0])]),
        ("a key twice", &[(Known, &[5, 0, 0, 0, 0, 3, 5, 0, 0, 3, 5, 0, 1, 0, 0, 1, 4, 1, b'a', 0])]),
        ("no such key", &[(Known, &[3, 0, 0, 0, 1, 0, 0, 1, 5, 0])]),
        ("a choice's call that was not numbered", &[(Rest, &[2, 0, 0, 2, 0, 2, 1])]),
        ("the last call of another choice", &[(Rest, &[3, 0, 0, 1, 1, 0, 1, 1, 2, 1])]),
        ("the text of another choice", &[(Rest, &[4, 0, 0, 1, 0, 2, 1, 1, 0, 1, 1, 1, 1])]),
        ("a slot besides the known ones", &[(Rest, &[3, 0, 0, 1, 0, 2, 1, 0, 3, 6, 1])]),
        ("a choice that is not there", &[(Rest, &[1, 0, 2, 1]), (Noted, &[0])]),
        ("an ended call is not known", &[(Ended, &[1, 7])]),
        ("an ended call is open", &[(Ended, &[1, 1])]),
        ("a call has ended twice", &[(Next, &[3]), (Known, three_known), (Ended, &[2, 0, 0])]),
        ("known, and neither open nor ended", &[(Ended, &[0])]),
        ("a refused slot with a number", &[(Refused, &[1, 0, 3, 5, 1, 0])]),
        ("a refused choice", &[(Refused, &[1, 0, 0, 0, 0])]),
        ("more slots than are remembered", &[(Refused, &slots(513))]),
        ("something after the end", &[(Waiting, &[0])]),
    ];
    for (name, parts) in wrong {
        assert_eq!(restored(limits, parts), Err(RestoreError::Impossible), "{name}");
    }
    let reasons: [(&str, &[u8]); 5] = [
        ("of another choice", &[1, 1, 4, 1, b'r', 0]),
        ("no text", &[1, 0, 3, 5, 0]),
        ("with a number", &[1, 0, 4, 1, b'r', 1]),
        ("two of one choice", &[2, 0, 4, 1, b'r', 0, 0, 4, 1, b's', 0]),
        ("the choice itself", &[1, 0, 0, 0]),
    ];
    for (name, noted) in reasons {
        assert_eq!(restored(limits, &[(Noted, noted)]), Err(RestoreError::Impossible), "a reason: {name}");
    }
    // The limit is the number of open ones, and of the ended ones that are remembered.
    assert_eq!(restored(limits.open_calls(1), &[]), Ok(()));
    assert_eq!(restored(limits.open_calls(0), &[(Ended, &[0])]), Err(RestoreError::Impossible));
    let two_open = both(CALL, CALL);
    assert_eq!(restored(limits, &[(Open, &two_open), (Ended, &[0])]), Ok(()));
    assert_eq!(restored(limits.open_calls(1), &[(Open, &two_open), (Ended, &[0])]), Err(RestoreError::Impossible));
    let two_ended: &[(Part, &[u8])] = &[(Next, &[3]), (Known, three_known), (Ended, &[2, 0, 2])];
    assert_eq!(restored(limits.open_calls(1), two_ended), Err(RestoreError::Impossible));
}
