//! Bad luck: providers that refuse, fail, break off or fall silent; clients that go away or stop reading.

use std::time::{Duration, Instant};

use chat::config::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::world::{Stream, World, impatient, limits};

#[tokio::test]
async fn what_may_pass_is_tried_twice_more() {
    for fault in ["status:429", "status:500", "status:503", "status:529", "overloaded"] {
        let world = World::start().await;
        let turn = world.turn("a", "finance", &format!("Good morning #{fault}*2")).await;
        turn.assert_done();
        assert_eq!(
            (turn.names(), world.journal().seen().count),
            (vec!["user_message", "text", "context", "text", "done"], 3),
            "{fault}"
        );

        let world = World::start().await;
        let turn = world.turn("a", "finance", &format!("Good morning #{fault}")).await;
        let kind = match fault {
            "status:429" => "provider_busy",
            "status:529" => "provider_overloaded",
            "overloaded" => "provider_error",
            _ => "provider_failed",
        };
        assert_eq!((turn.error().as_str(), world.journal().seen().count), (kind, 3), "{fault}");
        assert_eq!((turn.names(), world.rows().len()), (vec!["user_message", "error"], 0), "{fault}");
    }
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    let world = World::start().await;
    for fault in ["status:400", "status:401", "status:404"] {
        let before = world.journal().seen().count;
        let turn = world.turn("a", "finance", &format!("Good morning #{fault}")).await;
        assert_eq!(turn.error(), "provider_refused");
        assert_eq!(world.journal().seen().count, before + 1, "{fault}");
    }
}

#[tokio::test]
async fn behind_the_first_word_nothing_is_tried_again() {
    for fault in ["break", "break@2", "cut:900"] {
        let world = World::start().await;
        let turn = world.turn("a", "finance", &format!("My accounts #{fault}")).await;
        assert!(["provider_cut", "provider_error"].contains(&turn.error().as_str()));
        assert_eq!(world.journal().seen().count, if fault == "break@2" { 2 } else { 1 }, "{fault}");
        assert_eq!(world.rows().len(), 0, "{fault}");
    }
}

/// What was shown before is another answer's: the second request of a turn is tried again like the first.
#[tokio::test]
async fn a_second_request_is_tried_again_before_its_first_word() {
    for fault in ["status:429", "status:529", "overloaded", "cut:300"] {
        let world = World::start().await;
        let (first, second) = (format!("My accounts #{fault}*2@2"), format!("My accounts #{fault}@2"));
        let turn = world.turn("a", "finance", &first).await;
        turn.assert_done();
        assert!(
            turn.text().ends_with(
                "You have 3 accounts: Giro with €1,842.50, Savings with €12,500.00, Credit card with −€319.99."
            ),
            "{fault}: {}",
            turn.text()
        );
        assert_eq!(turn.events.iter().filter(|event| event.event.as_str() == "tool_start").count(), 1);
        let before = world.journal().seen().count;
        let turn = world.turn("a", "finance", &second).await;
        assert!(turn.error().starts_with("provider_"), "{fault}");
        assert_eq!(world.journal().seen().count - before, 4, "{fault}: once, and three times");
    }
}

#[tokio::test]
async fn a_provider_that_is_not_there() {
    let mut world = World::start().await;
    let provider = chat::scripted::ScriptedProvider::start(0, chat::scripted::Options::default()).await.unwrap();
    drop(std::mem::replace(&mut world.provider, provider));
    let turn = world.turn("a", "finance", "Good morning").await;
    assert_eq!(turn.error(), "provider_unreachable");
    assert_eq!(world.rows().len(), 0);
}

/// What each of the three has stored, then a fault: every row stays as it was, and the conversation goes on.
async fn check_faults_save_nothing(limits: Limits, faults: &[(&str, &str)]) {
    let world = World::start_with(limits, |assistants| assistants).await;
    world.turn("s", "shopping", "I need a ring for my sister").await.assert_done();
    world.turn("f", "finance", "My accounts").await.assert_done();
    world.turn("r", "restaurant", "I like Thai food").await.assert_done();
    let before: Vec<_> = world.rows().into_iter().filter(|row| !row.starts_with("r | ")).collect();
    let turns = [
        ("s", "shopping", "gold"),
        ("f", "finance", "Compare my spending this month to last month"),
        ("r", "restaurant", "Find an Italian place for Saturday"),
    ];
    for (fault, kind) in faults {
        for (conversation, assistant, message) in turns {
            if conversation == "s" && fault.ends_with("@2") {
                continue; // its turn has one round
            }
            let turn = world.turn(conversation, assistant, &format!("{message} #{fault}")).await;
            assert_eq!(turn.error(), *kind, "{assistant} {fault}");
            // The restaurant's steps are saved as they happen; of the others nothing.
            let rows: Vec<_> = world.rows().into_iter().filter(|row| !row.starts_with("r | ")).collect();
            assert_eq!(rows, before, "{assistant} {fault}");
        }
    }
    assert_eq!(world.journal().seen().refusals, [""; 0]);
    for (conversation, assistant, message) in turns {
        world.turn(conversation, assistant, message).await.assert_done();
    }
}

