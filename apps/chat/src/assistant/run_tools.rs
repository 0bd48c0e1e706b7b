//! Runs the calls of one answer side by side, and finds the calls of a conversation that have no result.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::growing_text::GrowingText;
use super::output::Output;
use super::round::Call;
use super::tools::{ToolCall, ToolOutcome, Toolbox};
use super::{Assistants, TurnError};
use crate::conversation::Conversation;
use crate::provider::{Block, Message, Role};
use crate::store::Input;
use crate::wire::{Change, EventName, MessageRef, MessageType};

/// The pieces of text of tools that are models, which may wait to be sent.
const UNHEARD: usize = 64;

/// The result of a call whose result was lost with its server.
const LOST: &str = "the result was lost: the call may have been carried out, so do not repeat it without asking";

/// Returns a person's message as the model receives it: after the results that were lost.
pub(super) fn question(before: &Conversation, message: &str) -> Message {
    let last = before.messages.last().filter(|last| last.role == Role::Assistant);
    let lost = |tool_use_id| Block::ToolResult { tool_use_id, content: LOST.to_owned(), is_error: true };
    let mut content: Vec<Block> = last.into_iter().flat_map(call_ids).map(lost).collect();
    content.push(Block::Text { text: message.to_owned() });
    Message { role: Role::User, content }
}

pub(super) fn call_ids(message: &Message) -> Vec<String> {
    let id = |block: &Block| if let Block::ToolUse { id, .. } = block { Some(id.clone()) } else { None };
    message.content.iter().filter_map(id).collect()
}

/// A run of calls. Dropping it ends the tools.
struct Run<'a> {
    assistants: &'a Assistants,
    toolbox: &'a Toolbox,
    calls: &'a [Call],
    /// The block of the run. Where several calls run, each is a thread of it.
    block: String,
    is_concurrent: bool,
    outcomes: Vec<Option<ToolOutcome>>,
    /// The texts of tools that are models.
    said: BTreeMap<usize, GrowingText>,
    running: JoinSet<(usize, ToolOutcome)>,
}

/// Runs the calls of one answer side by side, sends each result as it comes, and returns the results in the calls' order.
pub(super) async fn run(
    assistants: &Assistants,
    toolbox: &Toolbox,
    calls: Vec<Call>,
    output: &mut Output,
) -> Result<Vec<Block>, TurnError> {
    let mut run = Run {
        assistants,
        toolbox,
        calls: &calls,
        block: output.next_block(),
        is_concurrent: calls.iter().filter(|call| call.input.is_ok()).count() > 1,
        outcomes: vec![None; calls.len()],
        said: BTreeMap::new(),
        running: JoinSet::new(),
    };
    let (says, mut heard) = mpsc::channel::<(usize, String)>(UNHEARD);
    // On a server that is gone, where each call may have been carried out.
    let were_begun = output.next_if(|input| *input == Input::Run).is_some();
    if !were_begun {
        output.store(&Input::Run).await?;
    }
    for place in 0..calls.len() {
        run.begin(place, output).await?;
    }
    let mut have_begun = false;
    while run.outcomes.iter().any(Option::is_none) {
        let is_of_run = |input: &Input| matches!(input, Input::Run | Input::Heard { .. } | Input::Outcome { .. });
        let input = match output.next_if(is_of_run) {
            Some(input) => input,
            None => {
                if !std::mem::replace(&mut have_begun, true) {
                    if were_begun {
                        output.store(&Input::Run).await?;
                        run.begin_texts_anew(output).await?;
                    }
                    run.spawn_open(were_begun, &says, output);
                }
                let Some(input) = run.next(&mut heard).await else { break };
                output.store(&input).await?;
                input
            }
        };
        match input {
            Input::Heard { place, text } => run.hear(place, &text, output).await?,
            Input::Outcome { place, outcome } => run.end(place, outcome, output).await?,
            _ => run.begin_texts_anew(output).await?,
        }
    }
    let result = |(call, outcome): (&Call, Option<ToolOutcome>)| {
        let (content, is_error) = match outcome {
            Some(Ok(value)) => (value.to_string(), false),
            Some(Err(error)) => (error, true),
            None => ("the tool has not answered".to_owned(), true),
        };
        Block::ToolResult { tool_use_id: call.id.clone(), content, is_error }
    };
    Ok(calls.iter().zip(run.outcomes).map(result).collect())
}

