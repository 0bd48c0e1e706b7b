//! The members of a payload in the command's lines and in serialized events.

use jsonspigot::Deviation;
use jsonspigot::internal::{Line, Member};

use super::{Payload, PayloadStatus};

/// For the command and for serialized events, which order the members differently.
#[doc(hidden)]
impl Payload<'_> {
    /// Adds the status, the value or the raw text, and the accepted deviations.
    pub fn put_value<'a>(&'a self, line: &mut Line<'a>) {
        line.put("status", self.status().name());
        match self.value() {
            Some(value) => line.put("value", Member::Json(value.text())),
            None => line.put("raw", self.raw()),
        };
        if self.status() == PayloadStatus::Accepted {
            let deviations = self.deviations();
            line.put("deviations", Member::List(deviations.iter().map(place_of).collect()));
            let more = self.deviation_count().saturating_sub(deviations.len() as u64);
            line.put_some("more", (more > 0).then_some(more));
        }
    }

    /// Adds the values of a text with several.
    pub fn put_values<'a>(&'a self, line: &mut Line<'a>) {
        let values = self.values();
        if !values.is_empty() {
            line.put("values", Member::List(values.into_iter().map(Member::Json).collect()));
            line.put("repeated", self.is_repeated());
        }
    }

    /// Adds the error in the text and the reason why it was truncated, if there are any.
    pub fn put_error<'a>(&'a self, line: &mut Line<'a>, reason: Option<&'a str>) {
        let mut wrong = Line::default();
        match self.error() {
            None if reason.is_none() => return,
            Some(error) => wrong.put_error(error),
            // The text is valid so far, or empty.
            None => wrong.put("kind", "incomplete"),
        };
        wrong.put_some("reason", reason);
        line.put("error", wrong);
    }
}

/// Returns the kind and offset of a deviation.
fn place_of(deviation: &Deviation) -> Member<'_> {
    let mut line = Line::default();
    line.put("kind", deviation.kind().name()).put("offset", deviation.offset());
    line.into()
}
