//! The provider's client: a request in, an answer's events out, whatever protocol is spoken.
//!
//! This module opens requests and decides when a failed request is tried again. The library reads the answers.

mod anthropic;
mod error;
mod openai;
mod request;
mod retry;
mod stream;

use std::time::Duration;

use jsonspigot::{Parser, PatternSet};
use jsonspigot_llm::ToolCalls;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response};

use crate::config::{Limits, Protocol, ProviderConfig};
pub use error::ProviderError;
pub(crate) use error::innermost;
pub use request::{Block, Message, Request, Role, ToolSpec};
pub use retry::Retry;
pub use stream::{Answer, Record};

/// A provider that can be asked.
#[derive(Clone, Debug)]
pub struct ModelProvider {
    client: Client,
    config: ProviderConfig,
    silence: Duration,
    refusal: Duration,
    retry: Retry,
}

/// The number of bytes of a refusal's body that are read, and that are used if it has no message.
const MOST_BODY: usize = 8 << 10;
const MOST_WORDS: usize = 1 << 10;

impl ModelProvider {
    /// Creates a client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// The client's TLS can't be set up.
    pub fn new(config: ProviderConfig, limits: &Limits) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .connect_timeout(limits.connect)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let retry = Retry::new(limits.attempts, limits.retry_pause);
        Ok(Self { client, config, silence: limits.silence, refusal: limits.refusal, retry })
    }

    /// Returns the attempts that a request has.
    #[must_use]
    pub fn retry(&self) -> Retry {
        self.retry
    }

    /// Opens an answer. Its calls are read with the options of `calls`.
    ///
    /// # Errors
    ///
    /// The provider can't be reached, is silent, or refuses.
    pub async fn open(&self, request: &Request, calls: ToolCalls) -> Result<Answer, ProviderError> {
        let response = self.ask(request).await?;
        Ok(Answer::new(Some(response), Record::default(), self.config.protocol, calls, self.silence))
    }

    /// Returns an answer that is read from its record.
    #[must_use]
    pub fn replay(&self, record: Record, calls: ToolCalls) -> Answer {
        Answer::new(None, record, self.config.protocol, calls, self.silence)
    }

    async fn ask(&self, request: &Request) -> Result<Response, ProviderError> {
        let sent = tokio::time::timeout(self.silence, self.request(request).send()).await;
        let sent = sent.map_err(|_| ProviderError::Silent(self.silence))?;
        let response = sent.map_err(|error| ProviderError::Connect(error::innermost(&error)))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, retry_after) = (response.status().as_u16(), retry_after(&response));
        Err(ProviderError::Status { status, message: refusal(response, self.refusal).await, retry_after })
    }

    fn request(&self, request: &Request) -> RequestBuilder {
        let ProviderConfig { protocol, base_url, api_key, model } = &self.config;
        let base_url = base_url.trim_end_matches('/');
        let (builder, body) = match protocol {
            Protocol::Anthropic => {
                let builder = self.client.post(format!("{base_url}{}", anthropic::PATH));
                let builder = builder.header("x-api-key", &api_key.0).header("anthropic-version", anthropic::VERSION);
                (builder, anthropic::body(request, model))
            }
            Protocol::OpenAi => {
                let builder = self.client.post(format!("{base_url}{}", openai::PATH)).bearer_auth(&api_key.0);
                (builder, openai::body(request, model))
            }
        };
        builder.header(CONTENT_TYPE, "application/json").body(body.to_string())
    }
}

/// Returns the pause that a refusal asks for, in seconds.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns the message in an error's body, or the body's beginning, of what arrives in time.
async fn refusal(mut response: Response, longest: Duration) -> String {
    let mut body = Vec::new();
    let reading = async {
        while body.len() < MOST_BODY
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
    };
    // The status has said what matters: a body that stalls is not waited for.
    let _ = tokio::time::timeout(longest, reading).await;
    body.truncate(MOST_BODY);
    let patterns = PatternSet::new(["error.message"]).expect("the pattern is a pattern");
    let mut message = String::new();
    // If the body is cut or is not JSON, the message is the text before the error.
    let _ = Parser::new(&patterns).feed_with(&body, |event| message.push_str(event.delta().unwrap_or_default()));
    if message.is_empty() {
        body.truncate(MOST_WORDS);
        message = String::from_utf8_lossy(&body).trim().to_owned();
    }
    if message.is_empty() { "it gives no reason".to_owned() } else { message }
}
