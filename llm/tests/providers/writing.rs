//! The law of writing, over all recorded streams and those of our own, and all targets: what a stream reports is what
//! its written stream reports, except for what is listed as lost; and nothing that is incomplete or damaged is written
//! as complete.
//!
//! Each stream is cut after every event. A new target is tested by its line in the library's list.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Debug;
use std::mem;

use jsonspigot_check::laws::Law;
use jsonspigot_llm::{
    CallEvent, Executor, Loss, Provider, ProviderStream, StopKind, StreamEvent, StreamWriter, TokenUsage, ToolCalls,
    Unwritten, Written,
};

use super::laws::{Recording, own_streams, recorded_streams};
use super::support::events_of;

/// A call, as far as it was reported.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    id: String,
    name: String,
    choice: u64,
    is_client_s: bool,
    raw: String,
    /// Empty while the call is open.
    status: &'static str,
}

/// The reports about a stream, as far as every target has a place for them.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// True for a written stream, whose calls start where those of the source have their first fragments.
    is_written: bool,
    /// True if a part was reported before its message.
    starts_late: bool,
    is_open: bool,
    /// True if anything was said since the last reason to stop.
    has_said: bool,
    /// True if a message has no content, or sources before it, and whether the open one has no content.
    has_empty_message: bool,
    is_empty: bool,
    /// The ids and models of messages.
    messages: Vec<(String, String)>,
    /// Text, reasoning and refusals by their answer.
    texts: BTreeMap<(&'static str, u64), String>,
    /// The pieces of these in the order in which they arrived.
    pieces: Vec<(&'static str, u64, String)>,
    /// Calls in the order of their first fragments.
    calls: Vec<Call>,
    numbers: Vec<u64>,
    stops: Vec<(u64, StopKind)>,
    /// True if the counts are those of an earlier message.
    has_earlier_usage: bool,
    /// The last of each count.
    usage: [Option<u64>; 4],
}

impl Facts {
    fn note(&mut self, event: &StreamEvent<'_>) {
        match event {
            StreamEvent::MessageStart { .. } => (self.is_open, self.is_empty) = (true, true),
            StreamEvent::Stop { .. } | StreamEvent::End => {
                self.has_empty_message |= self.is_empty;
                self.is_open = false;
            }
            StreamEvent::Text { .. }
            | StreamEvent::Reasoning { .. }
            | StreamEvent::BlockStart(_)
            | StreamEvent::Source(_)
            | StreamEvent::ToolResult(_)
            | StreamEvent::Opaque(_)
            | StreamEvent::Call(CallEvent::Start { .. }) => self.starts_late |= !self.is_open,
            _ => {}
        }
        // A source before the text does not show in chats that another message has begun.
        self.has_empty_message |= self.is_empty && matches!(event, StreamEvent::Source(_));
        self.has_said |= matches!(
            event,
            StreamEvent::MessageStart { .. }
                | StreamEvent::Text { .. }
                | StreamEvent::Reasoning { .. }
                | StreamEvent::Refusal { .. }
                | StreamEvent::Call(CallEvent::Start { .. })
        );
        self.is_empty &= !matches!(event, StreamEvent::Text { .. } | StreamEvent::Call(_));
        match event {
            StreamEvent::MessageStart { id, model, .. } => {
                let [id, model] = [id, model].map(|text| text.as_deref().unwrap_or_default().to_owned());
                self.messages.push((id, model));
                self.has_earlier_usage = true;
            }
            StreamEvent::Text { text, choice, .. } => self.join("text", *choice, text),
            StreamEvent::Reasoning { text, choice, .. } => self.join("reasoning", *choice, text),
            StreamEvent::Refusal { text, choice } => self.join("refusal", *choice, text),
            StreamEvent::Call(CallEvent::Start { call }) if self.is_written => {
                let at = self.place_of(call.number);
                self.calls[at].id = call.id.as_deref().unwrap_or_default().to_owned();
                self.calls[at].is_client_s = call.executor == Executor::Client;
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) if call.is_answer => {
                self.join("text", call.choice, text);
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) => {
                let at = self.place_of(call.number);
                self.calls[at].raw += text;
            }
            StreamEvent::Call(CallEvent::End { call, input }) if !call.is_answer => {
                let at = self.place_of(call.number);
                self.calls[at] = Call {
                    id: call.id.as_deref().unwrap_or_default().to_owned(),
                    name: call.name.as_deref().unwrap_or_default().to_owned(),
                    choice: call.choice,
                    is_client_s: call.executor == Executor::Client,
                    raw: input.raw().to_owned(),
                    status: input.status().name(),
                };
            }
            StreamEvent::Stop { choice, kind, .. } => {
                // Without anything in between, the later reason is that of the same answer.
                let is_same = self.stops.last().is_some_and(|(known, _)| known == choice);
                if is_same && !self.has_said && !self.is_written {
                    self.stops.pop();
                }
                self.has_said = false;
                self.stops.push((*choice, *kind));
            }
            StreamEvent::Usage { tokens, .. } => {
                let TokenUsage { input, output, cached, reasoning, .. } = *tokens;
                let counts = [input, output, cached, reasoning];
                // Some wires have to send 0 for what is not known of a later message.
                let is_unknown = |count: &u64| self.has_earlier_usage && *count == 0;
                for (last, count) in self.usage.iter_mut().zip(counts) {
                    *last = count.filter(|count| !is_unknown(count)).or(*last);
                }
                self.has_earlier_usage &= counts.iter().flatten().all(|count| *count == 0);
            }
            _ => {}
        }
    }

    fn join(&mut self, kind: &'static str, choice: u64, text: &str) {
        self.texts.entry((kind, choice)).or_default().push_str(text);
        self.pieces.push((kind, choice, text.to_owned()));
    }

    fn place_of(&mut self, number: u64) -> usize {
        self.numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
            self.numbers.push(number);
            let call = Call {
                id: String::new(),
                name: String::new(),
                choice: 0,
                is_client_s: true,
                raw: String::new(),
                status: "",
            };
            self.calls.push(call);
            self.numbers.len() - 1
        })
    }
}

