//! One input of a turn, as it is stored.

use axum::body::Bytes;
use serde::{Deserialize, Serialize};

use crate::provider::Piece;

/// One input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A piece of an answer of the provider.
    Answer(Piece),
    /// The calls of the last answer are about to be run.
    Run,
    /// A tool that is a model sends text.
    Heard {
        /// The call's place in its answer.
        place: usize,
        /// The text.
        text: String,
    },
    /// A tool has ended.
    Outcome {
        /// The call's place in its answer.
        place: usize,
        /// Its result, or its error.
        outcome: Result<serde_json::Value, String>,
    },
    /// A step has been saved.
    Saved,
    /// Another server has taken the turn over, when this was its last chunk id.
    Owner(u64),
    /// Inputs were removed here: the events that came of them, up to this chunk, are to be taken back. Never stored.
    #[serde(skip)]
    Redo(u64),
}

impl Input {
    /// Returns the input as it is stored.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            // A body may be cut within a character, so it is not JSON.
            Self::Answer(Piece::Body(bytes)) => [b"p", &bytes[..]].concat(),
            Self::Owner(told) => format!("o{told}").into_bytes(),
            other => [&b"j"[..], &serde_json::to_vec(other).unwrap_or_default()].concat(),
        }
    }

    /// Reads a stored input.
    pub(super) fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        match bytes.split_first() {
            Some((b'p', piece)) => Ok(Self::Answer(Piece::Body(Bytes::copy_from_slice(piece)))),
            Some((b'o', told)) => serde_json::from_slice(told).map(Self::Owner),
            Some((b'j', json)) => serde_json::from_slice(json),
            _ => serde_json::from_slice(bytes),
        }
    }
}
