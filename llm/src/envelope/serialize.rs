//! The serialized form of an [`EnvelopeEvent`]: the line that the command prints for it.

use alloc::string::ToString;
use alloc::vec::Vec;

use jsonspigot::internal::{Line, Member, lines};

use super::event::EnvelopeEvent;

lines!(EnvelopeEvent<'_>);

impl EnvelopeEvent<'_> {
    fn line(&self) -> Line<'_> {
        self.line_in(None)
    }

    /// Returns the event's line, with the numbers of its answer and block if `place` has them.
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
                payload.put_value(&mut line);
                payload.put_values(&mut line);
                // The error names the end of input or the limit, so no reason is needed.
                payload.put_error(&mut line, None);
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
