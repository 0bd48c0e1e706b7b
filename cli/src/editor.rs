//! Implements `--remove`, `--replace` and `--redact`: the output is the edited input, which is one text, each of many
//! texts, or the arguments of a provider's calls. A provider's stream is also read by its reader, since the editor does
//! not know if its calls are whole.

use std::io;

use jsonspigot::{DocumentRewriter, Error, PatternSet, RestoreError, RewriteError, Rewriter, Rewritten};
use jsonspigot_framing::{EventEditor, Frame};
use jsonspigot_llm::{BadEventReason, CallRewriter};

use crate::output::{Lines, Output};
use crate::report::{Complaints, Failure, told};
use crate::source::Source;

/// The editor of the input.
pub(crate) enum Editor {
    Text(Rewriter),
    Documents(DocumentRewriter),
    Calls(Box<(EventEditor, CallRewriter)>),
}

impl Editor {
    pub(crate) fn calls(calls: CallRewriter) -> Self {
        Self::Calls(Box::new((EventEditor::new(), calls)))
    }

    /// Reads a chunk, or the end of input.
    pub(crate) fn read(
        &mut self,
        chunk: Option<&[u8]>,
        write: &mut dyn FnMut(&[u8]),
        complaints: &mut Complaints,
    ) -> Result<(), Failure> {
        match (self, chunk) {
            (Self::Text(rewriter), Some(chunk)) => Ok(rewriter.write(chunk, write)?),
            (Self::Text(rewriter), None) => Ok(rewriter.finish(write)?),
            (Self::Documents(documents), chunk) => {
                let sink = |rewritten: Rewritten<'_>| match rewritten {
                    Rewritten::Bytes(bytes) => write(bytes),
                    Rewritten::End { document, start, error: Some(error) } => {
                        complaints.push(format!("{} (document {document}, from byte {start})", line_of(error)));
                    }
                    _ => {}
                };
                let read = match chunk {
                    Some(chunk) => documents.write(chunk, sink),
                    None => documents.finish(sink),
                };
                // The error was reported with the document in which it ended the stream.
                read.map_err(|_| Failure::Told)
            }
            (Self::Calls(editor), chunk) => {
                let (body, calls) = &mut **editor;
                // Faults of the stream itself are reported by its reader.
                let edit = |frame: Frame<'_>| {
                    frame.rewrite(calls).unwrap_or_else(|event| {
                        match event.reason() {
                            BadEventReason::Arguments(RewriteError::Text(_)) => {}
                            _ if event.instead().is_empty() => complaints.leave_out(),
                            BadEventReason::NotJson => {}
                            BadEventReason::Arguments(error) => complaints.push(line_of(error)),
                            _ => complaints.push(format!("bad-frame: {event}")),
                        }
                        Some(event.instead().to_owned())
                    })
                };
                match chunk {
                    Some(chunk) => body.feed(chunk, edit, write),
                    None => body.finish(edit, write),
                }
                Ok(())
            }
        }
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Text(rewriter) => rewriter.save(),
            Self::Documents(documents) => documents.save(),
            Self::Calls(editor) => editor.0.save_with(editor.1.save()?),
        }
    }

    /// Resumes a new editor where the saved one was.
    fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
        Ok(match self {
            Self::Text(rewriter) => Self::Text(rewriter.restore(bytes)?),
            Self::Documents(documents) => Self::Documents(documents.restore(bytes)?),
            Self::Calls(editor) => {
                let (body, calls) = *editor;
                Self::Calls(Box::new(body.restore_with(bytes, |state| calls.restore(state))?))
            }
        })
    }
}

fn line_of(error: &RewriteError) -> String {
    if let RewriteError::Text(error) = error { told(error) } else { error.to_string() }
}

/// An input that is edited.
pub(crate) struct Edited<'o> {
    editor: Editor,
    /// Makes a new editor with the same rules.
    another: Box<dyn Fn() -> Result<Editor, Failure> + 'o>,
    /// The reader of a provider's stream, and its output, of which nothing is written.
    reader: Option<(Box<dyn Source + 'o>, Lines<io::Sink>)>,
}

impl<'o> Edited<'o> {
    pub(crate) fn new(
        editor: Editor,
        another: impl Fn() -> Result<Editor, Failure> + 'o,
        reader: Option<Box<dyn Source + 'o>>,
    ) -> Self {
        let reader = reader.map(|reader| (reader, Lines::new(io::sink(), None, &PatternSet::default())));
        Self { editor, another: Box::new(another), reader }
    }
}

impl Source for Edited<'_> {
    fn read(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> Result<(), Failure> {
        let mut result = Ok(());
        let mut write = |bytes: &[u8]| {
            if result.is_ok() {
                result = output.edited(bytes);
            }
        };
        let edited = self.editor.read(chunk, &mut write, complaints);
        result?;
        let mut of_stream = Complaints::default();
        let told = self.reader.as_mut().map_or(Ok(()), |(reader, nowhere)| reader.read(chunk, nowhere, &mut of_stream));
        for line in of_stream.take() {
            complaints.push(without_input(line));
        }
        if chunk.is_none() {
            complaints.push_left_out();
        }
        edited.and(told)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        self.editor = (self.another)()?.restore(&self.editor.save()?)?;
        self.reader.as_mut().map_or(Ok(()), |(reader, _)| reader.checkpoint())
    }
}

/// Returns a complaint without text of the input, which may be what is to be redacted. An error's own message stays.
pub(crate) fn without_input(line: String) -> String {
    let instead = match line.split_once(": ") {
        Some(("bad-frame", _)) => "bad-frame: an event can't be read",
        Some(("no-event", text)) if text.starts_with("no event") => {
            "no-event: no event has a meaning in this provider's format"
        }
        Some(("unknown-provider", _)) => "unknown-provider: no event identifies the provider; name it with --provider",
        Some(("provider-error", text)) if text.trim_start().starts_with(['{', '[']) => "provider-error: no message",
        _ => return line,
    };
    instead.to_owned()
}
