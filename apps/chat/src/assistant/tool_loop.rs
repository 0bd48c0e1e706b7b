//! The tool loop: the model answers, its tools run side by side, their results go back, until it calls no tool.
//!
//! Each answer of the model is a block, and so is each run of tools. A `Round` takes the events of a
//! `jsonspigot_llm::ProviderStream` while the answer streams, and has its text and calls in the end.

use std::collections::HashSet;

use super::ask::ask;
use super::output::Output;
use super::round::Round;
use super::run_tools::{call_ids, run};
use super::tools::Toolbox;
use super::{Assistants, Finished, TurnError, conversation, updated};
use crate::conversation::Conversation;
use crate::provider::{Message, Request, Role};

const MOST_TOKENS: u32 = 4096;

/// An assistant with tools.
pub(super) struct ToolLoop<'a> {
    pub(super) toolbox: &'a Toolbox,
    pub(super) system: &'a str,
    pub(super) temperature: Option<f64>,
    /// Saves each step before the next one, because the tools can't be undone.
    pub(super) saves_steps: bool,
}

pub(super) async fn answer(
    assistants: &Assistants,
    one: ToolLoop<'_>,
    before: &Conversation,
    question: Message,
    output: &mut Output,
) -> Result<Finished, TurnError> {
    let ToolLoop { toolbox, system, temperature, saves_steps } = one;
    let mut after = before.with(&[question]);
    let mut ids: HashSet<String> = before.messages.iter().flat_map(call_ids).collect();
    for _ in 0..assistants.rounds {
        if saves_steps {
            output.save(after.clone()).await?;
        }
        let request = Request {
            system: system.to_owned(),
            messages: conversation(&after.messages, &[]),
            tools: toolbox.specs(),
            forced_tool: None,
            max_tokens: MOST_TOKENS,
            temperature,
        };
        let block = output.begin_answer().await?;
        let mut round = Round::new(&block, &ids);
        ask(&assistants.provider, &request, output, &mut round).await?;
        let (said, rest) = round.finish();
        output.send(rest).await?;
        after.context = updated(after.context, said.context);
        ids.extend(said.message.iter().flat_map(call_ids));
        after.messages.extend(said.message);
        if said.calls.is_empty() {
            return Ok(Finished { conversation: after, stop_reason: said.stop_reason });
        }
        if saves_steps {
            // Before the tools run: whatever becomes of the server, it is known that they may have run.
            output.save(after.clone()).await?;
        }
        let content = run(assistants, toolbox, said.calls, output).await?;
        after.messages.push(Message { role: Role::User, content });
    }
    Err(TurnError::Rounds(assistants.rounds))
}
