//! Classifies and asks: which values are shown while the call streams, which never are, and how the session advances.

use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{Turn, World};

const RING: &str = "I need a ring for my sister";
const CHIPS: &str = "I want chips for a party";

/// Internal values that the model says, and names in the session. The call's keys are sent, as part of its text.
const INTERNAL: &str = "\
    internal- memory_only es_fetch f_and_b chips_and_crisps show_me_options search_products bot_identity \
    is_product_related assessment missing_data priority_order original_query";

/// Sends a message whose turn succeeds and shows nothing internal.
async fn done(world: &World, message: &str) -> Turn {
    let turn = world.done("a", "shopping", message).await;
    for word in INTERNAL.split(' ') {
        assert!(!turn.raw.contains(word), "{word} is in {}", turn.raw);
    }
    turn
}

/// Returns the assistant's message.
fn ask(turn: &Turn) -> Value {
    turn.props(MessageType::Ask).remove(0)
}

fn slot(name: &str, message: &str, options: &[&str]) -> Value {
    json!({"slot_name": name, "message": message, "type": "multi_choice", "options": options})
}

fn session(world: &World) -> Value {
    world.saved("a")["session"].clone()
}

/// Returns the values of the session that are no questions.
fn intents(world: &World) -> Value {
    let session = session(world);
    let names = ["intent_l1", "intent_l2", "intent_l3", "is_product_related", "domain", "product_intent"];
    names.into_iter().map(|name| session[name].clone()).collect()
}

/// Returns a message that gets this classification.
fn classified(input: &Value) -> String {
    format!("#tool:classify_and_assess:{}", input.to_string().replace(' ', "\\u0020"))
}

/// Sends a message with chosen options.
async fn answer(world: &World, message: &str, answers: &Value) -> Turn {
    let body = json!({"conversationId": "a", "message": message, "answers": answers});
    Turn::read(world.ask("/api/chat/send", &body).await).await
}

#[tokio::test]
async fn a_simple_answer_streams_and_is_saved() {
    let world = World::start().await;
    let turn = done(&world, "Hi there").await;
    let names = "user_message classification_start simple_response_delta ask_options reasoning_delta";
    assert_eq!(turn.names().join(" "), format!("{names} classification_complete done"));
    let words = "I am a scripted model and know a few scenes only. Try one of these:";
    assert_eq!(ask(&turn)["simple_response"]["message"], words);
    assert_eq!(ask(&turn)["simple_response"]["suggestions"][0], CHIPS);
    assert_eq!(world.stored()[1], json!([{"type": "text", "text": words}]));
    assert_eq!(world.saved("a")["assistant"], "shopping");
    assert_eq!(intents(&world), json!(["E", "E2", "bot_identity", false, "other", null]));
    // Nothing is sent about values without a character: their end would be at a place that the client does not have.
    for reasoning in [json!(null), json!(""), json!("why")] {
        for words in ["", "Hello"] {
            let input = json!({"route": "general", "data_strategy": "none", "reasoning": reasoning,
                "simple_response": {"message": words}});
            let turn = done(&world, &classified(&input)).await;
            assert_eq!(ask(&turn)["simple_response"]["message"], words, "{reasoning}");
        }
    }
}

