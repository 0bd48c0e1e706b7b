//! Classify and ask: what is shown while the call streams, what never is, and how the session moves on.

use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{Turn, World};

/// Everything internal that the model says, values and names.
const INTERNAL: [&str; 14] = [
    "internal-",
    "route",
    "data_strategy",
    "domain",
    "product_intent",
    "intent",
    "is_product_related",
    "memory_only",
    "es_fetch",
    "assessment",
    "missing_data",
    "priority_order",
    "original_query",
    "search",
];

fn assert_nothing_internal(turn: &Turn) {
    for word in INTERNAL {
        assert!(!turn.raw.contains(word), "{word} is in {}", turn.raw);
    }
}

fn sessions(world: &World) -> Vec<Vec<String>> {
    world.table("sessions").iter().map(|row| row.split(" | ").map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn a_simple_answer_streams_and_is_saved() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "Hi there").await;
    turn.assert_done();
    assert_eq!(
        turn.names(),
        [
            "user_message",
            "classification_start",
            "reasoning_delta",
            "simple_response_delta",
            "classification_complete",
            "done"
        ]
    );
    let answer = "Hello! You said “Hi there”. I can help you find \"just the thing\". 🛍️";
    let ask = &turn.props(MessageType::Ask)[0];
    assert_eq!((&ask["simple_response"]["message"], &ask["ask_slots"]), (&json!(answer), &json!([])));
    assert_nothing_internal(&turn);
    let content = format!(r#"[{{"type":"text","text":{}}}]"#, json!(answer));
    assert_eq!(world.table("messages")[1], format!("a | 1 | \"assistant\" | {content}"));
    assert_eq!(world.table("conversations"), ["a | \"shopping\" | null"]);
    let session = &sessions(&world)[0];
    assert_eq!(
        session[1..7],
        [
            "internal-l1-buy",
            "internal-l2-accessories",
            "internal-l3-rings",
            "0",
            "internal-domain-jewellery",
            "internal-intent-gift"
        ]
    );
}

#[tokio::test]
async fn questions_grow_and_options_come_whole() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "I want a ring").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    for (slot, message) in
        [(0, "Great choice! Which metal should the ring be of?"), (1, "And which size does she wear? 💍")]
    {
        let path = format!("/ask_slots/{slot}/message");
        let deltas = turn.events.iter().filter(|event| event.data.delta_path.as_ref() == Some(&path));
        let texts: Vec<&str> = deltas
            .inspect(|event| assert_eq!(event.event, EventName::AskMessageDelta))
            .map(|event| event.data.props.as_str().unwrap())
            .collect();
        assert!(texts.len() >= 5, "{texts:?}");
        assert_eq!(texts.concat(), message);
    }
    let options: Vec<_> = turn.events.iter().filter(|event| event.event == EventName::AskOptions).collect();
    let told: Vec<_> = options.iter().map(|event| (event.data.delta_path.as_deref(), &event.data.props)).collect();
    assert_eq!(
        told,
        [
            (Some("/ask_slots/0/options"), &json!(["gold", "silver", "“rosé”"])),
            (Some("/ask_slots/1/options"), &json!(["6", "7", "8"])),
        ]
    );
    // The first options are there before the second question ends.
    let at = |name: EventName, path: &str| {
        turn.events
            .iter()
            .rposition(|event| event.event == name && event.data.delta_path.as_deref() == Some(path))
            .unwrap()
    };
    assert!(at(EventName::AskOptions, "/ask_slots/0/options") < at(EventName::AskMessageDelta, "/ask_slots/1/message"));
    // What was merged while it streamed is what the decision says.
    let complete = turn.events.iter().find(|event| event.event == EventName::ClassificationComplete).unwrap();
    assert_eq!(complete.data.props, turn.props(MessageType::Ask)[0]);
}

