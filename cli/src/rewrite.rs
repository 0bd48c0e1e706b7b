//! The output is the input itself, with `--remove`, `--replace` and `--redact` applied.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use jsonspigot::Rewriter;

use crate::input::Chunks;
use crate::options::Options;
use crate::report::Failure;
use crate::terminal::Guarded;

pub(crate) fn run(options: &Options, mut rewriter: Rewriter) -> Result<ExitCode, Failure> {
    let mut chunks = Chunks::new(options.open()?, options.chunk);
    let controls = options.controls(io::stdout().is_terminal());
    let mut output = Guarded::new(BufWriter::with_capacity(64 << 10, io::stdout().lock()), controls);
    loop {
        let chunk = chunks.next().map_err(|error| options.unreadable(error))?;
        let mut result = Ok(());
        let mut write = |bytes: &[u8]| {
            if result.is_ok() {
                result = output.write_all(bytes);
            }
        };
        let written = match chunk {
            Some(chunk) => rewriter.write(chunk, &mut write),
            None => rewriter.finish(&mut write),
        };
        result?;
        // All of it is out before the next chunk is waited for.
        output.flush()?;
        written?;
        if chunk.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
}
