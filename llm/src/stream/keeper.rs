//! Makes the keeper of a provider's message: selects the wire format that composes it.
//!
//! Only [`ProviderStream::with_message`](crate::ProviderStream::with_message) refers to this file, so programs that
//! never call it do not link the composers.

use alloc::boxed::Box;
use alloc::string::String;

use super::provider::Provider;
use crate::calls::ToolCall;
use crate::emitter::stream_state::KeepMessage;
#[cfg(feature = "anthropic")]
use crate::formats::anthropic;
#[cfg(feature = "bedrock")]
use crate::formats::bedrock;
#[cfg(feature = "cloudflare")]
use crate::formats::cloudflare;
#[cfg(feature = "cohere")]
use crate::formats::cohere;
#[cfg(feature = "dashscope")]
use crate::formats::dashscope;
#[cfg(feature = "gemini")]
use crate::formats::gemini;
#[cfg(feature = "ollama")]
use crate::formats::ollama;
#[cfg(feature = "openai-chat")]
use crate::formats::openai_chat;
#[cfg(feature = "openai-responses")]
use crate::formats::openai_responses;
use crate::json::Json;
use crate::message::{Composer, Turn};
use crate::payload::Payload;

/// Returns the keeper of a message of at most `most` bytes; `None` if the provider has no message for the next request.
pub(crate) fn keeper(provider: Provider, most: usize) -> Option<Box<dyn KeepMessage>> {
    let composer: Option<Composer> = match provider {
        #[cfg(feature = "anthropic")]
        Provider::Anthropic => Some(anthropic::COMPOSER),
        #[cfg(feature = "openai-chat")]
        Provider::OpenaiChat => Some(openai_chat::COMPOSER),
        #[cfg(feature = "openai-responses")]
        Provider::OpenaiResponses => Some(openai_responses::COMPOSER),
        #[cfg(feature = "gemini")]
        Provider::Gemini => Some(gemini::COMPOSER),
        #[cfg(feature = "bedrock")]
        Provider::Bedrock => Some(bedrock::COMPOSER),
        #[cfg(feature = "cohere")]
        Provider::Cohere => Some(cohere::COMPOSER),
        #[cfg(feature = "dashscope")]
        Provider::Dashscope => Some(dashscope::COMPOSER),
        #[cfg(feature = "cloudflare")]
        Provider::Cloudflare => Some(cloudflare::COMPOSER),
        #[cfg(feature = "ollama")]
        Provider::Ollama => Some(ollama::COMPOSER),
        #[allow(unreachable_patterns, reason = "where none of the others is compiled in")]
        _ => None,
    };
    composer.map(|composer| -> Box<dyn KeepMessage> {
        Box::new(Keeper { turn: Turn::new(composer.shape, most), composer })
    })
}

/// A message, with the composer that adds to it.
#[derive(Clone, Debug)]
struct Keeper {
    turn: Turn,
    composer: Composer,
}

impl KeepMessage for Keeper {
    fn begin(&mut self) {
        self.turn.begin();
    }

    fn end(&mut self) {
        self.turn.end();
    }

    fn spoil(&mut self) {
        self.turn.spoil();
    }

    fn add(&mut self, event: Json<'_>) {
        (self.composer.compose)(event, &mut self.turn);
    }

    fn extra(&mut self, call: u64, member: &str, value: Json<'_>) {
        self.turn.extra(call, member, value);
    }

    fn end_call(&mut self, call: &ToolCall<'_>, input: &Payload<'_>) {
        self.turn.end_call(call, input);
    }

    fn to_json(&self) -> Option<String> {
        self.turn.to_json()
    }

    fn to_json_without_calls(&self) -> Option<String> {
        self.turn.to_json_without_calls()
    }

    fn is_over(&self) -> bool {
        self.turn.is_over()
    }

    fn is_before_next(&self) -> bool {
        self.turn.is_before_next(self.composer.shape)
    }

    fn boxed_clone(&self) -> Box<dyn KeepMessage> {
        Box::new(self.clone())
    }
}
