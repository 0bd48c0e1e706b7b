//! Payloads in text: the envelope against a splitter of whole texts.

pub mod delimiters;
pub mod payload;
pub mod properties;
pub mod recorder;
pub mod splitter;
