//! Whoever is told of an answer's pieces before anything is made of them, and may have some of an earlier reading.

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

/// A record of answers. What is recorded is read first, and then what comes from the provider.
pub trait Recorder: Send {
    /// How the next answer began, if that is recorded.
    fn opened(&mut self) -> Option<Piece>;

    /// The next piece of an answer whose beginning is recorded; `None` if there is none, which is a fault in the record.
    fn piece(&mut self) -> BoxFuture<'_, Option<Piece>>;

    /// Records what has come.
    fn record(&mut self, piece: Piece) -> BoxFuture<'_, ()>;
}

/// No record.
#[derive(Clone, Copy, Debug)]
pub struct Unrecorded;

impl Recorder for Unrecorded {
    fn opened(&mut self) -> Option<Piece> {
        None
    }

    fn piece(&mut self) -> BoxFuture<'_, Option<Piece>> {
        ready(None).boxed()
    }

    fn record(&mut self, _piece: Piece) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}
