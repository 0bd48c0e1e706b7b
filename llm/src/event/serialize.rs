//! The lines that events of a stream are written as, here and by the command.

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

/// A provider's JSON text as a value: as a string if it has half a surrogate pair or too many levels, which would make
/// the whole line unreadable.
pub(super) fn value(json: &str) -> Member<'_> {
    let mut parser = Parser::default();
    let is_strict = parser.feed_dyn(json.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {})).is_ok();
    if is_strict { Member::Json(json) } else { json.into() }
}
