//! Reads the calls in the body of a response with reqwest. The provider is detected. `show` is also in the README.
//!
//! `cargo run -p jsonspigot-sdk-examples --bin reqwest_loop -- http://127.0.0.1:8080/v1/messages`

use futures::TryStreamExt;
use jsonspigot_llm::{CallEvent, ProviderStream, StreamEvent::Call, ToolCalls};

async fn show(response: reqwest::Response) -> Result<(), Box<dyn std::error::Error>> {
    let calls = ToolCalls::new(&jsonspigot::PatternSet::new(["city"])?);
    let mut body = jsonspigot_framing::ProviderBody::new(response.bytes_stream(), ProviderStream::detecting(calls));
    while let Some(event) = body.try_next().await? {
        match event {
            Call(CallEvent::Match { event, .. }) => println!("{:?}", event.kind), // `Delta("Zür")`, `Delta("ich")`
            Call(CallEvent::End { input, .. }) => println!("{:?}", input.value()), // `None` if it was cut off
            _ => {} // the start of a call, text, reasoning, usage, stop, errors, …
        }
    }
    Ok(body.stream().verdict()?) // an error unless all of it came
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL")?;
    show(reqwest::Client::new().post(url).send().await?.error_for_status()?).await
}
