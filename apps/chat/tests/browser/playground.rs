//! The playground, from pasted text to each step.

use serde_json::json;

use crate::stage::{Setup, Stage, on_stage};

async fn fill(stage: &Stage, json: &str, patterns: &str, chunk: u32) {
    let values = json!([json, patterns, chunk.to_string()]);
    let fill = "['json', 'patterns', 'chunk'].forEach((name, at) => { \
                  document.querySelector(`#pg-${name}`).value = VALUES[at]; \
                }); \
                document.querySelector('#playground-form').requestSubmit()";
    stage.eval(&fill.replace("VALUES", &values.to_string())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_json_is_read_step_by_step() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.press("#tab-playground").await;
        fill(&stage, r#"{"say": "Hé <b>", "n": 1.50}"#, "say\n", 10).await;
        stage.until("return !document.querySelector('#pg-result').hidden").await;
        let step = || async {
            let parts = "return ['position', 'fed', 'events', 'snapshot', 'patch'] \
                         .map((name) => document.querySelector(`#pg-${name}`).innerText)";
            stage.eval(parts).await
        };
        let first = step().await;
        assert_eq!(first[0], "1 of 4");
        assert_eq!(first[3], r#"{"say":"H"}"#);
        assert!(first[2].as_str().unwrap().contains("delta"), "{first}");
        stage
            .eval("document.querySelector('#pg-forward').click(); document.querySelector('#pg-forward').click()")
            .await;
        let third = step().await;
        assert_eq!((&third[0], &third[3]), (&json!("3 of 4"), &json!(r#"{"say":"Hé <b>","n":1.50}"#)));
        assert!(third[4].as_str().unwrap().contains(r#""value":1.50"#), "{third}");
        assert_eq!(stage.texts("#pg-fed mark").await, [r#"n": 1.50}"#]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_text_and_bad_patterns_are_told() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.press("#tab-playground").await;
        fill(&stage, r#"{"a": tru }"#, "a", 4).await;
        stage.until("return !document.querySelector('#pg-result').hidden").await;
        stage.go_to_step("step.max").await;
        assert!(stage.text("#pg-events .error").await.contains("byte 9"), "{}", stage.text("#pg-events").await);
        fill(&stage, "{}", "items[-1]", 4).await;
        stage.until("return !document.querySelector('#pg-error').hidden").await;
        assert!(stage.text("#pg-error").await.contains("column 7"));
        assert_eq!(stage.eval("return document.querySelector('#pg-result').hidden").await, true);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_full_says_so() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.press("#tab-playground").await;
        let json = format!("[{}1]", "1,".repeat(6_000));
        fill(&stage, &json, "$..*", 4_000).await;
        stage.until("return !document.querySelector('#pg-left-out')?.hidden").await;
        let words = stage.text("#pg-left-out").await;
        assert!(words.contains("not everything is shown") && words.contains("10000 events"), "{words}");
        let cut = "return [...document.querySelectorAll('#pg-events .error')].map((it) => it.innerText)";
        assert_eq!(stage.eval(cut).await, json!([]), "the first step is whole");
        stage.go_to_step("step.max").await;
        assert_eq!(stage.eval(cut).await, json!(["The rest is left out."]));

        fill(&stage, "[1]", "$..*", 4).await;
        stage.until("return document.querySelector('#pg-left-out').hidden").await;
        stage.go_to_step("step.max").await;
        assert_eq!(stage.eval(cut).await, json!([]));
    })
    .await;
}
