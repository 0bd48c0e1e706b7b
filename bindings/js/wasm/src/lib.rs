//! The module inside the npm package: parsers by number, one call for a chunk, one output for a call.
//!
//! JavaScript writes a chunk where [`input`] says, calls [`feed`], and reads the numbers and the text that [`output`]
//! points to. `output.rs` owns those two buffers, `events.rs` and `snapshot.rs` what is written into them, `options.rs`
//! what a parser is made from. `../../src/module.ts` is the other side; the two change together.
//!
//! With the feature `saved` it is the module of `jsonspigot/durable`, whose parsers can be saved and restored: `saved.rs`.
//! That is a quarter more, so the others are without it. With the feature `providers` it is the module of
//! `jsonspigot/providers`: in the place of parsers it has the provider streams of `providers.rs` and the envelopes of
//! `envelopes.rs`; with `saved` too these can be saved and restored (`saved_streams.rs`), for `jsonspigot/durable/providers`.
//! With a feature such as `anthropic` it has the streams of that wire format only.

#![no_std]

extern crate alloc;

#[cfg(feature = "envelope")]
mod envelopes;
// What is written of documents, and read of framings, is of no use to provider streams.
#[cfg_attr(feature = "streams", allow(dead_code))]
mod events;
mod memory;
#[cfg_attr(feature = "streams", allow(dead_code))]
mod options;
mod output;
#[cfg(feature = "streams")]
mod providers;
#[cfg(all(feature = "saved", not(feature = "streams")))]
mod saved;
#[cfg(all(feature = "saved", feature = "streams"))]
mod saved_streams;
#[cfg(not(feature = "streams"))]
mod snapshot;
mod table;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

#[cfg(not(feature = "streams"))]
use jsonspigot::{DocumentEvent, Documents, Parser, Revision};
use jsonspigot::{Error, PatternSet};

use self::output::Output;
#[cfg(feature = "streams")]
use self::providers::Slot;
#[cfg(not(feature = "streams"))]
use self::snapshot::Copied;
use self::table::Table;

#[global_allocator]
static MEMORY: memory::Memory = memory::Memory::new();

/// A panic is a trap, which JavaScript sees as a `RuntimeError`. No text: it would be most of the module.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// All that lives between two calls.
struct Module {
    input: Vec<u8>,
    output: Output,
    place: [u32; 4],
    patterns: Table<PatternSet>,
    parsers: Table<Box<Slot>>,
}

#[cfg(not(feature = "streams"))]
struct Slot {
    reader: Reader,
    /// Up to which match the ends of strings have their text.
    texts_to: u64,
    /// JavaScript's copy of the snapshot, if it keeps one.
    copied: Option<Copied>,
    /// What the last patch brought its reader to.
    patched: Revision,
}

#[cfg(not(feature = "streams"))]
enum Reader {
    One(Parser),
    Many(Documents),
}

#[cfg(not(feature = "streams"))]
impl Reader {
    fn parser(&self) -> Option<&Parser> {
        match self {
            Self::One(parser) => Some(parser),
            Self::Many(documents) => documents.parser(),
        }
    }
}

struct Shared(UnsafeCell<Module>);

// SAFETY: the target has no threads, and the module is built without shared memory.
unsafe impl Sync for Shared {}

static MODULE: Shared = Shared(UnsafeCell::new(Module {
    input: Vec::new(),
    output: Output::new(),
    place: [0; 4],
    patterns: Table::new(),
    parsers: Table::new(),
}));

/// The module's state, for the time of one call.
fn with<R>(call: impl FnOnce(&mut Module) -> R) -> R {
    // SAFETY: only exported functions call this, once each. The module imports nothing, so no call can begin while
    // another one runs.
    call(unsafe { &mut *MODULE.0.get() })
}

impl Module {
    /// Runs a call on a parser, and says how many words it has written: as a negative number if an error is the last.
    fn on(&mut self, parser: u32, call: impl FnOnce(&mut Slot, &[u8], &mut Output) -> Result<(), Error>) -> i32 {
        self.output.clear();
        let Some(slot) = self.parsers.get_mut(parser) else { core::arch::wasm32::unreachable() };
        let result = call(slot, &self.input, &mut self.output);
        if let Err(error) = &result {
            events::write_error(&mut self.output, error);
        }
        self.place = self.output.place();
        let count = self.output.word_count() as i32;
        if result.is_ok() { count } else { -count }
    }
}

/// Room for this many bytes of input; where it is.
#[unsafe(no_mangle)]
extern "C" fn input(len: u32) -> u32 {
    with(|module| {
        if module.input.len() < len as usize {
            module.input.resize(len as usize, 0);
        }
        module.input.as_ptr() as u32
    })
}

