//! The start of a call: [`CallStart`].

use super::executor::Executor;

/// The start of a call: its name, id and input as far as they are known, the input's format, and the executor.
///
/// ```
/// use std::borrow::Cow;
///
/// use jsonspigot_llm::{CallEvent, CallStart, ToolCalls};
///
/// let mut calls = ToolCalls::default();
/// let mut started = Vec::new();
/// let mut on_event = |event: CallEvent<'_>| {
///     if let CallEvent::Start { call } = event {
///         started.push((call.name.map(Cow::into_owned), call.id.map(Cow::into_owned)));
///     }
/// };
/// calls.start_with(0, CallStart::new("get_weather").id("call_1"), &mut on_event);
/// calls.start_with(1, CallStart::unnamed().id("call_2"), &mut on_event);
/// assert_eq!(started, [(Some("get_weather".into()), Some("call_1".into())), (None, Some("call_2".into()))]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct CallStart<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(crate) input: Option<&'a str>,
    pub(super) format: InputFormat,
    pub(crate) executor: Executor,
}

/// The format of a call's input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum InputFormat {
    #[default]
    Json,
    Text,
}

impl<'a> CallStart<'a> {
    /// Returns the start of a call of this tool. Like [`id`](Self::id) and [`input`](Self::input), this takes a `&str`
    /// or an `Option<&str>`, as SDKs have it. An empty name counts as absent, as it does on the wire.
    pub fn new(name: impl Into<Option<&'a str>>) -> Self {
        Self { name: name.into().and_then(present), ..Self::default() }
    }

    /// Returns the start of a call whose tool is not known yet.
    pub fn unnamed() -> Self {
        Self::default()
    }

    /// Sets the provider's id. An empty id counts as absent, as it does on the wire.
    pub fn id(self, id: impl Into<Option<&'a str>>) -> Self {
        Self { id: id.into().and_then(present), ..self }
    }

    /// Sets the input that was sent with the start. It is used only if no other input arrives.
    pub fn input(self, input: impl Into<Option<&'a str>>) -> Self {
        Self { input: input.into().and_then(present), ..self }
    }

    /// Marks the input as text that is not JSON, such as a patch, a query or code.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    ///
    /// let mut calls = ToolCalls::default();
    /// let mut query = String::new();
    /// let mut on_event = |event: CallEvent<'_>| {
    ///     if let CallEvent::End { input, .. } = event {
    ///         assert_eq!(input.status(), PayloadStatus::Raw);
    ///         query.push_str(input.raw());
    ///     }
    /// };
    /// calls.start_with(0, CallStart::new("write_sql").raw(), &mut on_event);
    /// calls.delta_with(0, "SELECT 1", &mut on_event);
    /// calls.stop_with(0, &mut on_event);
    /// assert_eq!(query, "SELECT 1");
    /// ```
    pub fn raw(self) -> Self {
        Self { format: InputFormat::Text, ..self }
    }

    /// Sets the executor; the default is the client.
    pub fn executor(self, executor: Executor) -> Self {
        Self { executor, ..self }
    }

    pub(crate) fn id_or_empty(&self) -> &'a str {
        self.id.unwrap_or_default()
    }

    pub(crate) fn name_or_empty(&self) -> &'a str {
        self.name.unwrap_or_default()
    }
}

/// Returns a text unless it is empty, since an empty text on the wire means an absent one.
pub(crate) fn present<'a, T: From<&'a str>>(text: &'a str) -> Option<T> {
    (!text.is_empty()).then(|| text.into())
}
