//! The ids of what goes back. The next request brings results, which are found by the ids of their calls: where a
//! format needs them, each call has one of its own.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::accepted::calls_of;
use super::{Ids, Shape};
use crate::json::Json;

/// OpenAI's items that a result refers to.
const CALLS: [&str; 6] =
    ["function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call"];

/// Returns true if a message has the ids that its format needs, and none twice.
pub(super) fn are_accepted(message: Json<'_>, shape: Shape) -> bool {
    match shape {
        Shape::Items => {
            // An item's own id is no matter of calls, and may be left out.
            let own = message.elements().map(|item| item.member("id")).filter(|id| id.is_given());
            let calls = message.elements().filter(|item| CALLS.contains(&&*item.member("type").word()));
            are_distinct(own.collect()) && are_distinct(calls.map(|call| call.member("call_id")).collect())
        }
        Shape::Steps | Shape::Object { ids: Ids::Needed, .. } | Shape::WithCalls { ids: Ids::Needed, .. } => {
            are_distinct(calls_of(message).iter().map(|call| call.id).collect())
        }
        Shape::Object { ids: Ids::Optional, .. } | Shape::WithCalls { ids: Ids::Optional, .. } => true,
    }
}

/// Returns true if these are ids, and no two are the same.
fn are_distinct(ids: Vec<Json<'_>>) -> bool {
    let mut known: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    ids.into_iter().all(|id| id.is_string() && !id.word().is_empty() && known.insert(id.word()))
}
