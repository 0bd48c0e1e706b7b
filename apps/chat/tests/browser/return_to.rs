//! Coming back: after a reload, a lost connection, in another tab. Nothing is lost, nothing comes twice.

use std::time::Duration;

use chat::scripted::random_text;

use crate::stage::{Setup, on_stage};

fn setup(pause: u64) -> Setup {
    Setup { pause: Duration::from_millis(pause), ..Setup::default() }
}

const CONVERSATION: &str = "return document.querySelector('#conversation').innerText";

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_in_the_middle_goes_on() {
    on_stage(setup(15), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        stage.say("#random:7:2500").await;
        for part in 1..=5 {
            let long = format!(
                "return [...document.querySelectorAll('#chat .said')].at(-1).textContent.length > {}",
                part * 300
            );
            stage.until(&long).await;
            stage.driver.refresh().await.unwrap();
            stage.until("return document.querySelector('#chat').dataset.state === 'streaming'").await;
        }
        stage.until_idle().await;
        assert_eq!(stage.answer().await, random_text(7, 2500));
        assert_eq!(stage.eval("return document.querySelectorAll('#chat .bubble').length").await, 4);
        assert_eq!(stage.eval("return document.activeElement.id").await, "message");
        let whole = stage.eval(CONVERSATION).await;
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        assert_eq!(stage.eval(CONVERSATION).await, whole, "and again when all is over");
        assert_eq!(stage.eval("return document.querySelector('#replay').disabled").await, false);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_is_made_again() {
    on_stage(setup(4), async |stage| {
        stage.open("finance").await;
        stage.watch("document.querySelector('#chat').dataset.state").await;
        stage.say("#random:8:3000").await;
        for part in 1..=6 {
            stage
                .until(&format!(
                    "return [...document.querySelectorAll('#chat .said')].at(-1).textContent.length > {}",
                    part * 300
                ))
                .await;
            stage.line.cut();
        }
        stage.until("return [...document.querySelectorAll('#chat .said')].at(-1).textContent.length > 2100").await;
        stage.line.take_down();
        stage.until("return document.querySelector('#connection').textContent.includes('2 of')").await;
        stage.line.mend();
        stage.until_idle().await;
        assert_eq!(stage.answer().await, random_text(8, 3000));
        assert_eq!(stage.text(".error").await, "");
        let states = stage.seen().await;
        assert!(states.iter().filter(|state| *state == "reconnecting").count() >= 3, "{states:?}");
        stage.ask("Hello").await;
        assert!(stage.answer().await.contains("Hello"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_has_seen_nothing_shows_the_stored_conversation() {
    on_stage(setup(0), async |stage| {
        for (assistant, messages) in [
            ("finance", ["Hello", "Compare my spending this month to last month"]),
            ("restaurant", ["I like Thai food", "Find dinner, italian please"]),
            ("shopping", ["Hello", "I need a ring for my sister"]),
        ] {
            stage.open(assistant).await;
            for message in messages {
                stage.ask(message).await;
            }
            let visible = "return [document.querySelector('#conversation'), document.querySelector('#context-tree')] \
                           .map((it) => it.textContent)";
            let before = stage.eval(visible).await;
            // The tab forgets.
            stage.eval("addEventListener('pagehide', () => sessionStorage.clear())").await;
            stage.driver.refresh().await.unwrap();
            stage.until_idle().await;
            let after = stage.eval(visible).await;
            assert_eq!(after, before, "{assistant}");
            stage.ask("Hello again").await;
            assert!(stage.eval(CONVERSATION).await.as_str().unwrap().contains("Hello again"));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_the_server_has_lost_begins_anew_and_says_so() {
    on_stage(setup(0), async |stage| {
        stage.open("finance").await;
        let kept = serde_json::json!({
            "state": {"lastChunkId": 50, "messages": [{"type": "user", "props": {"content": "Hello?"}, "chunk_id": 1}]},
            "record": [], "isOver": true,
        });
        stage.eval(&format!("sessionStorage.setItem('lost-1', JSON.stringify({kept}))")).await;
        stage.eval("location.hash = '#finance/lost-1'").await;
        stage
            .until("return document.querySelector('#chat .turn-error')?.textContent.includes('lost this conversation')")
            .await;
        stage.until_idle().await;
        stage.ask("Hello again").await;
        assert!(stage.text("#conversation").await.contains("I am a scripted model"));
        // It has begun anew: what was lost once is not lost each time.
        for _ in 0..2 {
            stage.driver.refresh().await.unwrap();
            stage.until_idle().await;
            assert_eq!(stage.texts("#chat .turn-error").await, [""; 0]);
            assert!(stage.text("#conversation").await.contains("I am a scripted model"));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_in_the_middle_of_an_answer_continues_it() {
    on_stage(setup(15), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        // Twice: what the browser may have kept of the first time must not stand in the way the second.
        for seed in [10, 11] {
            stage.say(&format!("#random:{seed}:2500")).await;
            stage.until("return [...document.querySelectorAll('#chat .said')].at(-1).textContent.length > 300").await;
            stage.kill_and_restart();
            stage.until_idle().await;
            assert_eq!(stage.texts("#chat .theirs:last-child .turn-error").await, [""; 0]);
            assert_eq!(stage.answer().await, random_text(seed, 2500));
            stage.ask("Hello again").await;
            assert!(stage.answer().await.contains("Hello again"));
        }
        let before = stage.eval(CONVERSATION).await;
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        assert_eq!(stage.eval(CONVERSATION).await, before, "and a reload changes nothing");
        // A tab that has seen none of what was lost has all the rest.
        stage.eval("addEventListener('pagehide', () => sessionStorage.clear())").await;
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        assert_eq!(stage.texts("#chat .turn-error").await, [""; 0]);
        assert!(stage.answer().await.contains("Hello again"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_tab_follows_the_conversation_and_claims_no_times() {
    on_stage(setup(2), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        let address = stage.eval("return location.href").await;
        let conversation = address.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        // Somebody else says something in it.
        let body = format!(
            r#"{{"conversationId": "{conversation}", "message": "What did I spend on groceries last month?"}}"#
        );
        let request = reqwest::Client::new().post(format!("{}/api/chat/send", stage.line.address));
        let sent = request.header("content-type", "application/json").body(body).send().await.unwrap();
        assert!(sent.text().await.unwrap().contains("event: done"));
        stage.until("return document.querySelectorAll('#chat .theirs').length === 2").await;
        stage.until_idle().await;
        assert!(stage.text("#conversation").await.contains("you spent €"));
        let summary = "return document.querySelector('#timing-summary').textContent";
        assert!(stage.eval(summary).await.as_str().unwrap().starts_with("This turn was not sent here"));
        stage.ask("Hello again").await;
        let times = stage.eval(summary).await;
        assert!(times.as_str().unwrap().starts_with("The first character"));
        // The same after a replay, and after a reload.
        stage.press("#replay").await;
        stage.until_idle().await;
        assert_eq!(stage.eval(summary).await, times);
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        stage.until(&format!("{summary}.startsWith('The first')")).await;
        assert_eq!(stage.eval(summary).await, times);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_second_tab_follows() {
    on_stage(setup(2), async |stage| {
        stage.open("finance").await;
        let first = stage.driver.window().await.unwrap();
        let address = stage.eval("return location.href").await;
        // Before anything was said.
        let second = stage.driver.new_tab().await.unwrap();
        stage.driver.switch_to_window(second.clone()).await.unwrap();
        stage.driver.goto(address.as_str().unwrap()).await.unwrap();
        stage.until_idle().await;
        stage.driver.switch_to_window(first).await.unwrap();
        stage.ask("What did I spend on groceries last month?").await;
        stage.driver.switch_to_window(second).await.unwrap();
        stage.until("return document.querySelectorAll('#chat .theirs').length === 1").await;
        stage.until_idle().await;
        assert!(stage.text("#conversation").await.contains("you spent €"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_address_opens_a_new_conversation() {
    on_stage(setup(0), async |stage| {
        for address in ["#nobody/abc", "#finance/%20no%2Fname", "#finance/", "#"] {
            stage.driver.goto("about:blank").await.unwrap();
            stage.driver.goto(format!("{}/{address}", stage.line.address)).await.unwrap();
            stage.until_idle().await;
            let hash = stage.eval("return location.hash").await;
            let (assistant, name) = hash.as_str().unwrap().split_once('/').unwrap();
            let expected = if address.starts_with("#finance") { "#finance" } else { "#shopping" };
            assert!(assistant == expected && name.len() == 36, "{address} became {hash}");
            stage.ask("Hello").await;
            assert_eq!(stage.texts("#chat .turn-error").await, [""; 0], "{address}");
        }
    })
    .await;
}
