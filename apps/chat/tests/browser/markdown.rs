//! The Markdown of live models: formatted a block at a time, and never more than that.

use serde_json::json;

use crate::stage::{Setup, on_stage, recording};

/// A live model, as far as the page is told.
fn live(recordings: Vec<(String, String)>) -> Setup {
    Setup { model: "a-live-model", recordings, ..Setup::slowly() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_answer_is_formatted_block_by_block() {
    let text = "# Plan\n\nTake **this** one:\n\n- a\n- `b`\n\n```\n<i>x</i>\n\ny\n```\n\n| h |\n|---|\n| c |\n\nSee \
                [it](https://example.org/x).";
    let pieces: Vec<&str> = text.split_inclusive(' ').collect();
    let recordings = vec![("text.sse".to_owned(), recording(&pieces, None, true))];
    on_stage(live(recordings), async |stage| {
        stage.open("finance").await;
        stage.until("return document.querySelector('#badge').textContent === 'live: a-live-model'").await;
        stage
            .watch(
                "`${document.querySelectorAll('#conversation .formatted').length} \
                 ${document.querySelector('#conversation .open-block')?.textContent ?? ''}`",
            )
            .await;
        stage.ask("Say it #replay:text.sse").await;
        let made = "return ['h2', 'strong', 'li', 'li code', 'pre', 'th', 'td', 'a'].map((it) => \
                    document.querySelector(`#conversation .theirs .formatted ${it}`)?.textContent ?? null)";
        let expected = json!(["Plan", "this", "a", "b", "<i>x</i>\n\ny\n", "h", "c", "it"]);
        stage.until("return document.querySelector('#conversation .theirs .formatted a') !== null").await;
        assert_eq!(stage.eval(made).await, expected);
        let link = "const a = document.querySelector('#conversation .formatted a'); return [a.href, a.target, a.rel]";
        assert_eq!(stage.eval(link).await, json!(["https://example.org/x", "_blank", "noopener noreferrer nofollow"]));
        assert_eq!(stage.eval("return document.querySelectorAll('#conversation .mine .formatted').length").await, 0);
        // While it streamed, the open block stood as it was written, behind those that were formatted.
        let seen = stage.texts_seen().await;
        let is_between = |state: &&String| !state.starts_with('0') && state.ends_with("- a\n- ");
        assert!(seen.iter().any(|state| is_between(&state)), "{seen:?}");
        // What is copied is what the model wrote.
        assert_eq!(stage.eval("return document.querySelector('#conversation .said.text').source").await, text);
        // And after a reload it looks the same.
        stage.driver.refresh().await.unwrap();
        stage.until_idle().await;
        stage.until("return document.querySelector('#conversation .theirs .formatted a') !== null").await;
        assert_eq!(stage.eval(made).await, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_markdown_does_nothing() {
    let nested = format!("{}deep\n\n{}- list\n\n{}x", "> ".repeat(3000), "- ".repeat(2000), "[".repeat(3000));
    let table = format!("{}|\n{}|\n{}", "|a".repeat(2000), "|-".repeat(2000), "|b\n".repeat(3000));
    let hostile = "<script>window.ran=1</script>\n\n<img src=x onerror=\"window.ran=1\">\n\n\
        [a](javascript:window.ran=1) [b](JAVASCRIPT:window.ran=1) [c](java&#10;script:window.ran=1) \
        [d](data:text/html,<script>window.ran=1</script>) <javascript:window.ran=1>\n\n\
        ![e](https://evil.example/track.png) ![f](data:image/svg+xml,<svg/onload=window.ran=1>)\n\n\
        [g]: javascript:window.ran=1\n[g] [h](https://x.example/\"onclick=\"window.ran=1)\n\n\
        <a href=\"https://x.example\" onclick=\"window.ran=1\">i</a> <style>*{display:none}</style> <base href=\"//evil\">\n\n\
        <form action=https://evil.example><input></form>\n\n<iframe srcdoc=\"<script>1</script>\"></iframe>\n";
    let recordings = [("hostile", hostile.to_owned()), ("nested", nested), ("table", table)]
        .map(|(name, text)| (format!("{name}.sse"), recording(&[&text], None, true)))
        .to_vec();
    on_stage(live(recordings), async |stage| {
        stage.open("finance").await;
        stage.until("return document.querySelector('#badge').textContent.startsWith('live')").await;
        for name in ["hostile", "nested", "table"] {
            stage.ask(&format!("Say it #replay:{name}.sse")).await;
            stage.ask("And go on").await;
        }
        stage.until("return document.querySelectorAll('#conversation .formatted').length > 4").await;
        let made = "return [document.querySelectorAll(`#conversation .said :is(script, img, svg, style, base, form, input, \
                    iframe, [onclick], [onerror], [style])`).length, window.ran ?? null]";
        assert_eq!(stage.eval(made).await, json!([0, null]));
        let links = "return [...document.querySelectorAll('#conversation a')].map((it) => it.protocol)";
        let links = stage.eval(links).await;
        assert!(links.as_array().unwrap().len() >= 2, "the harmless ones are links: {links}");
        assert!(links.as_array().unwrap().iter().all(|protocol| protocol == "https:"), "{links}");
        // Each link of it followed by hand leads nowhere in this page.
        stage.eval("for (const it of document.querySelectorAll('#conversation .formatted span')) it.click()").await;
        assert_eq!(stage.eval(made).await, json!([0, null]));
        // Nothing was loaded from anywhere else.
        let loaded = "return performance.getEntriesByType('resource').map(({ name }) => name) \
                      .filter((name) => !name.startsWith(location.origin))";
        assert_eq!(stage.eval(loaded).await, json!([]));
        let text = stage.text("#conversation").await;
        assert!(text.contains("<script>window.ran=1</script>") && text.contains("deep"), "it is all there, as text");
    })
    .await;
}
