//! Feeds the chunks of an SDK, async-openai, to [`ToolCalls`].
//!
//! `cargo run -p jsonspigot-sdk-examples --bin async_openai -- http://127.0.0.1:8080/v1/chat/completions`

use std::error::Error;

use jsonspigot::PatternSet;
use jsonspigot_llm::{CallStart, ToolCalls};
use jsonspigot_sdk_examples::{each_event, show_call};

use async_openai::types::chat::{CreateChatCompletionStreamResponse, FinishReason};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL")?;
    let mut calls = ToolCalls::new(&PatternSet::new(["city", "path", "lines[*]"])?);
    let received = each_event(&url, |data| {
        // The SDK's own client returns a stream of this type.
        match serde_json::from_str::<CreateChatCompletionStreamResponse>(data) {
            Ok(chunk) => read_chunk(&mut calls, &chunk),
            Err(_) if data == "[DONE]" => {}
            Err(error) => eprintln!("a chunk that the SDK can't read: {error}"),
        }
    });
    let received = received.await;
    calls.cut_with("end-of-input", show_call);
    received
}

/// Feeds the calls in a chunk of the SDK, and the reason why a choice ended.
fn read_chunk(calls: &mut ToolCalls, chunk: &CreateChatCompletionStreamResponse) {
    for choice in &chunk.choices {
        for call in choice.delta.tool_calls.iter().flatten() {
            let slot = (u64::from(choice.index), u64::from(call.index));
            let function = call.function.as_ref();
            let name = function.and_then(|function| function.name.as_deref());
            let arguments = function.and_then(|function| function.arguments.as_deref());
            // Starting a call again has no effect.
            calls.start_with(slot, CallStart::new(name).id(call.id.as_deref()), show_call);
            calls.delta_with(slot, arguments.unwrap_or_default(), show_call);
        }
        if let Some(reason) = choice.finish_reason {
            let reason = match reason {
                FinishReason::Stop => "stop",
                FinishReason::Length => "length",
                FinishReason::ToolCalls => "tool_calls",
                FinishReason::ContentFilter => "content_filter",
                FinishReason::FunctionCall => "function_call",
            };
            calls.end_choice_with(choice.index.into(), reason, show_call);
            println!("stop: {reason}");
        }
    }
}
