//! One thing that a turn takes in, as it is stored.

use axum::body::Bytes;
use serde::{Deserialize, Serialize};

use crate::provider::Piece;

/// One input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A piece of an answer of the provider.
    Answer(Piece),
    /// The last answer's calls are about to be run.
    Run,
    /// A tool that is a model says something.
    Heard {
        /// The call's place in its answer.
        place: usize,
        /// What is said.
        text: String,
    },
    /// A tool has ended.
    Outcome {
        /// The call's place in its answer.
        place: usize,
        /// How.
        outcome: Result<serde_json::Value, String>,
    },
    /// A step has been saved.
    Saved,
    /// Another server goes on: the turn's chunks had been told up to this one.
    Owner(u64),
    /// Something was taken out here: what was told of it, up to this chunk, is to be taken back. Never stored.
    #[serde(skip)]
    Redo(u64),
}

impl Input {
    /// The input as it is stored.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            // Bodies may be cut within a character: they are no text.
            Self::Answer(Piece::Body(bytes)) => [b"p", &bytes[..]].concat(),
            Self::Owner(told) => format!("o{told}").into_bytes(),
            other => [&b"j"[..], &serde_json::to_vec(other).unwrap_or_default()].concat(),
        }
    }

    /// The input that was stored as these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (b'p', piece) => Some(Self::Answer(Piece::Body(Bytes::copy_from_slice(piece)))),
            (b'o', told) => str::from_utf8(told).ok()?.parse().ok().map(Self::Owner),
            (b'j', json) => serde_json::from_slice(json).ok(),
            _ => None,
        }
    }
}
