//! Payloads in the assistant's text: a stream with an envelope says of each block's text what an envelope alone says of it,
//! however it is cut, and whatever is saved in between.

use std::collections::BTreeMap;

use jsonspigot::{EventKind, PatternSet, RestoreError};
use jsonspigot_llm::{
    CallEvent, Delimiter, Envelope, EnvelopeEvent, PayloadStatus, Provider, ProviderStream, SAVE_LIMIT, StreamEvent,
    ToolCalls, UnfinishedKind,
};
use serde_json::{Value, json};

use super::restored::restored_stream;
use super::wires;

const MARKS: [&str; 4] = ["fence:json", "tag:think", "comment:context", "fence:*"];

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

/// What was said of one text, joined.
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

/// What is said of each block, by a stream that is saved and restored before each event; and the stream.
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

/// A text in pieces of this many characters.
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
            let is_whole = !expected
                .0
                .iter()
                .any(|line| line.contains("Malformed") || line.contains("Trunc") || line.contains("Trailing"));
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

/// Its run ends where a call begins, and what follows is another block's.
#[test]
fn a_payload_ends_with_its_block() {
    let chunks = [
        json!({"choices": [{"delta": {"content": "```json\n{\"answer\": "}}]}),
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "1", "function": {"name": "f", "arguments": "{}"}}]}}]}),
        json!({"choices": [{"delta": {"content": "1}\n```"}, "finish_reason": "tool_calls"}]}),
    ];
    let mut stream = stream(Provider::OpenaiChat);
    let mut told = Vec::new();
    let mut shown = String::new();
    for chunk in chunks {
        stream.push_with(&chunk.to_string(), |event| match event {
            StreamEvent::Payload { block, event: EnvelopeEvent::End { payload, .. }, .. } => {
                assert_eq!(
                    (payload.status(), payload.value().is_none()),
                    (PayloadStatus::Truncated { reason: "end-of-input" }, true)
                );
                told.push(format!("payload of {block}"));
            }
            StreamEvent::BlockEnd(block) => told.push(format!("end of {}", block.number)),
            StreamEvent::Call(jsonspigot_llm::CallEvent::Start { .. }) => told.push("call".to_owned()),
            StreamEvent::Text { text, .. } => shown.push_str(&text),
            _ => {}
        });
    }
    assert_eq!(told, ["payload of 0", "end of 0", "call", "end of 1"]);
    assert_eq!(shown, "1}\n```");
    let unfinished = stream.verdict().unwrap_err();
    assert_eq!((unfinished.kind(), unfinished.call()), (UnfinishedKind::Payload, None));
}

/// How each payload of a stream ended, or each answer where the text itself is the JSON; saved and restored before each event.
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

/// All strings of a value that are this one become another value.
fn replace(value: &mut Value, this: &str, other: &Value) -> bool {
    match value {
        Value::String(text) if text == this => *value = other.clone(),
        Value::Array(elements) => {
            return elements
                .iter_mut()
                .map(|value| replace(value, this, other))
                .filter(|is_replaced| *is_replaced)
                .count()
                > 0;
        }
        Value::Object(members) => {
            return members
                .values_mut()
                .map(|value| replace(value, this, other))
                .filter(|is_replaced| *is_replaced)
                .count()
                > 0;
        }
        _ => return false,
    }
    true
}

