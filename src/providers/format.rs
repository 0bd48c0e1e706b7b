//! What every wire format's file has in common: what it is asked about an event, and what it answers.

use super::json::{Json, Text, objects};

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

objects! {
    /// The members that tell providers apart.
    pub(super) struct Look<'a> {
        kind: Text<'a> = "type",
        event_type: Text<'a>,
        pub(super) object: Text<'a>,
        pub(super) choices: Json<'a>,
        pub(super) candidates: Json<'a>,
        pub(super) usage_metadata: Json<'a> = "usageMetadata",
        pub(super) message_start: Json<'a> = "messageStart",
        pub(super) content_block_start: Json<'a> = "contentBlockStart",
        pub(super) content_block_delta: Json<'a> = "contentBlockDelta",
        pub(super) content_block_stop: Json<'a> = "contentBlockStop",
        pub(super) message_stop: Json<'a> = "messageStop",
        pub(super) message: Json<'a>,
        pub(super) response: Json<'a>,
        pub(super) done: Json<'a>,
        pub(super) chunk: Option<Chunk<'a>>,
    }

    /// What Bedrock wraps an event in the model's own format in.
    pub(super) struct Chunk<'a> {
        pub(super) bytes: Json<'a>,
    }
}

impl Look<'_> {
    /// The event's type, by either name; empty if it has none.
    pub(super) fn kind(&self) -> &str {
        let kinds = [self.event_type.as_str(), self.kind.as_str()];
        kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default()
    }
}
