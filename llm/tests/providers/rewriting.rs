//! Calls' arguments that are rewritten while events pass: the model's text in any pieces on each wire, and what servers
//! do.

use jsonspigot::{Leniency, Parser, RestoreError, RewriteError, Rule, RuleError};
use jsonspigot_check::laws::Law;
use jsonspigot_check::model::generate::{Keys, document};
use jsonspigot_check::model::mutate::any_document;
use jsonspigot_check::model::nested::{NestedPattern, nested_document};
use jsonspigot_check::model::rewrite::{ModelRule, rewritten, rules};
use jsonspigot_check::properties::rewriting::made;
use jsonspigot_llm::{BadEventReason, CallRewriter, Provider, SAVE_LIMIT};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::forged::edited;
use super::support::{anthropic, chat, responses};

type Rules = Vec<(NestedPattern, ModelRule)>;

const WIRES: [Provider; 3] = [Provider::Anthropic, Provider::OpenaiChat, Provider::OpenaiResponses];

fn rewriter(provider: Provider, rules: &Rules) -> CallRewriter {
    CallRewriter::new(provider, made(rules)).unwrap().saveable(SAVE_LIMIT)
}

fn piece(provider: Provider, call: u64, text: &str) -> String {
    match provider {
        Provider::Anthropic => anthropic::delta(call, text),
        Provider::OpenaiChat => chat::more(call, text),
        _ => responses::delta(call, text),
    }
}

fn start(provider: Provider, call: u64) -> String {
    let id = call.to_string();
    match provider {
        Provider::Anthropic => anthropic::start(call, &id, "f"),
        Provider::OpenaiChat => chat::call(call, id, "f", ""),
        _ => responses::added(call, &id, "f"),
    }
}

/// Returns the piece of arguments in an event.
fn piece_of(event: &str) -> String {
    let event: Value = serde_json::from_str(event).expect("an event stays JSON");
    let places = ["/delta/partial_json", "/choices/0/delta/tool_calls/0/function/arguments", "/delta"];
    let found = places.iter().find_map(|place| event.pointer(place)?.as_str());
    found.expect("a piece stays a piece").to_owned()
}

/// Returns the text in pieces that end at these positions.
fn pieces<'t>(text: &'t str, cuts: &[prop::sample::Index]) -> Vec<&'t str> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    places.retain(|place| text.is_char_boundary(*place));
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|two| &text[two[0]..two[1]]).collect()
}

