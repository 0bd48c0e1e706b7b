//! The merger against `golden/`, which the page's merger (`page/merge.js`) reads too:
//! `node --test apps/chat/page/*.test.js`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use chat::wire::{Applied, Change, DeltaAction, Envelope, Merger};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Scenario {
    #[serde(default)]
    interleave: bool,
    chunks: Vec<Envelope>,
    messages: Value,
}

fn golden<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

const SCENARIOS: &str = "plain.json streamed.json one_block.json three_blocks.json \
    three_threads.json loading.json failed.json without_action.json";

fn merged(chunks: impl IntoIterator<Item = Envelope>) -> Merger {
    let mut merger = Merger::new();
    for chunk in chunks {
        merger.apply(chunk).unwrap();
    }
    merger
}

fn messages(merger: &Merger) -> Value {
    json!(merger.messages().collect::<Vec<_>>())
}

/// A few thousand orders are enough to be sure, and must be the same each time: a small generator of our own.
fn shuffles(length: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    (0..500).map(move |_| {
        let mut order: Vec<_> = (0..length).collect();
        for last in (1..length).rev() {
            order.swap(last, below(last + 1));
        }
        order
    })
}

#[test]
fn each_scenario_gives_its_messages() {
    for name in SCENARIOS.split(' ') {
        let scenario: Scenario = golden(name);
        let last = scenario.chunks.len() as u64;
        let merger = merged(scenario.chunks);
        assert_eq!(messages(&merger), scenario.messages, "{name}");
        assert_eq!((merger.last_chunk_id(), merger.has_gap()), (last, false), "{name}");
    }
}

#[test]
fn each_order_of_arrival_gives_the_same() {
    for name in SCENARIOS.split(' ') {
        let scenario: Scenario = golden(name);
        for order in shuffles(scenario.chunks.len()) {
            let merger = merged(order.iter().map(|&at| scenario.chunks[at].clone()));
            assert_eq!(messages(&merger), scenario.messages, "{name} in the order {order:?}");
        }
    }
}

#[test]
fn a_reconnect_anywhere_gives_the_same() {
    for name in SCENARIOS.split(' ') {
        let Scenario { chunks, messages: expected, .. } = golden(name);
        for cut in 0..=chunks.len() {
            for from in 0..=cut {
                let merger = merged(chunks[..cut].iter().chain(&chunks[from..]).cloned());
                assert_eq!(messages(&merger), expected, "{name} cut at {cut}, again from {from}");
            }
        }
    }
}

#[test]
fn a_repeated_chunk_changes_nothing_at_any_moment() {
    for name in SCENARIOS.split(' ') {
        let Scenario { chunks, .. } = golden(name);
        let mut merger = Merger::new();
        for (at, chunk) in chunks.iter().enumerate() {
            assert_eq!(merger.apply(chunk.clone()), Ok(Applied::Merged));
            let before = messages(&merger);
            for earlier in &chunks[..=at] {
                assert_eq!(merger.apply(earlier.clone()), Ok(Applied::Repeated));
            }
            assert_eq!(messages(&merger), before);
        }
    }
}

#[test]
fn a_gap_is_noticed_and_closed() {
    for name in SCENARIOS.split(' ') {
        let Scenario { chunks, messages: expected, .. } = golden(name);
        for missing in 0..chunks.len() {
            let mut merger = merged(chunks[..missing].iter().cloned());
            let before = messages(&merger);
            for later in &chunks[missing + 1..] {
                assert_eq!(merger.apply(later.clone()), Ok(Applied::Held));
                assert_eq!(merger.apply(later.clone()), Ok(Applied::Repeated));
            }
            assert_eq!(merger.has_gap(), missing + 1 < chunks.len());
            assert_eq!((merger.last_chunk_id(), messages(&merger)), (missing as u64, before));
            assert_eq!(merger.apply(chunks[missing].clone()), Ok(Applied::Merged));
            assert_eq!((merger.has_gap(), messages(&merger)), (false, expected.clone()), "{name} without {missing}");
        }
    }
}

