//! The output is the input itself, with `--remove`, `--replace` and `--redact` applied: to a text, to each of many, or to
//! the arguments of a provider's calls.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use jsonspigot::{DocumentRewriter, RestoreError, RewriteError, Rewriter, Rewritten};
use jsonspigot_framing::{EventEditor, Frame};
use jsonspigot_llm::{BadEventReason, CallRewriter};

use crate::input::Chunks;
use crate::options::Options;
use crate::report::{self, Complaints, Failure, told};
use crate::terminal::Guarded;

/// The editor of the input.
pub(crate) enum Editor {
    Text(Rewriter),
    Documents(DocumentRewriter),
    Calls(Box<(EventEditor, CallRewriter)>),
}

pub(crate) fn run(options: &Options, mut editor: Editor) -> Result<ExitCode, Failure> {
    let mut until_checkpoint = options.checkpoint.map_or(usize::MAX, NonZeroUsize::get);
    let mut chunks = Chunks::new(options.open()?, options.chunk);
    let controls = options.controls(io::stdout().is_terminal());
    let mut output = Guarded::new(BufWriter::with_capacity(64 << 10, io::stdout().lock()), controls);
    let (mut complaints, mut has_complained) = (Complaints::default(), false);
    loop {
        let chunk = chunks.next().map_err(|error| options.unreadable(error))?;
        let mut result = Ok(());
        let mut write = |bytes: &[u8]| {
            if result.is_ok() {
                result = output.write_all(bytes);
            }
        };
        let read = editor.read(chunk, &mut write, &mut complaints);
        result?;
        // All of it is out before the next chunk is waited for.
        output.flush()?;
        has_complained |= report::complain(&mut complaints);
        read?;
        if chunk.is_none() {
            return Ok(if has_complained { ExitCode::from(report::REFUSED) } else { ExitCode::SUCCESS });
        }
        if let Some(every) = options.checkpoint {
            until_checkpoint -= 1;
            if until_checkpoint == 0 {
                if let Some(new) = options.editor()? {
                    editor = new.restore(&editor.save())?;
                }
                until_checkpoint = every.get();
            }
        }
    }
}

impl Editor {
    pub(crate) fn calls(calls: CallRewriter) -> Self {
        Self::Calls(Box::new((EventEditor::new(), calls)))
    }

    /// Reads a chunk, or the end of input.
    fn read(
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
                // The error was reported with the document that it ends the stream with.
                read.map_err(|_| Failure::Told)
            }
            (Self::Calls(editor), chunk) => {
                let (body, calls) = &mut **editor;
                let edit = |frame: Frame<'_>| {
                    if let Frame::TooLong = frame {
                        complaints.push("too-long: an event is longer than allowed, and is left out".to_owned());
                    }
                    frame.rewrite(calls).unwrap_or_else(|event| {
                        complaints.push(match event.reason() {
                            BadEventReason::Arguments(error) => line_of(error),
                            _ => format!("bad-frame: {event}"),
                        });
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

    fn save(&self) -> Vec<u8> {
        match self {
            Self::Text(rewriter) => rewriter.save(),
            Self::Documents(documents) => documents.save(),
            Self::Calls(editor) => editor.0.save_with(editor.1.save()),
        }
    }

    /// This one, which is new, as the one that was saved.
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
