//! Feeds the events of a plain HTTP client to [`ProviderStream`], which detects the provider.
//!
//! `cargo run -p jsonspigot-sdk-examples --bin reqwest_loop -- http://127.0.0.1:8080/v1/messages`

use std::error::Error;

use jsonspigot::PatternSet;
use jsonspigot_llm::{ProviderStream, ToolCalls};
use jsonspigot_sdk_examples::{each_event, show};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL")?;
    let patterns = PatternSet::new(["city", "path", "lines[*]"])?;
    let mut calls = ProviderStream::detecting(ToolCalls::new(&patterns));
    let received = each_event(&url, |event| calls.push_with(event, show)).await;
    // Also after a broken connection, to report open calls as truncated.
    calls.finish_with(None, show);
    received
}
