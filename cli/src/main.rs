//! The command `jsonspigot`: reads JSON in chunks and writes the values that patterns select as soon as they arrive.
//!
//! Owns the loop from input to output, chunk by chunk. `options` gives the arguments their meaning, `input` reads and
//! cuts the bytes, and `report` reports failures. The input is read in one of six ways (`source`): as a JSON text
//! (`document`) or many (`documents`), a provider's stream (`provider`), which may be written as another one's
//! (`convert`), text with payloads in it (`envelope`), or to be edited (`editor`). The crate `jsonspigot-framing` turns bytes into events or text, and saves that state. `output` writes the lines, and
//! `terminal` escapes characters that a terminal must not receive. `generate` writes the man page and completion
//! scripts instead of reading anything.

mod convert;
mod document;
mod documents;
mod editor;
mod edits;
mod envelope;
#[cfg(feature = "generate")]
mod generate;
mod help;
mod input;
mod options;
mod output;
mod provider;
mod report;
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

/// Runs the command. Returns the exit status of a run that read the whole input.
fn run(options: &Options) -> Result<ExitCode, Failure> {
    #[cfg(feature = "generate")]
    if let Some(wanted) = options.generate {
        generate::write(wanted, &mut io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    let patterns = PatternSet::new(&options.patterns)?;
    let mut source = options.source(&patterns)?;
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
        let told = source.read(chunk, &mut *output, &mut complaints);
        // All output is written before the next chunk is awaited.
        output.flush()?;
        has_complained |= report::complain(&mut complaints);
        told?;
        if chunk.is_none() {
            return Ok(if has_complained { ExitCode::from(report::REFUSED) } else { ExitCode::SUCCESS });
        }
        if let Some(every) = options.checkpoint {
            until_checkpoint -= 1;
            if until_checkpoint == 0 {
                source.checkpoint()?;
                until_checkpoint = every.get();
            }
        }
    }
}
