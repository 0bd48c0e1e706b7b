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
use crate::provider::{Message, ModelProvider, Request, ToolSpec, Unrecorded};

/// How long the answer of a model that is a tool may be.
const MOST_TOKENS: u32 = 500;

/// What a tool gives: a result, or what went wrong, in words for the model.
pub type ToolOutcome = Result<Value, String>;

type Run = dyn Fn(Value, String) -> BoxFuture<'static, ToolOutcome> + Send + Sync;

/// A tool.
#[derive(Clone)]
pub struct Tool {
    spec: ToolSpec,
    work: Work,
    is_repeatable: bool,
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
    /// It is never run twice for one call. If a server dies while it runs, the model is told that its result was lost: see
    /// [`keyed`](Self::keyed) and [`repeatable`](Self::repeatable).
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
        let once = Self::keyed(name, description, input_schema, move |_, input| run(input));
        Self { is_repeatable: false, ..once }
    }

    /// The same for a tool that does what it does once for each key, however often it is run with it, and gives the same
    /// result. The key is made of the turn and the call, so it can be run again if a server died while it ran.
    pub fn keyed<T, F, R>(name: &str, description: &str, input_schema: Value, run: F) -> Self
    where
        T: DeserializeOwned,
        F: Fn(String, T) -> R + Send + Sync + 'static,
        R: Future<Output = ToolOutcome> + Send + 'static,
    {
        let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema };
        let run = move |input: Value, key| match T::deserialize(input) {
            Ok(input) => run(key, input).boxed(),
            Err(error) => futures::future::ready(Err(format!("the input is not valid: {error}"))).boxed(),
        };
        Self { spec, work: Work::Run(Arc::new(run)), is_repeatable: true }
    }

    /// The same tool, which changes nothing: it can be run again.
    #[must_use]
    pub fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }

    /// A tool that is a model of its own: it is asked a question with this prompt, and its text is shown as it streams.
    #[must_use]
    pub fn model(name: &str, description: &str, system: &str) -> Self {
        let question =
            json!({"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]});
        let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema: question };
        Self { spec, work: Work::Ask(system.into()), is_repeatable: true }
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

    /// Whether a call of which it is not known whether it was carried out can be repeated.
    pub(super) fn is_repeatable(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.spec.name == name && tool.is_repeatable)
    }

    /// Runs a tool for the call with this key; what a model says goes to `heard` as it comes. A panic stays in the task that this is polled in.
    pub(super) fn run(
        &self,
        name: &str,
        input: Value,
        key: String,
        provider: &ModelProvider,
        heard: impl Fn(String) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> impl Future<Output = ToolOutcome> + Send + 'static {
        let (longest, provider) = (self.longest, provider.clone());
        let tool = self.tools.iter().find(|tool| tool.spec.name == name).map(|tool| tool.work.clone());
        let unknown = format!("there is no tool named `{name}`");
        async move {
            let work = match tool {
                None => return Err(unknown),
                Some(Work::Run(run)) => run(input, key),
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
    // What it says, and its result, are the turn's inputs.
    let mut inputs = Unrecorded;
    let opened = provider.open(&request, Round::calls(), &mut inputs).await;
    let mut answer = opened.map_err(|error| error.to_string())?;
    let mut said = String::new();
    loop {
        let before = said.len();
        let read = answer.next(&mut inputs, |event| {
            if let StreamEvent::Text { text, .. } = event {
                said.push_str(&text);
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
