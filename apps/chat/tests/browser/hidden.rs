//! What must never be seen is not in the document, at no moment.

use serde_json::Value;

use crate::stage::{Setup, on_stage, recording};

/// Every value that the scripted model keeps to itself, and the names of the fields they stand in.
const SENTINELS: &str = "\
    internal- es_fetch memory_only show_me_options chips_and_crisps \
    is_product_related intent_l1 priority_order missing_data original_query currently_asking";

#[tokio::test(flavor = "multi_thread")]
async fn no_internal_value_is_ever_in_the_document() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        for message in [
            "I need a ring for my sister",
            "gold",
            "7",
            "Hello",
            "What did I tell you?",
            "Show me a lamp",
            "wrong type",
        ] {
            stage.ask(message).await;
        }
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        // And what the tab keeps.
        let all = "return document.documentElement.outerHTML + JSON.stringify({...sessionStorage})";
        let mut seen = vec![stage.eval(all).await];
        stage.ask("unknown value").await;
        seen.push(stage.eval(all).await);
        // As a tab that has seen nothing of it.
        stage.eval("addEventListener('pagehide', () => sessionStorage.clear())").await;
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        seen.push(stage.eval(all).await);
        assert!(seen[2].as_str().unwrap().contains("I need a ring"), "the history is shown");
        for state in seen.iter().filter_map(Value::as_str) {
            for sentinel in SENTINELS.split(' ') {
                assert!(!state.contains(sentinel), "{sentinel} in {state}");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_internal_value_is_in_the_document_while_it_streams() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        let names = serde_json::json!(SENTINELS.split(' ').collect::<Vec<_>>());
        stage
            .watch(&format!("{names}.filter((name) => document.documentElement.outerHTML.includes(name)).join()"))
            .await;
        for message in ["I need a ring for my sister", "gold", "7", "What did I tell you?"] {
            stage.ask(message).await;
        }
        assert_eq!(stage.seen().await, [""]);
        // The same watch sees what is there.
        stage.ask("I say internal-word myself").await;
        assert_eq!(stage.seen().await.last().unwrap(), "internal-");
    })
    .await;
}

/// Two pieces, cut at every place; then every character alone.
#[tokio::test(flavor = "multi_thread")]
async fn no_prefix_of_a_hidden_mark_is_ever_seen() {
    let text = "Noted! <!--context {\"preferences\": {\"cuisine\": \"thai\", \"mark\": \"a --> b\"}} -->Enjoy.";
    let mut recordings: Vec<(String, String)> = (1..text.len())
        .map(|cut| (format!("cut-{cut}.sse"), recording(&[&text[..cut], &text[cut..]], None, true)))
        .collect();
    let single: Vec<&str> = (0..text.len()).map(|at| &text[at..=at]).collect();
    recordings.push(("single.sse".to_owned(), recording(&single, None, true)));
    let names: Vec<String> = recordings.iter().map(|(name, _)| name.clone()).collect();
    on_stage(Setup { recordings, ..Setup::default() }, async |stage| {
        stage.open("restaurant").await;
        stage.watch("[...document.querySelectorAll('#chat .theirs')].at(-1)?.textContent ?? ''").await;
        for name in &names {
            stage.ask(&format!("#replay:{name}")).await;
            assert_eq!(stage.answer().await, "Noted! Enjoy.", "{name}");
        }
        let seen = stage.seen().await;
        assert!(seen.len() > names.len(), "{seen:?}");
        for shown in seen.iter().filter_map(Value::as_str) {
            let shown = shown.trim_start_matches("Assistant: ");
            // On a slow machine a frame shows what stands there before the answer's first text.
            assert!("Noted! Enjoy.".starts_with(shown) || shown == "One moment…", "`{shown}` was seen");
        }
        let context = stage.eval("return document.querySelector('#context-tree').textContent").await;
        assert!(context.as_str().unwrap().contains("a --> b"), "{context}");
    })
    .await;
}
