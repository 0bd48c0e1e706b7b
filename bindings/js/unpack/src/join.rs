//! A module from its streams: what its instructions do in one, and what they do it with in others.
//!
//! `../../scripts/split.mjs` sorts it into them; the two change together.

/// The places at which the streams are read. They are numbered as in `split.mjs`, where what is before the code and
/// behind it comes first.
struct Streams {
    next: [*const u8; COUNT],
}

const COUNT: usize = 14;
const LOCALS: usize = 2;
const OPCODE: usize = 3;

/// The operands of an instruction: the upper half of what is said of its opcode. The lower half is the stream.
mod operands {
    pub(super) const ONE: u8 = 1;
    pub(super) const TWO: u8 = 2;
    pub(super) const MEMORY: u8 = 3;
    pub(super) const TABLE: u8 = 4;
    pub(super) const PREFIXED: u8 = 5;
    pub(super) const DOUBLE: u8 = 6;
}

impl Streams {
    unsafe fn byte(&mut self, stream: usize, at: &mut *mut u8) -> u8 {
        // SAFETY: the caller answers for both.
        unsafe {
            let byte = *self.next[stream];
            self.next[stream] = self.next[stream].add(1);
            **at = byte;
            *at = at.add(1);
            byte
        }
    }

    /// A number in LEB128, as it stands there.
    unsafe fn number(&mut self, stream: usize, at: &mut *mut u8) -> u32 {
        let (mut number, mut shift) = (0, 0);
        loop {
            // SAFETY: the caller answers for both.
            let byte = u32::from(unsafe { self.byte(stream, at) });
            number |= (byte & 127).wrapping_shl(shift);
            shift += 7;
            if byte < 128 {
                return number;
            }
        }
    }
}

/// The most bytes that a length of 32 bits has in LEB128.
const LONGEST_LENGTH: usize = 5;

/// Writes how many bytes stand behind the place for their length, and moves them up to it.
unsafe fn settle(start: *mut u8, end: *mut u8) -> *mut u8 {
    // SAFETY: the caller answers for them.
    unsafe {
        let body = start.add(LONGEST_LENGTH);
        let len = end.offset_from(body) as usize;
        let (mut at, mut rest) = (start, len);
        while rest > 127 {
            *at = rest as u8 | 128;
            at = at.add(1);
            rest >>= 7;
        }
        *at = rest as u8;
        at = at.add(1);
        body.copy_to(at, len);
        at.add(len)
    }
}

/// Puts the module together; gives its end.
///
/// # Safety
///
/// The streams are what the build has written, and there is room for the module.
pub(crate) unsafe fn join(from: *const u8, out: *mut u8) -> *mut u8 {
    // SAFETY: this reads and writes what the caller answers for.
    unsafe {
        let lengths = from.cast::<u32>();
        let opcodes = from.add(4 * COUNT);
        let alignments = opcodes.add(256);
        let operands = alignments.add(256);
        let mut next = operands.add(256);
        let mut streams = Streams { next: [next; COUNT] };
        for (stream, place) in streams.next.iter_mut().enumerate() {
            *place = next;
            next = next.add(lengths.add(stream).read_unaligned() as usize);
        }
        let mut at = out;
        let copy = |from: *const u8, to: *const u8, at: *mut u8| {
            let len = to.offset_from(from) as usize;
            from.copy_to(at, len);
            at.add(len)
        };
        let [head, tail, behind, ..] = streams.next;
        at = copy(head, tail, at);
        let section = at;
        at = at.add(LONGEST_LENGTH);
        for _ in 0..streams.number(LOCALS, &mut at) {
            let function = at;
            at = at.add(LONGEST_LENGTH);
            for _ in 0..streams.number(LOCALS, &mut at) {
                streams.number(LOCALS, &mut at);
                streams.byte(LOCALS, &mut at);
            }
            let mut depth = 1;
            while depth > 0 {
                let place = at;
                let spelled = usize::from(streams.byte(OPCODE, &mut at));
                let opcode = *opcodes.add(spelled) ^ spelled as u8;
                *place = opcode;
                match opcode {
                    0x02..=0x04 => depth += 1,
                    0x0b => depth -= 1,
                    _ => {}
                }
                let kind = *operands.add(spelled);
                let stream = usize::from(kind & 15);
                match kind >> 4 {
                    operands::ONE => {
                        streams.number(stream, &mut at);
                    }
                    operands::MEMORY => {
                        *at = *alignments.add(spelled);
                        at = at.add(1);
                        streams.number(stream, &mut at);
                    }
                    operands::TWO => {
                        streams.number(stream, &mut at);
                        streams.number(stream, &mut at);
                    }
                    operands::TABLE => {
                        for _ in 0..=streams.number(stream, &mut at) {
                            streams.number(stream, &mut at);
                        }
                    }
                    operands::PREFIXED => {
                        let memories = match streams.number(stream, &mut at) {
                            10 => 2,
                            11 => 1,
                            _ => 0,
                        };
                        for _ in 0..memories {
                            streams.number(stream, &mut at);
                        }
                    }
                    operands::DOUBLE => {
                        for _ in 0..8 {
                            streams.byte(stream, &mut at);
                        }
                    }
                    _ => {}
                }
            }
            at = settle(function, at);
        }
        at = settle(section, at);
        copy(tail, behind, at)
    }
}
