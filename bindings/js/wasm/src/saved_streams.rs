//! Saved state of provider streams and envelopes: the library's, as it is. How far their bytes have come only JavaScript
//! knows, which puts that around it: `../../src/providers/state.ts`.

use alloc::vec::Vec;

use jsonspigot::{Event, RestoreError};

use crate::envelopes::{self, CHOICES_LEN};
use crate::output::Output;
use crate::readers::{Reader, Slot};
use crate::record::{Field, record, tag};
use crate::{events, with};

/// The state of a stream or an envelope as bytes, which are the output's text; or the error for which there is none.
#[unsafe(no_mangle)]
extern "C" fn save(slot: u32) -> i32 {
    with(|module| {
        module.on(slot, |slot, _, output| {
            let state = match &slot.reader {
                Reader::Provider(streamed) => streamed.stream.save(),
                Reader::Envelope(marked) => marked.envelope.save(),
            };
            state.map(|mut state| output.bytes().append(&mut state))
        })
    })
}

/// Makes a new stream or envelope go on from the state that the input has; in front of it, an envelope's choices once more.
/// The output has the begins of open matches. Gives how many words these are, or why the state is refused as a negative
/// number.
#[unsafe(no_mangle)]
extern "C" fn restore(slot: u32, len: u32) -> i32 {
    with(|module| {
        let Some(slot) = module.parsers.get_mut(slot) else { core::arch::wasm32::unreachable() };
        module.output.clear();
        match resumed(slot, module.input.get(..len as usize).unwrap_or_default(), &mut module.output) {
            Ok(()) => {
                module.place = module.output.place();
                module.output.word_count() as i32
            }
            Err(kind) => {
                let place = RestoreError::ALL.iter().position(|known| *known == kind);
                -(place.map_or(RestoreError::ALL.len(), |place| place + 1) as i32)
            }
        }
    })
}

fn resumed(slot: &mut Slot, input: &[u8], output: &mut Output) -> Result<(), RestoreError> {
    let Slot { reader, texts_to } = slot;
    // JavaScript has lost the deltas of the matches that are open now.
    let mut begin = |event: &Event<'_>, tag, owner: &[u64]| {
        *texts_to = (*texts_to).max(event.match_id + 1);
        let owner: Vec<_> = owner.iter().map(|number| Field::Number(Some(*number))).collect();
        record(output, tag, &owner);
        events::write(output, event, b"", 0);
    };
    match reader {
        Reader::Provider(streamed) => {
            let stream = &mut streamed.stream;
            *stream = stream.clone().restore(input)?;
            // Between the marks of which, JavaScript need not know.
            for (block, envelope) in stream.envelopes() {
                if let Some(parser) = envelope.parser() {
                    parser.open_matches_with(|event| begin(&event, tag::PAYLOAD_MATCH, &[0, 0, block]));
                }
            }
            for calls in stream.calls_of_all() {
                for call in calls.open_calls() {
                    if let Some(parser) = calls.parser(call.number) {
                        parser.open_matches_with(|event| begin(&event, tag::MATCH, &[call.number]));
                    }
                }
            }
        }
        Reader::Envelope(marked) => {
            let (choices, state) = input.split_at_checked(CHOICES_LEN).unwrap_or_default();
            let patterns = marked.envelope.patterns().clone();
            let builder = envelopes::choices(choices).0;
            marked.envelope = builder.build(marked.marks.iter().cloned(), &patterns).restore(state)?;
            // Whose payload is open, JavaScript need not know.
            if let Some(parser) = marked.envelope.parser() {
                parser.open_matches_with(|event| begin(&event, tag::PAYLOAD_MATCH, &[0]));
            }
        }
    }
    Ok(())
}
