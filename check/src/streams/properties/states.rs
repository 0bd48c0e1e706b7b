//! Forged saved state of streams and calls: refused, or continued with all promises kept.

use jsonspigot::RestoreError;
use jsonspigot_llm::{CallEvent, ProviderStream, StreamEvent, ToolCalls, ToolCallsBuilder};
use serde::de::IgnoredAny;

use super::soup::{self, Signal};
use crate::forged::{HEADER, edited};
use crate::laws::Law;
use crate::streams::restored::{restored_calls, restored_stream, seen, seen_of_calls};

/// Runs the part of a fuzz target. The head is five bytes: stream or calls, the parser's choices, the calls', the
/// provider, the stream's; then edits of the body. Signals end at FF; at FD the state is saved, edited and restored.
pub fn target(input: &[u8]) {
    let (head, text) = match input.iter().position(|&byte| byte == 0xFE) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&[][..], input),
    };
    let choice = |place: usize| head.get(place).map_or(0, |byte| usize::from(*byte));
    let edits = head.get(5..).unwrap_or_default();
    let (before, after) = match text.iter().position(|&byte| byte == 0xFD) {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[][..]),
    };
    let signals = |text: &[u8]| text.split(|&byte| byte == 0xFF).map(Signal::new).collect::<Vec<_>>();
    let (before, after) = (signals(before), signals(after));
    let choices = soup::choices(soup::parser(choice(1)), choice(2)).saveable(usize::MAX);
    if choice(4) & 1 == 0 {
        let mut calls = choices.clone().build();
        before.iter().for_each(|signal| signal.act(&mut calls, &mut |_| {}));
        calls_are_refused_or_sound(&edited(calls.save().unwrap(), edits), &choices, &after);
    } else {
        let new = || soup::new_stream(&choices, choice(3), choice(4)).saveable(usize::MAX);
        let mut stream = new();
        before.iter().for_each(|signal| stream.push_with(&signal.event(), |_| {}));
        stream_is_refused_or_sound(&edited(stream.save().unwrap(), edits), new(), &after);
    }
}

/// Checks that any bytes give an error, or a stream that keeps its promises and is as good as its own bytes.
pub fn stream_is_refused_or_sound(bytes: &[u8], new: ProviderStream, signals: &[Signal]) -> Option<RestoreError> {
    let mut plain = match new.restore(bytes) {
        Ok(stream) => stream,
        Err(error) => return Some(error),
    };
    let mut saved = restored_stream(&plain, &plain.save().unwrap());
    let mut laws = Laws::default();
    for signal in signals.iter().map(Some).chain([None, None]) {
        let (mut reported, mut expected) = (Vec::new(), Vec::new());
        let act = |stream: &mut ProviderStream, on_event: &mut dyn FnMut(StreamEvent<'_>)| match signal {
            Some(signal) => stream.push_with(&signal.event(), on_event),
            None => stream.finish_with(on_event),
        };
        act(&mut plain, &mut |event| {
            expected.push(format!("{event:?}"));
            laws.check(&event);
        });
        act(&mut saved, &mut |event| reported.push(format!("{event:?}")));
        assert_eq!(reported, expected);
        assert_eq!(seen(&saved), seen(&plain));
        Law::SavedState.mark_compared();
        if let Some(message) = plain.message() {
            serde_json::from_str::<IgnoredAny>(&message).expect("a message is JSON");
        }
        saved = restored_stream(&saved, &saved.save().unwrap());
    }
    assert!(plain.calls().open_calls().is_empty(), "all calls have ended");
    None
}

/// Checks [`target`]'s promises for calls.
pub fn calls_are_refused_or_sound(
    bytes: &[u8],
    choices: &ToolCallsBuilder,
    signals: &[Signal],
) -> Option<RestoreError> {
    let mut plain = match choices.clone().build().restore(bytes) {
        Ok(calls) => calls,
        Err(error) => return Some(error),
    };
    let mut saved = restored_calls(choices, &plain);
    let mut laws = Laws::default();
    for signal in signals.iter().map(Some).chain([None]) {
        let (mut reported, mut expected) = (Vec::new(), Vec::new());
        let act = |calls: &mut ToolCalls, on_event: &mut dyn FnMut(CallEvent<'_>)| match signal {
            Some(signal) => signal.act(calls, on_event),
            None => calls.cut_with("end-of-input", on_event),
        };
        act(&mut plain, &mut |event| {
            expected.push(format!("{event:?}"));
            laws.check(&event.into());
        });
        act(&mut saved, &mut |event| reported.push(format!("{event:?}")));
        assert_eq!(reported, expected);
        assert_eq!(seen_of_calls(&saved), seen_of_calls(&plain));
        Law::SavedState.mark_compared();
        saved = restored_calls(choices, &saved);
    }
    assert!(plain.open_calls().is_empty(), "all calls have ended");
    None
}

/// Laws that hold for any earlier input.
#[derive(Default)]
struct Laws {
    newest_call: Option<u64>,
    newest_block: Option<u64>,
    ended: Vec<u64>,
}

impl Laws {
    fn check(&mut self, event: &StreamEvent<'_>) {
        match event {
            StreamEvent::Call(CallEvent::Start { call }) => {
                assert!(self.newest_call.replace(call.number).is_none_or(|newest| newest < call.number), "{call:?}");
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) => {
                assert!(!text.is_empty() && !self.ended.contains(&call.number), "{call:?}");
            }
            StreamEvent::Call(CallEvent::Match { call, .. }) => assert!(!self.ended.contains(&call.number), "{call:?}"),
            StreamEvent::Call(CallEvent::End { call, input }) => {
                assert!(!self.ended.contains(&call.number), "{call:?}");
                self.ended.push(call.number);
                let status = input.status().name();
                assert_eq!(input.value().is_some(), matches!(status, "complete" | "empty"), "{status}");
                if let Some(value) = input.value() {
                    let read = serde_json::from_slice::<IgnoredAny>(value.bytes());
                    assert!(read.is_ok(), "{} is JSON", value.text());
                    assert!(status == "empty" || input.raw().contains(value.text()));
                }
            }
            StreamEvent::BlockStart(block) => {
                assert!(self.newest_block.replace(block.number).is_none_or(|newest| newest < block.number));
            }
            _ => {}
        }
    }
}

/// Returns an empty state with these bytes as its body.
pub fn with_body(mut state: Vec<u8>, body: &[u8]) -> Vec<u8> {
    state.truncate(HEADER);
    state.extend(body);
    edited(state, &[])
}
