//! Each thing that can go wrong stands in words in the message's own bubble, and the person can go on.

use std::time::Duration;

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::config::Limits;
use serde_json::{Value, json};

use crate::stage::{Setup, Stage, on_stage};

fn limits() -> Limits {
    Limits {
        silence: Duration::from_millis(400),
        tool: Duration::from_millis(300),
        retry_pause: Duration::from_millis(10),
        ..Limits::default()
    }
}

/// The last bubble's errors, with what else is on the page that matters then.
async fn after(stage: &Stage, message: &str) -> (String, String) {
    stage.ask(message).await;
    let error = stage.texts("#chat .theirs:last-child .error:not([hidden])").await.join("; ");
    let can_go_on = "return [document.querySelector('#message').disabled, document.activeElement.id]";
    assert_eq!(stage.eval(can_go_on).await, json!([false, "message"]), "after {message}");
    (error, stage.answer().await)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_is_told_in_its_own_bubble_and_the_person_can_go_on() {
    let faults = [
        ("finance", "Hello #status:400", false),
        ("finance", "Hello #status:401", false),
        ("finance", "Hello #status:429", false),
        ("finance", "Hello #status:500", false),
        ("finance", "Hello #status:529", false),
        ("finance", "Hello #overloaded", false),
        ("finance", "Hello #break", true),
        ("finance", "Hello #cut:900", true),
        ("finance", "Hello #close", true),
        ("finance", "Hello #hang", true),
        ("finance", "What did I spend on groceries last month? #malformed", false),
        ("finance", "What did I spend on groceries last month? #truncated", false),
        ("finance", "Which day backwards?", false),
        ("finance", "Hello #tool:no_such_tool", false),
        ("shopping", "I have the wrong type", false),
        ("shopping", "An unknown value", false),
        ("shopping", "I need a ring #break", false),
        ("restaurant", "Book a table at Sakura for twelve", false),
    ];
    on_stage(Setup { limits: limits(), ..Setup::default() }, async |stage| {
        for (assistant, message, has_text) in faults {
            stage.open(assistant).await;
            let (error, answer) = after(&stage, message).await;
            assert!(error.split_whitespace().count() >= 2, "{message}: `{error}`");
            assert!(!error.contains(['{', '}']) || error.contains("expected"), "{message}: `{error}`");
            assert!(!has_text || answer.starts_with('Y'), "{message}: what came before stays, `{answer}`");
            let (none, answer) = after(&stage, "Hello again").await;
            assert!(none.is_empty() && answer.contains("Hello again"), "after {message}: `{none}`, `{answer}`");
        }
    })
    .await;
}

/// Tools that do what tools should not.
fn odd_tools(assistants: Assistants) -> Assistants {
    let any = json!({"type": "object"});
    let panic = Tool::new("panic", "Panics.", any.clone(), |_: Value| async { panic!("as asked") });
    let hang = Tool::new("hang", "Hangs.", any.clone(), |_: Value| std::future::pending());
    let fine = Tool::new("fine", "Answers.", any, |_: Value| async { Ok(json!({"answer": 42})) });
    Assistants { finance: Toolbox::new(vec![panic, hang, fine], Duration::from_millis(200)), ..assistants }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_panics_or_hangs_says_so_on_its_own_card() {
    on_stage(Setup { limits: limits(), change: odd_tools, ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        let (errors, _) = after(&stage, "All of it #tool:panic #tool:hang #tool:fine").await;
        assert_eq!(errors.split("; ").count(), 2, "{errors}");
        let cards = "return [...document.querySelectorAll('#chat .tool')].map((card) => card.dataset.status)";
        assert_eq!(stage.eval(cards).await, json!(["failed", "failed", "done"]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_mends_itself_is_not_an_error() {
    on_stage(Setup { limits: limits(), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        for message in [
            "Hello #status:529*2",
            "Hello you #garbage",
            "Hello two #chop:1",
            "What did I spend on groceries last month? #twice",
        ] {
            let (error, answer) = after(&stage, message).await;
            assert_eq!(error, "", "{message}");
            assert!(!answer.is_empty(), "{message}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_request_is_told_too() {
    on_stage(Setup { limits: limits(), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        // A message over the limit, as pasted text.
        stage.eval("document.querySelector('#message').value = 'x'.repeat(100_000)").await;
        let (error, _) = after(&stage, "!").await;
        assert!(!error.is_empty(), "too large");

        // Two tabs in one conversation at once.
        stage.open("finance").await;
        stage.ask("Hello").await;
        let address = stage.eval("return location.href").await;
        let first = stage.driver.window().await.unwrap();
        let second = stage.driver.new_tab().await.unwrap();
        stage.driver.switch_to_window(second).await.unwrap();
        stage.driver.goto(address.as_str().unwrap()).await.unwrap();
        stage.until_idle().await;
        assert!(stage.answer().await.contains("Hello"), "the other tab has it from the server");
        // One that nobody sees does not follow, and so does not know what goes on.
        stage.eval("Object.defineProperty(document, 'hidden', { value: true })").await;
        stage.driver.switch_to_window(first.clone()).await.unwrap();
        stage.say("Take your time #hold").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        stage.driver.switch_to_window(stage.driver.windows().await.unwrap()[1].clone()).await.unwrap();
        let (error, _) = after(&stage, "Me too").await;
        assert!(error.contains("still on its way"), "{error}");
        stage.journal().release();
        stage.driver.switch_to_window(first).await.unwrap();
        stage.until_idle().await;
        assert!(stage.answer().await.contains("Take your time"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_told_and_a_message_is_not_lost() {
    on_stage(Setup { limits: limits(), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.line.take_down();
        stage.say("Are you there?").await;
        stage.until("return document.querySelector('#connection').textContent.includes('Trying again (2 of 6)')").await;
        stage.line.mend();
        stage.until_idle().await;
        assert_eq!(stage.texts("#chat .theirs .error").await, ["The message was not delivered. Send it again."]);
        assert_eq!(stage.texts("#chat .mine .said").await, ["Are you there?"]);
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "Are you there?");
        // Again, with one key.
        let (error, answer) = after(&stage, "").await;
        assert_eq!(error, "");
        assert!(answer.contains("Are you there?"), "{answer}");
        assert_eq!(stage.texts("#connection").await, [""]);

        stage.line.take_down();
        let (error, _) = after(&stage, "And for good?").await;
        assert!(error.contains("can't be reached"), "{error}");
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "And for good?");
    })
    .await;
}
