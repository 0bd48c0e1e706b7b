//! The assistants: what happens between a person's message and the last event of its turn.
//!
//! A turn asks the model (`ask.rs`), reads the answer by a machine without I/O (`classify.rs`, `round.rs`, `fill.rs`), and
//! returns what is saved at its end. Only the restaurant assistant, whose bookings can't be undone, saves each step; a turn
//! of the others that fails leaves nothing behind.

mod ask;
mod catalogue;
mod classification;
mod classify;
mod fill;
mod growing_text;
mod hidden_context;
mod output;
mod raw;
mod round;
mod run_tools;
mod session;
mod shopping;
#[cfg(test)]
mod tests;
mod tool_loop;
mod tools;

use std::time::Duration;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use crate::config::Limits;
use crate::conversation::{Assistant, Conversation, Said};
use crate::instructor::Instructor;
use crate::provider::{Message, ModelProvider, ProviderError, Role};
pub(crate) use catalogue::money;
pub use output::Output;
use tool_loop::ToolLoop;
pub use tools::{Tool, ToolOutcome, Toolbox, finance, restaurant};

/// The assistants, and what they work with.
#[derive(Clone, Debug)]
pub struct Assistants {
    /// The model.
    pub provider: ModelProvider,
    /// The finance assistant's tools.
    pub finance: Toolbox,
    /// The restaurant assistant's tools.
    pub restaurant: Toolbox,
    /// The form assistant's form.
    pub form: Instructor,
    /// The answers that a turn may request.
    pub rounds: usize,
    /// The clock.
    pub today: Clock,
}

/// Returns today's date.
pub type Clock = fn() -> NaiveDate;

/// A turn that has ended and is to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The conversation with the turn.
    pub conversation: Conversation,
    /// The model's reason to stop.
    pub stop_reason: String,
}

/// An error that ends a turn, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The provider failed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The model's classification is not valid. The reason is for the log, because it may quote hidden values.
    #[error("the model's answer could not be understood")]
    Classification(String),
    /// The store fails.
    #[error("the answer can't be stored")]
    Store,
    /// The model calls tools again and again.
    #[error("the model has called tools {0} times over without coming to an answer")]
    Rounds(usize),
    /// A client has stopped the turn.
    #[error("the answer was stopped")]
    Stopped,
    /// The turn has taken too long.
    #[error("the answer has taken longer than {} s", .0.as_secs())]
    TooSlow(Duration),
    /// Too many servers have had the turn, or another server has sent something else.
    #[error("the answer was broken off by the server")]
    BrokenOff,
    /// The turn panicked.
    #[error("the server crashed while producing the answer")]
    Crashed,
    /// A part of the turn can't be stored, or another server has the turn or is to have it.
    #[error("the answer is not this server's any more")]
    Lost,
}

impl TurnError {
    /// Returns the error's kind, for clients.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Provider(error) => error.kind(),
            Self::Classification(_) => "bad_classification",
            Self::Store | Self::Lost => "store_failed",
            Self::Rounds(_) => "too_many_rounds",
            Self::Stopped => "stopped",
            Self::TooSlow(_) => "too_slow",
            Self::BrokenOff => "broken_off",
            Self::Crashed => "crashed",
        }
    }
}

impl Assistants {
    /// Creates the assistants, with made-up accounts, restaurants and products.
    #[must_use]
    pub fn new(provider: ModelProvider, limits: &Limits) -> Self {
        let today: Clock = || chrono::Utc::now().date_naive();
        Self {
            provider,
            finance: Toolbox::new(finance::tools(today), limits.tool),
            restaurant: Toolbox::new(restaurant::tools(), limits.tool),
            form: fill::trip(),
            rounds: limits.rounds,
            today,
        }
    }

    /// Sets the clock.
    #[must_use]
    pub fn with_clock(self, today: Clock, limits: &Limits) -> Self {
        Self { finance: Toolbox::new(finance::tools(today), limits.tool), today, ..self }
    }

    /// Answers a message and sends the events to `output`. Dropping the future cancels the provider's request.
    ///
    /// # Errors
    ///
    /// Fails if there is no complete answer; then nothing is saved.
    pub async fn answer(
        &self,
        before: &Conversation,
        said: &Said,
        today: NaiveDate,
        output: &mut Output,
    ) -> Result<Finished, TurnError> {
        let message = said.text.as_str();
        let question = run_tools::question(before, message);
        output.tell_message(message).await?;
        match before.assistant {
            Assistant::Shopping => shopping::answer(self, before, said, output).await,
            Assistant::Finance => {
                let system = format!(
                    "You help with money. Use the tools. Where you can't help, say what you can do, and add \
                     <!--context {{\"suggestions\": […]}} --> to your text: what the person may say instead. Dates are ISO \
                     8601, and today is {today}."
                );
                let (toolbox, temperature, saves_steps) = (&self.finance, Some(0.3), false);
                let one = ToolLoop { toolbox, system: &system, temperature, saves_steps };
                tool_loop::answer(self, one, before, question, output).await
            }
            Assistant::Form => fill::answer(self, before, message, today, output).await,
            Assistant::Restaurant => {
                let system = format!(
                    "You find restaurants and book tables. Whenever you learn a preference or name restaurants, add \
                     <!--context {{\"preferences\": {{…}}, \"restaurants\": […]}} --> to your text, and where you can't \
                     help, {{\"suggestions\": […]}}: what the person may say instead. The person does not see it. Dates are ISO 8601, and today is {today}. Known so far: {}",
                    Value::Object(before.context.clone())
                );
                let (toolbox, temperature, saves_steps) = (&self.restaurant, None, true);
                let one = ToolLoop { toolbox, system: &system, temperature, saves_steps };
                tool_loop::answer(self, one, before, question, output).await
            }
        }
    }
}

/// Returns a conversation as a model receives it: stored and new messages, the two roles in turn.
fn conversation(stored: &[Message], new: &[Message]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(stored.len() + new.len());
    for message in stored.iter().chain(new) {
        match messages.last_mut() {
            // Without an answer between them, two of the person's messages follow each other.
            Some(last) if last.role == message.role => last.content.extend_from_slice(&message.content),
            _ => messages.push(message.clone()),
        }
    }
    debug_assert!(messages.first().is_none_or(|first| first.role == Role::User));
    messages
}

/// Adds new notes to the context. Preferences add up by name; all else is replaced.
fn updated(mut context: Map<String, Value>, new: Map<String, Value>) -> Map<String, Value> {
    for (name, value) in new {
        match (context.get_mut(&name), value) {
            (Some(Value::Object(known)), Value::Object(more)) if name == "preferences" => known.extend(more),
            (_, value) => {
                context.insert(name, value);
            }
        }
    }
    context
}
