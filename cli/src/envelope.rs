//! `--envelope`: the input is text with payloads between marks, and the patterns apply to each payload.

use std::io;

use jsonspigot::envelope::{Delimiter, Envelope, EnvelopeBuilder, EnvelopeEvent};
use jsonspigot::{PatternSet, PayloadStatus};

use crate::output::{Output, Place};
use crate::report::{Complaints, Failure, told};
use crate::source::Source;
use crate::utf8::{BadByte, Utf8};

/// Text with payloads in it.
pub(crate) struct Text {
    envelope: Envelope,
    /// What it is restored with.
    builder: EnvelopeBuilder,
    patterns: PatternSet,
    utf8: Utf8,
    /// How many bytes and lines have been read, and where the last line begins.
    bytes: u64,
    lines: u64,
    line_start: u64,
}

impl Text {
    pub(crate) fn new(builder: EnvelopeBuilder, delimiters: &[Delimiter], patterns: &PatternSet) -> Self {
        Self {
            envelope: builder.build(delimiters.iter().cloned(), patterns),
            builder,
            patterns: patterns.clone(),
            utf8: Utf8::default(),
            bytes: 0,
            lines: 0,
            line_start: 0,
        }
    }

    fn count_lines(&mut self, read: &[u8]) {
        self.lines += read.iter().filter(|byte| **byte == b'\n').count() as u64;
        if let Some(last) = read.iter().rposition(|byte| *byte == b'\n') {
            self.line_start = self.bytes + last as u64 + 1;
        }
        self.bytes += read.len() as u64;
    }

    /// The text ends, by itself or because of an error: what was held back is told, and an open payload was cut off.
    fn end(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> io::Result<()> {
        let mut result = Ok(());
        self.envelope.finish_with(|event| tell(&event, output, complaints, &mut result));
        result
    }

    fn refuse(&self, kind: &'static str, offset: u64, output: &mut dyn Output) -> Result<(), Failure> {
        let (line, column) = (self.lines + 1, offset - self.line_start + 1);
        output.failed(&Place { kind, offset, line, column, path: "$" })?;
        Err(Failure::NotText { kind, offset, line, column })
    }
}

impl Source for Text {
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        let Self { envelope, utf8, .. } = self;
        let mut result = Ok(());
        let read = utf8.feed(chunk, |text| {
            envelope.feed_with(text, |event| tell(&event, output, complaints, &mut result));
        });
        result?;
        let Err(BadByte { offset }) = read else {
            self.count_lines(chunk);
            return Ok(());
        };
        self.count_lines(&chunk[..usize::try_from(offset.saturating_sub(self.bytes)).unwrap_or(chunk.len())]);
        self.end(output, complaints)?;
        self.refuse("invalid-utf8", offset, output)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let delimiters = self.envelope.delimiters().to_vec();
        self.envelope = self.builder.restore(delimiters, &self.patterns, &self.envelope.save())?;
        Ok(())
    }

    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        self.end(output, complaints)?;
        if self.utf8.is_inside_character() {
            return self.refuse("incomplete", self.bytes, output);
        }
        Ok(output.done(self.bytes, None)?)
    }
}

fn tell(event: &EnvelopeEvent<'_>, output: &mut dyn Output, complaints: &mut Complaints, result: &mut io::Result<()>) {
    if let EnvelopeEvent::End { delimiter, payload, .. } = event
        && let (Some(error), status) = (payload.error(), payload.status())
        && !matches!(status, PayloadStatus::Complete | PayloadStatus::Empty | PayloadStatus::Raw)
    {
        complaints.push(format!("{} (payload {}, {})", told(error), delimiter, status.name()));
    }
    if result.is_ok() {
        *result = output.envelope(event);
    }
}
