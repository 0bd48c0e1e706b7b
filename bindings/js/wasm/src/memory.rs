//! Memory for the module: blocks of powers of two, each size with a list of its free ones.
//!
//! The parser's allocations are few and grow by doubling, so this wastes little, never searches, and is a hundredth of
//! a general allocator's code. A block stays of its size for good; memory never goes back to the engine, as always in
//! WebAssembly.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;

const PAGE: usize = 1 << 16;
/// The least number of pages that is asked of the engine at once: each time it grows, JavaScript's views of the memory
/// are lost.
const LEAST_PAGES: usize = 16;
const LEAST_BLOCK: usize = 16;

pub(crate) struct Memory(UnsafeCell<Blocks>);

struct Blocks {
    /// The first free block of each size, which has the address of the next one in its first bytes; 0 if there is none.
    free: [usize; usize::BITS as usize],
    /// The first byte that has not been handed out.
    start: usize,
    end: usize,
}

impl Memory {
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(Blocks { free: [0; usize::BITS as usize], start: 0, end: 0 }))
    }
}

// SAFETY: the target has no threads, and the module is built without shared memory.
unsafe impl Sync for Memory {}

/// The size of the block for a layout.
fn block_size(layout: Layout) -> Option<usize> {
    layout.size().max(layout.align()).max(LEAST_BLOCK).checked_next_power_of_two()
}

// SAFETY: a block is as large as its size and as aligned, up to a page, since blocks of one size lie at multiples of it;
// it is in one list of free blocks or in its owner's hands, never both; no call unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: no call begins while another one runs.
        let blocks = unsafe { &mut *self.0.get() };
        let Some(size) = block_size(layout) else { return ptr::null_mut() };
        let free = &mut blocks.free[size.trailing_zeros() as usize];
        if *free != 0 {
            let block = *free as *mut usize;
            // SAFETY: a free block begins with the address of the next one.
            *free = unsafe { *block };
            return block.cast();
        }
        blocks.cut(size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: no call begins while another one runs.
        let blocks = unsafe { &mut *self.0.get() };
        let Some(size) = block_size(layout) else { return };
        let free = &mut blocks.free[size.trailing_zeros() as usize];
        // SAFETY: the block is the caller's no more, and has room for an address.
        unsafe { *block.cast::<usize>() = *free };
        *free = block as usize;
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: what the caller promises of `realloc`.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let (Some(old), Some(new)) = (block_size(layout), block_size(wanted)) else { return ptr::null_mut() };
        if old == new {
            return block;
        }
        // SAFETY: both are layouts that this allocator knows, and the shorter length is in both blocks.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

impl Blocks {
    /// A new block.
    fn cut(&mut self, size: usize) -> *mut u8 {
        let align = size.min(PAGE);
        let Some(mut start) = self.start.checked_next_multiple_of(align) else { return ptr::null_mut() };
        if start.checked_add(size).is_none_or(|end| end > self.end) {
            let pages = (size.div_ceil(PAGE) + 1).max(LEAST_PAGES);
            let grown = core::arch::wasm32::memory_grow(0, pages);
            if grown == usize::MAX {
                return ptr::null_mut();
            }
            let at = grown * PAGE;
            if at != self.end {
                self.start = at;
            }
            self.end = at.saturating_add(pages * PAGE);
            start = self.start.next_multiple_of(align);
        }
        // What is left between blocks becomes free ones.
        while self.start < start {
            let gap = 1 << self.start.trailing_zeros();
            if gap >= LEAST_BLOCK {
                let free = &mut self.free[gap.trailing_zeros() as usize];
                // SAFETY: nobody has this memory yet.
                unsafe { *(self.start as *mut usize) = *free };
                *free = self.start;
            }
            self.start += gap;
        }
        self.start = start + size;
        start as *mut u8
    }
}
