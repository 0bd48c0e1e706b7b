//! Reports of values that have closed: nothing else changes, they come at the closing byte, and what they promise holds.

use std::collections::BTreeMap;

use jsonspigot::{EventKind, Parser, PatternSet};
use jsonspigot_check::effort::cases_of;
use jsonspigot_llm::{CallEvent, CallEvents, CallStart, PayloadStatus, ProviderStream, StreamEvent, ToolCalls};
use proptest::prelude::*;
use serde_json::Value;

use super::cuts::arguments;
use super::laws::own_streams;

/// The reports about one call.
#[derive(Default)]
struct Seen {
    raw: String,
    closed: Option<Value>,
    /// True if a piece was dropped.
    is_doubtful: bool,
    /// True if any piece came before the name.
    was_nameless: bool,
}

impl Seen {
    /// Checks an event of a call, and returns true if it is one of a complete call that had closed.
    fn check(&mut self, event: &CallEvent<'_>) -> bool {
        match event {
            CallEvent::Fragment { call, text } => {
                self.raw.push_str(text);
                self.was_nameless |= call.name.is_none() && !call.is_answer;
            }
            CallEvent::Error(_) | CallEvent::Mismatch { .. } => self.is_doubtful = true,
            CallEvent::Closed { call } => {
                assert_eq!(self.closed, None, "a call closes once");
                assert!(call.name.is_some() || call.is_answer, "call {} has no name", call.number);
                // The fragment may have more text after the value.
                let value = serde_json::Deserializer::from_str(&self.raw).into_iter().next();
                self.closed = Some(value.expect("a value has closed").expect("it is whole"));
                // A piece that was dropped has arrived since.
                self.is_doubtful = false;
            }
            CallEvent::End { call, input } => {
                let value = input.value().filter(|_| input.status() == PayloadStatus::Complete);
                let value = value.map(|value| serde_json::from_str(&value.to_string()).unwrap());
                let is_excused = self.is_doubtful || input.status() == PayloadStatus::Trailing;
                if self.closed.is_some() || (value.is_some() && !self.was_nameless) {
                    assert!(is_excused || self.closed == value, "call {} {}", call.number, self.raw);
                }
                return value.is_some() && self.closed.is_some();
            }
            _ => {}
        }
        false
    }
}

/// Returns the number of the call that an event is about.
fn call_of(event: &CallEvent<'_>) -> Option<u64> {
    match event {
        CallEvent::Start { call }
        | CallEvent::Fragment { call, .. }
        | CallEvent::Match { call, .. }
        | CallEvent::Closed { call }
        | CallEvent::FieldsClosed { call }
        | CallEvent::End { call, .. }
        | CallEvent::Mismatch { call, .. }
        | CallEvent::LooksCumulative { call } => Some(call.number),
        CallEvent::Error(error) => error.call(),
        _ => panic!("{event:?}"),
    }
}

/// Returns the call's event if this is one, of whichever agent.
fn call_event<'e, 'a>(event: &'e StreamEvent<'a>) -> Option<&'e CallEvent<'a>> {
    match event {
        StreamEvent::Call(event) => Some(event),
        StreamEvent::Agent { event, .. } => call_event(event),
        _ => None,
    }
}

/// Returns an event's line without the number of its match, since the values whose closing is watched have numbers too.
fn line(event: &StreamEvent<'_>) -> Value {
    let mut line = serde_json::to_value(event).unwrap();
    line.as_object_mut().unwrap().remove("match");
    line
}

/// Returns true if an event reports that something has closed.
fn is_closing(event: &CallEvent<'_>) -> bool {
    matches!(event, CallEvent::Closed { .. } | CallEvent::FieldsClosed { .. })
}

