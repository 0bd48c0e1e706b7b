//! Calls and provider streams: their laws, and what their tests share.

pub mod log;
pub mod properties;
pub mod restored;
pub mod support;
