//! Each fault is shown in words in the answer's own bubble, and the person can continue.

use std::time::Duration;

use chat::assistant::{Assistants, Tool, Toolbox, finance};
use chat::config::Limits;
use serde_json::{Value, json};

use crate::stage::{SAID, Setup, Stage, on_stage};

/// Short limits, and tools that do what tools should not.
fn setup() -> Setup {
    fn odd_tools(assistants: Assistants) -> Assistants {
        let any = json!({"type": "object"});
        let panic = Tool::new("panic", "Panics.", any.clone(), |_: Value| async { panic!("as asked") });
        let hang = Tool::new("hang", "Hangs.", any, |_: Value| std::future::pending());
        let tools = finance::tools(assistants.today).into_iter().chain([panic, hang]).collect();
        Assistants { finance: Toolbox::new(tools, Duration::from_millis(300)), ..assistants }
    }
    let limits = Limits {
        silence: Duration::from_millis(400),
        tool: Duration::from_millis(300),
        retry_pause: Duration::from_millis(10),
        ..Limits::default()
    };
    Setup { limits, change: odd_tools, ..Setup::default() }
}

/// Says something, and returns the errors in the last bubble.
async fn errors_after(stage: &Stage, message: &str) -> String {
    stage.ask(message).await;
    stage.expect("[one('#message').disabled, document.activeElement.id]", json!([false, "message"])).await;
    stage.text("texts('#chat .theirs:last-child .error').join('; ')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_is_told_in_its_own_bubble_and_the_person_can_go_on() {
    // The assistant, what is said, and whether a part of the text was shown.
    let faults = [
        ("finance", "Hello #status:400", false),
        ("finance", "Hello #status:429", false),
        ("finance", "Hello #status:529", false),
        ("finance", "Hello #overloaded", false),
        ("finance", "Hello #break", true),
        ("finance", "Hello #cut:900", true),
        ("finance", "Hello #hang", true),
        ("finance", "What did I spend on groceries last month? #malformed", false),
        ("finance", "What did I spend on groceries last month? #truncated", false),
        ("finance", "Hello #tool:no_such_tool", false),
        ("finance", "Hello #tool:panic #tool:hang #tool:list_accounts", false),
        ("shopping", "I need a ring for my sister #break", false),
        ("form", "A weekend in Rome #break", false),
    ];
    on_stage(setup(), async |stage| {
        for (assistant, message, has_text) in faults {
            stage.open(assistant).await;
            let error = errors_after(&stage, message).await;
            assert!(error.split_whitespace().count() >= 2, "{message}: `{error}`");
            assert!(!error.contains(['{', '}']) || error.contains("expected"), "{message}: `{error}`");
            assert!(stage.eval("all('#chat .retry').length").await.as_u64() <= Some(1), "{message}");
            stage.expect("texts('#chat .status').includes('filling')", false).await;
            let answer = stage.text(SAID).await;
            assert!(!has_text || answer.starts_with('I'), "{message}: what came before stays, `{answer}`");
            assert_eq!(errors_after(&stage, "Hello again").await, "", "after {message}");
            stage.expect(&format!("({SAID}).includes('scripted')"), true).await;
        }
        // These mend themselves.
        for message in ["Hello #status:529*2", "Hello #chop:1", "My accounts #twice"] {
            stage.open("finance").await;
            assert_eq!(errors_after(&stage, message).await, "", "{message}");
        }
        // A message over the limit, as pasted text.
        stage.open("finance").await;
        stage.run("one('#message').value = 'x'.repeat(100_000)").await;
        assert_ne!(errors_after(&stage, "!").await, "");
    })
    .await;
}

/// Sends from two tabs at once: the refused tab shows the other one's turn, without its own error.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_tab_follows_the_other_one() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        stage.ask("Hello").await;
        let address = stage.text("location.href").await;
        let first = stage.driver.window().await.unwrap();
        let second = stage.driver.new_tab().await.unwrap();
        stage.driver.switch_to_window(second.clone()).await.unwrap();
        stage.driver.goto(&address).await.unwrap();
        stage.until_idle().await;
        // A tab that is not visible does not follow, and so does not know that a turn is running.
        stage.run("Object.defineProperty(document, 'hidden', { value: true, configurable: true })").await;
        stage.driver.switch_to_window(first).await.unwrap();
        stage.ask_held("Take your time").await;
        stage.driver.switch_to_window(second).await.unwrap();
        let error = errors_after(&stage, "Me too").await;
        assert!(error.contains("still on its way"), "{error}");
        stage.expect("one('#message').value", "Me too").await;
        stage.journal().release();
        stage.run("delete document.hidden; window.dispatchEvent(new Event('visibilitychange'))").await;
        stage.until("texts('#chat .mine .said').at(-1) === 'Take your time #hold'").await;
        stage.until_idle().await;
        stage.expect("[all('#chat .error').length, all('#chat .mine').length]", [0, 2]).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_told_and_a_message_is_not_lost() {
    on_stage(setup(), async |stage| {
        stage.open("finance").await;
        stage.line.take_down();
        stage.say("Are you there?").await;
        stage.until("one('#connection').textContent.includes('Trying again (2 of 6)')").await;
        stage.line.mend();
        stage.until_idle().await;
        stage.expect("texts('#chat .theirs .error')", ["The message was not delivered. Send it again."]).await;
        stage.expect("one('#message').value", "Are you there?").await;
        // Again, with one key.
        assert_eq!(errors_after(&stage, "").await, "");
        stage.expect("texts('#chat .mine .said')", ["Are you there?"]).await;
        stage.line.take_down();
        let error = errors_after(&stage, "And for good?").await;
        assert!(error.contains("can't be reached"), "{error}");
        stage.expect("one('#message').value", "And for good?").await;
    })
    .await;
}
