//! Payloads in the assistant's text: a stream with an envelope reports of each block's text what an envelope alone
//! reports, wherever it is cut, saved and restored.

use std::collections::BTreeMap;

use jsonspigot::{EventKind, PatternSet, RestoreError};
use jsonspigot_llm::{
    CallEvent, Delimiter, Envelope, EnvelopeEvent, PayloadStatus, Provider, ProviderStream, SAVE_LIMIT, StreamEvent,
    ToolCalls, UnfinishedKind,
};
use serde_json::{Value, json};

use super::restored::restored_stream;
use super::wires::{self, replace};

/// The delimiters of the payloads, which the wire files with payloads have too.
pub(crate) const MARKS: [&str; 4] = ["fence:json", "tag:think", "comment:context", "fence:*"];

/// Each has another way to end.
const TEXTS: [&str; 8] = [
    "Here {is} it:\n```json\n{\"answer\": \"42\", \"é\": [1, 2.5]}\n```\nDone.",
    "<think>why < not</think>Yes.<!--context {\"answer\":\"a --> b\"} --> x",
    "```python\nprint([1])\n```\n[1] see ```\n{}\n```",
    "```json\n{\"answer\": tru}\n``` and <think>{\"answer\": 1} 2</think>",
    "cut: ```json\n{\"answer\": \"4",
    "held back: ```js",
    "<think>no end",
    "no payload at all",
];

fn envelope() -> Envelope {
    let delimiters = MARKS.map(|mark| mark.parse::<Delimiter>().unwrap());
    Envelope::new(delimiters, &PatternSet::new(["answer"]).unwrap())
}

fn stream(provider: Provider) -> ProviderStream {
    let calls = ToolCalls::new(&PatternSet::new(["answer"]).unwrap());
    ProviderStream::new(provider, calls).with_envelope(envelope()).saveable(SAVE_LIMIT)
}

/// The events of one text, with deltas joined.
#[derive(Debug, Default, PartialEq)]
struct Heard(Vec<String>);

impl Heard {
    fn hear(&mut self, event: &EnvelopeEvent<'_>) {
        let (head, text) = match event {
            EnvelopeEvent::Text(text) => ("text ".to_owned(), text.to_string()),
            EnvelopeEvent::Begin { delimiter, open, offset } => {
                (format!("begin {delimiter} {open:?} {offset}"), String::new())
            }
            EnvelopeEvent::Fragment { delimiter, text } => (format!("fragment {delimiter} "), text.to_string()),
            EnvelopeEvent::Match { delimiter, event } => match &event.kind {
                EventKind::Delta(text) => (format!("delta {delimiter} {} ", event.path), text.to_string()),
                _ => (format!("match {delimiter} {event:?}"), String::new()),
            },
            EnvelopeEvent::End { delimiter, payload, close, length } => {
                (format!("end {delimiter} {payload:?} {close:?} {length}"), String::new())
            }
            _ => unreachable!("another kind of event"),
        };
        match self.0.last_mut() {
            Some(last) if !text.is_empty() && last.starts_with(&head) => last.push_str(&text),
            _ => self.0.push(head + &text),
        }
    }
}

fn heard_alone(text: &str) -> Heard {
    let (mut heard, mut envelope) = (Heard::default(), envelope());
    envelope.feed_with(text, |event| heard.hear(&event));
    envelope.finish_with(|event| heard.hear(&event));
    heard
}

/// Returns what is reported of each block, and the stream, which is saved and restored before each event.
fn heard(mut stream: ProviderStream, events: &[String]) -> (BTreeMap<u64, Heard>, ProviderStream) {
    let mut blocks: BTreeMap<u64, Heard> = BTreeMap::new();
    let mut open = Vec::new();
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::BlockStart(block) => open.push(block.number),
        StreamEvent::BlockEnd(block) => open.retain(|number| *number != block.number),
        StreamEvent::Text { block, text, .. } => {
            assert!(open.contains(&block));
            blocks.entry(block).or_default().hear(&EnvelopeEvent::Text(text));
        }
        StreamEvent::Payload { block, event, .. } => {
            assert!(open.contains(&block) && !matches!(event, EnvelopeEvent::Text(_)));
            blocks.entry(block).or_default().hear(&event);
        }
        StreamEvent::ProviderError { .. } | StreamEvent::BadFrame { .. } | StreamEvent::Unknown { .. } => {
            panic!("{event:?}")
        }
        _ => {}
    };
    for event in events {
        stream = restored_stream(&stream, &stream.save().unwrap());
        stream.push_with(event, &mut on_event);
    }
    stream = restored_stream(&stream, &stream.save().unwrap());
    stream.finish_with(&mut on_event);
    (blocks, stream)
}

