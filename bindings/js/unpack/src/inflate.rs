//! DEFLATE (RFC 1951).
//!
//! Nothing is inlined: that would take a tenth less time, for an eighth more bytes.

use core::array;

const LONGEST_CODE: usize = 15;
/// Codes of up to this many bits are found at once, and longer ones bit by bit. Few are longer, and a larger table takes
/// longer to fill.
const SHORT_CODE: usize = 9;
/// The order in which the lengths of the codes for code lengths stand.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

struct Codes {
    /// For each next bits of the stream the symbol that they begin with, and in the lowest four bits its length; 0 for a
    /// code that is longer.
    short: [u16; 1 << SHORT_CODE],
    /// The number of codes of each length.
    counts: [u16; LONGEST_CODE + 1],
    /// In the order of their codes.
    symbols: [u16; 288],
}

struct Bits {
    from: *const u8,
    next: u64,
    count: u32,
}

impl Bits {
    /// So that there are at least 56: a length, a distance, and the bits that follow each have no more than 48.
    #[inline(never)]
    fn fill(&mut self) {
        // SAFETY: the packed text has padding behind the stream.
        unsafe {
            self.next |= self.from.cast::<u64>().read_unaligned() << self.count;
            self.from = self.from.add(((63 - self.count) >> 3) as usize);
        }
        self.count |= 56;
    }

    #[inline(never)]
    fn take(&mut self, count: u32) -> usize {
        let bits = self.next & ((1 << count) - 1);
        self.next >>= count;
        self.count -= count;
        bits as usize
    }

    #[inline(never)]
    fn symbol(&mut self, codes: &Codes) -> usize {
        let short = codes.short[self.next as usize & ((1 << SHORT_CODE) - 1)];
        if short == 0 {
            return self.long_symbol(codes);
        }
        self.take(u32::from(short & 15));
        usize::from(short >> 4)
    }

    #[inline(never)]
    fn long_symbol(&mut self, codes: &Codes) -> usize {
        let (mut code, mut first, mut place) = (0, 0, 0);
        for count in &codes.counts[1..] {
            code |= self.take(1);
            let count = usize::from(*count);
            if code < first + count {
                place += code - first;
                break;
            }
            place += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        // SAFETY: the stream is right, so one of the lengths has the code.
        usize::from(unsafe { *codes.symbols.get_unchecked(place) })
    }
}

impl Codes {
    const fn new() -> Self {
        Self { short: [0; 1 << SHORT_CODE], counts: [0; LONGEST_CODE + 1], symbols: [0; 288] }
    }

    /// The codes of symbols from their lengths.
    #[inline(never)]
    fn assign(&mut self, lengths: &[u8]) {
        self.short = [0; 1 << SHORT_CODE];
        let (mut code, mut place) = (0_u32, 0);
        for length in 1..=LONGEST_CODE {
            let before = place;
            for (symbol, of_symbol) in lengths.iter().enumerate() {
                if usize::from(*of_symbol) == length {
                    // SAFETY: there are no more symbols than lengths.
                    unsafe { *self.symbols.get_unchecked_mut(place) = symbol as u16 };
                    place += 1;
                    // The stream has the highest bit of a code first.
                    let mut at = (code.reverse_bits() >> (32 - length)) as usize;
                    code += 1;
                    if length <= SHORT_CODE {
                        while let Some(short) = self.short.get_mut(at) {
                            *short = (symbol << 4 | length) as u16;
                            at += 1 << length;
                        }
                    }
                }
            }
            self.counts[length] = (place - before) as u16;
            code <<= 1;
        }
    }
}

/// The codes that a block brings along.
///
/// # Safety
///
/// The stream is right.
unsafe fn read_codes(bits: &mut Bits, literals: &mut Codes, distances: &mut Codes) {
    let mut lengths = [0; 320];
    let literal_count = bits.take(5) + 257;
    let count = literal_count + bits.take(5) + 1;
    for place in 0..bits.take(4) + 4 {
        bits.fill();
        // SAFETY: there are 19 of them, as there are code lengths.
        unsafe { *lengths.get_unchecked_mut(usize::from(*ORDER.get_unchecked(place))) = bits.take(3) as u8 };
    }
    literals.assign(&lengths[..19]);
    let mut known = 0;
    while known < count {
        bits.fill();
        let symbol = bits.symbol(literals);
        // SAFETY: no length is repeated before there is one, and there are no more than `count`, which is below 320.
        unsafe {
            let (length, times) = match symbol {
                16 => (*lengths.get_unchecked(known - 1), 3 + bits.take(2)),
                17 => (0, 3 + bits.take(3)),
                18 => (0, 11 + bits.take(7)),
                _ => (symbol as u8, 1),
            };
            lengths.get_unchecked_mut(known..known + times).fill(length);
            known += times;
        }
    }
    // SAFETY: as above.
    unsafe {
        literals.assign(lengths.get_unchecked(..literal_count));
        distances.assign(lengths.get_unchecked(literal_count..count));
    }
}

/// A block of literals and matches; gives the end of what was in it.
unsafe fn read_symbols(bits: &mut Bits, literals: &Codes, distances: &Codes, mut at: *mut u8) -> *mut u8 {
    loop {
        bits.fill();
        let symbol = bits.symbol(literals);
        // SAFETY: this reads and writes what the caller answers for.
        unsafe {
            if symbol < 256 {
                *at = symbol as u8;
                at = at.add(1);
                continue;
            }
            if symbol == 256 {
                return at;
            }
            let symbol = symbol - 257;
            let length = if symbol < 8 {
                3 + symbol
            } else if symbol == 28 {
                258
            } else {
                let more = symbol as u32 / 4 - 1;
                3 + ((4 + symbol % 4) << more) + bits.take(more)
            };
            let symbol = bits.symbol(distances);
            let distance = if symbol < 4 {
                1 + symbol
            } else {
                let more = symbol as u32 / 2 - 1;
                1 + ((2 + symbol % 2) << more) + bits.take(more)
            };
            let end = at.add(length);
            while at < end {
                *at = *at.sub(distance);
                at = at.add(1);
            }
        }
    }
}

/// Inflates the stream; gives the end of what was in it.
///
/// # Safety
///
/// The stream is right and has eight bytes behind it that may be read, and there is room for what is in it.
pub(crate) unsafe fn inflate(from: *const u8, mut at: *mut u8) -> *mut u8 {
    let mut bits = Bits { from, next: 0, count: 0 };
    let (mut literals, mut distances) = (Codes::new(), Codes::new());
    loop {
        bits.fill();
        let is_last = bits.take(1) != 0;
        let kind = bits.take(2);
        if kind == 0 {
            // Bytes as they are, from the next whole byte of the stream on; their number stands there twice.
            bits.take(bits.count & 7);
            let count = bits.take(16);
            bits.take(16);
            for _ in 0..count {
                bits.fill();
                // SAFETY: this writes what the caller answers for.
                unsafe {
                    *at = bits.take(8) as u8;
                    at = at.add(1);
                }
            }
        } else {
            if kind == 1 {
                // The codes that the format gives.
                literals.assign(&array::from_fn::<u8, 288, _>(|symbol| match symbol {
                    144..256 => 9,
                    256..280 => 7,
                    _ => 8,
                }));
                distances.assign(&[5; 30]);
            } else {
                // SAFETY: the caller answers for the stream.
                unsafe { read_codes(&mut bits, &mut literals, &mut distances) };
            }
            // SAFETY: as above.
            at = unsafe { read_symbols(&mut bits, &literals, &distances, at) };
        }
        if is_last {
            return at;
        }
    }
}
