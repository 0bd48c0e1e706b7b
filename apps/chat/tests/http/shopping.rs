//! Classifies and asks: which values are shown while the call streams, which never are, and how the session advances.

use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{Turn, World};

/// Internal values that the model says, and names in the session. The call's keys are sent, as part of its text.
const INTERNAL: &str = "\
    internal- memory_only es_fetch f_and_b chips_and_crisps show_me_options search_products bot_identity \
    is_product_related assessment missing_data priority_order original_query";

fn assert_nothing_internal(turn: &Turn) {
    for word in INTERNAL.split(' ') {
        assert!(!turn.raw.contains(word), "{word} is in {}", turn.raw);
    }
}

fn session(world: &World) -> Value {
    world.json("SELECT session FROM conversations").remove(0)
}

/// Returns the values of the session that are no questions.
fn intents(world: &World) -> Value {
    let session = session(world);
    let names = ["intent_l1", "intent_l2", "intent_l3", "is_product_related", "domain", "product_intent"];
    names.into_iter().map(|name| session[name].clone()).collect()
}

#[tokio::test]
async fn a_simple_answer_streams_and_is_saved() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "Hi there").await;
    turn.assert_done();
    let names = "user_message classification_start simple_response_delta ask_options reasoning_delta";
    assert_eq!(turn.names().join(" "), format!("{names} classification_complete done"));
    let answer = "I am a scripted model and know a few scenes only. Try one of these:";
    let ask = &turn.props(MessageType::Ask)[0];
    assert_eq!(ask["simple_response"]["message"], answer);
    assert_eq!(ask["simple_response"]["suggestions"][0], "I want chips for a party");
    assert_nothing_internal(&turn);
    assert_eq!(world.stored()[1], json!([{"type": "text", "text": answer}]));
    assert_eq!(world.json("SELECT assistant FROM conversations"), ["shopping"]);
    assert_eq!(intents(&world), json!(["E", "E2", "bot_identity", false, "other", null]));
}

#[tokio::test]
async fn questions_grow_and_options_come_whole() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "I need a ring for my sister").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    for (slot, message) in
        [(0, "Great choice! Which metal should the ring be of?"), (1, "And which size does she wear? 💍")]
    {
        let path = format!("/ask_slots/{slot}/message");
        let deltas = turn.events.iter().filter(|event| event.data.delta_path.as_ref() == Some(&path));
        let texts: Vec<&str> = deltas
            .filter(|event| event.data.props.is_string())
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
            (Some("/ask_slots/0/options"), &json!(["Gold", "Silver", "Rosé"])),
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
    // The first question is sent before a fifth of the call was.
    let at_first = turn.events.iter().position(|event| event.event == EventName::AskMessageDelta).unwrap();
    assert!(at_first * 5 < turn.events.len(), "{at_first} of {}", turn.events.len());
    // The merged message equals the decision.
    let complete = turn.events.iter().find(|event| event.event == EventName::ClassificationComplete).unwrap();
    assert_eq!(complete.data.props, turn.props(MessageType::Ask)[0]);
    // The slots' names are internal until then.
    let before: Vec<_> = turn.events.iter().take_while(|event| event.event != complete.event).collect();
    assert!(!serde_json::to_string(&before).unwrap().contains("ASK_USER_"));
    // Hidden values have one width, whatever they are.
    let raw =
        turn.events.iter().filter(|event| event.data.delta_path.as_ref().is_some_and(|it| it.starts_with("/raw")));
    let blocks = raw.filter(|event| event.data.props == "▇▇▇").count();
    assert_eq!(blocks, 11, "two slots' names, and nine fields");
}

#[tokio::test]
async fn two_slots_with_the_same_text_both_appear() {
    let world = World::start().await;
    let slots = json!({"ask_slots": [
        {"slot_name": "ASK_USER_FIRST_SIZE", "message": "Which size?", "options": ["S", "M"]},
        {"slot_name": "ASK_USER_SECOND_SIZE", "message": "Which size?", "options": ["L", "XL"]},
    ], "route": "product", "data_strategy": "es_fetch"});
    let turn = world.turn("a", "shopping", &classified(&slots)).await;
    let slot = |name: &str, options: Value| json!({"slot_name": name, "message": "Which size?", "type": "multi_choice", "options": options});
    let expected =
        json!([slot("ASK_USER_FIRST_SIZE", json!(["S", "M"])), slot("ASK_USER_SECOND_SIZE", json!(["L", "XL"]))]);
    assert_eq!(turn.props(MessageType::Ask)[0]["ask_slots"], expected);
    for slot in 0..2 {
        let path = format!("/ask_slots/{slot}/message");
        let deltas = turn.events.iter().filter(|event| event.data.delta_path.as_ref() == Some(&path));
        let text: String = deltas.filter_map(|event| event.data.props.as_str()).collect();
        assert_eq!(text, "Which size?");
    }
}

