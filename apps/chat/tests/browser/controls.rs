//! The controls of a conversation, with a mouse, a keyboard or a finger.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::{SAID, Setup, Stage, on_stage};

/// Notes from now on, frame by frame, that the focus was lost.
const WATCH_FOCUS: &str = "window.lost = [];
    const look = () => {
      if (document.activeElement === document.body) window.lost.push(state());
      requestAnimationFrame(look);
    };
    look();";

/// Waits a few frames: a control may take the focus away only when it is drawn.
async fn after_frames(stage: &Stage) {
    let frames =
        "let left = 4; const next = () => (left-- > 0 ? requestAnimationFrame(next) : arguments[0](true)); next()";
    stage.driver.execute_async(frames, Vec::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_works_with_the_keyboard_alone_and_the_focus_never_drops_to_the_body() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("shopping").await;
        stage.run(WATCH_FOCUS).await;
        let enter = Key::Enter.value().to_string();
        // Each control, what is typed there, and what is waited for.
        let steps = [
            ("#cards button", enter.as_str(), "idle"),
            ("#chat .chips .chip", &enter, ""),
            ("#chat .send-choice", &enter, "idle"),
            ("#message", "I need a ring for my sister #hold", ""),
            ("#send", &enter, "held"),
            ("#stop", &enter, "idle"),
            ("#chat .retry", &enter, "held"),
            ("", "", "release"),
            ("#conversations summary", &enter, ""),
            ("#conversation-list a", &Key::Escape.value().to_string(), ""),
            ("#conversations summary", &enter, ""),
            ("#conversation-list a", &enter, "idle"),
            ("#new-conversation", &enter, "idle"),
            ("#stage [data-part=pause]", &enter, ""),
            ("#cards li:last-child button", &enter, "idle"),
            ("#chat .form textarea", "!", ""),
        ];
        for (selector, keys, end) in steps {
            if !selector.is_empty() {
                stage.key(selector, keys).await;
            }
            match end {
                "idle" => {
                    stage.until("state() !== 'idle' || all('#chat .theirs[data-live]').length === 0").await;
                    after_frames(&stage).await;
                    stage.until_idle().await;
                }
                "held" => drop(stage.journal().wait_for(|seen| seen.held == 1).await),
                "release" => {
                    stage.journal().release();
                    stage.until_idle().await;
                }
                _ => {}
            }
            after_frames(&stage).await;
            assert_eq!(stage.eval("window.lost").await, json!([]), "the focus was lost at {selector}");
        }
        // A closed menu changes with the arrow keys, one step after the other.
        for expected in ["restaurant", "form"] {
            stage
                .run(&format!(
                    "one('#assistants').value = '{expected}'; one('#assistants').focus(); \
                one('#assistants').dispatchEvent(new Event('change'))"
                ))
                .await;
            stage
                .expect(
                    "[document.activeElement.id, location.hash.split('/')[0]]",
                    ["assistants".into(), format!("#{expected}")],
                )
                .await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_stopped_while_the_next_words_are_written_and_asked_for_again() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        let place = |of: &str| format!("Object.values(one('#{of}').getBoundingClientRect().toJSON()).map(Math.round)");
        let send = stage.eval(&place("send")).await;
        stage.ask_held("Good morning").await;
        stage.expect(&place("stop"), send).await;
        stage.key("#message", "My next words").await;
        stage.press("#stop").await;
        stage.until_idle().await;
        stage.expect("texts('#chat .turn-error')", ["You stopped this answer."]).await;
        stage.press("#chat .retry").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        stage.journal().release();
        stage.until_idle().await;
        stage.expect("texts('#chat .mine .said').at(-1)", "Good morning #hold").await;
        stage.expect("one('#message').value", "My next words").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_have_a_date_and_are_found_again() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        let first = stage.text("location.hash").await;
        stage.press("#new-conversation").await;
        stage.until_idle().await;
        stage.ask("My accounts").await;
        stage.press("#conversations summary").await;
        stage.until("all('#conversation-list time').length === 2").await;
        stage.expect("texts('#conversation-list time')[0].includes(String(new Date().getFullYear()))", true).await;
        stage.run(&format!("location.hash = '{first}'")).await;
        stage.until("texts('#chat .mine .said').join() === 'Hello'").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_stays_in_sight_unless_the_person_looks_elsewhere() {
    on_stage(Setup { pause: std::time::Duration::from_millis(2), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.ask("#random:5:4000").await;
        stage.expect(SAID, chat::scripted::random_text(5, 4000)).await;
        stage.expect("all('*').length < 2000", true).await;
        let is_below = "one('#chat .theirs:last-child').getBoundingClientRect().bottom <= one('#scroller').getBoundingClientRect().bottom";
        stage.expect(is_below, true).await;
        stage.expect("one('#latest').hidden", true).await;
        stage.say("#random:6:6000").await;
        stage.until("all('#chat .theirs')[1]?.textContent.length > 1500").await;
        stage.run("one('#scroller').scrollTop = -one('#scroller').scrollHeight").await;
        stage.until("all('#chat .theirs')[1].textContent.length > 2000").await;
        let above = "one('#chat .mine').getBoundingClientRect().bottom";
        let first = stage.eval(above).await;
        stage.until_idle().await;
        stage.expect(above, first).await;
        stage.press("#latest").await;
        stage.until("one('#latest').hidden").await;
        stage.expect(is_below, true).await;
        stage.expect("document.activeElement.id", "message").await;
        // The list of events has the last ones.
        stage.expect("all('.row').length === 50 && texts('.row-event').at(-1) === 'done'", true).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_takes_what_was_said() {
    on_stage(Setup::default(), async |stage| {
        let granted = json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
        stage.devtools("Browser.grantPermissions", granted).await;
        stage.open("finance").await;
        stage.ask("What did I spend on groceries last month?").await;
        let said = stage.text("texts('#chat .theirs .said').join('\\n\\n')").await;
        stage.press("#chat .theirs .action").await;
        let read =
            "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))";
        let copied = stage.driver.execute_async(read, Vec::new()).await.unwrap().json().clone();
        assert_eq!(copied, said, "the answer's words, and neither its cards nor its buttons");
        stage.ask("Hello #status:400").await;
        stage.expect("one('#chat .theirs:last-child > .action').checkVisibility()", false).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_phone_the_details_are_a_sheet_that_closes_with_a_tap_beside_it() {
    on_stage(Setup::default(), async |stage| {
        stage.look_as(360, 740, "light").await;
        stage.open("finance").await;
        stage.ask("Hello").await;
        let is_open = "getComputedStyle(one('#details')).display !== 'none'";
        stage.expect(is_open, false).await;
        for (y, stays) in [(600, true), (165, false)] {
            stage.key("#toggle-details", if stays { Key::Enter + "" } else { Key::Null + "" }).await;
            stage.expect(is_open, true).await;
            for kind in ["mousePressed", "mouseReleased"] {
                let press = json!({"type": kind, "x": 180, "y": y, "button": "left", "clickCount": 1});
                stage.devtools("Input.dispatchMouseEvent", press).await;
            }
            stage.expect(is_open, stays).await;
        }
        stage.expect("one('#toggle-details').ariaExpanded", "false").await;
        // Escape closes it too, and gives the focus back.
        stage.key("#toggle-details", Key::Enter + "").await;
        stage.expect("document.activeElement.id", "details").await;
        stage.driver.active_element().await.unwrap().send_keys(Key::Escape + "").await.unwrap();
        stage.expect("document.activeElement.id", "toggle-details").await;
    })
    .await;
}
