//! Whom a request means, and who has caused it: names that were led here, and other sites' pages, get nothing.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::World;

/// Sends these bytes and returns the status and body of the response.
async fn say(world: &World, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(world.base_url.trim_start_matches("http://")).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    assert!(head.to_lowercase().contains("\r\ncache-control: no-"), "{head}");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn kind(body: &str) -> String {
    let error: Value = serde_json::from_str(body).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().len() > 20);
    error["error"]["kind"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn only_the_servers_own_names_are_answered() {
    let world = World::start().await;
    let own = world.base_url.trim_start_matches("http://").to_owned();
    let send = json!({"conversationId": "a", "message": "Hello"}).to_string();
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n");
    for host in [&own[..], "localhost", "LOCALHOST:1", "127.0.0.2:80", "[::1]:8080", "192.168.0.1", "Chat.Example:443"]
    {
        assert_eq!(say(&world, &get("/", &format!("host: {host}\r\n"))).await.0, 200, "{host}");
    }
    let all = "evil.example|evil.example:8080|localhost.evil.example|127.0.0.1.evil.example|evil.example@localhost|\
        localhost@evil.example|a.chat.example|notlocalhost|localhost.|127.1|0x7f.0.0.1|::1|localhost/|";
    for host in all.split('|') {
        for path in ["/", "/api/chat/stream?conversationId=a", "/api/nothing"] {
            let (status, body) = say(&world, &get(path, &format!("host: {host}\r\n"))).await;
            assert_eq!((status, kind(&body).as_str()), (421, "foreign_host"), "{host} {path}");
        }
        let head = format!("host: {host}\r\ncontent-type: application/json\r\ncontent-length: {}", send.len());
        let post = format!("POST /api/chat/send HTTP/1.1\r\nconnection: close\r\n{head}\r\n\r\n{send}");
        assert_eq!(say(&world, &post).await.0, 421, "{host}");
    }
    for headers in ["", "host: localhost\r\nhost: localhost\r\n", "host: localhost\r\nhost: evil.example\r\n"] {
        let (status, body) = say(&world, &get("/", headers)).await;
        assert_eq!((status, kind(&body).as_str()), (400, "bad_host"), "{headers}");
    }
    assert_eq!((world.journal().seen().count, world.events()), (0, 0));
}

#[tokio::test]
async fn only_the_servers_own_pages_may_change_anything() {
    let world = World::start().await;
    let post = |path: &str, host: &str, origin: &str| {
        let body = json!({"conversationId": "a", "assistant": "finance", "message": "Hello"}).to_string();
        let head = format!("host: {host}\r\norigin: {origin}\r\ncontent-type: application/json");
        let length = body.len();
        format!("POST {path} HTTP/1.1\r\nconnection: close\r\n{head}\r\ncontent-length: {length}\r\n\r\n{body}")
    };
    let all = "http://evil.example|https://localhost.evil.example|null||localhost:80|http://localhost:81|\
        http://localhost|http://127.0.0.1:80|file://localhost:80|http://localhost:80, http://evil.example|\
        http://localhost:80\r\norigin: http://evil.example|chrome-extension://abc";
    for origin in all.split('|') {
        for path in ["/api/chat/send", "/api/nothing", "/"] {
            let (status, body) = say(&world, &post(path, "localhost:80", origin)).await;
            assert_eq!((status, kind(&body).as_str()), (403, "foreign_origin"), "{origin} {path}");
        }
    }
    assert_eq!((world.journal().seen().count, world.events()), (0, 0));
    // Browsers keep responses to reading requests from other sites themselves; most have no origin.
    let get = "GET /api/chat/stream?conversationId=a HTTP/1.1\r\nconnection: close\r\nhost: localhost\r\n";
    assert_eq!(say(&world, &format!("{get}origin: http://localhost\r\n\r\n")).await.0, 204);
    for (host, origin) in [
        ("localhost:80", "http://localhost:80"),
        ("localhost:80", "https://LOCALHOST:80"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        // A proxy has taken it on.
        ("localhost:8080", "https://chat.example"),
    ] {
        let (status, body) = say(&world, &post("/api/chat/send", host, origin)).await;
        assert!(status == 200 && body.contains("event: done"), "{origin}: {status} {body}");
    }
}