#[tokio::test]
async fn answers_move_the_session_on_until_the_catalogue_is_searched() {
    let mut world = World::start().await;
    world.turn("a", "shopping", "I need a ring for my sister").await.assert_done();
    let assessment = |world: &World| session(world)["assessment"].clone();
    let first = assessment(&world);
    let (metal, size) = ("ASK_USER_METAL", "ASK_USER_SIZE");
    assert_eq!(
        first,
        json!({
            "original_query": "I need a ring for my sister", "intent": "show_me_options", "missing_data": [metal, size],
            "priority_order": [metal, size], "fulfilled": [], "currently_asking": metal,
        })
    );
    assert_eq!(
        session(&world)["contextual_questions"][size],
        json!({"message": "And which size does she wear? 💍", "type": "multi_choice", "options": ["6", "7", "8"]})
    );
    assert_eq!(intents(&world), json!(["A", "A1", "show_me_options", true, "other", "show_me_options"]));

    // A session outlives its server.
    world.restart();
    let turn = world.turn("a", "shopping", "gold").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    assert_eq!(turn.props(MessageType::Ask)[0]["ask_slots"][0]["message"], "And which size does she wear? 💍");
    let second = assessment(&world);
    assert_eq!((&second["fulfilled"], &second["currently_asking"]), (&json!([metal]), &json!(size)));

    let turn = world.turn("a", "shopping", "7").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    assert_eq!(
        turn.props(MessageType::Products),
        [json!({"items": [{"name": "Gold ring “Solstice”", "price": "€489.00", "cents": 48_900, "currency": "EUR"}]})]
    );
    assert_eq!(turn.text(), "I have found 1: Gold ring “Solstice”.");
    let third = assessment(&world);
    assert_eq!(
        (&third["fulfilled"], &third["currently_asking"], &third["missing_data"]),
        (&json!([metal, size]), &Value::Null, &json!([]))
    );
    assert_eq!(third["original_query"], "I need a ring for my sister");
    let questions = session(&world)["contextual_questions"].clone();
    assert_eq!((&questions[metal]["answer"], &questions[size]["answer"]), (&json!(["Gold"]), &json!(["7"])));
}

/// Returns a message that gets this classification.
fn classified(input: &Value) -> String {
    format!("#tool:classify_and_assess:{}", input.to_string().replace(' ', "\\u0020"))
}

#[tokio::test]
async fn support_is_a_route_of_its_own_and_a_guess_is_not_stored() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "Where is my order?").await;
    turn.assert_done();
    assert_eq!(intents(&world), json!(["E", "E2", "support", false, "other", null]));
    world.turn("a", "shopping", "I want chips for a party").await.assert_done();
    let before = session(&world);
    let guess = json!({"route": "product", "data_strategy": "none", "is_follow_up": true, "follow_up_confidence": "low",
        "simple_response": {"message": "Is that an answer?"}});
    world.turn("a", "shopping", &classified(&guess)).await.assert_done();
    assert_eq!(session(&world), before);
    // An answer that was given can be changed, also after the search, and what is found fits it.
    for (said, found) in [("under ₹50", ""), ("Spicy", "Masala Crunch"), ("Tangy", "Lime Twists")] {
        let turn = world.turn("a", "shopping", said).await;
        turn.assert_done();
        assert!(
            turn.text().ends_with(&format!("{found}{}", if found.is_empty() { "" } else { "." })),
            "{}",
            turn.text()
        );
    }
}

/// Sends nothing about values without a character: their end would be at a place that the client does not have.
#[tokio::test]
async fn a_classification_with_empty_values_can_be_merged() {
    let world = World::start().await;
    for (number, reasoning) in [json!(null), json!(""), json!("why")].into_iter().enumerate() {
        for answer in ["", "Hello"] {
            let input = json!({"route": "general", "data_strategy": "none", "reasoning": reasoning,
                "simple_response": {"message": answer}});
            let turn = world.turn(&format!("c{number}{answer}"), "shopping", &classified(&input)).await;
            turn.assert_done();
            assert_eq!(turn.props(MessageType::Ask)[0]["simple_response"]["message"], answer, "{reasoning}");
        }
    }
}