/// Sends each question, also one that has the words of another.
#[tokio::test]
async fn questions_grow_and_options_come_whole() {
    let alike = json!({"ask_slots": [
        {"message": "Which size is it to be?", "options": ["S", "M"], "slot_name": "ASK_USER_FIRST_SIZE"},
        {"message": "Which size is it to be?", "options": ["L", "XL"], "slot_name": "ASK_USER_SECOND_SIZE"},
    ], "reasoning": "Both sizes are missing, and both are to be asked for.", "route": "product", "data_strategy": "es_fetch"});
    let ring = [
        slot("ASK_USER_METAL", "Great choice! Which metal should the ring be of?", &["Gold", "Silver", "Rosé"]),
        slot("ASK_USER_SIZE", "And which size does she wear? 💍", &["6", "7", "8"]),
    ];
    let sizes = [
        slot("ASK_USER_FIRST_SIZE", "Which size is it to be?", &["S", "M"]),
        slot("ASK_USER_SECOND_SIZE", "Which size is it to be?", &["L", "XL"]),
    ];
    for (message, slots) in [(RING, ring), (&*classified(&alike), sizes)] {
        let world = World::start().await;
        let turn = world.done("a", "shopping", message).await;
        assert_eq!(ask(&turn)["ask_slots"], json!(slots));
        let at = |name: EventName, path: &str| {
            let is_it = |it: &chat::wire::Event| it.event == name && it.data.delta_path.as_deref() == Some(path);
            turn.events.iter().rposition(is_it).unwrap()
        };
        for (number, slot) in slots.iter().enumerate() {
            let path = format!("/ask_slots/{number}/message");
            let pieces = turn.pieces(&path);
            assert!(pieces.len() >= 5, "{pieces:?}");
            assert_eq!(pieces.concat(), slot["message"]);
            let options = at(EventName::AskOptions, &format!("/ask_slots/{number}/options"));
            assert_eq!(turn.events[options].data.props, slot["options"], "whole");
        }
        assert_eq!(turn.count(EventName::AskOptions), 2);
        // The first options are there before the second question ends.
        let (options, question) = ("/ask_slots/0/options", "/ask_slots/1/message");
        assert!(at(EventName::AskOptions, options) < at(EventName::AskMessageDelta, question));
        // The merged message equals the decision, and the slots' names are internal until then.
        let complete = turn.events.iter().position(|it| it.event == EventName::ClassificationComplete).unwrap();
        assert_eq!(turn.events[complete].data.props, ask(&turn));
        assert!(!json!(turn.events[1..complete]).to_string().contains("ASK_USER_"));
    }
    let world = World::start().await;
    let turn = done(&world, RING).await;
    // The first question is sent before a fifth of the call was.
    let first = turn.events.iter().position(|event| event.event == EventName::AskMessageDelta).unwrap();
    assert!(first * 5 < turn.events.len(), "{first} of {}", turn.events.len());
    // Hidden values have one width, whatever they are.
    let blocks = turn.events.iter().filter(|event| event.data.props == "▇▇▇");
    assert_eq!(blocks.count(), 11, "two slots' names, and nine fields");
}

