//! The serialized form of an [`EnvelopeEvent`]: a line in the shape of the command's.

use alloc::string::ToString;
use alloc::vec::Vec;

use jsonspigot::internal::{Line, Member, lines};

use super::event::EnvelopeEvent;
use crate::payload::{put_payload, put_wrong};

lines!(EnvelopeEvent<'_>);

impl EnvelopeEvent<'_> {
    fn line(&self) -> Line<'_> {
        self.line_in(None)
    }

    /// Returns the event's members, with those that say which block of which answer it is in.
    pub(crate) fn line_in(&self, place: Option<(u64, u64)>) -> Line<'_> {
        let (mut line, delimiter) = match self {
            Self::Text(_) => (Line::new("text"), None),
            Self::Begin { delimiter, .. } => (Line::new("payload-start"), Some(delimiter)),
            Self::Match { delimiter, event } => (event.line(), Some(delimiter)),
            Self::Fragment { delimiter, .. } => (Line::new("fragment"), Some(delimiter)),
            Self::End { delimiter, .. } => (Line::new("payload"), Some(delimiter)),
        };
        match self {
            Self::Text(text) | Self::Fragment { text, .. } => {
                line.put("text", &**text);
            }
            Self::Begin { open, offset, .. } => {
                line.put("open", &**open).put("offset", *offset);
            }
            Self::End { payload, close, .. } => {
                put_payload(&mut line, payload);
                // A payload is cut by the end of input or a limit, which the error says.
                put_wrong(&mut line, payload, None);
                line.put("close", &**close);
            }
            Self::Match { .. } => {}
        }
        let mut around: Vec<(_, Member<'_>)> =
            delimiter.map(|delimiter| ("mark", delimiter.to_string().into())).into_iter().collect();
        if let Some((choice, block)) = place {
            around.extend([("block", block.into()), ("choice", choice.into())]);
        }
        line.of(around)
    }
}
