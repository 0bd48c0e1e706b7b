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
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::provider::ToolSpec;

/// What a tool gives: a result, or what went wrong, in words for the model.
pub type ToolOutcome = Result<Value, String>;

type Run = dyn Fn(Value) -> BoxFuture<'static, ToolOutcome> + Send + Sync;

/// A tool.
#[derive(Clone)]
pub struct Tool {
    spec: ToolSpec,
    run: Arc<Run>,
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
        Self { spec, run: Arc::new(run) }
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

    /// Runs a tool. A panic stays in the task that this is polled in.
    pub(super) fn run(&self, name: &str, input: Value) -> impl Future<Output = ToolOutcome> + Send + 'static {
        let longest = self.longest;
        let tool = self.tools.iter().find(|tool| tool.spec.name == name).map(|tool| tool.run.clone());
        let unknown = format!("there is no tool named `{name}`");
        async move {
            let Some(run) = tool else { return Err(unknown) };
            let too_late = |_| Err(format!("the tool has not answered within {} ms", longest.as_millis()));
            tokio::time::timeout(longest, run(input)).await.unwrap_or_else(too_late)
        }
    }
}
