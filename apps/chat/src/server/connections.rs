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
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use super::listen::BACKLOG;
use crate::config::Limits;

/// What is read ahead of a connection, and so the longest head of a request.
const MOST_READ: usize = 64 << 10;

/// How long connections have, when the server ends, for what is still to be sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Before the next connection is accepted if the system has no more of what it takes.
const PAUSE: Duration = Duration::from_millis(500);

/// Serves until it is to stop. Dropped before, it drops every connection.
///
/// Then nobody is let in any more, and idle connections are closed. Whoever has connected and not asked yet is still
/// answered once, as is whoever waits in the system's queue: for the client, both are connected.
pub(super) async fn serve(listener: TcpListener, router: Router, limits: &Limits, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.idle).max_buf_size(MOST_READ);
    let places = Arc::new(Semaphore::new(limits.connections));
    let (is_stopping, mut connections, mut stop) = (watch::Sender::new(false), JoinSet::new(), pin!(stop));
    let connection = |stream, place| {
        let stream = timed(stream, limits.unread);
        converse(http.clone(), stream, router.clone(), is_stopping.subscribe(), place)
    };
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            Some(_) = connections.join_next() => continue,
            () = &mut stop => break,
        };
        connections.spawn(connection(stream, place));
    }
    is_stopping.send_replace(true);
    // These wait for no place: it is over for all of them soon.
    for stream in queued(listener) {
        connections.spawn(connection(stream, None));
    }
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_WORDS, ended).await;
}

/// One connection, until its client or the server ends it.
async fn converse(
    http: http1::Builder,
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    router: Router,
    mut is_stopping: watch::Receiver<bool>,
    _place: Option<OwnedSemaphorePermit>,
) {
    let (has_asked, router) = (Notify::new(), TowerToHyperService::new(router));
    let service = service_fn(|request| {
        has_asked.notify_one();
        router.call(request)
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let end = async {
        // The sender is here as long as connections are.
        let _ = is_stopping.wait_for(|is_stopping| *is_stopping).await;
        has_asked.notified().await;
    };
    let ended = tokio::select! {
        // What has come is read first: hyper closes a connection on which it has read nothing.
        biased;
        ended = &mut connection => ended,
        () = end => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended badly");
    }
}

/// The connections that the system has accepted, and that closing the listener would break off.
fn queued(listener: TcpListener) -> impl Iterator<Item = TcpStream> {
    let listener = listener.into_std();
    let next = move || {
        // It does not block: when there are none left, this is an error.
        let (stream, _) = listener.as_ref().ok()?.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        TcpStream::from_std(stream).ok()
    };
    std::iter::from_fn(next).take(BACKLOG as usize)
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
