//! Runs the calls of one answer side by side, and finds the calls of a conversation that have no result.

use std::collections::{HashMap, HashSet};

use futures::FutureExt;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::draft::result_of;
use super::growing_text::GrowingText;
use super::output::Output;
use super::round::Call;
use super::tools::{ToolOutcome, Toolbox};
use super::{Assistants, TurnError};
use crate::conversation::Conversation;
use crate::provider::{Block, Message, Role};
use crate::store::Input;
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

/// How much of what models say as tools may wait to be told.
const UNHEARD: usize = 64;

/// What the model is told of a call whose result was lost, with the server or with what failed before it was stored.
const LOST: &str = "the result was lost: the call may have been carried out, so do not repeat it without asking";

/// What a person says, as the model is told it: after the results that it has still to be given.
pub(super) fn question(before: &Conversation, message: &str) -> Message {
    let mut content = lost_results(&before.messages);
    content.push(Block::Text { text: message.to_owned() });
    Message { role: Role::User, content }
}

/// Results for the calls at the end of a conversation that have none.
fn lost_results(messages: &[Message]) -> Vec<Block> {
    let Some(last) = messages.last().filter(|last| last.role == Role::Assistant) else { return Vec::new() };
    let lost = |tool_use_id| Block::ToolResult { tool_use_id, content: LOST.to_owned(), is_error: true };
    call_ids(last).map(lost).collect()
}

pub(super) fn call_ids(message: &Message) -> impl Iterator<Item = String> + use<> {
    let id = |block: &Block| if let Block::ToolUse { id, .. } = block { Some(id.clone()) } else { None };
    message.content.iter().filter_map(id).collect::<Vec<_>>().into_iter()
}