/// Returns a text in pieces of this many characters.
fn pieces(text: &str, len: usize) -> Vec<&str> {
    let mut ends: Vec<_> = text.char_indices().map(|(at, _)| at).step_by(len).collect();
    ends.push(text.len());
    ends.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

#[test]
fn a_block_is_read_as_its_text_alone() {
    let mut wires = 0;
    for provider in Provider::ALL {
        for text in TEXTS {
            let expected = heard_alone(text);
            let is_bad = |line: &String| ["Malformed", "Trunc", "Trailing"].iter().any(|status| line.contains(status));
            let is_whole = !expected.0.iter().any(is_bad);
            for len in [1, 2, 7, 1000] {
                let Some(events) = wires::text(*provider, &pieces(text, len)) else { continue };
                let events: Vec<_> = events.iter().map(Value::to_string).collect();
                wires += usize::from(len == 1000 && text == TEXTS[0]);
                let (blocks, stream) = heard(stream(*provider), &events);
                assert_eq!(blocks.values().collect::<Vec<_>>(), [&expected], "{provider}: {text} by {len}");
                let verdict = stream.verdict().map_err(|unfinished| unfinished.kind());
                assert_eq!(verdict, if is_whole { Ok(()) } else { Err(UnfinishedKind::Payload) }, "{provider}: {text}");
            }
        }
    }
    assert_eq!(wires, 14);
}

#[test]
fn answers_and_blocks_do_not_mix() {
    let texts = [TEXTS[0], TEXTS[1]];
    let cut = texts.map(|text| pieces(text, 3));
    let mut chunks = Vec::new();
    for place in 0..cut[0].len().max(cut[1].len()) {
        for (choice, cut) in cut.iter().enumerate() {
            if let Some(text) = cut.get(place) {
                chunks.push(json!({"choices": [{"index": choice, "delta": {"content": text}}]}).to_string());
            }
        }
    }
    for choice in 0..2 {
        chunks.push(json!({"choices": [{"index": choice, "delta": {}, "finish_reason": "stop"}]}).to_string());
    }
    let (blocks, stream) = heard(stream(Provider::OpenaiChat), &chunks);
    assert_eq!(blocks.into_values().collect::<Vec<_>>(), texts.map(heard_alone));
    assert_eq!(stream.verdict(), Ok(()));
}

/// Checks that a block, and its payload, end where a call begins: the rest is text of another block.
#[test]
fn a_payload_ends_with_its_block() {
    let call = json!([{"index": 0, "id": "1", "function": {"name": "f", "arguments": "{}"}}]);
    let texts = ["```json\n{\"answer\": ", "1}\n```"];
    let [before, after] = texts.map(|text| json!({"choices": [{"delta": {"content": text}}]}).to_string());
    let call = json!({"choices": [{"delta": {"tool_calls": call}}]}).to_string();
    let (blocks, _) = heard(stream(Provider::OpenaiChat), &[before, call, after]);
    assert_eq!(blocks.into_values().collect::<Vec<_>>(), texts.map(heard_alone));
}

/// Returns how each payload of a stream ended, or each answer where the text itself is the JSON. The stream is saved
/// and restored before each event.
fn endings(mut stream: ProviderStream, events: &[String]) -> Vec<String> {
    let mut ended = Vec::new();
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Payload { event: EnvelopeEvent::End { payload, .. }, .. }
        | StreamEvent::Call(CallEvent::End { input: payload, .. }) => {
            let is_whole = matches!(payload.status(), PayloadStatus::Complete | PayloadStatus::Accepted);
            assert_eq!(payload.value().is_some(), is_whole);
            ended.push(format!("{:?}", payload.status()));
        }
        _ => {}
    };
    for event in events {
        stream = restored_stream(&stream, &stream.save().unwrap());
        stream.push_with(event, &mut on_event);
    }
    stream.finish_with(&mut on_event);
    assert_eq!(stream.verdict().is_ok(), ended.iter().all(|status| status == "Complete"), "{ended:?}");
    ended
}