/// Rewrites two calls at once, each in pieces, one of which is saved and restored before each event; and a whole at the
/// end.
pub(super) fn arguments_in_any_pieces_come_out_as_the_model_says() {
    proptest!(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() }, |(
        document in prop_oneof![document(Keys::Repeated), nested_document()],
        other in any_document(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        provider in prop::sample::select(&WIRES[..]),
        rules in rules(),
    )| {
        let (Ok(text), Ok(other)) = (str::from_utf8(&document), str::from_utf8(&other)) else { return Ok(()) };
        let (mut plain, mut saved) = (rewriter(provider, &rules), rewriter(provider, &rules));
        for call in [1, 2] {
            let start = start(provider, call);
            prop_assert_eq!(plain.push(&start).unwrap(), &*start);
            saved.push(&start).unwrap();
        }
        let mut joined = String::new();
        let others = pieces(other, &cuts).into_iter().map(Some).chain(std::iter::repeat(None));
        for (piece_of_it, of_other) in pieces(text, &cuts).into_iter().zip(others) {
            let event = piece(provider, 1, piece_of_it);
            let bytes = saved.save().unwrap();
            saved = rewriter(provider, &rules).restore(&bytes).unwrap();
            prop_assert_eq!(saved.save().unwrap(), bytes);
            let came = plain.push(&event).unwrap().into_owned();
            prop_assert_eq!(&saved.push(&event).unwrap().into_owned(), &came);
            joined += &piece_of(&came);
            if let Some(of_other) = of_other {
                let event = piece(provider, 2, of_other);
                let came = plain.push(&event).map(std::borrow::Cow::into_owned);
                prop_assert_eq!(saved.push(&event).map(std::borrow::Cow::into_owned), came);
            }
        }
        let redacts = rules.iter().any(|(_, rule)| *rule == ModelRule::Redact);
        let is_arguments = text.trim_ascii_start().starts_with(['{', '[']);
        if !is_arguments && redacts {
            prop_assert_eq!(&joined.trim_ascii(), &"", "nothing of what may be anything passes");
        } else if serde_json::from_str::<Value>(text).is_ok_and(|value| !value.is_number())
            && let Some(expected) = rewritten(text, &rules)
        {
            prop_assert_eq!(&joined, &expected);
            Law::Rewriting.mark_compared();
        }
        let done = responses::done(1, text);
        let whole = plain.push(&done).map(std::borrow::Cow::into_owned);
        if provider == Provider::OpenaiResponses {
            let whole = whole.unwrap();
            let whole: Value = serde_json::from_str(&whole).unwrap();
            let whole = whole["arguments"].as_str().unwrap();
            // Nothing in a string ends a number.
            let is_number = text.trim_ascii_start().starts_with(|first: char| first == '-' || first.is_ascii_digit());
            let is_alike = is_number || if is_arguments || !redacts { whole == joined } else { whole.trim_ascii().is_empty() };
            prop_assert!(is_alike, "what repeats it is rewritten alike: {} {}", whole, joined);
        } else if redacts {
            let bad = whole.unwrap_err();
            prop_assert_eq!(bad.reason(), &BadEventReason::OtherWire);
        } else {
            prop_assert_eq!(whole.unwrap(), done);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn any_state_is_refused_or_goes_on(
        document in nested_document(),
        cut in any::<prop::sample::Index>(),
        rules in rules(),
        edits in prop::collection::vec(any::<u8>(), 3..12),
    ) {
        let Ok(text) = str::from_utf8(&document) else { return Ok(()) };
        let [first, rest] = pieces(text, &[cut])[..] else { return Ok(()) };
        let mut calls = rewriter(Provider::OpenaiChat, &rules);
        calls.push(&start(Provider::OpenaiChat, 0)).unwrap();
        calls.push(&chat::more(0, first)).unwrap();
        if let Ok(mut calls) = rewriter(Provider::OpenaiChat, &rules).restore(&edited(calls.save().unwrap(), &edits)) {
            let _ = calls.push(&chat::more(0, rest)).map(|event| piece_of(&event));
        }
    }
}

/// Redacts `pw`.
fn redacting(provider: Provider) -> CallRewriter {
    CallRewriter::new(provider, [("..pw", Rule::redact())]).unwrap().saveable(SAVE_LIMIT)
}

#[track_caller]
fn check<E: AsRef<str>>(provider: Provider, events: impl IntoIterator<Item = (E, E)>) {
    let mut calls = redacting(provider);
    for (event, expected) in events {
        assert_eq!(calls.push(event.as_ref()).unwrap(), expected.as_ref());
    }
}

const SECRET: &str = r#"{"pw": "hunter2", "a": 1}"#;
const SHOWN: &str = r#"{"pw": "[redacted]", "a": 1}"#;

#[test]
fn servers_that_do_not_count_their_calls() {
    let entry =
        |id: Value, text: &str| chat::entries(&json!([{"id": id, "function": {"name": "f", "arguments": text}}]));
    let null = || Value::Null;
    let with_reason = |text: &str| {
        let delta = json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]});
        json!({"choices": [{"delta": delta, "finish_reason": "tool_calls"}]}).to_string()
    };
    check(
        Provider::OpenaiChat,
        [
            // The id decides, and without one it is the call that came last.
            (entry(json!("1"), r#"{"pw": "hun"#), entry(json!("1"), r#"{"pw": "[redacted]""#)),
            (entry(json!("2"), r#"{"a": ["#), entry(json!("2"), r#"{"a": ["#)),
            (entry(json!("1"), r#"ter2"}"#), entry(json!("1"), "}")),
            (entry(json!("2"), r#"1]"#), entry(json!("2"), r#"1]"#)),
            (entry(null(), r#", "pw": "hunter2"}"#), entry(null(), r#", "pw": "[redacted]"}"#)),
            // Another call in the place of the last, and all of it once more.
            (entry(null(), SECRET), entry(null(), SHOWN)),
            // Pieces without a call.
            (chat::more(0, SECRET), chat::more(0, "")),
            (chat::end("tool_calls"), chat::end("tool_calls")),
            (chat::more(0, SECRET), chat::more(0, "")),
            // A reason with each piece.
            (start(Provider::OpenaiChat, 0), start(Provider::OpenaiChat, 0)),
            (with_reason(r#"{"pw": "hun"#), with_reason(r#"{"pw": "[redacted]""#)),
            (with_reason("ter2"), with_reason("")),
            (with_reason(r#"", "a": 1}"#), with_reason(r#", "a": 1}"#)),
        ],
    );
}

/// Checks that the spelling of the first character does not decide the arguments, and that a start's placeholder does
/// not either.
#[test]
fn beginnings_of_arguments() {
    let piece =
        |spelt: &str| format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"partial_json":"{spelt}"}}}}"#);
    let done = |spelt: &str| format!(r#"{{"type":"response.function_call_arguments.done","arguments":"{spelt}"}}"#);
    let begun = || (start(Provider::Anthropic, 0), start(Provider::Anthropic, 0));
    for start in [r"\u007b", r"\u007B", r"\u0020{", r"\u000a {", r"\n{", r"\t{"] {
        let (secret, shown) = (format!(r#"{start}\"pw\":1}}"#), format!(r#"{start}\"pw\":\"[redacted]\"}}"#));
        check(Provider::Anthropic, [begun(), (piece(&secret), piece(&shown))]);
        check(Provider::OpenaiResponses, [(done(&secret), done(&shown))]);
    }
    for start in ["x", r"\u0078", r"\\", ""] {
        check(Provider::Anthropic, [begun(), (piece(&format!("{start}1")), piece(""))]);
    }
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":{}}}"#;
    let mut calls = CallRewriter::new(Provider::Anthropic, [("$", Rule::replace("7").unwrap())]).unwrap();
    assert_eq!(calls.push(start).unwrap(), start);
}

/// Arguments that are past a limit may be JSON, in which a rule would have found something.
#[test]
fn nothing_passes_after_a_limit() {
    let twice = r#"{"a":1,"a":2,"pw":"hunter2"}"#.to_owned();
    let deep = format!(r#"{{"a":{}{},"pw":"hunter2"}}"#, "[".repeat(200), "]".repeat(200));
    let long = r#"{"aaaaaaaaaa":1,"pw":"hunter2"}"#.to_owned();
    let limits = jsonspigot::Limits::new().key(8);
    let parser = move || Parser::builder().limits(limits).duplicate_keys(jsonspigot::DuplicateKeys::Reject);
    for arguments in [twice, deep, long] {
        for rule in [Rule::remove, Rule::redact] {
            let mut calls = CallRewriter::with_parser(Provider::OpenaiChat, parser(), [("pw", rule())]).unwrap();
            let event = chat::more(0, &arguments);
            let rewritten = calls.push(&event);
            let event = rewritten.map_or_else(|event| event.instead().to_owned(), std::borrow::Cow::into_owned);
            assert!(!event.contains("hunter2"), "{event}");
        }
    }
}

/// Checks that a late id is the call's, and that pieces without a call may be the middle of a secret.
#[test]
fn pieces_that_have_lost_their_call() {
    let entry = |id: &str, text: &str| {
        chat::entries(&json!([{"index": 0, "id": id, "function": {"name": "f", "arguments": text}}]))
    };
    let all = [(r#"{"pw": "hun"#, r#"{"pw": "[redacted]""#), ("ter2", ""), (r#"2", "a": 1}"#, r#", "a": 1}"#)];
    let ids = ["", "1", "1"];
    check(
        Provider::OpenaiChat,
        all.into_iter().zip(ids).map(|((text, expected), id)| (entry(id, text), entry(id, expected))),
    );
    for text in ["true", "12345", "\"hunter2\"", " hunter2", "null"] {
        check(Provider::OpenaiChat, [(entry("1", text), entry("1", "")), (entry("1", text), entry("1", ""))]);
        check(Provider::OpenaiResponses, [(responses::done(0, text), responses::done(0, ""))]);
    }
    check(Provider::OpenaiChat, [(entry("1", "\n "), entry("1", "\n ")), (entry("1", SECRET), entry("1", SHOWN))]);
}

#[test]
fn arguments_in_every_place_and_spelling() {
    let of = |text: &str| {
        [
            json!({"choices": [{"index": 1, "message": {"tool_calls": [{"function": {"arguments": text}}]}}]})
                .to_string(),
            json!({"choices": [{"delta": {"function_call": {"name": "f", "arguments": text}}}]}).to_string(),
            json!([{"choices": [{"delta": {"function_call": {"name": "g", "arguments": text}}}]}]).to_string(),
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"function":{{"name":"f","\u0061rguments":{text}}},"index":3}}]}}}}]}}"#
            ),
        ]
    };
    check(Provider::OpenaiChat, of(SECRET).into_iter().zip(of(SHOWN)));
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let shown = |text: &str| {
        [
            anthropic::start_with(0, "1", "f", &value(text)),
            json!({"type": "message_start", "message": {"content": [{"type": "tool_use", "id": "1", "name": "f", "input": value(text)}]}})
                .to_string(),
        ]
    };
    check(Provider::Anthropic, shown(r#"{"pw":"hunter2"}"#).into_iter().zip(shown(r#"{"pw":"[redacted]"}"#)));
    let of = |text: &str| {
        [
            responses::done(0, text),
            responses::item_done(0, "1", "f", text, "completed"),
            responses::end("completed", &json!({"output": [{"type": "mcp_call", "arguments": text}]})),
            json!({"type": "response.output_item.done", "item": {"type": "tool_search_call", "arguments": value(text)}}).to_string(),
            responses::added(7, "x", "f"),
            json!({"type": "response.mcp_call_arguments.delta", "output_index": 7, "delta": text}).to_string(),
        ]
    };
    check(
        Provider::OpenaiResponses,
        of(r#"{"a":1,"pw":"hunter2"}"#).into_iter().zip(of(r#"{"a":1,"pw":"[redacted]"}"#)),
    );
}

/// Checks an escape of the arguments that two pieces share, and one of the event, which is held back until it is whole.
#[test]
fn escapes_may_lie_between_pieces() {
    check(
        Provider::Anthropic,
        [
            (start(Provider::Anthropic, 0), start(Provider::Anthropic, 0)),
            (anthropic::delta(0, r#"{"p\"#), anthropic::delta(0, r#"{"p\"#)),
            (anthropic::delta(0, r"u007"), anthropic::delta(0, r"u007")),
            (anthropic::delta(0, r#"7": "hunter2"}"#), anthropic::delta(0, r#"7": "[redacted]"}"#)),
        ],
    );
    // Half of a pair in the event itself can't be read.
    let half = r#"{"type":"content_block_delta","index":7,"delta":{"partial_json":"{\"a\": \"\ud83d"}}"#;
    let bad = redacting(Provider::Anthropic).push(half).unwrap_err();
    assert_eq!((bad.instead(), bad.reason()), ("", &BadEventReason::Unreadable));
}

/// Checks that a text that is no JSON is cut if anything is redacted, and so is a call that the limits end; the stream
/// continues.
#[test]
fn what_cannot_be_read_does_not_pass() {
    let mut calls = redacting(Provider::Anthropic);
    calls.push(&start(Provider::Anthropic, 0)).unwrap();
    assert_eq!(calls.push(&anthropic::delta(0, r#"{"a": oops "pw": "hun"#)).unwrap(), anthropic::delta(0, r#"{"a": "#));
    assert_eq!(calls.push(&anthropic::delta(0, r#"ter2"}"#)).unwrap(), anthropic::delta(0, ""));
    for event in ["[DONE]", "", " [DONE] ", "null", "[]", "\"[DONE]\""] {
        assert_eq!(calls.push(event).unwrap(), event);
    }
    let delta = anthropic::delta(0, "{}");
    for text in [
        r#"{"delta": {"partial_json": "{\"pw\": \"hunter2"#,
        "hunter2",
        &format!("data: {delta}"),
        &format!("{delta}x"),
    ] {
        let bad = calls.push(text).unwrap_err();
        assert_eq!((bad.instead(), bad.reason()), ("", &BadEventReason::NotJson));
    }
    for text in
        ["\"hunter2\"", "7", "{}", r#"["hunter2"]"#, &chat::more(0, SECRET), &format!("[{}, 1]", anthropic::stop(0))]
    {
        let bad = calls.push(text).unwrap_err();
        assert_eq!((bad.instead(), bad.reason()), ("", &BadEventReason::OtherWire));
        let mut passing = redacting(Provider::Anthropic).passing_unknown();
        assert_eq!(passing.push(text).unwrap(), text);
    }
    // Two events in one frame.
    let two = |text: &str| anthropic::start_with(3, "1", "f", &serde_json::from_str(text).unwrap()).repeat(2);
    assert_eq!(calls.push(&two(SECRET)).unwrap(), two(r#"{"pw": "[redacted]", "a": 1}"#));

    let rule = Rule::map(|_| "no".to_owned());
    let mut calls = CallRewriter::new(Provider::Anthropic, [("pw", rule)]).unwrap();
    let bad = calls.push(&anthropic::delta(0, r#"{"pw": "hunter2", "a": "#)).unwrap_err();
    assert_eq!(bad.instead(), anthropic::delta(0, r#"{"pw": "#));
    assert!(matches!(bad.reason(), BadEventReason::Arguments(RewriteError::NotJson { .. })));
    assert_eq!(calls.push(&anthropic::delta(0, "1}")).unwrap(), anthropic::delta(0, ""), "said once");
    assert_eq!(calls.push(&anthropic::delta(1, "{}")).unwrap(), anthropic::delta(1, "{}"));
    let bad = calls.push(&anthropic::start_with(2, "1", "f", &json!({"pw": 1}))).unwrap_err();
    assert_eq!(bad.instead(), anthropic::start_with(2, "1", "f", &Value::Null));
    let bad = calls.push("{oops").unwrap_err();
    assert_eq!((bad.instead(), bad.reason()), ("{oops", &BadEventReason::NotJson), "nothing is redacted");
}

#[test]
fn rules_and_states_that_do_not_fit_are_refused() {
    let rules = || [("a", Rule::remove())];
    let new = |provider| CallRewriter::new(provider, rules());
    let lenient = Parser::builder().lenient(Leniency::ALL);
    let refused = CallRewriter::with_parser(Provider::Anthropic, lenient, rules());
    assert_eq!(refused.unwrap_err(), RuleError::Lenient);
    for (pattern, refused) in [("$", RuleError::RemovesRoot { place: 0 }), ("raw:a", RuleError::Raw { place: 0 })] {
        let result = CallRewriter::new(Provider::Anthropic, [(pattern, Rule::remove())]);
        assert_eq!(result.unwrap_err(), refused);
    }
    let saved = new(Provider::Anthropic).unwrap().saveable(SAVE_LIMIT).save().unwrap();
    let other = new(Provider::OpenaiChat).unwrap().restore(&saved);
    assert_eq!(other.unwrap_err(), RestoreError::OtherChoices);
}

/// However many calls a stream begins, no more are open than the limit, and nothing of the others passes.
pub(super) fn calls_that_never_end_have_a_limit() {
    let mut calls = redacting(Provider::Anthropic);
    for index in 0..256 {
        calls.push(&start(Provider::Anthropic, index)).unwrap();
        calls.push(&anthropic::delta(index, r#"{"pw": "hun"#)).unwrap();
    }
    for index in 256..300 {
        let bad = calls.push(&start(Provider::Anthropic, index)).unwrap_err();
        assert_eq!(bad.reason(), &BadEventReason::TooManyCalls);
        assert_eq!(calls.push(&anthropic::delta(index, r#"{"pw": "hun"#)).unwrap(), anthropic::delta(index, ""));
    }
    assert_eq!(calls.push(&anthropic::delta(0, r#"ter2"}"#)).unwrap(), anthropic::delta(0, "}"));
    calls.push(&anthropic::stop(0)).unwrap();
    // Calls that have ended make room.
    calls.push(&start(Provider::Anthropic, 300)).unwrap();
    assert_eq!(calls.push(&anthropic::delta(300, "{")).unwrap(), anthropic::delta(300, "{"));
    calls.reset();
    assert!(calls.save().unwrap().len() < 100);
    Law::BoundedStreams.mark_compared();
}

/// Checks that a closure's own state is not shared between calls.
#[test]
fn each_call_has_its_own_rules() {
    let mut count = 0;
    let rule = Rule::map(move |_| {
        count += 1;
        count.to_string()
    });
    let mut calls = CallRewriter::new(Provider::Anthropic, [("n[*]", rule)]).unwrap();
    for (call, piece, expected) in
        [(0, r#"{"n":["a","#, r#"{"n":[1,"#), (1, r#"{"n":["a","#, r#"{"n":[1,"#), (0, r#""b"]}"#, "2]}")]
    {
        assert_eq!(calls.push(&anthropic::delta(call, piece)).unwrap(), anthropic::delta(call, expected));
    }
}
