//! The form assistant's turn: each attempt of the instructor is one answer of the model.

use chrono::NaiveDate;
use jsonspigot::PatternSet;
use jsonspigot_llm::{StreamEvent, ToolCalls};
use serde_json::{Value, json};

use super::ask::{Reader, ask};
use super::output::Output;
use super::{Assistants, Finished, TurnError, conversation};
use crate::conversation::{Assistant, Conversation, Turn};
use crate::instructor::{AttemptError, Attempts, ErrorKind, Event as FormEvent, Instructor, Shown};
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

/// The attempts, and their events for the client.
struct Filling<'f> {
    attempts: Attempts<'f>,
    shown: Shown,
    events: Vec<Event>,
    result: Option<Result<Value, Vec<AttemptError>>>,
    /// True once the answer has begun, and once its rest is not needed.
    has_begun: bool,
    is_done: bool,
}

impl Filling<'_> {
    /// Makes one step of the instructor and keeps its events.
    fn step<R>(&mut self, step: impl FnOnce(&mut Attempts<'_>, &mut dyn FnMut(FormEvent<'_>)) -> R) -> R {
        let Self { attempts, shown, events, result, .. } = self;
        step(attempts, &mut |event| {
            events.extend(shown.events(&event));
            if let FormEvent::FinalResult(last) = event {
                *result = Some(last);
            }
        })
    }
}

impl Reader for Filling<'_> {
    fn calls(&self) -> ToolCalls {
        ToolCalls::new(&PatternSet::default())
    }

    fn take(&mut self, event: StreamEvent<'_>) {
        if let StreamEvent::Text { text, .. } = event
            && !self.is_done
        {
            self.has_begun = true;
            self.is_done = !self.step(|attempts, on_event| attempts.feed(&text, on_event));
        }
    }

    /// Returns the events once the answer has begun; until then the attempt can be repeated.
    fn drain(&mut self) -> Vec<Event> {
        if self.has_begun { std::mem::take(&mut self.events) } else { Vec::new() }
    }

    fn restart(&mut self) {
        (self.has_begun, self.is_done) = (false, false);
    }

    fn is_done(&self) -> bool {
        self.is_done
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
    let shown = Shown::in_block(&output.begin_answer().await);
    let attempts = assistants.form.parse_streaming(message);
    let mut filling = Filling { attempts, shown, events: Vec::new(), result: None, has_begun: false, is_done: false };
    while let Some(prompt) = filling.step(|attempts, on_event| attempts.start(on_event)) {
        let request = Request {
            system: system.clone(),
            messages: conversation(&before.messages, &[Message::user(prompt)]),
            max_tokens: MOST_TOKENS,
            ..Request::default()
        };
        match ask(&assistants.provider, &request, output, &mut filling).await {
            Ok(()) => filling.step(|attempts, on_event| attempts.finish(on_event)),
            // An answer that breaks off costs an attempt, because what was shown of it can't be taken back.
            Err(TurnError::Provider(error)) if filling.has_begun => {
                filling.step(|attempts, on_event| attempts.fail(failed(&error), on_event));
                output.send(filling.drain()).await;
                // If it was the last one, the provider has failed, not the model.
                if filling.result.is_some() {
                    return Err(error.into());
                }
                output.pause(assistants.provider.retry().after(&error).unwrap_or_default()).await;
            }
            Err(error) => return Err(error),
        }
        output.send(std::mem::take(&mut filling.events)).await;
    }
    let mut messages = vec![Message::user(message)];
    let form = filling.result.and_then(Result::ok);
    let stop_reason = if form.is_some() { "complete" } else { "given_up" }.to_owned();
    messages.extend(form.map(|form| Message::assistant(form.to_string())));
    let turn = Turn { assistant: Assistant::Form, messages, context: None, session: None };
    Ok(Finished { turn, stop_reason })
}

fn failed(error: &ProviderError) -> AttemptError {
    let is_cut = matches!(error, ProviderError::Cut(_) | ProviderError::BrokenOff);
    AttemptError::new(if is_cut { ErrorKind::CutStream } else { ErrorKind::Provider }, error.to_string())
}
