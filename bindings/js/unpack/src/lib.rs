//! Unpacks the module that is inlined in the npm package: Base64 (RFC 4648), and DEFLATE (RFC 1951) below.
//!
//! In JavaScript, which begins as an interpreter, this would take longer than all else at the first use.
//! `../../scripts/inline.mjs` packs, unpacks and compares; `../../src/inlined.ts` calls [`unpack`]. So what is read here is
//! known to be right: nothing else is ever given to this module, and it checks nothing.

#![no_std]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

const LONGEST_CODE: usize = 15;
/// The order in which the lengths of the codes for code lengths stand.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// For each next bits of the stream the symbol that they begin with, and in the lowest four bits its length.
struct Codes {
    table: [u16; 1 << LONGEST_CODE],
    /// As many bits as the longest code has: the table is filled no further.
    mask: usize,
}

struct Bits {
    from: *const u8,
    next: u32,
    count: u32,
}

impl Bits {
    /// So that there are at least 25.
    #[inline(always)]
    fn fill(&mut self) {
        while self.count <= 24 {
            // SAFETY: the packed text has padding behind the stream.
            unsafe {
                self.next |= u32::from(*self.from) << self.count;
                self.from = self.from.add(1);
            }
            self.count += 8;
        }
    }

    #[inline(always)]
    fn drop(&mut self, count: u32) {
        self.next >>= count;
        self.count -= count;
    }

    fn take(&mut self, count: u32) -> usize {
        self.fill();
        let bits = self.next & ((1 << count) - 1);
        self.drop(count);
        bits as usize
    }

    #[inline(always)]
    fn symbol(&mut self, codes: &Codes) -> usize {
        self.fill();
        let code = codes.table[self.next as usize & codes.mask & ((1 << LONGEST_CODE) - 1)];
        self.drop(u32::from(code & 15));
        usize::from(code >> 4)
    }
}

/// The codes of symbols from their lengths.
fn assign(lengths: &[u8], codes: &mut Codes) {
    let longest = lengths.iter().max().map_or(0, |length| u32::from(*length));
    codes.mask = (1 << longest) - 1;
    let table = &mut codes.table[..1 << longest];
    let mut code = 0_u32;
    for length in 1..=longest {
        for (symbol, of_symbol) in lengths.iter().enumerate() {
            if u32::from(*of_symbol) == length {
                // The stream has the highest bit of a code first.
                let mut at = (code.reverse_bits() >> (32 - length)) as usize;
                while let Some(place) = table.get_mut(at) {
                    *place = (symbol as u16) << 4 | length as u16;
                    at += 1 << length;
                }
                code += 1;
            }
        }
        code <<= 1;
    }
}

/// The codes that a block brings along.
fn read_codes(bits: &mut Bits, lengths: &mut [u8; 320], literals: &mut Codes, distances: &mut Codes) {
    let literal_count = bits.take(5) + 257;
    let count = literal_count + bits.take(5) + 1;
    for place in 0..bits.take(4) + 4 {
        lengths[usize::from(ORDER[place])] = bits.take(3) as u8;
    }
    assign(&lengths[..19], literals);
    let mut known = 0;
    while known < count {
        let symbol = bits.symbol(literals);
        let (length, times) = match symbol {
            16 => (lengths[known - 1], 3 + bits.take(2)),
            17 => (0, 3 + bits.take(3)),
            18 => (0, 11 + bits.take(7)),
            _ => (symbol as u8, 1),
        };
        for place in 0..times {
            lengths[known + place] = length;
        }
        known += times;
    }
    assign(&lengths[..literal_count], literals);
    assign(&lengths[literal_count..count], distances);
}

/// Unpacks a text to the place behind it; gives that address and, in the upper half, how many bytes there are.
///
/// # Safety
///
/// The text is what the build has packed, and the memory has room for what is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(text: *mut u8, len: usize) -> u64 {
    // SAFETY: this reads and writes what the caller answers for.
    unsafe {
        for group in 0..len / 4 {
            let mut bits = 0;
            for place in 0..4 {
                let unit = *text.add(group * 4 + place);
                let six = match unit {
                    b'a'.. => unit - b'a' + 26,
                    b'A'.. => unit - b'A',
                    b'0'.. => unit - b'0' + 52,
                    b'+' => 62,
                    _ => 63,
                };
                bits = bits << 6 | u32::from(six);
            }
            for place in 0..3 {
                *text.add(group * 3 + place) = (bits >> (16 - 8 * place)) as u8;
            }
        }
        let out = text.add(len);
        let mut at = out;
        let mut bits = Bits { from: text, next: 0, count: 0 };
        let mut literals = Codes { table: [0; 1 << LONGEST_CODE], mask: 0 };
        let mut distances = Codes { table: [0; 1 << LONGEST_CODE], mask: 0 };
        loop {
            let is_last = bits.take(1) != 0;
            let mut lengths = [0_u8; 320];
            match bits.take(2) {
                // Bytes as they are, from the next whole byte of the stream on; their number stands there twice.
                0 => {
                    bits.drop(bits.count & 7);
                    let count = bits.take(16);
                    bits.take(16);
                    for _ in 0..count {
                        *at = bits.take(8) as u8;
                        at = at.add(1);
                    }
                    if is_last {
                        break;
                    }
                    continue;
                }
                // The codes that the format gives.
                1 => {
                    for (symbol, length) in lengths.iter_mut().enumerate() {
                        *length = match symbol {
                            0..144 | 280..288 => 8,
                            144..256 => 9,
                            256..280 => 7,
                            _ => 5,
                        };
                    }
                    assign(&lengths[..288], &mut literals);
                    assign(&lengths[288..], &mut distances);
                }
                _ => read_codes(&mut bits, &mut lengths, &mut literals, &mut distances),
            }
            loop {
                let symbol = bits.symbol(&literals);
                if symbol < 256 {
                    *at = symbol as u8;
                    at = at.add(1);
                    continue;
                }
                if symbol == 256 {
                    break;
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
                let symbol = bits.symbol(&distances);
                let distance = if symbol < 4 {
                    1 + symbol
                } else {
                    let more = symbol as u32 / 2 - 1;
                    1 + ((2 + symbol % 2) << more) + bits.take(more)
                };
                for _ in 0..length {
                    *at = *at.sub(distance);
                    at = at.add(1);
                }
            }
            if is_last {
                break;
            }
        }
        (out as u64) | (at.offset_from(out) as u64) << 32
    }
}
