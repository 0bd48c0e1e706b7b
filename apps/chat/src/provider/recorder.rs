//! A record of an answer's pieces: each piece is recorded before it is used, and can be read again later.

use axum::body::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde::{Deserialize, Serialize};

use super::error::ProviderError;

/// A piece of an answer, as it comes from the provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Piece {
    /// It has begun.
    Opened,
    /// A part of its body.
    #[serde(skip)]
    Body(Bytes),
    /// The end of its body.
    Ended,
    /// It failed, or did not come.
    Failed(ProviderError),
}

/// A record of answers. Recorded pieces are read first, and then the provider's. By itself it records nothing.
pub trait Recorder: Send {
    /// Returns the beginning of the next answer, if it is recorded.
    fn opened(&mut self) -> Option<Piece> {
        None
    }

    /// Returns the next piece of an answer whose beginning is recorded, or `None` if the record is incomplete.
    fn piece(&mut self) -> BoxFuture<'_, Option<Piece>> {
        ready(None).boxed()
    }

    /// Records a piece.
    fn record(&mut self, _piece: Piece) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

/// No record.
#[derive(Clone, Copy, Debug)]
pub struct Unrecorded;

impl Recorder for Unrecorded {}
