//! The input is one JSON text.

use jsonspigot::{Error, Events, Parser};

use crate::output::{Origin, Output, Place};
use crate::report::{Complaints, Failure};
use crate::source::Source;

/// One JSON text, and how it is to be told.
pub(crate) struct Document {
    parser: Parser,
    tells_value: bool,
}

impl Document {
    pub(crate) fn new(parser: Parser) -> Self {
        Self { parser, tells_value: false }
    }

    /// Adds the whole value to the last line.
    pub(crate) fn with_value(self) -> Self {
        Self { tells_value: true, ..self }
    }
}

impl Source for Document {
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, _: &mut Complaints) -> Result<(), Failure> {
        tell(self.parser.feed(chunk), output)
    }

    fn finish(&mut self, output: &mut dyn Output, _: &mut Complaints) -> Result<(), Failure> {
        tell(self.parser.finish(), output)?;
        let value = self.tells_value.then(|| self.parser.complete()).transpose()?;
        Ok(output.done(self.parser.offset(), value)?)
    }
}

/// Passes on a chunk's events, what they made of the snapshot, and the error if there was one.
fn tell(events: Events<'_>, output: &mut dyn Output) -> Result<(), Failure> {
    let parser = events.parser();
    let mut refused: Option<Error> = None;
    for event in events {
        match event {
            Ok(event) => output.matched(Origin::Document, &event)?,
            Err(error) => refused = Some(error),
        }
    }
    output.snapshot(Origin::Document, parser)?;
    let Some(error) = refused else { return Ok(()) };
    output.failed(&Place::from(&error))?;
    Err(error.into())
}
