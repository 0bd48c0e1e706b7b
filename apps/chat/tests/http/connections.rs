//! Connections that nothing comes of: they are closed in time, and keep nobody else out.

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

/// All that comes before the connection is closed.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut all)).await;
    // A reset is an end too.
    let _ = read.expect("the connection is closed");
    String::from_utf8(all).unwrap()
}

/// The status of the page, over a connection of its own: one that has been used before may be closed at any moment.
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
    // The fifth asks in vain until one of them goes, or is closed for being idle.
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
    // Nor is one that comes byte by byte.
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
async fn a_head_has_a_longest_length() {
    let world = world(hasty()).await;
    let mut stream = connect(&world).await;
    let _ =
        stream.write_all(format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}", "x".repeat(1 << 20)).as_bytes()).await;
    let said = until_closed(&mut stream).await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 431 "), "{said}");
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
            // Whoever still writes may miss what is said, but not that the connection is closed.
            assert!(drips || said.starts_with("HTTP/1.1 408 ") && said.contains("too_slow"), "{path}: {said}");
        }
    }
    assert_eq!((world.journal().seen().count, world.table("told").len()), (0, 0));
}

/// What nobody reads is no reason to wait, but what follows it could be taken for a request.
#[tokio::test]
async fn a_body_that_nobody_reads_ends_the_connection() {
    let world = world(hasty()).await;
    for path in ["/", "/api/nothing", "/api/chat/stream?conversationId=a"] {
        let mut stream = connect(&world).await;
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let said = until_closed(&mut stream).await;
        assert!(said.starts_with("HTTP/1.1 "), "{path}: {said}");
        assert_eq!(said.matches("HTTP/1.1 ").count(), 1);
    }
}

#[tokio::test]
async fn a_connection_may_be_used_again_until_it_has_been_idle() {
    let world = world(hasty()).await;
    let mut stream = connect(&world).await;
    for _ in 0..3 {
        stream.write_all(b"GET /icon.svg HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut said = String::new();
        while !said.ends_with("</svg>\n") {
            let mut bytes = [0; 1024];
            let read = stream.read(&mut bytes).await.unwrap();
            assert!(read > 0, "{said}");
            said.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    assert_eq!(until_closed(&mut stream).await, "");
}

/// An answer that streams takes as long as it takes: the limits are for what clients send.
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

/// Of the answers that it has asked for, it takes nothing.
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

/// One that says `Hi`, in a conversation of its own.
fn hi(conversation: &str) -> String {
    let body = format!(r#"{{"conversationId": "{conversation}", "assistant": "finance", "message": "Hi #hold"}}"#);
    let head = "POST /api/chat/send HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    format!("{head}content-length: {}\r\n\r\n{body}", body.len())
}

/// For the client they are connected: it has no way to know that nobody has accepted it yet.
#[tokio::test]
async fn those_who_wait_to_be_accepted_are_answered_when_the_server_ends() {
    let mut world = world(Limits { connections: 1, ..limits() }).await;
    let mut first = connect(&world).await;
    first.write_all(hi("first").as_bytes()).await.unwrap();
    world.journal().wait_for(|seen| seen.held == 1).await;
    let mut waiting = Vec::new();
    for number in 0..20 {
        let mut stream = connect(&world).await;
        stream.write_all(hi(&format!("waiting-{number}")).as_bytes()).await.unwrap();
        waiting.push(stream);
    }
    world.server.take().unwrap().stop().await;
    for stream in [&mut first].into_iter().chain(&mut waiting) {
        let said = until_closed(stream).await;
        assert!(said.starts_with("HTTP/1.1 200 ") && said.contains(r#""kind":"broken_off""#), "{said}");
        assert!(said.ends_with("0\r\n\r\n"), "it is whole: {said}");
    }
}

#[tokio::test]
async fn who_has_connected_and_not_asked_yet_is_answered_when_the_server_ends() {
    let mut world = world(limits()).await;
    let (mut new, mut idle) = (connect(&world).await, connect(&world).await);
    let about = "GET /api/about HTTP/1.1\r\nhost: localhost\r\n\r\n";
    idle.write_all(about.as_bytes()).await.unwrap();
    let mut some = [0; 16];
    idle.read_exact(&mut some).await.unwrap();
    let address = world.url("").trim_start_matches("http://").to_owned();
    let stopping = tokio::spawn(world.server.take().unwrap().stop());
    while TcpStream::connect(&address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    new.write_all(about.as_bytes()).await.unwrap();
    let said = until_closed(&mut new).await;
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n") && said.ends_with('}'), "{said}");
    // One that has been answered is not waited for.
    assert!(until_closed(&mut idle).await.ends_with('}'));
    stopping.await.unwrap();
}