/// A stream while it is read and written, and what is written while it is read again.
#[derive(Clone)]
struct Conversion {
    source: ProviderStream,
    told: Facts,
    writer: StreamWriter,
    target: ProviderStream,
    told_again: Facts,
    sse: String,
    data: Vec<String>,
}

impl Conversion {
    fn new(from: Provider, to: Provider) -> Self {
        let stream = |provider| ProviderStream::new(provider, ToolCalls::default());
        Self {
            source: stream(from),
            told: Facts::default(),
            writer: StreamWriter::new(to).unwrap(),
            target: stream(to),
            told_again: Facts { is_written: true, ..Facts::default() },
            sse: String::new(),
            data: Vec::new(),
        }
    }

    /// Reads and writes an event, or the end.
    fn step(&mut self, event: Option<&str>) {
        let Self { source, told, writer, target, told_again, sse, data } = self;
        let mut on_written = |written: Written<'_>| {
            sse.extend(written.to_sse());
            if let Written::Event { data: event, .. } = written {
                target.push_with(&event, |event| told_again.note(&event));
                data.push(event.into_owned());
            }
        };
        let mut on_event = |event: StreamEvent<'_>| {
            told.note(&event);
            writer.push_with(&event, &mut on_written);
        };
        match event {
            Some(event) => source.push_with(event, &mut on_event),
            None => {
                source.finish_with(&mut on_event);
                writer.finish_with(source.verdict(), &mut on_written);
                target.finish_with(|event| told_again.note(&event));
            }
        }
    }

    fn lost(&self, loss: Loss) -> bool {
        self.writer.lost().contains(&loss)
    }

    /// Returns the source's facts without those that are listed as lost.
    fn expected(&self) -> Facts {
        let mut told = self.told.clone();
        let is_kept = |choice: u64| choice == 0 || !self.lost(Loss::Choice);
        told.texts.retain(|(kind, choice), _| {
            let loss = match *kind {
                "reasoning" => Some(Loss::Reasoning),
                "refusal" => Some(Loss::Refusal),
                _ => None,
            };
            is_kept(*choice) && !loss.is_some_and(|loss| self.lost(loss))
        });
        let again = &self.told_again.calls;
        let is_written = |call: &Call| again.iter().any(|known| known.id == call.id && !known.is_client_s);
        told.calls.retain(|call| {
            is_kept(call.choice) && (call.is_client_s || !self.lost(Loss::ServerTool) || is_written(call))
        });
        told.stops.retain(|(choice, _)| is_kept(*choice));
        if self.is_to(Provider::VercelUi) {
            for call in told.calls.iter_mut().filter(|call| call.status == "empty") {
                (call.raw, call.status) = ("{}".to_owned(), "complete");
            }
        }
        self.normalized(told)
    }

    /// Returns facts without what a target's wire has no place for, though nothing is lost.
    fn normalized(&self, mut facts: Facts) -> Facts {
        // Each part of a response with text is read as an answer.
        if self.target.provider() == Some(Provider::OpenaiResponses) {
            let known = mem::take(&mut facts.texts);
            for (kind, choice, text) in mem::take(&mut facts.pieces) {
                if known.contains_key(&(kind, choice)) {
                    facts.join(kind, 0, &text);
                }
            }
        }
        facts
    }

    /// Checks the law at the end of the stream.
    fn check(&self, on_fault: &mut dyn FnMut(String)) {
        let mut fault = |what: &str, wanted: &dyn Debug, found: &dyn Debug| {
            on_fault(format!("{what}: {wanted:?}, not {found:?}"));
        };
        let (source, target) = (self.source.verdict(), self.target.verdict());
        let written = self.writer.verdict();
        let is_whole = match written {
            Ok(()) | Err(Unwritten::Lost(_)) => true,
            Err(Unwritten::Source(_)) if source.is_err() => false,
            Err(Unwritten::Call) => false,
            other => return fault("the verdict on the writing", &source, &other),
        };
        // In chats, nothing but content begins another message.
        let is_chat = self.is_to(Provider::OpenaiChat);
        let is_ambiguous = is_chat && self.told.messages.len() > 1 && self.told.has_empty_message;
        if is_whole != target.is_ok() && !is_ambiguous {
            fault("the verdicts", &(source, written), &target);
        }
        if events_of(self.sse.as_bytes()) != self.data {
            fault("the framing", &self.data, &self.sse);
        }
        let (mut told, again) = (self.expected(), self.normalized(self.told_again.clone()));
        for call in &again.calls {
            let is_same = told.calls.iter().any(|known| {
                known.raw == call.raw && known.name == call.name && known.is_client_s == call.is_client_s
                    // An input that seemed whole may have lost a part. Then the stream ends as an error.
                    && (known.status == call.status || !is_whole)
            });
            if !is_same && ["complete", "empty", "raw"].contains(&call.status) {
                fault("a whole call", &told.calls, call);
            }
        }
        for (key, text) in &again.texts {
            if !told.texts.get(key).is_some_and(|known| known.starts_with(text.as_str())) {
                fault("the beginning of a text", &told.texts.get(key), &(key, text));
            }
        }
        if !is_whole {
            return;
        }
        if told.texts != again.texts {
            fault("the texts", &told.texts, &again.texts);
        }
        // Made-up ids stand for missing ones and, on wires where only the id names a call, for repeated ones.
        let mut known = BTreeSet::new();
        for (call, again) in told.calls.iter_mut().zip(&again.calls) {
            let is_repeated = !known.insert(call.id.clone()) && self.has_ids_alone();
            if call.id.is_empty() || is_repeated {
                call.id.clone_from(&again.id);
            }
        }
        if told.calls != again.calls {
            fault("the calls", &told.calls, &again.calls);
        }
        for stop in &told.stops {
            let means_same = |kind| match (stop.1, kind) {
                // Most wires do not distinguish these, and some show only by the calls that their results are awaited.
                (StopKind::ToolUse, StopKind::Finished) => !told.calls.iter().any(|call| call.is_client_s),
                (StopKind::StopSequence, StopKind::Finished) => true,
                (StopKind::Pause, StopKind::Other) => self.is_to(Provider::VercelUi),
                (StopKind::Finished | StopKind::StopSequence, StopKind::ToolUse) => {
                    told.calls.iter().any(|call| call.is_client_s)
                }
                // A refusal's own part shows it, whatever the source's reason.
                (StopKind::Finished, StopKind::Refusal) => told.texts.keys().any(|(kind, _)| *kind == "refusal"),
                (StopKind::ContentFilter, StopKind::Refusal) => self.lost(Loss::ContentFilter),
                (StopKind::Refusal, StopKind::ContentFilter) => self.lost(Loss::Refusal),
                (one, other) => one == other,
            };
            if !again.stops.iter().any(|(choice, kind)| *choice == stop.0 && means_same(*kind)) {
                fault("the stops", &told.stops, &again.stops);
            }
        }
        let counts = |usage: [Option<u64>; 4]| usage.map(Option::unwrap_or_default);
        if !self.lost(Loss::Usage) && counts(told.usage) != counts(again.usage) {
            fault("the counts", &told.usage, &again.usage);
        }
        // A start that follows the message's first part comes too late.
        let is_known = |(id, model): &&(String, String)| {
            told.messages.iter().any(|known| match self.has_ids_alone() {
                true => is_id_of(&known.0, id) || (id.is_empty() && self.is_to(Provider::VercelUi)),
                false => is_id_of(&known.0, id) && known.1 == *model,
            })
        };
        let starts = again.messages.iter().filter(is_known).count();
        if told.messages.len() == again.messages.len() && starts < told.messages.len() && self.starts_in_time() {
            fault("the messages", &told.messages, &again.messages);
        }
    }

    /// Checks that everything that was reported so far was also written so far.
    fn check_so_far(&self, on_fault: &mut dyn FnMut(String)) {
        if self.writer.clone().verdict() != Err(Unwritten::Unfinished) {
            return;
        }
        let (told, again) = (self.expected(), self.normalized(self.told_again.clone()));
        for (key, text) in &told.texts {
            // The text of a refusal has no place in the middle of some streams.
            if key.0 != "refusal" && again.texts.get(key) != Some(text) && self.is_sound() {
                on_fault(format!("late: {text:?}, not {:?}", again.texts.get(key)));
            }
        }
        // A call without a name waits for it.
        let is_named = |call: &&Call| call.status.is_empty() || !call.name.is_empty();
        let raw = |facts: &Facts| {
            facts
                .calls
                .iter()
                .filter(is_named)
                .map(|call| call.raw.clone())
                .filter(|raw| !raw.is_empty())
                .collect::<Vec<_>>()
        };
        if told.calls.iter().all(|call| !call.status.is_empty()) && raw(&told) != raw(&again) && self.is_sound() {
            on_fault(format!("late: {:?}, not {:?}", raw(&told), raw(&again)));
        }
    }

    fn is_to(&self, provider: Provider) -> bool {
        self.target.provider() == Some(provider)
    }

    /// Returns true for wires without models, where only the id shows which call an event belongs to.
    fn has_ids_alone(&self) -> bool {
        self.is_to(Provider::VercelUi) || self.is_to(Provider::AgUi)
    }

    /// Returns true if no error was written.
    fn is_sound(&self) -> bool {
        !self.data.iter().any(|data| {
            ["{\"error\":", "{\"type\":\"error\"", "{\"type\":\"RUN_ERROR\""]
                .iter()
                .any(|error| data.starts_with(error))
        })
    }

    /// Returns true if each message began with its id and its model.
    fn starts_in_time(&self) -> bool {
        let is_known = |(id, model): &(String, String)| !id.is_empty() && !model.is_empty();
        self.told.messages.iter().all(is_known) && !self.told.starts_late
    }
}

