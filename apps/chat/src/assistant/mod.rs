//! The assistants: what happens between a person's message and the last event of its turn.
//!
//! A turn asks the model, reads its answers by machines without I/O (`classify.rs`, `round.rs`, `hidden_context.rs`),
//! tells what they tell, and gives what is to be saved at its end. Only the assistant whose tools do what can't be undone
//! has each of its steps saved as it happens (`tool_loop.rs`); of the others a turn which fails, or is dropped in the
//! middle, leaves no trace. What a turn that is stopped leaves is in `draft.rs`.

mod ask;
mod catalogue;
mod classification;
mod classify;
mod draft;
mod fill;
mod growing_text;
mod hidden_context;
mod inputs;
mod output;
mod raw;
mod round;
mod run_tools;
mod session;
mod shopping;
mod shown;
#[cfg(test)]
mod tests;
mod tool_loop;
mod tools;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use crate::config::Limits;
use crate::conversation::{Assistant, Conversation, Said, Turn};
use crate::hub::TooLong;
use crate::instructor::Instructor;
use crate::provider::{Block, Message, ModelProvider, ProviderError, Role};
pub(crate) use catalogue::money;
pub use catalogue::{Catalogue, Product};
pub use draft::Draft;
pub use inputs::Inputs;
pub use output::{Output, Steps};
use tool_loop::ToolLoop;
pub use tools::{Tool, ToolOutcome, Toolbox, finance, restaurant};

/// All that the assistants work with.
#[derive(Clone, Debug)]
pub struct Assistants {
    /// Whom they ask.
    pub provider: ModelProvider,
    /// The finance assistant's tools.
    pub finance: Toolbox,
    /// The restaurant assistant's tools.
    pub restaurant: Toolbox,
    /// The form that is filled.
    pub form: Instructor<Value>,
    /// What the shopping assistant searches.
    pub catalogue: Catalogue,
    /// How many answers a turn may ask for.
    pub rounds: usize,
    /// What day it is.
    pub today: Clock,
}

/// Says what day it is.
pub type Clock = fn() -> NaiveDate;

/// How a turn ended that is to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// What is saved.
    pub turn: Turn,
    /// The model's reason to stop.
    pub stop_reason: String,
}

/// Why a turn failed, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The provider.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The answer.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The model's classification can't be used. Why is for the log: it may quote what no client sees.
    #[error("the model's answer could not be understood")]
    Classification(String),
    /// A step can't be saved.
    #[error("{0}")]
    Store(String),
    /// The model calls tools again and again.
    #[error("the model has called tools {0} times over without coming to an answer")]
    Rounds(usize),
}

impl TurnError {
    /// The error in a word, for a client to tell by.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Provider(error) => error.kind(),
            Self::TooLong(_) => "answer_too_long",
            Self::Classification(_) => "bad_classification",
            Self::Store(_) => "store_failed",
            Self::Rounds(_) => "too_many_rounds",
        }
    }
}

impl Assistants {
    /// The assistants as they come: made-up accounts, restaurants and products.
    #[must_use]
    pub fn new(provider: ModelProvider, limits: &Limits) -> Self {
        let today: Clock = || chrono::Utc::now().date_naive();
        Self {
            provider,
            finance: Toolbox::new(finance::tools(today), limits.tool),
            restaurant: Toolbox::new(restaurant::tools(), limits.tool),
            form: fill::trip(),
            catalogue: Catalogue::default(),
            rounds: limits.rounds,
            today,
        }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(self, today: Clock, limits: &Limits) -> Self {
        Self { finance: Toolbox::new(finance::tools(today), limits.tool), today, ..self }
    }

    /// Answers a message, on this day. What is told goes to `output`; dropping the future cancels the provider's request.
    ///
    /// # Errors
    ///
    /// Why there is no whole answer; then nothing is to be saved.
    pub async fn answer(
        &self,
        assistant: Assistant,
        before: &Conversation,
        said: &Said,
        today: NaiveDate,
        output: &mut Output,
    ) -> Result<Finished, TurnError> {
        let message = said.text.as_str();
        let question = run_tools::question(before, message);
        output.draft.add(question.clone());
        output.tell_message(message).await?;
        match assistant {
            Assistant::Shopping => shopping::answer(self, before, said, output).await,
            Assistant::Finance => {
                let system = format!(
                    "You help with money. Use the tools. Where you can't help, say what you can do, and add \
                     <!--context {{\"suggestions\": […]}} --> to your text: what the person may say instead. Dates are ISO \
                     8601, and today is {today}."
                );
                let (toolbox, temperature, saves_steps) = (&self.finance, Some(0.3), false);
                let one = ToolLoop { assistant, toolbox, system: &system, temperature, saves_steps };
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
                let one = ToolLoop { assistant, toolbox, system: &system, temperature, saves_steps };
                tool_loop::answer(self, one, before, question, output).await
            }
        }
    }
}

/// What a model is told of an answer that was stopped: before what the person said next.
const STOPPED: &str = "(The answer before this message was stopped before its end.)";

/// A conversation as a model is shown it: the stored messages and the new ones, the two roles in turn.
fn conversation(stored: &[Message], new: &[Message]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(stored.len() + new.len());
    let mut was_stopped = false;
    for Message { role, content } in stored.iter().chain(new) {
        let mut content = content.clone();
        if *role == Role::User && std::mem::take(&mut was_stopped) {
            // Results have to come first.
            let at = content.iter().take_while(|block| matches!(block, Block::ToolResult { .. })).count();
            content.insert(at, Block::Text { text: STOPPED.to_owned() });
        }
        was_stopped |= content.contains(&Block::Stopped);
        content.retain(|block| *block != Block::Stopped);
        match messages.last_mut() {
            _ if content.is_empty() => {}
            // Where an answer was empty, two of the person's messages follow each other.
            Some(last) if last.role == *role => last.content.append(&mut content),
            _ => messages.push(Message { role: *role, content }),
        }
    }
    debug_assert!(messages.first().is_none_or(|first| first.role == Role::User));
    messages
}

/// The context with what is new in it. Preferences add up, each until a later one of its name; all else is what was said
/// last.
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
