//! The members of a payload in the command's lines and in serialized events.

use jsonspigot::Deviation;
use jsonspigot::internal::{Line, Member};

use super::{Payload, PayloadStatus};

/// Adds the status, the value or the raw text, the deviations, and the values of a text with several.
pub(crate) fn put_payload<'a>(line: &mut Line<'a>, payload: &'a Payload<'_>) {
    line.put("status", payload.status().name());
    match payload.value() {
        Some(value) => line.put("value", Member::Json(value.text())),
        None => line.put("raw", payload.raw()),
    };
    if payload.status() == PayloadStatus::Accepted {
        let deviations = payload.deviations();
        line.put("deviations", Member::List(deviations.iter().map(place_of).collect()));
        let more = payload.deviation_count().saturating_sub(deviations.len() as u64);
        line.put_some("more", (more > 0).then_some(more));
    }
    let values = payload.values();
    if !values.is_empty() {
        line.put("values", Member::List(values.into_iter().map(Member::Json).collect()));
        line.put("repeated", payload.is_repeated());
    }
}

/// Adds the error in the text and the reason why it was truncated, if there are any.
pub(crate) fn put_wrong<'a>(line: &mut Line<'a>, payload: &'a Payload<'_>, reason: Option<&'a str>) {
    let mut wrong = Line::default();
    match payload.error() {
        None if reason.is_none() => return,
        Some(error) => wrong.put_error(error),
        // The text is valid so far, or empty.
        None => wrong.put("kind", "incomplete"),
    };
    wrong.put_some("reason", reason);
    line.put("error", wrong);
}

/// Returns the kind and offset of a deviation.
fn place_of(deviation: &Deviation) -> Member<'_> {
    let mut line = Line::default();
    line.put("kind", deviation.kind().name()).put("offset", deviation.offset());
    line.into()
}
