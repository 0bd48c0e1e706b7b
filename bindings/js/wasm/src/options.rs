//! The options of a parser, as JavaScript writes them into the input.

use jsonspigot::{DeviationKind, DuplicateKeys, Leniency, Limits, Parser, ParserBuilder, Retain};

/// The flags in the first word.
mod flag {
    pub(super) const REJECT_DUPLICATE_KEYS: u32 = 1 << 2;
    pub(super) const ACCEPT: u32 = 1 << 3;
    pub(super) const RETAIN_MATCHES: u32 = 1 << 4;
    pub(super) const RETAIN_NOTHING: u32 = 1 << 5;
    /// A bit for each kind of deviation, in the order of `DeviationKind::ALL`.
    pub(super) const DEVIATIONS_SHIFT: u32 = 8;
    /// The text of complete strings as they are spelt. JavaScript has it from their deltas otherwise, but decoded.
    pub(super) const SPELLING: u32 = 1 << 30;
}

/// The options that JavaScript sets.
pub(crate) struct Options {
    pub(crate) builder: ParserBuilder,
    /// Up to which match, by its number, the ends of strings have their text: all, or none.
    pub(crate) texts_to: u64,
}

/// The length of the options in the input.
pub(crate) const LEN: usize = 4 + 6 * 8;

/// Reads the options: a word of flags and six limits of 64 bits each: depth, key, string, number, blank, total.
pub(crate) fn read(input: &[u8]) -> Options {
    let flags = number(input, 0) as u32;
    let limit = |place: usize| number(input, 4 + 8 * place);
    let limits = Limits::new()
        .depth(usize::try_from(limit(0)).unwrap_or(usize::MAX))
        .key(limit(1))
        .string(limit(2))
        .number(limit(3))
        .blank(limit(4))
        .total(limit(5));
    let mut leniency = Leniency::NONE;
    for (place, kind) in DeviationKind::ALL.iter().enumerate() {
        if flags >> (flag::DEVIATIONS_SHIFT + place as u32) & 1 != 0 {
            leniency = leniency.with(*kind);
        }
    }
    let mut builder = Parser::builder().limits(limits).lenient(leniency);
    if flags & flag::REJECT_DUPLICATE_KEYS != 0 {
        builder = builder.duplicate_keys(DuplicateKeys::Reject);
    }
    if flags & flag::ACCEPT != 0 {
        builder = builder.accept_deviations();
    }
    if flags & flag::RETAIN_MATCHES != 0 {
        builder = builder.retain(Retain::Matches);
    }
    if flags & flag::RETAIN_NOTHING != 0 {
        builder = builder.retain(Retain::Nothing);
    }
    let texts_to = if flags & flag::SPELLING != 0 { u64::MAX } else { 0 };
    Options { builder, texts_to }
}

/// Reads eight bytes of the input, or 0 if it ends before.
pub(crate) fn number(input: &[u8], at: usize) -> u64 {
    input.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
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
