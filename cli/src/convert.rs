//! Implements `--to`: the output is the provider's stream, as another provider would send it.

use std::io;

use clap::error::ErrorKind;
use clap::{Args, Command};
use jsonspigot::internal::Line;
use jsonspigot::{CompleteValue, EndedDocument, Event, PatternSet};
use jsonspigot_llm::{EnvelopeEvent, Loss, Provider, StreamEvent, StreamWriter, Unwritten, Written};

use crate::editor::{Editor, without_input};
use crate::output::{Block, Lines, Origin, Output};
use crate::provider::Stream;
use crate::report::{Complaints, Failure};
use crate::source::Source;
use crate::values::{loss, target};

/// The arguments that name the target.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct Target {
    /// With --provider: write the stream as this provider would send it, as server-sent events
    ///
    /// Text, reasoning and arguments are written as they arrive. What the target cannot express is reported on standard
    /// error, as a line `lost: KIND` for each kind, and makes the status 1. If the input is incomplete or invalid, the
    /// output ends with an error. The rules of --remove, --replace and --redact apply on the way.
    #[arg(long, value_name = "NAME", value_parser = target(), requires = "provider",
        conflicts_with_all = ["patterns", "text", "structured", "envelope", "provider_events"])]
    to: Option<Provider>,

    /// With --to: losses of these kinds, separated by commas, leave the status 0
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = loss(), requires = "to")]
    allow_loss: Vec<Loss>,
}

impl Target {
    /// Returns the writer of the target's stream; `None` if the stream is not converted.
    pub(crate) fn writer(&self, command: &mut Command) -> Result<Option<StreamWriter>, Failure> {
        let Some(to) = self.to else { return Ok(None) };
        let writer = StreamWriter::new(to).map_err(|error| command.error(ErrorKind::ValueValidation, error))?;
        Ok(Some(writer.allowing(self.allow_loss.iter().copied())))
    }
}

/// A provider's stream that is written as another one's.
pub(crate) struct Converted<'o> {
    /// The reader of what is converted.
    reader: Stream,
    /// The editor of the input, and the reader of the input as it was: an event that the editor leaves out must not make
    /// a damaged stream look whole.
    editor: Option<(Editor, Stream)>,
    writer: StreamWriter,
    target: &'o Target,
}

/// Writes the events of the stream to the output.
struct Writing<'w> {
    writer: &'w mut StreamWriter,
    output: &'w mut dyn Output,
}

impl<'o> Converted<'o> {
    pub(crate) fn new(
        reader: Stream,
        editor: Option<(Editor, Stream)>,
        writer: StreamWriter,
        target: &'o Target,
    ) -> Self {
        Self { reader, editor, writer, target }
    }

    /// Edits a chunk, or the end of input, if there are rules. Returns the text to convert.
    fn edit(&mut self, chunk: Option<&[u8]>, complaints: &mut Complaints) -> Result<Option<Vec<u8>>, Failure> {
        let Some((editor, original)) = &mut self.editor else { return Ok(None) };
        let mut edited = Vec::new();
        editor.read(chunk, &mut |bytes| edited.extend_from_slice(bytes), complaints)?;
        let mut of_stream = Complaints::default();
        let mut nowhere = Lines::new(io::sink(), None, &PatternSet::default());
        original.read(chunk, &mut nowhere, &mut of_stream)?;
        of_stream.take().into_iter().for_each(|line| complaints.push(without_input(line)));
        Ok(Some(edited))
    }
}

impl Source for Converted<'_> {
    fn read(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> Result<(), Failure> {
        let known = self.writer.lost().len();
        let edited = self.edit(chunk, complaints)?;
        // With rules, the complaints about the input as it was are enough.
        let mut of_edited = Complaints::default();
        let of_reader = if edited.is_some() { &mut of_edited } else { &mut *complaints };
        let mut writing = Writing { writer: &mut self.writer, output: &mut *output };
        if let Some(chunk) = edited.as_deref().or(chunk) {
            self.reader.read(Some(chunk), &mut writing, of_reader)?;
        }
        if chunk.is_none() {
            self.reader.read(None, &mut writing, of_reader)?;
            if complaints.has_left_out() {
                writing.tool(&StreamEvent::BadFrame { text: "{".into() })?;
            }
            complaints.push_left_out();
            let original = self.editor.as_ref().map_or(Ok(()), |(_, original)| original.verdict());
            let mut result = Ok(());
            let verdict = original.and(self.reader.verdict());
            self.writer.finish_with(verdict, |written| write(&written, output, &mut result));
            result?;
            if let Err(unwritten @ Unwritten::Call) = self.writer.verdict() {
                complaints.push(format!("call: {unwritten}"));
            }
        }
        for loss in &self.writer.lost()[known..] {
            complaints.lose(*loss, self.target.allow_loss.contains(loss));
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        self.reader.checkpoint()
    }
}

fn write(written: &Written<'_>, output: &mut dyn Output, result: &mut io::Result<()>) {
    if let (Some(event), Ok(())) = (written.to_sse(), &result) {
        *result = output.edited(event.as_bytes());
    }
}

/// Only the events of the stream have a meaning here.
impl Output for Writing<'_> {
    fn tool(&mut self, event: &StreamEvent<'_>) -> io::Result<()> {
        let mut result = Ok(());
        self.writer.push_with(event, |written| write(&written, self.output, &mut result));
        result
    }

    fn matched(&mut self, _: Origin<'_>, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }

    fn envelope(&mut self, _: &EnvelopeEvent<'_>, _: Option<Block>) -> io::Result<()> {
        Ok(())
    }

    fn document_ended(&mut self, _: &EndedDocument<'_>, _: Option<CompleteValue<'_>>) -> io::Result<()> {
        Ok(())
    }

    fn done(&mut self, _: u64, _: Option<u64>, _: Option<CompleteValue<'_>>) -> io::Result<()> {
        Ok(())
    }

    fn failed(&mut self, _: Line<'_>) -> io::Result<()> {
        Ok(())
    }

    fn edited(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
