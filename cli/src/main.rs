//! The command `jsonspigot`: JSON in at any cut, what the patterns select out at once.
//!
//! Owns the way from input to output: one loop, chunk by chunk. What the arguments mean is in `options`, where bytes
//! come from and how they are cut in `input`, how it ends badly in `report`. The input is read as one of four things
//! (`source`): a JSON text (`document`) or many (`documents`), a provider's stream (`provider`), or text with payloads
//! in it (`envelope`). How bytes become events, and text, and how that is saved is up to the crate
//! `jsonspigot-framing`. What a line looks like is in `output`, which characters a terminal must not get in `terminal`.
//! `generate` writes the man page and completion scripts instead of reading anything.

mod document;
mod documents;
mod editor;
mod edits;
mod envelope;
#[cfg(feature = "generate")]
mod generate;
mod input;
mod options;
mod output;
mod provider;
mod report;
mod rewrite;
mod source;
mod terminal;
mod values;
#[cfg(test)]
mod vectors;

use std::env;
use std::io::{self, BufWriter, IsTerminal};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use jsonspigot::PatternSet;

use crate::input::Chunks;
use crate::options::Options;
use crate::output::{Lines, Output, Prose};
use crate::report::{Complaints, Failure};
use crate::terminal::Guarded;

#[cfg(test)]
jsonspigot_check::recorded_tests! {
    provider::tests: every_cut_of_a_recorded_stream_gives_the_same_lines;
}

fn main() -> ExitCode {
    Options::from_arguments(env::args_os()).and_then(|options| run(&options)).unwrap_or_else(|failure| failure.report())
}

/// The status of a run that came to its end.
fn run(options: &Options) -> Result<ExitCode, Failure> {
    #[cfg(feature = "generate")]
    if let Some(wanted) = options.generate {
        wanted.write_to(&mut io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(editor) = options.editor()? {
        return rewrite::run(options, editor);
    }
    let patterns = PatternSet::new(&options.patterns)?;
    let mut source = options.source(&patterns);
    let mut chunks = Chunks::new(options.open()?, options.chunk);
    let controls = options.controls(io::stdout().is_terminal());
    let standard_output = Guarded::new(BufWriter::with_capacity(64 << 10, io::stdout().lock()), controls);
    let mut output: Box<dyn Output> = match options.snapshots() {
        None if options.text => Box::new(Prose::new(standard_output, &patterns)),
        followed => Box::new(Lines::new(standard_output, followed, &patterns)),
    };

    let mut complaints = Complaints::default();
    let mut has_complained = false;
    let mut until_checkpoint = options.checkpoint.map_or(usize::MAX, NonZeroUsize::get);
    loop {
        let chunk = chunks.next().map_err(|error| options.unreadable(error))?;
        let told = match chunk {
            Some(chunk) => source.feed(chunk, &mut *output, &mut complaints),
            None => source.finish(&mut *output, &mut complaints),
        };
        // All of it is out before the next chunk is waited for.
        output.flush()?;
        has_complained |= report::complain(&mut complaints);
        told?;
        let is_end = chunk.is_none();
        if let Some(every) = options.checkpoint {
            until_checkpoint -= 1;
            if until_checkpoint == 0 && !is_end {
                source.checkpoint()?;
                until_checkpoint = every.get();
            }
        }
        if is_end {
            return Ok(if has_complained { ExitCode::from(report::REFUSED) } else { ExitCode::SUCCESS });
        }
    }
}
