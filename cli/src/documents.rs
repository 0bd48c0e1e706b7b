//! Reads an input that is many JSON texts, one after the other.

use std::io;

use jsonspigot::{DocumentEvent, Documents, EndedDocument};

use crate::output::{Origin, Output};
use crate::report::{Complaints, Failure, told};
use crate::source::Source;

/// A reader of a stream of JSON texts, with the options of its report.
pub(crate) struct Texts {
    documents: Documents,
    /// The reader before it has read anything, into which saved states are restored.
    new: Documents,
    reports_values: bool,
    bytes: u64,
}

impl Texts {
    /// Creates a reader that adds each document's value to the line about its end if `reports_values`.
    pub(crate) fn new(documents: Documents, reports_values: bool) -> Self {
        Self { new: documents.clone(), documents, reports_values, bytes: 0 }
    }
}

impl Source for Texts {
    fn read(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> Result<(), Failure> {
        let mut result = Ok(());
        let on_event = |event: DocumentEvent<'_>| report(&event, self.reports_values, output, complaints, &mut result);
        let read = match chunk {
            Some(chunk) => self.documents.feed_with(chunk, on_event),
            None => self.documents.finish_with(on_event),
        };
        result?;
        self.bytes += chunk.map_or(0, <[u8]>::len) as u64;
        // The error was reported with the document in which it ended the stream.
        read.map_err(|_| Failure::Told)?;
        let number = self.documents.number();
        match self.documents.parser().filter(|_| chunk.is_some()) {
            Some(open) => output.snapshot(Origin::Numbered(number), open)?,
            None if chunk.is_none() => output.done(self.bytes, Some(number), None)?,
            None => {}
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        self.documents = self.new.clone().restore(&self.documents.save()?)?;
        Ok(())
    }
}

/// Writes an event. An error in a document is also a complaint for standard error.
fn report(
    event: &DocumentEvent<'_>,
    reports_values: bool,
    output: &mut dyn Output,
    complaints: &mut Complaints,
    result: &mut io::Result<()>,
) {
    if result.is_err() {
        return;
    }
    *result = match event {
        DocumentEvent::Match { document, event } => output.matched(Origin::Numbered(*document), event),
        DocumentEvent::End(ended) => {
            if let Some(error) = ended.error() {
                complaints.push(format!("{} (document {}, from byte {})", told(error), ended.number(), ended.start()));
            }
            let value = if reports_values { ended.complete().ok() } else { None };
            report_deviations(ended, output).and_then(|()| output.document_ended(ended, value))
        }
        _ => Ok(()),
    };
}

/// Writes all deviations of a document, at its end, so that their place among the lines does not depend on the chunks.
fn report_deviations(ended: &EndedDocument<'_>, output: &mut dyn Output) -> io::Result<()> {
    let (of, Some(parser)) = (Origin::Numbered(ended.number()), ended.parser()) else { return Ok(()) };
    parser.deviations().iter().try_for_each(|deviation| output.deviation(of, deviation))?;
    match parser.deviation_count() - parser.deviations().len() as u64 {
        0 => Ok(()),
        unlisted => output.more_deviations(of, unlisted),
    }
}
