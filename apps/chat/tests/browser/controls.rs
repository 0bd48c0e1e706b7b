//! What a person can do with a conversation: stop, retry, edit, copy, scroll, look at the details.

use std::time::Duration;

use serde_json::json;

use crate::stage::{Setup, Stage, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_stopped_while_the_next_words_are_written_and_asked_for_again() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage.say("Good morning #hold").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        let field = stage.driver.find(thirtyfour::By::Id("message")).await.unwrap();
        field.send_keys("My next words").await.unwrap();
        stage.press("#stop").await;
        stage.until_idle().await;
        assert_eq!(stage.texts("#chat .turn-error").await, ["You stopped this answer."]);
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "My next words");
        stage.press("#chat .retry").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        stage.journal().release();
        stage.until_idle().await;
        assert!(stage.answer().await.contains("Good morning"));
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "My next words");
        // A new conversation loses none.
        stage.press("#new-conversation").await;
        stage.until_idle().await;
        stage.press("#conversations summary").await;
        stage
            .until("return document.querySelector('#conversation-list a span')?.textContent === 'Good morning #hold'")
            .await;
        stage.press("#conversation-list a").await;
        stage.until("return document.querySelectorAll('#chat .mine').length === 2").await;
        stage.press("#chat .mine .action").await;
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "Good morning #hold");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_takes_back_what_follows() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        for line in ["I want chips for a party", "Spicy, please", "What did I tell you?"] {
            stage.ask(line).await;
        }
        let second = "document.querySelectorAll('#chat .mine .action')[1].click()";
        let doomed = "return document.querySelectorAll('#chat [data-doomed]').length";
        stage.eval(second).await;
        assert_eq!(stage.eval(doomed).await, 4);
        stage.press("#keep").await;
        assert_eq!(stage.eval(doomed).await, 0);
        stage.eval(second).await;
        stage.eval("document.querySelector('#message').value = ''").await;
        stage.ask("Tangy, please").await;
        let said = stage.texts("#chat .mine .said").await;
        assert_eq!(said, ["I want chips for a party", "Tangy, please"]);
        assert_eq!(stage.texts("#chat [aria-pressed=true]").await, ["Tangy"]);
        // The server has taken it back too, and a tab that has seen nothing has only what is left.
        stage.eval("addEventListener('pagehide', () => sessionStorage.clear())").await;
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        assert_eq!(stage.texts("#chat .mine .said").await, said);
        stage.ask("Over 150").await;
        assert_eq!(stage.text("#chat .products li strong").await, "Lime & Tamarind Box", "not the spicy ones");
        stage.ask("What did I tell you?").await;
        assert!(!stage.answer().await.contains("Spicy"), "the model has never heard of it");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn send_becomes_stop_in_its_place() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        let place = |of: &str| {
            format!(
                "const {{ left, top, width, height }} = document.querySelector('#{of}')\
                                        .getBoundingClientRect(); return [left, top, width, height].map(Math.round)"
            )
        };
        // The panel that comes with the first turn makes room.
        stage.ask("Hello").await;
        let send = stage.eval(&place("send")).await;
        stage.say("Hello again #hold").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        assert_eq!(stage.eval(&place("stop")).await, send);
        assert_eq!(stage.eval("return document.querySelector('#send').hidden").await, true);
        stage.journal().release();
        stage.until_idle().await;
        assert_eq!(stage.eval(&place("send")).await, send);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_have_a_date_and_can_be_deleted() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        let first = stage.eval("return location.hash").await;
        stage.press("#new-conversation").await;
        stage.until_idle().await;
        stage.ask("My accounts").await;
        stage.press("#conversations summary").await;
        let times = "return [...document.querySelectorAll('#conversation-list time')].map((it) => it.textContent)";
        stage.until("return document.querySelectorAll('#conversation-list time').length === 2").await;
        let year = "return String(new Date().getFullYear())";
        let (times, year) = (stage.eval(times).await, stage.eval(year).await);
        assert!(times[0].as_str().unwrap().contains(year.as_str().unwrap()), "{times}");
        stage.press("#conversation-list [aria-label='Delete “Hello”']").await;
        stage.press("#conversation-list [aria-label='Delete “Hello”']").await;
        stage.until("return document.querySelectorAll('#conversation-list li').length === 1").await;
        assert_eq!(stage.texts("#chat .mine .said").await, ["My accounts"], "the other one is as it was");
        // The one that is open: a new one opens.
        stage.press("#conversation-list [aria-label='Delete “My accounts”']").await;
        stage.press("#conversation-list [aria-label='Delete “My accounts”']").await;
        stage.until("return document.querySelector('#conversation-list').textContent.includes('Nothing')").await;
        assert_eq!(stage.texts("#chat .mine .said").await, [""; 0]);
        // The server has forgotten it.
        stage.eval(&format!("location.hash = {first}")).await;
        stage.until_idle().await;
        assert_eq!(stage.texts("#chat .mine .said").await, [""; 0]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_stays_in_sight_unless_the_person_looks_elsewhere() {
    on_stage(Setup { pause: Duration::from_millis(2), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.ask("#random:5:4000").await;
        let below = "return document.querySelector('#chat .theirs:last-child').getBoundingClientRect().bottom \
                     - document.querySelector('#scroller').getBoundingClientRect().bottom";
        assert!(stage.eval(below).await.as_f64().unwrap() <= 0.0, "the end is in sight");
        let above = "return document.querySelector('#chat .mine').getBoundingClientRect().bottom";
        assert!(stage.eval(above).await.as_f64().unwrap() < 0.0, "and the beginning is not");

        stage.say("#random:6:6000").await;
        stage.until("return document.querySelectorAll('#chat .theirs')[1]?.textContent.length > 1500").await;
        stage
            .eval("document.querySelector('#scroller').scrollTop = -document.querySelector('#scroller').scrollHeight")
            .await;
        stage.until("return document.querySelectorAll('#chat .theirs')[1].textContent.length > 2000").await;
        let first = stage.eval(above).await.as_f64().unwrap();
        stage.until_idle().await;
        assert_eq!(stage.eval(above).await.as_f64().unwrap(), first, "what is being read stays where it is");

        // The list of events has the last ones.
        let count: u64 = stage.text("#event-count").await.parse().unwrap();
        let rows = "return [...document.querySelectorAll('.row-at')].map((it) => parseInt(it.textContent))";
        let shown = stage.eval(rows).await;
        assert_eq!(shown, json!((count - 199..=count).collect::<Vec<_>>()));
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
        let said = stage.texts("#chat .theirs .said").await.join("\n\n");
        stage.press("#chat .theirs .action").await;
        let read =
            "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))";
        let copied = stage.driver.execute_async(read, Vec::new()).await.unwrap().json().clone();
        assert_eq!(copied, said, "the answer's words, and neither its cards nor its buttons");
        stage.ask("Hello #status:400").await;
        let can_copy = "return document.querySelector('#chat .theirs:last-child > .action').checkVisibility()";
        assert_eq!(stage.eval(can_copy).await, false, "an error alone has no words of the model");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_scrolled_away_can_jump_to_the_latest() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        stage.ask("#random:5:4000").await;
        let is_hidden = "return document.querySelector('#latest').hidden";
        assert_eq!(stage.eval(is_hidden).await, true, "the end is in sight");
        let height = "return document.querySelector('#scroller').clientHeight";
        let before = stage.eval(height).await;
        stage.eval("document.querySelector('#scroller').scrollTop = -1500").await;
        stage.until("return !document.querySelector('#latest').hidden").await;
        assert_eq!(stage.eval(height).await, before, "the button lies over the conversation");
        stage.press("#latest").await;
        stage.until(is_hidden).await;
        let below = "return document.querySelector('#chat .theirs:last-child').getBoundingClientRect().bottom \
                     - document.querySelector('#scroller').getBoundingClientRect().bottom";
        assert!(stage.eval(below).await.as_f64().unwrap() <= 0.0, "the end is in sight again");
        assert_eq!(stage.eval("return document.activeElement.id").await, "message");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tab_of_the_hidden_context_has_a_badge_when_it_fills_unseen() {
    on_stage(Setup::default(), async |stage| {
        stage.open("restaurant").await;
        // It is in sight at first.
        stage.press("#tab-inspector").await;
        let badge = "const tab = document.querySelector('#tab-context'); \
                     return [tab.dataset.news ?? null, getComputedStyle(tab, '::after').content]";
        assert_eq!(stage.eval(badge).await, json!([null, "none"]));
        stage.ask("I like Thai food").await;
        assert_eq!(stage.eval(badge).await, json!(["true", "\" ●\""]));
        stage.press("#tab-context").await;
        assert_eq!(stage.eval(badge).await, json!([null, "none"]), "it has been seen");
        assert!(stage.text("#context-tree").await.contains("thai"));
        stage.ask("Find an Italian place for Saturday").await;
        assert_eq!(stage.eval(badge).await, json!([null, "none"]), "it filled in sight");
    })
    .await;
}

/// A press at a place of the window, as the browser takes it from a person.
async fn press_at(stage: &Stage, x: u32, y: u32) {
    for kind in ["mousePressed", "mouseReleased"] {
        let press = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
        stage.devtools("Input.dispatchMouseEvent", press).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_phone_a_tap_outside_closes_the_sheet() {
    on_stage(Setup::default(), async |stage| {
        stage.look_as(360, 740, "light").await;
        stage.open("finance").await;
        let is_open = "return getComputedStyle(document.querySelector('#details')).display !== 'none'";
        assert_eq!(stage.eval(is_open).await, false);
        stage.press("#toggle-details").await;
        assert_eq!(stage.eval(is_open).await, true);
        press_at(&stage, 180, 600).await;
        assert_eq!(stage.eval(is_open).await, true, "a tap inside leaves it open");
        press_at(&stage, 180, 165).await;
        assert_eq!(stage.eval(is_open).await, false);
        assert_eq!(stage.eval("return document.querySelector('#toggle-details').ariaExpanded").await, "false");
        assert_ne!(stage.eval("return document.activeElement.tagName").await, "BODY");
    })
    .await;
}
