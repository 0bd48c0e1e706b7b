//! Requests that get no stream: each has its status and says why.

use serde_json::{Value, json};

use crate::world::{Stream, World};

async fn refusal(response: reqwest::Response) -> (u16, String) {
    let status = response.status().as_u16();
    let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert!(!error["error"]["message"].as_str().unwrap().is_empty());
    (status, error["error"]["kind"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn bad_requests_are_refused_and_leave_nothing() {
    let world = World::start().await;
    let url = world.url("/api/chat/send");
    let long = "x".repeat(64 << 10);
    for (body, content_type, expected) in [
        ("{".to_owned(), "application/json", (400, "invalid_json")),
        (r#"{"conversationId": "a"}"#.to_owned(), "application/json", (422, "invalid_request")),
        (r#"{"conversationId": "a", "message": 1}"#.to_owned(), "application/json", (422, "invalid_request")),
        (
            json!({"conversationId": "a", "message": "Hi", "more": 1}).to_string(),
            "application/json",
            (422, "invalid_request"),
        ),
        (json!({"conversationId": "a", "message": " \n"}).to_string(), "application/json", (422, "invalid_request")),
        (json!({"conversationId": "a/b", "message": "Hi"}).to_string(), "application/json", (422, "invalid_request")),
        (json!({"conversationId": "", "message": "Hi"}).to_string(), "application/json", (422, "invalid_request")),
        (
            json!({"conversationId": "a", "message": "Hi", "assistant": "x"}).to_string(),
            "application/json",
            (422, "invalid_request"),
        ),
        (json!({"conversationId": "a", "message": "Hi"}).to_string(), "text/plain", (415, "unsupported_media_type")),
        (json!({"conversationId": "a", "message": long}).to_string(), "application/json", (413, "too_large")),
    ] {
        let request = world.client.post(&url).header("content-type", content_type).body(body.clone());
        let (status, kind) = refusal(request.send().await.unwrap()).await;
        assert_eq!((status, kind.as_str()), expected, "{}", &body[..body.len().min(99)]);
    }
    assert_eq!(refusal(world.client.get(world.url("/api/nothing")).send().await.unwrap()).await.0, 404);
    assert_eq!((world.rows().len(), world.table("told").len(), world.journal().seen().count), (0, 0, 0));
}

#[tokio::test]
async fn one_turn_at_a_time() {
    let world = World::start().await;
    let mut first = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    assert_eq!(refusal(world.post("a", "finance", "And again").await).await, (409, "busy".to_owned()));
    // Other conversations go on.
    world.turn("b", "finance", "Good morning").await.assert_done();
    world.journal().release();
    first.until(|event| event.event.ends_stream()).await;
    world.turn("a", "finance", "Now?").await.assert_done();
    let messages = world.table("messages").concat();
    assert!(!messages.contains("And again") && messages.contains("Now?"));
}

#[tokio::test]
async fn an_assistant_stays_with_its_conversation() {
    let world = World::start().await;
    world.turn("a", "finance", "Good morning").await.assert_done();
    let (status, kind) = refusal(world.post("a", "restaurant", "Dinner").await).await;
    assert_eq!((status, kind.as_str()), (422, "invalid_request"));
    // Left out, it is the one that answered before.
    let body = json!({"conversationId": "a", "message": "My accounts"});
    let turn = crate::world::Turn::read(world.ask("/api/chat/send", &body).await).await;
    assert!(turn.names().contains(&"tool_start"));
}

/// What depends on the server's state is nobody's to keep: a browser that has kept an error asks no more.
#[tokio::test]
async fn no_answer_is_to_be_kept() {
    let world = World::start().await;
    let post = |path: &str, content_type: &str, body: &str| {
        world.client.post(world.url(path)).header("content-type", content_type).body(body.to_owned())
    };
    let get = |path: &str| world.client.get(world.url(path));
    let stream = "/api/chat/stream?conversationId=a";
    let send = r#"{"conversationId": "a", "assistant": "finance", "message": "Hello"}"#;
    let json = "application/json";
    let long = "x".repeat(64 << 10);
    for (status, request) in [
        (204, get(stream)),
        (200, post("/api/chat/send", json, send)),
        (200, get(stream)),
        (410, get(&format!("{stream}&lastChunkId=9999"))),
        (422, get(&format!("{stream}&lastChunkId=x"))),
        (422, get("/api/chat/stream")),
        (400, post("/api/chat/send", json, "{")),
        (413, post("/api/chat/send", json, &format!("\"{long}\""))),
        (415, post("/api/chat/send", "text/plain", send)),
        (422, post("/api/chat/send", json, "{}")),
        (405, get("/api/chat/send")),
        (404, get("/api/nothing")),
        (404, get("/nothing")),
        (404, get("/nothing/there")),
        (421, get(stream).header("host", "evil.example")),
        (421, get("/").header("host", "evil.example")),
    ] {
        let response = request.send().await.unwrap();
        let (told, url) = (response.status().as_u16(), response.url().clone());
        assert_eq!((told, response.headers()["cache-control"].to_str().unwrap()), (status, "no-store"), "{url}");
        if told == 200 {
            assert_eq!(response.headers()["content-type"], "text/event-stream", "{url}");
        }
    }
    // The page's own files are asked about each time.
    assert_eq!(get("/").send().await.unwrap().headers()["cache-control"], "no-cache");
    world.execute("DROP TABLE told");
    let response = get(stream).send().await.unwrap();
    assert_eq!((response.status().as_u16(), response.headers()["cache-control"].to_str().unwrap()), (500, "no-store"));
}

#[tokio::test]
async fn a_turn_is_stopped_when_somebody_asks_for_it() {
    let world = World::start().await;
    let stop = async || world.ask("/api/chat/stop", &json!({"conversationId": "a"})).await;
    assert_eq!(refusal(stop().await).await, (409, "not_running".to_owned()));
    let mut stream = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    assert_eq!(stop().await.status(), 204);
    let told = stream.rest().await;
    assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
    world.journal().wait_for(|seen| seen.open == 0).await;
    assert_eq!(world.rest("a", 0).await, told);
    world.turn("a", "finance", "Good morning").await.assert_done();
    assert_eq!(stop().await.status(), 409, "it is over");
}

#[tokio::test]
async fn errors_of_size_and_method_are_json_in_plain_words() {
    let world = World::start().await;
    for (request, kind) in [
        (world.client.get(world.url("/api/chat/send")), "method_not_allowed"),
        (world.client.delete(world.url("/")), "method_not_allowed"),
        (
            world
                .client
                .post(world.url("/api/chat/send"))
                .header("content-type", "application/json")
                .body("x".repeat(70_000)),
            "too_large",
        ),
        (world.client.post(world.url("/api/chat/send")).body("x"), "unsupported_media_type"),
    ] {
        let response = request.send().await.unwrap();
        let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        let words = error["error"]["message"].as_str().unwrap();
        assert_eq!(error["error"]["kind"], kind);
        assert!(!words.contains("Failed") && !words.contains("limit exceeded"), "{words}");
    }
}

#[tokio::test]
async fn the_page_is_told_whom_it_speaks_with() {
    let world = World::start().await;
    let about = world.client.get(world.url("/api/about")).send().await.unwrap().text().await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&about).unwrap(), json!({"model": "scripted", "isScripted": true}));
}

/// What is wrong with a request is told in words for whoever has written it, not in those of a library.
#[tokio::test]
async fn what_is_wrong_with_a_request_is_told_in_plain_words() {
    let world = World::start().await;
    let (send, stop) = ("/api/chat/send", "/api/chat/stop");
    let who = "`assistant` has to be `shopping`, `finance`, `restaurant` or `form`.";
    let answers = "`answers` has to be an object whose members are arrays of strings.";
    for (path, body, status, kind, words) in [
        (send, "", 400, "invalid_json", "The request is empty."),
        (send, " \n", 400, "invalid_json", "The request is empty."),
        (send, "Hi", 400, "invalid_json", "The request is not JSON: expected value at line 1 column 1."),
        (send, "[1", 400, "invalid_json", "The request is not JSON: EOF while parsing a list at line 1 column 2."),
        (send, "{} {}", 400, "invalid_json", "The request is not JSON: trailing characters at line 1 column 4."),
        (send, "[{}]", 422, "invalid_request", "The request has to be an object, not an array."),
        (send, "\"Hi\"", 422, "invalid_request", "The request has to be an object, not a string."),
        (send, "-1", 422, "invalid_request", "The request has to be an object, not a number."),
        (send, "1.5", 422, "invalid_request", "The request has to be an object, not a number."),
        (send, "null", 422, "invalid_request", "The request has to be an object, not null."),
        (send, "true", 422, "invalid_request", "The request has to be an object, not a boolean."),
        (send, "{}", 422, "invalid_request", "The request has no `conversationId`."),
        (send, r#"{"conversationId": "a"}"#, 422, "invalid_request", "The request has no `message`."),
        (send, r#"{"message": "Hi"}"#, 422, "invalid_request", "The request has no `conversationId`."),
        (
            send,
            r#"{"conversationId": 1, "message": "Hi"}"#,
            422,
            "invalid_request",
            "`conversationId` has to be a string.",
        ),
        (send, r#"{"conversationId": "a", "message": null}"#, 422, "invalid_request", "`message` has to be a string."),
        (
            send,
            r#"{"conversationId": "a", "message": ["Hi"]}"#,
            422,
            "invalid_request",
            "`message` has to be a string.",
        ),
        (send, r#"{"conversationId": "a", "message": "Hi", "assistant": "x"}"#, 422, "invalid_request", who),
        (send, r#"{"conversationId": "a", "message": "Hi", "assistant": 1}"#, 422, "invalid_request", who),
        (send, r#"{"conversationId": "a", "message": "Hi", "answers": []}"#, 422, "invalid_request", answers),
        (send, r#"{"conversationId": "a", "message": "Hi", "answers": {"A": "b"}}"#, 422, "invalid_request", answers),
        (
            send,
            r#"{"conversationId": "a", "message": "Hi", "Message": ""}"#,
            422,
            "invalid_request",
            "The request has a field `Message`, which is not known here.",
        ),
        (
            send,
            r#"{"conversationId": "a", "message": "Hi", "message": "Ho"}"#,
            422,
            "invalid_request",
            "The request has `message` twice.",
        ),
        (stop, "{}", 422, "invalid_request", "The request has no `conversationId`."),
        (stop, "", 400, "invalid_json", "The request is empty."),
    ] {
        let request = world.client.post(world.url(path)).header("content-type", "application/json; charset=utf-8");
        let response = request.body(body.to_owned()).send().await.unwrap();
        let told = response.status().as_u16();
        let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        let error = (told, error["error"]["kind"].as_str().unwrap(), error["error"]["message"].as_str().unwrap());
        assert_eq!(error, (status, kind, words), "{path} {body}");
    }
    let id = "A chunk id is a whole number, as the stream's events have it.";
    for (query, words) in [
        ("", "The request has no `conversationId`."),
        ("?conversationId=a&lastChunkId=x", id),
        ("?conversationId=a&lastChunkId=", id),
        ("?conversationId=a&conversationId=b", "The request has `conversationId` twice."),
        ("?conversationId=a&last=1", "The request has a field `last`, which is not known here."),
    ] {
        let response = world.client.get(world.url(&format!("/api/chat/stream{query}"))).send().await.unwrap();
        let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert_eq!(error["error"], json!({"kind": "invalid_request", "message": words}), "{query}");
    }
    assert_eq!((world.rows().len(), world.table("told").len(), world.journal().seen().count), (0, 0, 0));
}

/// A word with a `#` is a word, unless it is one of the scripted provider's own.
#[tokio::test]
async fn words_with_a_number_sign_are_words() {
    let world = World::start().await;
    for message in ["We are #first, the #holders of #status:high", "#cut the #tool: and #replay: it"] {
        world.turn(&message[..3].replace(['#', ' '], "x"), "shopping", message).await.assert_done();
        let turn = world.turn(&message[..3].replace(['#', ' '], "x"), "shopping", "What did I tell you?").await;
        assert_eq!(turn.text(), format!("Before this you told me: “{message}”."));
    }
}
