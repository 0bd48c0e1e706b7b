//! The form on the wire: what a client's merger makes of it is each snapshot, and says what is still open.

use std::num::NonZeroU32;

use chat::instructor::{Event, Instructor, Shown};
use chat::wire::{Envelope, Merger};
use jsonspigot::{PartialValue, ValueKind};
use serde_json::{Value, json};

const ANSWER: &str = r#" {"name": "Zoë \"Z\" \ud83d\ude00", "~/": {"": [[], [1.50, -0, 1e2]]}, "guests": 4, "none": null,
  "wishes": [{"text": "a high chair"}, {}, {"text": ""}], "paid": true} "#;

/// Any object with a name, and guests if there are any.
fn instructor() -> Instructor<Value> {
    let guests = json!({"type": "integer", "minimum": 1});
    Instructor::new(&json!({"type": "object", "required": ["name"], "properties": {"guests": guests}})).unwrap()
}

/// Every way to cut the text in two, and character by character.
fn cuts(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let pairs = text.char_indices().map(|(at, _)| vec![&text[..at], &text[at..]]);
    let single = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect();
    pairs.chain([single])
}

/// Pointers of all values that are shown, each with whether it is complete.
fn states(value: PartialValue<'_>, pointer: &str, all: &mut Vec<(String, bool)>) {
    all.push((pointer.to_owned(), value.is_complete()));
    match value.kind() {
        ValueKind::Object => value.entries().for_each(|(name, member)| {
            states(member, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), all);
        }),
        ValueKind::Array => value.iter().enumerate().for_each(|(index, element)| {
            states(element, &format!("{pointer}/{index}"), all);
        }),
        _ => {}
    }
}

/// What a client has of it.
struct Client {
    merger: Merger,
    shown: Shown,
    number: u64,
    names: Vec<&'static str>,
}

impl Client {
    fn new() -> Self {
        Self { merger: Merger::new(), shown: Shown::in_block("b1"), number: 0, names: Vec::new() }
    }

    fn take(&mut self, event: &Event<'_, Value>) {
        for sent in self.shown.events(event) {
            self.number += 1;
            self.names.push(sent.event.as_str());
            let text = serde_json::to_string(&sent.data.numbered(self.number)).unwrap();
            self.merger.apply(serde_json::from_str::<Envelope>(&text).unwrap()).unwrap();
        }
    }

    /// Each answer is an attempt.
    fn fill(&mut self, instructor: &Instructor<Value>, answers: &[&str]) {
        let mut attempts = instructor.parse_streaming("Book a table.");
        for answer in answers {
            attempts.start(|event| self.take(&event)).unwrap();
            attempts.feed(answer, |event| self.take(&event));
            attempts.finish(|event| self.take(&event));
        }
    }

    fn messages(&self) -> Vec<&Value> {
        self.merger.messages().map(|message| &message.props).collect()
    }
}

#[test]
fn on_the_wire_the_form_is_each_snapshot_and_says_what_is_open() {
    for cut in cuts(ANSWER) {
        let (mut client, mut snapshots) = (Client::new(), 0);
        let mut attempts = instructor().parse_streaming("Book a table.");
        let mut take = |event: Event<'_, Value>| {
            client.take(&event);
            let message = client.messages().pop().unwrap();
            if let Event::Snapshot(seen) = event {
                snapshots += 1;
                assert_eq!(message["value"], seen.value().to_value().unwrap());
                let mut all = vec![];
                states(seen.value(), "", &mut all);
                let open = message["open"].as_str();
                for (pointer, is_complete) in all {
                    let holds = |open: &str| open == pointer || open.starts_with(&format!("{pointer}/"));
                    assert_eq!(!is_complete, open.is_some_and(holds), "{pointer} while {open:?} is open");
                }
            }
        };
        attempts.start(&mut take).unwrap();
        for chunk in &cut {
            attempts.feed(chunk, &mut take);
        }
        attempts.finish(&mut take);
        assert!(snapshots > 0);
        // Each piece costs what is new in it: its raw text, and a change or two.
        assert!(client.number < 4 * cut.len() as u64 + 40, "{} chunks for {} pieces", client.number, cut.len());
        let whole: Value = serde_json::from_str(ANSWER).unwrap();
        assert_eq!(
            client.messages()[0],
            &json!({"attempt": 1, "status": "complete", "value": whole, "open": null, "raw": ANSWER, "errors": []})
        );
    }
}

#[test]
fn on_the_wire_each_attempt_is_a_message_with_its_errors() {
    let mut client = Client::new();
    let answers = [r#"{"name": "An"#, r#"{"name": "Ann", "guests": 0, "table": "window"}"#];
    client.fill(&instructor().attempts(NonZeroU32::new(2).unwrap()), &answers);
    let messages = client.messages();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0]["value"], json!({"name": "An"}));
    assert_eq!((&messages[0]["status"], &messages[0]["open"]), (&json!("failed"), &json!("/name")));
    assert_eq!(messages[0]["errors"][0]["kind"], "cut_stream");
    assert_eq!(messages[1]["status"], "given_up");
    assert_eq!(
        messages[1]["errors"],
        json!([
            {"kind": "schema", "pointer": "/guests", "message": "0 is less than the minimum of 1"}
        ])
    );
    client.names.dedup();
    let names = "attempt_started raw_chunk snapshot attempt_failed attempt_started raw_chunk snapshot attempt_failed";
    assert_eq!(client.names.join(" "), format!("{names} final_result"));
}

#[test]
fn each_attempt_says_anew_what_is_open() {
    let mut client = Client::new();
    client.fill(&instructor(), &[r#"{"name": "An"#; 2]);
    let open: Vec<_> = client.messages().iter().map(|message| &message["open"]).collect();
    assert_eq!(open, ["/name", "/name"]);
}
