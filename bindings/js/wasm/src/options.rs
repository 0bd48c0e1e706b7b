//! What a stream is made from, as JavaScript writes it into the input: numbers of 64 bits, and then texts.

use jsonspigot::{DeviationKind, DuplicateKeys, Leniency, Limits, Parser, ParserBuilder};
use jsonspigot_llm::CallLimits;

/// The flags in the first number, the deviations above them in the order of `DeviationKind::ALL`.
pub(crate) mod flag {
    pub(crate) const STRUCTURED: u64 = 1;
    pub(crate) const MESSAGE: u64 = 1 << 1;
    pub(crate) const CUMULATIVE: u64 = 1 << 2;
    pub(super) const LAST_WINS: u64 = 1 << 3;
    pub(crate) const PROVIDER_EVENTS: u64 = 1 << 4;
    pub(super) const REJECT_DUPLICATE_KEYS: u64 = 1 << 5;
    pub(super) const ACCEPT: u64 = 1 << 6;
    pub(super) const DEVIATIONS_SHIFT: usize = 8;
}

/// How many numbers there are: the flags, six limits of a parser, four of calls, and the bytes that are buffered for saved
/// states, 0 for none.
const COUNT: usize = 12;

/// The options that are numbers.
pub(crate) struct Options([u64; COUNT]);

impl Options {
    /// Reads the options in front of the texts. What is missing is 0.
    pub(crate) fn read(input: &[u8]) -> (Self, impl Iterator<Item = &str>) {
        let number = |place| input.get(8 * place..8 * place + 8).and_then(|bytes| bytes.try_into().ok());
        let numbers = core::array::from_fn(|place| number(place).map_or(0, u64::from_le_bytes));
        (Self(numbers), texts(input.get(8 * COUNT..).unwrap_or_default()))
    }

    pub(crate) fn has(&self, flag: u64) -> bool {
        self.0[0] & flag != 0
    }

    fn size(&self, place: usize) -> usize {
        usize::try_from(self.0[place]).unwrap_or(usize::MAX)
    }

    pub(crate) fn event_bytes(&self) -> usize {
        self.size(10)
    }

    pub(crate) fn saveable(&self) -> usize {
        self.size(11)
    }

    pub(crate) fn call_limits(&self) -> CallLimits {
        let limits = CallLimits::new().open_calls(self.size(7)).input_bytes(self.size(8));
        limits.name_bytes(self.size(9)).event_bytes(self.event_bytes())
    }

    /// Returns the builder of the parsers.
    pub(crate) fn parser(&self) -> ParserBuilder {
        let [_, _, key, string, number, blank, total, ..] = self.0;
        let limits = Limits::new().depth(self.size(1)).key(key).string(string).number(number).blank(blank).total(total);
        let mut leniency = Leniency::NONE;
        for (place, kind) in DeviationKind::ALL.iter().enumerate() {
            if self.has(1 << (flag::DEVIATIONS_SHIFT + place)) {
                leniency = leniency.with(*kind);
            }
        }
        let mut builder = Parser::builder().limits(limits).lenient(leniency);
        if self.has(flag::REJECT_DUPLICATE_KEYS) {
            builder = builder.duplicate_keys(DuplicateKeys::Reject);
        }
        if self.has(flag::LAST_WINS) {
            builder = builder.duplicate_keys(DuplicateKeys::LastWins);
        }
        if self.has(flag::ACCEPT) {
            builder = builder.accept_deviations();
        }
        builder
    }
}

/// Reads the texts of a list, each after its length in four bytes.
pub(crate) fn texts(mut input: &[u8]) -> impl Iterator<Item = &str> {
    core::iter::from_fn(move || {
        let (len, rest) = input.split_first_chunk::<4>()?;
        let (next, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        input = rest;
        Some(text(next))
    })
}

/// Returns a text that JavaScript has checked before it wrote it.
pub(crate) fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap_or_default()
}
