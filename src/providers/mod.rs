//! The streams of model providers: one event's JSON text in, [`StreamEvent`]s out. No I/O, no line framing, no async.
//!
//! [`ProviderStream`] reads a provider's wire format, quirks and all, and reports text, reasoning, usage, the stop
//! reason, errors, and through [`tool_calls`](crate::tool_calls) every tool call.
//!
//! Server-sent events are split into events elsewhere: any reader of them will do, and its `data` is what is pushed.
//!
//! # What is reported
//!
//! | question | reported by |
//! |---|---|
//! | what is said | [`Text`](StreamEvent::Text), [`Reasoning`](StreamEvent::Reasoning), [`Refusal`](StreamEvent::Refusal), in blocks; [`Media`](StreamEvent::Media), [`Data`](StreamEvent::Data) |
//! | what is to be done, and who does it | [`Call`](StreamEvent::Call) with its [executor](crate::tool_calls::Executor), [`ApprovalRequest`](StreamEvent::ApprovalRequest) |
//! | what came of it, and where it is from | [`ToolResult`](StreamEvent::ToolResult), [`CallCancelled`](StreamEvent::CallCancelled), [`Source`](StreamEvent::Source) |
//! | what has to go back with the next request | [`Opaque`](StreamEvent::Opaque), and [`ProviderStream::message`](ProviderStream::message) as a whole |
//! | where things begin and end | [`MessageStart`](StreamEvent::MessageStart), [`BlockStart`](StreamEvent::BlockStart), [`BlockEnd`](StreamEvent::BlockEnd), [`Stop`](StreamEvent::Stop), [`End`](StreamEvent::End), [`Incomplete`](StreamEvent::Incomplete) |
//! | what it costs, and what went wrong | [`Usage`](StreamEvent::Usage), [`ContentFilter`](StreamEvent::ContentFilter), [`ProviderError`](StreamEvent::ProviderError), [`Mismatch`](StreamEvent::Mismatch), [`UnknownPart`](StreamEvent::UnknownPart), [`Unknown`](StreamEvent::Unknown), [`BadFrame`](StreamEvent::BadFrame) |
//! | what stands in the text | [`Payload`](StreamEvent::Payload), after [`with_envelope`](ProviderStream::with_envelope) |
//! | whether all of it came | [`ProviderStream::verdict`](ProviderStream::verdict) |
//!
#![doc = include_str!("formats.md")]

// The files:
//
// | file | owns |
// |---|---|
// | `stream` | the public functions |
// | `provider` | which formats there are, each with a feature of its own, and whose event it is |
// | `dispatch` | the wire format that reads an event, its memory, and what becomes of unknown events |
// | `format` | what is asked of every wire format |
// | `anthropic`, `openai_chat`, … | a wire format: what its events mean, its quirks, and what tells it from others |
// | `tool_call` | the spelling of calls that several formats share |
// | `failure`, `retry` | the shapes of errors, and whether they pass |
// | `stop`, `usage` | reasons to stop and token counts, by all the names they have |
// | `emitter`, `blocks` | where all of them send what an event says, and the blocks that it belongs to |
// | `stream_state` | what must be known from one event to the next, whatever the format |
// | `said` | what was said of each part that a wire may repeat as a whole |
// | `outlet` | the one way by which events leave |
// | `payloads` | payloads in the assistant's text, for those who ask for them |
// | `verdict` | whether the stream counts as whole |
// | `message`, `turn` | the assistant's message that goes back, for those who ask for it |
// | `json` | how an event's JSON is read |
// | `saved`, and parts of the others | how all of this is saved |
// | `event`, `media`, `owned`, `serialize` | what is reported, and how it is written |

#[cfg(feature = "ag-ui")]
mod ag_ui;
#[cfg(feature = "anthropic")]
mod anthropic;
#[cfg(feature = "bedrock")]
mod bedrock;
mod blocks;
#[cfg(feature = "cohere")]
mod cohere;
#[cfg(feature = "cohere")]
mod cohere_v1;
mod dispatch;
mod emitter;
mod event;
mod failure;
mod format;
#[cfg(feature = "gemini")]
mod gemini;
#[cfg(feature = "gemini")]
mod gemini_live;
#[cfg(feature = "gemini")]
mod gemini_parts;
#[cfg(feature = "gemini")]
mod grounding;
#[cfg(feature = "gemini")]
mod interactions;
mod json;
#[cfg(feature = "mcp")]
mod mcp;
mod media;
mod message;
#[cfg(feature = "ollama")]
mod ollama;
#[cfg(feature = "openai-assistants")]
mod openai_assistants;
#[cfg(feature = "openai-chat")]
mod openai_chat;
#[cfg(feature = "openai-responses")]
mod openai_responses;
mod outlet;
mod owned;
#[cfg(feature = "envelope")]
mod payloads;
mod provider;
mod retry;
mod said;
mod saved;
mod serialize;
mod stop;
mod stream;
mod stream_state;
#[cfg(any(feature = "openai-chat", feature = "cohere", feature = "ollama", feature = "ag-ui"))]
mod tool_call;
mod turn;
mod usage;
#[cfg(feature = "vercel-ui")]
mod vercel_ui;
mod verdict;

pub use event::{Block, BlockKind, MismatchKind, Opaque, OpaqueKind, Source, StreamEvent, ToolResult};
pub use media::Media;
pub use owned::{OwnedStreamEvent, StreamEvents};
pub use provider::Provider;
pub use retry::Retry;
pub use stop::StopKind;
pub use stream::ProviderStream;
pub use usage::TokenUsage;
pub use verdict::{Unfinished, UnfinishedKind};
