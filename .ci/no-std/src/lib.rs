//! Builds only if neither the library nor anything it depends on links the standard library.
//!
//! A program has one panic handler. This crate brings its own; if `std` came in through any dependency, there would
//! be two, and the build would fail (E0152). So no target without `std` needs to be installed.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;
use core::ptr;

use jsonspigot::Parser;

struct NoMemory;

// SAFETY: null says that there is no memory, so nothing is ever handed out or taken back.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static NO_MEMORY: NoMemory = NoMemory;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// Uses both methods that feed and the strict reading, so that all of the library is linked.
#[unsafe(no_mangle)]
pub extern "C" fn probe(byte: u8) -> u32 {
    let mut parser = Parser::default();
    let told = parser.feed([byte]).count() + parser.finish().count();
    let finished = parser.feed_with([byte], |_| {}).is_ok();
    told as u32 + u32::from(finished) + parser.deserialize::<u32>().unwrap_or(0)
}
