//! What strangers type: lines written without a look at the scripts. Each gets an answer, none is stored as the answer to
//! another question, and where the model can't help it says what it can do and offers something to choose from.

use chat::wire::MessageType;
use serde_json::{Value, json};

use crate::world::{Turn, World};

/// What becomes of a line.
#[derive(Clone, Copy)]
enum Then {
    /// It can't help with that.
    Elsewhere,
    /// It is answered; this is in the answer, or in a call's input.
    Says(&'static str),
    /// It is not helped with, or what went on ends, in these words.
    Offers(&'static str),
}
use Then::{Elsewhere, Offers, Says};

/// Everything that a person sees of an answer.
fn seen(turn: &Turn) -> String {
    let kinds = [MessageType::Text, MessageType::Ask, MessageType::ToolCall, MessageType::Products, MessageType::Form];
    let told = kinds.iter().flat_map(|kind| turn.props(*kind));
    told.map(|props| props.to_string().replace("\\\"", "\"")).collect()
}

/// How many answers or questions there are to choose from: options, suggestions, days of a form.
fn offered(turn: &Turn) -> usize {
    let asks = turn.props(MessageType::Ask);
    let slots = asks.iter().filter_map(|ask| ask["ask_slots"].as_array()).flatten();
    let chips: usize = slots.map(|slot| slot["options"].as_array().map_or(0, Vec::len)).sum();
    let forms: usize =
        turn.props(MessageType::Form).iter().map(|form| form["raw"].to_string().matches("Say “").count()).sum();
    let contexts = turn.props(MessageType::Context);
    let suggested: usize = contexts.iter().filter_map(|context| context["suggestions"].as_array()).map(Vec::len).sum();
    chips + forms + suggested
}

async fn hear(world: &World, conversation: &str, assistant: &str, line: &str, then: &Then) {
    let turn = world.turn(conversation, assistant, line).await;
    turn.assert_done();
    let seen = seen(&turn);
    assert!(seen.len() > 20, "{line}: {seen}");
    assert!(line.len() < 500 || !seen.contains(line), "{line} is said again");
    // A day that is none is refused in words.
    assert!(!["31 April", "30/02", "31 Feb"].iter().any(|none| line.contains(none)) || seen.contains("There is no"));
    match then {
        Elsewhere => {
            assert!(["scripted model", "There is no", "not work"].iter().any(|it| seen.contains(it)), "{line}: {seen}");
            assert!(offered(&turn) >= 2, "{line}: {seen}");
        }
        Offers(words) => assert!(seen.contains(words) && offered(&turn) >= 2, "{line}: {seen}"),
        Says(words) => assert!(seen.contains(words) && !seen.contains("scripted model"), "{line}: {seen}"),
    }
}

/// The answers that are stored of a conversation, by slot.
fn answers(world: &World, conversation: &str) -> Value {
    let rows = world.table("sessions");
    let row = rows.iter().find(|row| row.starts_with(conversation)).unwrap();
    let questions: Value = serde_json::from_str(row.split(" | ").nth(7).unwrap()).unwrap();
    let answered = questions.as_object().unwrap().iter().filter(|(_, question)| question["answer"].is_array());
    answered
        .map(|(slot, question)| (slot.trim_start_matches("ASK_USER_").to_owned(), question["answer"].clone()))
        .collect()
}

#[tokio::test]
async fn a_shop_answers_strangers() {
    let world = World::start().await;
    let none = &json!({});
    let silver = &json!({"METAL": ["silver"]});
    let tangy = &json!({"PREFERENCES": ["Tangy"]});
    let both = &json!({"BUDGET": ["₹50–150"], "PREFERENCES": ["Tangy"]});
    for (line, then, stored) in [
        ("hey, what can you do?", Says("A lamp"), none),
        ("do you ship to norway", Elsewhere, none),
        ("looking for an engagement ring for my girlfriend", Says("Which metal"), none),
        ("what's the weather like in Mumbai?", Elsewhere, none),
        ("is gold better?", Says("not sure"), none),
        ("she likes silver i think", Says("which size"), silver),
        ("no clue about the size lol", Elsewhere, silver),
        ("do you take returns", Elsewhere, silver),
        ("actually forget the ring, do you have crisps?", Says("budget"), none),
        ("nothing too hot, something tangy maybe", Says("budget"), tangy),
        ("my last order never arrived, where is it??", Elsewhere, tangy),
        ("50-150 is fine", Says("Party Pack"), both),
        ("Haben Sie auch Lampen?", Says("Kontor"), none),
    ] {
        hear(&world, "shopping", "shopping", line, &then).await;
        assert_eq!(answers(&world, "shopping"), *stored, "{line}");
    }
    // Two options at once, of which the second is no other question's.
    let world = World::start().await;
    for line in ["a ring", "rose gold"] {
        world.turn("a", "shopping", line).await.assert_done();
    }
    assert_eq!(answers(&world, "a"), json!({"METAL": ["gold", "“rosé”"]}));
    // What it is about stays as it was while a question is open.
    let world = World::start().await;
    for line in ["crisps please", "tell me a joke", "tangy"] {
        world.turn("a", "shopping", line).await.assert_done();
        assert_eq!(world.table("sessions")[0].split(" | ").nth(5), Some("f_and_b"), "{line}");
    }
}

#[tokio::test]
async fn an_accountant_answers_strangers() {
    let world = World::start().await;
    for (line, then) in [
        ("how much money do I have", Says("Savings")),
        ("what did i spend this month", Says("\"from\":\"2026-10-01\"")),
        ("and last month?", Says("\"to\":\"2026-09-30\"")),
        ("just food", Says("\"category\":\"groceries\"")),
        ("what did I spend on feb 30", Elsewhere),
        ("what did i spend on oct 16th", Says("€49.95")),
        ("compare groceries and rent", Says("€950.00 on rent")),
        ("between 2026-09-01 and 2026-09-15 what did I spend", Says("€54.20")),
        ("which account has the most money", Says("Savings with €12,500.00")),
        ("can you pay my rent for me", Elsewhere),
        ("spent on shoes?", Elsewhere),
    ] {
        hear(&world, "finance", "finance", line, &then).await;
    }
}

#[tokio::test]
async fn a_host_answers_strangers() {
    let world = World::start().await;
    for (line, then) in [
        ("any good sushi tonight?", Says("\"date\":\"2026-10-31\"")),
        ("book it for 3 people at 8pm", Says("\"time\":\"20:00\"")),
        ("i hate thai food", Says("Noted: not thai")),
        ("somewhere with pizza tomorrow", Says("\"date\":\"2026-11-01\"")),
        ("a table there for 25 please", Elsewhere),
        ("reserve napoli on 31 june", Elsewhere),
        ("do you do takeaway?", Elsewhere),
        ("italian for friday", Says("\"date\":\"2026-11-06\"")),
        ("yes book it please", Says("booked for 6 November 2026")),
        ("I like pizza but not pasta", Says("I like pizza but not pasta")),
        ("cancel my booking", Elsewhere),
    ] {
        hear(&world, "restaurant", "restaurant", line, &then).await;
    }
    let context = world.table("conversations")[0].clone();
    assert!(context.contains(r#""cuisine":"italian","dislikes":"thai""#), "{context}");
}

#[tokio::test]
async fn a_form_answers_strangers() {
    let world = World::start().await;
    for (line, then) in [
        ("weekend in Paris with my wife", Says("\"people\":2")),
        ("10 days in Japan, 3 people, starting 5 April 2027", Says("\"start\":\"2027-04-05\"")),
        ("actually make it a week", Says("7 days instead of 10")),
        ("trip to Oslo, start on 30 February", Says("There is no February 30")),
        ("what's the capital of Peru", Elsewhere),
        ("city break in New York from 2027-02-30, for two", Says("\"place\":\"New York\"")),
        ("Eine Woche in den Alpen", Says("Alpen")),
    ] {
        hear(&world, "form", "form", line, &then).await;
    }
}

/// Forty more, of which none had been tried before they stood here.
#[tokio::test]
async fn forty_lines_of_a_stranger() {
    let world = World::start().await;
    let (none, metal) = (json!({}), json!({"METAL": ["silver", "“rosé”"]}));
    let ring = json!({"METAL": ["silver", "“rosé”"], "SIZE": ["7"]});
    for (line, then, stored) in [
        ("hi there :)", Says("A lamp"), &none),
        ("i need a gift for my mum's birthday", Elsewhere, &none),
        ("something shiny maybe", Elsewhere, &none),
        ("ok a ring then", Says("Which metal"), &none),
        ("not gold please", Says("which size"), &metal),
        ("size? no idea, average", Elsewhere, &metal),
        ("what's your return policy", Elsewhere, &metal),
        ("can i talk to a human", Elsewhere, &metal),
        ("7", Says("Dawn"), &ring),
        ("haha nice. got anything salty to eat?", Elsewhere, &none),
        ("no wait, a lamp", Says("Kontor"), &none),
        ("ich suche einen Ring", Says("Which metal"), &none),
        ("chips but not spicy", Says("budget"), &none),
        ("cheap ones", Elsewhere, &none),
    ] {
        hear(&world, "shopping", "shopping", line, &then).await;
        assert_eq!(answers(&world, "shopping"), *stored, "{line}");
    }
    for (assistant, line, then) in [
        ("finance", "hi", Elsewhere),
        ("finance", "am i broke", Says("Savings")),
        ("finance", "whats left on my credit card", Says("−€319.99")),
        ("finance", "how much did i blow on food last month", Says("€116.00 on groceries")),
        ("finance", "and in august?", Says("\"category\":\"groceries\"")),
        ("finance", "what about rent", Says("€950.00 on rent")),
        ("finance", "show me everything i spent since october 1", Says("\"to\":\"2026-10-31\"")),
        ("finance", "transfer 50 euros to bob", Elsewhere),
        ("finance", "what was my biggest expense", Elsewhere),
        ("finance", "give me some advice on travel", Says("You ask about travel")),
        ("restaurant", "im starving", Says("Sakura")),
        ("restaurant", "ramen", Says("Hoshi")),
        ("restaurant", "no actually pizza, for tomorrow night", Says("\"date\":\"2026-11-01\"")),
        ("restaurant", "book the second one for 4 at half 8", Elsewhere),
        ("restaurant", "is it vegetarian friendly?", Elsewhere),
        ("restaurant", "on 32 december", Elsewhere),
        ("restaurant", "je voudrais une table pour deux", Says("\"party\":2")),
        ("form", "3 nights in Rome next weekend, just me", Says("\"people\":1")),
        ("form", "no, Lisbon", Says("\"place\":\"Lisbon\"")),
        ("form", "two adults and a kid to Vienna from 2 May for 5 days", Says("\"people\":3")),
        ("form", "wir wollen nach Wien", Says("\"place\":\"Wien\"")),
    ] {
        hear(&world, assistant, assistant, line, &then).await;
    }
}

/// Forty more, some of them one after the other: slips of the fingers, changes of mind, other languages, several things
/// at once, days that are none, and very long ones.
#[tokio::test]
async fn lines_in_a_row() {
    let world = World::start().await;
    let long =
        "my sister's neighbour moved here from a village in the mountains and told me about your thing, ".repeat(9);
    let long = long.as_str();
    for (conversation, line, then, domain) in [
        ("s1", "I need a birthday present for my dad, he's 60 and likes fishing", Elsewhere, "other"),
        ("s1", "hmm forget that, just get me some beer", Elsewhere, "other"),
        ("s1", "undo", Elsewhere, "other"),
        ("s2", "i want chps", Says("budget"), "f_and_b"),
        ("s2", "both", Elsewhere, "f_and_b"),
        ("s2", "not more than 3 dollars, no palm oil, and can it be here by friday?", Elsewhere, "f_and_b"),
        ("s3", "Quiero patatas fritas para una fiesta", Elsewhere, "other"),
        ("s3", "🍕🍕🍕", Elsewhere, "other"),
        ("s3", "are you a real person?", Elsewhere, "other"),
        ("s3", long, Elsewhere, "other"),
    ] {
        hear(&world, conversation, "shopping", line, &then).await;
        let rows = world.table("sessions");
        let row = rows.iter().find(|row| row.starts_with(conversation)).unwrap();
        assert_eq!(row.split(" | ").nth(5), Some(domain), "{line}");
        assert!(!row.contains("\"answer\":["), "{line}: {row}");
    }
    for (assistant, conversation, line, then) in [
        ("finance", "m1", "how much did i spend last month", Says("\"from\":\"2026-09-01\"")),
        ("finance", "m1", "and the month before?", Says("\"from\":\"2026-08-01\"")),
        ("finance", "m1", "no i meant in total since january", Says("From 1 January 2026 to 31 October 2026")),
        ("finance", "m2", "what did I pay on 31 February", Elsewhere),
        ("finance", "m2", "wie viel habe ich für Lebensmittel ausgegeben?", Elsewhere),
        ("finance", "m3", "grocerys vs travle this month??", Says("€640.00 on travel")),
        ("finance", "m3", "can i afford a holiday in july, how much is my rent, and cancel netflix", Elsewhere),
        ("finance", "m3", "undo", Elsewhere),
        ("finance", "m4", "who can see my data?", Elsewhere),
        ("finance", "m4", "💸💸💸", Elsewhere),
        ("restaurant", "r1", "table for 4 tomorrow at 8pm pls", Says("At which restaurant?")),
        ("restaurant", "r1", "actually make it 6 people", Says("6 people instead of 4")),
        ("restaurant", "r1", "cancel it", Offers("I have stopped")),
        ("restaurant", "r2", "somewhere quiet near the station, my wife is vegan and my son hates cheese", Elsewhere),
        ("restaurant", "r2", "ok", Elsewhere),
        ("restaurant", "r2", "30/02", Elsewhere),
        ("restaurant", "r3", "je voudrais réserver une table pour deux ce soir", Says("At which restaurant?")),
        ("restaurant", "r3", "asdfghjkl", Elsewhere),
        ("restaurant", "r3", "what can you do?", Elsewhere),
        ("restaurant", "r3", "🍝", Elsewhere),
        ("form", "f1", "a weekend in Lisbon from 12 June, two adults and a baby", Says("\"people\":3")),
        ("form", "f1", "sorry, I meant July", Says("12 July 2027 instead of 12 June 2027")),
        ("form", "f1", "undo", Elsewhere),
        ("form", "f2", "two weeks in Japn in the autmn, budget 4000 euro", Says("\"place\":\"Japn\"")),
        ("form", "f2", "make it cheaper", Elsewhere),
        ("form", "f3", "leaving 31 April, back on 3 May", Elsewhere),
        ("form", "f3", "eine Woche Wien", Says("\"place\":\"Wien\"")),
        ("form", "f3", "no", Elsewhere),
        ("form", "f4", "why do you ask for this?", Elsewhere),
        ("form", "f4", long, Elsewhere),
    ] {
        hear(&world, conversation, assistant, line, &then).await;
    }
}

/// Changes of mind, ends, and other languages: none had been tried before they stood here.
#[tokio::test]
async fn minds_change_tasks_end_and_not_all_speak_english() {
    let world = World::start().await;
    let foreign = Offers("know English only");
    for (assistant, conversation, line, then) in [
        ("shopping", "s1", "looking for a ring for my wife", Says("Which metal")),
        ("shopping", "s1", "gold", Says("which size")),
        ("shopping", "s1", "hmm wait, silver is better I think", Says("Changed: silver instead of gold")),
        ("shopping", "s1", "je ne sais pas quelle taille", foreign),
        ("shopping", "s1", "sorry scratch that, rose. and size 7", Says("Dawn")),
        ("shopping", "s1", "make it silver instead", Says("Changed: silver instead of “rosé”")),
        ("shopping", "s2", "chips for movie night", Says("budget")),
        ("shopping", "s2", "keine Ahnung, was ist billig?", foreign),
        ("shopping", "s2", "never mind, start over", Offers("that is off")),
        ("shopping", "s2", "Ich möchte bitte etwas anderes", foreign),
        ("shopping", "s2", "whatever, stop", Offers("that is off")),
        ("finance", "m1", "how much did I spend on groceries in September", Says("€116.00 on groceries")),
        ("finance", "m1", "sorry, I meant August", Says("Changed: groceries from 1 August 2026 to 31 August 2026")),
        ("finance", "m1", "no, travel", Says("Changed: travel from 1 August 2026 to 31 August 2026")),
        ("finance", "m1", "forget it", Offers("I have stopped")),
        ("finance", "m1", "¿cuánto dinero tengo?", foreign),
        ("finance", "m1", "Сколько я потратил на еду?", foreign),
        ("restaurant", "r1", "can you get me a table at Baan on Thursday for 2", Says("booked for 5 November 2026")),
        ("restaurant", "r1", "oh wait, make it Saturday", Offers("stays booked for 5 November 2026")),
        ("restaurant", "r1", "cancel my reservation please", Offers("stays booked for 5 November 2026")),
        ("restaurant", "r2", "pasta place for tonight", Says("Napoli")),
        ("restaurant", "r2", "actually tomorrow", Says("Changed: 1 November 2026 instead of 31 October 2026")),
        ("restaurant", "r2", "yes, for five, at 7", Says("\"party\":5")),
        ("restaurant", "r2", "今晩の予約をお願いします", foreign),
        ("restaurant", "r3", "vorrei un tavolo per due", foreign),
        ("restaurant", "r4", "Book a table at Sakura for 1 at 19:30 tomorrow", Says("\"party\":1")),
        ("restaurant", "r5", "I would like a table tomorrow for 4", Says("At which restaurant?")),
        ("restaurant", "r5", "Sakura, for 2 at 20:00 please", Says("\"party\":2")),
        ("shopping", "s3", "I want chips for a party", Says("budget")),
        ("shopping", "s3", "kein Spicy bitte", Says("budget")),
        ("form", "f1", "five days in Lisbon with my sister, from 3 December", Says("\"people\":2")),
        ("form", "f1", "no, three persons", Says("3 people instead of 2")),
        ("form", "f1", "actually make it Friday", Says("6 November 2026 instead of 3 December 2026")),
        ("form", "f1", "change the place to Porto", Says("Porto instead of Lisbon")),
        ("form", "f1", "not Porto, Sevilla", Says("Sevilla instead of Porto")),
        ("form", "f1", "não quero mais", foreign),
        ("form", "f1", "start over", Offers("that trip is off")),
    ] {
        hear(&world, conversation, assistant, line, &then).await;
    }
    let stored = ["s1", "s2", "s3"].map(|conversation| answers(&world, conversation));
    let left = json!({"PREFERENCES": ["Classic salted", "Tangy"]});
    assert_eq!(stored, [json!({"METAL": ["silver"], "SIZE": ["7"]}), json!({}), left]);
}

/// What is ruled out is not found.
#[tokio::test]
async fn a_search_understands_not() {
    let world = World::start().await;
    for line in ["chips but not spicy", "surprise me", "whatever, you choose"] {
        world.turn("a", "shopping", line).await.assert_done();
    }
    for line in ["crisps", "50-150", "not salted, not tangy"] {
        let turn = world.turn("b", "shopping", line).await;
        turn.assert_done();
        if line.starts_with("not") {
            let items = &turn.props(MessageType::Products)[0]["items"];
            assert_eq!(
                (items.as_array().unwrap().len(), &items[0]["name"]),
                (1, &json!("Chilli Party Pack")),
                "{items}"
            );
        }
    }
    let said = world.turn("a", "shopping", "chips, anything but not spicy, 50-150, classic salted").await;
    let seen = seen(&said);
    assert!(!seen.contains("Masala") && !seen.contains("Chilli"), "{seen}");
}
