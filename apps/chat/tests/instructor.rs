//! The form instructor at every cut and with every fault, and its events on the wire.

use chat::instructor::{AttemptError, Attempts, ErrorKind, Instructor};
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

/// A client of attempts at a form, and what was known of the form on the way.
#[derive(Default)]
struct Run {
    names: Vec<&'static str>,
    chunks: u64,
    merger: Merger,
    seen: Vec<Booking>,
    prompts: Vec<String>,
    result: Option<Result<Value, Vec<AttemptError>>>,
}

impl Run {
    /// Takes the events since the last step. Checks that the client has the form as far as it is known.
    fn look(&mut self, attempts: &mut Attempts<'_>) {
        for event in attempts.drain() {
            self.chunks += 1;
            self.names.push(event.event.as_str());
            self.merger.apply(event.data.numbered(self.chunks));
        }
        self.names.dedup();
        self.result = attempts.result().cloned();
        let Some(value) = attempts.value() else { return };
        self.seen.extend(attempts.typed::<Booking>().ok().flatten().map(|partial| partial.get().clone()));
        let message = &self.merger.messages().last().unwrap().props;
        if let Ok(value) = value.to_value() {
            assert_eq!(message["value"], value);
        }
        let (open, mut all) = (message["open"].as_str(), Vec::new());
        states(value, "", &mut all);
        for (pointer, is_complete) in all {
            let holds = |open: &str| open == pointer || open.starts_with(&format!("{pointer}/"));
            assert_eq!(!is_complete, open.is_some_and(holds), "{pointer} while {open:?} is open");
        }
    }

    /// Returns each attempt's message.
    fn messages(&self) -> Vec<&Value> {
        self.merger.messages().map(|message| &message.props).collect()
    }

    /// Returns the errors of an attempt, in words as a prompt has them.
    fn errors(&self, attempt: usize) -> Vec<String> {
        let words = |error: &Value| match error["pointer"].as_str().unwrap_or_default() {
            "" => error["message"].as_str().unwrap().to_owned(),
            pointer => format!("at {pointer}: {}", error["message"].as_str().unwrap()),
        };
        self.messages()[attempt]["errors"].as_array().unwrap().iter().map(words).collect()
    }

    fn kind(&self, attempt: usize) -> &Value {
        &self.messages()[attempt]["errors"][0]["kind"]
    }
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

/// Runs attempts, each with an answer in pieces; the last answer is repeated.
fn run(instructor: &Instructor, answers: &[&[&str]]) -> Run {
    let mut run = Run::default();
    let mut attempts = instructor.parse_streaming("Book a table.", "b1");
    while let Some(prompt) = attempts.start() {
        let answer = answers[run.prompts.len().min(answers.len() - 1)];
        run.prompts.push(prompt);
        for chunk in answer {
            attempts.feed(chunk);
            run.look(&mut attempts);
        }
        attempts.finish();
        run.look(&mut attempts);
    }
    run
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
        let run = run(&instructor(), &[&cut]);
        assert_eq!(run.result, Some(Ok(booking())), "{cut:?}");
        assert_eq!(run.prompts, ["Book a table."]);
        let form =
            json!({"attempt": 1, "status": "complete", "value": booking(), "open": null, "raw": ANSWER, "errors": []});
        assert_eq!(run.messages(), [&form]);
        assert_eq!(
            (run.names[0], run.names[1], *run.names.last().unwrap()),
            ("attempt_started", "raw_chunk", "final_result")
        );
        // Each piece costs what is new in it: its raw text, and a change or two.
        assert!(run.chunks < 4 * cut.len() as u64 + 40, "{} chunks for {} pieces", run.chunks, cut.len());
        for pair in run.seen.windows(2) {
            assert!(pair[1].name.starts_with(&pair[0].name), "{pair:?}");
            assert!(pair[1].wishes.len() >= pair[0].wishes.len(), "{pair:?}");
            assert!(pair[0].guests.is_none() || pair[0].guests == pair[1].guests, "{pair:?}");
        }
    }
    let single = run(&instructor(), &[&cuts(ANSWER).last().unwrap()]);
    let names: Vec<_> = single.seen.iter().map(|seen| seen.name.clone()).collect();
    assert!(names.contains(&"Zoë \"Z".into()) && names.contains(&"Zoë \"Z\" 😀".into()), "{names:?}");
    assert!(single.seen.iter().all(|seen| seen.table.get().is_none_or(|table| *table == Table::Garden)));

    // So does JSON of any shape.
    let answer = r#" {"name": "Zoë \"Z\" \ud83d\ude00", "~/": {"": [[], [1.50, -0, 1e2]]}, "guests": 4, "none": null,
      "wishes": [{"text": "a high chair"}, {}, {"text": ""}], "paid": true} "#;
    let whole: Value = serde_json::from_str(answer).unwrap();
    let instructor = Instructor::new(&json!({"type": "object"})).unwrap();
    for cut in cuts(answer) {
        assert_eq!(run(&instructor, &[&cut]).messages()[0]["value"], whole);
    }
}

