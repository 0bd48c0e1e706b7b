//! Requests that get no stream: each has its status and says why, in plain words.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::world::{Stream, Turn, World};

async fn refusal(response: reqwest::Response) -> (u16, String, String) {
    let status = response.status().as_u16();
    assert_eq!(response.headers()["cache-control"], "no-store");
    let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    let text = |name: &str| error["error"][name].as_str().unwrap().to_owned();
    (status, text("kind"), text("message"))
}

/// Explains a refusal in words for the request's author, not in those of a library.
#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_in_plain_words() {
    let world = World::start().await;
    let (send, stop, no_id) = ("/api/chat/send", "/api/chat/stop", "The request has no `conversationId`.");
    let check = "/api/chat/check";
    let who = "`assistant` has to be `shopping`, `finance`, `restaurant` or `form`.";
    let answers = "`answers` has to be an object whose members are arrays of strings.";
    let name = "A conversation's name has 1 to 64 letters, digits, `-` and `_`.";
    for (path, body, words) in [
        (send, "", "The request is empty."),
        (send, " \n", "The request is empty."),
        (stop, "", "The request is empty."),
        (send, "Hi", "The request is not JSON: expected value at line 1 column 1."),
        (send, "[1", "The request is not JSON: EOF while parsing a list at line 1 column 2."),
        (send, "{} {}", "The request is not JSON: trailing characters at line 1 column 4."),
        (send, "[{}]", "The request has to be an object, not an array."),
        (send, "\"Hi\"", "The request has to be an object, not a string."),
        (send, "-1", "The request has to be an object, not a number."),
        (send, "null", "The request has to be an object, not null."),
        (send, "{}", no_id),
        (stop, "{}", no_id),
        (send, r#"{"message": "Hi"}"#, no_id),
        (send, r#"{"conversationId": "a"}"#, "The request has no `message`."),
        (send, r#"{"conversationId": 1, "message": "Hi"}"#, "`conversationId` has to be a string."),
        (send, r#"{"conversationId": "a", "message": null}"#, "`message` has to be a string."),
        (send, r#"{"conversationId": "a", "message": " \n"}"#, "The message is empty."),
        (send, r#"{"conversationId": "a/b", "message": "Hi"}"#, name),
        (send, r#"{"conversationId": "", "message": "Hi"}"#, name),
        (send, r#"{"conversationId": "a", "message": "Hi", "assistant": "x"}"#, who),
        (send, r#"{"conversationId": "a", "message": "Hi", "answers": {"A": "b"}}"#, answers),
        (
            send,
            r#"{"conversationId": "a", "message": "Hi", "more": 1}"#,
            "The request has a field `more`, which is not known here.",
        ),
        (send, r#"{"conversationId": "a", "message": "Hi", "message": "Ho"}"#, "The request has `message` twice."),
        (check, "{}", "The request has no `form`."),
        (check, r#"{"form": {}, "forms": 1}"#, "The request has a field `forms`, which is not known here."),
        (check, r#"{"form": {}, "form": {}}"#, "The request has `form` twice."),
    ] {
        let request = world.client.post(world.url(path)).header("content-type", "application/json; charset=utf-8");
        let (status, kind, told) = refusal(request.body(body).send().await.unwrap()).await;
        assert_eq!(told, words, "{path} {body}");
        let is_json = !words.contains("JSON:") && !words.contains("empty.") || words.starts_with("The message");
        assert_eq!((status, kind.as_str()), if is_json { (422, "invalid_request") } else { (400, "invalid_json") });
    }
    let id = "A chunk id is a whole number, as the stream's events have it.";
    for (query, words) in [
        ("", no_id),
        ("?conversationId=a&lastChunkId=x", id),
        ("?conversationId=a&lastChunkId=", id),
        ("?conversationId=a&conversationId=b", "The request has `conversationId` twice."),
        ("?conversationId=a&last=1", "The request has a field `last`, which is not known here."),
    ] {
        let response = world.client.get(world.url(&format!("/api/chat/stream{query}"))).send().await.unwrap();
        assert_eq!(refusal(response).await, (422, "invalid_request".to_owned(), words.to_owned()), "{query}");
    }
    assert_eq!((world.rows().len(), world.table("events").len(), world.journal().seen().count), (0, 0, 0));
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
    let mut first = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    let (status, kind, _) = refusal(world.post("a", "finance", "And again").await).await;
    assert_eq!((status, kind.as_str()), (409, "busy"));
    // Other conversations are independent.
    world.turn("b", "finance", "Good morning").await.assert_done();
    world.journal().release();
    first.rest().await;
    world.turn("a", "finance", "Now?").await.assert_done();
    let messages = world.table("messages").concat();
    assert!(!messages.contains("And again") && messages.contains("Now?"));
    // The assistant stays with its conversation, and is the default there.
    let (status, kind, _) = refusal(world.post("a", "restaurant", "Dinner").await).await;
    assert_eq!((status, kind.as_str()), (422, "invalid_request"));
    let body = json!({"conversationId": "a", "message": "My accounts"});
    let turn = Turn::read(world.ask("/api/chat/send", &body).await).await;
    assert!(turn.names().contains(&"tool_start"));
}
