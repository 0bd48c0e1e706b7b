//! Envelopes by number: text with payloads in it, between marks. Their records are as `providers.rs` says.

use alloc::boxed::Box;
use alloc::vec::Vec;

use jsonspigot_llm::{Delimiter, Envelope, EnvelopeBuilder, EnvelopeEvent};

use crate::output::Output;
use crate::providers::{Call, Field::Flag, Field::Number, Reader, Slot, record, write_verdict};
use crate::{events, options, with};

pub(crate) mod tag {
    pub(super) const PAYLOAD_START: u32 = 6;
    pub(crate) const PAYLOAD_MATCH: u32 = 7;
    pub(super) const FRAGMENT: u32 = 8;
    pub(super) const PAYLOAD: u32 = 9;
    pub(super) const VISIBLE_TEXT: u32 = 10;
}

pub(crate) struct Marked {
    pub(crate) envelope: Envelope,
    pub(crate) marks: Vec<Delimiter>,
}

/// The length of the choices in the input.
pub(crate) const CHOICES_LEN: usize = 60;

/// Reads the choices of envelopes, and whether the ends of strings have their text, out of the limits of held text and
/// of payloads and the options of the parser.
pub(crate) fn choices(input: &[u8]) -> (EnvelopeBuilder, u64) {
    let hold_limit = usize::try_from(options::number(input, 0)).unwrap_or(usize::MAX);
    let options::Options { builder, texts_to, .. } = options::read(input.get(16..).unwrap_or_default());
    let builder = Envelope::builder().parser(builder).hold_limit(hold_limit).payload_limit(options::number(input, 8));
    (builder, texts_to)
}

impl Marked {
    pub(crate) fn told(&mut self, call: Call, text: &str, output: &mut Output, texts_to: u64) {
        let Self { envelope, marks } = self;
        let on_event = |event: EnvelopeEvent<'_>| write(output, &event, marks, texts_to, None);
        match call {
            Call::Feed => {
                envelope.feed_with(text, on_event);
            }
            Call::Finish => {
                envelope.finish_with(on_event);
            }
            Call::Unreadable | Call::Oversized => {}
        }
    }
}

/// A new envelope. The input has its choices, and the marks as texts. Gives its number, or −1 and in the output the place of the mark that is none, and why.
#[unsafe(no_mangle)]
extern "C" fn create_envelope(patterns: u32, len: u32) -> i32 {
    with(|module| {
        module.output.clear();
        let input = module.input.get(..len as usize).unwrap_or_default();
        let (builder, texts_to) = choices(input);
        let mut marks = Vec::new();
        for mark in options::texts(input.get(CHOICES_LEN..).unwrap_or_default()) {
            match mark.parse::<Delimiter>() {
                Ok(mark) => marks.push(mark),
                Err(error) => {
                    module.output.word(marks.len() as u32);
                    module.output.printed(error);
                    module.place = module.output.place();
                    return -1;
                }
            }
        }
        let Some(patterns) = module.patterns.get_mut(patterns) else { core::arch::wasm32::unreachable() };
        let envelope = builder.build(marks.iter().cloned(), patterns);
        module.parsers.add(Box::new(Slot { reader: Reader::Envelope(Box::new(Marked { envelope, marks })), texts_to }))
            as i32
    })
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
    match *event {
        EnvelopeEvent::Text(text) => record(output, tag::VISIBLE_TEXT, &[text.into()]),
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            record(output, tag::PAYLOAD_START, &[Number(place(delimiter)), open.into(), offset.into(), choice, block]);
        }
        EnvelopeEvent::Match { delimiter, event } => {
            record(output, tag::PAYLOAD_MATCH, &[Number(place(delimiter)), choice, block]);
            events::write(output, &event, &[], texts_to);
        }
        EnvelopeEvent::Fragment { delimiter, text } => {
            record(output, tag::FRAGMENT, &[Number(place(delimiter)), text.into(), choice, block]);
        }
        EnvelopeEvent::End { delimiter, payload, close, length } => {
            let fields = [Number(place(delimiter)), close.into(), length.into(), Flag(false)];
            write_verdict(output, tag::PAYLOAD, fields, &payload, within);
        }
        _ => {}
    }
}
