//! What goes to the client: the message envelope, the events that carry it, and how a client merges a stream of them.
//!
//! One wire for all assistants. A stream of server-sent events, each with `event:` (an [`EventName`]), `id:` (the chunk
//! id) and `data:` (an [`Envelope`] as JSON); it ends with `done` or `error`:
//!
//! ```text
//! event: text
//! id: 7
//! data: {"type":"text","props":"Hel","chunk_id":7,"message_id":"m2","block_id":"b1","delta":true,"delta_path":"/content","delta_action":"append"}
//! ```
//!
//! A *message* is one thing that a person sees: a text, a thought, a tool's card. It is named by its block and its
//! message id together. An envelope without `delta` is a whole message, or replaces the whole of it; one with `delta`
//! changes it at `delta_path`, as [`DeltaAction`] says. A *block* is one operation of the assistant, such as one answer
//! of the model; a *thread* is work that runs beside other work in the same block.

mod apply;
mod change;
mod envelope;
mod event;
mod merge;

pub use self::apply::Refusal;
pub use self::change::{Change, DeltaAction};
pub use self::envelope::{Envelope, MessageType};
pub use self::event::{Event, EventName};
pub use self::merge::{Applied, MergeError, Merger, Message};
