//! The lines in which the events of a stream are serialized and the command prints them.

use jsonspigot::Parser;
use jsonspigot::internal::{Line, Member, lines};

use super::StreamEvent;

lines!(StreamEvent<'_>);

impl StreamEvent<'_> {
    fn line(&self) -> Line<'_> {
        match self {
            Self::Agent { agent, event } => event.line().of([("agent", (&**agent).into())]),
            Self::Call(event) => event.line(),
            #[cfg(feature = "envelope")]
            Self::Payload { choice, block, event } => event.line_in(Some((*choice, *block))),
            _ => {
                let mut line = Line::new(self.name());
                self.put_members(&mut line);
                line
            }
        }
    }
}

/// Returns a provider's JSON text as a value. A text with half a surrogate pair or too many levels becomes a string,
/// since it would make the whole line unreadable.
pub(super) fn value(json: &str) -> Member<'_> {
    let mut parser = Parser::default();
    let is_strict = parser.feed_dyn(json.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {})).is_ok();
    if is_strict { Member::Json(json) } else { json.into() }
}