/// Where it is said where the last call's output is: the address of the words, that of the text, the text's length in bytes,
/// and after a chunk what it means to JavaScript's copy of the snapshot.
#[unsafe(no_mangle)]
extern "C" fn output() -> u32 {
    with(|module| module.place.as_ptr() as u32)
}

/// Compiles patterns; the input has their texts, each with a line of four bytes before it that says how long it is.
/// Gives their number, or −1 and in the output what is wrong: index, column, reason.
#[unsafe(no_mangle)]
extern "C" fn compile(len: u32) -> i32 {
    with(|module| {
        module.output.clear();
        let number = match PatternSet::new(options::texts(&module.input[..len as usize])) {
            Ok(patterns) => module.patterns.add(patterns) as i32,
            Err(error) => {
                module.output.word(error.index() as u32);
                module.output.word(error.column() as u32);
                module.output.text(error.reason());
                -1
            }
        };
        module.place = module.output.place();
        number
    })
}

/// Forgets compiled patterns. Parsers that were made with them keep them.
#[unsafe(no_mangle)]
extern "C" fn forget(patterns: u32) {
    with(|module| drop(module.patterns.remove(patterns)));
}

/// A new parser; the input has its options. Gives its number.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn create(patterns: u32) -> u32 {
    with(|module| {
        let Some(patterns) = module.patterns.get_mut(patterns) else { core::arch::wasm32::unreachable() };
        let options::Options { builder, framing, texts_to, snapshots } = options::read(&module.input);
        let parser = builder.build(patterns);
        let reader = match framing {
            None => Reader::One(parser),
            Some(framing) => Reader::Many(Documents::new(framing, parser)),
        };
        let copied = snapshots.then(Copied::default);
        module.parsers.add(Box::new(Slot { reader, texts_to, copied, patched: Revision::default() }))
    })
}

/// The state of a parser as bytes, which are the output's text: with a number in which JavaScript notes what it knows itself.
#[cfg(all(feature = "saved", not(feature = "streams")))]
#[unsafe(no_mangle)]
extern "C" fn save(parser: u32, note: u32) {
    with(|module| {
        module.on(parser, |slot, _, output| {
            saved::write(output.bytes(), note, slot.patched, &slot.reader);
            Ok(())
        })
    });
}

/// Makes a parser go on from a state; the input has its options once more, and behind them the state, of this many bytes.
/// The output has what JavaScript noted, and the begins of the open matches. Gives how many words these are, or why the
/// state is refused as a negative number.
#[cfg(all(feature = "saved", not(feature = "streams")))]
#[unsafe(no_mangle)]
extern "C" fn restore(parser: u32, patterns: u32, len: u32) -> i32 {
    with(|module| {
        let (Some(slot), Some(patterns)) = (module.parsers.get_mut(parser), module.patterns.get_mut(patterns)) else {
            core::arch::wasm32::unreachable()
        };
        let output = &mut module.output;
        output.clear();
        let state = module.input.get(options::LEN..).and_then(|state| state.get(..len as usize)).unwrap_or_default();
        let saved::Saved { reader, note, patched } = match saved::read(state, patterns, options::read(&module.input)) {
            Ok(saved) => saved,
            Err(refusal) => return -(refusal as i32),
        };
        output.word(note);
        if let Some(parser) = reader.parser() {
            parser.open_matches_with(|event| {
                slot.texts_to = slot.texts_to.max(event.match_id + 1);
                events::write(output, &event, b"", 0);
            });
        }
        // What there is of a snapshot, JavaScript has to copy anew.
        slot.copied = slot.copied.map(|_| Copied::nothing());
        slot.patched = patched;
        slot.reader = reader;
        module.place = output.place();
        output.word_count() as i32
    })
}

/// A parser that goes on from here on its own. Its copy of the snapshot is the caller's.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn duplicate(parser: u32) -> u32 {
    with(|module| {
        let Some(slot) = module.parsers.get_mut(parser) else { core::arch::wasm32::unreachable() };
        let Slot { texts_to, copied, patched, .. } = **slot;
        let reader = match &slot.reader {
            Reader::One(parser) => Reader::One(parser.clone()),
            Reader::Many(documents) => Reader::Many(documents.clone()),
        };
        module.parsers.add(Box::new(Slot { reader, texts_to, copied, patched }))
    })
}

/// Drops a parser.
#[unsafe(no_mangle)]
extern "C" fn release(parser: u32) {
    with(|module| drop(module.parsers.remove(parser)));
}

