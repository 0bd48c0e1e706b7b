//! Recorded streams, read with other choices than the usual ones.

use std::collections::BTreeMap;

use jsonspigot::PatternSet;
use jsonspigot_check::recorded;
use jsonspigot_llm::{CallEvent, ProviderStream, StreamEvent, ToolCalls};

use super::support::{events_of, read_structured};

/// Returns each stream of `shared/fixtures` with its name.
pub(crate) fn fixtures() -> impl Iterator<Item = (String, Vec<u8>)> {
    recorded::listed("fixtures").into_iter().map(|file| {
        let bytes = recorded::read(&format!("fixtures/{file}"));
        (file, bytes)
    })
}

pub(crate) fn structured_outputs_are_calls_without_a_name_one_a_choice() {
    let structured = |file| read_structured(None, events_of(&recorded::read(&format!("fixtures/{file}"))));
    let log = structured("openai-chat/openai-py_structured_output.sse.bin");
    assert_eq!(log.summary(), [r#" complete {"city":"San Francisco","temperature":61,"units":"f"}"#]);
    assert_eq!((log.text.as_str(), log.ids()), ("", vec![""]));

    let log = structured("openai-chat/openai-py_structured_output_n3.sse.bin");
    let temperatures = [65, 61, 59];
    for (choice, (call, temperature)) in (0..).zip(log.calls.iter().zip(temperatures)) {
        assert_eq!((call.choice, call.status), (choice, "complete"));
        let value = format!(r#"{{"city":"San Francisco","temperature":{temperature},"units":"f"}}"#);
        assert_eq!(call.value.as_deref(), Some(value.as_str()));
    }
    assert_eq!(log.calls.len(), 3);

    let log = structured("openai-chat/openai-py_structured_output_length.sse.bin");
    assert_eq!(log.summary(), [" truncated(length) {\""]);

    let log = structured("openai-chat/openai-py_refusal.sse.bin");
    assert_eq!((log.calls.len(), log.refusal.is_empty()), (0, false));
}

/// Checks that a proxy that forwards the deltas of `raw:$` has forwarded each call's arguments.
pub(crate) fn raw_deltas_are_the_arguments() {
    let mut whole = 0;
    for (file, bytes) in fixtures() {
        let patterns = PatternSet::new(["raw:$"]).unwrap();
        let mut stream = ProviderStream::detecting(ToolCalls::new(&patterns));
        let mut relayed = BTreeMap::<u64, String>::new();
        let mut on_event = |event: StreamEvent<'_>| match event {
            StreamEvent::Call(CallEvent::Match { call, event }) => {
                if let Some(text) = event.delta() {
                    relayed.entry(call.number).or_default().push_str(text);
                }
            }
            StreamEvent::Call(CallEvent::End { call, input, .. }) => {
                let relayed = relayed.remove(&call.number).unwrap_or_default();
                if input.value().is_some() && !input.raw().is_empty() {
                    assert_eq!(relayed, input.raw().trim_ascii(), "{file}");
                    whole += 1;
                } else {
                    assert!(input.raw().contains(&relayed), "{file}");
                }
            }
            _ => {}
        };
        for event in events_of(&bytes) {
            stream.push_with(&event, &mut on_event);
        }
        stream.finish_with(&mut on_event);
    }
    assert!(whole > 20, "{whole} calls");
}
