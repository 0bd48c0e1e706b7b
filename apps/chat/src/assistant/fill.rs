//! The form assistant's turn: each attempt of the instructor is one answer of the model.

use chrono::NaiveDate;
use jsonspigot_llm::StreamEvent;
use serde_json::json;

use super::ask::{Reader, ask};
use super::output::Output;
use super::{Assistants, Finished, TurnError, conversation};
use crate::conversation::Conversation;
use crate::instructor::{AttemptError, Attempts, ErrorKind, Instructor};
use crate::provider::{Message, ProviderError, Request};
use crate::wire::Event;

const MOST_TOKENS: u32 = 4096;

/// Returns the app's form: a trip.
pub(super) fn trip() -> Instructor {
    let text = json!({"type": "string", "minLength": 1});
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "anyOf": [{"required": ["title", "start", "people", "days"]}, {"required": ["reply"]}],
        "properties": {
            "reply": text,
            "suggestions": {"type": "array", "items": text},
            "title": text,
            "start": {"type": "string", "format": "date"},
            "people": {"type": "integer", "minimum": 1, "maximum": 20},
            "days": {"type": "array", "minItems": 1, "items": {
                "type": "object", "additionalProperties": false,
                "required": ["place", "plan"], "properties": {"place": text, "plan": text},
            }},
        },
    });
    Instructor::new(&schema).expect("the schema is valid")
}

impl Reader for Attempts<'_> {
    fn take(&mut self, event: StreamEvent<'_>) {
        if let StreamEvent::Text { text, .. } = event {
            self.feed(&text);
        }
    }

    fn drain(&mut self) -> Vec<Event> {
        Attempts::drain(self)
    }

    fn is_done(&self) -> bool {
        self.has_ended()
    }
}

pub(super) async fn answer(
    assistants: &Assistants,
    before: &Conversation,
    message: &str,
    today: NaiveDate,
    output: &mut Output,
) -> Result<Finished, TurnError> {
    let system = format!(
        "Fill the form that the person asks for, or change the last one as they say: answer with one JSON text and nothing \
         else. If there is no trip to plan, say so in `reply`, and leave out all else but `suggestions`. It must be valid by \
         this JSON Schema: {}\nToday is {today}.",
        assistants.form.schema().as_value(),
    );
    let mut attempts = assistants.form.parse_streaming(message, &output.begin_answer().await?);
    while let Some(prompt) = attempts.start() {
        let request = Request {
            system: system.clone(),
            messages: conversation(&before.messages, &[Message::user(prompt)]),
            max_tokens: MOST_TOKENS,
            ..Request::default()
        };
        match ask(&assistants.provider, &request, output, &mut attempts).await {
            Ok(()) => attempts.finish(),
            // An answer that breaks off costs an attempt, because what was shown of it can't be taken back.
            Err(TurnError::Provider(error)) if attempts.has_begun() => {
                attempts.fail(failed(&error));
                output.send(attempts.drain()).await?;
                // If it was the last one, the provider has failed, not the model.
                if attempts.result().is_some() {
                    return Err(error.into());
                }
                output.pause(assistants.provider.retry().after(&error).unwrap_or_default()).await;
            }
            Err(error) => return Err(error),
        }
        output.send(attempts.drain()).await?;
    }
    let mut messages = vec![Message::user(message)];
    let form = attempts.result().and_then(|result| result.as_ref().ok());
    let stop_reason = if form.is_some() { "complete" } else { "given_up" }.to_owned();
    messages.extend(form.map(|form| Message::assistant(form.to_string())));
    Ok(Finished { conversation: before.with(&messages), stop_reason })
}

fn failed(error: &ProviderError) -> AttemptError {
    let is_cut = matches!(error, ProviderError::Cut(_) | ProviderError::BrokenOff);
    AttemptError::new(if is_cut { ErrorKind::CutStream } else { ErrorKind::Provider }, error.to_string())
}
