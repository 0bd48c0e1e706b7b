//! Unpacks the module that is inlined in the npm package: bytes as UTF-8, DEFLATE (RFC 1951) below, and below that the
//! streams into which its code is sorted.
//!
//! In JavaScript, which begins as an interpreter, this would take longer than all else at the first use.
//! `../../scripts/inline.mjs` packs, unpacks and compares; `../../src/providers/unpack.ts` calls [`unpack`]. So what is read here is
//! known to be right: nothing else is ever given to this module, and it checks nothing.

#![no_std]

mod inflate;
mod join;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Unpacks a text to the place behind it; gives that address and, in the upper half, how many bytes there are.
///
/// # Safety
///
/// The text is what the build has packed, each byte as the character of that number, in UTF-8; and the memory has room for
/// what is in it, twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(text: *mut u8, len: usize) -> u64 {
    // SAFETY: this reads and writes what the caller answers for.
    unsafe {
        let end = text.add(len);
        let (mut from, mut to) = (text, text);
        while from < end {
            let mut byte = *from;
            from = from.add(1);
            if byte > 127 {
                byte = byte << 6 | *from & 63;
                from = from.add(1);
            }
            *to = byte;
            to = to.add(1);
        }
        let streams_end = inflate::inflate(text, end);
        let module_end = join::join(end, streams_end);
        (streams_end as u64) | (module_end.offset_from(streams_end) as u64) << 32
    }
}
