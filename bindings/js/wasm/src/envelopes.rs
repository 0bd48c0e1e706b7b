//! Envelopes, text with payloads in it between marks: what one is made from, and how what it reports is written.

use alloc::vec::Vec;

use jsonspigot_llm::{Delimiter, Envelope, EnvelopeBuilder, EnvelopeEvent};

use crate::output::Output;
use crate::record::{Flag, Number, record, tag, write_verdict};
use crate::{events, options};

pub(crate) struct Marked {
    pub(crate) envelope: Envelope,
    pub(crate) marks: Vec<Delimiter>,
}

/// The length of the choices in the input.
pub(crate) const CHOICES_LEN: usize = 3 * 8 + options::LEN;

/// Reads the choices of envelopes, and whether the ends of strings have their text, out of the limits of held text, of
/// payloads and of what is buffered to be saved (0 if it is not to be), and the options of the parser.
pub(crate) fn choices(input: &[u8]) -> (EnvelopeBuilder, u64) {
    let size = |at| usize::try_from(options::number(input, at)).unwrap_or(usize::MAX);
    let options::Options { builder, texts_to, .. } = options::read(input.get(24..).unwrap_or_default());
    let builder = Envelope::builder().parser(builder).hold_limit(size(0)).payload_limit(options::number(input, 8));
    (if size(16) > 0 { builder.saveable(size(16)) } else { builder }, texts_to)
}

/// The marks of a list: their number, and then each of them. JavaScript has looked at them before.
pub(crate) fn marks<'a>(texts: &mut impl Iterator<Item = &'a str>) -> Vec<Delimiter> {
    let count = texts.next().and_then(|count| count.parse().ok()).unwrap_or(0);
    texts.take(count).filter_map(|mark| mark.parse().ok()).collect()
}

/// Writes an event; `within` is the answer and the block of a stream that it is in.
pub(crate) fn write(
    output: &mut Output,
    event: &EnvelopeEvent<'_>,
    marks: &[Delimiter],
    texts_to: u64,
    within: Option<(u64, u64)>,
) {
    let (choice, block) = within.unzip();
    let (choice, block) = (Number(choice), Number(block));
    let place = |mark: &Delimiter| marks.iter().position(|known| known == mark).map(|place| place as u64);
    match event {
        EnvelopeEvent::Text(text) => record(output, tag::VISIBLE_TEXT, &[(&**text).into()]),
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            let fields = [Number(place(delimiter)), (&**open).into(), (*offset).into(), choice, block];
            record(output, tag::PAYLOAD_START, &fields);
        }
        EnvelopeEvent::Match { delimiter, event } => {
            record(output, tag::PAYLOAD_MATCH, &[Number(place(delimiter)), choice, block]);
            events::write(output, event, &[], texts_to);
        }
        EnvelopeEvent::Fragment { delimiter, text } => {
            record(output, tag::FRAGMENT, &[Number(place(delimiter)), (&**text).into(), choice, block]);
        }
        EnvelopeEvent::End { delimiter, payload, close, length } => {
            let fields = [Number(place(delimiter)), (&**close).into(), (*length).into(), Flag(false)];
            write_verdict(output, tag::PAYLOAD, fields, payload, within);
        }
        _ => {}
    }
}
