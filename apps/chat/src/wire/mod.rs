//! The stream to the client: the message envelope, and the events that carry it. `page/merge.js` merges them.
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
//! A *message* is one thing that a person sees, such as a text or a tool's card; its block and its message id name it. An
//! envelope with `delta` changes it at `delta_path`, as [`DeltaAction`] says; any other is all of it. A *block* is one
//! operation, such as one answer of the model; a *thread* runs beside others in its block.

mod change;
mod envelope;
mod event;

pub use self::change::{Change, DeltaAction};
pub use self::envelope::{Envelope, MessageType};
pub use self::event::{Event, EventName, MessageRef};