/// Runs the calls of one answer side by side, tells each result as it comes, and gives them in the calls' order.
pub(super) async fn run(
    assistants: &Assistants,
    toolbox: &Toolbox,
    calls: Vec<Call>,
    block: &str,
    output: &mut Output,
) -> Result<Vec<Block>, TurnError> {
    let is_concurrent = calls.iter().filter(|call| call.input.is_ok()).count() > 1;
    let own_block = output.next_block();
    // Dropped with the turn, which ends the tools that still run.
    let mut running = JoinSet::new();
    let mut places = HashMap::new();
    let mut outcomes: Vec<Option<ToolOutcome>> = vec![None; calls.len()];
    // What the tools that are models say, each in its thread.
    let (says, mut heard) = mpsc::channel::<(usize, String)>(UNHEARD);
    let mut said: HashMap<usize, GrowingText> = HashMap::new();
    let first = output.inputs().position();
    // On a server that is gone: each of them may have been carried out, whatever is known of it.
    let were_begun = output.inputs().next_if(|input| *input == Input::Run).is_some();
    if !were_begun {
        output.inputs().store(&[Input::Run]).await;
    }
    for (place, call) in calls.iter().enumerate() {
        match &call.input {
            Ok(_) => {
                output.draft.begin_call(place);
                let props = json!({"id": call.id, "name": call.name, "status": "running"});
                let begun = Envelope::whole(MessageType::ToolResult, props).of(call.message.as_str());
                let called = tell_call(call, block, EventName::ToolInput, Change::set("/status", "called"));
                output.send(vec![called, in_own_thread(call, begun, &own_block, is_concurrent)]).await?;
                if toolbox.is_model(&call.name) {
                    let waits = json!({"message": "A colleague is asked…"});
                    let loading = Envelope::whole(MessageType::Loading, waits).of(format!("{}.loading", call.message));
                    let loading = in_own_thread(call, loading, &own_block, is_concurrent);
                    output.send(vec![Event { event: EventName::Loading, ..loading }]).await?;
                }
            }
            Err(flawed) => {
                let error = format!("{}; the tool was not run", flawed.reason);
                output.draft.end_call(place, &Err(error.clone()));
                let end = Change::merge("", json!({"status": "failed", "error": error}));
                output.send(vec![tell_call(call, block, EventName::ToolResult, end)]).await?;
                outcomes[place] = Some(Err(error));
            }
        }
    }
    let mut have_begun = false;
    // Those that must not run a second time, and whose results are not stored.
    let mut once = HashSet::new();
    while outcomes.iter().any(Option::is_none) {
        output.redo().await?;
        let input = match output.inputs().next_of_run(first, |place| outcomes[place].is_none()).await {
            Some(input) => input,
            None => {
                for (place, call) in calls.iter().enumerate() {
                    if have_begun || outcomes[place].is_some() {
                        continue;
                    }
                    let run = if were_begun && !toolbox.is_repeatable(&call.name) {
                        futures::future::ready(Err(LOST.to_owned())).boxed()
                    } else {
                        let says = says.clone();
                        let say = move |text| {
                            let says = says.clone();
                            // Who does not listen any more has ended this, too.
                            async move { says.send((place, text)).await.unwrap_or_default() }.boxed()
                        };
                        let input = call.input.as_ref().ok().cloned().unwrap_or_default();
                        let key = output.key(&call.id);
                        if !toolbox.is_repeatable(&call.name) {
                            once.insert(place);
                        }
                        toolbox.run(&call.name, input, key, &assistants.provider, say).boxed()
                    };
                    places.insert(running.spawn(run).id(), place);
                }
                output.bind(!once.is_empty());
                if !have_begun {
                    have_begun = true;
                    output.flush().await?;
                }
                let input = tokio::select! {
                    // What was said before a result comes before it.
                    biased;
                    Some((place, text)) = heard.recv() => Input::Heard { place, text },
                    joined = running.join_next_with_id() => match joined {
                        Some(Ok((id, outcome))) => Input::Outcome { place: places[&id], outcome },
                        Some(Err(error)) => {
                            Input::Outcome { place: places[&error.id()], outcome: Err("the tool has crashed".to_owned()) }
                        }
                        None => break,
                    },
                };
                output.inputs().store(std::slice::from_ref(&input)).await;
                if let Input::Outcome { place, .. } = &input {
                    once.remove(place);
                    output.bind(!once.is_empty());
                }
                input
            }
        };
        match input {
            Input::Heard { place, text } => {
                let call = &calls[place];
                let new = || {
                    let message = format!("{}.text", call.message);
                    GrowingText::new(EventName::Text, MessageType::Text, message, &own_block)
                };
                let mut events = Vec::new();
                said.entry(place).or_insert_with(new).push(&text, &mut events);
                let events = events.into_iter().map(|Event { event, data }| Event {
                    event,
                    ..in_own_thread(call, data, &own_block, is_concurrent)
                });
                output.send(events.collect()).await?;
            }
            Input::Outcome { place, outcome } => {
                output.draft.end_call(place, &outcome);
                let mut events = Vec::new();
                said.iter().filter(|(of, _)| **of == place).for_each(|(_, text)| text.end(&mut events));
                let events = events.into_iter().map(|Event { event, data }| Event {
                    event,
                    ..in_own_thread(&calls[place], data, &own_block, is_concurrent)
                });
                output.send(events.collect()).await?;
                let end = match &outcome {
                    // A model's text was sent while it was written.
                    Ok(value) if toolbox.is_model(&calls[place].name) => {
                        json!({"status": "done", "result": value, "is_told": true})
                    }
                    Ok(value) => json!({"status": "done", "result": value}),
                    Err(error) => json!({"status": "failed", "error": error}),
                };
                let call = &calls[place];
                let end = Envelope::delta(MessageType::ToolResult, call.message.as_str(), Change::merge("", end));
                output.send(vec![in_own_thread(call, end, &own_block, is_concurrent)]).await?;
                outcomes[place] = Some(outcome);
            }
            _ => {}
        }
    }
    Ok(calls.iter().zip(outcomes).map(|(call, outcome)| block_of(call, outcome)).collect())
}

fn block_of(call: &Call, outcome: Option<ToolOutcome>) -> Block {
    result_of(&call.id, &outcome.unwrap_or_else(|| Err("the tool has not answered".to_owned())))
}

/// A change to a call, in the block of the answer that makes it.
fn tell_call(call: &Call, block: &str, name: EventName, change: Change) -> Event {
    Event::new(name, Envelope::delta(MessageType::ToolCall, call.message.as_str(), change).in_block(block))
}

/// What comes of a call, in the block of the run. Where several run, each is a thread from its first chunk on.
fn in_own_thread(call: &Call, envelope: Envelope, block: &str, is_concurrent: bool) -> Event {
    let envelope = envelope.in_block(block);
    let envelope = if is_concurrent { envelope.in_thread(call.id.as_str()) } else { envelope };
    Event::new(EventName::ToolResult, envelope)
}
