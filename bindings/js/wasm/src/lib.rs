//! The module of `jsonspigot/providers`: provider streams by number, one call for a chunk, one output for a call.
//!
//! JavaScript writes a chunk where [`input`] says, calls one of the functions of `calls.rs`, and reads the bytes that
//! [`output`] points to, most often JSON. `events.rs` owns what is written there, `streams.rs` and `options.rs` what a stream
//! is made from. `../../src/providers/instance.ts` is the other side; the two change together.

#![no_std]

extern crate alloc;

mod calls;
mod events;
mod options;
mod streams;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

use jsonspigot::PatternSet;
use jsonspigot::internal::{Line, Member};
use slab::Slab;

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
    output: Vec<u8>,
    patterns: Slab<PatternSet>,
    streams: Slab<Box<Stream>>,
}

struct Shared(UnsafeCell<Module>);

// SAFETY: the target has no threads, and the module is built without shared memory.
unsafe impl Sync for Shared {}

static MODULE: Shared = Shared(UnsafeCell::new(Module {
    input: Vec::new(),
    output: Vec::new(),
    patterns: Slab::new(),
    streams: Slab::new(),
}));

/// Lends the module's state for the time of one call.
fn with<R>(call: impl FnOnce(&mut Module) -> R) -> R {
    // SAFETY: only exported functions call this, once each. The module imports nothing, so no call can begin while
    // another one runs.
    call(unsafe { &mut *MODULE.0.get() })
}

/// Runs a call on a stream, which returns what it has to say. Returns the length of that in bytes.
fn on<T: Into<Vec<u8>>>(stream: u32, call: impl FnOnce(&mut Stream, &[u8]) -> T) -> i32 {
    with(|module| {
        let Some(stream) = module.streams.get_mut(stream as usize) else { core::arch::wasm32::unreachable() };
        module.output = call(stream, &module.input).into();
        module.output.len() as i32
    })
}

impl Module {
    /// Writes why something is refused, and the numbers of what is wrong. Returns the negative length of that.
    fn refuse(&mut self, numbers: &[usize], reason: &str) -> i32 {
        let mut line = Line::default();
        line.put("reason", reason)
            .put("numbers", Member::List(numbers.iter().map(|number| (*number as u64).into()).collect()));
        let mut out = String::new();
        let _ = line.write_json(&mut out);
        self.output = out.into();
        -(self.output.len() as i32)
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

/// Returns the address of the last call's output.
#[unsafe(no_mangle)]
extern "C" fn output() -> u32 {
    with(|module| module.output.as_ptr() as u32)
}

/// Compiles patterns: the input has their texts, each after its length in four bytes. Returns their number, or a negative
/// length of an output that says what is wrong: the index and the column.
#[unsafe(no_mangle)]
extern "C" fn compile(len: u32) -> i32 {
    with(|module| match PatternSet::new(options::texts(&module.input[..len as usize])) {
        Ok(patterns) => module.patterns.insert(patterns) as i32,
        Err(error) => module.refuse(&[error.index(), error.column()], error.reason()),
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
