//! Useless connections are closed in time, and do not keep other clients out.

use std::time::{Duration, Instant};

use chat::config::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::world::{Stream, World, limits};

/// How long anything in here may take at most.
const PATIENCE: Duration = Duration::from_secs(20);

async fn world(limits: Limits) -> World {
    World::start_with(limits, |assistants| assistants).await
}

fn hasty() -> Limits {
    Limits { idle: Duration::from_millis(400), ..limits() }
}

async fn connect(world: &World) -> TcpStream {
    TcpStream::connect(world.url("").trim_start_matches("http://")).await.unwrap()
}

/// Reads until the connection is closed.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut all)).await;
    // A reset is an end too.
    let _ = read.expect("the connection is closed");
    String::from_utf8(all).unwrap()
}

/// Requests the page over a new connection and returns the status.
async fn page_status(world: &World) -> u16 {
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let response = tokio::time::timeout(PATIENCE, client.get(world.url("/")).send());
    response.await.expect("there is an answer").unwrap().status().as_u16()
}

#[tokio::test]
async fn idle_connections_are_closed_and_keep_nobody_out() {
    // Long enough for a request on a busy machine.
    let world = world(Limits { idle: Duration::from_secs(2), ..limits() }).await;
    let mut idle = JoinSet::new();
    for _ in 0..300 {
        let mut stream = connect(&world).await;
        idle.spawn(async move { until_closed(&mut stream).await });
    }
    assert_eq!(page_status(&world).await, 200);
    for said in idle.join_all().await {
        assert_eq!(said, "", "nothing was asked");
    }
    assert_eq!(page_status(&world).await, 200);
}

#[tokio::test]
async fn connections_are_counted_and_further_ones_wait_for_a_place() {
    let limits = Limits { connections: 4, ..limits() };
    let idle_limit = limits.idle;
    let world = world(limits).await;
    let begun = Instant::now();
    let mut idle = Vec::new();
    for _ in 0..4 {
        idle.push(connect(&world).await);
    }
    // The fifth waits until one of them is closed.
    let fifth = page_status(&world);
    assert!(tokio::time::timeout(Duration::from_millis(700), fifth).await.is_err(), "there is no place");
    drop(idle.pop());
    assert_eq!(page_status(&world).await, 200);
    assert!(begun.elapsed() < idle_limit, "none was closed for being idle");
}

#[tokio::test]
async fn half_a_head_is_not_waited_for() {
    let world = world(hasty()).await;
    for begun in
        ["G", "GET / HTTP/1.1\r\nhost: localhost\r\n", "POST /api/chat/send HTTP/1.1\r\nhost: localhost\r\nx: "]
    {
        let mut stream = connect(&world).await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        assert_eq!(until_closed(&mut stream).await, "");
    }
    // The limit holds for a head that arrives byte by byte, too.
    let mut stream = connect(&world).await;
    let (mut from, mut to) = stream.split();
    let drip = async {
        while to.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let mut rest = Vec::new();
    let closed = async {
        tokio::select! { _ = from.read_to_end(&mut rest) => {}, () = drip => {} }
    };
    tokio::time::timeout(PATIENCE, closed).await.expect("the connection is closed");
}

#[tokio::test]
async fn half_a_body_is_told_to_be_late() {
    let world = world(Limits { request: Duration::from_millis(400), ..limits() }).await;
    for path in ["/api/chat/send", "/api/chat/stop"] {
        for drips in [false, true] {
            let mut stream = connect(&world).await;
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{{"
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            for _ in 0..if drips { 30 } else { 0 } {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let _ = stream.write_all(b" ").await;
            }
            let said = until_closed(&mut stream).await;
            // A client that still writes may miss the response, but the connection is closed.
            assert!(drips || said.starts_with("HTTP/1.1 408 ") && said.contains("too_slow"), "{path}: {said}");
        }
    }
    assert_eq!((world.journal().seen().count, world.table("events").len()), (0, 0));
}

/// Lets a stream take any time: the limits are for what clients send.
#[tokio::test]
async fn a_stream_outlives_the_limits_of_requests() {
    let short = Duration::from_millis(200);
    let world = world(Limits { idle: short, request: short, unread: short, ..limits() }).await;
    let mut stream = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    tokio::time::sleep(5 * short).await;
    world.journal().release();
    assert_eq!(stream.rest().await.last().unwrap().event.as_str(), "done");
}

/// Drops a client that requests much and reads nothing.
#[tokio::test]
async fn a_client_that_takes_nothing_is_let_go() {
    const REQUESTS: usize = 1000;
    let world = world(Limits { unread: Duration::from_millis(400), request: PATIENCE, ..limits() }).await;
    let file = world.client.get(world.url("/style.css")).send().await.unwrap().bytes().await.unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    let mut stream = socket.connect(world.url("").trim_start_matches("http://").parse().unwrap()).await.unwrap();
    // More than any buffer on the way holds. It may be closed before it has asked for all.
    let _ = stream.write_all("GET /style.css HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(REQUESTS).as_bytes()).await;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let told = until_closed(&mut stream).await.len();
    assert!(told < REQUESTS * file.len() / 2, "{told} of {}", REQUESTS * file.len());
}
