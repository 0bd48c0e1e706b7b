//! What a person sees of an answer while it streams: growing texts, chips, cards, and text that is never markup.

use serde_json::{Value, json};

use crate::stage::{SAID, Setup, on_stage, recording};

#[tokio::test(flavor = "multi_thread")]
async fn text_grows_before_the_provider_has_sent_its_last_fragment() {
    on_stage(Setup::slowly(), async |stage| {
        for assistant in ["shopping", "finance", "restaurant"] {
            stage.open(assistant).await;
            stage.watch(SAID).await;
            stage.say("Good morning, dear assistant! #hold").await;
            stage.journal().wait_for(|seen| seen.held == 1).await;
            stage.until(&format!("return {SAID}.includes('assistant')")).await;
            let growing = stage.texts_seen().await;
            assert_eq!(stage.journal().seen().held, 1, "the last fragment is still with the provider");
            stage.journal().release();
            stage.until_idle().await;
            let whole = stage.answer().await;
            // In the shopping assistant's call the text may be whole before the call is.
            let parts = growing.iter().filter(|text| text.len() < whole.len()).count();
            assert!(parts >= 5 && growing.iter().all(|text| whole.starts_with(text)), "{assistant}: {growing:?}");
            assert!(growing.windows(2).all(|pair| pair[1].starts_with(&pair[0])), "{growing:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_placeholder_stands_until_the_first_text_and_sending_is_off_until_the_end() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage
            .watch(
                "[document.querySelector('#chat .placeholder') !== null, document.querySelector('#send').disabled, \
                 document.activeElement.id === 'message', document.querySelectorAll('#chat .mine').length].join()",
            )
            .await;
        stage.ask("Hello").await;
        let seen = stage.seen().await;
        let seen: Vec<&str> = seen.iter().filter_map(Value::as_str).collect();
        assert_eq!(seen.first(), Some(&"false,false,true,0"));
        assert!(seen.iter().any(|state| state.starts_with("true,true")), "{seen:?}");
        assert_eq!(seen.last(), Some(&"false,false,true,1"), "{seen:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thought_a_card_that_ends_with_its_turn_and_an_answer_that_is_none() {
    let nothing = recording(&[], None, true);
    on_stage(Setup { recordings: vec![("nothing.sse".to_owned(), nothing)], ..Setup::slowly() }, async |stage| {
        stage.open("finance").await;
        stage.ask("What did I spend on groceries last month? #think").await;
        assert!(
            stage
                .eval("return document.querySelector('#chat .thinking .said').textContent")
                .await
                .as_str()
                .unwrap()
                .contains("Which scene is that?")
        );
        stage.say("What did I spend on groceries last month? #slow:150").await;
        let card = "#chat .theirs:last-child .tool";
        stage.until(&format!("return document.querySelector('{card}')?.dataset.status === 'input'")).await;
        stage.press("#stop").await;
        stage.until_idle().await;
        assert_eq!(stage.texts(&format!("{card} .status")).await, ["ended"]);
        stage.ask("#replay:nothing.sse").await;
        assert_eq!(stage.texts("#chat .theirs:last-child .ended").await, ["The model returned an empty answer."]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_cards_grow_their_input_and_end_with_their_result() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage
            .watch(
                "[...document.querySelectorAll('#chat .tool .tool-input')].map((input) => input.innerText).join('|')",
            )
            .await;
        stage.ask("Compare my spending this month to last month").await;
        let growing = stage.texts_seen().await;
        assert!(growing.len() >= 5, "{growing:?}");
        assert!(growing.iter().any(|text| text.contains("Oct 31") && !text.contains("Sep 1")), "{growing:?}");
        // One card for each call, from its input to its result.
        assert_eq!(stage.texts("#chat .tool .status").await, ["done", "done"]);
        assert_eq!(stage.texts("#chat .tool .sum").await, ["€1,761.50", "€1,285.00"]);
        let shares = "return [...document.querySelectorAll('#chat .share')].map((it) => \
                      Number(it.style.getPropertyValue('--share')).toFixed(2))";
        assert_eq!(stage.eval(shares).await, json!(["1.00", "0.73"]), "on one scale");
        // One section for each block: the model with its calls, on whose cards is what came of them, and the model.
        let sections = "return [...document.querySelectorAll('#chat .theirs [data-block]')].map((it) => \
                        [it.nodeName, it.dataset.thread ?? null, it.closest('.tool') !== null, \
                        getComputedStyle(it).borderBlockStartStyle + getComputedStyle(it).borderInlineStartStyle])";
        let expected = json!([
            ["SECTION", null, false, "nonesolid"],
            ["SECTION", "toolu_0001", true, "dashednone"],
            ["SECTION", "toolu_0002", true, "dashednone"],
            ["SECTION", null, false, "nonesolid"],
        ]);
        assert_eq!(stage.eval(sections).await, expected);
        // A table, and the reader's own way to write money and days.
        stage.devtools("Emulation.setLocaleOverride", json!({"locale": "de-DE"})).await;
        stage.open("finance").await;
        stage.ask("My accounts").await;
        assert_eq!(stage.texts("#chat .result th").await, ["name", "balance"]);
        assert_eq!(stage.texts("#chat .result td").await[..2], ["Giro", "1.842,50\u{a0}€"]);
        stage.ask("What did I spend on groceries last month?").await;
        assert!(stage.text("#chat .theirs:last-child .tool-input").await.contains("30.9.2026"));
        stage.devtools("Emulation.setLocaleOverride", json!({})).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn markup_is_text() {
    let markup = "<img src=x onerror=\"window.ran=1\"><script>window.ran=1</script><b>&amp;</b>";
    let recordings = vec![
        ("text.sse".to_owned(), recording(&["See ", markup], None, true)),
        (
            "ask.sse".to_owned(),
            recording(
                &[&serde_json::json!({"ask_slots": [{"message": markup, "options": [markup, "b"]}]}).to_string()],
                Some("classify_and_assess"),
                false,
            ),
        ),
    ];
    on_stage(Setup { recordings, ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.ask(markup).await;
        assert_eq!(stage.text("#chat .mine .said").await, markup);
        stage.ask("#replay:text.sse").await;
        assert_eq!(stage.answer().await, format!("See {markup}"));
        stage.ask(&format!("#tool:list_accounts:{}", serde_json::json!({"x": "<img/src/onerror=window.ran=1>"}))).await;
        assert!(stage.text("#chat .tool-input").await.contains("<img/src/onerror=window.ran=1>"));
        stage.open("shopping").await;
        stage.ask("#replay:ask.sse").await;
        assert_eq!(stage.text("#chat .question").await, markup);
        assert_eq!(stage.text("#chat .chips .chip").await, markup.to_owned());
        let made = "return [document.querySelectorAll('#conversation :is(img, script, b)').length, window.ran ?? null]";
        assert_eq!(stage.eval(made).await, serde_json::json!([0, null]));
        // And the page could not do it by mistake: the policy it is served with forbids it.
        let refused = "try { document.createElement('p').innerHTML = '<b>x</b>'; return false } catch { return true }";
        assert_eq!(stage.eval(refused).await, true);
    })
    .await;
}

/// A direction that stays open costs the browser a look through all lines with each new one.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_many_lines_has_its_direction_settled_by_its_first_letter() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        let late = format!("{}b", "12\n".repeat(20));
        for (text, direction) in [
            ("12\nb\n", "ltr"),
            ("\u{5d0} b\n12", "rtl"),
            ("b \u{5d0}\n12", "ltr"),
            // What has no letter in its first lines is looked at again when it grows.
            (&late, "auto"),
        ] {
            let shown = format!(
                "return import('/dom.js').then(({{ el, setLines }}) => {{ \
                   const inner = el('div', {{}}); const outer = el('div', {{ dir: 'auto' }}, inner); \
                   document.querySelector('#conversation').append(outer); setLines(inner, {text}); \
                   const told = [outer.dir, inner.textContent]; \
                   setLines(inner, {text} + '\\nc'); outer.remove(); \
                   return [...told, outer.dir]; }})",
                text = json!(text)
            );
            let settled = if direction == "auto" { "ltr" } else { direction };
            assert_eq!(stage.eval(&shown).await, json!([direction, text, settled]));
        }
    })
    .await;
}
