//! A provider's body as an async stream: the events that pushing its frames gives, an error of the transport last.

use futures::executor::block_on;
use futures::stream::FusedStream;
use futures::{StreamExt, stream};
use jsonspigot::PatternSet;
use jsonspigot_framing::{Frames, ProviderBody};
use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls, UnfinishedKind};

const BODY: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hé\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: [DONE]\n\n",
);

fn provider() -> ProviderStream {
    ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::new(["a"]).unwrap()))
}

fn pushed(body: &[u8]) -> Vec<StreamEvent<'static>> {
    let (mut frames, mut stream, mut events) = (Frames::new(), provider(), Vec::new());
    let mut on_event = |event: StreamEvent<'_>| events.push(event.into_owned());
    frames.feed_with(body, |frame| frame.push_to(&mut stream, &mut on_event));
    frames.finish_with(|frame| frame.push_to(&mut stream, &mut on_event));
    stream.finish_with(&mut on_event);
    events
}

#[test]
fn any_cut_gives_the_events_of_the_frames() {
    for body in [BODY, "data: {]}\n\nerror: no\n\ndata: {\"choices\":[]}"] {
        let expected = pushed(body.as_bytes());
        for size in [1, 2, 7, 1000] {
            let chunks = stream::iter(body.as_bytes().chunks(size).map(Ok::<_, ()>));
            let mut stream = ProviderBody::new(chunks, provider());
            let events: Vec<_> = block_on((&mut stream).map(Result::unwrap).collect());
            assert_eq!(events, expected, "{size}");
            assert!(stream.is_terminated());
            assert_eq!(stream.stream().verdict().is_ok(), body == BODY);
        }
    }
}

/// Checks that many chunks without an event let other tasks run, and that none is lost.
#[test]
fn a_long_wait_for_an_event() {
    let text = format!("{}{BODY}", ": ping\n".repeat(1000));
    let chunks = stream::iter(text.as_bytes().chunks(3).map(Ok::<_, ()>));
    let events: Vec<_> = block_on(ProviderBody::new(chunks, provider()).map(Result::unwrap).collect());
    assert_eq!(events, pushed(BODY.as_bytes()));
}

#[test]
fn an_error_of_the_transport_comes_last_and_leaves_the_stream_open() {
    let (first, _) = BODY.split_at(BODY.find("data: [").unwrap() - 60);
    let chunks = stream::iter([Ok(first.as_bytes()), Err("reset")]);
    let mut body = ProviderBody::new(chunks, provider());
    let items: Vec<_> = block_on((&mut body).collect());
    assert_eq!(items.iter().filter(|item| item.is_err()).count(), 1);
    assert_eq!(items.last(), Some(&Err("reset")));
    let mut stream = body.into_stream();
    assert_eq!(stream.verdict().unwrap_err().kind(), UnfinishedKind::Incomplete);
    assert!(
        stream
            .cut("connection lost")
            .any(|event| matches!(event, StreamEvent::Incomplete { reason, .. } if reason == "connection lost"))
    );
}

/// Checks that damage that only the framing knows counts too.
#[test]
fn a_damaged_body_is_not_whole() {
    let mut stream = provider();
    let mut frames = Frames::new();
    frames.feed_with("[{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]},", |frame| {
        frame.push_to(&mut stream, |_| ());
    });
    assert_eq!(stream.verdict(), Ok(()));
    frames.finish_with(|frame| frame.push_to(&mut stream, |_| ()));
    assert_eq!(stream.finish().check().unwrap_err().kind(), UnfinishedKind::BadFrame);
}
