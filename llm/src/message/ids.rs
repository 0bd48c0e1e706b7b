//! Checks the ids of a message. The results in the next request refer to calls by id, so where a format needs ids,
//! every call has to have its own.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::accepted::calls_of;
use super::{Ids, Shape};
use crate::json::Json;

/// The types of OpenAI's items that a result refers to.
const CALLS: [&str; 6] =
    ["function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call"];

/// Returns true if a message has all ids that its format needs, without duplicates.
pub(super) fn are_accepted(message: Json<'_>, shape: Shape) -> bool {
    match shape {
        Shape::Items => {
            // The item's own id has nothing to do with calls and is optional.
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

/// Returns true if all values are ids and no two are equal.
fn are_distinct(ids: Vec<Json<'_>>) -> bool {
    let mut known: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    ids.into_iter().all(|id| id.is_string() && !id.word().is_empty() && known.insert(id.word()))
}
