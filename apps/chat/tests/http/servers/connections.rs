//! A connection to Redis that is there, but of no use any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chat::store::{Redis as Shared, Store};
use tokio::net::{TcpListener, TcpStream};

use super::fencing::{LEASE, begin};
use crate::redis::Redis;

/// Stands before a Redis. Connections that are made before it falls silent stay silent.
async fn silenced(redis: &Redis) -> (String, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}/", listener.local_addr().unwrap());
    let behind = redis.url().trim_start_matches("redis://").trim_end_matches('/').to_owned();
    let is_silent = Arc::new(AtomicBool::new(false));
    let all = is_silent.clone();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut far = TcpStream::connect(&behind).await.unwrap();
            let (is_silent, is_new) = (all.clone(), all.load(Ordering::SeqCst));
            tokio::spawn(async move {
                let silent = async {
                    while is_new || !is_silent.load(Ordering::SeqCst) {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                };
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut near, &mut far) => return,
                    () = silent => {}
                }
                std::future::pending::<()>().await;
            });
        }
    });
    (url, is_silent)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_falls_silent_is_replaced() {
    let Some(redis) = Redis::start() else { return };
    let (url, is_silent) = silenced(&redis).await;
    let store = Shared::open(&url, LEASE).unwrap();
    begin(&store, "a", 1).await;
    is_silent.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(50)).await;
    // This one waits for its answer in vain.
    let _ = store.place("a").await;
    let place =
        tokio::time::timeout(Duration::from_secs(5), store.place("a")).await.expect("a new connection").unwrap();
    assert_eq!(place.running, Some(1));
}

#[tokio::test]
async fn a_password_that_was_wrong_for_a_while_is_used_again() {
    let Some(redis) = Redis::start() else { return };
    redis.ask(&["ACL", "SETUSER", "chat", "on", ">right", "~*", "+@all"]);
    let url = redis.url().replace("redis://", "redis://chat:right@");
    let store = Shared::open(&url, LEASE).unwrap();
    begin(&store, "a", 1).await;
    redis.ask(&["ACL", "SETUSER", "chat", "resetpass", ">wrong"]);
    redis.ask(&["CLIENT", "KILL", "USER", "chat"]);
    assert!(store.place("a").await.is_err());
    assert!(store.place("a").await.is_err());
    redis.ask(&["ACL", "SETUSER", "chat", "resetpass", ">right"]);
    assert_eq!(store.place("a").await.unwrap().running, Some(1));
}