impl Run<'_> {
    /// Returns the address of a message about a call.
    fn message(&self, place: usize, event: EventName, message_type: MessageType, suffix: &str) -> MessageRef {
        let call = &self.calls[place];
        let thread = self.is_concurrent.then(|| call.id.clone());
        MessageRef { thread, ..MessageRef::new(event, message_type, call.message.id.clone() + suffix, &self.block) }
    }

    /// Announces a call, or ends it at once if its input is flawed.
    async fn begin(&mut self, place: usize, output: &mut Output) -> Result<(), TurnError> {
        let call = &self.calls[place];
        if let Err(flaw) = &call.input {
            let error = format!("{flaw}; the tool was not run");
            let end = Change::merge("", json!({"status": "failed", "error": error}));
            self.outcomes[place] = Some(Err(error));
            return output.send(vec![call.message.named(EventName::ToolResult).change(end)]).await;
        }
        let result = self.message(place, EventName::ToolResult, MessageType::ToolResult, "");
        let mut events = vec![
            call.message.named(EventName::ToolInput).change(Change::set("/status", "called")),
            result.whole(json!({"id": call.id, "name": call.name, "status": "running"})),
        ];
        if self.is_model(place) {
            let loading = self.message(place, EventName::Loading, MessageType::Loading, ".loading");
            events.push(loading.whole(json!({"message": "Asking a colleague…"})));
        }
        output.send(events).await
    }

    /// Starts the tools of the calls that have no result.
    fn spawn_open(&mut self, were_begun: bool, says: &mpsc::Sender<(usize, String)>, output: &Output) {
        for (place, Call { id, name, input, .. }) in self.calls.iter().enumerate() {
            let (Ok(input), None) = (input, &self.outcomes[place]) else { continue };
            let is_repeatable = self.toolbox.find(name).is_some_and(|tool| tool.is_repeatable);
            let run = if were_begun && !is_repeatable {
                futures::future::ready(Err(LOST.to_owned())).boxed()
            } else {
                let says = says.clone();
                let say = move |text| {
                    let says = says.clone();
                    // A receiver that is gone has ended the tool, too.
                    async move { says.send((place, text)).await.unwrap_or_default() }.boxed()
                };
                let (key, provider) = (output.key(id), self.assistants.provider.clone());
                self.toolbox.run(name, ToolCall { input: input.clone(), key, provider, say: Box::new(say) })
            };
            let crashed = |_| Err("the tool has crashed".to_owned());
            let run = AssertUnwindSafe(run).catch_unwind();
            self.running.spawn(run.map(move |ended| (place, ended.unwrap_or_else(crashed))));
        }
    }

    fn is_model(&self, place: usize) -> bool {
        self.toolbox.find(&self.calls[place].name).is_some_and(|tool| tool.is_model)
    }

    /// Waits for a tool. Its text comes before its result.
    async fn next(&mut self, heard: &mut mpsc::Receiver<(usize, String)>) -> Option<Input> {
        tokio::select! {
            biased;
            Some((place, text)) = heard.recv() => Some(Input::Heard { place, text }),
            joined = self.running.join_next() => {
                let (place, outcome) = joined?.ok()?;
                Some(Input::Outcome { place, outcome })
            }
        }
    }

    async fn hear(&mut self, place: usize, text: &str, output: &mut Output) -> Result<(), TurnError> {
        let message = self.message(place, EventName::Text, MessageType::Text, ".text");
        let mut events = Vec::new();
        self.said.entry(place).or_insert_with(|| GrowingText::new(message)).push(text, &mut events);
        output.send(events).await
    }

    /// Begins the texts anew that were not complete when their server was gone.
    async fn begin_texts_anew(&mut self, output: &mut Output) -> Result<(), TurnError> {
        let mut events = Vec::new();
        for (place, text) in &mut self.said {
            if self.outcomes[*place].is_none() {
                text.begin(&mut events);
            }
        }
        output.send(events).await
    }

    async fn end(&mut self, place: usize, outcome: ToolOutcome, output: &mut Output) -> Result<(), TurnError> {
        let mut events = Vec::new();
        self.said.get(&place).into_iter().for_each(|text| text.end(&mut events));
        let end = match &outcome {
            // A model's text was sent while it was written.
            Ok(value) if self.is_model(place) => {
                json!({"status": "done", "result": value, "is_told": true})
            }
            Ok(value) => json!({"status": "done", "result": value}),
            Err(error) => json!({"status": "failed", "error": error}),
        };
        events.push(
            self.message(place, EventName::ToolResult, MessageType::ToolResult, "").change(Change::merge("", end)),
        );
        self.outcomes[place] = Some(outcome);
        output.send(events).await
    }
}
