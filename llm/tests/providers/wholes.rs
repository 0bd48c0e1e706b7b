//! Wholes that are not equal to what came before them: words of Responses that have a start, pieces and ends that
//! repeat all of them, and the inputs of the AI SDK, which an application's schema completes.

use jsonspigot_llm::{Provider, ProviderStream, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, everything, read, read_to_verdict};

/// The kinds of words: their events, whether these are of a summary, and the member of a part that has them.
const KINDS: [(&str, bool, &str); 4] = [
    ("output_text", false, "text"),
    ("refusal", false, "refusal"),
    ("reasoning_text", false, "text"),
    ("reasoning_summary_text", true, "text"),
];

/// One kind of words, in a response or in one of a Realtime connection.
#[derive(Clone, Copy)]
struct Words {
    event: &'static str,
    is_summary: bool,
    member: &'static str,
    is_live: bool,
}

impl Words {
    /// Returns each kind, and the text of a Realtime connection.
    fn all() -> impl Iterator<Item = Self> {
        let of = |(event, is_summary, member), is_live| Self { event, is_summary, member, is_live };
        KINDS.into_iter().map(move |kind| of(kind, false)).chain([of(KINDS[0], true)])
    }

    fn part(self, text: &str) -> Value {
        let kind = if self.is_summary { "summary_text" } else { self.event };
        json!({"type": kind, self.member: text})
    }

    fn item(self, part: &Value) -> Value {
        let kind = if self.event.starts_with("reasoning") { "reasoning" } else { "message" };
        let list = if self.is_summary { "summary" } else { "content" };
        json!({"type": kind, "id": "i", list: [part]})
    }

    fn item_added(self, text: &str) -> Value {
        json!({"type": "response.output_item.added", "output_index": 0, "item": self.item(&self.part(text))})
    }

    fn part_added(self, content_index: u64, part: &Value) -> Value {
        let family = if self.is_summary { "reasoning_summary_part" } else { "content_part" };
        let kind = format!("response.{family}.added");
        json!({"type": kind, "output_index": 0, "content_index": content_index, "item_id": "i", "part": part})
    }

    /// Returns the events after a start: a piece, if `whole` has words, and the ends that repeat `whole`.
    fn rest(self, whole: &Value) -> Vec<Value> {
        let mut events = Vec::new();
        let text = &whole[self.member];
        if !text.is_null() {
            let at = |kind: &str, member: &str, text: &Value| {
                json!({"type": format!("response.{}.{kind}", self.event), "output_index": 0, "content_index": 0,
                    "item_id": "i", member: text})
            };
            events.extend([at("delta", "delta", &json!("world")), at("done", self.member, text)]);
        }
        let item = self.item(whole);
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
        let response = json!({"id": "r", "status": "completed", "output": [item]});
        let end = if self.is_live { "response.done" } else { "response.completed" };
        events.push(json!({"type": end, "response": response}));
        events
    }

    /// Reads a start and what follows it. The state is saved and restored between events, too.
    fn read(self, start: &[Value], whole: &Value) -> (Log, Result<(), UnfinishedKind>) {
        let mut events = [start, &self.rest(whole)].concat();
        if self.is_live {
            for event in &mut events {
                (event["event_id"], event["response_id"]) = (json!("e"), json!("r"));
            }
        }
        let (log, verdict) = read_to_verdict(Provider::OpenaiResponses, &events);
        assert_eq!(read(Provider::OpenaiResponses, events.iter().map(Value::to_string)), log);
        (log, verdict.map_err(|unfinished| unfinished.kind()))
    }
}

/// Returns the text, the reasoning or the refusal, of which a stream has one.
fn said(log: &Log) -> String {
    [&*log.text, &log.reasoning, &log.refusal].concat()
}

#[test]
fn words_of_a_start_go_on() {
    for words in Words::all() {
        let part_added = |text: &str| words.part_added(0, &words.part(text));
        for start in [
            vec![part_added("hello ")],
            vec![words.item_added("hello ")],
            vec![words.item_added("hello "), part_added("hello ")],
            vec![words.item_added("hel"), part_added("hello ")],
            vec![words.item_added(""), part_added("hello ")],
        ] {
            let (log, verdict) = words.read(&start, &words.part("hello world"));
            assert_eq!((&*said(&log), verdict), ("hello world", Ok(())), "{start:?}");
            assert_eq!(log.block_count, u64::from(words.event != "refusal"), "{start:?}");
            let (log, verdict) = words.read(&start, &words.part("hello there"));
            assert_eq!((log.mismatches.len(), verdict), (1, Err(UnfinishedKind::Mismatch)), "{start:?}");
        }
        // Equal words in another part are reported, too.
        let start = [0, 1].map(|index| words.part_added(index, &words.part("hello ")));
        assert_eq!(said(&words.read(&start, &json!({})).0), "hello hello ", "{start:?}");
    }
}

/// Checks that a schema adds members to the model's input. The call keeps its own input, and the validated one is data,
/// once.
#[test]
fn inputs_that_a_schema_completes() {
    for (written, validated) in [
        (r#"{"a": 1}"#, json!({"a": 1, "b": "default"})),
        (r#"{"b": [{"c": 1.0}, {}], "a": 1, "rest": true}"#, json!({"a": 1, "b": [{"c": 1, "d": 2}, {"d": 2}]})),
        ("{}", json!({"a": 1})),
    ] {
        let event = |kind: &str, member: &str, value: &Value| json!({"type": kind, "toolCallId": "c", "toolName": "f", member: value});
        let available = event("tool-input-available", "input", &validated);
        let mut stream = ProviderStream::new(Provider::VercelUi, everything().build());
        let mut reported = Vec::new();
        let events = [
            json!({"type": "start"}),
            json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "f"}),
            event("tool-input-delta", "inputTextDelta", &json!(written)),
            available.clone(),
            available.clone(),
            json!({"type": "finish", "finishReason": "tool-calls"}),
        ];
        for event in &events {
            reported.extend(stream.push(&event.to_string()).map(|event| serde_json::to_value(event).unwrap()));
        }
        // Reads the events again, with the state saved and restored between them.
        read(Provider::VercelUi, events.iter().map(Value::to_string));
        let of = |kind: &str| reported.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
        let (data, inputs) = (of("data"), of("input"));
        assert_eq!((data.len(), &data[0]["value"]), (1, &available), "{reported:?}");
        let own: Value = serde_json::from_str(written).unwrap();
        assert_eq!((inputs.len(), &inputs[0]["status"], &inputs[0]["value"]), (1, &json!("complete"), &own));
        assert_eq!(stream.verdict(), Ok(()), "{reported:?}");
    }
}
