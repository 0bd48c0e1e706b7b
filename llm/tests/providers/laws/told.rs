//! The reports about a stream, as the laws need them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;

use jsonspigot_llm::{CallErrorKind, CallEvent, Executor, Media, Opaque, Source, StopKind, StreamEvent, ToolResult};
use serde_json::Value;

/// The reports about one call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) choice: u64,
    pub(super) is_client_s: bool,
    pub(super) status: &'static str,
    pub(super) raw: String,
    pub(super) value: Option<Value>,
}

/// The reports about a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// Everything that can be searched for what an event says: as it was spelt, or as it reads.
    pub(super) all: String,
    /// Text by its block, reasoning too, refusals by their answer, and the inputs of calls as they come.
    pub(super) joined: BTreeMap<(&'static str, u64), String>,
    /// The calls that have ended, over the whole stream, and the first of them that is of the last message.
    pub(super) calls: Vec<Call>,
    pub(super) first_of_message: usize,
    /// The faults that prevent the verdict, in the words of the contract.
    pub(super) wrong: Vec<&'static str>,
    /// True if any event had a meaning.
    pub(super) has_meant: bool,
    pub(super) is_incomplete: bool,
    pub(super) has_mismatch: bool,
    /// Fragments of calls that had not started.
    pub(super) strays: usize,
    /// The events of which a fragment, so says an error, was dropped.
    pub(super) dropped: Vec<usize>,
    /// True if an event was unknown, or known in part.
    pub(super) has_unknown: bool,
    /// All text and reasoning.
    run: String,
    at: usize,
    has_ended: bool,
    /// True if the event starts a message.
    starts: bool,
}

impl Told {
    /// Records that an event is about to be read.
    pub(super) fn begin_event(&mut self, event: &str) {
        self.at += 1;
        let starts = ["message_start", "response.created", "message-start", "stream-start", "interaction.created"];
        if starts.iter().any(|kind| event.contains(&format!(":\"{kind}\""))) || event.starts_with("{\"messageStart\"") {
            self.starts = true;
        }
    }

    fn join(&mut self, kind: &'static str, number: u64, text: &str) {
        assert_ne!(text, "", "a piece is never empty");
        // A repetition may be of pieces that stand in two blocks.
        if kind == "text" {
            self.run.push_str(text);
        }
        self.joined.entry((kind, number)).or_default().push_str(text);
    }

    fn note(&mut self, texts: &[&str]) {
        for text in texts {
            self.all.push_str(text);
            self.all.push('\n');
        }
    }

    pub(super) fn tell(&mut self, event: &StreamEvent<'_>) {
        if let StreamEvent::Agent { event, .. } = event {
            return self.tell(event);
        }
        self.has_meant |= !matches!(
            event,
            StreamEvent::BadFrame { .. }
                | StreamEvent::Unknown { .. }
                | StreamEvent::UnknownPart { .. }
                | StreamEvent::End
        );
        let begins = matches!(
            event,
            StreamEvent::BlockStart(_) | StreamEvent::Call(CallEvent::Start { .. }) | StreamEvent::Refusal { .. }
        );
        // Without an event that begins a message, the next one begins after the end.
        if begins && mem::take(&mut self.has_ended) {
            self.first_of_message = self.calls.len();
        }
        // Nor does an event of the wire begin a message with another id, be it after a stop or in the middle of an answer.
        self.starts |= match event {
            StreamEvent::Incomplete { reason, .. } => reason == "superseded",
            other => matches!(other, StreamEvent::Stop { .. }),
        };
        if matches!(event, StreamEvent::MessageStart { .. }) && mem::take(&mut self.starts) {
            self.first_of_message = self.calls.len();
        }
        self.has_unknown |= matches!(event, StreamEvent::Unknown { .. } | StreamEvent::UnknownPart { .. });
        match event {
            StreamEvent::Call(event) => self.tell_call(event),
            StreamEvent::ApprovalRequest { id, json, .. } => self.note(&[id, json]),
            StreamEvent::MessageStart { id, model, .. } => {
                self.note(&[or(id), or(model)]);
            }
            StreamEvent::BlockEnd(_) => {}
            StreamEvent::BlockStart(block) => self.note(&[or(&block.id), or(&block.phase)]),
            StreamEvent::Text { block, text, .. } => self.join("text", *block, text),
            StreamEvent::Reasoning { block, text, .. } => self.join("text", *block, text),
            StreamEvent::Refusal { choice, text, .. } => self.join("refusal", *choice, text),
            StreamEvent::Media(Media { media_type, data, url, .. }) => {
                self.note(&[or(media_type), or(data), or(url)]);
            }
            StreamEvent::Mismatch { text, .. } => {
                self.wrong.push("mismatch");
                self.has_mismatch = true;
                self.note(&[text]);
            }
            StreamEvent::Opaque(Opaque { json, .. })
            | StreamEvent::ToolResult(ToolResult { json, .. })
            | StreamEvent::CallCancelled { json, .. }
            | StreamEvent::Source(Source { json, .. })
            | StreamEvent::ContentFilter { json, .. }
            | StreamEvent::Usage { json, .. } => self.note(&[json]),
            StreamEvent::Stop { reason, kind, native_reason, stop_sequence, .. } => {
                if *kind == StopKind::Error {
                    self.wrong.push("provider-error");
                }
                self.note(&[reason, or(native_reason), or(stop_sequence)]);
            }
            StreamEvent::End => self.has_ended = true,
            StreamEvent::Incomplete { reason, .. } => {
                self.wrong.push("incomplete");
                // An answer may break off, and the next one end.
                self.is_incomplete |= *reason == "end-of-input";
            }
            StreamEvent::ProviderError { message, kind, code, json, .. } => {
                self.wrong.push("provider-error");
                self.note(&[message, or(kind), or(code), or(json)]);
            }
            StreamEvent::Data { kind, json, .. } | StreamEvent::UnknownPart { kind, json, .. } => {
                self.note(&[kind, json]);
            }
            StreamEvent::Unknown { text } => self.note(&[text]),
            StreamEvent::BadFrame { text } => {
                self.wrong.push(if text.starts_with('{') { "bad-frame" } else { "noise" });
                self.note(&[text]);
            }
            other => panic!("{other:?}"),
        }
    }

