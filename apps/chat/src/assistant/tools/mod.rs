//! Tools that a model may call: what they are told as, and how one is run with its whole input.
//!
//! `finance.rs` and `restaurant.rs` are the tools of the two assistants; yours are made the same way.

pub mod finance;
pub mod restaurant;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use jsonspigot_llm::StreamEvent;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::round::Round;
use crate::provider::{Message, ModelProvider, Request, ToolSpec};

/// How long the answer of a model that is a tool may be.
const MOST_TOKENS: u32 = 500;

/// What a tool gives: a result, or what went wrong, in words for the model.
pub type ToolOutcome = Result<Value, String>;

type Run = dyn Fn(Value) -> BoxFuture<'static, ToolOutcome> + Send + Sync;

/// A tool.
#[derive(Clone)]
pub struct Tool {
    spec: ToolSpec,
    work: Work,
}

#[derive(Clone)]
enum Work {
    Run(Arc<Run>),
    /// A model is asked the input's `question`, with this prompt.
    Ask(Arc<str>),
}

impl Tool {
    /// A tool whose input is a `T`. Input that is none never gets to `run`.
    ///
    /// ```
    /// use chat::assistant::Tool;
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Pair {
    ///     a: i64,
    ///     b: i64,
    /// }
    /// let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}});
    /// let add = Tool::new("add", "Adds.", schema, |Pair { a, b }| async move {
    ///     a.checked_add(b).map(|sum| json!(sum)).ok_or_else(|| "too large".to_owned())
    /// });
    /// assert_eq!(add.spec().name, "add");
    /// ```
    pub fn new<T, F, R>(name: &str, description: &str, input_schema: Value, run: F) -> Self
    where
        T: DeserializeOwned,
        F: Fn(T) -> R + Send + Sync + 'static,
        R: Future<Output = ToolOutcome> + Send + 'static,
    {
        let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema };
        let run = move |input: Value| match T::deserialize(input) {
            Ok(input) => run(input).boxed(),
            Err(error) => futures::future::ready(Err(format!("the input is not valid: {error}"))).boxed(),
        };
        Self { spec, work: Work::Run(Arc::new(run)) }
    }

    /// A tool that is a model of its own: it is asked a question with this prompt, and its text is shown as it streams.
    #[must_use]
    pub fn model(name: &str, description: &str, system: &str) -> Self {
        let question =
            json!({"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]});
        let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema: question };
        Self { spec, work: Work::Ask(system.into()) }
    }

    /// What the model is told of it.
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.spec.name).finish()
    }
}

/// An assistant's tools, and how long one may take.
#[derive(Clone, Debug)]
pub struct Toolbox {
    tools: Vec<Tool>,
    specs: Arc<[ToolSpec]>,
    longest: Duration,
}

impl Toolbox {
    /// These tools; each has to be done after `longest`.
    #[must_use]
    pub fn new(tools: Vec<Tool>, longest: Duration) -> Self {
        let specs = tools.iter().map(|tool| tool.spec.clone()).collect();
        Self { tools, specs, longest }
    }

    /// What the model is told.
    #[must_use]
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone()
    }

    /// Whether a tool is a model, which has something to say while it works.
    pub(super) fn is_model(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.spec.name == name && matches!(tool.work, Work::Ask(_)))
    }

    /// Runs a tool; what a model says goes to `heard` as it comes. A panic stays in the task that this is polled in.
    pub(super) fn run(
        &self,
        name: &str,
        input: Value,
        provider: &ModelProvider,
        heard: impl Fn(String) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> impl Future<Output = ToolOutcome> + Send + 'static {
        let (longest, provider) = (self.longest, provider.clone());
        let tool = self.tools.iter().find(|tool| tool.spec.name == name).map(|tool| tool.work.clone());
        let unknown = format!("there is no tool named `{name}`");
        async move {
            let work = match tool {
                None => return Err(unknown),
                Some(Work::Run(run)) => run(input),
                Some(Work::Ask(system)) => consult(provider, system, input, heard).boxed(),
            };
            let too_late = |_| Err(format!("the tool has not answered within {} ms", longest.as_millis()));
            tokio::time::timeout(longest, work).await.unwrap_or_else(too_late)
        }
    }
}

/// Asks a model; what it says is told piece by piece, and is the result in the end.
async fn consult(
    provider: ModelProvider,
    system: Arc<str>,
    input: Value,
    heard: impl Fn(String) -> BoxFuture<'static, ()>,
) -> ToolOutcome {
    let question = input["question"].as_str().ok_or("the input is not valid: it has no question")?;
    let messages = vec![Message::user(question)];
    let request = Request { system: system.to_string(), messages, max_tokens: MOST_TOKENS, ..Request::default() };
    let mut answer = provider.open(&request, Round::calls()).await.map_err(|error| error.to_string())?;
    let mut said = String::new();
    loop {
        let before = said.len();
        let read = answer.next(|event| {
            if let StreamEvent::Text { text, .. } = event {
                said.push_str(text);
            }
        });
        let has_more = read.await.map_err(|error| error.to_string())?;
        if said.len() > before {
            heard(said[before..].to_owned()).await;
        }
        if !has_more {
            return Ok(json!({"answer": said}));
        }
    }
}