/// Compares the first scene with the description of this system, word for word.
#[tokio::test]
async fn chips_for_a_party_ask_for_budget_and_flavour() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "I want chips for a party").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    let slots = &turn.props(MessageType::Ask)[0]["ask_slots"];
    let slot = |name: &str, message: &str, options: Value| json!({"slot_name": name, "message": message, "type": "multi_choice", "options": options});
    assert_eq!(
        slots,
        &json!([
            slot(
                "ASK_USER_BUDGET",
                "Great! What's your budget range for chips?",
                json!(["Under ₹50", "₹50–150", "Over ₹150"])
            ),
            slot(
                "ASK_USER_PREFERENCES",
                "What flavor are you in the mood for?",
                json!(["Spicy", "Classic salted", "Tangy"])
            ),
        ])
    );
    let request = &world.journal().seen().requests[0];
    assert_eq!((&request["temperature"], &request["max_tokens"]), (&json!(0.0), &json!(2000)));
    assert_eq!(request["tool_choice"], json!({"type": "tool", "name": "classify_and_assess"}), "it is forced");
    let schema = &request["tools"][0]["input_schema"]["properties"];
    let intents = json!(["show_me_options", "is_this_good", "which_is_better", "show_me_alternate"]);
    let of = |field: &str| {
        let allowed = schema[field]["enum"].as_array().unwrap().iter().filter(|it| !it.is_null());
        allowed.cloned().collect::<Value>()
    };
    assert_eq!((of("product_intent"), of("domain")), (intents, json!(["f_and_b", "personal_care", "other"])));
    assert_eq!(of("follow_up_confidence"), json!(["high", "medium", "low"]));
    assert_eq!(schema["route"]["enum"], json!(["product", "support", "general"]));
    assert_eq!(schema["data_strategy"]["enum"], json!(["none", "es_fetch", "memory_only"]));

    // Both at once, with more than one choice in a slot.
    let answers = json!({"ASK_USER_PREFERENCES": ["Spicy", "Tangy"], "ASK_USER_BUDGET": ["₹50–150"]});
    let turn = answer(&world, "₹50–150; Spicy, Tangy", &answers).await;
    turn.assert_done();
    assert_eq!(
        turn.props(MessageType::Products)[0]["items"][0],
        json!({"name": "Chilli Party Pack", "price": "₹125.00", "cents": 12_500, "currency": "INR"})
    );
    let questions = session(&world)["contextual_questions"].clone();
    assert_eq!(questions["ASK_USER_PREFERENCES"]["answer"], json!(["Spicy", "Tangy"]));
}

/// Sends a message with chosen options.
async fn answer(world: &World, message: &str, answers: &Value) -> Turn {
    let body = json!({"conversationId": "a", "message": message, "answers": answers});
    Turn::read(world.ask("/api/chat/send", &body).await).await
}

#[tokio::test]
async fn an_answer_lands_in_its_slot_in_whatever_order() {
    let (budget, flavour) = ("ASK_USER_BUDGET", "ASK_USER_PREFERENCES");
    for (message, answers) in [("Spicy", json!({})), ("spicy", json!({})), ("The hot one", json!({flavour: ["Spicy"]}))]
    {
        let world = World::start().await;
        world.turn("a", "shopping", "I want chips for a party").await.assert_done();
        let turn = answer(&world, message, &answers).await;
        turn.assert_done();
        assert_eq!(turn.props(MessageType::Ask)[0]["ask_slots"][0]["slot_name"], budget, "the other one is asked for");
        let assessment = session(&world)["assessment"].clone();
        assert_eq!((&assessment["fulfilled"], &assessment["currently_asking"]), (&json!([flavour]), &json!(budget)));
    }
    // An unknown slot changes nothing.
    let world = World::start().await;
    world.turn("a", "shopping", "I want chips for a party").await.assert_done();
    answer(&world, "Over ₹150", &json!({"ASK_USER_NOTHING": ["x"]})).await.assert_done();
    assert_eq!(session(&world)["assessment"]["fulfilled"], json!([budget]));
}

