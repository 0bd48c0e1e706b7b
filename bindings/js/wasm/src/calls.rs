//! The calls on a stream: how it is made, takes what comes, is asked, and outlives its process.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use jsonspigot::{Parser, RestoreError};
use jsonspigot_framing::{Frame, Frames};
use jsonspigot_llm::{ProviderStream, StreamEvent};

use crate::streams::Stream;
use crate::{events, on, options, with};

/// Creates a stream: [`Stream::new`] says what the input has. Returns its number, or a negative length of an output that
/// says which mark is invalid, and why.
#[unsafe(no_mangle)]
extern "C" fn create_stream(patterns: u32, provider: u32, len: u32) -> i32 {
    with(|module| {
        let input = module.input.get(..len as usize).unwrap_or_default();
        match Stream::new(input, patterns, provider, &module.patterns) {
            Ok(stream) => module.streams.insert(Box::new(stream)) as i32,
            Err((place, error)) => module.refuse(&[place], &error.to_string()),
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
    on(slot, |Stream { frames, stream, marks }, input| {
        let input = input.get(..len as usize).unwrap_or_default();
        let mut out = String::new();
        call(stream, frames, input, &mut |event| events::write(&mut out, &event, marks));
        out
    })
}

/// Writes the assistant's message, if there is one, with its calls or without them.
#[unsafe(no_mangle)]
extern "C" fn message(slot: u32, with_calls: u32) -> i32 {
    on(slot, |Stream { stream, .. }, _| {
        let message = if with_calls != 0 { stream.message() } else { stream.message_without_calls() };
        message.map_or_else(String::new, Into::into)
    })
}

/// Writes the reason why the stream does not count as whole, if it does not: the kind, a blank, and a sentence.
#[unsafe(no_mangle)]
extern "C" fn unfinished(slot: u32) -> i32 {
    on(slot, |Stream { stream, .. }, _| match stream.verdict() {
        Ok(()) => String::new(),
        Err(unfinished) => alloc::format!("{} {unfinished}", unfinished.kind().name()),
    })
}

/// Writes the provider's name, once it is known.
#[unsafe(no_mangle)]
extern "C" fn provider(slot: u32) -> i32 {
    on(slot, |Stream { stream, .. }, _| stream.provider().map_or("", |provider| provider.name()))
}

/// Writes the state of a stream and its body as bytes. Returns their length, or the negative length of the error for which
/// there is none.
#[unsafe(no_mangle)]
extern "C" fn save(slot: u32) -> i32 {
    let mut is_saved = true;
    let length = on(slot, |Stream { frames, stream, .. }, _| -> Vec<u8> {
        stream.save().and_then(|state| frames.save_with(state)).map_or_else(
            |error| {
                is_saved = false;
                let mut out = String::new();
                let _ = events::error_line(&error).write_json(&mut out);
                out.into()
            },
            Into::into,
        )
    });
    if is_saved { length } else { -length }
}

/// Restores a new stream from the state that the input has. The output has the begins of open matches. Returns the length of
/// that, or why the state is refused as a negative number.
#[unsafe(no_mangle)]
extern "C" fn restore(slot: u32, len: u32) -> i32 {
    let mut refused = None;
    let length = on(slot, |stream, state| {
        let mut out = String::new();
        refused = restore_stream(stream, state.get(..len as usize).unwrap_or_default(), &mut out).err();
        out
    });
    refused.map_or(length, |kind| {
        let place = RestoreError::ALL.iter().position(|known| *known == kind);
        -(place.map_or(RestoreError::ALL.len(), |place| place + 1) as i32)
    })
}

fn restore_stream(to: &mut Stream, state: &[u8], out: &mut String) -> Result<(), RestoreError> {
    let Stream { frames, stream, .. } = to;
    (*frames, *stream) = frames.clone().restore_with(state, |state| stream.clone().restore(state))?;
    let mut begin = |parser: Option<&Parser>, owner, number: u64| {
        let Some(parser) = parser else { return };
        parser.open_matches_with(|event| events::write_match(out, &event, [(owner, number.into())]));
    };
    for (block, envelope) in stream.envelopes() {
        begin(envelope.parser(), "block", block);
    }
    for calls in stream.calls_of_all() {
        for call in calls.open_calls() {
            begin(calls.parser(call.number), "call", call.number);
        }
    }
    Ok(())
}
