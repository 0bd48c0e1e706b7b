//! Limits on what a stream of calls may make this process keep.

use jsonspigot::internal::saved::Digest;

/// Upper bounds on what a stream may make this process keep. A value of N allows N; exceeding it is reported as an
/// error of its own kind.
///
/// Unlike the parser's [`Limits`](jsonspigot::Limits), these have finite defaults, so that neither a million slots nor
/// an endless call can exhaust memory.
///
/// ```
/// use jsonspigot_llm::{CallErrorKind, CallLimits, CallStart, ToolCalls};
///
/// let mut calls = ToolCalls::builder().limits(CallLimits::new().input_bytes(4)).build();
/// calls.start(0, CallStart::new("say")).check()?;
/// let error = calls.delta(0, r#"{"a":1}"#).check().unwrap_err();
/// assert_eq!(error.kind(), CallErrorKind::InputLimit);
/// # Ok::<(), jsonspigot_llm::CallError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// The number of calls open at once, and of ended calls remembered; default 256.
    pub open_calls: usize,
    /// The length of one call's arguments in bytes; default 16 MiB. For values by path, this is the length of the JSON
    /// text that they stand for, without its closing brackets.
    pub input_bytes: usize,
    /// The length of an id, and of a name, in bytes; default 16 KiB. (Some gateways pack signatures into ids.)
    pub name_bytes: usize,
    /// The length of one event's JSON text in bytes; default 32 MiB.
    pub event_bytes: usize,
}

impl CallLimits {
    /// Returns the default limits, like [`Default`].
    #[must_use]
    pub const fn new() -> Self {
        Self { open_calls: 256, input_bytes: 16 << 20, name_bytes: 16 << 10, event_bytes: 32 << 20 }
    }

    /// Sets the maximum number of calls open at once, and of ended calls remembered.
    #[must_use]
    pub const fn open_calls(self, open_calls: usize) -> Self {
        Self { open_calls, ..self }
    }

    /// Sets the maximum length of one call's arguments, in bytes.
    #[must_use]
    pub const fn input_bytes(self, input_bytes: usize) -> Self {
        Self { input_bytes, ..self }
    }

    /// Sets the maximum length of an id, and of a name, in bytes.
    #[must_use]
    pub const fn name_bytes(self, name_bytes: usize) -> Self {
        Self { name_bytes, ..self }
    }

    /// Sets the maximum length of one event's JSON text, in bytes.
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
