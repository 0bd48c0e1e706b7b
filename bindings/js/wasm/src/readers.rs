//! Streams and envelopes by number: how one is made, takes what comes, and is asked.

use alloc::boxed::Box;
use alloc::vec::Vec;

use jsonspigot_llm::{Delimiter, EnvelopeEvent, StreamEvent};

use crate::envelopes::{self, CHOICES_LEN, Marked};
use crate::providers::{self, Streamed};
use crate::{options, with};

pub(crate) struct Slot {
    pub(crate) reader: Reader,
    /// True if the ends of strings have their text.
    pub(crate) texts_to: u64,
}

pub(crate) enum Reader {
    Provider(Box<Streamed>),
    Envelope(Box<Marked>),
}

/// A new stream: [`Streamed::new`] says what the input has.
#[unsafe(no_mangle)]
extern "C" fn create_stream(patterns: u32, provider: u32, len: u32) -> u32 {
    with(|module| {
        let input = module.input.get(..len as usize).unwrap_or_default();
        let (streamed, texts_to) = Streamed::new(input, patterns, provider, &mut module.patterns);
        module.parsers.add(Box::new(Slot { reader: Reader::Provider(Box::new(streamed)), texts_to }))
    })
}

/// A new envelope. The input has its choices, and the marks as texts. Gives its number, or −1 and in the output the place of
/// the mark that is none, and why.
#[unsafe(no_mangle)]
extern "C" fn create_envelope(patterns: u32, len: u32) -> i32 {
    with(|module| {
        module.output.clear();
        let input = module.input.get(..len as usize).unwrap_or_default();
        let (builder, texts_to) = envelopes::choices(input);
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

/// Reads the input's first bytes: an event of a stream, or text of an envelope.
#[unsafe(no_mangle)]
extern "C" fn feed(slot: u32, len: u32) -> i32 {
    run(slot, len, Call::Feed)
}

/// Takes an event that could not be read on its way here.
#[unsafe(no_mangle)]
extern "C" fn feed_unreadable(slot: u32, len: u32) -> i32 {
    run(slot, len, Call::Unreadable)
}

/// Takes an event that was too long to get here.
#[unsafe(no_mangle)]
extern "C" fn feed_oversized(slot: u32) -> i32 {
    run(slot, 0, Call::Oversized)
}

/// The end. The input has the reason, if there is one.
#[unsafe(no_mangle)]
extern "C" fn finish(slot: u32, len: u32) -> i32 {
    run(slot, len, Call::Finish)
}

#[derive(Clone, Copy)]
enum Call {
    Feed,
    Unreadable,
    Oversized,
    Finish,
}

/// Runs a call on a stream or an envelope, and writes what it reports.
fn run(slot: u32, len: u32, call: Call) -> i32 {
    with(|module| {
        module.on(slot, |slot, input, output| {
            let text = options::text(input.get(..len as usize).unwrap_or_default());
            let texts_to = slot.texts_to;
            match &mut slot.reader {
                Reader::Provider(streamed) => {
                    let Streamed { stream, marks } = &mut **streamed;
                    let on_event = |event: StreamEvent<'_>| providers::write_any(output, &event, marks, texts_to);
                    match call {
                        Call::Feed => stream.push_with(text, on_event),
                        Call::Unreadable => stream.push_unreadable_with(text, on_event),
                        Call::Oversized => stream.push_oversized_with(on_event),
                        Call::Finish => stream.cut_with(text, on_event),
                    }
                }
                Reader::Envelope(marked) => {
                    let Marked { envelope, marks } = &mut **marked;
                    let on_event = |event: EnvelopeEvent<'_>| envelopes::write(output, &event, marks, texts_to, None);
                    match call {
                        Call::Feed => envelope.feed_with(text, on_event),
                        Call::Finish => envelope.finish_with(on_event),
                        Call::Unreadable | Call::Oversized => {}
                    }
                }
            }
            Ok(())
        })
    })
}

/// The assistant's message, if there is one, with its calls or without them.
#[unsafe(no_mangle)]
extern "C" fn message(slot: u32, with_calls: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            if let Reader::Provider(stream) = &slot.reader
                && let Some(message) =
                    if with_calls != 0 { stream.stream.message() } else { stream.stream.message_without_calls() }
            {
                output.text(&message);
            }
            Ok(())
        })
    })
}

/// Returns the reason why the stream does not count as whole: the kind, a blank, and a sentence; nothing if it does.
#[unsafe(no_mangle)]
extern "C" fn unfinished(slot: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            if let Reader::Provider(stream) = &slot.reader
                && let Err(unfinished) = stream.stream.verdict()
            {
                output.text(&alloc::format!("{} {unfinished}", unfinished.kind().name()));
            }
            Ok(())
        })
    })
}

/// The provider's name, once it is known.
#[unsafe(no_mangle)]
extern "C" fn provider(slot: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            if let Reader::Provider(stream) = &slot.reader
                && let Some(provider) = stream.stream.provider()
            {
                output.text(provider.name());
            }
            Ok(())
        })
    })
}
