//! Runs the command with `--remove`, `--replace` and `--redact`: the output is the edited input. A provider's stream is
//! also read by its reader, since the editor does not know if its calls are whole.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use jsonspigot::PatternSet;

use crate::editor::Editor;
use crate::input::Chunks;
use crate::options::Options;
use crate::output::Lines;
use crate::report::{self, Complaints, Failure};
use crate::terminal::Guarded;

pub(crate) fn run(options: &Options, mut editor: Editor) -> Result<ExitCode, Failure> {
    let mut until_checkpoint = options.checkpoint.map_or(usize::MAX, NonZeroUsize::get);
    let mut chunks = Chunks::new(options.open()?, options.chunk);
    let controls = options.controls(io::stdout().is_terminal());
    let mut output = Guarded::new(BufWriter::with_capacity(64 << 10, io::stdout().lock()), controls);
    let mut reader = options.provider.is_some().then(|| options.source(&PatternSet::default()));
    let mut nowhere = Lines::new(io::sink(), None, &PatternSet::default());
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
        // All output is written before the next chunk is awaited.
        output.flush()?;
        let mut of_stream = Complaints::default();
        let told = match (&mut reader, chunk) {
            (Some(reader), Some(chunk)) => reader.feed(chunk, &mut nowhere, &mut of_stream),
            (Some(reader), None) => reader.finish(&mut nowhere, &mut of_stream),
            (None, _) => Ok(()),
        };
        for line in of_stream.take() {
            complaints.push(without_input(line));
        }
        if chunk.is_none() {
            complaints.push_left_out();
        }
        has_complained |= report::complain(&mut complaints);
        read?;
        told?;
        if chunk.is_none() {
            return Ok(if has_complained { ExitCode::from(report::REFUSED) } else { ExitCode::SUCCESS });
        }
        if let Some(every) = options.checkpoint {
            until_checkpoint -= 1;
            if until_checkpoint == 0 {
                if let Some(new) = options.editor()? {
                    editor = new.restore(&editor.save()?)?;
                }
                until_checkpoint = every.get();
            }
        }
    }
}

/// Returns a complaint without text of the input, which may be what is to be redacted. An error's own message stays.
fn without_input(line: String) -> String {
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
