//! One input of a turn, as it is stored.

use axum::body::Bytes;
use serde::{Deserialize, Serialize};

use crate::provider::{ProviderError, Record};

/// One input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// An answer of the provider that has ended.
    #[serde(skip)]
    Answer(Record),
    /// The calls of the last answer are about to be run, or those of them that have not ended are run again.
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
    /// The events of an answer that has not ended, up to this chunk, are to be taken back.
    Redo(u64),
}

impl Input {
    /// Returns the input as it is stored. An answer is a line of JSON, the lengths of its chunks and its error, and then the
    /// chunks, which may be cut within a character. Any other input is JSON.
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let Self::Answer(Record { chunks, error }) = self else { return serde_json::to_vec(self) };
        let lengths: Vec<usize> = chunks.iter().map(Bytes::len).collect();
        Ok([&serde_json::to_vec(&(lengths, error))?, &b"\n"[..], &chunks.concat()].concat())
    }

    /// Reads a stored input.
    pub(super) fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return serde_json::from_slice(bytes) };
        let (lengths, error): (Vec<usize>, Option<ProviderError>) = serde_json::from_slice(&bytes[..end])?;
        let mut rest = Bytes::copy_from_slice(&bytes[end + 1..]);
        let chunks = lengths.into_iter().map(|length| rest.split_to(length.min(rest.len()))).collect();
        Ok(Self::Answer(Record { chunks, error }))
    }
}