#[test]
fn our_own_streams_say_the_same_and_each_complete_call_had_closed() {
    let patterns = PatternSet::new(["$..*"]).unwrap();
    let fields = PatternSet::new(["$.*"]).unwrap();
    let (mut closed, mut with_fields) = (0, 0);
    for recording in own_streams() {
        let most = recording.events.len();
        for cut in (0..most).step_by(most / 3 + 1).chain([most]) {
            let calls = || ToolCalls::builder().patterns(&patterns);
            let [mut plain, mut eager] = [calls(), calls().report_closed(&fields)]
                .map(|calls| ProviderStream::new(recording.provider, calls.build()));
            let mut seen = BTreeMap::<u64, Seen>::new();
            // Every cut ends the stream early; the events before it are those of the whole stream.
            for event in recording.events[..cut].iter().map(Some).chain([None]) {
                let (mut expected, mut reported) = (Vec::new(), Vec::new());
                let expect = |event: StreamEvent<'_>| expected.push(line(&event));
                let report = |event: StreamEvent<'_>| {
                    // A piece of any call may be in it.
                    if let StreamEvent::BadFrame { .. } = event {
                        seen.values_mut().for_each(|call| call.is_doubtful = true);
                    }
                    if let Some(event) = call_event(&event) {
                        if let Some(call) = call_of(event) {
                            closed += usize::from(seen.entry(call).or_default().check(event));
                        } else {
                            seen.values_mut().for_each(|call| call.is_doubtful = true);
                        }
                        with_fields += usize::from(matches!(event, CallEvent::FieldsClosed { .. }));
                        if is_closing(event) {
                            return;
                        }
                    }
                    reported.push(line(&event));
                };
                match event {
                    Some(event) => (plain.push_with(event, expect), eager.push_with(event, report)),
                    None => (plain.finish_with(expect), eager.finish_with(report)),
                };
                assert_eq!(reported, expected, "{}", recording.name);
            }
            assert_eq!(plain.verdict().is_ok(), eager.verdict().is_ok());
        }
    }
    assert!(closed > 1000 && with_fields > 1000, "{closed} calls, {with_fields} with fields");
}

/// Returns the byte after which a value of each pattern has closed, by a parser that reads byte by byte.
fn closed_after(text: &str, patterns: &PatternSet) -> Vec<Option<usize>> {
    let mut places = vec![None; patterns.len()];
    let mut parser = Parser::builder().patterns(patterns).duplicate_keys(jsonspigot::DuplicateKeys::Reject).build();
    for (place, byte) in text.bytes().enumerate() {
        let fed = parser.feed_with([byte], |event| {
            if let EventKind::End(_) = event.kind {
                places[event.pattern.index()].get_or_insert(place + 1);
            }
        });
        if fed.is_err() {
            break;
        }
    }
    places
}

proptest! {
    #![proptest_config(cases_of(48, 384))]

    #[test]
    fn a_value_is_reported_with_the_piece_that_closes_it(
        text in arguments(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let fields = PatternSet::new(["a", "$..b"]).unwrap();
        let places = closed_after(&text, &PatternSet::new(["$", "a", "$..b"]).unwrap());
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.retain(|cut| text.is_char_boundary(*cut));
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut calls = ToolCalls::builder().report_closed(&fields).build();
        calls.start(0, CallStart::new("try")).check().unwrap();
        let (mut root, mut all) = (None, None);
        for cut in cuts.windows(2) {
            for event in calls.delta(0, &text[cut[0]..cut[1]]) {
                match event {
                    CallEvent::Closed { .. } => prop_assert_eq!(root.replace(cut[1]), None),
                    CallEvent::FieldsClosed { .. } => prop_assert_eq!(all.replace(cut[1]), None),
                    _ => {}
                }
            }
        }
        let end_of = |place: usize| cuts.iter().copied().find(|cut| *cut >= place);
        prop_assert_eq!(root, places[0].and_then(end_of));
        prop_assert_eq!(all, places[1].zip(places[2]).and_then(|(a, b)| end_of(a.max(b))));
    }
}

#[test]
fn a_call_that_may_lack_a_part_does_not_close() {
    let calls = || ToolCalls::builder().report_closed(&PatternSet::default()).build();
    let has_closed = |events: CallEvents| events.into_iter().any(|event| is_closing(&event));

    // A fragment came before the call.
    let mut lost = calls();
    assert!(lost.delta(0, r#"{"a":"#).check().is_err());
    lost.start(0, CallStart::new("try")).check().unwrap();
    assert!(!has_closed(lost.delta(0, "{}")));

    // Only the start had the input, and nothing confirmed it.
    let mut start = calls();
    assert!(!has_closed(start.start(0, CallStart::new("try").input(r#"{"a":1}"#))));
    assert!(!has_closed(start.clone().cut("timeout")));
    assert!(has_closed(start.end_message("tool_calls")));

    // Text that is not JSON has no value.
    let mut raw = calls();
    raw.start(0, CallStart::new("try").raw()).check().unwrap();
    assert!(!has_closed(raw.delta(0, "{}")) && !has_closed(raw.end_message("tool_calls")));
}