#[tokio::test]
async fn a_cut_stream_leaves_everything_as_it_was() {
    let cuts = ["cut:700", "cut:1200", "cut:2500", "cut:1200@2"].map(|cut| (cut, "provider_cut"));
    check_faults_save_nothing(limits(), &cuts).await;
    check_faults_save_nothing(limits(), &[("break", "provider_error"), ("break@2", "provider_error")]).await;
}

#[tokio::test]
async fn a_silent_provider_leaves_everything_as_it_was() {
    check_faults_save_nothing(impatient(), &[("hang", "provider_silent"), ("hang@2", "provider_silent")]).await;
}

#[tokio::test]
async fn a_bad_frame_is_passed_over() {
    let world = World::start().await;
    let turn = world.turn("a", "finance", "Good morning #garbage").await;
    turn.assert_done();
    assert!(turn.text().starts_with("I am a scripted model"));
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_providers_request() {
    for (conversation, assistant, message) in [
        ("s", "shopping", "I need a ring for my sister #hang"),
        ("f", "finance", "Compare my spending this month to last month #slow:20"),
        ("o", "form", "A weekend in Rome #hang"),
    ] {
        let short = Limits { grace: Duration::from_millis(200), ..limits() };
        let world = World::start_with(short, |assistants| assistants).await;
        let mut stream = Stream::of(world.post(conversation, assistant, message).await);
        stream.until(|event| event.data.chunk_id > 2).await;
        assert_eq!(world.journal().seen().open, 1);
        let left = Instant::now();
        drop(stream);
        let closed = world.journal().wait_for(|seen| seen.open == 0);
        tokio::time::timeout(Duration::from_secs(2), closed).await.expect("the provider's connection is closed");
        assert!(left.elapsed() < Duration::from_secs(2));
        // What was told ends with why, for whoever comes back; nothing of it is saved.
        let turn = crate::world::Turn::read(world.resume(conversation, 0).await).await;
        assert_eq!((turn.error().as_str(), world.rows().len()), ("client_gone", 0));
    }
}

/// A client that sends its request and reads nothing.
async fn deaf_client(world: &World, body: &str) -> tokio::net::TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    let address = world.url("").trim_start_matches("http://").parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!(
        "POST /api/chat/send HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_client_that_stops_reading_stops_the_provider_being_read() {
    let limits = Limits { unread: Duration::from_secs(30), ..limits() };
    let world = World::start_with(limits, |assistants| assistants).await;
    let body = r##"{"conversationId": "a", "assistant": "finance", "message": "#random:1:2000000"}"##;
    let mut deaf = deaf_client(&world, body).await;
    // The provider is read until all buffers are full, and then no more.
    let mut sent = world.journal().wait_for(|seen| seen.fragments > 1_000).await.fragments;
    loop {
        let more = world.journal().wait_for(|seen| seen.fragments > sent);
        match tokio::time::timeout(Duration::from_millis(500), more).await {
            Ok(seen) => sent = seen.fragments,
            Err(_) => break,
        }
    }
    // 2,000,000 characters are half a million fragments, each of 130 bytes on the wire.
    assert!(sent < 200_000, "{sent}");
    // It reads on, and so does the server.
    let mut bytes = vec![0; 1 << 20];
    deaf.read_exact(&mut bytes).await.unwrap();
    let more = world.journal().wait_for(|seen| seen.fragments > sent);
    tokio::time::timeout(Duration::from_secs(5), more).await.expect("the provider is read again");
}

#[tokio::test]
async fn a_client_that_never_reads_is_given_up() {
    let limits = Limits { unread: Duration::from_millis(300), ..limits() };
    let world = World::start_with(limits, |assistants| assistants).await;
    let body = r##"{"conversationId": "a", "assistant": "finance", "message": "#random:1:2000000"}"##;
    let _deaf = deaf_client(&world, body).await;
    world.journal().wait_for(|seen| seen.open == 1).await;
    let closed = world.journal().wait_for(|seen| seen.open == 0);
    tokio::time::timeout(Duration::from_secs(10), closed).await.expect("the provider's connection is closed");
    let mut stream = Stream::of(world.resume("a", 0).await);
    let told = stream.until(|event| event.event.ends_stream()).await;
    assert_eq!((&told.last().unwrap().data.props["kind"], world.rows().len()), (&"client_stalled".into(), 0));
}
