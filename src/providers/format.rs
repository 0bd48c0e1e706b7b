//! What every wire format's file has in common: what it is asked about an event, and what it answers.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::wire::{Object, Text};

/// Whether an event is known to its provider's reader, even if there is nothing to tell about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Understood {
    Yes,
    No,
}

impl From<bool> for Understood {
    fn from(is_understood: bool) -> Self {
        if is_understood { Self::Yes } else { Self::No }
    }
}

/// The members that tell providers apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Look<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(rename = "event_type", borrow, default)]
    event_type: Text<'a>,
    #[serde(borrow, default)]
    pub(super) object: Text<'a>,
    pub(super) choices: Option<IgnoredAny>,
    pub(super) candidates: Option<IgnoredAny>,
    pub(super) usage_metadata: Option<IgnoredAny>,
    pub(super) message_start: Option<IgnoredAny>,
    pub(super) content_block_start: Option<IgnoredAny>,
    pub(super) content_block_delta: Option<IgnoredAny>,
    pub(super) content_block_stop: Option<IgnoredAny>,
    pub(super) message_stop: Option<IgnoredAny>,
    pub(super) message: Option<IgnoredAny>,
    pub(super) response: Option<IgnoredAny>,
    pub(super) done: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) chunk: Object<Chunk>,
}

/// What Bedrock wraps an event in the model's own format in.
#[derive(Deserialize)]
pub(super) struct Chunk {
    pub(super) bytes: Option<IgnoredAny>,
}

impl Look<'_> {
    /// The event's type, by either name; empty if it has none.
    pub(super) fn kind(&self) -> &str {
        let kinds = [self.event_type.as_str(), self.kind.as_str()];
        kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default()
    }
}
