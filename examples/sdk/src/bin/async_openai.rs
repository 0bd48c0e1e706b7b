//! An SDK's types: what async-openai's chunks say goes into the neutral door, [`Calls`].
//!
//! `cargo run -p jsonspigot-sdk-examples --bin async_openai -- http://127.0.0.1:8080/v1/chat/completions`

use std::error::Error;

use async_openai::types::chat::{CreateChatCompletionStreamResponse, FinishReason};
use jsonspigot::PatternSet;
use jsonspigot::adapters::{Calls, ToolEvent};
use jsonspigot_sdk_examples::{each_event, show};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL")?;
    let mut calls = Calls::new(&PatternSet::new(["city", "path", "lines[*]"])?);
    let received = each_event(&url, |data| {
        // With the SDK's own client this is what its stream gives.
        match serde_json::from_str::<CreateChatCompletionStreamResponse>(data) {
            Ok(chunk) => read_chunk(&mut calls, &chunk, |event| show(&event)),
            Err(_) if data == "[DONE]" => {}
            Err(error) => eprintln!("a chunk that the SDK can't read: {error}"),
        }
    });
    let received = received.await;
    calls.end_of_input(|event| show(&event));
    received
}

/// A chunk of the SDK's as signals: what it says of calls, and why a choice ended.
fn read_chunk(calls: &mut Calls, chunk: &CreateChatCompletionStreamResponse, mut on_event: impl FnMut(ToolEvent<'_>)) {
    for choice in &chunk.choices {
        for call in choice.delta.tool_calls.iter().flatten() {
            let slot = (u64::from(choice.index), u64::from(call.index));
            let function = call.function.as_ref();
            let name = function.and_then(|function| function.name.as_deref());
            let arguments = function.and_then(|function| function.arguments.as_deref());
            // Absent is empty; starting what has started is nothing.
            calls.start(slot, call.id.as_deref().unwrap_or_default(), name.unwrap_or_default(), "", &mut on_event);
            calls.delta(slot, arguments.unwrap_or_default(), &mut on_event);
        }
        if let Some(reason) = choice.finish_reason {
            let reason = match reason {
                FinishReason::Stop => "stop",
                FinishReason::Length => "length",
                FinishReason::ToolCalls => "tool_calls",
                FinishReason::ContentFilter => "content_filter",
                FinishReason::FunctionCall => "function_call",
            };
            calls.finish_choice(choice.index.into(), Some(reason), &mut on_event);
            on_event(ToolEvent::Stop { choice: choice.index.into(), reason, native_reason: None });
        }
    }
}
