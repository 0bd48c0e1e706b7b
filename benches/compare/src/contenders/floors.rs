//! The floors: lower bounds for touching every byte. They report nothing and do not validate UTF-8.
//!
//! [`Memcpy`] copies the chunks. [`Table`] runs a grammar table over every byte. [`TableSkip`] does too, but skips 16
//! bytes of a string at a time with SSE2. The table has byte classes and states. A stack holds the states to return to
//! after closing brackets.

use std::hint::black_box;

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Sink};

/// Copies each chunk into a buffer that is reused between runs.
#[derive(Debug, Default)]
pub(super) struct Memcpy {
    buffer: Vec<u8>,
}

impl Memcpy {
    fn run(&mut self, input: &Input) -> Done {
        self.buffer.clear();
        for chunk in input.chunks() {
            self.buffer.extend_from_slice(black_box(chunk));
        }
        black_box(&self.buffer);
        Some(())
    }
}

/// The table, byte by byte.
#[derive(Debug)]
pub(super) struct Table;

/// The table, with skipping inside strings.
#[derive(Debug)]
pub(super) struct TableSkip;

/// Implements [`Contender`] for a floor, which does the same work for every task.
macro_rules! floor {
    ($floor:ty, $name:literal, $run:expr) => {
        impl Contender for $floor {
            fn name(&self) -> &'static str {
                $name
            }
            fn manner(&self) -> Manner {
                Manner::Floor
            }
            fn deltas(&mut self, input: &Input, _: &mut Sink) -> Done {
                $run(self, input)
            }
            fn validate(&mut self, input: &Input) -> Done {
                $run(self, input)
            }
            fn snapshots(&mut self, input: &Input, _: &mut Look<'_>) -> Done {
                $run(self, input)
            }
            fn value(&mut self, input: &Input, _: &mut Look<'_>) -> Done {
                $run(self, input)
            }
            fn again(&mut self, input: &Input, _: &mut Sink) -> Done {
                $run(self, input)
            }
        }
    };
}

floor!(Memcpy, "memcpy", Memcpy::run);
floor!(Table, "table", |_: &mut Table, input| recognise::<false>(input));
floor!(TableSkip, "table + skip", |_: &mut TableSkip, input| recognise::<true>(input));

fn recognise<const SKIP: bool>(input: &Input) -> Done {
    let mut machine = Machine::new();
    for chunk in input.chunks() {
        machine.feed::<SKIP>(black_box(chunk));
    }
    assert!(machine.finish(), "the floor must accept its payload");
    Some(())
}

// States. From END on they are actions, which use the stack. KEY_SHIFT is the distance from the states of a value's
// string to those of a key's.
const ERROR: u8 = 0;
const VALUE: u8 = 1;
const FIRST_ELEMENT: u8 = 2;
const FIRST_KEY: u8 = 3;
const KEY: u8 = 4;
const COLON: u8 = 5;
const AFTER_ELEMENT: u8 = 6;
const AFTER_MEMBER: u8 = 7;
const DONE: u8 = 8;
const STRING: u8 = 9;
const ESCAPE: u8 = 10;
const HEX: u8 = 11; // …14
const KEY_SHIFT: u8 = 6;
const KEY_STRING: u8 = STRING + KEY_SHIFT; // …20
const MINUS: u8 = 21;
const ZERO: u8 = 22;
const INTEGER: u8 = 23;
const POINT: u8 = 24;
const FRACTION: u8 = 25;
const EXPONENT: u8 = 26;
const EXPONENT_SIGN: u8 = 27;
const EXPONENT_DIGITS: u8 = 28;
const LITERAL: u8 = 29; // true 29…31, false 32…35, null 36…38
const STATES: usize = 39;
const END: u8 = 64; // a value has ended with this byte
const OPEN_OBJECT: u8 = 65;
const OPEN_ARRAY: u8 = 66;
const CLOSE: u8 = 67;
const END_COMMA: u8 = 68; // a number, then a comma
const END_SPACE: u8 = 69; // a number, then white space

const CLASSES: usize = 32;
static CLASS: [u8; 256] = classes();
static NEXT: [u8; STATES * CLASSES] = transitions();

const GROUPS: [&[u8]; 24] = [
    b" ",
    b"\t\n\r",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"-",
    b"+",
    b".",
    b"0",
    b"123456789",
    b"t",
    b"r",
    b"u",
    b"e",
    b"f",
    b"a",
    b"l",
    b"s",
    b"n",
];
const BLANK: usize = 24; // '/', an escape and otherwise text
const B: usize = 25;
const HEX_OTHER: usize = 26; // c d A B C D F
const UPPER_E: usize = 27;
const CONTROL: usize = 28;
const OTHER: usize = 29;

