//! How much a stream of calls may ask for.

/// Upper bounds on what a stream may make this side keep; N passes, N+1 is told as an error of its own kind.
///
/// Unlike the parser's [`Limits`](crate::Limits) they have finite defaults, so that neither a million slots nor an
/// endless call can take all memory.
///
/// ```
/// use jsonspigot::tool_calls::{CallErrorKind, CallEvent, CallLimits, CallStart, ToolCalls};
///
/// let mut limits = CallLimits::default();
/// limits.input_bytes = 4;
/// let mut calls = ToolCalls::builder().limits(limits).build();
/// let mut told = Vec::new();
/// let mut on_event = |event: CallEvent<'_>| {
///     if let CallEvent::Error(error) = event {
///         told.push(error.kind());
///     }
/// };
/// calls.start(0, CallStart::new("say"), &mut on_event);
/// calls.delta(0, r#"{"a":1}"#, &mut on_event);
/// assert_eq!(told, [CallErrorKind::InputLimit]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// Calls that are open at once, and how many ended ones are remembered; default 256.
    pub open_calls: usize,
    /// Bytes of one call's arguments; default 16 MiB. Where they come as values by path, of the JSON text that these
    /// make, but for the brackets at its end.
    pub input_bytes: usize,
    /// Bytes of an id, and bytes of a name; default 16 KiB. (Some gateways pack signatures into ids.)
    pub name_bytes: usize,
    /// Bytes of one event's JSON text; default 32 MiB.
    pub event_bytes: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { open_calls: 256, input_bytes: 16 << 20, name_bytes: 16 << 10, event_bytes: 32 << 20 }
    }
}
