//! The party that executes a call: [`Executor`].

use jsonspigot::internal::names;

/// The party that executes a call.
///
/// Providers run tools of their own (searches, code, tools of MCP servers) and stream their calls like any others. Only
/// the remaining calls are yours to execute.
///
/// ```
/// use std::borrow::Cow;
///
/// use jsonspigot_llm::{CallEvent, CallStart, Executor, ToolCalls};
///
/// let mut calls = ToolCalls::default();
/// let mut to_run = Vec::new();
/// let mut on_event = |event: CallEvent<'_>| match event {
///     CallEvent::End { call, .. } if call.executor == Executor::Client => to_run.extend(call.name.map(Cow::into_owned)),
///     _ => {}
/// };
/// calls.start_with(0, CallStart::new("get_weather"), &mut on_event);
/// calls.start_with(1, CallStart::new("web_search").executor(Executor::Provider), &mut on_event);
/// calls.end_message_with("tool_use", &mut on_event);
/// assert_eq!(to_run, ["get_weather"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Executor {
    /// You, or the wire does not name the executor.
    #[default]
    Client,
    /// The provider, which has executed the call, is executing it, or will once you approve. Never execute it again.
    Provider,
}

names!(Executor {
    Client => "client",
    Provider => "provider",
});