/// Checks that a damaged or lost piece, or a repetition that differs, has the same effect on a payload as on a text
/// that is itself JSON. The fence is left open, so the payload is open when the text is repeated.
#[test]
fn a_payload_of_which_something_is_missing_is_not_complete() {
    let (json, fenced) = (["{\"answer\": 1", "23", "}"], ["See ```json\n{\"answer\": 1", "23", "}"]);
    let (mut wires, mut repeating) = (0, 0);
    // Codex has a text whole; what contradicts at DashScope is another piece.
    let is_without = |provider: &Provider| [Provider::Codex, Provider::Dashscope].contains(provider);
    for provider in Provider::ALL.iter().filter(|provider| !is_without(provider)) {
        let streams = [fenced, json].map(|pieces| wires::text(*provider, &pieces).map(|events| (pieces, events)));
        let [Some(in_fence), Some(alone)] = streams else { continue };
        wires += 1;
        let both = |change: &dyn Fn(&[&str], &mut Vec<Value>) -> bool| {
            let [in_fence, alone] = [(&in_fence, false), (&alone, true)].map(|((pieces, events), is_alone)| {
                let mut events = events.clone();
                let has_changed = change(pieces, &mut events);
                let line = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
                let lines: Vec<_> = events.iter().map(line).collect();
                let stream = stream(*provider);
                let stream = if is_alone { stream.structured() } else { stream };
                has_changed.then(|| endings(stream, &lines))
            });
            assert_eq!(in_fence, alone, "{provider}");
            in_fence
        };
        assert_eq!(both(&|_, _| true).unwrap(), ["Complete"], "{provider}");
        let is_repeated = both(&|pieces, events| {
            let whole = pieces.concat();
            let other = json!(whole.replace("123", "124"));
            events.iter_mut().fold(false, |any, event| replace(event, &whole, &other) | any)
        });
        repeating += usize::from(is_repeated.is_some());
        for status in is_repeated.into_iter().flatten() {
            assert_eq!(status, r#"Truncated { reason: "mismatch" }"#, "{provider}");
        }
        for is_damaged in [true, false] {
            let ended = both(&|_, events| {
                let place = events.iter().position(|event| replace(&mut event.clone(), "23", &json!(true))).unwrap();
                let mut event = events[place].clone();
                replace(&mut event, "23", &json!(true));
                events[place] = if is_damaged { json!("{\"damaged") } else { event };
                true
            });
            let ended = ended.unwrap();
            assert!(ended.len() == 1 && ended[0].starts_with("Truncated"), "{provider}: {ended:?}");
            let reasons = ["bad-frame", "mismatch", "unknown-part"];
            assert!(reasons.iter().any(|reason| ended[0].contains(reason)), "{provider}: {ended:?}");
        }
    }
    assert_eq!((wires, repeating), (12, 1));
}

#[test]
fn an_open_payload_can_be_looked_at() {
    let patterns = PatternSet::default();
    let delimiters = [Delimiter::fence("json").unwrap()];
    let envelope = Envelope::builder().parser(jsonspigot::Parser::builder().snapshots()).build(delimiters, &patterns);
    let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&patterns)).with_envelope(envelope);
    assert!(stream.envelope(0).is_none());
    stream.push_with(r#"{"message":{"content":"```json\n{\"a\": \"b"},"done":false}"#, |_| {});
    let open = stream.envelope(0).expect("the block is open");
    assert_eq!(open.parser().unwrap().snapshot().unwrap().to_string(), r#"{"a":"b"}"#);
    assert_eq!(stream.envelopes().into_iter().map(|(block, _)| block).collect::<Vec<_>>(), [0]);
    stream.finish_with(|_| {});
    assert!(stream.envelope(0).is_none());
}

#[test]
fn a_state_belongs_to_its_envelope() {
    let calls = || ToolCalls::new(&PatternSet::new(["answer"]).unwrap());
    let mut saved = stream(Provider::Ollama);
    saved.push_with(r#"{"message":{"content":"```json\n{\"a\": \"b"},"done":false}"#, |_| {});
    let state = saved.save().unwrap();
    let kind = |other: ProviderStream| other.restore(&state).err();
    let plain = || ProviderStream::new(Provider::Ollama, calls());
    let with = |marks: &[&str], pattern: &str| {
        let delimiters: Vec<Delimiter> = marks.iter().map(|mark| mark.parse().unwrap()).collect();
        plain().with_envelope(Envelope::new(delimiters, &PatternSet::new([pattern]).unwrap()))
    };
    assert_eq!(kind(with(&MARKS, "answer")), None);
    assert_eq!(kind(with(&MARKS[1..], "answer")), Some(RestoreError::OtherChoices));
    assert_eq!(kind(with(&MARKS, "other")), Some(RestoreError::OtherPatterns));
    // Its patterns are patterns too.
    assert_eq!(kind(plain()), Some(RestoreError::OtherPatterns));
    let state = plain().saveable(SAVE_LIMIT).save().unwrap();
    assert_eq!(with(&MARKS, "answer").restore(&state).unwrap_err(), RestoreError::OtherPatterns);
}
