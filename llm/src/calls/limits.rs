//! Limits on what a stream of calls may make this process keep.

use jsonspigot::internal::saved::Digest;

/// Upper bounds on what a stream may make this process keep. N is allowed; N+1 is reported as an error of its own kind.
///
/// Unlike the parser's [`Limits`](jsonspigot::Limits) they have finite defaults, so that neither a million slots nor an
/// endless call can take all memory.
///
/// ```
/// use jsonspigot_llm::{CallErrorKind, CallEvent, CallLimits, CallStart, ToolCalls};
///
/// let mut calls = ToolCalls::builder().limits(CallLimits::new().input_bytes(4)).build();
/// let mut reported = Vec::new();
/// let mut on_event = |event: CallEvent<'_>| {
///     if let CallEvent::Error(error) = event {
///         reported.push(error.kind());
///     }
/// };
/// calls.start_with(0, CallStart::new("say"), &mut on_event);
/// calls.delta_with(0, r#"{"a":1}"#, &mut on_event);
/// assert_eq!(reported, [CallErrorKind::InputLimit]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// Calls that are open at once, and how many ended ones are remembered; default 256.
    pub open_calls: usize,
    /// Bytes of one call's arguments; default 16 MiB. If they arrive as values by path, bytes of the JSON text that the
    /// values make, without the brackets at its end.
    pub input_bytes: usize,
    /// Bytes of an id, and bytes of a name; default 16 KiB. (Some gateways pack signatures into ids.)
    pub name_bytes: usize,
    /// Bytes of one event's JSON text; default 32 MiB.
    pub event_bytes: usize,
}

impl CallLimits {
    /// The defaults, as [`Default`] gives them.
    #[must_use]
    pub const fn new() -> Self {
        Self { open_calls: 256, input_bytes: 16 << 20, name_bytes: 16 << 10, event_bytes: 32 << 20 }
    }

    /// At most this many calls open at once, and as many ended ones remembered.
    #[must_use]
    pub const fn open_calls(self, open_calls: usize) -> Self {
        Self { open_calls, ..self }
    }

    /// At most this many bytes of one call's arguments.
    #[must_use]
    pub const fn input_bytes(self, input_bytes: usize) -> Self {
        Self { input_bytes, ..self }
    }

    /// At most this many bytes of an id, and of a name.
    #[must_use]
    pub const fn name_bytes(self, name_bytes: usize) -> Self {
        Self { name_bytes, ..self }
    }

    /// At most this many bytes of one event's JSON text.
    #[must_use]
    pub const fn event_bytes(self, event_bytes: usize) -> Self {
        Self { event_bytes, ..self }
    }
}

/// Saved state.
impl CallLimits {
    pub(super) fn add_to(&self, digest: Digest) -> Digest {
        let Self { open_calls, input_bytes, name_bytes, event_bytes } = *self;
        let numbers = [open_calls, input_bytes, name_bytes, event_bytes];
        numbers.into_iter().fold(digest, Digest::with_size)
    }
}

impl Default for CallLimits {
    fn default() -> Self {
        Self::new()
    }
}
