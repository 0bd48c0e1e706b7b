//! A callback that panics, in a program that catches panics: what it was not given is lost, so nothing that was open is
//! complete.

use jsonspigot::{ErrorKind, PatternSet, Rule};
use jsonspigot_check::panics::{panic_at, panic_now, panics};
use jsonspigot_llm::{
    BadEventReason, CallEvent, CallRewriter, CallStart, Delimiter, Envelope, EnvelopeEvent, PayloadStatus, Provider,
    ProviderStream, SAVE_LIMIT, StreamEvent, ToolCalls, UnfinishedKind,
};

fn patterns() -> PatternSet {
    PatternSet::new(["$", "$..*"]).unwrap()
}

/// Pieces of an input that is still valid JSON if a piece in the middle is lost.
const PIECES: [&str; 4] = [r#"{"a": [1"#, ", 2], \"b\": \"x", "\", \"c\": [3", "]}"];

#[test]
fn calls_that_are_open_at_a_panic_are_not_complete() {
    for call in 0..20 {
        let mut calls = ToolCalls::builder().patterns(&patterns()).saveable(SAVE_LIMIT).build();
        let (mut on_event, mut place) = (panic_at(call), 0);
        let mut ended = Vec::new();
        for (place_of_piece, piece) in PIECES.into_iter().enumerate() {
            let has_panicked = panics(|| {
                if place_of_piece == 0 {
                    calls.start_with(0, CallStart::new("f").id("1"), |_| on_event());
                }
                calls.delta_with(0, piece, |_| on_event());
            });
            if has_panicked {
                place = place_of_piece;
                break;
            }
        }
        assert_eq!(calls.save().unwrap_err().kind(), ErrorKind::Panicked);
        let mut on_end = |event: CallEvent<'_>| {
            if let CallEvent::End { call, input } = event {
                ended.push((call.number, input.status() == PayloadStatus::Complete, input.value().is_some()));
            }
        };
        calls.start_with(0, CallStart::new("f").id("1"), &mut on_end);
        for piece in &PIECES[place + 1..] {
            calls.delta_with(0, piece, &mut on_end);
        }
        calls.start_with(1, CallStart::new("g").id("2"), &mut on_end);
        calls.delta_with(1, "{}", &mut on_end);
        calls.end_message_with("tool_calls", &mut on_end);
        // The call that started after the panic is complete.
        assert_eq!(ended, [(0, false, false), (1, true, true)], "{call}");
        calls.begin_message().check().unwrap();
        assert!(calls.save().is_ok(), "no input leads to where it panicked, but to the next message");
    }
}

fn events() -> Vec<String> {
    let delta = |text: &str| {
        let call = serde_json::json!({"index": 0, "id": "call_1", "function": {"name": "f", "arguments": text}});
        serde_json::json!({"choices": [{"index": 0, "delta": {"content": "Hi ", "tool_calls": [call]}}]}).to_string()
    };
    let stop = serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}).to_string();
    PIECES.map(delta).into_iter().chain([stop, "[DONE]".to_owned()]).collect()
}

#[test]
fn a_stream_whose_callback_panics_is_not_whole() {
    let new =
        || ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&patterns())).with_message().saveable(SAVE_LIMIT);
    let mut count = 0;
    let mut whole = new();
    events().iter().for_each(|event| whole.push_with(event, |_| count += 1));
    whole.finish_with(|_| ());
    assert_eq!(whole.verdict(), Ok(()));
    assert!(count > 10, "{count}");
    for call in 0..count {
        let mut stream = new();
        let mut on_event = panic_at(call);
        assert!(panics(|| events().iter().for_each(|event| stream.push_with(event, |_| on_event()))));
        let check = |stream: &ProviderStream| {
            assert_eq!(stream.verdict().unwrap_err().kind(), UnfinishedKind::Panicked);
            assert_eq!(stream.save().unwrap_err().kind(), ErrorKind::Panicked);
            assert_eq!((stream.message(), stream.message_without_calls()), (None, None));
        };
        check(&stream);
        for event in events() {
            assert!(stream.push(&event).check().is_err());
            stream.push_with(&event, |_| unreachable!());
            stream.push_unreadable_with(&event, |_| unreachable!());
            stream.push_oversized_with(|_| unreachable!());
        }
        stream.finish_with(|_: StreamEvent<'_>| unreachable!());
        assert_eq!(stream.finish().check().unwrap_err().kind(), UnfinishedKind::Panicked);
        check(&stream);
    }
}

#[test]
fn an_envelope_whose_callback_panics_reports_nothing_more() {
    let text = "Hi <think>a thought</think> and ```json\n{\"a\": [1, 2]}\n``` bye";
    let delimiters = [Delimiter::tag("think").unwrap(), Delimiter::fence("json").unwrap()];
    let new = || Envelope::builder().saveable(SAVE_LIMIT).build(delimiters.clone(), &patterns());
    for cut in [1, 9, text.len()] {
        let pieces = || text.as_bytes().chunks(cut).map(|piece| str::from_utf8(piece).unwrap());
        let mut count = 0;
        let mut whole = new();
        pieces().for_each(|piece| whole.feed_with(piece, |_| count += 1));
        for call in 0..count {
            let mut envelope = new();
            let mut on_event = panic_at(call);
            assert!(panics(|| pieces().for_each(|piece| envelope.feed_with(piece, |_| on_event()))));
            assert!(envelope.open_payload().is_none() && envelope.parser().is_none());
            pieces().for_each(|piece| envelope.feed_with(piece, |_| unreachable!()));
            assert_eq!(envelope.save().unwrap_err().kind(), ErrorKind::Panicked);
            envelope.finish_with(|_: EnvelopeEvent<'_>| unreachable!());
            // As new.
            let mut again = 0;
            pieces().for_each(|piece| envelope.feed_with(piece, |_| again += 1));
            assert_eq!(again, count);
            assert!(envelope.save().is_ok());
        }
    }
}

/// Else a call's next piece would be taken for the beginning of its arguments, and pass where nothing is redacted.
#[test]
fn a_rewriter_whose_rules_panic_passes_nothing_more() {
    let event = |text: &str| {
        let call = serde_json::json!({"index": 0, "id": "call_1", "function": {"name": "f", "arguments": text}});
        serde_json::json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}).to_string()
    };
    let pieces = [r#"{"a": {"b": "#, r#"{"secret": "x"}"#, "}}"];
    let rule = Rule::map(|_| panic_now());
    let mut calls = CallRewriter::new(Provider::OpenaiChat, [("a.b.secret", rule)]).unwrap().saveable(SAVE_LIMIT);
    assert!(panics(|| pieces.iter().for_each(|piece| drop(calls.push(&event(piece)).unwrap()))));
    assert_eq!(calls.save().unwrap_err().kind(), ErrorKind::Panicked);
    for piece in pieces {
        let event = event(piece);
        let bad = calls.push(&event).unwrap_err();
        assert_eq!((bad.instead(), bad.reason()), ("", &BadEventReason::Panicked));
    }
    calls.reset();
    assert!(calls.save().is_ok());
    assert_eq!(calls.push(&event(pieces[0])).unwrap(), event(pieces[0]));
}
