//! A proxy in front of a provider's server that redacts the arguments of calls and forwards everything else unchanged.
//!
//! `cargo run -p jsonspigot-sdk-examples --bin proxy -- anthropic http://127.0.0.1:8080 ..password`
//!
//! It prints its address. It forwards each request to the server and streams the response back: server-sent events, or
//! one JSON text.

use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::stream::unfold;
use futures::{Stream, StreamExt};
use jsonspigot::{PatternSet, Rule};
use jsonspigot_framing::{EventEditor, Frame};
use jsonspigot_llm::{CallRewriter, Provider};
use tokio::net::TcpListener;

/// The maximum length of a request.
const LONGEST_REQUEST: usize = 32 << 20;

struct Proxy {
    provider: Provider,
    server: String,
    patterns: PatternSet,
    client: reqwest::Client,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let provider: Provider = arguments.next().ok_or("expected a provider")?.parse()?;
    let server = arguments.next().ok_or("expected a server's URL")?;
    let proxy = Proxy { provider, server, patterns: PatternSet::new(arguments)?, client: reqwest::Client::new() };
    // Report errors in the patterns now.
    proxy.rewriter()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, Router::new().fallback(relay).with_state(Arc::new(proxy))).await?;
    Ok(())
}

impl Proxy {
    fn rewriter(&self) -> Result<CallRewriter, Box<dyn Error>> {
        let rules = self.patterns.as_slice().iter().map(|pattern| (pattern.clone(), Rule::redact()));
        Ok(CallRewriter::new(self.provider, rules)?)
    }
}

async fn relay(State(proxy): State<Arc<Proxy>>, request: Request) -> Result<Response, Infallible> {
    Ok(answer(&proxy, request)
        .await
        .unwrap_or_else(|error| (StatusCode::BAD_GATEWAY, error.to_string()).into_response()))
}

async fn answer(proxy: &Proxy, request: Request) -> Result<Response, Box<dyn Error>> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    // Remove the headers of this connection, and `Accept-Encoding`, so that the server does not compress its response.
    for name in [header::HOST, header::CONNECTION, header::CONTENT_LENGTH, header::ACCEPT_ENCODING] {
        parts.headers.remove(name);
    }
    let asked = proxy.client.request(parts.method, format!("{}{path}", proxy.server)).headers(parts.headers);
    let answer = asked.body(to_bytes(body, LONGEST_REQUEST).await?).send().await?;
    let mut response = Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        if ![header::CONNECTION, header::CONTENT_LENGTH, header::TRANSFER_ENCODING].contains(name) {
            response = response.header(name, value);
        }
    }
    let relay = Relay { chunks: Box::pin(answer.bytes_stream()), body: EventEditor::new(), calls: proxy.rewriter()? };
    Ok(response.body(Body::from_stream(unfold(Some(relay), Relay::next)))?)
}

/// A response that is being forwarded.
struct Relay {
    chunks: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    body: EventEditor,
    calls: CallRewriter,
}

impl Relay {
    /// Returns the next bytes for the client. Ends after an error of the connection to the server.
    async fn next(relay: Option<Self>) -> Option<(reqwest::Result<Vec<u8>>, Option<Self>)> {
        let mut relay = relay?;
        loop {
            let chunk = match relay.chunks.next().await {
                Some(Err(error)) => return Some((Err(error), None)),
                Some(Ok(chunk)) => Some(chunk),
                None => None,
            };
            let Self { body, calls, .. } = &mut relay;
            let mut out = Vec::new();
            let edit = |frame: Frame<'_>| {
                frame.rewrite(calls).unwrap_or_else(|event| {
                    eprintln!("{event}");
                    Some(event.instead().to_owned())
                })
            };
            match &chunk {
                Some(chunk) => body.feed(chunk, edit, |bytes| out.extend_from_slice(bytes)),
                None => body.finish(edit, |bytes| out.extend_from_slice(bytes)),
            }
            match (chunk.is_some(), out.is_empty()) {
                // Incomplete events wait for the rest.
                (true, true) => {}
                (is_open, _) => return Some((Ok(out), Some(relay).filter(|_| is_open))),
            }
        }
    }
}
