//! Frames and text out of bodies, through the public interface: any cut, any bytes, saved and restored at any point.

mod amazon;
mod body;
mod edit;
mod formats;
mod properties;
#[cfg(feature = "stream")]
mod provider_body;
#[cfg(feature = "providers")]
mod rewriting;
mod saved;
mod sse;
mod texts;
mod utf8;