#[tokio::test]
async fn two_slots_with_the_same_text_both_appear() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "Mittens for twins").await;
    let slot = |options: Value| json!({"message": "Which size?", "type": "single_choice", "options": options});
    let expected = json!([slot(json!(["S", "M"])), slot(json!(["L", "XL"]))]);
    assert_eq!(turn.props(MessageType::Ask)[0]["ask_slots"], expected);
    for slot in 0..2 {
        let path = format!("/ask_slots/{slot}/message");
        let deltas = turn.events.iter().filter(|event| event.data.delta_path.as_ref() == Some(&path));
        let text: String = deltas.map(|event| event.data.props.as_str().unwrap()).collect();
        assert_eq!(text, "Which size?");
    }
}

#[tokio::test]
async fn answers_move_the_session_on_until_the_catalogue_is_searched() {
    let mut world = World::start().await;
    world.turn("a", "shopping", "I want a ring").await.assert_done();
    let assessment = |world: &World| serde_json::from_str::<Value>(&sessions(world)[0][8]).unwrap();
    let first = assessment(&world);
    assert_eq!(
        first,
        json!({
            "original_query": "I want a ring", "intent": "internal-assessed-intent", "missing_data": ["metal", "size"],
            "priority_order": ["metal", "size"], "fulfilled": {}, "currently_asking": "metal",
        })
    );
    let questions: Value = serde_json::from_str(&sessions(&world)[0][7]).unwrap();
    assert_eq!(
        questions[1],
        json!({
            "slot": "size", "message": "And which size does she wear? 💍", "type": "single_choice", "options": ["6", "7", "8"],
        })
    );

    // A session outlives its server.
    world.restart();
    let turn = world.turn("a", "shopping", "gold").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    assert_eq!(turn.props(MessageType::Ask)[0]["ask_slots"][0]["message"], "And which size does she wear? 💍");
    let second = assessment(&world);
    assert_eq!((&second["fulfilled"], &second["currently_asking"]), (&json!({"metal": "gold"}), &json!("size")));

    let turn = world.turn("a", "shopping", "7").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    assert_eq!(
        turn.props(MessageType::Products),
        [json!({"items": [{"name": "Gold ring “Solstice”", "price_cents": 48_900}]})]
    );
    assert_eq!(turn.text(), "I have found 1: Gold ring “Solstice”.");
    let third = assessment(&world);
    assert_eq!(
        (&third["fulfilled"], &third["currently_asking"], &third["missing_data"]),
        (&json!({"metal": "gold", "size": "7"}), &Value::Null, &json!([]))
    );
    assert_eq!(third["original_query"], "I want a ring");
}

#[tokio::test]
async fn a_search_without_questions() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "Show me a lamp").await;
    turn.assert_done();
    assert_eq!(turn.props(MessageType::Products)[0]["items"].as_array().unwrap().len(), 2);
    assert!(turn.text().contains("Floor lamp <Lys>"));
}

#[tokio::test]
async fn memory_only_asks_again_over_the_stored_conversation() {
    let world = World::start().await;
    world.turn("a", "shopping", "I want a ring").await.assert_done();
    let before = sessions(&world);
    let turn = world.turn("a", "shopping", "What did I say?").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    assert_eq!(turn.text(), "Before this you told me: “I want a ring”.");
    let requests = world.journal().seen().requests;
    let last = requests.last().unwrap();
    assert_eq!((requests.len(), last.get("tools"), last["messages"].as_array().unwrap().len()), (3, None, 3));
    assert_eq!(sessions(&world), before, "a look back leaves the open questions as they are");
}

#[tokio::test]
async fn a_classification_that_does_not_hold_is_an_error_and_saves_nothing() {
    let world = World::start().await;
    world.turn("a", "shopping", "I want a ring").await.assert_done();
    let before = world.rows();
    for message in ["A wrong type", "An unknown value", "gold #malformed", "gold #truncated"] {
        let turn = world.turn("a", "shopping", message).await;
        assert_eq!(turn.error(), "bad_classification", "{message}");
        assert!(!turn.names().contains(&"classification_complete"), "{message}");
        assert_nothing_internal(&turn);
        assert_eq!(world.rows(), before, "{message}");
    }
    world.turn("a", "shopping", "gold").await.assert_done();
}
