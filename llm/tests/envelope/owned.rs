//! Events that own their parts: those that a callback is given, and in the shape of the command's lines.

use jsonspigot::{Leniency, Parser, PatternSet};
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};

use super::recorder::boundaries;

const TEXT: &str = "Hi <think>a < b</think>```json\n{\"a\": [1.50]}\n``` <!--c {\"a\": x} --><j>[1,]</j><j>[1";

fn envelope() -> Envelope {
    let parser = Parser::builder().lenient(Leniency::ALL).accept_deviations();
    let delimiters =
        ["tag:think", "fence:json", "comment:c", "tag:j:json"].map(|mark| mark.parse::<Delimiter>().unwrap());
    Envelope::builder().parser(parser).build(delimiters, &PatternSet::new(["a"]).unwrap())
}

#[test]
fn the_iterator_gives_what_the_callback_is_given() {
    let (mut by_callback, mut by_iterator) = (envelope(), envelope());
    let mut from = 0;
    for cut in boundaries(TEXT) {
        let mut given = Vec::new();
        by_callback.feed_with(&TEXT[from..cut], |event| given.push(event.into_owned()));
        assert!(by_iterator.feed(&TEXT[from..cut]).eq(given), "at {from}");
        from = cut;
    }
    let mut given = Vec::new();
    by_callback.finish_with(|event| given.push(event.into_owned()));
    assert_eq!(given.len(), 1);
    assert!(by_iterator.finish().eq(given));
}

#[test]
fn the_first_error_of_a_payload_is_what_check_returns() {
    let mut envelope = envelope();
    assert_eq!(envelope.feed(&TEXT[..46]).check(), Ok(()));
    assert_eq!(envelope.feed(&TEXT[46..]).check().unwrap_err().kind().name(), "unexpected-byte");
    assert_eq!(envelope.finish().check().unwrap_err().kind().name(), "incomplete");
}

#[test]
fn events_are_serialized_as_the_command_prints_them() {
    let mut envelope = envelope();
    let events: Vec<_> = envelope.feed(TEXT).collect();
    let lines: Vec<_> = events.into_iter().chain(envelope.finish()).map(|event| written(&event)).collect();
    assert_eq!(
        lines,
        [
            r#"{"event":"text","text":"Hi "}"#,
            r#"{"event":"payload-start","mark":"tag:think","open":"<think>","offset":3}"#,
            r#"{"event":"fragment","mark":"tag:think","text":"a < b"}"#,
            r#"{"event":"payload","mark":"tag:think","status":"raw","raw":"a < b","close":"</think>"}"#,
            r#"{"event":"payload-start","mark":"fence:json","open":"```json","offset":23}"#,
            r#"{"event":"begin","mark":"fence:json","pattern":0,"path":"a","kind":"array","match":0,"offset":7}"#,
            r#"{"event":"end","mark":"fence:json","pattern":0,"path":"a","value":[1.50],"match":0,"offset":13}"#,
            r#"{"event":"payload","mark":"fence:json","status":"complete","value":{"a":[1.50]},"close":"```"}"#,
            r#"{"event":"text","text":" "}"#,
            r#"{"event":"payload-start","mark":"comment:c","open":"<!--c","offset":49}"#,
            r#"{"event":"payload","mark":"comment:c","status":"malformed","raw":" {\"a\": x} ","error":{"kind":"unexpected-byte","offset":7,"line":1,"column":8,"path":"$"},"close":"-->"}"#,
            r#"{"event":"payload-start","mark":"tag:j:json","open":"<j>","offset":67}"#,
            r#"{"event":"payload","mark":"tag:j:json","status":"accepted","value":[1],"deviations":[{"kind":"trailing-commas","offset":3}],"close":"</j>"}"#,
            r#"{"event":"payload-start","mark":"tag:j:json","open":"<j>","offset":78}"#,
            r#"{"event":"payload","mark":"tag:j:json","status":"truncated","raw":"[1","error":{"kind":"incomplete","offset":2,"line":1,"column":3,"path":"[0]"},"close":""}"#,
        ]
    );
}

fn written(event: &EnvelopeEvent<'_>) -> String {
    let mut line = String::new();
    event.write_json(&mut line).unwrap();
    line
}
