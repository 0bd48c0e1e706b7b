//! What a stranger sees first.

use serde_json::json;

use crate::stage::{Setup, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_sees_what_this_is_and_a_call_that_streams_beside_one_that_waits() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        assert!(stage.text(".lead").await.contains("a Rust library that parses a model's JSON as it streams in"));
        stage.until("return document.querySelector('#badge').textContent === 'scripted model'").await;
        // The streaming side has questions while the other one waits.
        stage
            .until(
                "return document.querySelector('#compared-streaming .compared-question') \
                 && document.querySelector('#compared-waiting').textContent.includes('Waiting')",
            )
            .await;
        let both = "return document.querySelector('#compared-time').textContent.includes('instead of') \
                    && document.querySelector('#compared-streaming').textContent \
                    === document.querySelector('#compared-waiting').textContent";
        stage.until(both).await;
        for file in ["README.md", "shopping.rs"] {
            let paper = reqwest::get(format!("{}/{file}", stage.line.address)).await.unwrap();
            assert!(paper.status() == 200 && paper.text().await.unwrap().len() > 1000, "{file}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_can_tell_what_is_scripted_and_what_to_press() {
    on_stage(Setup::default(), async |stage| {
        for (width, height) in [(1280, 800), (360, 740)] {
            stage.look_as(width, height, "light").await;
            stage.open("shopping").await;
            stage.until("return document.querySelector('#about-model').textContent.includes('scripted')").await;
            // From its beginning: first what this is, then the comparison, then what to press.
            let tops = "return ['.bar', '.welcome h2', '.lead', '#comparison', '#suggestions', '#about-model'] \
                        .map((it) => document.querySelector(it).getBoundingClientRect().top)";
            let tops: Vec<f64> = serde_json::from_value(stage.eval(tops).await).unwrap();
            assert!(tops.is_sorted() && tops[1] > 0.0, "{tops:?}");
            let header = "return document.querySelector('.bar').getBoundingClientRect().bottom";
            assert!(tops[1] >= stage.eval(header).await.as_f64().unwrap(), "the welcome is not scrolled: {tops:?}");
        }
        stage.press("#suggestions .chip").await;
        stage.until_idle().await;
        assert_eq!(stage.texts("#chat .mine .said").await, ["I want chips for a party"]);
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
            let outside = "return [...document.querySelectorAll('.bar :is(h1, a, button, summary, .badge)')] \
                           .filter((it) => it.getClientRects().length > 0) \
                           .filter((it) => it.getBoundingClientRect().right > innerWidth + 0.5) \
                           .map((it) => it.textContent)";
            assert_eq!(stage.eval(outside).await, json!([]), "at {width}");
            stage.press("#conversations summary").await;
            let sides = "const { left, right } = document.querySelector('#conversation-list').getBoundingClientRect(); \
                         return left >= 0 && right <= innerWidth && right - left > 200";
            assert_eq!(stage.eval(sides).await, true, "the list of conversations at {width}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_an_empty_box_before_anything_has_happened() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        let boxes = "return [...document.querySelectorAll('#inspector > *')] \
                     .filter((it) => it.getClientRects().length > 0 && it.innerText.trim() === '').map((it) => it.id)";
        assert_eq!(stage.eval(boxes).await, json!([]));
        for (hint, words) in [("#waiting-note", "waits"), ("#timing-summary", "each field"), ("#events-hint", "event")]
        {
            assert!(stage.text(hint).await.contains(words), "{hint} says what will be there");
        }
    })
    .await;
}