#[test]
fn parse_gives_the_same_final_result() {
    assert_eq!(instructor().parse("Book a table.", |_| Ok(ANSWER.into())), Ok(booking()));
    assert_eq!(Booking::deserialize(booking()).unwrap().guests, Some(4), "a form fits its type");
    for answers in [["{", r#"{"name": 1}"#, "{}"], ["x", "x", FINE]] {
        let run = run(&instructor(), &[&[answers[0]], &[answers[1]], &[answers[2]]]);
        let mut asked = Vec::new();
        let whole = instructor().parse("Book a table.", |prompt| {
            asked.push(prompt.to_owned());
            Ok(answers[asked.len() - 1].into())
        });
        assert_eq!((Some(whole), asked), (run.result, run.prompts));
    }
    let none = instructor().parse("Book a table.", |_| Err("overloaded".into()));
    assert_eq!(none, Err(vec![AttemptError::new(ErrorKind::Provider, "overloaded")]));
}

#[test]
fn an_answer_cut_anywhere_fails_as_cut_and_is_asked_again() {
    let whole = ANSWER.trim_end();
    for (end, _) in whole.char_indices() {
        let run = run(&instructor(), &[&[&whole[..end]], &[ANSWER]]);
        let errors = run.errors(0);
        let message = &errors[0];
        assert_eq!(
            (errors.len(), run.kind(0), &run.messages()[0]["status"]),
            (1, &json!("cut_stream"), &json!("failed"))
        );
        assert!(message.contains(&format!("(byte {end})")), "{message}");
        assert!(run.prompts[1].starts_with("Book a table.") && run.prompts[1].contains(message), "{}", run.prompts[1]);
        assert_eq!(run.result, Some(Ok(booking())));
    }
}

#[test]
fn the_schema_is_checked_at_the_end_only_and_all_of_it_is_told() {
    for cut in cuts(r#"{"name": "", "guests": 13, "table": "garden"}"#) {
        let run = run(&instructor().attempts(1), &[&cut]);
        assert_eq!(run.names[run.names.len() - 2..], ["attempt_failed", "final_result"]);
        assert_eq!(run.errors(0).len(), 2, "{cut:?}");
        assert!(run.seen.iter().any(|seen| seen.guests == Some(13)), "nothing is judged before the end");
    }
    let wrong = r#"{"guests": 99, "table": "roof", "day": "soon", "extra": 1, "wishes": [{"text": 7}]}"#;
    let run = run(&instructor(), &[&[wrong]]);
    let failed = run.errors(0);
    let expected = ["at /day: ", "at /guests: 99", "at /table: \"roof\"", "at /wishes/0/text: 7"];
    assert!(expected.iter().all(|start| failed.iter().any(|told| told.starts_with(start))), "{failed:?}");
    assert!(failed.iter().any(|it| it.contains("extra")) && failed.iter().any(|it| it.contains("\"name\"")));
    assert_eq!((failed.len(), run.seen.len()), (6, 0));
    let again = &run.prompts[1];
    assert!(failed.iter().all(|error| again.contains(error)) && again.contains(wrong), "{again}");
}

#[test]
fn when_the_attempts_are_used_up_the_last_errors_are_the_result() {
    let answers = ["21", "22", "23"].map(|guests| FINE.replace('1', guests));
    let run = run(&instructor(), &[&[&answers[0]], &[&answers[1]], &[&answers[2]]]);
    let last = run.messages()[2];
    assert_eq!((run.prompts.len(), run.messages().len(), &last["status"]), (3, 3, &json!("given_up")));
    let Some(Err(errors)) = &run.result else { panic!("{:?}", run.result) };
    assert_eq!(json!(errors), last["errors"]);
    assert_eq!(errors[0].to_string(), "at /guests: 23 is greater than the maximum of 12");
    assert!(!run.prompts[2].contains("21 is greater"), "a prompt quotes the last attempt's errors only");
}

#[test]
fn a_provider_may_fail_before_and_in_an_answer() {
    for heard in ["", r#"{"name": "An"#, ANSWER] {
        let instructor = instructor();
        let mut attempts = instructor.parse_streaming("Book a table.", "b1");
        attempts.start().unwrap();
        attempts.feed(heard);
        assert_eq!((attempts.has_begun(), attempts.drain().is_empty()), (!heard.is_empty(), heard.is_empty()));
        let error = AttemptError::new(ErrorKind::Provider, "Overloaded");
        attempts.fail(error.clone());
        assert_eq!(attempts.drain().last().unwrap().data.props, json!({"status": "failed", "errors": [error]}));
        let prompt = attempts.start().unwrap();
        assert!(prompt.contains("the provider failed: Overloaded") && prompt.contains(heard));
        attempts.feed(ANSWER);
        attempts.finish();
        assert_eq!((attempts.result().cloned(), attempts.start()), (Some(Ok(booking())), None));
    }
}

#[test]
fn only_exactly_one_form_is_accepted() {
    assert!(run(&instructor(), &[&[FINE]]).result.unwrap().is_ok());
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
        let run = run(&instructor().attempts(1), &[&[&answer]]);
        assert_eq!(*run.kind(0), json!(kind), "{answer:.80}");
    }
    // What can't become the form ends the attempt at once.
    let instructor = instructor();
    let mut attempts = instructor.parse_streaming("Book a table.", "b1");
    attempts.start().unwrap();
    let ended = ["{", "\"name\":", "\u{1}", "\"A\"}"].map(|piece| {
        attempts.feed(piece);
        attempts.has_ended()
    });
    assert_eq!(ended, [false, false, true, true]);
    attempts.drain();
    attempts.finish();
    assert!(attempts.drain().is_empty() && attempts.start().unwrap().contains("not JSON"));
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
            let run = run(&instructor(), &[&cut]);
            assert_eq!(run.result, Some(Ok(booking())), "{cut:?}");
            assert_eq!(run.messages()[0]["raw"], answer, "the model's text is shown as it is");
        }
        let run = run(&instructor(), &[&cuts(&answer).last().unwrap()]);
        assert!(run.seen.len() > 20, "it grows: {}", run.seen.len());
    }
}

#[test]
fn a_prompt_stays_small_whatever_the_answer_was() {
    let again = |answer: Value| run(&instructor().attempts(2), &[&[&answer.to_string()]]).prompts[1].clone();
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
