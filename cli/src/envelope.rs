//! Implements `--envelope`: the input is text with payloads between marks, and the patterns apply to each payload.

use std::io;

use jsonspigot_framing::Utf8;
use jsonspigot_llm::{Delimiter, DelimiterError, Envelope, EnvelopeEvent, PayloadStatus};

use crate::output::{Origin, Output, error_line};
use crate::report::{Complaints, Failure, told};
use crate::source::Source;

/// The marks of one argument.
#[derive(Clone, Debug)]
pub(crate) struct Marks(pub(crate) Vec<Delimiter>);

/// Parses a list of marks, which are separated by commas. A backslash escapes a comma.
pub(crate) fn marks(list: &str) -> Result<Marks, String> {
    let mut is_escaped = false;
    let mut splits = |character| {
        let splits = character == ',' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        splits
    };
    let refused = |mark: &str, error: DelimiterError| {
        // Name the mark if there are several.
        if mark == list { error.to_string() } else { format!("`{mark}`: {error}") }
    };
    let read = |mark: &str| mark.parse().map_err(|error| refused(mark, error));
    list.split(&mut splits).map(read).collect::<Result<_, _>>().map(Marks)
}

/// A reader of text with payloads in it.
pub(crate) struct Text {
    envelope: Envelope,
    /// The envelope before it has read anything, into which saved states are restored.
    new: Envelope,
    utf8: Utf8,
}

impl Text {
    pub(crate) fn new(envelope: Envelope) -> Self {
        Self { new: envelope.clone(), envelope, utf8: Utf8::default() }
    }
}

impl Source for Text {
    fn read(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> Result<(), Failure> {
        let Self { envelope, utf8, .. } = self;
        let mut result = Ok(());
        let mut on_event = |event: EnvelopeEvent<'_>| report(&event, output, complaints, &mut result);
        let read = chunk.map(|chunk| utf8.feed_with(chunk, |text| envelope.feed_with(text, &mut on_event)));
        // At the end and at an error, withheld text is reported, and an open payload is truncated.
        if !matches!(read, Some(Ok(()))) {
            envelope.finish_with(on_event);
        }
        result?;
        let Err(error) = read.unwrap_or_else(|| utf8.finish()) else {
            return if chunk.is_none() { Ok(output.done(utf8.offset(), None, None)?) } else { Ok(()) };
        };
        output.failed(error_line(Origin::Document, &error))?;
        Err(error.into())
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let saved = self.utf8.save_with(self.envelope.save()?)?;
        let new = self.new.clone();
        (self.utf8, self.envelope) = Utf8::new().restore_with(&saved, |state| new.restore(state))?;
        Ok(())
    }
}

fn report(
    event: &EnvelopeEvent<'_>,
    output: &mut dyn Output,
    complaints: &mut Complaints,
    result: &mut io::Result<()>,
) {
    complain(event, complaints);
    if result.is_ok() {
        *result = output.envelope(event, None);
    }
}

/// Adds a complaint about a payload that makes the run fail because it is not whole.
pub(crate) fn complain(event: &EnvelopeEvent<'_>, complaints: &mut Complaints) {
    if let EnvelopeEvent::End { delimiter, payload, .. } = event
        && !is_whole(payload.status())
    {
        let line = payload.error().map_or_else(|| "incomplete: the payload was cut".to_owned(), told);
        let reason = match payload.status() {
            PayloadStatus::Truncated { reason } if reason != "end-of-input" => [": ", reason].concat(),
            _ => String::new(),
        };
        complaints.push(format!("{line} (payload {delimiter}, {}{reason})", payload.status().name()));
    }
}

/// Returns true if a call or payload with this status does not make the run fail.
pub(crate) fn is_whole(status: PayloadStatus<'_>) -> bool {
    use PayloadStatus::{Accepted, Complete, Empty, Raw};
    matches!(status, Complete | Accepted | Empty | Raw)
}
