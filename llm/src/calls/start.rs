//! The arguments of signals: [`Slot`], [`CallStart`] and [`Executor`].

use jsonspigot::internal::names;

use super::rest::digest_of;

/// The start of a call: its name, id and input as far as they are known, the input's format, and the executor.
///
/// ```
/// use jsonspigot_llm::{CallStart, ToolCalls};
///
/// let mut calls = ToolCalls::default();
/// calls.start(0, CallStart::new("get_weather").id("call_1")).check()?;
/// calls.start(1, CallStart::unnamed().id("call_2")).check()?;
/// let open: Vec<_> = calls.open_calls().into_iter().map(|call| (call.name, call.id)).collect();
/// assert_eq!(open, [(Some("get_weather".into()), Some("call_1".into())), (None, Some("call_2".into()))]);
/// # Ok::<(), jsonspigot_llm::CallError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct CallStart<'a> {
    // Texts that are empty are absent.
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) input: &'a str,
    /// True if the input is text that is not JSON.
    pub(super) is_raw: bool,
    pub(crate) executor: Executor,
}

impl<'a> CallStart<'a> {
    /// Returns the start of a call of this tool. Like [`id`](Self::id) and [`input`](Self::input), this takes a `&str`
    /// or an `Option<&str>`, as SDKs have it. An empty name counts as absent, as it does on the wire.
    pub fn new(name: impl Into<Option<&'a str>>) -> Self {
        Self { name: name.into().unwrap_or_default(), ..Self::default() }
    }

    /// Returns the start of a call whose tool is not known yet.
    pub fn unnamed() -> Self {
        Self::default()
    }

    /// Sets the provider's id. An empty id counts as absent, as it does on the wire.
    pub fn id(self, id: impl Into<Option<&'a str>>) -> Self {
        Self { id: id.into().unwrap_or_default(), ..self }
    }

    /// Sets the input that was sent with the start. It is used only if no other input arrives.
    pub fn input(self, input: impl Into<Option<&'a str>>) -> Self {
        Self { input: input.into().unwrap_or_default(), ..self }
    }

    /// Marks the input as text that is not JSON, such as a patch, a query or code.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    ///
    /// let mut calls = ToolCalls::default();
    /// calls.start(0, CallStart::new("write_sql").raw()).check()?;
    /// calls.delta(0, "SELECT 1").check()?;
    /// for event in calls.stop(0) {
    ///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///     assert_eq!((input.status(), input.raw()), (PayloadStatus::Raw, "SELECT 1"));
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    pub fn raw(self) -> Self {
        Self { is_raw: true, ..self }
    }

    /// Sets the executor; the default is the client.
    pub fn executor(self, executor: Executor) -> Self {
        Self { executor, ..self }
    }
}

/// Returns a text unless it is empty, since an empty text on the wire means an absent one.
pub(crate) fn present<'a, T: From<&'a str>>(text: &'a str) -> Option<T> {
    (!text.is_empty()).then(|| text.into())
}

/// The slot of a call in its message: an index, a choice with an index, or an id.
///
/// ```
/// use jsonspigot_llm::{CallEvent, CallStart, Slot, ToolCalls};
///
/// let (mut calls, add) = (ToolCalls::default(), CallStart::new("add"));
/// calls.start(0, add.id("toolu_1")).check()?; // Anthropic's content block 0
/// calls.start((1, 0), add.id("call_1")).check()?; // choice 1, its first call
/// calls.start("call_7", add.id("call_7")).check()?; // a protocol that names calls by id alone
/// for event in calls.delta(Slot::from("call_7"), "{}") {
///     let CallEvent::Fragment { call, .. } = event else { panic!("no pattern is set") };
///     assert_eq!(call.number, 2);
/// }
/// # Ok::<(), jsonspigot_llm::CallError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    pub(crate) choice: u64,
    pub(crate) place: Place<'a>,
}

/// The place of a slot within its choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Index(u64),
    Id(&'a str),
    /// The message's own text, if that text is JSON.
    Content,
    /// The wire sent no place: the call that was used last.
    Latest,
    /// The wire left out a required place: the only open call, if there is exactly one.
    Nowhere,
}

impl Place<'_> {
    /// Returns true if the place leads to one call only: it is an index or an id.
    pub(super) fn is_own(self) -> bool {
        matches!(self, Self::Index(_) | Self::Id(_))
    }
}

impl<'a> Slot<'a> {
    pub(crate) fn new(choice: u64, place: Place<'a>) -> Self {
        Self { choice, place }
    }

    /// Returns a number that most other slots do not have.
    pub(crate) fn digest(self) -> u64 {
        let place = match self.place {
            Place::Index(index) => index,
            Place::Id(id) => digest_of(id),
            Place::Content | Place::Latest | Place::Nowhere => u64::MAX,
        };
        self.choice.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ place
    }

    /// The slot of the only choice if the wire left out its place.
    pub(crate) const NOWHERE: Self = Self { choice: 0, place: Place::Nowhere };
}

impl From<u64> for Slot<'_> {
    /// Returns the slot at an index of the only choice.
    fn from(index: u64) -> Self {
        Self::new(0, Place::Index(index))
    }
}

impl From<(u64, u64)> for Slot<'_> {
    /// Returns the slot at an index of a choice.
    fn from((choice, index): (u64, u64)) -> Self {
        Self::new(choice, Place::Index(index))
    }
}

impl<'a> From<&'a str> for Slot<'a> {
    /// Returns the slot of a call that is named by its id alone.
    fn from(id: &'a str) -> Self {
        Self::new(0, Place::Id(id))
    }
}

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
