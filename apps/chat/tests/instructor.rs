//! The form instructor at every cut and with every fault.

use std::num::NonZeroU32;

use chat::instructor::{AttemptError, Event, Instructor, Step};
use jsonspigot::{Limits, Settled};
use serde::Deserialize;
use serde_json::{Value, json};

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

fn schema() -> Value {
    json!({
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
    })
}

const ANSWER: &str = r#" {"name": "Zoë \"Z\" \ud83d\ude00 ~/", "guests": 4, "table": "garden",
  "wishes": [{"text": "a high chair"}, {}, {"text": ""}], "paid": true} "#;

fn instructor() -> Instructor<Booking> {
    Instructor::new(&schema()).unwrap()
}

/// What was told, in short.
#[derive(Debug, Default)]
struct Log {
    kinds: Vec<String>,
    raw: String,
    seen: Vec<Booking>,
    failed: Vec<Vec<AttemptError>>,
    result: Option<Result<Booking, Vec<AttemptError>>>,
}

impl Log {
    fn take(&mut self, event: Event<'_, Booking>) {
        let kind = match event {
            Event::AttemptStarted { attempt, .. } => format!("started {attempt}"),
            Event::RawChunk(text) => {
                self.raw.push_str(text);
                "raw".into()
            }
            Event::Snapshot(seen) => {
                self.seen.extend(seen.typed().ok().flatten().map(|partial| partial.get().clone()));
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

/// One attempt after the other, each with an answer in pieces; the last answer again when there are no more.
fn run(instructor: &Instructor<Booking>, answers: &[&[&str]]) -> (Log, Vec<String>) {
    let (mut log, mut prompts) = (Log::default(), Vec::new());
    let mut attempts = instructor.parse_streaming("Book a table.");
    while let Some(prompt) = attempts.start(|event| log.take(event)) {
        let answer = answers[prompts.len().min(answers.len() - 1)];
        prompts.push(prompt);
        for chunk in answer {
            if attempts.feed(chunk, |event| log.take(event)) == Step::AttemptOver {
                break;
            }
        }
        attempts.finish(|event| log.take(event));
    }
    (log, prompts)
}

fn booking() -> Booking {
    serde_json::from_str(ANSWER).unwrap()
}

/// Every way to cut the text in two, and character by character.
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
    let good = instructor().parse("Book a table.", |_| Ok(ANSWER.into()));
    assert_eq!(good, Ok(booking()));
    for answers in [["{", r#"{"name": 1}"#, "{}"], ["x", "x", r#"{"name":"A","guests":1,"table":"window"}"#]] {
        let (log, prompts) = run(&instructor(), &[&[answers[0]], &[answers[1]], &[answers[2]]]);
        let mut asked = Vec::new();
        let whole = instructor().parse("Book a table.", |prompt| {
            asked.push(prompt.to_owned());
            Ok(answers[asked.len() - 1].into())
        });
        assert_eq!((Some(whole), asked), (log.result, prompts));
    }
    let none = instructor().parse("Book a table.", |_| Err("overloaded".into()));
    assert_eq!(none, Err(vec![AttemptError::Provider { message: "overloaded".into() }]));
}

#[test]
fn an_answer_cut_anywhere_fails_as_cut_and_is_asked_again() {
    let whole = ANSWER.trim_end();
    for (end, _) in whole.char_indices() {
        let (log, prompts) = run(&instructor(), &[&[&whole[..end]], &[ANSWER]]);
        let [errors] = &log.failed[..] else { panic!("one failure at {end}: {log:?}") };
        let [AttemptError::CutStream { message }] = &errors[..] else { panic!("cut at {end}: {errors:?}") };
        assert!(message.contains(&format!("(byte {end})")), "{message}");
        assert!(prompts[1].starts_with("Book a table.") && prompts[1].contains(message), "{}", prompts[1]);
        assert_eq!(log.result, Some(Ok(booking())));
        assert!(log.kinds.contains(&"failed 1".into()) && log.kinds.contains(&"started 2".into()));
    }
}

#[test]
fn a_bad_byte_anywhere_ends_the_attempt_at_once() {
    for (at, old) in ANSWER.char_indices() {
        let bad = format!("{}\u{1}{}", &ANSWER[..at], &ANSWER[at + old.len_utf8()..]);
        let mut attempts = instructor().parse_streaming("Book a table.");
        let mut log = Log::default();
        attempts.start(|event| log.take(event)).unwrap();
        let over = bad.char_indices().find(|&(place, c)| {
            let step = attempts.feed(&bad[place..place + c.len_utf8()], |event| log.take(event));
            step == Step::AttemptOver
        });
        assert_eq!(over.map(|(place, _)| place), Some(at));
        assert!(matches!(&log.failed[..], [errors] if matches!(&errors[..], [AttemptError::InvalidJson { .. }])));
        // What is still on its way is not heard any more.
        let kinds = log.kinds.len();
        assert_eq!(attempts.feed(ANSWER, |event| log.take(event)), Step::AttemptOver);
        attempts.finish(|event| log.take(event));
        assert_eq!(log.kinds.len(), kinds);
        let prompt = attempts.start(|event| log.take(event)).unwrap();
        assert!(prompt.contains("not JSON"), "{prompt}");
    }
}

#[test]
fn the_schema_is_checked_at_the_end_only_and_all_of_it_is_told() {
    let wrong = r#"{"guests": 99, "table": "roof", "day": "soon", "extra": 1, "wishes": [{"text": 7}]}"#;
    for cut in cuts(r#"{"name": "", "guests": 13, "table": "garden"}"#) {
        let mut attempts = instructor().parse_streaming("Book a table.");
        let mut log = Log::default();
        attempts.start(|event| log.take(event)).unwrap();
        assert!(cut.iter().all(|chunk| attempts.feed(chunk, |event| log.take(event)) == Step::GoOn));
        assert!(log.failed.is_empty(), "nothing is judged before the end");
        attempts.finish(|event| log.take(event));
        assert_eq!(log.failed[0].len(), 2, "{:?}", log.failed);
    }

    let mut attempts = instructor().parse_streaming("Book a table.");
    let mut failed = Vec::new();
    let mut take = |event: Event<'_, Booking>| match event {
        Event::AttemptFailed { errors, .. } => failed = errors.iter().map(ToString::to_string).collect(),
        Event::Snapshot(seen) => drop(seen.typed().unwrap_err()),
        _ => {}
    };
    attempts.start(&mut take).unwrap();
    attempts.feed(wrong, &mut take);
    attempts.finish(&mut take);
    let expected = ["at /day: ", "at /guests: 99", "at /table: \"roof\"", "at /wishes/0/text: 7"];
    assert!(expected.iter().all(|start| failed.iter().any(|told| told.starts_with(start))), "{failed:?}");
    assert!(failed.iter().any(|it| it.contains("extra")) && failed.iter().any(|it| it.contains("\"name\"")));
    assert_eq!(failed.len(), 6);
    let prompt = attempts.start(|_| {}).unwrap();
    assert!(failed.iter().all(|error| prompt.contains(error)) && prompt.contains(wrong), "{prompt}");
}

#[test]
fn when_the_attempts_are_used_up_the_last_errors_are_the_result() {
    for times in 1..=4 {
        let once_more = instructor().attempts(NonZeroU32::new(times).unwrap());
        let answers: Vec<String> =
            (1..=4).map(|attempt| format!(r#"{{"name":"A","table":"window","guests":{}}}"#, 20 + attempt)).collect();
        let answers: Vec<[&str; 1]> = answers.iter().map(|answer| [answer.as_str()]).collect();
        let answers: Vec<&[&str]> = answers.iter().map(|answer| &answer[..]).collect();
        let (log, prompts) = run(&once_more, &answers);
        assert_eq!(prompts.len(), times as usize);
        assert_eq!(log.failed.len(), times as usize);
        let Some(Err(errors)) = &log.result else { panic!("{log:?}") };
        assert_eq!(errors, log.failed.last().unwrap());
        assert_eq!(errors[0].to_string(), format!("at /guests: {} is greater than the maximum of 12", 20 + times));
        // A prompt carries the last attempt's errors, not all that ever were.
        assert!(prompts.iter().skip(2).all(|prompt| !prompt.contains("21 is greater")));
    }
}

#[test]
fn a_provider_may_fail_before_and_in_an_answer() {
    for heard in [&[][..], &[r#"{"name": "An"#], &[ANSWER]] {
        let mut log = Log::default();
        let mut attempts = instructor().parse_streaming("Book a table.");
        attempts.start(|event| log.take(event)).unwrap();
        for chunk in heard {
            attempts.feed(chunk, |event| log.take(event));
        }
        attempts.fail(AttemptError::Provider { message: "Overloaded".into() }, |event| log.take(event));
        attempts.fail(AttemptError::Provider { message: "twice".into() }, |event| log.take(event));
        assert_eq!(log.failed, [[AttemptError::Provider { message: "Overloaded".into() }]]);
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
fn what_is_not_exactly_one_form_is_refused() {
    let fine = r#"{"name":"A","guests":1,"table":"window"}"#;
    let (log, _) = run(&instructor(), &[&[fine]]);
    assert!(log.result.unwrap().is_ok());
    let bad = [
        (format!("```yaml\n{fine}\n```"), "invalid_json"),
        (format!("```json\n{fine} {fine}\n```"), "invalid_json"),
        ("```json\n```".into(), "cut_stream"),
        ("I can't.".into(), "invalid_json"),
        (format!("Here it is: {fine}"), "invalid_json"),
        (format!("\u{feff}{fine}"), "invalid_json"),
        (format!("{fine} {fine}"), "invalid_json"),
        (format!("{fine}."), "invalid_json"),
        (fine.replace(r#""A","#, r#""A","name":"B","#), "invalid_json"),
        (fine.replace('1', "01"), "invalid_json"),
        (fine.replace('1', "1e999"), "invalid_json"),
        (fine.replace('A', "\\ud83d"), "invalid_json"),
        (fine.replace('A', &"A".repeat(2 << 20)), "invalid_json"),
        ("[".repeat(65), "invalid_json"),
        (String::new(), "cut_stream"),
        (" \n".into(), "cut_stream"),
        ("null".into(), "schema"),
        ("12".into(), "schema"),
        (format!("[{fine}]"), "schema"),
    ];
    for (answer, kind) in bad {
        let (log, _) = run_loosely(&answer);
        assert_eq!(log.first().map(String::as_str), Some(kind), "{answer:.80}");
    }
}

/// A fence, and talk around it, at every cut: the form is the one inside, and it grows as it comes.
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
            assert_eq!(log.raw, answer, "what the model wrote is shown as it is");
        }
        let (log, _) = run(&instructor(), &[&cuts(&answer).last().unwrap()]);
        assert!(log.seen.len() > 20, "it grows: {}", log.seen.len());
    }
}

/// The kinds of the first attempt's errors; its snapshots need not fit the type.
fn run_loosely(answer: &str) -> (Vec<String>, Option<String>) {
    let mut attempts = instructor().parse_streaming("Book a table.");
    let mut kinds = Vec::new();
    let mut take = |event: Event<'_, Booking>| {
        if let Event::AttemptFailed { errors, .. } = event {
            kinds = errors.iter().map(|error| error.kind().to_owned()).collect();
        }
    };
    attempts.start(&mut take);
    attempts.feed(answer, &mut take);
    attempts.finish(&mut take);
    let prompt = attempts.start(&mut take);
    (kinds, prompt)
}

#[test]
fn a_prompt_stays_small_whatever_the_answer_was() {
    let answer = |count| {
        json!({"name": "A", "guests": 1, "table": "window", "wishes": vec![json!({"text": 7}); count]}).to_string()
    };
    let (_, prompt) = run_loosely(&answer(20));
    assert!(!prompt.unwrap().contains("more"), "20 errors are all told");
    let (kinds, prompt) = run_loosely(&answer(5000));
    assert_eq!(kinds.len(), 5000);
    let prompt = prompt.unwrap();
    assert!(prompt.len() < 16 << 10 && prompt.contains("and 4980 more"), "{}", prompt.len());

    let long = json!({"name": "A", "guests": "é".repeat(1000), "table": "window"}).to_string();
    let (_, prompt) = run_loosely(&long);
    assert!(prompt.unwrap().contains("é…"));
}

#[test]
fn a_type_that_disagrees_with_the_schema_is_told() {
    let instructor = Instructor::<Booking>::new(&json!({"type": "object"})).unwrap().attempts(NonZeroU32::MIN);
    let result = instructor.parse("Book a table.", |_| Ok(r#"{"guests": "four"}"#.into()));
    assert!(matches!(&result.unwrap_err()[..], [AttemptError::Type { message }] if message.contains("expected u8")));
}

#[test]
fn a_schema_that_is_none_or_leads_elsewhere_is_refused() {
    for bad in [json!({"type": "strnig"}), json!(7), json!({"pattern": "("}), json!({"$ref": "http://127.0.0.1:1/x"})] {
        assert!(Instructor::<Booking>::new(&bad).is_err(), "{bad}");
    }
}

#[test]
fn limits_and_the_order_of_calls_hold() {
    let small = instructor().limits(Limits::new().total(20)).attempts(NonZeroU32::MIN);
    let errors = small.parse("Book a table.", |_| Ok(ANSWER.into())).unwrap_err();
    assert!(matches!(&errors[..], [AttemptError::InvalidJson { message }] if message.contains("limit")), "{errors:?}");

    let mut attempts = instructor().parse_streaming("Book a table.");
    let mut log = Log::default();
    attempts.finish(|_| unreachable!("nothing was asked"));
    attempts.fail(AttemptError::Type { message: String::new() }, |_| unreachable!("nothing was asked"));
    assert_eq!(attempts.feed("{", |_| unreachable!("nothing was asked")), Step::AttemptOver);
    attempts.start(|event| log.take(event)).unwrap();
    assert_eq!(attempts.feed("", |_| unreachable!("nothing came")), Step::GoOn);
    attempts.feed("{", |event| log.take(event));
    attempts.start(|event| log.take(event)).unwrap();
    assert_eq!(log.kinds, ["started 1", "raw", "snapshot", "failed 1", "started 2"]);
    assert!(matches!(&log.failed[0][..], [AttemptError::CutStream { .. }]));
}
