//! The module of `jsonspigot/providers`: provider streams by number, one call for a chunk, one output for a call.
//!
//! JavaScript writes a chunk where [`input`] says, calls one of the functions of `calls.rs`, and reads the numbers and the
//! text that [`output`] points to. `output.rs` owns those two buffers, `record.rs` and `events.rs` what is written into them,
//! `streams.rs` and `options.rs` what a stream is made from. `../../src/providers/instance.ts` is the other side; the two
//! change together.

#![no_std]

extern crate alloc;

mod calls;
mod declared;
mod events;
mod options;
mod output;
mod record;
mod streams;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

use jsonspigot::PatternSet;
use slab::Slab;

use self::output::Output;
use self::streams::Stream;

#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// A panic is a trap, which JavaScript sees as a `RuntimeError`. No text: it would be most of the module.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// All that lives between two calls.
struct Module {
    input: Vec<u8>,
    output: Output,
    place: [u32; 3],
    patterns: Slab<PatternSet>,
    streams: Slab<Box<Stream>>,
}

struct Shared(UnsafeCell<Module>);

// SAFETY: the target has no threads, and the module is built without shared memory.
unsafe impl Sync for Shared {}

static MODULE: Shared = Shared(UnsafeCell::new(Module {
    input: Vec::new(),
    output: Output::new(),
    place: [0; 3],
    patterns: Slab::new(),
    streams: Slab::new(),
}));

/// Lends the module's state for the time of one call.
fn with<R>(call: impl FnOnce(&mut Module) -> R) -> R {
    // SAFETY: only exported functions call this, once each. The module imports nothing, so no call can begin while
    // another one runs.
    call(unsafe { &mut *MODULE.0.get() })
}

/// Runs a call on a stream. Returns how many words it has written.
fn on(stream: u32, call: impl FnOnce(&mut Stream, &[u8], &mut Output)) -> i32 {
    with(|module| {
        module.output.clear();
        let Some(stream) = module.streams.get_mut(stream as usize) else { core::arch::wasm32::unreachable() };
        call(stream, &module.input, &mut module.output);
        module.written()
    })
}

impl Module {
    /// Publishes the place of the output. Returns the number of its words.
    fn written(&mut self) -> i32 {
        self.place = self.output.place();
        self.output.word_count() as i32
    }
}

/// Makes room for this many bytes of input. Returns its address.
#[unsafe(no_mangle)]
extern "C" fn input(len: u32) -> u32 {
    with(|module| {
        if module.input.len() < len as usize {
            module.input.resize(len as usize, 0);
        }
        module.input.as_ptr() as u32
    })
}

/// Returns where the place of the last call's output is written: the address of the words, that of the text, the text's
/// length in bytes.
#[unsafe(no_mangle)]
extern "C" fn output() -> u32 {
    with(|module| module.place.as_ptr() as u32)
}

/// Compiles patterns: the input has their texts, each after its length in four bytes. Returns their number, or −1 and in
/// the output what is wrong: index, column, reason.
#[unsafe(no_mangle)]
extern "C" fn compile(len: u32) -> i32 {
    with(|module| {
        module.output.clear();
        let number = match PatternSet::new(options::texts(&module.input[..len as usize])) {
            Ok(patterns) => module.patterns.insert(patterns) as i32,
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
    with(|module| drop(module.patterns.try_remove(patterns as usize)));
}

/// Drops a stream.
#[unsafe(no_mangle)]
extern "C" fn release(stream: u32) {
    with(|module| drop(module.streams.try_remove(stream as usize)));
}
