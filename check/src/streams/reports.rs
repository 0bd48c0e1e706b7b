//! A log of what a stream, or calls, reported.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jsonspigot::{ErrorKind, Event, EventKind};
use jsonspigot_llm::{
    Block, CallErrorKind, CallEvent, Media, Opaque, PayloadStatus, Source, StreamEvent, ToolCall, ToolResult,
};
/// All events, in a form that can be compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    pub calls: Vec<CallLog>,
    pub text: String,
    pub reasoning: String,
    pub refusal: String,
    pub usage: Vec<String>,
    pub ends: usize,
    pub stops: Vec<(u64, String)>,
    /// The reasons behind a gateway, each with its place among the stops.
    pub native_reasons: Vec<(usize, String)>,
    pub provider_errors: Vec<String>,
    /// Of each of the provider's errors its type and code.
    pub error_kinds: Vec<(Option<String>, Option<String>)>,
    pub unknown: Vec<String>,
    pub bad_frames: Vec<String>,
    /// The parts that are not known of this provider, and the kinds of an application's data.
    pub unknown_parts: Vec<String>,
    pub data: Vec<String>,
    /// The repetitions that differ.
    pub mismatches: Vec<String>,
    pub errors: Vec<(CallErrorKind, Option<u64>)>,
    pub incomplete: Option<String>,
    /// Of each usage the input, the output, what was cached and what is reasoning.
    pub tokens: Vec<[Option<u64>; 4]>,
    /// Of each of the provider's errors whether it passes, and when.
    pub retries: Vec<(Option<&'static str>, Option<u64>)>,
    /// All other events, each in a few words.
    pub besides: Vec<String>,
    pub block_count: u64,
    /// The blocks that have begun and not ended.
    pub open_blocks: Vec<(u64, &'static str)>,
    /// The text and reasoning of sub-agents, by the ids of the calls that started them.
    pub said_by: BTreeMap<String, String>,
    /// The order: a letter an event, with the call's number.
    pub order: Vec<String>,
}

/// The events of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallLog {
    pub id: String,
    pub name: String,
    pub choice: u64,
    /// The fragments, joined.
    pub fragments: String,
    /// The matches, a string's deltas joined.
    pub matches: Vec<Event<'static>>,
    pub status: &'static str,
    pub reason: String,
    pub raw: String,
    pub value: Option<String>,
    pub error: Option<(ErrorKind, u64, String)>,
    /// Id and name as they were at the end.
    pub at_end: (String, String),
    /// The executor at the start and at the end.
    pub executed: (&'static str, &'static str),
}