#[tokio::test]
async fn answers_move_the_session_on_until_the_catalogue_is_searched() {
    let mut world = World::start().await;
    done(&world, RING).await;
    let (metal, size) = ("ASK_USER_METAL", "ASK_USER_SIZE");
    assert_eq!(
        session(&world)["assessment"],
        json!({
            "original_query": RING, "intent": "show_me_options", "missing_data": [metal, size],
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
    let turn = done(&world, "gold").await;
    assert_eq!(ask(&turn)["ask_slots"][0]["message"], "And which size does she wear? 💍");
    let second = session(&world)["assessment"].clone();
    assert_eq!((&second["fulfilled"], &second["currently_asking"]), (&json!([metal]), &json!(size)));

    let turn = done(&world, "7").await;
    assert_eq!(
        turn.props(MessageType::Products),
        [json!({"items": [{"name": "Gold ring “Solstice”", "price": "€489.00", "cents": 48_900, "currency": "EUR"}]})]
    );
    assert_eq!(turn.text(), "I have found 1: Gold ring “Solstice”.");
    let third = session(&world)["assessment"].clone();
    assert_eq!(
        (&third["fulfilled"], &third["currently_asking"], &third["missing_data"]),
        (&json!([metal, size]), &Value::Null, &json!([]))
    );
    assert_eq!(third["original_query"], RING);
    let questions = session(&world)["contextual_questions"].clone();
    assert_eq!((&questions[metal]["answer"], &questions[size]["answer"]), (&json!(["Gold"]), &json!(["7"])));
}

#[tokio::test]
async fn support_is_a_route_of_its_own_and_a_guess_is_not_stored() {
    let world = World::start().await;
    done(&world, "Where is my order?").await;
    assert_eq!(intents(&world), json!(["E", "E2", "support", false, "other", null]));
    done(&world, CHIPS).await;
    let before = session(&world);
    let guess = json!({"route": "product", "data_strategy": "none", "is_follow_up": true, "follow_up_confidence": "low",
        "simple_response": {"message": "Is that an answer?"}});
    done(&world, &classified(&guess)).await;
    assert_eq!(session(&world), before);
    // An answer that was given can be changed, also after the search, and what is found fits it.
    for (said, found) in [("under ₹50", ""), ("Spicy", "Masala Crunch."), ("Tangy", "Lime Twists.")] {
        let text = done(&world, said).await.text();
        assert!(text.ends_with(found), "{text}");
    }
}

/// Compares the first scene with the description of this system, word for word.
#[tokio::test]
async fn chips_for_a_party_ask_for_budget_and_flavour() {
    let world = World::start().await;
    let turn = done(&world, CHIPS).await;
    let budget = ["Under ₹50", "₹50–150", "Over ₹150"];
    let flavour = ["Spicy", "Classic salted", "Tangy"];
    assert_eq!(
        ask(&turn)["ask_slots"],
        json!([
            slot("ASK_USER_BUDGET", "Great! What's your budget range for chips?", &budget),
            slot("ASK_USER_PREFERENCES", "What flavor are you in the mood for?", &flavour),
        ])
    );
    let request = &world.journal().seen().requests[0];
    assert_eq!((&request["temperature"], &request["max_tokens"]), (&json!(0.0), &json!(2000)));
    assert_eq!(request["tool_choice"], json!({"type": "tool", "name": "classify_and_assess"}), "it is forced");
    let schema = &request["tools"][0]["input_schema"]["properties"];
    for (field, allowed) in [
        ("product_intent", "show_me_options is_this_good which_is_better show_me_alternate"),
        ("domain", "f_and_b personal_care other"),
        ("follow_up_confidence", "high medium low"),
        ("route", "product support general"),
        ("data_strategy", "none es_fetch memory_only"),
    ] {
        let values: Vec<&str> = schema[field]["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(values.join(" "), allowed);
    }
    // Both at once, with more than one choice in a slot.
    let answers = json!({"ASK_USER_PREFERENCES": ["Spicy", "Tangy"], "ASK_USER_BUDGET": ["₹50–150"]});
    let turn = answer(&world, "₹50–150; Spicy, Tangy", &answers).await;
    assert_eq!(
        turn.props(MessageType::Products)[0]["items"][0],
        json!({"name": "Chilli Party Pack", "price": "₹125.00", "cents": 12_500, "currency": "INR"})
    );
    let questions = session(&world)["contextual_questions"].clone();
    assert_eq!(questions["ASK_USER_PREFERENCES"]["answer"], json!(["Spicy", "Tangy"]));
}

#[tokio::test]
async fn an_answer_lands_in_its_slot_in_whatever_order() {
    let (budget, flavour) = ("ASK_USER_BUDGET", "ASK_USER_PREFERENCES");
    for (message, answers, fulfilled, asked) in [
        ("Spicy", json!({}), flavour, budget),
        ("spicy", json!({}), flavour, budget),
        ("The hot one", json!({flavour: ["Spicy"]}), flavour, budget),
        // An unknown slot changes nothing.
        ("Over ₹150", json!({"ASK_USER_NOTHING": ["x"]}), budget, flavour),
    ] {
        let world = World::start().await;
        done(&world, CHIPS).await;
        let turn = answer(&world, message, &answers).await;
        assert_eq!(ask(&turn)["ask_slots"][0]["slot_name"], asked, "the other one is asked for");
        let assessment = session(&world)["assessment"].clone();
        assert_eq!((&assessment["fulfilled"], &assessment["currently_asking"]), (&json!([fulfilled]), &json!(asked)));
    }
}

/// Keeps what is shown of the first input, and continues with the second one.
#[tokio::test]
async fn a_classification_that_does_not_hold_is_asked_for_once_more() {
    let world = World::start().await;
    let slot = json!({"slot_name": "ASK_USER_METAL", "message": "Great choice! Which metal should the ring be of?",
        "options": ["Gold", "Silver", "Rosé"]});
    let wrong = json!({"ask_slots": [slot], "is_follow_up": "yes", "route": "product", "data_strategy": "es_fetch"});
    let turn = world.done("a", "shopping", &format!("{RING} {}", classified(&wrong))).await;
    let (_, told) = turn.raw.split_once("classification_start").unwrap();
    assert!(!told.contains("es_fetch") && !told.contains("\"yes\""), "{told}");
    assert_eq!((turn.count(EventName::ClassificationStart), turn.count(EventName::AskOptions)), (1, 2));
    assert_eq!(turn.pieces("/ask_slots/0/message").concat(), slot["message"], "once");
    assert_eq!(turn.pieces("/ask_slots/1/message").concat(), "And which size does she wear? 💍");
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
        let turn = world.done(fault, "shopping", &format!("{RING} #{fault}")).await;
        assert_eq!(ask(&turn)["ask_slots"][1]["message"], "And which size does she wear? 💍", "{fault}");
    }
}

#[tokio::test]
async fn a_classification_that_does_not_hold_is_an_error_and_saves_nothing() {
    let world = World::start().await;
    done(&world, RING).await;
    let before = world.rows();
    let wrong = |member: &str, value: &str| format!("#forever {}", classified(&json!({member: value})));
    for message in [
        wrong("is_follow_up", "yes"),
        wrong("route", "internal-guess"),
        "gold #malformed #malformed@2".to_owned(),
        "gold #truncated #truncated@2".to_owned(),
    ] {
        let turn = world.turn("a", "shopping", &message).await;
        assert_eq!(
            (turn.error(), turn.count(EventName::ClassificationComplete)),
            ("bad_classification", 0),
            "{message}"
        );
        assert_eq!(world.rows(), before, "{message}");
    }
    done(&world, "gold").await;
}

/// Writes the session at once: nothing before the input is complete, and then all of it.
#[tokio::test]
async fn the_session_is_written_once_and_whole() {
    let world = World::start().await;
    let mut stream = world.send("a", "shopping", &format!("{CHIPS} #hold")).await;
    world.until_held(1).await;
    assert_eq!(world.rows().len(), 0);
    world.journal().release();
    stream.rest().await;
    assert_eq!(intents(&world), json!(["A", "A1", "show_me_options", true, "f_and_b", "show_me_options"]));
}

#[tokio::test]
async fn a_search_without_questions() {
    let world = World::start().await;
    let turn = done(&world, "Show me a lamp").await;
    assert_eq!(turn.props(MessageType::Products)[0]["items"].as_array().unwrap().len(), 2);
    assert!(turn.text().contains("Floor lamp “Lys”"));
}

#[tokio::test]
async fn memory_only_asks_again_over_the_stored_conversation() {
    let world = World::start().await;
    done(&world, RING).await;
    let before = session(&world);
    let turn = done(&world, "What did I tell you?").await;
    assert_eq!(turn.text(), format!("Before this you told me: “{RING}”."));
    let requests = world.journal().seen().requests;
    let last = requests.last().unwrap();
    assert_eq!((requests.len(), last.get("tools"), last["messages"].as_array().unwrap().len()), (3, None, 3));
    assert_eq!(session(&world), before, "a look back leaves the open questions as they are");
}
