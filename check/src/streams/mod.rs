//! Calls and provider streams: their laws, and what their tests share.

pub mod properties;
pub mod reports;
pub mod restored;
pub mod support;
