//! The command `jsonspigot`: JSON in at any cut, what the patterns select out at once.
//!
//! Owns the way from input to output: one loop, chunk by chunk. What the arguments mean is in `options`, where bytes
//! come from and how they are cut in `input`, what a line looks like in `output`, how it ends badly in `report`.

mod input;
mod options;
mod output;
mod report;

use std::io::{self, BufWriter};
use std::process::ExitCode;

use jsonspigot::{Events, PatternSet};

use crate::input::Chunks;
use crate::options::Options;
use crate::output::{Lines, Output, Prose};
use crate::report::Failure;

fn main() -> ExitCode {
    match Options::from_arguments().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let patterns = PatternSet::new(&options.patterns)?;
    let mut parser = options.parser().build(&patterns);
    let mut chunks = Chunks::new(options.open()?, options.chunk);
    let standard_output = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let mut output: Box<dyn Output> = match options.snapshots() {
        None if options.text => Box::new(Prose::new(standard_output)),
        followed => Box::new(Lines::new(standard_output, followed)),
    };

    while let Some(chunk) = chunks.next().map_err(|error| options.unreadable(error))? {
        tell(parser.feed(chunk), &mut *output)?;
    }
    tell(parser.finish(), &mut *output)?;
    let value = options.value.then(|| parser.complete()).transpose()?;
    output.done(parser.offset(), value)?;
    Ok(output.flush()?)
}

/// Passes on a chunk's events, what they made of the snapshot, and the error if there was one; and sees to it that all
/// is out before the next chunk is waited for.
fn tell(events: Events<'_>, output: &mut dyn Output) -> Result<(), Failure> {
    let parser = events.parser();
    let mut refused = None;
    for event in events {
        match event {
            Ok(event) => output.event(&event)?,
            Err(error) => refused = Some(error),
        }
    }
    output.snapshot(parser)?;
    if let Some(error) = &refused {
        output.failed(error)?;
    }
    output.flush()?;
    refused.map_or(Ok(()), |error| Err(error.into()))
}