/// Returns true if a message may have been written under this id: its own or, if it repeats an id, one with a number.
fn is_id_of(own: &str, id: &str) -> bool {
    id.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Losses that a provider's own wire has too: what belongs to no known part, or has no safe place in it.
fn is_expected_of_own(provider: Provider, loss: Loss) -> bool {
    match loss {
        Loss::UnknownPart | Loss::Data | Loss::Block | Loss::ContentFilter => true,
        // A server's tool must not look like a client's call. A summary is in one of two members.
        Loss::ToolResult | Loss::Media => provider == Provider::OpenaiChat,
        // An annotation that precedes its part has no place in the item.
        Loss::Source => matches!(provider, Provider::OpenaiChat | Provider::OpenaiResponses),
        // xAI sends its own calls as calls of the client.
        Loss::ServerTool => matches!(provider, Provider::OpenaiChat | Provider::OpenaiResponses),
        Loss::Opaque => true,
        // Citations without an address and of an unknown type.
        Loss::Citation => true,
        Loss::Usage => provider == Provider::Anthropic,
        // Each part with text is read as an answer, and an annotation has to follow its part.
        Loss::Choice => provider == Provider::OpenaiResponses,
        // A call's signature that is reported after the call's end.
        Loss::Signature => provider == Provider::VercelUi,
        _ => false,
    }
}

/// Writes each stream to each target: whole, cut after every event, and without each event, or a sample of these.
fn hold(recordings: Vec<Recording>, sample: usize) {
    let wanted = env::var("JSONSPIGOT_LAWS").ok();
    let sample = if wanted.is_some() { 1 } else { sample };
    let name = wanted.filter(|wanted| wanted != "all").unwrap_or_default();
    let (mut tried, mut found) = (0, BTreeMap::<String, (usize, String)>::new());
    let mut own = BTreeSet::new();
    for (number, recording) in recordings.into_iter().filter(|recording| recording.name.contains(&name)).enumerate() {
        let Recording { name, provider, events } = &recording;
        for to in StreamWriter::targets() {
            let mut faults: Vec<(usize, String)> = Vec::new();
            let mut conversion = Conversion::new(*provider, to);
            for (at, event) in events.iter().enumerate() {
                if (at + number) % sample == 0 {
                    let mut cut = conversion.clone();
                    cut.step(None);
                    cut.check(&mut |fault| faults.push((at, fault)));
                    let mut lacking = conversion.clone();
                    events[at + 1..].iter().for_each(|event| lacking.step(Some(event)));
                    lacking.step(None);
                    lacking.check(&mut |fault| faults.push((at, ["lacking: ", &fault].concat())));
                    tried += 2;
                }
                conversion.step(Some(event));
                conversion.check_so_far(&mut |fault| faults.push((at, fault)));
            }
            conversion.step(None);
            conversion.check(&mut |fault| faults.push((events.len(), fault)));
            tried += 1;
            if to == *provider && conversion.source.verdict().is_ok() {
                let lost = conversion.writer.lost().iter().filter(|loss| !is_expected_of_own(to, **loss));
                own.extend(lost.map(|loss| format!("{loss} of {name}")));
            }
            for (at, fault) in faults {
                let kind = fault.split(": ").next().unwrap_or_default();
                let example = || (0, format!("{name} at {at}: {fault}"));
                found.entry(format!("{kind} to {to}")).or_insert_with(example).0 += 1;
            }
            Law::Writing.mark_compared();
        }
    }
    println!("{tried} streams");
    let list: Vec<_> =
        found.iter().map(|(fault, (count, example))| format!("{fault} ({count}, as in {example})")).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
    assert!(own.is_empty(), "lost on their own wire: {own:?}");
}

pub(super) fn own_streams_to_all_targets() {
    hold(own_streams(), 3);
}

pub(crate) fn recorded_streams_to_all_targets() {
    hold(recorded_streams(), 40);
}

#[test]
fn a_provider_without_a_writer_is_refused() {
    let error = StreamWriter::new(Provider::Cohere).unwrap_err().to_string();
    assert!(StreamWriter::targets().iter().all(|target| error.contains(target.name())), "{error}");
}

#[test]
fn a_reason_to_stop_is_spelled_as_the_target_does() {
    let event = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#;
    for to in [Provider::OpenaiChat, Provider::VercelUi] {
        let mut conversion = Conversion::new(Provider::Gemini, to);
        conversion.step(Some(event));
        conversion.step(None);
        assert!(conversion.sse.contains(r#""stop""#) && !conversion.sse.contains("STOP"), "{}", conversion.sse);
    }
}

/// Clients take a message under a known id for the same one.
#[test]
fn a_vercel_message_without_an_id_has_none() {
    let mut conversion = Conversion::new(Provider::Ollama, Provider::VercelUi);
    conversion.step(Some(r#"{"message":{"content":"a"},"done":true,"done_reason":"stop"}"#));
    conversion.step(None);
    assert!(conversion.sse.starts_with("data: {\"type\":\"start\"}\n"), "{}", conversion.sse);
}

/// Nothing may follow the error of an AG-UI run, whose calls must not end.
#[test]
fn an_answer_that_stops_within_a_call_ends_an_ag_ui_stream() {
    let mut conversion = Conversion::new(Provider::VercelUi, Provider::AgUi);
    for event in [
        r#"{"type":"start","messageId":"m1"}"#,
        r#"{"type":"tool-input-start","toolCallId":"c","toolName":"f"}"#,
        r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{\"a\":"}"#,
        r#"{"type":"finish","finishReason":"length"}"#,
        r#"{"type":"start","messageId":"m2"}"#,
        r#"{"type":"text-delta","id":"t","delta":"more"}"#,
        r#"{"type":"finish"}"#,
    ] {
        conversion.step(Some(event));
    }
    conversion.step(None);
    let last = r#"{"type":"RUN_ERROR","message":"the answer stopped within a call","code":"length"}"#;
    assert_eq!(conversion.data.last().map(String::as_str), Some(last));
    assert!(!conversion.sse.contains("TOOL_CALL_END"), "{}", conversion.sse);
}