const fn classes() -> [u8; 256] {
    let mut class = [OTHER as u8; 256];
    let mut byte = 0;
    while byte < 0x20 {
        class[byte] = CONTROL as u8;
        byte += 1;
    }
    let mut group = 0;
    while group < GROUPS.len() {
        let mut member = 0;
        while member < GROUPS[group].len() {
            class[GROUPS[group][member] as usize] = group as u8;
            member += 1;
        }
        group += 1;
    }
    class[b'/' as usize] = BLANK as u8;
    class[b'b' as usize] = B as u8;
    class[b'E' as usize] = UPPER_E as u8;
    let others = b"cdABCDF";
    let mut other = 0;
    while other < others.len() {
        class[others[other] as usize] = HEX_OTHER as u8;
        other += 1;
    }
    class
}

type Transitions = [u8; STATES * CLASSES];

/// Sets the transition of `state` on the class of each byte of `bytes`.
const fn on(mut table: Transitions, state: u8, bytes: &[u8], next: u8) -> Transitions {
    let class = classes();
    let mut i = 0;
    while i < bytes.len() {
        table[state as usize * CLASSES + class[bytes[i] as usize] as usize] = next;
        i += 1;
    }
    table
}

const fn transitions() -> Transitions {
    const HEX_DIGITS: &[u8] = b"01aAbcdeEfF";
    const DIGITS: &[u8] = b"01";
    let mut t = [ERROR; STATES * CLASSES];
    let mut state = VALUE;
    while state <= DONE {
        t = on(t, state, b" \n", state);
        state += 1;
    }
    let starts = [VALUE, FIRST_ELEMENT];
    let mut i = 0;
    while i < starts.len() {
        t = on(t, starts[i], b"\"", STRING);
        t = on(t, starts[i], b"{", OPEN_OBJECT);
        t = on(t, starts[i], b"[", OPEN_ARRAY);
        t = on(t, starts[i], b"-", MINUS);
        t = on(t, starts[i], b"0", ZERO);
        t = on(t, starts[i], b"1", INTEGER);
        t = on(t, starts[i], b"t", LITERAL);
        t = on(t, starts[i], b"f", LITERAL + 3);
        t = on(t, starts[i], b"n", LITERAL + 7);
        i += 1;
    }
    t = on(t, FIRST_ELEMENT, b"]", CLOSE);
    t = on(t, FIRST_KEY, b"}", CLOSE);
    t = on(t, FIRST_KEY, b"\"", KEY_STRING);
    t = on(t, KEY, b"\"", KEY_STRING);
    t = on(t, COLON, b":", VALUE);
    t = on(t, AFTER_ELEMENT, b",", VALUE);
    t = on(t, AFTER_ELEMENT, b"]", CLOSE);
    t = on(t, AFTER_MEMBER, b",", KEY);
    t = on(t, AFTER_MEMBER, b"}", CLOSE);
    let shifts = [0, KEY_SHIFT];
    let mut i = 0;
    while i < shifts.len() {
        let s = shifts[i];
        let mut class = 0;
        while class < CLASSES {
            let text = class != CONTROL && class != 1;
            t[(STRING + s) as usize * CLASSES + class] = if text { STRING + s } else { ERROR };
            class += 1;
        }
        t = on(t, STRING + s, b"\\", ESCAPE + s);
        t = on(t, STRING + s, b"\"", if s == 0 { END } else { COLON });
        t = on(t, ESCAPE + s, b"\"\\/bfnrt", STRING + s);
        t = on(t, ESCAPE + s, b"u", HEX + s);
        t = on(t, HEX + s, HEX_DIGITS, HEX + 1 + s);
        t = on(t, HEX + 1 + s, HEX_DIGITS, HEX + 2 + s);
        t = on(t, HEX + 2 + s, HEX_DIGITS, HEX + 3 + s);
        t = on(t, HEX + 3 + s, HEX_DIGITS, STRING + s);
        i += 1;
    }
    t = on(t, MINUS, b"0", ZERO);
    t = on(t, MINUS, b"1", INTEGER);
    t = on(t, INTEGER, DIGITS, INTEGER);
    t = on(t, POINT, DIGITS, FRACTION);
    t = on(t, FRACTION, DIGITS, FRACTION);
    t = on(t, EXPONENT, DIGITS, EXPONENT_DIGITS);
    t = on(t, EXPONENT, b"+-", EXPONENT_SIGN);
    t = on(t, EXPONENT_SIGN, DIGITS, EXPONENT_DIGITS);
    t = on(t, EXPONENT_DIGITS, DIGITS, EXPONENT_DIGITS);
    let ends = [ZERO, INTEGER, FRACTION, EXPONENT_DIGITS];
    let mut i = 0;
    while i < ends.len() {
        t = on(t, ends[i], b",", END_COMMA);
        t = on(t, ends[i], b" \n", END_SPACE);
        t = on(t, ends[i], b"]}", CLOSE);
        i += 1;
    }
    t = on(t, ZERO, b".", POINT);
    t = on(t, INTEGER, b".", POINT);
    t = on(t, ZERO, b"eE", EXPONENT);
    t = on(t, INTEGER, b"eE", EXPONENT);
    t = on(t, FRACTION, b"eE", EXPONENT);
    let literals: [(&[u8], u8); 3] = [(b"rue", LITERAL), (b"alse", LITERAL + 3), (b"ull", LITERAL + 7)];
    let mut i = 0;
    while i < literals.len() {
        let (letters, first) = literals[i];
        let mut at = 0;
        while at < letters.len() {
            let next = if at + 1 == letters.len() { END } else { first + at as u8 + 1 };
            t = on(t, first + at as u8, &[letters[at]], next);
            at += 1;
        }
        i += 1;
    }
    t
}

