//! What a person sees of an answer while it streams: growing texts, chips, cards, and text that is never markup.

use std::time::Duration;

use serde_json::Value;

use crate::stage::{Setup, Stage, on_stage, recording};

const SAID: &str =
    "[...document.querySelectorAll('.theirs')].at(-1)?.querySelector('.said:not(details *)')?.textContent ?? ''";

fn slowly() -> Setup {
    Setup { pause: Duration::from_millis(25), ..Setup::default() }
}

/// The distinct texts seen, the empty one aside.
async fn texts(stage: &Stage) -> Vec<String> {
    let seen = stage.seen().await;
    seen.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn text_grows_before_the_provider_has_sent_its_last_fragment() {
    on_stage(slowly(), async |stage| {
        for assistant in ["shopping", "finance", "restaurant"] {
            stage.open(assistant).await;
            stage.watch(SAID).await;
            stage.say("Good morning, dear assistant! #hold").await;
            stage.journal().wait_for(|seen| seen.held == 1).await;
            stage.until(&format!("return {SAID}.includes('assistant')")).await;
            let growing = texts(&stage).await;
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
    on_stage(slowly(), async |stage| {
        stage.open("finance").await;
        stage
            .watch(
                "[document.querySelector('.placeholder') !== null, document.querySelector('#send').disabled, \
                 document.activeElement.id === 'message', document.querySelectorAll('.mine').length].join()",
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

/// Each cut of the call's input, the rest never sent: chips show just where their array has closed.
#[tokio::test(flavor = "multi_thread")]
async fn chips_show_only_when_their_array_is_closed() {
    let input = r#"{"ask_slots":[{"message":"Size?","options":["S","M"]},{"message":"Hue?","options":["red",""#;
    let closed = input.find(']').unwrap() + 1;
    let asked = input.find("Size?").unwrap();
    let cuts: Vec<usize> = (asked..=input.len()).collect();
    let tool = Some("classify_and_assess");
    let recordings =
        cuts.iter().map(|&cut| (format!("cut-{cut}.sse"), recording(&[&input[..cut]], tool, false))).collect();
    on_stage(Setup { recordings, ..Setup::default() }, async |stage| {
        for &cut in &cuts {
            stage.open("shopping").await;
            stage.ask(&format!("#replay:cut-{cut}.sse")).await;
            let chips = stage
                .eval("return [...document.querySelectorAll('.chips .chip')].map((chip) => chip.textContent)")
                .await;
            let expected = if cut >= closed { serde_json::json!(["S", "M"]) } else { serde_json::json!([]) };
            assert_eq!(chips, expected, "after `{}`", &input[..cut]);
            let slot = stage.text(".slot .question").await;
            assert_eq!(slot, "Size?"[..(cut - asked).min(5)].to_owned(), "after `{}`", &input[..cut]);
            assert!(!stage.text(".turn-error").await.is_empty());
        }
    })
    .await;
}

const CHIP: &str = "[...document.querySelectorAll('.chip')].find((chip) => chip.textContent === 'WORDS').click()";

#[tokio::test(flavor = "multi_thread")]
async fn several_chips_are_chosen_and_sent_once_each_in_its_slot() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.ask("I want chips for a party").await;
        let questions =
            stage.eval("return [...document.querySelectorAll('.question')].map((it) => it.textContent)").await;
        let expected = ["Great! What's your budget range for chips?", "What flavor are you in the mood for?"];
        assert_eq!(questions, serde_json::json!(expected));
        // Out of order, one of them taken back, with a draft in the field.
        stage.eval("document.querySelector('#message').value = 'a draft'").await;
        for words in ["Tangy", "Spicy", "Classic salted", "Classic salted", "₹50–150"] {
            stage.eval(&CHIP.replace("WORDS", words)).await;
        }
        assert_eq!(stage.eval("return document.querySelectorAll('.mine').length").await, 1, "nothing is sent yet");
        // A double click.
        stage.eval("const send = document.querySelector('.send-choice'); send.click(); send.click()").await;
        stage.until_idle().await;
        let said = stage.eval("return [...document.querySelectorAll('.mine .said')].map((it) => it.textContent)").await;
        assert_eq!(said, serde_json::json!(["I want chips for a party", "₹50–150; Spicy, Tangy"]));
        assert_eq!(stage.eval("return document.querySelectorAll('.theirs').length").await, 2);
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "a draft");
        assert_eq!(stage.text(".products li strong").await, "Chilli Party Pack", "both slots have their answers");
        assert_eq!(stage.eval("return document.querySelectorAll('[aria-pressed=true]').length").await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_slots_with_one_text_both_show() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        stage.ask("Sizes for the twins, please").await;
        let questions =
            stage.eval("return [...document.querySelectorAll('.question')].map((it) => it.textContent)").await;
        assert_eq!(questions, serde_json::json!(["Which size?", "Which size?"]));
        stage.eval(&CHIP.replace("WORDS", "L")).await;
        stage.press(".send-choice").await;
        stage.until_idle().await;
        let said = stage.eval("return [...document.querySelectorAll('.mine .said')].map((it) => it.textContent)").await;
        assert_eq!(said, serde_json::json!(["Sizes for the twins, please", "L"]));
        // The second slot was answered, so the first one is asked for.
        assert_eq!(stage.eval("return document.querySelector('.theirs:last-child .chip').textContent").await, "S");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thought_a_card_that_ends_with_its_turn_and_an_answer_that_is_none() {
    let nothing = recording(&[], None, true);
    on_stage(Setup { recordings: vec![("nothing.sse".to_owned(), nothing)], ..slowly() }, async |stage| {
        stage.open("finance").await;
        stage.ask("What did I spend on travel? #think").await;
        assert!(
            stage
                .eval("return document.querySelector('.thinking .said').textContent")
                .await
                .as_str()
                .unwrap()
                .contains("Let me think about what that needs.")
        );
        stage.say("How much did I spend? #slow:150").await;
        let card = ".theirs:last-child .tool";
        stage.until(&format!("return document.querySelector('{card}')?.dataset.status === 'input'")).await;
        stage.press("#stop").await;
        stage.until_idle().await;
        assert_eq!(stage.texts(&format!("{card} .status")).await, ["ended"]);
        stage.ask("#replay:nothing.sse").await;
        assert_eq!(stage.texts(".theirs:last-child .ended").await, ["The model has said nothing."]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_cards_grow_their_input_and_end_with_their_result() {
    on_stage(slowly(), async |stage| {
        stage.open("finance").await;
        stage
            .watch("[...document.querySelectorAll('.tool .tool-input')].map((input) => input.innerText).join('|')")
            .await;
        stage.ask("Compare my spending on travel").await;
        let growing = texts(&stage).await;
        assert!(growing.len() >= 5, "{growing:?}");
        assert!(growing.iter().any(|text| text.contains("2026-09") && !text.contains("2026-10")), "{growing:?}");
        assert_eq!(stage.texts(".tool .status").await, ["called", "called"]);
        assert_eq!(stage.texts(".ran .status").await, ["done", "done"]);
        // One section for each block: the model, its tools with a thread each, the model.
        let sections = "return [...document.querySelectorAll('.theirs [data-block]')].map((section) => \
                        [...section.children].map((part) => [part.className, part.dataset.thread ?? null]))";
        let expected = serde_json::json!([
            [["said text", null], ["card tool", null], ["card tool", null]],
            [["card ran", "toolu_0002"], ["card ran", "toolu_0003"]],
            [["said text", null]],
        ]);
        assert_eq!(stage.eval(sections).await, expected);
        let results = stage.texts(".tool-output").await;
        assert!(results.iter().all(|result| result.contains("total cents")), "{results:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_fills_field_by_field_each_partial_and_then_complete() {
    on_stage(slowly(), async |stage| {
        stage.open("form").await;
        stage
            .watch(
                "[...document.querySelectorAll('.form .field')].map((field) => \
                 `${field.dataset.field} ${field.dataset.state}`).join()",
            )
            .await;
        stage.ask("Four days around the Øresund").await;
        let states = texts(&stage).await;
        let first = |wanted: &str| {
            let is_wanted = |state: &String| state.split(',').any(|field| field == wanted);
            states.iter().position(is_wanted).unwrap_or_else(|| panic!("no `{wanted}` in {states:?}"))
        };
        let order =
            ["title partial", "title complete", "start complete", "people complete", "days partial", "days complete"];
        let places: Vec<usize> = order.iter().map(|wanted| first(wanted)).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(places[0] < places[1] && places[1] < places[3] && places[4] < places[5], "{places:?}");
        assert!(first("plan partial") > first("place complete"));
        assert!(!states[first("title complete")].contains("people"), "the next fields come later");
        assert!(!states.last().unwrap().contains("partial"), "all is complete: {states:?}");
        assert!(stage.text(".form .status").await.contains("complete"));

        // Wrong first: that attempt stays with its error, the next one fills anew.
        stage.ask("Get it wrong at first, then right").await;
        let forms =
            "return [...document.querySelectorAll('.theirs:last-child .form')].map((form) => form.dataset.status)";
        let statuses = stage.eval(forms).await;
        assert_eq!(statuses, serde_json::json!(["failed", "complete"]));
        assert!(stage.text(".form[data-status=failed] .errors").await.contains("/people"));
        // It has collapsed, and its error stands at its field.
        let failed = "const form = document.querySelector('.form[data-status=failed]'); \
                      return [form.querySelector('.fields').open, \
                      form.querySelector('[data-field=people] > .field-error').textContent]";
        let failed = stage.eval(failed).await;
        assert_eq!(failed[0], false);
        assert!(failed[1].as_str().unwrap().contains("integer"), "{failed}");
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
        assert!(stage.answer().await.contains(markup), "the model's echo");
        assert_eq!(stage.text(".mine .said").await, markup);
        stage.ask("#replay:text.sse").await;
        assert_eq!(stage.answer().await, format!("See {markup}"));
        stage.ask(&format!("#tool:list_accounts:{}", serde_json::json!({"x": "<img/src/onerror=window.ran=1>"}))).await;
        assert!(stage.text(".tool-input").await.contains("<img/src/onerror=window.ran=1>"));
        stage.open("shopping").await;
        stage.ask("#replay:ask.sse").await;
        assert_eq!(stage.text(".question").await, markup);
        assert_eq!(stage.text(".chips .chip").await, markup.to_owned());
        let made = "return [document.querySelectorAll('main :is(img, script, b)').length, window.ran ?? null]";
        assert_eq!(stage.eval(made).await, serde_json::json!([0, null]));
        // And the page could not do it by mistake: the policy it is served with forbids it.
        let refused = "try { document.createElement('p').innerHTML = '<b>x</b>'; return false } catch { return true }";
        assert_eq!(stage.eval(refused).await, true);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_tells_each_event_and_what_waiting_would_have_shown() {
    on_stage(slowly(), async |stage| {
        stage.open("finance").await;
        stage.say("How much did I spend on groceries? #hold").await;
        stage.until("return document.querySelector('.waiting-line[data-state=waiting]')?.textContent").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        let shown = stage.text(".tool-input").await;
        assert!(shown.contains("2026-10"), "{shown}");
        let waiting = stage.text(".waiting").await;
        assert!(waiting.contains("nothing yet"), "{waiting}");
        stage.journal().release();
        stage.until("return document.querySelector('#chat').dataset.state === 'idle' || undefined").await;
        let waiting = stage.text(".waiting").await;
        assert!(!waiting.contains("nothing yet"), "{waiting}");
        let summary = stage.text("#timing-summary").await;
        assert!(
            summary.starts_with("The first character could be seen after") && summary.contains("complete"),
            "{summary}"
        );
        let names =
            stage.eval("return [...document.querySelectorAll('.timing-name')].map((it) => it.textContent)").await;
        assert_eq!(names, serde_json::json!(["Text", "Tool get_spending_summary", "Text"]));
        let rows =
            stage.eval("return [...document.querySelectorAll('.row')].map((row) => row.innerText).join('\\n')").await;
        let rows = rows.as_str().unwrap();
        assert!(rows.contains("done") && rows.contains("/content"), "{rows}");
        let count: usize = stage.text("#event-count").await.parse().unwrap();
        assert!(count > 20);
        assert_eq!(
            stage.eval("return document.querySelectorAll('.said[data-live]').length").await,
            0,
            "nothing grows now"
        );

        stage.ask("Hello #break").await;
        assert!(stage.text("#timing-summary").await.contains("broke off"));
        assert!(stage.text(".waiting").await.contains("never became complete"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_shows_the_same_again() {
    on_stage(Setup { pause: Duration::from_millis(8), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.ask("Hello there").await;
        stage.ask("How much did I spend on groceries?").await;
        let page = "return document.querySelector('#conversation').innerText";
        let before = stage.eval(page).await;
        for speed in [0, 1, 10] {
            stage.watch(SAID).await;
            let press = format!("document.querySelector('[data-replay=\"{speed}\"]').click()");
            stage.eval(&press).await;
            if speed == 10 {
                // Ten times slower is for looking; the rest comes at once when asked for.
                stage.until("return document.querySelectorAll('.mine').length === 2").await;
                stage.until(&format!("return {SAID} !== ''")).await;
                stage.eval("document.querySelector('#stop').click()").await;
            }
            stage.until_idle().await;
            assert_eq!(stage.eval(page).await, before, "at speed {speed}");
            if speed == 1 {
                assert!(texts(&stage).await.len() >= 4, "it grows again");
            }
        }
        stage.ask("And once more, hello").await;
        assert!(stage.answer().await.contains("And once more"), "the conversation goes on");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_stays_in_sight_unless_the_person_looks_elsewhere() {
    on_stage(Setup { pause: Duration::from_millis(2), ..Setup::default() }, async |stage| {
        stage.open("finance").await;
        stage.ask("#random:5:4000").await;
        let below = "return document.querySelector('.theirs:last-child').getBoundingClientRect().bottom \
                     - document.querySelector('#scroller').getBoundingClientRect().bottom";
        assert!(stage.eval(below).await.as_f64().unwrap() <= 0.0, "the end is in sight");
        let above = "return document.querySelector('.mine').getBoundingClientRect().bottom";
        assert!(stage.eval(above).await.as_f64().unwrap() < 0.0, "and the beginning is not");

        stage.say("#random:6:6000").await;
        stage.until("return document.querySelectorAll('.theirs')[1]?.textContent.length > 1500").await;
        stage
            .eval("document.querySelector('#scroller').scrollTop = -document.querySelector('#scroller').scrollHeight")
            .await;
        stage.until("return document.querySelectorAll('.theirs')[1].textContent.length > 2000").await;
        let first = stage.eval(above).await.as_f64().unwrap();
        stage.until_idle().await;
        assert_eq!(stage.eval(above).await.as_f64().unwrap(), first, "what is being read stays where it is");

        // The list of events likewise: its end at first, and all of it by scrolling.
        let rows = "return [...document.querySelectorAll('.row-id')].map((it) => Number(it.textContent))";
        let count: u64 = stage.text("#event-count").await.parse().unwrap();
        let shown = stage.eval(rows).await;
        assert_eq!(shown.as_array().unwrap().last().unwrap(), count, "{shown}");
        assert!(shown.as_array().unwrap().len() < 60, "{shown}");
        stage
            .eval("document.querySelector('#events').scrollTop = -document.querySelector('#events').scrollHeight")
            .await;
        stage.until("return document.querySelector('.row-id').textContent === '1'").await;
        let shown = stage.eval(rows).await;
        let in_order: Vec<u64> = shown.as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
        assert_eq!(in_order, (1..=in_order.len() as u64).collect::<Vec<_>>());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_sees_what_this_is_and_a_call_that_streams_beside_one_that_waits() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        assert!(stage.text(".lead").await.contains("reads a model's JSON while it is written"));
        stage.until("return document.querySelector('#badge').textContent === 'scripted model'").await;
        // The streaming side has questions while the other one waits.
        stage
            .until(
                "return document.querySelector('#compared-streaming .compared-question') \
                 && document.querySelector('#compared-waiting').textContent.includes('Waiting')",
            )
            .await;
        let both = "return document.querySelector('#compared-time').textContent.includes('instead of') \
                    && document.querySelector('#compared-streaming').textContent \
                    === document.querySelector('#compared-waiting').textContent";
        stage.until(both).await;
        for file in ["README.md", "shopping.rs"] {
            let paper = reqwest::get(format!("{}/{file}", stage.line.address)).await.unwrap();
            assert!(paper.status() == 200 && paper.text().await.unwrap().len() > 1000, "{file}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_stopped_while_the_next_words_are_written_and_asked_for_again() {
    on_stage(slowly(), async |stage| {
        stage.open("finance").await;
        stage.say("Good morning #hold").await;
        stage.journal().wait_for(|seen| seen.held == 1).await;
        let field = stage.driver.find(thirtyfour::By::Id("message")).await.unwrap();
        field.send_keys("My next words").await.unwrap();
        stage.press("#stop").await;
        stage.until_idle().await;
        assert_eq!(stage.texts(".turn-error").await, ["the answer was stopped"]);
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "My next words");
        stage.press(".retry").await;
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
            .until("return document.querySelector('#conversation-list a')?.textContent === 'Good morning #hold'")
            .await;
        stage.press("#conversation-list a").await;
        stage.until("return document.querySelectorAll('.mine').length === 2").await;
        stage.press(".mine .action").await;
        assert_eq!(stage.eval("return document.querySelector('#message').value").await, "Good morning #hold");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shop_says_that_it_decides_from_the_first_token_on() {
    on_stage(slowly(), async |stage| {
        stage.open("shopping").await;
        let state = "[document.querySelector('.thinking')?.open, document.querySelector('.deciding')?.hidden, \
                     document.querySelectorAll('.chips').length].join()";
        stage.watch(state).await;
        stage.ask("I want chips for a party").await;
        let seen = texts(&stage).await;
        assert!(seen.contains(&"true,false,0".to_owned()), "thoughts are open while it decides: {seen:?}");
        assert_eq!(seen.last().unwrap(), "false,true,2", "{seen:?}");
    })
    .await;
}
