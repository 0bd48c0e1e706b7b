//! `--envelope`: the input is text with payloads between marks, and the patterns apply to each payload.

use std::io;

use jsonspigot::envelope::{Delimiter, Envelope, EnvelopeBuilder, EnvelopeEvent};
use jsonspigot::{PatternSet, PayloadStatus};

use crate::output::{Output, Place};
use crate::report::{Complaints, Failure, told};
use crate::saved::Saved;
use crate::source::Source;
use crate::utf8::{Flaw, Utf8};

/// Text with payloads in it.
pub(crate) struct Text {
    envelope: Envelope,
    /// What it is restored with.
    builder: EnvelopeBuilder,
    patterns: PatternSet,
    utf8: Utf8,
}

impl Text {
    pub(crate) fn new(builder: EnvelopeBuilder, delimiters: &[Delimiter], patterns: &PatternSet) -> Self {
        Self {
            envelope: builder.build(delimiters.iter().cloned(), patterns),
            builder,
            patterns: patterns.clone(),
            utf8: Utf8::default(),
        }
    }

    /// The text ends, by itself or because of an error: what was held back is told, and an open payload was cut off.
    fn end(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> io::Result<()> {
        let mut result = Ok(());
        self.envelope.finish_with(|event| tell(&event, output, complaints, &mut result));
        result
    }
}

fn refuse(flaw: Flaw, output: &mut dyn Output) -> Result<(), Failure> {
    let Flaw { kind, offset, line, column } = flaw;
    output.failed(&Place { kind, offset, line, column, path: Some("$") })?;
    Err(Failure::NotText { kind, offset, line, column })
}

impl Source for Text {
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        let Self { envelope, utf8, .. } = self;
        let mut result = Ok(());
        let read = utf8.feed(chunk, |text| {
            envelope.feed_with(text, |event| tell(&event, output, complaints, &mut result));
        });
        result?;
        let Err(flaw) = read else { return Ok(()) };
        self.end(output, complaints)?;
        refuse(flaw, output)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let delimiters = self.envelope.delimiters().to_vec();
        let state = self.utf8.add_to(self.envelope.save());
        let saved = Saved::of(&state)?;
        self.envelope = self.builder.restore(delimiters, &self.patterns, saved.state)?;
        self.utf8 = Utf8::of(&saved)?;
        Ok(())
    }

    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        self.end(output, complaints)?;
        match self.utf8.finish() {
            Ok(()) => Ok(output.done(self.utf8.offset(), None)?),
            Err(flaw) => refuse(flaw, output),
        }
    }
}

fn tell(event: &EnvelopeEvent<'_>, output: &mut dyn Output, complaints: &mut Complaints, result: &mut io::Result<()>) {
    complain(event, complaints);
    if result.is_ok() {
        *result = output.envelope(event, None);
    }
}

/// What makes the run fail: a payload that is not whole.
pub(crate) fn complain(event: &EnvelopeEvent<'_>, complaints: &mut Complaints) {
    if let EnvelopeEvent::End { delimiter, payload, .. } = event
        && let (Some(error), status) = (payload.error(), payload.status())
        && !is_whole(status)
    {
        complaints.push(format!("{} (payload {}, {})", told(error), delimiter, status.name()));
    }
}

/// Whether a call or payload with this status does not make the run fail.
pub(crate) fn is_whole(status: PayloadStatus<'_>) -> bool {
    use PayloadStatus::{Accepted, Complete, Empty, Raw};
    matches!(status, Complete | Accepted | Empty | Raw)
}
