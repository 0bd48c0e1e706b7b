//! Makes the keeper of a provider's message: selects the wire format that composes it.
//!
//! Only [`ProviderStream::with_message`](crate::ProviderStream::with_message) refers to this file, so programs that
//! never call it do not link the composers.

use alloc::boxed::Box;
use alloc::string::String;

use super::provider::Provider;
use crate::calls::ToolCall;
use crate::emitter::stream_state::KeepMessage;
use crate::json::{Json, Node};
use crate::message::{Composer, Turn};
use crate::payload::Payload;

/// Returns the keeper of a message of at most `most` bytes; `None` if the provider has no message for the next request.
pub(crate) fn keeper(provider: Provider, most: usize) -> Option<Box<dyn KeepMessage>> {
    provider.composer().map(|composer| -> Box<dyn KeepMessage> {
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

    fn refute(&mut self) {
        self.turn.refute();
    }

    fn add(&mut self, event: Node<'_>) {
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
