//! The streams of model providers: one event's JSON text in, [`StreamEvent`]s out. No I/O, no line framing, no async.
//!
//! [`ProviderStream`] reads a provider's wire format, quirks and all, and tells text, reasoning, usage, the stop reason,
//! errors, and through [`tool_calls`](crate::tool_calls) every tool call.
//!
//! Server-sent events are split into events elsewhere: any reader of them will do, and its `data` is what is pushed.
//!
//! | file | owns |
//! |---|---|
//! | `stream` | the public functions |
//! | `reader` | which format's file reads an event, and what becomes of unknown ones |
//! | `detection`, `format` | whose event it is |
//! | `anthropic`, `openai_chat`, … | a wire format: what its events mean, its quirks, and what tells it from others |
//! | `tool_call` | the spelling of calls that several formats share |
//! | `failure` | the shapes of errors |
//! | `emitter` | where all of them send what an event says |
//! | `json` | how an event's JSON is read |
//! | `provider`, `event`, `owned` | the names, and what is told |

mod ag_ui;
mod anthropic;
mod bedrock;
mod cohere;
mod detection;
mod emitter;
mod event;
mod failure;
mod format;
mod gemini;
mod interactions;
mod json;
mod ollama;
mod openai_chat;
mod openai_responses;
mod owned;
mod provider;
mod reader;
mod stream;
mod tool_call;
mod vercel_ui;

pub use event::StreamEvent;
pub use owned::OwnedStreamEvent;
pub use provider::{Provider, UnknownProvider};
pub use stream::ProviderStream;
