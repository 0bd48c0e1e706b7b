//! Connections: how many there are, and how long each may keep the server waiting.
//!
//! hyper has the time limits for what clients send. The one for what they take is the socket's: while a client takes
//! nothing, nobody polls the answer that could be timed.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::config::Limits;

/// What is read ahead of a connection, and so the longest head of a request.
const MOST_READ: usize = 64 << 10;

/// How long connections have, when the server ends, for what is still to be sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Before the next connection is accepted if the system has no more of what it takes.
const PAUSE: Duration = Duration::from_millis(500);

/// Serves until it is to stop. Dropped before, it drops every connection.
pub(super) async fn serve(listener: TcpListener, router: Router, limits: &Limits, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.idle).max_buf_size(MOST_READ);
    let places = Arc::new(Semaphore::new(limits.connections));
    let (graceful, mut connections, mut stop) = (GracefulShutdown::new(), JoinSet::new(), pin!(stop));
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            Some(_) = connections.join_next() => continue,
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(http.serve_connection(TokioIo::new(timed(stream, limits.unread)), service));
        connections.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended badly");
            }
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(LAST_WORDS, graceful.shutdown()).await;
}

/// The next connection, once there is a place for it.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // Nobody closes the semaphore: there is always a place to wait for.
    let place = places.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // Of that one connection.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => {
            }
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// A connection that fails if its client takes nothing for so long.
fn timed(stream: TcpStream, unread: Duration) -> Pin<Box<TimeoutStream<TcpStream>>> {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(unread));
    Box::pin(stream)
}
