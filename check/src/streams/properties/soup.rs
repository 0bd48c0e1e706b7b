//! Signals of all kinds in any order, as events of all providers in one stream or given to `ToolCalls`: with limits,
//! odd indices, whole inputs that are repeated, and fragments without a call.

use jsonspigot::{DuplicateKeys, ErrorKind, Limits, Parser, ParserBuilder};
use jsonspigot_llm::{CallEvent, CallLimits, CallStart, Provider, ProviderStream, Slot, ToolCalls, ToolCallsBuilder};
use serde_json::{Value, json};

use crate::laws::Law;
use crate::streams::restored::Calls;
use crate::streams::support::{CallLog, Log, everything, read_stream};

/// Checks that the log's own checks hold for any signals; that a second run is equal; and that a fault of an input is
/// the one that a parser finds in its raw text.
pub fn is_survived(head: &[u8], signals: &[&[u8]]) {
    let choice = |place: usize| head.get(place).map_or(0, |byte| usize::from(*byte));
    let parser = parser(choice(1));
    let choices = choices(parser.clone(), choice(2));
    let run = || match choice(3) % (Provider::ALL.len() + 2) {
        0 => neutral(&choices, signals),
        other => stream(new_stream(&choices, other - 1, choice(2) >> 4 | 4), signals),
    };
    let log = run();
    assert_eq!(log, run());
    for call in &log.calls {
        assert_ne!(call.status, "", "every call's input ends: {call:?}");
        check_verdict(call, parser.clone());
    }
    Law::NoPanics.mark_compared();
}

/// Makes a stream in one of many ways: of a provider, or detecting it. The bits 1 and 2 of `made` choose structured
/// text and a kept message.
pub fn new_stream(choices: &ToolCallsBuilder, provider: usize, made: usize) -> ProviderStream {
    let calls = choices.clone().build();
    let stream = match (provider % (Provider::ALL.len() + 1)).checked_sub(1) {
        None => ProviderStream::detecting(calls),
        Some(place) => ProviderStream::new(Provider::ALL[place], calls),
    };
    let stream = if made & 2 == 0 { stream } else { stream.structured() };
    if made & 4 == 0 { stream } else { stream.with_message() }
}

/// Checks that the error of an input that is not JSON is that of its raw text.
fn check_verdict(call: &CallLog, builder: ParserBuilder) {
    let Some((kind, offset, _)) = &call.error else { return };
    // Values out of order have no text.
    if !matches!(call.status, "malformed" | "trailing") || *kind == ErrorKind::OutOfOrder {
        return;
    }
    // Values by path never allow a key to come again.
    let is_same = [builder.clone(), builder.duplicate_keys(DuplicateKeys::Reject)].into_iter().any(|builder| {
        let mut parser = builder.build();
        let fed = parser.feed(&call.raw).check().and_then(|()| parser.finish().check());
        fed.is_err_and(|error| (error.kind(), error.offset()) == (*kind, *offset))
    });
    assert!(is_same, "{call:?}");
}

pub fn parser(choice: usize) -> ParserBuilder {
    let limit = |bit: usize| if choice & bit == 0 { u64::MAX } else { 3 };
    let limits = Limits::new().string(limit(1)).key(limit(2)).number(limit(4)).blank(limit(4));
    let limits = if choice & 8 == 0 { limits } else { limits.total(17) };
    let builder = Parser::builder().limits(limits);
    let builder = if choice & 16 == 0 { builder } else { builder.lenient(jsonspigot::Leniency::MODEL_OUTPUT) };
    let builder = if choice & 32 == 0 { builder } else { builder.duplicate_keys(DuplicateKeys::Reject) };
    if choice & 64 == 0 { builder } else { builder.snapshots() }
}

pub fn choices(parser: ParserBuilder, choice: usize) -> ToolCallsBuilder {
    let limit = |bit: usize, limit: usize, default: usize| if choice & bit == 0 { default } else { limit };
    let default = CallLimits::new();
    let limits = default
        .open_calls(limit(1, 2, default.open_calls))
        .input_bytes(limit(2, 11, default.input_bytes))
        .name_bytes(limit(4, 3, default.name_bytes))
        .event_bytes(limit(8, 150, default.event_bytes));
    let builder = everything().parser(parser).limits(limits);
    if choice & 16 == 0 { builder } else { builder.cumulative() }
}

