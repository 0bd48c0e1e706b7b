//! The inspector: each event, each field in time, the JSON as it is written, and the replay.

use std::time::Duration;

use serde_json::json;

use crate::stage::{SAID, Setup, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_tells_each_event_each_fields_times_and_the_raw_text() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage.say("What did I spend on groceries last month? #hold").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        stage.until("return document.querySelector('#raw').textContent.includes('2026-09')").await;
        assert!(!stage.text("#raw").await.contains('}'), "the text as far as it has come");
        stage.journal().release();
        stage.until_idle().await;
        let raw = r#"{"from": "2026-09-01", "to": "2026-09-30", "category": "groceries"}"#;
        assert_eq!(stage.texts("#raw pre").await, [raw]);
        let summary = stage.text("#timing-summary").await;
        assert!(
            summary.starts_with("The first character could be seen after") && summary.contains("complete"),
            "{summary}"
        );
        let names =
            stage.eval("return [...document.querySelectorAll('.timing-name')].map((it) => it.textContent)").await;
        assert_eq!(names, serde_json::json!(["Text", "Tool get_spending_summary", "Text"]));
        let fields = stage.texts(".timing-field").await;
        assert_eq!(fields, ["/content", "/input/from", "/input/to", "/input/category", "/content"]);
        for words in stage.texts(".timing-words").await {
            assert!(words.split_once(" → ").is_some_and(|(first, last)| first.ends_with('s') && last.ends_with('s')));
        }
        let rows =
            stage.eval("return [...document.querySelectorAll('.row')].map((row) => row.innerText).join('\\n')").await;
        let rows = rows.as_str().unwrap();
        assert!(rows.contains("done") && rows.contains("/content"), "{rows}");
        let count: usize = stage.text("#event-count").await.parse().unwrap();
        assert!(count > 20);
        assert_eq!(
            stage.eval("return document.querySelectorAll('#chat .said[data-live]').length").await,
            0,
            "nothing grows now"
        );

        stage.ask("Hello #break").await;
        assert!(stage.text("#timing-summary").await.contains("broke off"));
        // Of the shop's call the client has what it shows, and of the rest that it is there.
        stage.open("shopping").await;
        stage.ask("I want chips for a party").await;
        let raw = stage.texts("#raw pre").await.concat();
        assert!(raw.contains("What flavor are you in the mood for?") && raw.contains("Over ₹150"), "{raw}");
        assert!(raw.contains("\"route\": ▇▇▇") && !raw.contains("es_fetch"), "{raw}");
        let below = "const [text, box] = [document.querySelector('#raw'), document.querySelector('.raw')]; \
                     return [text.clientHeight > box.clientHeight, \
                     text.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom]";
        assert_eq!(stage.eval(below).await, json!([true, true]), "it is longer than its box, and its end is in sight");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_shows_the_same_again() {
    on_stage(Setup { pause: Duration::from_millis(8), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.ask("Hello there").await;
        stage.ask("What did I spend on groceries last month?").await;
        let page = "return document.querySelector('#conversation').innerText";
        let before = stage.eval(page).await;
        let times = "return [...document.querySelectorAll(':is(.timing-words, #timing-summary, .row-at)')] \
                     .map((it) => it.textContent).join()";
        let recorded = stage.eval(times).await;
        for is_stopped in [false, true] {
            stage.watch(SAID).await;
            stage.eval("document.querySelector('#replay').click()").await;
            if is_stopped {
                // The rest comes at once.
                stage.until("return document.querySelectorAll('#chat .mine').length === 2").await;
                stage.eval("document.querySelector('#stop').click()").await;
            }
            stage.until_idle().await;
            assert_eq!(stage.eval(page).await, before, "stopped: {is_stopped}");
            assert_eq!(stage.eval(times).await, recorded, "stopped: {is_stopped}");
            if !is_stopped {
                assert!(stage.texts_seen().await.len() >= 4, "it grows again");
            }
        }
        stage.ask("And once more, hello").await;
        assert!(stage.answer().await.contains("And once more"), "the conversation goes on");
    })
    .await;
}
