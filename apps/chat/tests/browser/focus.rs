//! The keyboard alone: the focus is always somewhere. And whatever is pressed is large enough.

use serde_json::{Value, json};
use thirtyfour::{Key, TypingData};

use crate::stage::{Setup, Stage, on_stage};

/// From now on notes, frame by frame, that the focus was lost.
const WATCH_FOCUS: &str = "
    window.lost = [];
    const look = () => {
      if (document.activeElement === document.body) window.lost.push(document.querySelector('#chat').dataset.state);
      requestAnimationFrame(look);
    };
    look();";

/// Puts the focus on what a selector selects, and presses a key there.
async fn press(stage: &Stage, selector: &str, key: impl Into<TypingData>) {
    stage.until(&format!("return document.querySelector(`{selector}`)?.getClientRects().length > 0")).await;
    stage.eval(&format!("document.querySelector(`{selector}`).focus()")).await;
    assert_eq!(stage.eval(&format!("return document.activeElement.matches(`{selector}`)")).await, true, "{selector}");
    stage.driver.active_element().await.unwrap().send_keys(key).await.unwrap();
    // A few frames: what takes the focus away may do so only when it is drawn.
    let frames =
        "let left = 4; const next = () => (left-- > 0 ? requestAnimationFrame(next) : arguments[0](true)); next()";
    stage.driver.execute_async(frames, Vec::new()).await.unwrap();
    let lost = stage.eval("return window.lost").await;
    assert_eq!(lost, json!([]), "the focus was lost at {selector}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_focus_never_drops_to_the_body() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("shopping").await;
        stage.eval(WATCH_FOCUS).await;
        // What disappears when it has been pressed: a suggestion, a choice, Send, Stop, the replay.
        press(&stage, "#cards button", Key::Enter + "").await;
        stage.until_idle().await;
        press(&stage, "#chat .chips .chip", Key::Enter + "").await;
        press(&stage, "#chat .send-choice", Key::Enter + "").await;
        stage.until_idle().await;
        press(&stage, "#message", "I need a ring #hold").await;
        press(&stage, "#send", Key::Enter + "").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        press(&stage, "#stop", Key::Enter + "").await;
        stage.until_idle().await;
        press(&stage, "#chat .retry", Key::Enter + "").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        stage.journal().release();
        stage.until_idle().await;
        press(&stage, "#replay", Key::Enter + "").await;
        press(&stage, "#stop", Key::Enter + "").await;
        stage.until_idle().await;
        press(&stage, "#chat .mine .action", Key::Enter + "").await;
        assert_eq!(stage.eval("return document.activeElement.id").await, "message");
        press(&stage, "#keep", Key::Enter + "").await;
        press(&stage, "#conversations summary", Key::Enter + "").await;
        press(&stage, "#conversation-list a", Key::Escape + "").await;
        press(&stage, "#conversations summary", Key::Enter + "").await;
        press(&stage, "#conversation-list a", Key::Enter + "").await;
        stage.until_idle().await;
        press(&stage, "#new-conversation", Key::Enter + "").await;
        stage.until_idle().await;
        press(&stage, "#stage [data-part=pause]", Key::Enter + "").await;
        press(&stage, "#cards li:last-child button", Key::Enter + "").await;
        stage.until_idle().await;
        assert_eq!(stage.eval("return window.lost").await, json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_sheet_gives_the_focus_back() {
    on_stage(Setup::default(), async |stage| {
        stage.look_as(360, 740, "light").await;
        stage.open("finance").await;
        stage.ask("Hello").await;
        stage.eval(WATCH_FOCUS).await;
        let focused = "return document.activeElement.id";
        press(&stage, "#toggle-details", Key::Enter + "").await;
        assert_eq!(stage.eval(focused).await, "tab-inspector");
        press(&stage, "#tab-inspector", Key::Escape + "").await;
        assert_eq!(stage.eval(focused).await, "toggle-details");
        press(&stage, "#toggle-details", Key::Enter + "").await;
        press(&stage, "#toggle-details", Key::Enter + "").await;
        assert_eq!(stage.eval(focused).await, "toggle-details");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_target_has_44_pixels_each_way() {
    on_stage(Setup::default(), async |stage| {
        let small = "return [...document.querySelectorAll('button:not(.link), summary, select, .menu a, [role=tab]')] \
                     .filter((it) => it.getClientRects().length > 0 && !it.closest('[inert]')) \
                     .map((it) => [it.id || it.textContent || it.ariaLabel, it.getBoundingClientRect()]) \
                     .filter(([, { width, height }]) => width < 44 || height < 44) \
                     .map(([name, { width, height }]) => `${name}: ${width} by ${height}`)";
        for (width, height) in [(1280, 800), (360, 740)] {
            stage.look_as(width, height, "light").await;
            for (assistant, message) in [
                ("shopping", "I want chips for a party"),
                ("form", "Wrong at first: four days around the Øresund"),
                ("finance", "Hello #status:400"),
            ] {
                stage.open(assistant).await;
                assert_eq!(stage.eval(small).await, json!([]), "{assistant} at {width}");
                stage.ask(message).await;
                stage.press("#conversations summary").await;
                assert_eq!(stage.eval(small).await, json!([]), "{assistant} at {width}, after {message}");
            }
            if width < 600 {
                stage.press("#toggle-details").await;
            }
            assert_eq!(stage.eval(small).await, json!([]), "the inspector at {width}");
        }
        assert_ne!(stage.eval("return document.querySelectorAll('button').length").await, Value::from(0));
    })
    .await;
}
