//! The calls on a stream: how it is made, takes what comes, is asked, and outlives its process.

use alloc::boxed::Box;

use jsonspigot::{Parser, RestoreError};
use jsonspigot_framing::{Frame, Frames};
use jsonspigot_llm::{ProviderStream, StreamEvent};

use crate::output::Output;
use crate::record::{Field, record, tag};
use crate::streams::{Stream, write_any};
use crate::{events, on, options, with};

/// Creates a stream: [`Stream::new`] says what the input has. Returns its number, or −1 and in the output the place of the
/// mark that is invalid, and why.
#[unsafe(no_mangle)]
extern "C" fn create_stream(patterns: u32, provider: u32, len: u32) -> i32 {
    with(|module| {
        module.output.clear();
        let input = module.input.get(..len as usize).unwrap_or_default();
        match Stream::new(input, patterns, provider, &module.patterns) {
            Ok(stream) => module.streams.insert(Box::new(stream)) as i32,
            Err((place, error)) => {
                module.output.word(place as u32);
                module.output.printed(error);
                module.written();
                -1
            }
        }
    })
}

/// Pushes the input's first bytes as an event.
#[unsafe(no_mangle)]
extern "C" fn push(slot: u32, len: u32) -> i32 {
    run(slot, len, |stream, _, event, on_event| Frame::Text(options::text(event).into()).push_to(stream, on_event))
}

/// Pushes the input's first bytes as an event that could not be read on its way here.
#[unsafe(no_mangle)]
extern "C" fn push_unreadable(slot: u32, len: u32) -> i32 {
    run(slot, len, |stream, _, event, on_event| {
        Frame::Unreadable(options::text(event).into()).push_to(stream, on_event)
    })
}

/// Feeds the input's first bytes as a chunk of the body.
#[unsafe(no_mangle)]
extern "C" fn feed(slot: u32, len: u32) -> i32 {
    run(slot, len, |stream, frames, chunk, on_event| {
        frames.feed_with(chunk, |frame| frame.push_to(stream, &mut *on_event));
    })
}

/// Ends the body and the stream. The input has the reason, if there is one.
#[unsafe(no_mangle)]
extern "C" fn finish(slot: u32, len: u32) -> i32 {
    run(slot, len, |stream, frames, reason, on_event| {
        frames.finish_with(|frame| frame.push_to(stream, &mut *on_event));
        *frames = Frames::with_limit(frames.limit());
        stream.cut_with(options::text(reason), on_event);
    })
}

/// Runs a call on a stream and its body with the input's first bytes, and writes the events that it reports.
fn run(
    slot: u32,
    len: u32,
    call: impl FnOnce(&mut ProviderStream, &mut Frames, &[u8], &mut dyn FnMut(StreamEvent<'_>)),
) -> i32 {
    on(slot, |Stream { frames, stream, marks }, input, output| {
        let input = input.get(..len as usize).unwrap_or_default();
        call(stream, frames, input, &mut |event| write_any(output, &event, marks));
    })
}

/// Writes the assistant's message, if there is one, with its calls or without them.
#[unsafe(no_mangle)]
extern "C" fn message(slot: u32, with_calls: u32) -> i32 {
    on(slot, |Stream { stream, .. }, _, output| {
        let message = if with_calls != 0 { stream.message() } else { stream.message_without_calls() };
        if let Some(message) = message {
            output.text(&message);
        }
    })
}

/// Writes the reason why the stream does not count as whole, if it does not: the kind, a blank, and a sentence.
#[unsafe(no_mangle)]
extern "C" fn unfinished(slot: u32) -> i32 {
    on(slot, |Stream { stream, .. }, _, output| {
        if let Err(unfinished) = stream.verdict() {
            output.text(&alloc::format!("{} {unfinished}", unfinished.kind().name()));
        }
    })
}

/// Writes the provider's name, once it is known.
#[unsafe(no_mangle)]
extern "C" fn provider(slot: u32) -> i32 {
    on(slot, |Stream { stream, .. }, _, output| {
        if let Some(provider) = stream.provider() {
            output.text(provider.name());
        }
    })
}

/// Writes the state of a stream and its body as bytes, which are the output's text. Returns 0, or the number of words of
/// the error for which there is none.
#[unsafe(no_mangle)]
extern "C" fn save(slot: u32) -> i32 {
    on(slot, |Stream { frames, stream, .. }, _, output| match stream.save().and_then(|state| frames.save_with(state)) {
        Ok(state) => output.bytes(&state),
        Err(error) => events::write_error(output, &error),
    })
}

/// Restores a new stream from the state that the input has. The output has the begins of open matches. Returns how many
/// words these are, or why the state is refused as a negative number.
#[unsafe(no_mangle)]
extern "C" fn restore(slot: u32, len: u32) -> i32 {
    with(|module| {
        let Some(stream) = module.streams.get_mut(slot as usize) else { core::arch::wasm32::unreachable() };
        module.output.clear();
        match restore_stream(stream, module.input.get(..len as usize).unwrap_or_default(), &mut module.output) {
            Ok(()) => module.written(),
            Err(kind) => {
                let place = RestoreError::ALL.iter().position(|known| *known == kind);
                -(place.map_or(RestoreError::ALL.len(), |place| place + 1) as i32)
            }
        }
    })
}

fn restore_stream(to: &mut Stream, state: &[u8], output: &mut Output) -> Result<(), RestoreError> {
    let Stream { frames, stream, .. } = to;
    (*frames, *stream) = frames.clone().restore_with(state, |state| stream.clone().restore(state))?;
    let mut begin = |parser: Option<&Parser>, tag, owner: &[Field<'_>]| {
        let Some(parser) = parser else { return };
        parser.open_matches_with(|event| {
            record(output, tag, owner);
            events::write(output, &event);
        });
    };
    // JavaScript need not know which mark a payload has.
    for (block, envelope) in stream.envelopes() {
        begin(envelope.parser(), tag::PAYLOAD_MATCH, &[0.into(), 0.into(), block.into()]);
    }
    for calls in stream.calls_of_all() {
        for call in calls.open_calls() {
            begin(calls.parser(call.number), tag::MATCH, &[call.number.into()]);
        }
    }
    Ok(())
}
