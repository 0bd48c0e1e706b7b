//! A provider that sends the same bytes to each request and then nothing more, on connections that stay open.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Runs until it is dropped.
pub(crate) struct Loopback {
    pub(crate) base_url: String,
    /// How many connections are open.
    pub(crate) open: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

impl Loopback {
    /// Says these bytes to each request.
    pub(crate) async fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let (count, open) = watch::channel(0);
        let (count, bytes) = (Arc::new(count), Arc::new(bytes.into()));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (count, bytes) = (count.clone(), bytes.clone());
                connections.spawn(async move {
                    count.send_modify(|open| *open += 1);
                    let mut request = vec![0; 64 << 10];
                    // The client's request is small, and comes at once or in two pieces.
                    let mut has_answered = false;
                    while !matches!(stream.read(&mut request).await, Ok(0) | Err(_)) {
                        if !has_answered && stream.write_all(&bytes).await.is_err() {
                            break;
                        }
                        has_answered = true;
                    }
                    count.send_modify(|open| *open -= 1);
                });
            }
        });
        Self { base_url, open, _tasks: tasks }
    }

    /// Says a status with an error's whole body.
    pub(crate) async fn refusing(status: u16, message: &str) -> Self {
        let body = serde_json::json!({"type": "error", "error": {"message": message}}).to_string();
        Self::saying(head(status, body.len()) + body.as_str()).await
    }
}

/// Returns the head of an error response on a connection that is closed afterwards.
pub(crate) fn head(status: u16, length: usize) -> String {
    let headers = "content-type: application/json\r\nconnection: close";
    format!("HTTP/1.1 {status} No\r\n{headers}\r\ncontent-length: {length}\r\n\r\n")
}
