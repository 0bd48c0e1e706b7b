//! Implements `--envelope`: the input is text with payloads between marks, and the patterns apply to each payload.

use std::io;

use jsonspigot::PatternSet;
use jsonspigot_framing::{Utf8, Utf8Error};
use jsonspigot_llm::{Delimiter, DelimiterError, Envelope, EnvelopeBuilder, EnvelopeEvent, PayloadStatus};

use crate::output::{Output, Place};
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
    /// The builder that the envelope is restored with.
    builder: EnvelopeBuilder,
    patterns: PatternSet,
    utf8: Utf8,
}

impl Text {
    pub(crate) fn new(builder: EnvelopeBuilder, delimiters: &[Delimiter], patterns: &PatternSet) -> Self {
        Self {
            envelope: builder.clone().build(delimiters.iter().cloned(), patterns),
            builder,
            patterns: patterns.clone(),
            utf8: Utf8::default(),
        }
    }

    /// Ends the text, at the end of input or at an error: reports text that was withheld, and truncates an open
    /// payload.
    fn end(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> io::Result<()> {
        let mut result = Ok(());
        self.envelope.finish_with(|event| report(&event, output, complaints, &mut result));
        result
    }
}

fn refuse(error: Utf8Error, output: &mut dyn Output) -> Result<(), Failure> {
    let (kind, offset, line, column) = (error.kind().name(), error.offset(), error.line(), error.column());
    output.failed(&Place { kind, offset, line, column, path: Some("$") })?;
    Err(Failure::NotText(error))
}

impl Source for Text {
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        let Self { envelope, utf8, .. } = self;
        let mut result = Ok(());
        let read = utf8.feed_with(chunk, |text| {
            envelope.feed_with(text, |event| report(&event, output, complaints, &mut result));
        });
        result?;
        let Err(error) = read else { return Ok(()) };
        self.end(output, complaints)?;
        refuse(error, output)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let delimiters = self.envelope.delimiters().to_vec();
        let saved = self.utf8.save_with(self.envelope.save()?)?;
        let new = self.builder.clone().build(delimiters, &self.patterns);
        (self.utf8, self.envelope) = Utf8::new().restore_with(&saved, |state| new.restore(state))?;
        Ok(())
    }

    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        self.end(output, complaints)?;
        match self.utf8.finish() {
            Ok(()) => Ok(output.done(self.utf8.offset(), None)?),
            Err(error) => refuse(error, output),
        }
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
