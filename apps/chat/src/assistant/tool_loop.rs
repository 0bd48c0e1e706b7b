//! The tool loop: the model answers, its tools run side by side, their results go back, and so on until it is done.

use std::collections::HashSet;

use serde_json::json;
use tokio::task::JoinSet;

use super::ask::{Reader, ask};
use super::output::Output;
use super::round::{Call, Round};
use super::tools::{ToolOutcome, Toolbox};
use super::{Assistants, Finished, TurnError, conversation, updated};
use crate::conversation::{Assistant, Conversation, Turn};
use crate::provider::{Block, Message, Request, Role};
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

const MOST_TOKENS: u32 = 4096;

impl Reader for Round<'_> {
    fn take(&mut self, event: jsonspigot::providers::StreamEvent<'_>) {
        self.take(event);
    }

    fn drain(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

pub(super) async fn answer(
    assistants: &Assistants,
    toolbox: &Toolbox,
    assistant: Assistant,
    system: &str,
    before: &Conversation,
    message: &str,
    output: &mut Output,
) -> Result<Finished, TurnError> {
    let mut messages = vec![Message::user(message)];
    let mut context = serde_json::Map::new();
    let mut ids: HashSet<String> = before.messages.iter().flat_map(call_ids).collect();
    for _ in 0..assistants.rounds {
        let request = Request {
            system: system.to_owned(),
            messages: conversation(&before.messages, &messages),
            tools: toolbox.specs(),
            forced_tool: None,
            max_tokens: MOST_TOKENS,
        };
        let block = output.begin_answer().await?;
        let round = ask(&assistants.provider, &request, output, Round::calls, || Round::new(&block, &ids)).await?;
        let (said, rest) = round.finish();
        output.send(rest).await?;
        context.extend(said.context);
        ids.extend(said.message.iter().flat_map(call_ids));
        messages.extend(said.message);
        if said.calls.is_empty() {
            let turn = Turn { assistant, messages, context: updated(&before.context, context), session: None };
            return Ok(Finished { turn, stop_reason: said.stop_reason });
        }
        let content = run(toolbox, said.calls, &block, output).await?;
        messages.push(Message { role: Role::User, content });
    }
    Err(TurnError::Rounds(assistants.rounds))
}

fn call_ids(message: &Message) -> impl Iterator<Item = String> + use<> {
    let id = |block: &Block| if let Block::ToolUse { id, .. } = block { Some(id.clone()) } else { None };
    message.content.iter().filter_map(id).collect::<Vec<_>>().into_iter()
}

/// Runs the calls of one answer side by side, tells each result as it comes, and gives them in the calls' order.
async fn run(toolbox: &Toolbox, calls: Vec<Call>, block: &str, output: &mut Output) -> Result<Vec<Block>, TurnError> {
    let is_concurrent = calls.len() > 1;
    // Dropped with the turn, which ends the tools that still run.
    let mut running = JoinSet::new();
    let mut places = std::collections::HashMap::new();
    let mut outcomes: Vec<Option<ToolOutcome>> = vec![None; calls.len()];
    for (place, call) in calls.iter().enumerate() {
        match &call.input {
            Ok(input) => {
                let handle = running.spawn(toolbox.run(&call.name, input.clone()));
                places.insert(handle.id(), place);
                output
                    .send(vec![tell(
                        call,
                        block,
                        is_concurrent,
                        EventName::ToolInput,
                        Change::set("/status", "running"),
                    )])
                    .await?;
            }
            Err(flawed) => {
                let outcome = Err(format!("{}; the tool was not run", flawed.reason));
                output.send(vec![result(call, block, is_concurrent, &outcome)]).await?;
                outcomes[place] = Some(outcome);
            }
        }
    }
    while let Some(joined) = running.join_next_with_id().await {
        let (id, outcome) = match joined {
            Ok((id, outcome)) => (id, outcome),
            Err(error) => (error.id(), Err("the tool has crashed".to_owned())),
        };
        let place = places[&id];
        output.send(vec![result(&calls[place], block, is_concurrent, &outcome)]).await?;
        outcomes[place] = Some(outcome);
    }
    Ok(calls.iter().zip(outcomes).map(|(call, outcome)| block_of(call, outcome)).collect())
}

fn block_of(call: &Call, outcome: Option<ToolOutcome>) -> Block {
    let outcome = outcome.unwrap_or_else(|| Err("the tool has not answered".to_owned()));
    let (content, is_error) = match outcome {
        Ok(value) => (value.to_string(), false),
        Err(error) => (error, true),
    };
    Block::ToolResult { tool_use_id: call.id.clone(), content, is_error }
}

fn result(call: &Call, block: &str, is_concurrent: bool, outcome: &ToolOutcome) -> Event {
    let end = match outcome {
        Ok(value) => json!({"status": "done", "result": value}),
        Err(error) => json!({"status": "failed", "error": error}),
    };
    tell(call, block, is_concurrent, EventName::ToolResult, Change::merge("", end))
}

fn tell(call: &Call, block: &str, is_concurrent: bool, name: EventName, change: Change) -> Event {
    let delta = Envelope::delta(MessageType::ToolCall, call.message.as_str(), change).in_block(block);
    Event::new(name, if is_concurrent { delta.in_thread(call.id.as_str()) } else { delta })
}
