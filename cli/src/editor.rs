//! Edits the input: one text, each of many texts, or the arguments of a provider's calls.

use jsonspigot::{DocumentRewriter, Error, RestoreError, RewriteError, Rewriter, Rewritten};
use jsonspigot_framing::{EventEditor, Frame};
use jsonspigot_llm::{BadEventReason, CallRewriter};

use crate::report::{Complaints, Failure, told};

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

    pub(crate) fn save(&self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Text(rewriter) => rewriter.save(),
            Self::Documents(documents) => documents.save(),
            Self::Calls(editor) => editor.0.save_with(editor.1.save()?),
        }
    }

    /// Resumes a new editor where the saved one was.
    pub(crate) fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
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