/// Makes a parser as new.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn reset(parser: u32) {
    with(|module| {
        module.on(parser, |slot, _, _| {
            match &mut slot.reader {
                Reader::One(parser) => parser.reset(),
                Reader::Many(documents) => documents.reset(),
            }
            slot.copied = slot.copied.map(|_| Copied::default());
            slot.patched = Revision::default();
            Ok(())
        })
    });
}

/// Parses the input's first bytes. The output has the events. If the bytes are a string of JavaScript's, a delta may be told
/// to be that string.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn feed(parser: u32, len: u32, is_string: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, input, output| {
            let texts_to = slot.texts_to;
            let chunk = input.get(..len as usize).unwrap_or_default();
            let text = if is_string == 0 { b"" } else { chunk };
            match &mut slot.reader {
                Reader::One(parser) => {
                    let result = parser.feed_with(chunk, |event| events::write(output, &event, text, texts_to));
                    if let Some(copied) = &mut slot.copied {
                        output.growth = copied.follow(parser, text);
                    }
                    result
                }
                Reader::Many(documents) => {
                    let on_event = &mut |event: DocumentEvent<'_>| write_document_event(output, &event, text, texts_to);
                    documents.feed_with(chunk, on_event as OnDocumentEvent<'_>)
                }
            }
        })
    })
}

/// The end of the input. The output has the last events.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn finish(parser: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, _, output| {
            let texts_to = slot.texts_to;
            match &mut slot.reader {
                Reader::One(parser) => parser.finish_with(|event| events::write(output, &event, b"", texts_to)),
                Reader::Many(documents) => {
                    let on_event = &mut |event: DocumentEvent<'_>| write_document_event(output, &event, b"", texts_to);
                    documents.finish_with(on_event as OnDocumentEvent<'_>)
                }
            }
        })
    })
}

/// One type for all calls, so that documents are compiled once.
#[cfg(not(feature = "streams"))]
type OnDocumentEvent<'a> = &'a mut dyn FnMut(DocumentEvent<'_>);

#[cfg(not(feature = "streams"))]
fn write_document_event(output: &mut Output, event: &DocumentEvent<'_>, chunk: &[u8], texts_to: u64) {
    match event {
        DocumentEvent::Match { document, event } => {
            events::write_document(output, *document);
            events::write(output, event, chunk, texts_to);
        }
        DocumentEvent::End(document) => events::write_document_end(output, document),
        _ => {}
    }
}

/// What the snapshot has more than JavaScript's copy.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn growth(parser: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, _, output| match (slot.reader.parser(), &mut slot.copied) {
            (Some(parser), Some(copied)) => copied.catch_up(output, parser),
            _ => Ok(()),
        })
    })
}

/// The patch since the last one, as JSON text: one operation after the other.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn patch(parser: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, _, output| {
            let Some(parser) = slot.reader.parser() else { return Ok(()) };
            for op in parser.patch_since(slot.patched)? {
                output.printed(op);
            }
            slot.patched = parser.revision();
            Ok(())
        })
    })
}

/// The snapshot as JSON text; nothing if nothing is shown yet.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn snapshot_text(parser: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, _, output| {
            if let Some(value) = slot.reader.parser().and_then(Parser::snapshot) {
                output.printed(value);
            }
            Ok(())
        })
    })
}

/// What is known at a path, which is the input's first bytes: pending, partial, complete, absent.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn state_of(parser: u32, len: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, input, output| {
            let path = options::text(input.get(..len as usize).unwrap_or_default());
            let Some(parser) = slot.reader.parser() else {
                output.word(0);
                return Ok(());
            };
            output.word(parser.state_of(path)? as u32);
            Ok(())
        })
    })
}

/// The complete value: as the text that it was received as, or, if `is_printed`, on one line.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn complete(parser: u32, is_printed: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, _, output| {
            let Some(parser) = slot.reader.parser() else { return Ok(()) };
            let value = parser.complete()?;
            if is_printed == 0 {
                output.text(value.text())
            } else {
                output.printed(value)
            }
            Ok(())
        })
    })
}

/// What a parser knows of its input: bytes, whether the text is complete, whether it is strict JSON, the deviations, and
/// the error, if there is one.
#[cfg(not(feature = "streams"))]
#[unsafe(no_mangle)]
extern "C" fn status(parser: u32) -> i32 {
    with(|module| {
        module.on(parser, |slot, _, output| {
            let Some(parser) = slot.reader.parser() else { return Ok(()) };
            events::write_status(output, parser);
            parser.error().map_or(Ok(()), |error| Err(error.clone()))
        })
    })
}
