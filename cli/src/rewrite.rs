//! The run whose output is the input itself, with `--remove`, `--replace` and `--redact` applied.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use crate::editor::Editor;
use crate::input::Chunks;
use crate::options::Options;
use crate::report::{self, Complaints, Failure};
use crate::terminal::Guarded;

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
