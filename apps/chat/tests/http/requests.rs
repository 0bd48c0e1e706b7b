//! Requests that get no stream: each has its status and says why, in plain words.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::world::{Turn, World};

async fn refusal(response: reqwest::Response) -> (u16, String, String) {
    let status = response.status().as_u16();
    assert_eq!(response.headers()["cache-control"], "no-store");
    let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    let text = |name: &str| error["error"][name].as_str().unwrap().to_owned();
    (status, text("kind"), text("message"))
}

/// Names the field and what is wrong with it.
#[tokio::test]
async fn what_is_wrong_with_a_request_is_said() {
    let world = World::start().await;
    let (send, stop, check) = ("/api/chat/send", "/api/chat/stop", "/api/chat/check");
    let (no_id, no_object) = ("missing field `conversationId`", "expected an object");
    let name = "a conversation's name has 1 to 64 letters, digits, `-` and `_`";
    for (path, body, status, words) in [
        (send, "", 400, "EOF while parsing a value"),
        (send, "Hi", 400, "expected value at line 1 column 1"),
        (send, "[1", 422, "expected a string"),
        (send, "{} {}", 422, no_id),
        (send, r#"{"conversationId": "a", "message": "Hi"} {}"#, 400, "trailing characters"),
        (send, "\"Hi\"", 422, no_object),
        (stop, "null", 422, no_object),
        (stop, "{}", 422, no_id),
        (send, r#"{"conversationId": "a"}"#, 422, "missing field `message`"),
        (send, r#"{"conversationId": 1, "message": "Hi"}"#, 422, "conversationId: invalid type: integer `1`"),
        (send, r#"{"conversationId": "a", "message": null}"#, 422, "message: invalid type: null"),
        (send, r#"{"conversationId": "a", "message": " \n"}"#, 422, "The message is empty."),
        (send, r#"{"conversationId": "a/b", "message": "Hi"}"#, 422, name),
        (stop, r#"{"conversationId": ""}"#, 422, name),
        (send, r#"{"conversationId": "a", "message": "Hi", "assistant": "x"}"#, 422, "`finance`, `restaurant`, `form`"),
        (send, r#"{"conversationId": "a", "message": "Hi", "answers": {"A": "b"}}"#, 422, "answers.A: invalid type"),
        (send, r#"{"conversationId": "a", "message": "Hi", "more": 1}"#, 422, "unknown field `more`"),
        (send, r#"{"conversationId": "a", "message": "Hi", "message": "Ho"}"#, 422, "duplicate field `message`"),
        (check, "{}", 422, "missing field `form`"),
    ] {
        let request = world.client.post(world.url(path)).header("content-type", "application/json; charset=utf-8");
        let (told, kind, message) = refusal(request.body(body).send().await.unwrap()).await;
        assert!(message.contains(words), "{path} {body}: {message}");
        assert_eq!((told, kind.as_str()), (status, if status == 400 { "invalid_json" } else { "invalid_request" }));
    }
    for (query, words) in [
        ("", no_id),
        ("?conversationId=a&lastChunkId=x", "lastChunkId: invalid digit"),
        ("?conversationId=a&conversationId=b", "duplicate field `conversationId`"),
        ("?conversationId=a&last=1", "unknown field `last`"),
    ] {
        let response = world.client.get(world.url(&format!("/api/chat/stream{query}"))).send().await.unwrap();
        let (status, kind, message) = refusal(response).await;
        assert!(status == 422 && kind == "invalid_request" && message.contains(words), "{query}: {message}");
    }
    assert_eq!((world.rows().len(), world.events(), world.journal().seen().count), (0, 0, 0));
}

/// Marks all responses that depend on the server's state, since browsers cache even errors.
#[tokio::test]
async fn no_answer_is_to_be_kept() {
    let world = World::start().await;
    let post = |path: &str, content_type: &str, body: &str| {
        world.client.post(world.url(path)).header("content-type", content_type).body(body.to_owned())
    };
    let get = |path: &str| world.client.get(world.url(path));
    let (stream, send, json) = ("/api/chat/stream?conversationId=a", "/api/chat/send", "application/json");
    let body = r#"{"conversationId": "a", "assistant": "finance", "message": "Hello"}"#;
    assert_eq!(get(stream).send().await.unwrap().status(), 204);
    for request in [post(send, json, body), get(stream)] {
        let response = request.send().await.unwrap();
        let header = |name: &str| response.headers()[name].to_str().unwrap();
        assert_eq!((header("cache-control"), header("content-type")), ("no-store", "text/event-stream"));
    }
    let refused: [(RequestBuilder, u16, &str); 11] = [
        (get(&format!("{stream}&lastChunkId=9999")), 410, "gone"),
        (post(send, json, &"x".repeat(70_000)), 413, "too_large"),
        (post("/api/chat/check", json, &"x".repeat(70_000)), 413, "too_large"),
        (post(send, "text/plain", body), 415, "unsupported_media_type"),
        (get(send), 405, "method_not_allowed"),
        (world.client.delete(world.url("/")), 405, "method_not_allowed"),
        (get("/api/nothing"), 404, "not_found"),
        (get("/nothing/there"), 404, "not_found"),
        (get(stream).header("host", "evil.example"), 421, "foreign_host"),
        (get("/").header("host", "evil.example"), 421, "foreign_host"),
        (post("/api/chat/stop", json, r#"{"conversationId": "a"}"#), 409, "not_running"),
    ];
    for (request, status, kind) in refused {
        let (told, is, words) = refusal(request.send().await.unwrap()).await;
        assert_eq!((told, is.as_str()), (status, kind));
        assert!(!words.contains("Failed") && !words.contains("limit exceeded"), "{words}");
    }
    // The browser asks about the page's own files each time.
    assert_eq!(get("/").send().await.unwrap().headers()["cache-control"], "no-cache");
    let about: Value = serde_json::from_str(&get("/api/about").send().await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!(about, json!({"model": "scripted", "isScripted": true}));
    world.execute("DROP TABLE events");
    assert_eq!(refusal(get(stream).send().await.unwrap()).await.0, 500);
}

#[tokio::test]
async fn a_form_is_checked_and_its_errors_are_limited() {
    let world = World::start().await;
    let errors = async |days: Value| {
        let form = json!({"title": "To Pune", "start": "2026-11-01", "people": 2, "days": days});
        let response = world.ask("/api/chat/check", &json!({"form": form})).await;
        assert_eq!(response.status(), 200);
        let errors: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        errors["errors"].as_array().unwrap().clone()
    };
    assert_eq!(errors(json!([{"place": "Pune", "plan": "Walk"}])).await, [Value::Null; 0]);
    let one = errors(json!([{"place": "Pune", "plan": ""}])).await;
    assert_eq!((one.len(), &one[0]["pointer"]), (1, &json!("/days/0/plan")));
    assert_eq!(errors(json!(vec![0; 100])).await.len(), 100);
    let many = errors(json!(vec![0; 10_000])).await;
    assert_eq!((many.len(), &many[100]["message"]), (101, &json!("there are more errors")));
}

#[tokio::test]
async fn one_turn_at_a_time() {
    let world = World::start().await;
    let mut first = world.send("a", "finance", "Good morning #hold").await;
    world.until_held(1).await;
    let (status, kind, _) = refusal(world.post("a", "finance", "And again").await).await;
    assert_eq!((status, kind.as_str()), (409, "busy"));
    // Other conversations are independent.
    world.done("b", "finance", "Good morning").await;
    world.journal().release();
    first.rest().await;
    world.done("a", "finance", "Now?").await;
    let messages = json!(world.stored()).to_string();
    assert!(!messages.contains("And again") && messages.contains("Now?"));
    // The assistant stays with its conversation, and is the default there.
    let (status, kind, _) = refusal(world.post("a", "restaurant", "Dinner").await).await;
    assert_eq!((status, kind.as_str()), (422, "invalid_request"));
    let body = json!({"conversationId": "a", "message": "My accounts"});
    let turn = Turn::read(world.ask("/api/chat/send", &body).await).await;
    assert!(turn.names().contains(&"tool_start"));
}
