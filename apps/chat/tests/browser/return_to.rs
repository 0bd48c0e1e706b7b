//! Coming back: after a reload, a lost connection, in another tab. Nothing is lost, and nothing comes twice.

use std::time::Duration;

use chat::scripted::random_text;

use crate::stage::{Setup, on_stage};

fn setup(pause: u64) -> Setup {
    Setup { pause: Duration::from_millis(pause), ..Setup::default() }
}

const LENGTH: &str = "(texts('#chat .said').at(-1) ?? '').length";

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_continues_after_reloads_lost_connections_and_a_killed_server() {
    on_stage(setup(8), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        stage.say("#random:7:3000").await;
        for part in 1..=6 {
            stage.until(&format!("{LENGTH} > {}", part * 300)).await;
            match part % 4 {
                0 => stage.reload().await,
                1 => stage.line.cut(),
                2 => {
                    stage.line.take_down();
                    stage.until("one('#connection').textContent.includes('2 of')").await;
                    stage.line.mend();
                }
                _ => stage.kill_and_restart(),
            }
        }
        stage.until(&format!("{LENGTH} >= 3000 && state() === 'idle'")).await;
        stage.expect("texts('#chat .said').at(-1)", random_text(7, 3000)).await;
        stage.expect("[all('#chat .bubble').length, all('.error').length]", [4, 0]).await;
        stage.expect("document.activeElement.id", "message").await;
        stage.ask("Hello").await;
        // A form's turn continues too.
        stage.open("form").await;
        stage.say("Four days around the Øresund").await;
        stage.until("all('#chat .form .field').length > 2").await;
        stage.kill_and_restart();
        stage.until_idle().await;
        stage.expect("[texts('#chat .form .status'), texts('#chat .error')].join()", "valid,").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_has_seen_nothing_shows_the_stored_conversation() {
    on_stage(setup(0), async |stage| {
        for (assistant, messages) in [
            ("finance", ["Hello", "Compare travel and get advice"]),
            ("restaurant", ["I like Thai food", "Find an Italian place for Saturday"]),
            ("shopping", ["Hello", "I want chips for a party"]),
            ("form", ["Hello", "Wrong at first: four days around the Øresund"]),
        ] {
            stage.open(assistant).await;
            for message in messages {
                stage.ask(message).await;
            }
            // Without the times of the answer, which only this tab knows.
            let visible =
                "all('.bubble .waits').forEach((it) => it.remove()), texts('#conversation, #context-tree, #raw')";
            let before = stage.eval(visible).await;
            stage.reload().await;
            stage.until_idle().await;
            stage.expect(visible, before).await;
            assert!(stage.text("one('#timing-summary').textContent").await.contains("not sent from here"));
            stage.ask("Hello again").await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_tab_follows_the_conversation_and_claims_no_times() {
    on_stage(setup(2), async |stage| {
        stage.open("finance").await;
        let address = stage.text("location.href").await;
        let conversation = address.rsplit('/').next().unwrap().to_owned();
        let body = serde_json::json!({
            "conversationId": conversation, "assistant": "finance", "message": "What did I spend on groceries last month?"
        });
        let request = reqwest::Client::new().post(format!("{}/api/chat/send", stage.line.address));
        let sent = request.header("content-type", "application/json").body(body.to_string()).send().await.unwrap();
        assert!(sent.text().await.unwrap().contains("event: done"));
        stage.until("all('#chat .theirs').length === 1").await;
        stage.until_idle().await;
        assert!(stage.text("one('#conversation').textContent").await.contains("you spent €"));
        let summary = "one('#timing-summary').textContent";
        stage.until(&format!("{summary}.startsWith('This turn was not sent from here')")).await;
        stage.ask("Hello again").await;
        stage.until(&format!("{summary}.startsWith('The first character')")).await;
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
            let expected = if address.starts_with("#finance") { "#finance" } else { "#shopping" };
            stage.expect("location.hash.split('/').map((it, at) => (at ? it.length : it))", (expected, 36)).await;
        }
    })
    .await;
}
