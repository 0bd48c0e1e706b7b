//! The inspector: each event, each field in time, the JSON as it is written, and the replay.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{SAID, Setup, Stage, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_tells_each_event_each_fields_times_and_the_raw_text() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage.say("How much did I spend on groceries? #hold").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        stage.until("return document.querySelector('#raw').textContent.includes('2026-10')").await;
        assert!(!stage.text("#raw").await.contains('}'), "the text as far as it has come");
        stage.journal().release();
        stage.until_idle().await;
        let raw = r#"{"from": "2026-10-01", "to": "2026-10-31", "category": "groceries"}"#;
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
        assert!(raw.contains("·····") && !raw.contains("route") && !raw.contains("es_fetch"), "{raw}");
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
        stage.ask("How much did I spend on groceries?").await;
        let page = "return document.querySelector('#conversation').innerText";
        let before = stage.eval(page).await;
        let times = "return [...document.querySelectorAll(':is(.timing-words, #timing-summary, .row-at)')] \
                     .map((it) => it.textContent).join()";
        let recorded = stage.eval(times).await;
        for speed in [0, 1, 10] {
            stage.watch(SAID).await;
            let press = format!("document.querySelector('[data-replay=\"{speed}\"]').click()");
            stage.eval(&press).await;
            if speed == 10 {
                // Ten times slower is for looking; the rest comes at once when asked for.
                stage.until("return document.querySelectorAll('#chat .mine').length === 2").await;
                stage.until(&format!("return {SAID} !== ''")).await;
                stage.eval("document.querySelector('#stop').click()").await;
            }
            stage.until_idle().await;
            assert_eq!(stage.eval(page).await, before, "at speed {speed}");
            assert_eq!(stage.eval(times).await, recorded, "the recorded times, at speed {speed}");
            if speed == 1 {
                assert!(stage.texts_seen().await.len() >= 4, "it grows again");
            }
        }
        stage.ask("And once more, hello").await;
        assert!(stage.answer().await.contains("And once more"), "the conversation goes on");
    })
    .await;
}

/// All frames of a conversation, as the server sends them.
async fn frames(stage: &Stage) -> Vec<String> {
    let address = stage.eval("return location.href").await;
    let conversation = address.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let stream = format!("{}/api/chat/stream?conversationId={conversation}&lastChunkId=0", stage.line.address);
    let text = reqwest::get(stream).await.unwrap().text().await.unwrap();
    text.split_inclusive("\n\n").map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_an_event_shows_its_envelope() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        stage.ask("Grüezi! 👋").await;
        let frames = frames(&stage).await;
        let shown = "return ['title', 'envelope'].map((it) => \
                     document.querySelector(`#event-${it}`).textContent)";
        let check = async |at: usize| {
            let shown = stage.eval(shown).await;
            let frame = &frames[at];
            assert!(shown[0].as_str().unwrap().starts_with(&format!("Event {}:", at + 1)), "{shown}");
            let (_, data) = frame.trim_end().split_once("data: ").unwrap();
            let envelope: Value = serde_json::from_str(shown[1].as_str().unwrap()).unwrap();
            assert_eq!(envelope, serde_json::from_str::<Value>(data).unwrap());
        };
        assert_eq!(stage.eval("return document.querySelector('#event').hidden").await, true);
        let first = "document.querySelector('#events').scrollTop = -document.querySelector('#events').scrollHeight";
        stage.eval(first).await;
        stage.until("return document.querySelector(\".row[data-place='0']\")").await;
        stage.press(".row[data-place='0']").await;
        check(0).await;
        stage.press(".row[data-place='4']").await;
        check(4).await;
        stage.press("#event-forward").await;
        check(5).await;
        // By the keyboard.
        stage.eval("document.querySelector('#events').focus()").await;
        for (key, at) in
            [(thirtyfour::Key::Up, 4), (thirtyfour::Key::Home, 0), (thirtyfour::Key::End, frames.len() - 1)]
        {
            stage.driver.active_element().await.unwrap().send_keys(key + "").await.unwrap();
            check(at).await;
            let active = "const list = document.querySelector('#events'); \
                          const row = document.getElementById(list.getAttribute('aria-activedescendant')); \
                          const [inside, outside] = [row.getBoundingClientRect(), list.getBoundingClientRect()]; \
                          return [row.getAttribute('aria-selected'), inside.top >= outside.top - 1 && \
                          inside.bottom <= outside.bottom + 1, Number(row.dataset.place)]";
            assert_eq!(stage.eval(active).await, json!(["true", true, at]));
        }
        // The same after a reload: the tab has kept them.
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        stage.eval(first).await;
        stage.until("return document.querySelector(\".row[data-place='4']\")").await;
        stage.press(".row[data-place='4']").await;
        check(4).await;
    })
    .await;
}
