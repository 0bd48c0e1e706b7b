//! The serialized form of a [`CallEvent`]: a line as the command prints it.

use jsonspigot::internal::{Line, lines};

use super::event::{CallEvent, ToolCall};
use crate::payload::PayloadStatus;

impl ToolCall<'_> {
    fn put_names<'a>(&'a self, line: &mut Line<'a>) {
        line.put("call", self.number).put("id", self.id.as_deref()).put("name", self.name.as_deref());
    }

    fn put_executor<'a>(&'a self, line: &mut Line<'a>) {
        line.put_some("executed", (!self.is_answer).then(|| self.executor.name()));
    }
}

lines!(CallEvent<'_>);

impl CallEvent<'_> {
    /// Returns the event's members.
    pub(crate) fn line(&self) -> Line<'_> {
        let mut line = Line::new(self.name());
        match self {
            Self::Match { call, event } => return event.line().of([("call", call.number.into())]),
            Self::Start { call } => {
                call.put_names(&mut line);
                line.put("choice", call.choice);
                call.put_executor(&mut line);
            }
            Self::Fragment { call, text } => {
                line.put("call", call.number).put("text", &**text);
            }
            Self::End { call, input } => {
                call.put_names(&mut line);
                let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
                input.put_value(&mut line);
                input.put_values(&mut line);
                input.put_error(&mut line, reason);
                call.put_executor(&mut line);
            }
            Self::Error(error) => {
                line.put_some("call", error.call()).put("kind", error.kind().name());
            }
            Self::LooksCumulative { call } => {
                line.put("kind", "cumulative").put("call", call.number);
            }
            Self::Mismatch { call, kind, text } => {
                line.put("kind", kind.name()).put("call", call.number).put("text", &**text);
                line.put_some("choice", (call.choice > 0).then_some(call.choice));
            }
        }
        line
    }

    /// Returns the event's name as the command prints it. The line of a match has the name of its own event instead.
    fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "call",
            Self::Fragment { .. } => "fragment",
            Self::Match { .. } => "match",
            Self::End { .. } => "input",
            Self::Error(_) => "call-error",
            Self::LooksCumulative { .. } => "warning",
            Self::Mismatch { .. } => "mismatch",
        }
    }
}
