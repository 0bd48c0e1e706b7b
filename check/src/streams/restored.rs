//! Saved state: a stream, or calls, saved and restored between any two events or signals, cannot be told from one that
//! was not.

use std::fmt::Write as _;

use jsonspigot::Parser;
use jsonspigot_llm::{CallEvent, ProviderStream, StreamEvent, ToolCalls, ToolCallsBuilder};

use super::reports::Log;
use crate::laws::Law;

/// The number of bytes of state to save for one stream. After that it is saved only now and then, because each save
/// costs the state's length.
pub(super) const OFTEN: usize = 64 << 10;
const RARELY: usize = 64;

/// A stream, and the same one saved and restored.
pub struct Streams {
    plain: ProviderStream,
    saved: ProviderStream,
    turn: usize,
    spent: usize,
}

impl Streams {
    pub fn new(stream: ProviderStream) -> Self {
        Self { plain: stream.clone(), saved: stream.saveable(usize::MAX), turn: 0, spent: 0 }
    }

    pub fn push(&mut self, event: &str, log: &mut Log) {
        self.act(log, |stream, on_event| stream.push_with(event, on_event));
    }

    pub fn finish(&mut self, log: &mut Log) {
        self.act(log, |stream, on_event| stream.finish_with(on_event));
        self.act(log, |stream, on_event| stream.finish_with(on_event));
    }

    /// Does the same to both.
    pub fn act(&mut self, log: &mut Log, act: impl Fn(&mut ProviderStream, &mut dyn FnMut(StreamEvent<'_>))) {
        self.turn += 1;
        let is_due = self.spent < OFTEN || self.turn.is_multiple_of(RARELY);
        if is_due {
            let bytes = self.saved.save().unwrap();
            self.spent += bytes.len();
            self.saved = restored_stream(&self.saved, &bytes);
        }
        let (mut reported, mut expected) = (String::new(), String::new());
        act(&mut self.plain, &mut |event| {
            writeln!(expected, "{event:?}").unwrap();
            log.tell(event);
        });
        act(&mut self.saved, &mut |event| writeln!(reported, "{event:?}").unwrap());
        assert_eq!(reported, expected);
        if is_due {
            assert_eq!(seen(&self.saved), seen(&self.plain));
            Law::SavedState.mark_compared();
        }
    }
}

/// Restores a stream from its bytes.
pub fn restored_stream(stream: &ProviderStream, bytes: &[u8]) -> ProviderStream {
    let restored = stream.clone().restore(bytes).unwrap_or_else(|error| panic!("{error} of {stream:?}"));
    assert_eq!(restored.save().unwrap(), bytes, "the same state");
    restored
}

/// Returns the public state of a stream between two events.
pub fn seen(stream: &ProviderStream) -> String {
    format!("{:?} {:?} {}", stream.provider(), stream.message(), seen_of_calls(stream.calls()))
}

pub fn seen_of_calls(calls: &ToolCalls) -> String {
    let mut seen = String::new();
    for call in calls.open_calls() {
        let parser = calls.parser(call.number);
        writeln!(seen, "{call:?} {:?}", parser.map(seen_of_parser)).unwrap();
    }
    seen
}

fn seen_of_parser(parser: &Parser) -> String {
    let snapshot = parser.has_snapshots().then(|| parser.snapshot().map(|root| root.to_string()));
    format!(
        "{} {:?} {:?} {:?} {snapshot:?} {:?}",
        parser.offset(),
        parser.text(),
        parser.error(),
        parser.deviations(),
        parser.patterns()
    )
}

/// Calls, and the same ones saved and restored.
pub struct Calls {
    choices: ToolCallsBuilder,
    plain: ToolCalls,
    saved: ToolCalls,
}

impl Calls {
    pub fn new(choices: &ToolCallsBuilder) -> Self {
        let choices = choices.clone().saveable(usize::MAX);
        Self { plain: choices.clone().build(), saved: choices.clone().build(), choices }
    }

    /// Does the same to both.
    pub fn act(&mut self, log: &mut Log, act: impl Fn(&mut ToolCalls, &mut dyn FnMut(CallEvent<'_>))) {
        self.saved = restored_calls(&self.choices, &self.saved);
        let (mut reported, mut expected) = (String::new(), String::new());
        act(&mut self.plain, &mut |event| {
            writeln!(expected, "{event:?}").unwrap();
            log.tell(event);
        });
        act(&mut self.saved, &mut |event| writeln!(reported, "{event:?}").unwrap());
        assert_eq!(reported, expected);
        assert_eq!(seen_of_calls(&self.saved), seen_of_calls(&self.plain));
        Law::SavedState.mark_compared();
    }
}

/// Restores calls from their bytes.
pub fn restored_calls(choices: &ToolCallsBuilder, calls: &ToolCalls) -> ToolCalls {
    let bytes = calls.save().unwrap();
    let restored = choices.clone().build().restore(&bytes).unwrap_or_else(|error| panic!("{error} of {calls:?}"));
    assert_eq!(restored.save().unwrap(), bytes, "the same state");
    restored
}
