//! The page for those who use a keyboard or a screen reader. `axe-core` looks at every state of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{Setup, Stage, on_stage};

/// axe-core's file, where `.ci/browser` has put it.
fn axe() -> String {
    let path = std::env::var("AXE_CORE").expect("AXE_CORE names axe-core's axe.min.js: `.ci/browser` sets it");
    std::fs::read_to_string(path).unwrap()
}

async fn check(stage: &Stage, axe: &str, what: &str) {
    stage.eval(axe).await;
    let run = "const done = arguments[0]; axe.run(document, { resultTypes: ['violations'] }).then(
        ({ violations }) => done(violations.map(({ id, impact, nodes }) =>
            ({ id, impact, nodes: nodes.map(({ target, failureSummary }) => [target, failureSummary]) }))),
        (error) => done(String(error)));";
    let found = stage.driver.execute_async(run, Vec::new()).await.unwrap().json().clone();
    assert_eq!(found, json!([]), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_wrong() {
    let axe = axe();
    on_stage(Setup::default(), async |stage| {
        for (width, height, scheme) in
            [(1280, 800, "light"), (1280, 800, "dark"), (390, 844, "light"), (390, 844, "dark")]
        {
            stage.look_as(width, height, scheme).await;
            for (assistant, message) in [
                ("shopping", "I need a ring for my sister"),
                ("finance", "Compare my spending this month to last month"),
                ("restaurant", "Find dinner, thai please"),
                ("form", "Wrong at first: four days around the Øresund"),
                ("finance", "Hello #status:400"),
            ] {
                stage.open(assistant).await;
                let what = format!("{assistant} at {width}, {scheme}");
                check(&stage, &axe, &format!("{what}, at first")).await;
                stage.ask(message).await;
                stage.eval("document.querySelectorAll('details').forEach((it) => { it.open = true })").await;
                check(&stage, &axe, &format!("{what}, after {message}")).await;
                let wide = stage.eval("return document.documentElement.scrollWidth - innerWidth").await;
                assert!(wide.as_i64().unwrap() <= 0, "{what} is {wide} too wide");
            }
            if width < 600 {
                stage.press("#toggle-details").await;
            }
            for tab in ["inspector", "context"] {
                stage.press(&format!("#tab-{tab}")).await;
                check(&stage, &axe, &format!("{tab} at {width}, {scheme}")).await;
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_region_speaks_once_when_the_answer_ends() {
    on_stage(Setup { pause: Duration::from_millis(5), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        // All that a screen reader would read out by itself.
        stage
            .watch(
                "[...document.querySelectorAll('[role=status], [role=alert], [aria-live]:not([aria-live=off])')] \
                 .map((it) => it.textContent.trim()).filter(Boolean).join(' / ')",
            )
            .await;
        stage.ask("What did I spend on groceries last month?").await;
        let spoken = stage.seen().await;
        let spoken: Vec<&str> = spoken.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).collect();
        let [first, last] = spoken[..] else { panic!("{spoken:?}") };
        assert_eq!(first, "The assistant is answering.");
        assert!(last.contains("you spent €"), "{last}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_reaches_everything() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.ask("I need a ring for my sister").await;
        let mut reached = Vec::new();
        for _ in 0..40 {
            let press = thirtyfour::Key::Tab + "";
            stage.driver.active_element().await.unwrap().send_keys(press).await.unwrap();
            let name = "const it = document.activeElement; \
                        return it.id || it.dataset.replay || it.textContent.trim().slice(0, 20)";
            reached.push(stage.eval(name).await.as_str().unwrap_or_default().to_owned());
        }
        let all = "assistants new-conversation scroller gold 8 message send tab-inspector 1 10 0 events";
        for name in all.split(' ') {
            assert!(reached.iter().any(|it| it == name), "{name} is not among {reached:?}");
        }
        stage.eval("document.querySelector('#tab-inspector').focus()").await;
        let arrow = || async {
            stage.driver.active_element().await.unwrap().send_keys(thirtyfour::Key::Right + "").await.unwrap();
            stage.eval("return [document.activeElement.id, document.activeElement.getAttribute('aria-selected')]").await
        };
        assert_eq!(arrow().await, json!(["tab-context", "true"]));
        assert_eq!(arrow().await, json!(["tab-inspector", "true"]));
        // A chip by the keyboard.
        for at in [".chips .chip", ".send-choice"] {
            stage.eval(&format!("document.querySelector('{at}').focus()")).await;
            stage.driver.active_element().await.unwrap().send_keys(thirtyfour::Key::Enter + "").await.unwrap();
        }
        stage.until("return document.querySelectorAll('#chat .mine').length === 2").await;
        stage.until_idle().await;
        assert_eq!(stage.eval("return document.activeElement.id").await, "message");
    })
    .await;
}
