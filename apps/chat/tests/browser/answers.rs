//! The visible parts of an answer while it streams, and the hidden ones.

use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::Key;

use crate::stage::{SAID, Setup, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn text_grows_before_the_provider_has_sent_its_last_fragment() {
    on_stage(Setup::slowly(), async |stage| {
        for assistant in ["shopping", "finance", "restaurant"] {
            stage.open(assistant).await;
            stage.watch(SAID).await;
            stage.ask_held("Good morning, dear assistant!").await;
            stage.until(&format!("({SAID}).includes('scripted')")).await;
            let growing = stage.seen().await;
            assert_eq!(stage.journal().seen().held, 1, "the last fragment is still with the provider");
            stage.expect("one('#chat .theirs').getAnimations({ subtree: true }).length > 0", true).await;
            stage.journal().release();
            stage.until_idle().await;
            let whole = stage.text(SAID).await;
            assert!(
                growing.len() >= 3 && growing.iter().all(|text| whole.starts_with(text)),
                "{assistant}: {growing:?}"
            );
            assert!(growing.windows(2).all(|pair| pair[1].starts_with(&pair[0])), "{growing:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_placeholder_stands_until_the_first_text_and_sending_is_off_until_the_end() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        let state = "[one('#chat .placeholder') !== null, one('#send').disabled, \
                     document.activeElement.id === 'message', all('#chat .mine').length].join()";
        stage.watch(state).await;
        stage.ask("Hello").await;
        let seen = stage.seen().await;
        assert_eq!(seen.first().map(String::as_str), Some("false,false,true,0"));
        assert!(seen.iter().any(|state| state.starts_with("true,true")), "{seen:?}");
        assert_eq!(seen.last().map(String::as_str), Some("false,false,true,1"), "{seen:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_cards_grow_their_input_and_end_with_their_result() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage.watch("all('#chat .tool .tool-input').map((input) => input.innerText).join('|')").await;
        stage.ask("Compare my spending this month to last month").await;
        let growing = stage.seen().await;
        assert!(growing.len() >= 2 && !growing[0].contains("Sep 1"), "{growing:?}");
        stage.expect("texts('#chat .tool .status')", ["done", "done"]).await;
        stage.expect("texts('#chat .tool .sum')", ["€1,761.50", "€1,285.00"]).await;
        // The two sums have one scale.
        let shares = "all('#chat .share').map((it) => Number(it.style.getPropertyValue('--share')).toFixed(2))";
        stage.expect(shares, ["1.00", "0.73"]).await;
        // One section for each block: the model with its calls, the results on their cards, and the model.
        let sections =
            "all('#chat .theirs [data-block]').map((it) => [it.dataset.thread ?? null, it.closest('.tool') !== null])";
        let expected = json!([[null, false], ["toolu_0001", true], ["toolu_0002", true], [null, false]]);
        stage.expect(sections, expected).await;
        // The adviser's text is on its card, once, also after a reload.
        stage.ask("Compare travel and get advice").await;
        for _ in 0..2 {
            stage.expect("all('#chat .tool').at(-1).textContent.match(/Set a fixed sum/g).length", 1).await;
            stage.reload().await;
            stage.until_idle().await;
        }
        // A card that ends with its turn, and a thought.
        stage.say("What did I spend on groceries last month? #think #slow:600").await;
        stage.until("one('#chat .theirs:last-child .tool')?.dataset.status === 'input'").await;
        stage.press("#stop").await;
        stage.until_idle().await;
        stage.expect("texts('#chat .theirs:last-child .tool .status')", ["ended"]).await;
        assert!(stage.text("one('#chat .thinking .said').textContent").await.contains("Which scene is that?"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_chips_are_chosen_and_sent_once_each_in_its_slot() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("shopping").await;
        stage.watch("[one('#chat .ask summary')?.textContent, all('#chat .question').length, all('#chat .chips').length].join()").await;
        stage.ask("I want chips for a party").await;
        let seen = stage.seen().await;
        assert!(seen.contains(&"Deciding…,1,0".to_owned()), "the first question grows before its options: {seen:?}");
        assert_eq!(seen.last().unwrap(), "The model's reasoning,2,2");
        let questions = ["Great! What's your budget range for chips?", "What flavor are you in the mood for?"];
        stage.expect("texts('#chat .question')", questions).await;
        // Out of order, one of them taken back, with a draft in the field.
        stage.run("one('#message').value = 'a draft'").await;
        for words in ["Tangy", "Spicy", "Classic salted", "Classic salted", "₹50–150"] {
            stage.run(&format!("all('#chat .chip').find((chip) => chip.textContent === '{words}').click()")).await;
            stage.until("one('#chat .send-choice')").await;
        }
        stage.expect("all('#chat .mine').length", 1).await;
        // A double click.
        stage.run("const send = one('#chat .send-choice'); send.click(); send.click()").await;
        stage.until_idle().await;
        stage.expect("texts('#chat .mine .said')", ["I want chips for a party", "₹50–150; Spicy, Tangy"]).await;
        stage.expect("all('#chat .theirs').length", 2).await;
        stage.expect("one('#message').value", "a draft").await;
        stage.expect("one('#chat .products li strong').textContent", "Chilli Party Pack").await;
        // The choice is marked, and can't be changed, after a reload too.
        let expected = [("Under ₹50", false), ("₹50–150", true), ("Over ₹150", false), ("Spicy", true)];
        let expected = expected.iter().chain(&[("Classic salted", false), ("Tangy", true)]);
        let expected: Vec<_> = expected.map(|(words, is_chosen)| (words, true, is_chosen)).collect();
        for _ in 0..2 {
            let chips = "all('#chat .chip').map((it) => [it.textContent, it.disabled, it.ariaPressed === 'true'])";
            stage.expect(chips, &expected).await;
            stage.reload().await;
            stage.until_idle().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_fills_and_its_last_button_waits_for_the_schema() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("form").await;
        let field = |name: &str| format!("one('#chat .theirs:last-child .form:last-child [data-field={name}]')");
        stage.watch("all('#chat .form .field').map((it) => `${it.dataset.field} ${it.dataset.state}`).join()").await;
        stage.say("Four days around the Øresund").await;
        stage.until("one('#chat .use')?.disabled && all('#chat .form .field').length > 3").await;
        stage.expect("one('#chat .form textarea').readOnly", true).await;
        stage.until_idle().await;
        let states = stage.seen().await;
        let first = |wanted: &str| states.iter().position(|state| state.split(',').any(|field| field == wanted));
        let places = ["title partial", "title complete", "start complete", "days partial", "days valid"].map(first);
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {states:?}");
        assert!(!states.last().unwrap().contains("partial"), "{states:?}");
        stage.expect("texts('#chat .form .status')", ["valid"]).await;
        stage.expect("one('#chat .use').disabled", false).await;

        // A wrong value: the field has an error, nothing is marked valid, and the button is off. Then a right one.
        for (people, is_valid, status) in [("99", false, "failed"), ("3", true, "valid")] {
            stage.run(&format!("{}.querySelector('textarea').select()", field("people"))).await;
            stage.key("#chat .form [data-field=people] textarea", people).await;
            stage.until(&format!("texts('#chat .form .status')[0] === '{status}'")).await;
            stage.expect("one('#chat .use').disabled", !is_valid).await;
            stage.expect("all('#chat .form [data-state=valid]').length > 0", is_valid).await;
            let error = stage.text(&format!("{}.querySelector('.field-error')?.textContent", field("people"))).await;
            assert_eq!(error.contains("maximum of 20"), !is_valid, "{error}");
            stage.expect("document.activeElement.value", people).await;
        }

        // An attempt that fails stays with its errors at their fields; the next one fills anew.
        stage.ask("Wrong at first: four days around the Øresund").await;
        stage
            .expect("all('#chat .theirs:last-child .form').map((it) => it.dataset.status)", ["failed", "complete"])
            .await;
        let error = "one('#chat .form[data-status=failed] [data-field=people] > .field-error').textContent";
        assert!(stage.text(error).await.contains("integer"));
        // A form that was given up can be corrected.
        stage.ask("Never right").await;
        stage.expect("texts('#chat .theirs:last-child .form .status')", ["failed", "failed", "given up"]).await;
        let last = "#chat .theirs:last-child .form[data-status=given_up] [data-field=people] textarea";
        stage.run(&format!("one('{last}').select()")).await;
        stage.key(last, "2").await;
        stage.until("all('#chat .use').at(-1).disabled === false").await;
    })
    .await;
}

/// Every value that the scripted model keeps to itself, and the names of the fields of the session.
const INTERNAL: &str = "\
    internal- es_fetch memory_only show_me_options chips_and_crisps \
    is_product_related intent_l1 priority_order missing_data original_query currently_asking";

#[tokio::test(flavor = "multi_thread")]
async fn no_internal_value_is_in_the_document_while_it_streams() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        let names = json!(INTERNAL.split(' ').collect::<Vec<_>>());
        stage
            .watch(&format!("{names}.filter((name) => document.documentElement.outerHTML.includes(name)).join()"))
            .await;
        for line in ["I want chips for a party", "Spicy", "Over ₹150", "What did I tell you?", "Hello"] {
            stage.ask(line).await;
        }
        assert_eq!(stage.seen().await, [""; 0]);
        // The watch does see such a value.
        stage.ask("I say internal-word myself").await;
        assert_eq!(stage.seen().await.last().unwrap(), "internal-");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_beside_the_chat_and_never_in_it() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("restaurant").await;
        stage.until("!one('#context').hidden").await;
        stage.watch("one('#chat').textContent.includes('context {') || one('#chat').textContent.includes('<!--') ? 'seen' : ''").await;
        stage.ask("Find an Italian place for Saturday").await;
        stage.ask("I like Thai food").await;
        assert_eq!(stage.seen().await, [""; 0]);
        stage.expect("one('#context-tree [data-field=cuisine] .value').textContent", "thai").await;
        assert!(stage.text("one('#context-tree').textContent").await.contains("Napoli"), "other notes stay");
        assert!(stage.text("one('#raw').textContent").await.contains("\"preferences\""));
        // A suggestion in the note is sent with one press.
        stage.press("#chat .theirs:last-child .chip").await;
        stage.until("all('#chat .mine').length === 3").await;
        stage.until_idle().await;
        stage.open("finance").await;
        stage.until("one('#context').hidden").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_shows_the_raw_text_each_fields_times_and_each_event() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("finance").await;
        stage.ask_held("What did I spend on groceries last month?").await;
        stage.until("one('#raw').textContent.includes('2026-09')").await;
        stage.expect("one('#raw').textContent.includes('}')", false).await;
        stage.journal().release();
        stage.until_idle().await;
        let raw = r#"{"from": "2026-09-01", "to": "2026-09-30", "category": "groceries"}"#;
        stage.expect("texts('#raw pre')", [raw]).await;
        stage.expect("texts('.timing-name')", ["Text", "Tool get_spending_summary", "Text"]).await;
        let fields = ["/content", "/input/from", "/input/to", "/input/category", "/content"];
        stage.expect("texts('.timing-field')", fields).await;
        stage.expect("texts('.timing-words').every((it) => / m?s → .* m?s$/.test(it))", true).await;
        assert!(stage.text("one('#timing-summary').textContent").await.contains("was complete after"));
        stage.expect("texts('.row-event').at(-1)", "done").await;
        stage.expect("all('#chat .said[data-live]').length", 0).await;
        // A field lights up wherever it is shown.
        let lit = "one('.timing li').dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))";
        stage.run(lit).await;
        stage.expect("all('.lit').length > 0", true).await;
        // A value that was cut has no end, whatever follows.
        stage.ask("What did I spend on groceries last month? #truncated").await;
        stage.expect("texts('.timing-words').some((it) => it.endsWith('→ …'))", true).await;
        stage.ask("Hello #break").await;
        assert!(stage.text("one('#timing-summary').textContent").await.contains("broke off"));
        // The shop's hidden values are blocks of one width, and its keys are in clear.
        stage.open("shopping").await;
        stage.ask("I want chips for a party").await;
        let raw = stage.text("texts('#raw pre').join('')").await;
        assert!(raw.contains("What flavor are you in the mood for?") && raw.contains("Over ₹150"), "{raw}");
        assert!(raw.contains("\"route\": ▇▇▇") && !raw.contains("es_fetch"), "{raw}");
        stage.expect("texts('.timing-words').every((it) => !it.endsWith('…'))", true).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn markup_is_text_and_each_text_has_its_direction() {
    let markup = "<img/src=x/onerror=\"window.ran=1\"><script>window.ran=1</script><b>&amp;</b>";
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        let line = format!("#say:{}", json!(markup).to_string().trim_matches('"'));
        stage.ask(&line).await;
        stage.expect("one('#chat .mine .said').textContent", line).await;
        stage.expect(SAID, markup).await;
        stage.ask(&format!("#tool:list_accounts:{}", json!({"x": "<img/src/onerror=window.ran=1>"}))).await;
        stage.expect("one('#chat .tool-input').textContent.includes('<img/src/onerror=window.ran=1>')", true).await;
        let made = "[all('#conversation :is(img, script, b)').length, window.ran ?? null]";
        stage.expect(made, json!([0, Value::Null])).await;
        // The policy that the page is served with forbids it too.
        stage.run("try { document.createElement('p').innerHTML = '<b>x</b>' } catch { window.refused = true }").await;
        stage.expect("window.refused", true).await;
        for (text, direction) in [("שלום!", "rtl"), ("12. Hello", "ltr"), ("مرحبا", "rtl")] {
            stage.ask(text).await;
            stage.expect("getComputedStyle(all('#chat .mine .said').at(-1)).direction", direction).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_region_speaks_once_when_the_answer_ends() {
    on_stage(Setup { pause: Duration::from_millis(5), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        let live = "all('[role=status], [role=alert], [aria-live]:not([aria-live=off])')";
        stage.watch(&format!("{live}.map((it) => it.textContent.trim()).filter(Boolean).join(' / ')")).await;
        stage.key("#message", format!("What did I spend on groceries last month?{}", Key::Enter.value())).await;
        stage.until("all('#chat .theirs').length === 1").await;
        stage.until_idle().await;
        let spoken = stage.seen().await;
        let [first, last] = &spoken[..] else { panic!("{spoken:?}") };
        assert_eq!(first, "The assistant is answering.");
        assert!(last.contains("you spent €"), "{last}");
    })
    .await;
}