/// Keeps what is shown of the first input, and continues with the second one.
#[tokio::test]
async fn a_classification_that_does_not_hold_is_asked_for_once_more() {
    let world = World::start().await;
    let slot = json!({"slot_name": "ASK_USER_METAL", "message": "Great choice! Which metal should the ring be of?",
        "options": ["Gold", "Silver", "Rosé"]});
    let wrong = json!({"ask_slots": [slot], "is_follow_up": "yes", "route": "product", "data_strategy": "es_fetch"});
    let turn = world.turn("a", "shopping", &format!("I need a ring for my sister {}", classified(&wrong))).await;
    turn.assert_done();
    let (_, told) = turn.raw.split_once("classification_start").unwrap();
    assert!(!told.contains("es_fetch") && !told.contains("\"yes\""), "{told}");
    let starts = turn.events.iter().filter(|event| event.event == EventName::ClassificationStart);
    assert_eq!(starts.count(), 1);
    let deltas = turn.events.iter().filter(|event| event.event == EventName::AskMessageDelta);
    let told: String = deltas.filter_map(|event| event.data.props.as_str()).collect();
    assert_eq!(told, "Great choice! Which metal should the ring be of?And which size does she wear? 💍", "each once");
    assert_eq!(turn.events.iter().filter(|event| event.event == EventName::AskOptions).count(), 2);
    let requests = world.journal().seen().requests;
    let again = requests[1]["messages"].as_array().unwrap();
    assert_eq!((requests.len(), again.len()), (2, 3));
    for name in ["temperature", "tool_choice", "tools", "max_tokens"] {
        assert_eq!(requests[0][name], requests[1][name], "{name}: the same is asked");
    }
    assert_eq!(again[1]["content"][0]["input"]["is_follow_up"], "yes", "it sees what it has said");
    let result = &again[2]["content"][0];
    assert_eq!(result["is_error"], true);
    assert!(result["content"].as_str().unwrap().contains("at /is_follow_up: "), "{result}");
    assert_eq!(world.stored().len(), 2, "nothing of it is stored");

    // So is an input that is no JSON, or cut.
    for fault in ["malformed", "truncated"] {
        let turn = world.turn(fault, "shopping", &format!("I need a ring for my sister #{fault}")).await;
        turn.assert_done();
        let ask = &turn.props(MessageType::Ask)[0];
        assert_eq!(ask["ask_slots"][1]["message"], "And which size does she wear? 💍", "{fault}");
    }
    assert_eq!(world.journal().seen().refusals, [""; 0]);
}

/// Writes the session at once: nothing before the input is complete, and then all of it.
#[tokio::test]
async fn the_session_is_written_once_and_whole() {
    let world = World::start().await;
    let mut stream = crate::world::Stream::of(world.post("a", "shopping", "I want chips for a party #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    assert_eq!(world.rows().len(), 0);
    world.journal().release();
    stream.rest().await;
    assert_eq!(intents(&world), json!(["A", "A1", "show_me_options", true, "f_and_b", "show_me_options"]));
}

#[tokio::test]
async fn a_search_without_questions() {
    let world = World::start().await;
    let turn = world.turn("a", "shopping", "Show me a lamp").await;
    turn.assert_done();
    assert_eq!(turn.props(MessageType::Products)[0]["items"].as_array().unwrap().len(), 2);
    assert!(turn.text().contains("Floor lamp “Lys”"));
}

#[tokio::test]
async fn memory_only_asks_again_over_the_stored_conversation() {
    let world = World::start().await;
    world.turn("a", "shopping", "I need a ring for my sister").await.assert_done();
    let before = session(&world);
    let turn = world.turn("a", "shopping", "What did I tell you?").await;
    turn.assert_done();
    assert_nothing_internal(&turn);
    assert_eq!(turn.text(), "Before this you told me: “I need a ring for my sister”.");
    let requests = world.journal().seen().requests;
    let last = requests.last().unwrap();
    assert_eq!((requests.len(), last.get("tools"), last["messages"].as_array().unwrap().len()), (3, None, 3));
    assert_eq!(session(&world), before, "a look back leaves the open questions as they are");
}

#[tokio::test]
async fn a_classification_that_does_not_hold_is_an_error_and_saves_nothing() {
    let world = World::start().await;
    world.turn("a", "shopping", "I need a ring for my sister").await.assert_done();
    let before = world.rows();
    let wrong = |member: &str, value: &str| format!("#forever {}", classified(&json!({member: value})));
    for message in [
        wrong("is_follow_up", "yes"),
        wrong("route", "internal-guess"),
        "gold #malformed #malformed@2".to_owned(),
        "gold #truncated #truncated@2".to_owned(),
    ] {
        let turn = world.turn("a", "shopping", &message).await;
        assert_eq!(turn.error(), "bad_classification", "{message}");
        assert!(!turn.names().contains(&"classification_complete"), "{message}");
        assert_eq!(world.rows(), before, "{message}");
    }
    world.turn("a", "shopping", "gold").await.assert_done();
}
