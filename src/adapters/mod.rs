//! Layer 6: what JSON comes wrapped in. No I/O, no line framing, no async.

mod envelope;

pub use envelope::{Envelope, EnvelopeBuilder, EnvelopeEvent, Mark, MarkError, Payload, PayloadStatus};
