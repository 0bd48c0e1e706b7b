//! Tools that a model may call. `finance.rs` and `restaurant.rs` have the tools of the two assistants.

pub mod finance;
pub mod restaurant;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use jsonspigot::PatternSet;
use jsonspigot_llm::{StreamEvent, ToolCalls};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::provider::{Message, ModelProvider, Request, ToolSpec};

/// The longest answer of a model that is a tool.
const MOST_TOKENS: u32 = 500;

/// A tool's result, or an error in words for the model.
pub type ToolOutcome = Result<Value, String>;

/// A call of a tool.
pub(super) struct ToolCall {
    pub(super) input: Value,
    /// Names the call, on each server alike.
    pub(super) key: String,
    pub(super) provider: ModelProvider,
    /// Takes the text of a tool that is a model, piece by piece.
    pub(super) say: Box<dyn Fn(String) -> BoxFuture<'static, ()> + Send + Sync>,
}

/// A tool.
#[derive(Clone)]
pub struct Tool {
    spec: ToolSpec,
    run: Arc<dyn Fn(ToolCall) -> BoxFuture<'static, ToolOutcome> + Send + Sync>,
    /// Set if its text is shown while it works.
    pub(super) is_model: bool,
    /// Set if a call can be repeated that may have been carried out.
    pub(super) is_repeatable: bool,
}

impl Tool {
    /// Creates a tool whose input is a `T`. Any other input is an error without a run.
    ///
    /// The tool never runs twice for one call. If a server dies while it runs, the model receives that the result was lost,
    /// unless the tool is [`keyed`](Self::keyed) or [`repeatable`](Self::repeatable).
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

    /// Creates a tool that acts once for each key, however often it runs with it, and returns the same result. The key names
    /// the call, so the tool can run again if a server died while it ran.
    pub fn keyed<T, F, R>(name: &str, description: &str, input_schema: Value, run: F) -> Self
    where
        T: DeserializeOwned,
        F: Fn(String, T) -> R + Send + Sync + 'static,
        R: Future<Output = ToolOutcome> + Send + 'static,
    {
        let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema };
        let run = move |call: ToolCall| match T::deserialize(call.input) {
            Ok(input) => run(call.key, input).boxed(),
            Err(error) => futures::future::ready(Err(format!("the input is not valid: {error}"))).boxed(),
        };
        Self { spec, run: Arc::new(run), is_model: false, is_repeatable: true }
    }

    /// Marks a tool that changes nothing and can run again.
    #[must_use]
    pub fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }

    /// Creates a tool that is a model: it is asked a question with this prompt, and its text is shown while it streams.
    #[must_use]
    pub fn model(name: &str, description: &str, system: &str) -> Self {
        let question =
            json!({"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]});
        let spec = ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema: question };
        let system = system.to_owned();
        let run = move |call| consult(call, system.clone()).boxed();
        Self { spec, run: Arc::new(run), is_model: true, is_repeatable: true }
    }

    /// Returns the tool's description for the model.
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

/// An assistant's tools, and the time limit of each.
#[derive(Clone, Debug)]
pub struct Toolbox {
    tools: Vec<Tool>,
    specs: Arc<[ToolSpec]>,
    longest: Duration,
}

impl Toolbox {
    /// Creates a toolbox; each tool must end within `longest`.
    #[must_use]
    pub fn new(tools: Vec<Tool>, longest: Duration) -> Self {
        let specs = tools.iter().map(|tool| tool.spec.clone()).collect();
        Self { tools, specs, longest }
    }

    /// Returns the tools' descriptions for the model.
    #[must_use]
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone()
    }

    /// Returns a tool by its name.
    pub(super) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    /// Runs a tool.
    pub(super) fn run(&self, name: &str, call: ToolCall) -> BoxFuture<'static, ToolOutcome> {
        let (longest, unknown) = (self.longest, format!("there is no tool named `{name}`"));
        let run = self.find(name).map(|tool| tool.run.clone());
        async move {
            let work = run.ok_or(unknown)?(call);
            let too_late = |_| Err(format!("the tool has not answered within {} ms", longest.as_millis()));
            tokio::time::timeout(longest, work).await.unwrap_or_else(too_late)
        }
        .boxed()
    }
}

/// Asks a model the input's `question`, with this prompt. Its text is the result.
async fn consult(ToolCall { input, provider, say, .. }: ToolCall, system: String) -> ToolOutcome {
    let question = input["question"].as_str().ok_or("the input is not valid: it has no question")?;
    let messages = vec![Message::user(question)];
    let request = Request { system, messages, max_tokens: MOST_TOKENS, ..Request::default() };
    let opened = provider.open(&request, ToolCalls::new(&PatternSet::default())).await;
    let mut answer = opened.map_err(|error| error.to_string())?;
    let mut said = String::new();
    loop {
        let before = said.len();
        let read = answer.next(|event| {
            if let StreamEvent::Text { text, .. } = event {
                said.push_str(&text);
            }
        });
        let has_more = read.await.map_err(|error| error.to_string())?;
        if said.len() > before {
            say(said[before..].to_owned()).await;
        }
        if !has_more {
            return Ok(json!({"answer": said}));
        }
    }
}