/// A signal: which one, where, and a text that most of them have.
pub struct Signal {
    kind: usize,
    place: usize,
    text: String,
}

impl Signal {
    pub fn new(bytes: &[u8]) -> Self {
        let byte = |place: usize| bytes.get(place).map_or(0, |byte| usize::from(*byte));
        let text = String::from_utf8_lossy(bytes.get(2..).unwrap_or_default()).into_owned();
        Self { kind: byte(0), place: byte(1), text }
    }

    /// Returns an index, usually a valid one.
    fn index(&self) -> Value {
        let places = [
            json!(0),
            json!(1),
            json!(2),
            json!("0"),
            json!("1"),
            json!(1.0),
            json!(null),
            json!(-1),
            json!(0.5),
            json!(1e300),
            json!(true),
            json!({}),
        ];
        places[self.place % places.len()].clone()
    }

    fn id(&self) -> Value {
        [json!("a"), json!("b"), json!("long"), json!(""), json!(null), json!(7)][self.place % 6].clone()
    }

    /// Returns an event of some provider.
    pub fn event(&self) -> String {
        let (index, id, text) = (self.index(), self.id(), &self.text);
        let json: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
        let arg = json!({"jsonPath": (["$.a", "$.b[0]", "$.a", "$", "$.é"][self.place % 5]), "stringValue": text,
            "willContinue": (self.place.is_multiple_of(2))});
        let events = [
            json!({"type": "content_block_start", "index": index,
                "content_block": {"type": "tool_use", "id": id, "name": "tool", "input": json}}),
            json!({"type": "content_block_delta", "index": index, "delta": {"partial_json": text, "text": text}}),
            json!({"type": "content_block_stop", "index": index}),
            json!({"type": "message_start", "message": {"content": [
                {"type": "tool_use", "id": id, "name": text, "input": json}]}}),
            json!({"type": "message_delta", "delta": {"stop_reason": text}}),
            json!({"type": "message_stop"}),
            json!({"choices": [{"index": index, "delta": {"tool_calls": [
                {"index": index, "id": id, "function": {"name": "tool", "arguments": text}}]}}]}),
            json!({"choices": [{"delta": {"tool_calls": [{"index": index, "function": {"arguments": text}}]}}]}),
            json!({"choices": [{"delta": {"tool_calls": [{"id": id, "function": {"name": "tool", "arguments": json}}]}}]}),
            json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}),
            json!({"type": "response.output_item.added", "output_index": index,
                "item": {"type": "function_call", "id": id, "call_id": id, "name": "tool", "arguments": text}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": text}),
            json!({"type": "response.function_call_arguments.done", "output_index": index, "arguments": text}),
            json!({"type": "response.output_item.done", "output_index": index,
                "item": {"type": "function_call", "call_id": id, "name": "tool", "arguments": text, "status": "completed"}}),
            json!({"type": "response.completed", "response": {"output": [
                {"type": "function_call", "call_id": id, "name": "tool", "arguments": text}]}}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "tool", "id": id, "args": json}}]}}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "tool", "willContinue": true}}]}}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [arg], "willContinue": true}}]}}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {}}]}, "finishReason": text}]}),
            json!({"event_type": "step.start", "index": index,
                "step": {"type": "function_call", "id": id, "name": "tool", "arguments": json}}),
            json!({"event_type": "step.delta", "index": index, "delta": {"arguments": text}}),
            json!({"event_type": "step.stop", "index": index}),
            json!({"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": {"toolUseId": id, "name": "tool"}}}}),
            json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": text}}}}),
            json!({"contentBlockStop": {"contentBlockIndex": index}}),
            json!({"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls":
                {"id": id, "function": {"name": "tool", "arguments": text}}}}}),
            json!({"type": "tool-call-delta", "index": index, "delta": {"message": {"tool_calls":
                {"function": {"arguments": text}}}}}),
            json!({"type": "tool-call-end", "index": index}),
            json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "tool"}),
            json!({"type": "TOOL_CALL_CHUNK", "toolCallId": id, "toolCallName": text, "delta": text}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": text}),
            json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            json!({"type": "tool-input-start", "toolCallId": id, "toolName": "tool"}),
            json!({"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": text}),
            json!({"type": "tool-input-available", "toolCallId": id, "toolName": "tool", "input": json}),
            json!({"message": {"tool_calls": [{"id": id, "function": {"name": "tool", "arguments": json}}]}, "done": true}),
            json!({"error": {"message": text}}),
            json!({"type": "response.created", "event_id": "e", "response": {"id": id}}),
            json!({"type": "response.output_item.added", "event_id": "e", "response_id": id,
                "item": {"type": "function_call", "id": index, "call_id": id, "name": "tool"}}),
            json!({"type": "response.function_call_arguments.delta", "event_id": "e", "response_id": index,
                "item_id": id, "call_id": id, "delta": text}),
            json!({"type": "response.content_part.done", "event_id": "e", "item_id": id, "content_index": index,
                "part": {"text": text}}),
            json!({"type": "response.done", "event_id": "e", "response": {"id": id, "status": text, "output": [
                {"type": "mcp_call", "id": id, "name": "tool", "arguments": text, "output": json}]}}),
            json!({"toolCall": {"functionCalls": [{"id": id, "name": "tool", "args": json}]}}),
            json!({"toolCallCancellation": {"ids": [id, index]}}),
            json!({"serverContent": {"modelTurn": {"parts": [{"text": text}]}, "interrupted": self.place.is_multiple_of(3)}}),
            json!({"serverContent": {"turnComplete": true, "turnCompleteReason": id}}),
            json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": index, "name": id, "parameters": text}}),
            json!({"event_type": "tool-calls-generation", "text": text, "tool_calls": [{"name": "tool", "parameters": json}]}),
            json!({"event_type": "stream-end", "finish_reason": text}),
            json!({"object": "thread.run.step.delta", "id": id, "delta": {"step_details": {"tool_calls": [
                {"index": index, "id": id, "type": "function", "function": {"name": "tool", "arguments": text}},
                {"index": index, "type": "code_interpreter", "code_interpreter": {"input": text, "outputs": [json]}}]}}}),
            json!({"object": "thread.run.step", "id": id, "status": "completed", "step_details": {"tool_calls": [
                {"id": id, "type": "code_interpreter", "code_interpreter": {"input": text, "outputs": [json]}}]}}),
            json!({"object": "thread.run", "status": "requires_action", "required_action": {"submit_tool_outputs": {
                "tool_calls": [{"id": id, "type": "function", "function": {"name": "tool", "arguments": text}}]}}}),
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": text, "arguments": json}}),
            json!({"jsonrpc": "2.0", "id": index, "result": {"content": [], "isError": true}}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        ];
        events[self.kind % events.len()].to_string()
    }

    /// Gives the signal to `ToolCalls`.
    pub fn act(&self, calls: &mut ToolCalls, on_event: &mut dyn FnMut(CallEvent<'_>)) {
        let (id, text) = (self.id(), self.text.as_str());
        let id = id.as_str().unwrap_or_default();
        let slot = match self.place % 5 {
            0 => Slot::from(0),
            1 => Slot::from(1),
            2 => Slot::from((1, 0)),
            3 => Slot::from(id),
            _ => Slot::from(u64::MAX),
        };
        match self.kind % 12 {
            0 | 1 => calls.start_with(slot, CallStart::new("tool").id(id).input(text), on_event),
            2 => calls.start_with(slot, CallStart::new(text).id(id).raw(), on_event),
            3..=5 => calls.delta_with(slot, text, on_event),
            6 | 7 => calls.whole_with(slot, text, on_event),
            8 => calls.stop_with(slot, on_event),
            9 => calls.end_message_with((self.place.is_multiple_of(2)).then_some(text), on_event),
            10 => calls.end_choice_with(1, "stop", on_event),
            _ => calls.begin_message_with(on_event),
        }
    }
}

fn neutral(choices: &ToolCallsBuilder, signals: &[&[u8]]) -> Log {
    let (mut calls, mut log) = (Calls::new(choices), Log::default());
    for bytes in signals {
        let signal = Signal::new(bytes);
        calls.act(&mut log, |calls, on_event| signal.act(calls, on_event));
    }
    calls.act(&mut log, |calls, on_event| calls.cut_with("end-of-input", on_event));
    log
}

fn stream(stream: ProviderStream, signals: &[&[u8]]) -> Log {
    read_stream(stream, signals.iter().map(|bytes| Signal::new(bytes).event()))
}
