//! Questions: they grow, their options are chips once their array has closed, and answers land in their slots.

use crate::stage::{Setup, on_stage, recording};

const CHIP: &str = "[...document.querySelectorAll('#chat .chip')].find((chip) => chip.textContent === 'WORDS').click()";

/// Each cut of the call's input, the rest never sent: chips show just where their array has closed.
#[tokio::test(flavor = "multi_thread")]
async fn chips_show_only_when_their_array_is_closed() {
    let input = r#"{"ask_slots":[{"message":"Size?","options":["S","M"]},{"message":"Hue?","options":["red",""#;
    let closed = input.find(']').unwrap() + 1;
    let asked = input.find("Size?").unwrap();
    let cuts: Vec<usize> = (asked..=input.len()).collect();
    let tool = Some("classify_and_assess");
    let recordings =
        cuts.iter().map(|&cut| (format!("cut-{cut}.sse"), recording(&[&input[..cut]], tool, false))).collect();
    on_stage(Setup { recordings, ..Setup::default() }, async |stage| {
        for &cut in &cuts {
            stage.open("shopping").await;
            stage.ask(&format!("#replay:cut-{cut}.sse")).await;
            let chips = stage
                .eval("return [...document.querySelectorAll('#chat .chips .chip')].map((chip) => chip.textContent)")
                .await;
            let expected = if cut >= closed { serde_json::json!(["S", "M"]) } else { serde_json::json!([]) };
            assert_eq!(chips, expected, "after `{}`", &input[..cut]);
            let slot = stage.text("#chat .slot .question").await;
            assert_eq!(slot, "Size?"[..(cut - asked).min(5)].to_owned(), "after `{}`", &input[..cut]);
            assert!(!stage.text("#chat .turn-error").await.is_empty());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_chips_are_chosen_and_sent_once_each_in_its_slot() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.ask("I want chips for a party").await;
        let questions =
            stage.eval("return [...document.querySelectorAll('#chat .question')].map((it) => it.textContent)").await;
        let expected = ["Great! What's your budget range for chips?", "What flavor are you in the mood for?"];
        assert_eq!(questions, serde_json::json!(expected));
        // Out of order, one of them taken back, with a draft in the field.
        stage.eval("document.querySelector('#message').value = 'a draft'").await;
        for words in ["Tangy", "Spicy", "Classic salted", "Classic salted", "₹50–150"] {
            stage.eval(&CHIP.replace("WORDS", words)).await;
        }
        assert_eq!(
            stage.eval("return document.querySelectorAll('#chat .mine').length").await,
            1,
            "nothing is sent yet"
        );
        // A double click.
        stage.eval("const send = document.querySelector('#chat .send-choice'); send.click(); send.click()").await;
        stage.until_idle().await;
        let said =
            stage.eval("return [...document.querySelectorAll('#chat .mine .said')].map((it) => it.textContent)").await;
        assert_eq!(said, serde_json::json!(["I want chips for a party", "₹50–150; Spicy, Tangy"]));
        assert_eq!(stage.eval("return document.querySelectorAll('#chat .theirs').length").await, 2);
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "a draft");
        assert_eq!(stage.text("#chat .products li strong").await, "Chilli Party Pack", "both slots have their answers");
        // What was answered is frozen, with the choice marked; after a reload too.
        let frozen = "return [...document.querySelectorAll('#chat .chip')].map((it) => \
                      [it.textContent, it.disabled, it.ariaPressed === 'true'])";
        let expected = [("Under ₹50", false), ("₹50–150", true), ("Over ₹150", false), ("Spicy", true)];
        let expected = expected.iter().chain(&[("Classic salted", false), ("Tangy", true)]);
        let expected: Vec<_> = expected.map(|(words, is_chosen)| (words, true, is_chosen)).collect();
        assert_eq!(stage.eval(frozen).await, serde_json::json!(expected));
        stage.eval("addEventListener('pagehide', () => sessionStorage.clear())").await;
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        assert_eq!(stage.eval(frozen).await, serde_json::json!(expected));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_slots_with_one_text_both_show() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.ask("Sizes for the twins, please").await;
        let questions =
            stage.eval("return [...document.querySelectorAll('#chat .question')].map((it) => it.textContent)").await;
        assert_eq!(questions, serde_json::json!(["Which size?", "Which size?"]));
        stage.eval(&CHIP.replace("WORDS", "L")).await;
        stage.press("#chat .send-choice").await;
        stage.until_idle().await;
        let said =
            stage.eval("return [...document.querySelectorAll('#chat .mine .said')].map((it) => it.textContent)").await;
        assert_eq!(said, serde_json::json!(["Sizes for the twins, please", "L"]));
        // The second slot was answered, so the first one is asked for.
        assert_eq!(
            stage.eval("return document.querySelector('#chat .theirs:last-child .chip').textContent").await,
            "S"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shop_says_that_it_decides_from_the_first_token_on() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("shopping").await;
        let state = "[document.querySelector('#chat .thinking')?.open, \
                     document.querySelector('#chat .thinking summary')?.textContent, \
                     document.querySelectorAll('#chat .chips').length].join()";
        stage.watch(state).await;
        stage.ask("I want chips for a party").await;
        let seen = stage.texts_seen().await;
        assert!(seen.contains(&"false,Deciding…,0".to_owned()), "questions come first: {seen:?}");
        assert_eq!(seen.last().unwrap(), "false,The model's reasoning,2", "{seen:?}");
    })
    .await;
}
