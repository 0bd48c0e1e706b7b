//! The errors of a provider, with messages for a person.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A request that was not answered, or an answer that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ProviderError {
    /// The connection is not accepted.
    #[error("the provider can't be reached: {0}")]
    Connect(String),
    /// It answers with an HTTP status that is no success.
    #[error("the provider refuses the request with status {status}: {message}")]
    Status {
        /// The status.
        status: u16,
        /// Its words.
        message: String,
        /// The pause that it asks for.
        retry_after: Option<Duration>,
    },
    /// It reports an error in the stream.
    #[error("the provider reports an error: {0}")]
    Reported(String),
    /// It says nothing any more.
    #[error("the provider has been silent for {} ms", .0.as_millis())]
    Silent(Duration),
    /// The connection broke.
    #[error("the connection to the provider broke before the answer was complete")]
    BrokenOff,
    /// The stream ended, but the answer is not complete or can't be read.
    #[error("the provider's answer can't be used: {0}")]
    Cut(String),
}

impl ProviderError {
    /// Returns the error for a body that breaks off. The HTTP client's own message goes to the log.
    pub(super) fn of_transport(error: &reqwest::Error) -> Self {
        tracing::warn!(error = innermost(error), "the connection to the provider broke");
        Self::BrokenOff
    }

    /// Returns the error's kind, as clients receive it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Connect(_) => "provider_unreachable",
            Self::Status { status: 529, .. } => "provider_overloaded",
            Self::Status { status: 429, .. } => "provider_busy",
            Self::Status { status: 500.., .. } => "provider_failed",
            Self::Status { .. } => "provider_refused",
            Self::Reported(_) => "provider_error",
            Self::Silent(_) => "provider_silent",
            Self::BrokenOff | Self::Cut(_) => "provider_cut",
        }
    }

    /// Returns true if the same request may succeed a little later.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Reported(_) | Self::BrokenOff | Self::Cut(_) => true,
            Self::Status { status, .. } => matches!(status, 408 | 409 | 429 | 500..),
            Self::Silent(_) => false,
        }
    }

    /// Returns the pause that the provider asks for, if it does.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Status { retry_after, .. } = self { *retry_after } else { None }
    }
}

/// Returns the innermost cause, which names the problem without the HTTP client's own terms.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
