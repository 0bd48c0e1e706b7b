//! The tool loop: the model answers, its tools run side by side, their results go back, until it calls no tool.
//!
//! Each answer of the model is a block, and so is each run of tools. A `Round` takes the events of a
//! `jsonspigot_llm::ProviderStream` while the answer streams, and has its text and calls in the end.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::ask::ask;
use super::output::Output;
use super::round::Round;
use super::run_tools::{call_ids, run};
use super::tools::Toolbox;
use super::{Assistants, Finished, TurnError, conversation, updated};
use crate::conversation::{Assistant, Conversation, Turn};
use crate::provider::{Message, Request, Role};

const MOST_TOKENS: u32 = 4096;

/// An assistant with tools.
pub(super) struct ToolLoop<'a> {
    pub(super) assistant: Assistant,
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
    let ToolLoop { assistant, toolbox, system, temperature, saves_steps } = one;
    let mut turn = Steps { assistant, before, messages: vec![question], saved: 0, context: before.context.clone() };
    let mut ids: HashSet<String> = before.messages.iter().flat_map(call_ids).collect();
    for _ in 0..assistants.rounds {
        if saves_steps {
            output.save(turn.step()).await?;
        }
        let request = Request {
            system: system.to_owned(),
            messages: conversation(&before.messages, &turn.messages),
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
        turn.context = updated(turn.context, said.context);
        ids.extend(said.message.iter().flat_map(call_ids));
        turn.messages.extend(said.message);
        if said.calls.is_empty() {
            return Ok(Finished { turn: turn.step(), stop_reason: said.stop_reason });
        }
        if saves_steps {
            // Before the tools run: whatever becomes of the server, it is known that they may have run.
            output.save(turn.step()).await?;
        }
        let content = run(assistants, toolbox, said.calls, output).await?;
        turn.messages.push(Message { role: Role::User, content });
    }
    Err(TurnError::Rounds(assistants.rounds))
}

/// The messages of a turn, and how many of them are saved.
struct Steps<'a> {
    assistant: Assistant,
    before: &'a Conversation,
    messages: Vec<Message>,
    saved: usize,
    context: Map<String, Value>,
}

impl Steps<'_> {
    /// Returns what is new since the last step.
    fn step(&mut self) -> Turn {
        let messages = self.messages[self.saved..].to_vec();
        self.saved = self.messages.len();
        let context = (self.context != self.before.context).then(|| self.context.clone());
        Turn { assistant: self.assistant, messages, context, session: None }
    }
}
