//! What a stranger sees first.

use serde_json::json;

use crate::stage::{Setup, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_sees_what_this_is_and_a_call_that_streams_beside_one_that_waits() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        assert!(stage.text(".lead").await.contains("reads a model's JSON as it arrives"));
        stage.until("return document.querySelector('#badge').textContent === 'scripted model'").await;
        // The component of the demo page: the user's page has questions while the client that waits has nothing.
        stage.until("return document.querySelector('#stage .seen').textContent.includes('winter jacket')").await;
        assert!(stage.text("#stage .done").await.contains("Nothing may be acted on yet"));
        stage.until("return document.querySelector('#stage .done.valid')").await;
        let seen = stage.text("#stage .seen").await;
        assert!(seen.contains("\"all in\"") && seen.contains("€150") && !seen.contains("margin"), "{seen}");
        assert_eq!(stage.texts("#stage .waits b").await, ["12.4 s"]);
        for file in ["classify.rs", "tool_loop.rs", "hidden_context.rs", "form.rs"] {
            let paper = reqwest::get(format!("{}/{file}", stage.line.address)).await.unwrap();
            assert!(paper.status() == 200 && paper.text().await.unwrap().len() > 1000, "{file}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_cards_each_one_click_from_an_answer() {
    on_stage(Setup::default(), async |stage| {
        for (width, height) in [(1440, 900), (390, 844)] {
            stage.look_as(width, height, "light").await;
            stage.open("shopping").await;
            stage.until("return document.querySelector('#about-model').textContent.includes('scripted')").await;
            stage.until("return document.querySelector('#stage .panel')").await;
            let panel = "return document.querySelector('#details').getClientRects().length";
            assert_eq!(stage.eval(panel).await, 0, "there is nothing to inspect yet");
            let cards =
                "return [...document.querySelectorAll('#cards button')].map((it) => it.getBoundingClientRect())";
            let cards = stage.eval(cards).await;
            let cards = cards.as_array().unwrap();
            assert_eq!(cards.len(), 4);
            let edge = |of: &serde_json::Value, side: &str| of[side].as_f64().unwrap();
            let is_wide = width > 600;
            assert!(edge(&cards[3], "right") - edge(&cards[0], "left") > f64::from(width) * 0.8);
            if is_wide {
                let bottom = stage.eval("return document.querySelector('.composer').getBoundingClientRect().top").await;
                assert!(
                    cards.iter().all(|card| edge(card, "bottom") <= bottom.as_f64().unwrap()),
                    "in sight: {cards:?}"
                );
            }
            stage.press("#cards li:nth-child(2) button").await;
            stage.until_idle().await;
            assert_eq!(stage.texts("#chat .mine .said").await, ["Compare my spending this month to last month"]);
            assert!(stage.eval("return location.hash").await.as_str().unwrap().starts_with("#finance/"));
            assert_eq!(stage.eval(panel).await, i32::from(is_wide), "the details come with the first turn");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_header_fits_every_phone() {
    on_stage(Setup::default(), async |stage| {
        for width in [320, 340, 360, 375, 390, 391, 412, 600] {
            stage.look_as(width, 740, "light").await;
            stage.open("finance").await;
            stage.until("return !document.querySelector('#badge').hidden").await;
            let outside = "return [...document.querySelectorAll('.bar :is(h1, select, button, summary, .badge)')] \
                           .filter((it) => it.getClientRects().length > 0) \
                           .filter((it) => it.getBoundingClientRect().right > innerWidth + 0.5) \
                           .map((it) => it.textContent)";
            assert_eq!(stage.eval(outside).await, json!([]), "at {width}");
            let height = stage.eval("return document.querySelector('.bar').getBoundingClientRect().height").await;
            assert!(height.as_f64().unwrap() < 64.0, "one row at {width}: {height}");
            stage.press("#conversations summary").await;
            let sides = "const { left, right } = document.querySelector('#conversation-list').getBoundingClientRect(); \
                         return left >= 0 && right <= innerWidth && right - left > 200";
            assert_eq!(stage.eval(sides).await, true, "the list of conversations at {width}");
        }
    })
    .await;
}
