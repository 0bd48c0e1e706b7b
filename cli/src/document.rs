//! Reads an input that is one JSON text.

use jsonspigot::{Error, EventKind, Events, Parser};

use crate::output::{Origin, Output, error_line};
use crate::report::{Complaints, Failure};
use crate::source::Source;

/// A reader of one JSON text, with the options of its report.
pub(crate) struct Document {
    parser: Parser,
    /// The parser before it has read anything, into which saved states are restored.
    new: Parser,
    reports_value: bool,
    /// The number of deviations that have been written.
    reported: usize,
}

impl Document {
    /// Creates a reader that adds the whole value to the last line if `reports_value`.
    pub(crate) fn new(parser: Parser, reports_value: bool) -> Self {
        Self { new: parser.clone(), parser, reports_value, reported: 0 }
    }
}

impl Source for Document {
    fn read(&mut self, chunk: Option<&[u8]>, output: &mut dyn Output, _: &mut Complaints) -> Result<(), Failure> {
        if let Some(chunk) = chunk {
            return report(self.parser.feed(chunk), &mut self.reported, output);
        }
        let unlisted = self.parser.deviation_count() - self.parser.deviations().len() as u64;
        if unlisted > 0 {
            output.more_deviations(Origin::Document, unlisted)?;
        }
        report(self.parser.finish(), &mut self.reported, output)?;
        let value = self.reports_value.then(|| self.parser.complete()).transpose()?;
        Ok(output.done(self.parser.offset(), None, value)?)
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        self.parser = self.new.clone().restore(&self.parser.save()?)?;
        Ok(())
    }
}

/// Writes a chunk's events and deviations, the snapshot after them, and the error if there is one. `reported` counts
/// the deviations; each is written before the events of its byte and of later ones.
fn report(events: Events<'_>, reported: &mut usize, output: &mut dyn Output) -> Result<(), Failure> {
    let parser = events.parser();
    let mut refused: Option<Error> = None;
    let mut report_deviations = |end: u64, output: &mut dyn Output| {
        let new = parser.deviations().iter().skip(*reported).take_while(|deviation| deviation.offset() < end);
        new.map(|deviation| output.deviation(Origin::Document, deviation))
            .try_for_each(|written| written.map(|()| *reported += 1))
    };
    for event in events {
        match event {
            Ok(event) => {
                // The offset of an end is the offset of the byte after the value.
                let is_end = matches!(event.kind, EventKind::End(_));
                report_deviations(if is_end { event.offset } else { event.offset + 1 }, output)?;
                output.matched(Origin::Document, &event)?;
            }
            Err(error) => refused = Some(error),
        }
    }
    report_deviations(u64::MAX, output)?;
    output.snapshot(Origin::Document, parser)?;
    let Some(error) = refused else { return Ok(()) };
    output.failed(error_line(Origin::Document, &error))?;
    Err(error.into())
}
