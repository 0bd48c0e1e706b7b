//! Reads an input that is many JSON texts, one after the other.

use std::io;

use jsonspigot::{DocumentEvent, Documents, EndedDocument, Framing, ParserBuilder, PatternSet};

use crate::output::{Origin, Output};
use crate::report::{Complaints, Failure, told};
use crate::source::Source;

/// A reader of a stream of JSON texts, with the options of its report.
pub(crate) struct Texts {
    documents: Documents,
    /// The framing that the stream is restored with.
    framing: Framing,
    builder: ParserBuilder,
    patterns: PatternSet,
    reports_values: bool,
    bytes: u64,
}

impl Texts {
    pub(crate) fn new(framing: Framing, builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let documents = Documents::new(framing, builder.clone().patterns(patterns).build());
        Self { documents, framing, builder, patterns: patterns.clone(), reports_values: false, bytes: 0 }
    }

    /// Adds each document's value to the line about its end.
    pub(crate) fn with_values(self) -> Self {
        Self { reports_values: true, ..self }
    }
}

impl Source for Texts {
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        let mut result = Ok(());
        let on_event = |event: DocumentEvent<'_>| report(&event, self.reports_values, output, complaints, &mut result);
        let read = self.documents.feed_with(chunk, on_event);
        result?;
        self.bytes += chunk.len() as u64;
        // The error was reported with the document in which it ended the stream.
        read.map_err(|_| Failure::Told)?;
        let open = self.documents.parser();
        open.map_or(Ok(()), |parser| Ok(output.snapshot(Origin::Numbered(self.documents.number()), parser)?))
    }

    fn checkpoint(&mut self) -> Result<(), Failure> {
        let parser = self.builder.clone().patterns(&self.patterns).build();
        self.documents = Documents::new(self.framing, parser).restore(&self.documents.save()?)?;
        Ok(())
    }

    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure> {
        let mut result = Ok(());
        let on_event = |event: DocumentEvent<'_>| report(&event, self.reports_values, output, complaints, &mut result);
        let read = self.documents.finish_with(on_event);
        result?;
        read.map_err(|_| Failure::Told)?;
        Ok(output.documents_done(self.bytes, self.documents.number())?)
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