    fn tell_call(&mut self, event: &CallEvent<'_>) {
        match event {
            CallEvent::Start { call } => self.note(&[or(&call.id), or(&call.name)]),
            CallEvent::Fragment { call, text } => self.join("call", call.number, text),
            CallEvent::Match { .. } => {}
            CallEvent::End { call, input } => {
                let status = input.status().name();
                let value = input.value().map(|value| serde_json::from_str(&value.to_string()).unwrap());
                if !["complete", "empty", "raw"].contains(&status) {
                    self.wrong.push("call");
                }
                self.note(&[or(&call.id), or(&call.name)]);
                self.calls.push(Call {
                    id: or(&call.id).to_owned(),
                    name: or(&call.name).to_owned(),
                    choice: call.choice,
                    is_client_s: call.executor == Executor::Client,
                    status,
                    raw: input.raw().to_owned(),
                    value,
                });
            }
            CallEvent::Error(error) => {
                self.dropped.push(self.at);
                match error.kind() {
                    CallErrorKind::NotStarted => self.strays += 1,
                    CallErrorKind::Ended => {}
                    CallErrorKind::Mismatch => self.wrong.push("mismatch"),
                    _ => self.wrong.push("call-error"),
                }
            }
            CallEvent::Mismatch { text, .. } => self.note(&[text]),
            CallEvent::LooksCumulative { .. } | CallEvent::Closed { .. } | CallEvent::FieldsClosed { .. } => {}
            _ => panic!("{event:?}"),
        }
    }

    /// Returns true if the stream contradicts itself, in a repetition or in a call with two values.
    pub(super) fn is_contradictory(&self) -> bool {
        self.has_mismatch || self.calls.iter().any(|call| call.status == "trailing")
    }

    /// Returns all reports, for searching.
    pub(super) fn haystack(&self) -> String {
        let mut all = [&*self.all, &*self.run, "\n"].concat();
        for text in self.joined.values() {
            all.push_str(text);
            all.push('\n');
        }
        self.calls.iter().for_each(|call| {
            all.push_str(&call.raw);
            all.push('\n');
        });
        all
    }

    /// Returns the results of the calls, for comparisons.
    pub(super) fn values(&self) -> Vec<(&str, Option<&Value>)> {
        let mut values: Vec<_> = self.calls.iter().map(|call| (call.name.as_str(), call.value.as_ref())).collect();
        values.sort_by_key(|(name, value)| (name.to_string(), value.map(ToString::to_string)));
        values
    }
}

fn or<'t>(text: &'t Option<Cow<'_, str>>) -> &'t str {
    text.as_deref().unwrap_or_default()
}