/// What was taken back is gone, whether its chunks had come or not.
#[test]
fn what_is_taken_back_is_gone() {
    let Scenario { chunks, messages: expected, .. } = golden("cut.json");
    for from in 0..4 {
        for to in from..=4 {
            let come = chunks[..from].iter().chain(&chunks[to..]).cloned();
            let merger = merged(if from < 2 { chunks.clone() } else { come.collect::<Vec<_>>() });
            assert_eq!((messages(&merger), merger.has_gap()), (expected.clone(), false), "{from} to {to}");
        }
    }
}

/// Each thread's chunks in their own order, the threads' turns as they fall, numbered as they are sent.
#[test]
fn threads_may_be_sent_in_any_order() {
    let by_name = |messages: &Value| -> BTreeMap<String, Value> {
        let messages = messages.as_array().unwrap().iter().cloned();
        messages
            .map(|mut it| {
                (it["message_id"].to_string(), {
                    it["chunk_id"].take();
                    it
                })
            })
            .collect()
    };
    let mut interleaved = 0;
    for name in SCENARIOS.split(' ') {
        let scenario: Scenario = golden(name);
        if !scenario.interleave {
            continue;
        }
        for order in shuffles(scenario.chunks.len()) {
            let mut queues: BTreeMap<_, Vec<Envelope>> = BTreeMap::new();
            for chunk in scenario.chunks.iter().rev() {
                queues.entry(chunk.thread_id.clone()).or_default().push(chunk.clone());
            }
            let turns = order.iter().map(|&at| &scenario.chunks[at].thread_id);
            let sent = turns.map(|thread| queues.get_mut(thread).unwrap().pop().unwrap());
            let merger = merged(sent.zip(1..).map(|(chunk, number)| chunk.numbered(number)));
            assert_eq!(by_name(&messages(&merger)), by_name(&scenario.messages), "{name} in the order {order:?}");
            interleaved += 1;
        }
    }
    assert_eq!(interleaved, 500);
}

/// A stream some chunks of which are lost.
#[derive(Deserialize)]
struct BrokenOff {
    lost: Vec<u64>,
    chunks: Vec<Envelope>,
    /// What is shown to a client that has seen none of the lost chunks, the first of them, and so on.
    messages: Vec<Value>,
}

/// What is lost after the first `seen` of them, and what is not.
fn without_lost(broken: &BrokenOff, seen: usize) -> Vec<Envelope> {
    let lost = &broken.lost[seen..];
    broken.chunks.iter().filter(|chunk| !lost.contains(&chunk.chunk_id)).cloned().collect()
}

#[test]
fn a_stream_goes_on_behind_what_is_lost() {
    let broken: BrokenOff = golden("broken_off.json");
    for (seen, expected) in broken.messages.iter().enumerate() {
        let merger = merged(without_lost(&broken, seen));
        assert_eq!(messages(&merger), *expected, "{seen} of the lost ones seen");
        assert_eq!((merger.last_chunk_id(), merger.has_gap()), (21, false));
        // What was lost, or is told once more, comes too late.
        let mut again = merger;
        for chunk in &broken.chunks {
            assert_eq!(again.apply(chunk.clone()), Ok(Applied::Repeated));
        }
    }
}

#[test]
fn what_follows_what_is_lost_waits_for_all_before() {
    let broken: BrokenOff = golden("broken_off.json");
    let rest = without_lost(&broken, 0);
    for order in shuffles(rest.len()) {
        let merger = merged(order.iter().map(|&at| rest[at].clone()));
        assert_eq!(messages(&merger), broken.messages[0], "in the order {order:?}");
        assert_eq!((merger.last_chunk_id(), merger.has_gap()), (21, false));
    }
    // Whatever of the lost ones comes at whatever moment: nothing is stuck.
    for order in shuffles(broken.chunks.len()) {
        let merger = merged(order.iter().map(|&at| broken.chunks[at].clone()));
        assert_eq!((merger.last_chunk_id(), merger.has_gap()), (21, false), "in the order {order:?}");
        assert!(broken.messages.contains(&messages(&merger)), "in the order {order:?}: {}", messages(&merger));
    }
}

