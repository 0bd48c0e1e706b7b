//! The form instructor at every cut and with every fault, and its events on the wire.

use chat::instructor::{AttemptError, ErrorKind, Event, Instructor, Shown};
use jsonspigot::{PartialValue, Settled, ValueKind};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::merge::Merger;

#[path = "shared/merge.rs"]
mod merge;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Booking {
    name: String,
    guests: Option<u8>,
    table: Settled<Table>,
    wishes: Vec<Wish>,
    paid: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Table {
    Window,
    Garden,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Wish {
    text: String,
}

fn instructor() -> Instructor {
    let schema = json!({
        "type": "object",
        "required": ["name", "guests", "table"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "guests": {"type": "integer", "minimum": 1, "maximum": 12},
            "table": {"enum": ["window", "garden"]},
            "wishes": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
            "paid": {"type": "boolean"},
            "day": {"type": "string", "format": "date"}
        }
    });
    Instructor::new(&schema).unwrap()
}

const ANSWER: &str = r#" {"name": "Zoë \"Z\" \ud83d\ude00 ~/", "guests": 4, "table": "garden",
  "wishes": [{"text": "a high chair"}, {}, {"text": ""}], "paid": true} "#;

const FINE: &str = r#"{"name":"A","guests":1,"table":"window"}"#;

fn booking() -> Value {
    serde_json::from_str(ANSWER).unwrap()
}

/// The events of a run, in short.
#[derive(Debug, Default)]
struct Log {
    kinds: Vec<String>,
    raw: String,
    seen: Vec<Booking>,
    failed: Vec<Vec<AttemptError>>,
    result: Option<Result<Value, Vec<AttemptError>>>,
}

impl Log {
    fn take(&mut self, event: Event<'_>) {
        let kind = match event {
            Event::AttemptStarted { attempt } => format!("started {attempt}"),
            Event::RawChunk(text) => {
                self.raw.push_str(text);
                "raw".into()
            }
            Event::Snapshot(seen) => {
                self.seen.extend(seen.typed::<Booking>().ok().flatten().map(|partial| partial.get().clone()));
                "snapshot".into()
            }
            Event::AttemptFailed { attempt, errors } => {
                self.failed.push(errors.to_vec());
                format!("failed {attempt}")
            }
            Event::FinalResult(result) => {
                self.result = Some(result);
                "final".into()
            }
        };
        if self.kinds.last() != Some(&kind) {
            self.kinds.push(kind);
        }
    }
}

/// Runs attempts, each with an answer in pieces; the last answer is repeated.
fn run(instructor: &Instructor, answers: &[&[&str]]) -> (Log, Vec<String>) {
    let (mut log, mut prompts) = (Log::default(), Vec::new());
    let mut attempts = instructor.parse_streaming("Book a table.");
    while let Some(prompt) = attempts.start(|event| log.take(event)) {
        let answer = answers[prompts.len().min(answers.len() - 1)];
        prompts.push(prompt);
        let _ = answer.iter().all(|chunk| attempts.feed(chunk, |event| log.take(event)));
        attempts.finish(|event| log.take(event));
    }
    (log, prompts)
}

/// Returns every way to cut the text in two, and its characters.
fn cuts(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let single = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect();
    let pairs = text.char_indices().map(|(at, _)| vec![&text[..at], &text[at..]]);
    pairs.chain([single])
}

#[test]
fn any_cut_gives_the_same_form_and_growing_snapshots() {
    for cut in cuts(ANSWER) {
        let (log, prompts) = run(&instructor(), &[&cut]);
        assert_eq!(log.result, Some(Ok(booking())), "{cut:?}");
        assert_eq!((log.raw.as_str(), prompts), (ANSWER, vec!["Book a table.".to_owned()]));
        assert_eq!(log.kinds.first().map(String::as_str), Some("started 1"));
        assert_eq!(log.kinds.iter().filter(|kind| *kind == "final").count(), 1);
        assert!(log.failed.is_empty());
        for pair in log.seen.windows(2) {
            assert!(pair[1].name.starts_with(&pair[0].name), "{pair:?}");
            assert!(pair[1].wishes.len() >= pair[0].wishes.len(), "{pair:?}");
            assert!(pair[0].guests.is_none() || pair[0].guests == pair[1].guests, "{pair:?}");
        }
    }
    let (log, _) = run(&instructor(), &[&cuts(ANSWER).last().unwrap()]);
    let names: Vec<_> = log.seen.iter().map(|seen| seen.name.clone()).collect();
    assert!(names.contains(&"Zoë \"Z".into()) && names.contains(&"Zoë \"Z\" 😀".into()), "{names:?}");
    assert!(log.seen.iter().all(|seen| seen.table.get().is_none_or(|table| *table == Table::Garden)));
}

#[test]
fn parse_gives_the_same_final_result() {
    assert_eq!(instructor().parse("Book a table.", |_| Ok(ANSWER.into())), Ok(booking()));
    assert_eq!(Booking::deserialize(booking()).unwrap().guests, Some(4), "a form fits its type");
    for answers in [["{", r#"{"name": 1}"#, "{}"], ["x", "x", FINE]] {
        let (log, prompts) = run(&instructor(), &[&[answers[0]], &[answers[1]], &[answers[2]]]);
        let mut asked = Vec::new();
        let whole = instructor().parse("Book a table.", |prompt| {
            asked.push(prompt.to_owned());
            Ok(answers[asked.len() - 1].into())
        });
        assert_eq!((Some(whole), asked), (log.result, prompts));
    }
    let none = instructor().parse("Book a table.", |_| Err("overloaded".into()));
    assert_eq!(none, Err(vec![AttemptError::new(ErrorKind::Provider, "overloaded")]));
}

#[test]
fn an_answer_cut_anywhere_fails_as_cut_and_is_asked_again() {
    let whole = ANSWER.trim_end();
    for (end, _) in whole.char_indices() {
        let (log, prompts) = run(&instructor(), &[&[&whole[..end]], &[ANSWER]]);
        let [errors] = &log.failed[..] else { panic!("one failure at {end}: {log:?}") };
        assert_eq!((errors.len(), errors[0].kind), (1, ErrorKind::CutStream));
        let message = &errors[0].message;
        assert!(message.contains(&format!("(byte {end})")), "{message}");
        assert!(prompts[1].starts_with("Book a table.") && prompts[1].contains(message), "{}", prompts[1]);
        assert_eq!(log.result, Some(Ok(booking())));
    }
}

#[test]
fn a_bad_byte_anywhere_ends_the_attempt_at_once() {
    for (at, old) in ANSWER.char_indices() {
        let bad = format!("{}\u{1}{}", &ANSWER[..at], &ANSWER[at + old.len_utf8()..]);
        let instructor = instructor();
        let mut attempts = instructor.parse_streaming("Book a table.");
        let mut log = Log::default();
        attempts.start(|event| log.take(event)).unwrap();
        let over = bad
            .char_indices()
            .find(|&(place, c)| !attempts.feed(&bad[place..place + c.len_utf8()], |event| log.take(event)));
        assert_eq!(over.map(|(place, _)| place), Some(at));
        assert_eq!(log.failed[0][0].kind, ErrorKind::InvalidJson);
        assert!(!attempts.feed(ANSWER, |_| unreachable!("the attempt is over")));
        attempts.finish(|_| unreachable!("the attempt is over"));
        assert!(attempts.start(|event| log.take(event)).unwrap().contains("not JSON"));
    }
}

#[test]
fn the_schema_is_checked_at_the_end_only_and_all_of_it_is_told() {
    for cut in cuts(r#"{"name": "", "guests": 13, "table": "garden"}"#) {
        let (log, _) = run(&instructor().attempts(1), &[&cut]);
        assert_eq!((log.kinds[log.kinds.len() - 2].as_str(), log.failed[0].len()), ("failed 1", 2), "{cut:?}");
        assert!(log.seen.iter().any(|seen| seen.guests == Some(13)), "nothing is judged before the end");
    }
    let wrong = r#"{"guests": 99, "table": "roof", "day": "soon", "extra": 1, "wishes": [{"text": 7}]}"#;
    let (log, prompts) = run(&instructor(), &[&[wrong]]);
    let failed: Vec<_> = log.failed[0].iter().map(ToString::to_string).collect();
    let expected = ["at /day: ", "at /guests: 99", "at /table: \"roof\"", "at /wishes/0/text: 7"];
    assert!(expected.iter().all(|start| failed.iter().any(|told| told.starts_with(start))), "{failed:?}");
    assert!(failed.iter().any(|it| it.contains("extra")) && failed.iter().any(|it| it.contains("\"name\"")));
    assert_eq!((failed.len(), log.seen.len()), (6, 0));
    assert!(failed.iter().all(|error| prompts[1].contains(error)) && prompts[1].contains(wrong), "{}", prompts[1]);
}

#[test]
fn when_the_attempts_are_used_up_the_last_errors_are_the_result() {
    for most in 1..=4 {
        let answers: Vec<String> = (21..=24).map(|guests| FINE.replace('1', &guests.to_string())).collect();
        let answers: Vec<[&str; 1]> = answers.iter().map(|answer| [answer.as_str()]).collect();
        let answers: Vec<&[&str]> = answers.iter().map(|answer| &answer[..]).collect();
        let (log, prompts) = run(&instructor().attempts(most), &answers);
        assert_eq!((prompts.len(), log.failed.len()), (most as usize, most as usize));
        let Some(Err(errors)) = &log.result else { panic!("{log:?}") };
        assert_eq!(errors, log.failed.last().unwrap());
        assert_eq!(errors[0].to_string(), format!("at /guests: {} is greater than the maximum of 12", 20 + most));
        // A prompt quotes the last attempt's errors only.
        assert!(prompts.iter().skip(2).all(|prompt| !prompt.contains("21 is greater")));
    }
}

#[test]
fn a_provider_may_fail_before_and_in_an_answer() {
    for heard in [&[][..], &[r#"{"name": "An"#], &[ANSWER]] {
        let (instructor, mut log) = (instructor(), Log::default());
        let mut attempts = instructor.parse_streaming("Book a table.");
        attempts.start(|event| log.take(event)).unwrap();
        for chunk in heard {
            attempts.feed(chunk, |event| log.take(event));
        }
        let error = AttemptError::new(ErrorKind::Provider, "Overloaded");
        attempts.fail(error.clone(), |event| log.take(event));
        attempts.fail(error.clone(), |_| unreachable!("the attempt is over"));
        assert_eq!(log.failed, [[error]]);
        let prompt = attempts.start(|event| log.take(event)).unwrap();
        assert!(prompt.contains("the provider failed: Overloaded"));
        assert!(heard.iter().all(|chunk| prompt.contains(chunk)));
        attempts.feed(ANSWER, |event| log.take(event));
        attempts.finish(|event| log.take(event));
        assert_eq!(log.result, Some(Ok(booking())));
        assert_eq!(attempts.start(|_| unreachable!("it is over")), None);
    }
}

#[test]
fn only_exactly_one_form_is_accepted() {
    assert!(run(&instructor(), &[&[FINE]]).0.result.unwrap().is_ok());
    let bad = [
        (format!("```yaml\n{FINE}\n```"), ErrorKind::InvalidJson),
        (format!("```json\n{FINE} {FINE}\n```"), ErrorKind::InvalidJson),
        ("```json\n```".into(), ErrorKind::CutStream),
        ("I can't.".into(), ErrorKind::InvalidJson),
        (format!("Here it is: {FINE}"), ErrorKind::InvalidJson),
        (format!("\u{feff}{FINE}"), ErrorKind::InvalidJson),
        (format!("{FINE} {FINE}"), ErrorKind::InvalidJson),
        (format!("{FINE}."), ErrorKind::InvalidJson),
        (FINE.replace(r#""A","#, r#""A","name":"B","#), ErrorKind::InvalidJson),
        (FINE.replace('1', "01"), ErrorKind::InvalidJson),
        (FINE.replace('1', "1e999"), ErrorKind::InvalidJson),
        (FINE.replace('A', "\\ud83d"), ErrorKind::InvalidJson),
        (FINE.replace('A', &"A".repeat(2 << 20)), ErrorKind::InvalidJson),
        ("[".repeat(65), ErrorKind::InvalidJson),
        (String::new(), ErrorKind::CutStream),
        (" \n".into(), ErrorKind::CutStream),
        ("null".into(), ErrorKind::Schema),
        ("12".into(), ErrorKind::Schema),
        (format!("[{FINE}]"), ErrorKind::Schema),
    ];
    for (answer, kind) in bad {
        let (log, _) = run(&instructor().attempts(1), &[&[&answer]]);
        assert_eq!(log.failed[0][0].kind, kind, "{answer:.80}");
    }
}

/// Checks a fence with talk around it at every cut: the form is inside, and it grows.
#[test]
fn a_form_in_a_fence_is_found() {
    let fine = ANSWER.trim();
    for answer in [
        format!("```json\n{fine}\n```"),
        format!("\n\nHere is your `form`:\n\n```json\n{fine}\n```\nAnything else? ```json\n[1]\n```"),
        format!("Sure!\n```JSON\n{fine}\n"),
    ] {
        for cut in cuts(&answer) {
            let (log, _) = run(&instructor(), &[&cut]);
            assert_eq!(log.result, Some(Ok(booking())), "{cut:?}");
            assert_eq!(log.raw, answer, "the model's text is shown as it is");
        }
        let (log, _) = run(&instructor(), &[&cuts(&answer).last().unwrap()]);
        assert!(log.seen.len() > 20, "it grows: {}", log.seen.len());
    }
}

#[test]
fn a_prompt_stays_small_whatever_the_answer_was() {
    let again = |answer: Value| run(&instructor().attempts(2), &[&[&answer.to_string()]]).1[1].clone();
    let wishes =
        |count| json!({"name": "A", "guests": 1, "table": "window", "wishes": vec![json!({"text": 7}); count]});
    assert!(!again(wishes(20)).contains("more"), "20 errors are all quoted");
    let prompt = again(wishes(5000));
    assert!(prompt.len() < 16 << 10 && prompt.contains("- and more\n"), "{}", prompt.len());
    assert!(again(json!({"name": "A", "guests": "é".repeat(1000), "table": "window"})).contains("é…"));
}

#[test]
fn a_bad_schema_is_refused() {
    for bad in [json!({"type": "strnig"}), json!(7), json!({"pattern": "("}), json!({"$ref": "http://127.0.0.1:1/x"})] {
        assert!(Instructor::new(&bad).is_err(), "{bad}");
    }
}

#[test]
fn calls_in_the_wrong_order_do_nothing() {
    let (instructor, mut log) = (instructor(), Log::default());
    let mut attempts = instructor.parse_streaming("Book a table.");
    attempts.finish(|_| unreachable!("nothing was asked"));
    attempts.fail(AttemptError::new(ErrorKind::Provider, ""), |_| unreachable!("nothing was asked"));
    assert!(!attempts.feed("{", |_| unreachable!("nothing was asked")));
    attempts.start(|event| log.take(event)).unwrap();
    assert!(attempts.feed("", |_| unreachable!("nothing came")));
    attempts.feed("{", |event| log.take(event));
    attempts.start(|event| log.take(event)).unwrap();
    assert_eq!(log.kinds, ["started 1", "raw", "snapshot", "failed 1", "started 2"]);
    assert_eq!(log.failed[0][0].kind, ErrorKind::CutStream);
}

/// Collects the pointers of all values that are shown, each with whether it is complete.
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

/// A client of the form.
#[derive(Default)]
struct Client {
    merger: Merger,
    number: u64,
    names: Vec<&'static str>,
}

impl Client {
    /// Runs attempts with these answers in pieces, and checks the client's form at each snapshot.
    fn fill(&mut self, instructor: &Instructor, answers: &[&[&str]]) {
        let mut shown = Shown::in_block("b1");
        let mut take = |event: Event<'_>| {
            for sent in shown.events(&event) {
                self.number += 1;
                self.names.push(sent.event.as_str());
                self.merger.apply(sent.data.numbered(self.number));
            }
            let Event::Snapshot(seen) = event else { return };
            let message = &self.merger.messages().last().unwrap().props;
            assert_eq!(message["value"], seen.value.to_value().unwrap());
            let (open, mut all) = (message["open"].as_str(), Vec::new());
            states(seen.value, "", &mut all);
            for (pointer, is_complete) in all {
                let holds = |open: &str| open == pointer || open.starts_with(&format!("{pointer}/"));
                assert_eq!(!is_complete, open.is_some_and(holds), "{pointer} while {open:?} is open");
            }
        };
        let mut attempts = instructor.parse_streaming("Book a table.");
        for answer in answers {
            attempts.start(&mut take).unwrap();
            let _ = answer.iter().all(|chunk| attempts.feed(chunk, &mut take));
            attempts.finish(&mut take);
        }
    }

    fn messages(&self) -> Vec<&Value> {
        self.merger.messages().map(|message| &message.props).collect()
    }
}

#[test]
fn on_the_wire_the_form_is_each_snapshot_and_each_attempt_is_a_message() {
    let answer = r#" {"name": "Zoë \"Z\" \ud83d\ude00", "~/": {"": [[], [1.50, -0, 1e2]]}, "guests": 4, "none": null,
      "wishes": [{"text": "a high chair"}, {}, {"text": ""}], "paid": true} "#;
    let whole: Value = serde_json::from_str(answer).unwrap();
    let guests = json!({"type": "integer", "minimum": 1});
    let schema = json!({"type": "object", "required": ["name"], "properties": {"guests": guests}});
    let instructor = Instructor::new(&schema).unwrap().attempts(2);
    for cut in cuts(answer) {
        let mut client = Client::default();
        client.fill(&instructor, &[&cut]);
        // Each piece costs what is new in it: its raw text, and a change or two.
        assert!(client.number < 4 * cut.len() as u64 + 40, "{} chunks for {} pieces", client.number, cut.len());
        let form =
            json!({"attempt": 1, "status": "complete", "value": whole, "open": null, "raw": answer, "errors": []});
        assert_eq!(client.messages(), [&form]);
    }
    let mut client = Client::default();
    client.fill(&instructor, &[&[r#"{"name": "An"#], &[r#"{"name": "Ann", "guests": 0, "table": "window"}"#]]);
    let messages = client.messages();
    assert_eq!((&messages[0]["status"], &messages[0]["open"]), (&json!("failed"), &json!("/name")));
    assert_eq!(messages[0]["errors"][0]["kind"], "cut_stream");
    assert_eq!((&messages[1]["status"], messages.len()), (&json!("given_up"), 2));
    let error = json!({"kind": "schema", "pointer": "/guests", "message": "0 is less than the minimum of 1"});
    assert_eq!(messages[1]["errors"], json!([error]));
    client.names.dedup();
    let names = "attempt_started raw_chunk snapshot attempt_failed attempt_started raw_chunk snapshot attempt_failed";
    assert_eq!(client.names.join(" "), format!("{names} final_result"));
}