/// A piece that is damaged or lost, or a repetition that says otherwise, makes of a payload what it makes of a text that is
/// itself JSON. (The fence is left open, so that the payload is when the text is repeated.)
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
                let lines: Vec<_> = events
                    .iter()
                    .map(|event| event.as_str().map_or_else(|| event.to_string(), str::to_owned))
                    .collect();
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
            events.iter_mut().map(|event| replace(event, &whole, &other)).filter(|is_replaced| *is_replaced).count() > 0
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
    let chunk = |text: &str| json!({"message": {"content": text}, "done": false}).to_string();
    let end = json!({"message": {"content": ""}, "done": true, "done_reason": "stop"}).to_string();
    let ended = |before: &str, after: &str| {
        let mut stream = stream(Provider::Ollama);
        let mut ended = Vec::new();
        for event in [chunk(before).as_str(), "{\"damaged", chunk(after).as_str(), end.as_str()] {
            stream = restored_stream(&stream, &stream.save().unwrap());
            stream.push_with(event, |event| {
                if let StreamEvent::Payload { event: EnvelopeEvent::End { payload, .. }, .. } = event {
                    ended.push(payload.status().name());
                }
            });
        }
        assert_eq!(stream.verdict().unwrap_err().kind(), UnfinishedKind::BadFrame);
        ended
    };
    // What has ended before and what begins after it has lost nothing.
    assert_eq!(ended("```json\n[1]\n``` so", "and ```json\n[2]\n```"), ["complete", "complete"]);
    assert_eq!(ended("```js", "on\n[1]\n``` and ```json\n[2]\n```"), ["truncated", "complete"]);
    assert_eq!(ended("```js", "x ```json\n[1]\n```"), ["complete"]);
    assert_eq!(ended("```json\n[1", "} ]\n```"), ["malformed"]);
    assert_eq!(ended("<think>a", "b</think><think>c</think>"), ["truncated", "raw"]);
}

#[test]
fn reasoning_and_structured_text_are_not_looked_at() {
    let mut reasoning = String::new();
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Reasoning { text, .. } => reasoning.push_str(&text),
        StreamEvent::Payload { .. } => panic!("{event:?}"),
        _ => {}
    };
    let line = json!({"message": {"thinking": "<think>x</think>"}, "done": true, "done_reason": "stop"}).to_string();
    stream(Provider::Ollama).push_with(&line, &mut on_event);
    let line = json!({"message": {"content": "```json\n1\n```"}, "done": true, "done_reason": "stop"}).to_string();
    stream(Provider::Ollama).structured().push_with(&line, &mut on_event);
    assert_eq!(reasoning, "<think>x</think>");
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
fn what_owns_its_parts_has_the_shape_of_the_lines() {
    let line = json!({"message": {"content": "a<think>b</think>```json\n{\"answer\": 1}```<!--context {\"answer\": x} -->"},
        "done": true, "done_reason": "stop"});
    let events: Vec<StreamEvent<'static>> = stream(Provider::Ollama).push(&line.to_string()).collect();
    let lines: Vec<_> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let of = |mark: &str| format!(r#""mark":"{mark}","block":0,"choice":0"#);
    let (think, json, context) = (of("tag:think"), of("fence:json"), of("comment:context"));
    let place = r#""kind":"unexpected-byte","offset":12,"line":1,"column":13,"path":"$""#;
    assert_eq!(
        lines[1..lines.len() - 3],
        [
            r#"{"event":"text","text":"a","block":0}"#.to_owned(),
            format!(r#"{{"event":"payload-start",{think},"open":"<think>","offset":1}}"#),
            format!(r#"{{"event":"fragment",{think},"text":"b"}}"#),
            format!(r#"{{"event":"payload",{think},"status":"raw","raw":"b","close":"</think>"}}"#),
            format!(r#"{{"event":"payload-start",{json},"open":"```json","offset":17}}"#),
            format!(r#"{{"event":"begin",{json},"pattern":0,"path":"answer","kind":"number","match":0,"offset":12}}"#),
            format!(r#"{{"event":"end",{json},"pattern":0,"path":"answer","value":1,"match":0,"offset":13}}"#),
            format!(r#"{{"event":"payload",{json},"status":"complete","value":{{"answer":1}},"close":"```"}}"#),
            format!(r#"{{"event":"payload-start",{context},"open":"<!--context","offset":41}}"#),
            format!(
                r#"{{"event":"payload",{context},"status":"malformed","raw":" {{\"answer\": x}} ","error":{{{place}}},"close":"-->"}}"#
            ),
        ],
        "{lines:#?}"
    );
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
