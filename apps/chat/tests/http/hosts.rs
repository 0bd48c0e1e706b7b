//! Whom a request means, and who has caused it: names that were led here, and other sites' pages, get nothing.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::World;

/// Sends a request with these headers, a message if it is a POST. Returns the status and the kind of a refusal.
async fn say(world: &World, request: &str, headers: &str) -> (u16, String) {
    let body = json!({"conversationId": "a", "assistant": "finance", "message": "Hello"}).to_string();
    let body = if request.starts_with("POST") { body } else { String::new() };
    let length = format!("content-type: application/json\r\ncontent-length: {}", body.len());
    let mut stream = TcpStream::connect(world.base_url.trim_start_matches("http://")).await.unwrap();
    let request = format!("{request} HTTP/1.1\r\nconnection: close\r\n{length}\r\n{headers}\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    assert!(head.to_lowercase().contains("\r\ncache-control: no-"), "{head}");
    let error: Value = serde_json::from_str(body).unwrap_or_default();
    assert!(error.is_null() || error["error"]["message"].as_str().unwrap().len() > 20);
    let kind = error["error"]["kind"].as_str().unwrap_or_default();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), kind.to_owned())
}

#[tokio::test]
async fn only_the_servers_own_names_are_answered() {
    let world = World::start().await;
    let own = world.base_url.trim_start_matches("http://");
    for host in [own, "localhost", "LOCALHOST:1", "127.0.0.2:80", "[::1]:8080", "192.168.0.1", "Chat.Example:443"] {
        assert_eq!(say(&world, "GET /", &format!("host: {host}\r\n")).await.0, 200, "{host}");
    }
    let all = "evil.example|evil.example:8080|localhost.evil.example|127.0.0.1.evil.example|evil.example@localhost|\
        localhost@evil.example|a.chat.example|notlocalhost|localhost.|127.1|0x7f.0.0.1|::1|localhost/|";
    for host in all.split('|') {
        for request in ["GET /", "GET /api/chat/stream?conversationId=a", "GET /api/nothing", "POST /api/chat/send"] {
            let told = say(&world, request, &format!("host: {host}\r\n")).await;
            assert_eq!(told, (421, "foreign_host".to_owned()), "{host} {request}");
        }
    }
    for headers in ["", "host: localhost\r\nhost: localhost\r\n", "host: localhost\r\nhost: evil.example\r\n"] {
        assert_eq!(say(&world, "GET /", headers).await, (400, "bad_host".to_owned()), "{headers}");
    }
    assert_eq!((world.journal().seen().count, world.events()), (0, 0));
}

#[tokio::test]
async fn only_the_servers_own_pages_may_change_anything() {
    let world = World::start().await;
    let all = "http://evil.example|https://localhost.evil.example|null||localhost:80|http://localhost:81|\
        http://localhost|http://127.0.0.1:80|file://localhost:80|http://localhost:80, http://evil.example|\
        http://localhost:80\r\norigin: http://evil.example|chrome-extension://abc";
    for origin in all.split('|') {
        for request in ["POST /api/chat/send", "POST /api/nothing", "POST /"] {
            let told = say(&world, request, &format!("host: localhost:80\r\norigin: {origin}\r\n")).await;
            assert_eq!(told, (403, "foreign_origin".to_owned()), "{origin} {request}");
        }
    }
    assert_eq!((world.journal().seen().count, world.events()), (0, 0));
    // Browsers keep responses to reading requests from other sites themselves; most have no origin.
    let headers = "host: localhost\r\norigin: http://localhost\r\n";
    assert_eq!(say(&world, "GET /api/chat/stream?conversationId=a", headers).await.0, 204);
    for (host, origin) in [
        ("localhost:80", "http://localhost:80"),
        ("localhost:80", "https://LOCALHOST:80"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        // A proxy has taken it on.
        ("localhost:8080", "https://chat.example"),
    ] {
        let told = say(&world, "POST /api/chat/send", &format!("host: {host}\r\norigin: {origin}\r\n")).await;
        assert_eq!(told.0, 200, "{origin}: {told:?}");
    }
}
