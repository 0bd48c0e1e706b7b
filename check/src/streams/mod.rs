//! Calls and provider streams: their laws, and the shared parts of their tests.

pub mod properties;
pub mod reports;
pub mod restored;
pub mod support;