struct Machine {
    state: u8,
    /// The state after a value of each open container.
    stack: Vec<u8>,
}

impl Machine {
    fn new() -> Self {
        Self { state: VALUE, stack: Vec::with_capacity(128) }
    }

    fn after(&self) -> u8 {
        self.stack.last().copied().unwrap_or(DONE)
    }

    fn finish(&self) -> bool {
        let number = [ZERO, INTEGER, FRACTION, EXPONENT_DIGITS].contains(&self.state);
        self.stack.is_empty() && (self.state == DONE || number)
    }

    #[inline(never)]
    fn feed<const SKIP: bool>(&mut self, chunk: &[u8]) {
        let mut state = self.state;
        let mut at = 0;
        while at < chunk.len() {
            if SKIP && (state == STRING || state == KEY_STRING) && chunk.len() - at >= 16 {
                at = skip_text(chunk, at);
                if at == chunk.len() {
                    break;
                }
            }
            let class = CLASS[chunk[at] as usize] as usize;
            let next = NEXT[state as usize * CLASSES + class];
            state = if next < END { next } else { self.act(next, class) };
            at += 1;
        }
        self.state = state;
    }

    #[inline]
    fn act(&mut self, action: u8, class: usize) -> u8 {
        match action {
            OPEN_OBJECT => {
                self.stack.push(AFTER_MEMBER);
                FIRST_KEY
            }
            OPEN_ARRAY => {
                self.stack.push(AFTER_ELEMENT);
                FIRST_ELEMENT
            }
            CLOSE => {
                let closes = if class == CLASS[b'}' as usize] as usize { AFTER_MEMBER } else { AFTER_ELEMENT };
                if self.stack.pop() == Some(closes) { self.after() } else { ERROR }
            }
            END_COMMA => NEXT[self.after() as usize * CLASSES + class],
            _ => self.after(), // END, END_SPACE
        }
    }
}

/// Returns the position of the first byte from `at` that ends plain text. Stops where fewer than 16 bytes are left.
#[inline]
#[cfg(target_arch = "x86_64")]
fn skip_text(chunk: &[u8], mut at: usize) -> usize {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    while chunk.len() - at >= 16 {
        // SAFETY: every x86_64 has SSE2, and the 16 bytes from `at` are inside the chunk.
        let mask = unsafe {
            let bytes = _mm_loadu_si128(chunk.as_ptr().add(at).cast::<__m128i>());
            let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
            let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
            let last_control = _mm_set1_epi8(0x1F);
            let control = _mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control);
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control))
        };
        if mask != 0 {
            return at + mask.trailing_zeros() as usize;
        }
        at += 16;
    }
    at
}

#[inline]
#[cfg(not(target_arch = "x86_64"))]
fn skip_text(_: &[u8], at: usize) -> usize {
    at
}

#[cfg(test)]
mod tests {
    use super::Machine;

    #[test]
    fn the_floor_knows_the_grammar() {
        let accepted = |text: &str| {
            let mut machine = Machine::new();
            machine.feed::<true>(text.as_bytes());
            machine.finish()
        };
        let good = ["{}", " [1,-0.5e+7 ,true,false,null]\n", "\"\\u00e9\\n a very long text, longer than 16\"", "12"];
        for text in good.into_iter().chain(["{\"a\":[{},{\"b\":[]}],\"c\":0}", "[[\"\"],{\"k\\\"\":1e5}]"]) {
            assert!(accepted(text), "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        }
        for text in ["{]", "[1,]", "{\"a\"}", "01", "\"\\x\"", "\"\n\"", "tru", "[}", "{,}", "1 2", "", "[1}", "-"] {
            assert!(!accepted(text), "{text}");
        }
    }
}