impl Log {
    pub fn tell<'e>(&mut self, event: impl Into<StreamEvent<'e>>) {
        self.tell_event(event.into());
    }

    fn tell_event(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Agent { agent, event, .. } => match *event {
                StreamEvent::Text { text, .. } | StreamEvent::Reasoning { text, .. } => {
                    self.said_by.entry(agent.into_owned()).or_default().push_str(&text);
                }
                event => {
                    let before = self.besides.len();
                    self.tell_event(event);
                    self.besides[before..].iter_mut().for_each(|fact| *fact = format!("as {agent}: {fact}"));
                }
            },
            StreamEvent::Call(CallEvent::Start { call: ToolCall { number, id, name, choice, executor, .. } }) => {
                assert_eq!(number, self.calls.len() as u64, "calls are numbered as they start");
                let text = |text: Option<Cow<'_, str>>| text.unwrap_or_default().into_owned();
                let executed = (executor.name(), "");
                self.calls.push(CallLog { id: text(id), name: text(name), choice, executed, ..CallLog::default() });
                self.order.push(format!("call {number}"));
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) => {
                assert!(!text.is_empty(), "a fragment is never empty");
                self.open(call.number).fragments.push_str(&text);
            }
            StreamEvent::Call(CallEvent::Match { call, event }) => {
                let event = event.into_owned();
                let matches = &mut self.open(call.number).matches;
                if let EventKind::Delta(text) = &event.kind
                    && let Some(last) = matches.iter_mut().rfind(|last| last.match_id == event.match_id)
                    && let EventKind::Delta(before) = &mut last.kind
                {
                    before.to_mut().push_str(text);
                } else {
                    matches.push(event);
                }
            }
            StreamEvent::Call(CallEvent::End { call: ToolCall { number, id, name, executor, .. }, input }) => {
                let log = self.open(number);
                log.status = input.status().name();
                if let PayloadStatus::Truncated { reason } = input.status() {
                    log.reason = reason.to_owned();
                }
                log.raw = input.raw().to_owned();
                log.value = input.value().map(std::string::ToString::to_string);
                log.error = input
                    .error()
                    .map(|error| (error.kind(), error.offset(), error.path().unwrap_or("unknown").to_owned()));
                log.executed.1 = executor.name();
                log.at_end = (id.unwrap_or_default().into_owned(), name.unwrap_or_default().into_owned());
                assert_eq!(log.raw, log.fragments, "the raw text is all fragments");
                assert_eq!(log.value.is_some(), matches!(log.status, "complete" | "accepted" | "empty"), "{log:?}");
                self.order.push(format!("input {number}"));
            }
            StreamEvent::Text { block, text, .. } => {
                assert!(self.open_blocks.contains(&(block, "text")), "{block} is open");
                self.text.push_str(&text);
            }
            StreamEvent::Reasoning { block, text, .. } => {
                assert!(self.open_blocks.contains(&(block, "reasoning")), "{block} is open");
                self.reasoning.push_str(&text);
            }
            StreamEvent::ApprovalRequest { id, call, .. } => {
                self.besides.push(format!("approval {id} of {call:?}"));
            }
            StreamEvent::MessageStart { id, model, .. } => {
                self.besides.push(format!("message {} {}", id.unwrap_or("-".into()), model.unwrap_or("-".into())));
            }
            StreamEvent::BlockStart(Block { number, choice, kind, id, phase, .. }) => {
                assert_eq!(number, self.block_count, "blocks are numbered as they start");
                self.block_count += 1;
                self.open_blocks.push((number, kind.name()));
                let of = if choice > 0 { format!(" of {choice}") } else { String::new() };
                let named = [id, phase].into_iter().flatten().fold(String::new(), |named, text| named + " " + &text);
                self.besides.push(format!("block {number} {}{of}{named}", kind.name()));
            }
            StreamEvent::BlockEnd(Block { number, kind, .. }) => {
                let place = self.open_blocks.iter().position(|open| *open == (number, kind.name()));
                self.open_blocks.remove(place.expect("a block that ends has begun"));
                self.besides.push(format!("end {number}"));
            }
            StreamEvent::Opaque(Opaque { kind, block, call, json, .. }) => {
                let of = block.map(|block| format!(" of block {block}"));
                let of = of.or(call.map(|call| format!(" of call {call}"))).unwrap_or_default();
                self.besides.push(format!("{}{of} {json}", kind.name()));
            }
            StreamEvent::ToolResult(ToolResult { call, call_id, is_error, json, .. }) => {
                let call = call.map_or("nobody".to_owned(), |call| format!("call {call}"));
                let error = if is_error { " failed" } else { "" };
                self.besides.push(format!("result of {call} {}{error} {json}", call_id.unwrap_or("-".into())));
            }
            StreamEvent::CallCancelled { call, call_id, .. } => {
                self.besides.push(format!("cancelled {call:?} {}", call_id.unwrap_or("-".into())));
            }
            StreamEvent::Source(Source { block, url, title, quote, span, json, .. }) => {
                serde_json::from_str::<serde_json::Value>(&json).unwrap();
                let of = block.map(|block| format!(" of block {block}")).unwrap_or_default();
                let span = span.map(|(start, end)| format!(" {start}..{end}")).unwrap_or_default();
                let parts = [url, title, quote].map(|part| part.unwrap_or("-".into()));
                self.besides.push(format!("source{of} {}{span}", parts.join(" | ")));
            }
            StreamEvent::ContentFilter { json, .. } => self.besides.push(format!("filter {json}")),
            StreamEvent::Refusal { text, .. } => self.refusal.push_str(&text),
            StreamEvent::Usage { tokens, json, .. } => {
                self.usage.push(json.into_owned());
                self.tokens.push([tokens.input, tokens.output, tokens.cached, tokens.reasoning]);
            }
            StreamEvent::Stop { choice, reason, kind, native_reason, stop_sequence, .. } => {
                let sequence = stop_sequence.map(|sequence| format!(" {sequence:?}")).unwrap_or_default();
                self.besides.push(format!("stop {}{sequence}", kind.name()));
                self.native_reasons.extend(native_reason.map(|native| (self.stops.len(), native.into_owned())));
                self.stops.push((choice, reason.into_owned()));
                self.order.push(format!("stop {choice}"));
            }
            StreamEvent::End => self.ends += 1,
            StreamEvent::Incomplete { reason, .. } => self.incomplete = Some(reason.into_owned()),
            StreamEvent::ProviderError { message, kind, code, retry, .. } => {
                self.retries.push((retry.name(), retry.after_ms()));
                self.provider_errors.push(message.into_owned());
                self.error_kinds.push((kind.map(Cow::into_owned), code.map(Cow::into_owned)));
            }
            StreamEvent::Media(Media { block, media_type, data, url, .. }) => {
                let of = block.map(|block| format!(" of block {block}")).unwrap_or_default();
                let parts = [media_type, data, url].map(|part| part.unwrap_or("-".into()));
                self.besides.push(format!("media{of} {}", parts.join(" ")));
            }
            StreamEvent::Mismatch { kind, block, call, text, .. } => {
                let of = block.map(|block| format!(" of block {block}"));
                let of = of.or(call.map(|call| format!(" of call {call}"))).unwrap_or_default();
                self.mismatches.push(format!("{}{of} {text}", kind.name()));
            }
            StreamEvent::Data { kind, json, .. } => {
                serde_json::from_str::<serde_json::Value>(&json).unwrap();
                self.data.push(kind.into_owned());
            }
            StreamEvent::UnknownPart { kind, json, .. } => {
                assert_ne!(kind, "", "{json}");
                self.unknown_parts.push(json.into_owned());
            }
            StreamEvent::Unknown { text } => self.unknown.push(text.into_owned()),
            StreamEvent::BadFrame { text } => self.bad_frames.push(text.into_owned()),
            StreamEvent::Call(CallEvent::Error(error)) => self.errors.push((error.kind(), error.call())),
            StreamEvent::Call(CallEvent::LooksCumulative { call }) => {
                self.besides.push(format!("warning of call {}", call.number));
            }
            StreamEvent::Call(CallEvent::Mismatch { call, kind, text }) => {
                self.mismatches.push(format!("{} of call {} {text}", kind.name(), call.number));
            }
            _ => panic!("an event that these tests do not know"),
        }
    }

    /// Returns the parts that are unknown, in general or of this provider.
    pub fn not_known(&self) -> Vec<String> {
        [&*self.unknown, &*self.unknown_parts].concat()
    }

    fn open(&mut self, call: u64) -> &mut CallLog {
        let log = &mut self.calls[usize::try_from(call).unwrap()];
        assert_eq!(log.status, "", "nothing is reported of a call after its input's end");
        log
    }

    /// Returns the calls as `name status value-or-raw`, for short comparisons.
    pub fn summary(&self) -> Vec<String> {
        let line = |call: &CallLog| {
            let CallLog { name, status, value, raw, reason, .. } = call;
            let reason = if reason.is_empty() { String::new() } else { format!("({reason})") };
            format!("{name} {status}{reason} {}", value.as_deref().unwrap_or(raw))
        };
        self.calls.iter().map(line).collect()
    }

    /// Returns the names of the calls that the client executes, and of those that the provider executes.
    pub fn executed(&self) -> (Vec<&str>, Vec<&str>) {
        let by = |executor: &str| {
            let calls = self.calls.iter().filter(|call| call.executed.1 == executor);
            calls.map(|call| call.at_end.1.as_str()).collect()
        };
        (by("client"), by("provider"))
    }

    pub fn ids(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.id.as_str()).collect()
    }
}
