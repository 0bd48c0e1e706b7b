//! Connections: how many there are, and how long each may keep the server waiting.
//!
//! hyper limits the time that clients take to send. The socket limits the time that they take to receive: while a client
//! reads nothing, the response is not polled and could not be timed.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::config::Limits;

/// The longest head of a request.
const MOST_READ: usize = 64 << 10;

/// The size of a socket's send buffer. A larger one would only hide that a client has stopped reading.
const SEND_BUFFER: u32 = 64 << 10;

/// How many clients may wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long connections have, when the server ends, for what is still to be sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long the server waits before it accepts again after the system has refused.
const PAUSE: Duration = Duration::from_millis(500);

/// Listens at an address.
///
/// # Errors
///
/// Fails if the address is not available.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Accepted connections inherit both.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until it is to stop. Then no further connection is accepted, idle ones are closed, and the others end with the
/// response that they are sending. Dropped before, it drops every connection.
pub(super) async fn serve(listener: TcpListener, router: Router, limits: &Limits, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.idle).max_buf_size(MOST_READ);
    let places = Arc::new(Semaphore::new(limits.connections));
    let (is_stopping, mut connections, mut stop) = (watch::Sender::new(false), JoinSet::new(), pin!(stop));
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            Some(_) = connections.join_next() => continue,
            () = &mut stop => break,
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.unread));
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let mut is_stopping = is_stopping.subscribe();
        connections.spawn(async move {
            let (mut connection, _place) = (pin!(connection), place);
            let stopping = async {
                // The sender lives as long as the connections.
                let _ = is_stopping.wait_for(|is_stopping| *is_stopping).await;
            };
            let ended = tokio::select! {
                ended = &mut connection => ended,
                () = stopping => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }
    drop(listener);
    is_stopping.send_replace(true);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_WORDS, ended).await;
}

/// Accepts the next connection, once there is a place for it.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let place = places.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // The client has given up.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => {
            }
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
