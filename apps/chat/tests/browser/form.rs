//! The form: labelled fields that fill, and what is wrong with them.

use serde_json::{Value, json};

use crate::stage::{Setup, on_stage};

#[tokio::test(flavor = "multi_thread")]
async fn the_form_fills_field_by_field_each_partial_and_then_complete() {
    on_stage(Setup::slowly(), async |stage| {
        stage.open("form").await;
        stage
            .watch(
                "[...document.querySelectorAll('#chat .form .field')].map((field) => \
                 `${field.dataset.field} ${field.dataset.state}`).join()",
            )
            .await;
        stage.ask("Four days around the Øresund").await;
        let states = stage.texts_seen().await;
        let first = |wanted: &str| {
            let is_wanted = |state: &String| state.split(',').any(|field| field == wanted);
            states.iter().position(is_wanted).unwrap_or_else(|| panic!("no `{wanted}` in {states:?}"))
        };
        let order =
            ["title partial", "title complete", "start complete", "people complete", "days partial", "days valid"];
        let places: Vec<usize> = order.iter().map(|wanted| first(wanted)).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(places[0] < places[1] && places[1] < places[3] && places[4] < places[5], "{places:?}");
        // What comes within a frame is drawn together.
        assert!(first("plan partial") >= first("place complete"));
        assert!(!states[first("title complete")].contains("people"), "the next fields come later");
        assert!(!states.last().unwrap().contains("partial"), "all is complete: {states:?}");
        assert!(stage.text("#chat .form .status").await.contains("valid"));
        let colours = "const days = document.querySelector('#chat .form [data-field=days]'); days.dataset.state = 'partial'; \
                       return [days, days.querySelector('.field')].map((it) => \
                       getComputedStyle(it.querySelector('.mark')).color)";
        let colours = stage.eval(colours).await;
        assert_ne!(colours[0], colours[1], "what is complete looks so in a group that still fills");

        // Wrong first: that attempt stays with its error, the next one fills anew.
        stage.ask("Wrong at first: four days around the Øresund").await;
        let forms =
            "return [...document.querySelectorAll('#chat .theirs:last-child .form')].map((form) => form.dataset.status)";
        let statuses = stage.eval(forms).await;
        assert_eq!(statuses, serde_json::json!(["failed", "complete"]));
        assert!(stage.text("#chat .form[data-status=failed] .errors").await.contains("/people"));
        // Its error stands at its field; what comes next folds it away.
        stage.say("Never right").await;
        stage.until("return document.querySelectorAll('#chat .mine').length === 3").await;
        stage.until_idle().await;
        let failed = "const form = document.querySelector('#chat .form[data-status=failed]'); \
                      return [form.querySelector('.fields').open, \
                      form.querySelector('[data-field=people] > .field-error').textContent]";
        let failed = stage.eval(failed).await;
        assert_eq!(failed[0], false, "it has collapsed");
        assert!(failed[1].as_str().unwrap().contains("integer"), "{failed}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_field_has_its_label_and_its_error() {
    on_stage(Setup::default(), async |stage| {
        stage.open("form").await;
        stage.ask("Wrong at first: four days around the Øresund").await;
        // What assistive technology has of a field: its label, its value, its state, and what describes it.
        let fields = "const form = document.querySelector('#chat .form[data-status=STATUS]'); \
                      const words = (ids) => ids.split(' ').map((id) => document.getElementById(id).textContent); \
                      return [...form.querySelectorAll('textarea')].map((it) => [it.labels[0].textContent, it.value, \
                      it.readOnly, it.ariaInvalid, ...words(it.getAttribute('aria-describedby'))])";
        let complete = stage.eval(&fields.replace("STATUS", "complete")).await;
        assert_eq!(complete[0], json!(["Title", "Around the Øresund in four days", true, null, "valid"]));
        assert_eq!(complete[2], json!(["People", "2", true, null, "valid"]));
        let failed = stage.eval(&fields.replace("STATUS", "failed")).await;
        let wrong = json!(["People", "many", true, "true", "complete", "\"many\" is not of type \"integer\""]);
        assert_eq!(failed[2], wrong, "{failed}");
        assert_eq!(failed[1][3], Value::Null, "only the wrong one is marked");
        let groups = "return [...document.querySelectorAll('#chat .form[data-status=complete] legend')] \
                      .map((it) => it.firstChild.data)";
        assert_eq!(stage.eval(groups).await, json!(["Days", "Day 1", "Day 2", "Day 3", "Day 4"]));
    })
    .await;
}