#[derive(Deserialize)]
struct Actions {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    props: Value,
    action: DeltaAction,
    path: String,
    operand: Value,
    #[serde(default)]
    gives: Value,
    refused: Option<String>,
}

#[test]
fn each_action_does_what_is_said_of_it() {
    for Case { props, action, path, operand, gives, refused } in golden::<Actions>("actions.json").cases {
        let what = format!("{action:?} at {path} of {props}");
        let mut changed = props.clone();
        let result = Change { path, action, operand }.apply(&mut changed);
        assert_eq!(result.err().map(|refusal| refusal.name().to_owned()), refused, "{what}");
        assert_eq!(changed, if refused.is_some() { props } else { gives }, "{what}");
    }
}

#[test]
fn a_refused_chunk_is_told_and_the_stream_goes_on() {
    let chunk = |text: &str| serde_json::from_str::<Envelope>(text).unwrap();
    let mut merger = Merger::new();
    let refusals: Vec<_> = [
        r#"{"type":"text","chunk_id":0}"#,
        r#"{"type":"text","props":"x","chunk_id":1,"delta":true,"delta_path":"/content","delta_action":"append"}"#,
        r#"{"type":"text","props":7,"chunk_id":2,"message_id":"m","delta":true,"delta_path":"/content"}"#,
        r#"{"type":"text","props":"x","chunk_id":3,"message_id":"m","delta":true,"delta_path":"/content","delta_action":"replace"}"#,
        r#"{"type":"text","props":"x","chunk_id":4,"message_id":"m","delta":true,"delta_path":"/content","delta_action":"append"}"#,
    ]
    .into_iter()
    .map(|text| merger.apply(chunk(text)).err().map(|error| (error.chunk_id, error.refusal.name())))
    .collect();
    assert_eq!(
        refusals,
        [Some((0, "unnumbered")), Some((1, "no-message-id")), Some((2, "no-action")), Some((3, "nothing-there")), None]
    );
    assert_eq!(
        messages(&merger),
        json!([{"type": "text", "props": {"content": "x"}, "chunk_id": 4, "message_id": "m"}])
    );

    let far = |number| chunk(&format!(r#"{{"type":"text","chunk_id":{number}}}"#));
    assert!((0..4096).all(|more| merger.apply(far(10 + more)) == Ok(Applied::Held)));
    assert_eq!(merger.apply(far(9999)).unwrap_err().to_string(), "chunk 9999 can't be merged: too-far-ahead");
    // What is missing is never too far.
    assert!((5..10).all(|missing| merger.apply(far(missing)) == Ok(Applied::Merged)));
    assert_eq!((merger.last_chunk_id(), merger.has_gap()), (4105, false));
}

#[test]
fn an_envelope_leaves_out_what_is_absent_and_takes_nothing_unknown() {
    for name in SCENARIOS.split(' ').chain(["broken_off.json"]) {
        let text: Value = golden(name);
        let typed: Vec<Envelope> = Vec::deserialize(&text["chunks"]).unwrap();
        assert_eq!(serde_json::to_value(typed).unwrap(), text["chunks"], "{name}");
    }
    for bad in [
        r#"{"type":"text"}"#,
        r#"{"chunk_id":1}"#,
        r#"{"type":"text","chunk_id":-1}"#,
        r#"{"type":"song","chunk_id":1}"#,
        r#"{"type":"text","chunk_id":1,"delta_action":"prepend"}"#,
        r#"{"type":"text","chunk_id":1,"route":"es_fetch"}"#,
    ] {
        assert!(serde_json::from_str::<Envelope>(bad).is_err(), "{bad}");
    }
}
