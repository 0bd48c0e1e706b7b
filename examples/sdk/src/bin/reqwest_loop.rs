//! A plain HTTP client: each event's data goes into [`ProviderStream`], which knows the providers.
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
    // Also when the connection broke: what is open then is cut, and told so.
    calls.finish_with(None, show);
    received
}
