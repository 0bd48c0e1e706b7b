//! The form assistant's turn: it drives the instructor with the provider's answers, and tells what it tells.

use chrono::NaiveDate;
use jsonspigot::PatternSet;
use jsonspigot_llm::{StreamEvent, ToolCalls};
use serde_json::{Value, json};

use super::output::Output;
use super::{Assistants, Finished, TurnError, conversation};
use crate::conversation::{Assistant, Conversation, Turn};
use crate::instructor::{AttemptError, Attempts, Event as FormEvent, Instructor, Shown, Step};
use crate::provider::{Answer, Message, ProviderError, Request, Retry};
use crate::wire::Event;

const MOST_TOKENS: u32 = 4096;

/// The form that the app comes with: a trip.
pub(super) fn trip() -> Instructor<Value> {
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
    Instructor::new(&schema).expect("the schema is a schema")
}

/// The attempts, and what is to be told of them.
struct Filling {
    attempts: Attempts<Value>,
    shown: Shown,
    events: Vec<Event>,
    result: Option<Value>,
    /// Whether there is no further attempt.
    is_over: bool,
}

/// What the provider failed an attempt with.
struct Failure {
    error: ProviderError,
    /// Whether any of the answer had come before.
    has_begun: bool,
}

impl Filling {
    /// One step of the instructor, whose events are kept.
    fn step<R>(&mut self, step: impl FnOnce(&mut Attempts<Value>, &mut dyn FnMut(FormEvent<'_, Value>)) -> R) -> R {
        let Self { attempts, shown, events, result, is_over } = self;
        step(attempts, &mut |event| {
            events.extend(shown.events(&event));
            if let FormEvent::FinalResult(last) = event {
                *is_over = true;
                *result = last.ok();
            }
        })
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
         else. If there is no trip to plan, say so in `reply`, and leave out all else but `suggestions`. It must be valid by this JSON Schema: {}\nToday is {today}.",
        assistants.form.schema(),
    );
    let block = output.begin_answer().await?;
    let attempts = assistants.form.parse_streaming(message);
    let shown = Shown::in_block(block);
    let mut filling = Filling { attempts, shown, events: Vec::new(), result: None, is_over: false };
    let mut retry = assistants.provider.retry();
    while let Some(prompt) = filling.step(|attempts, tell| attempts.start(tell)) {
        let request = Request {
            system: system.clone(),
            messages: conversation(&before.messages, &[Message::user(prompt)]),
            max_tokens: MOST_TOKENS,
            ..Request::default()
        };
        let failure = attempt(assistants, &request, &mut retry, &mut filling, output).await?;
        output.send(std::mem::take(&mut filling.events)).await?;
        if let Some(error) = failure {
            let pause = retry.after(&error);
            // It is the provider that failed, not the model: if there is no further attempt, so has the turn.
            if filling.is_over {
                return Err(error.into());
            }
            output.pause(pause.unwrap_or_default()).await;
        }
    }
    let mut messages = vec![Message::user(message)];
    let stop_reason = if filling.result.is_some() { "complete" } else { "given_up" };
    messages.extend(filling.result.map(|form| Message::assistant(form.to_string())));
    let turn = Turn { assistant: Assistant::Form, messages, context: None, session: None };
    Ok(Finished { turn, stop_reason: stop_reason.to_owned() })
}

/// One attempt, to its end or to where it is clear that it fails; then the answer's rest is not read. A provider that
/// fails before it has said anything is none of the attempt's business: it is asked again, or the turn has failed. Gives
/// the failure of one that breaks off, which costs the attempt: what was shown of it can't be taken back.
async fn attempt(
    assistants: &Assistants,
    request: &Request,
    retry: &mut Retry,
    filling: &mut Filling,
    output: &mut Output,
) -> Result<Option<ProviderError>, TurnError> {
    loop {
        output.redo().await?;
        output.flush().await?;
        let calls = ToolCalls::new(&PatternSet::default());
        let failure = match assistants.provider.open(request, calls, output.inputs()).await {
            Ok(answer) => read(answer, filling, output).await?,
            Err(error) => Some(Failure { error, has_begun: false }),
        };
        let Some(Failure { error, has_begun }) = failure else { return Ok(None) };
        if has_begun {
            filling.step(|attempts, tell| attempts.fail(failed(&error), tell));
            return Ok(Some(error));
        }
        let Some(pause) = retry.after(&error) else { return Err(error.into()) };
        tracing::warn!(?error, ?pause, "a request is tried again");
        output.pause(pause).await;
    }
}

async fn read(mut answer: Answer, filling: &mut Filling, output: &mut Output) -> Result<Option<Failure>, TurnError> {
    let mut has_begun = false;
    loop {
        let mut step = Step::GoOn;
        let read = answer
            .next(output.inputs(), |event| {
                if let StreamEvent::Text { text, .. } = event
                    && step == Step::GoOn
                {
                    has_begun = true;
                    step = filling.step(|attempts, tell| attempts.feed(&text, tell));
                }
            })
            .await;
        // An attempt is told of once something of it has come.
        if has_begun {
            output.send(std::mem::take(&mut filling.events)).await?;
        }
        match read {
            _ if step == Step::AttemptOver => return Ok(None),
            Ok(true) => {}
            Ok(false) => {
                filling.step(|attempts, tell| attempts.finish(tell));
                return Ok(None);
            }
            Err(error) => return Ok(Some(Failure { error, has_begun })),
        }
    }
}

fn failed(error: &ProviderError) -> AttemptError {
    let message = error.to_string();
    match error {
        ProviderError::Cut(_) | ProviderError::BrokenOff => AttemptError::CutStream { message },
        _ => AttemptError::Provider { message },
    }
}
