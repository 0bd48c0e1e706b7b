//! A saved state with what this side adds to it.
//!
//! The state is the library's, as it is, if there is nothing to add: any other of its users can go on from it. Otherwise it
//! comes behind a magic number, a version, JavaScript's note (half a surrogate pair that waits, and a value that was
//! refused), the revision of the last patch, and a checksum of all that and the one in the state.

use alloc::vec::Vec;

use jsonspigot::{Documents, PatternSet, RestoreErrorKind, Revision};

use crate::Reader;
use crate::options::Options;

const MAGIC: [u8; 4] = *b"jsn\x1A";
const VERSION: u8 = 1;

const REVISION: usize = 20;
/// What the checksum is of: version, note, revision.
const CHECKED: core::ops::Range<usize> = 4..9 + REVISION;
const ADDED: usize = CHECKED.end + 4;

/// Where the state has its own checksum.
const CHECKSUM: core::ops::Range<usize> = ADDED + 22..ADDED + 26;

/// Why a state is refused, as JavaScript numbers it.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    NotSavedState = 1,
    OtherVersion,
    Cut,
    Changed,
    OtherKind,
    OtherPatterns,
    OtherChoices,
    Impossible,
}

pub(crate) struct Saved {
    pub(crate) reader: Reader,
    pub(crate) note: u32,
    pub(crate) patched: Revision,
}

pub(crate) fn write(bytes: &mut Vec<u8>, note: u32, patched: Revision, reader: &Reader) {
    let is_added = note != 0 || patched != Revision::default();
    if is_added {
        bytes.extend_from_slice(&MAGIC);
        bytes.push(VERSION);
        bytes.extend_from_slice(&note.to_le_bytes());
        bytes.extend_from_slice(&patched.to_bytes());
        bytes.extend_from_slice(&[0; 4]);
    }
    match reader {
        Reader::One(parser) => bytes.append(&mut parser.save()),
        Reader::Many(documents) => bytes.append(&mut documents.save()),
    }
    if is_added {
        let checksum = checksum(bytes).to_le_bytes();
        bytes[CHECKED.end..ADDED].copy_from_slice(&checksum);
    }
}

pub(crate) fn read(bytes: &[u8], patterns: &PatternSet, options: Options) -> Result<Saved, Refusal> {
    let Options { builder, framing, .. } = options;
    let restore = |state| {
        let restored = match framing {
            None => builder.restore(patterns, state).map(Reader::One),
            Some(framing) => Documents::restore(framing, builder.build(patterns), state).map(Reader::Many),
        };
        restored.map_err(|error| Refusal::of(error.kind()))
    };
    // As long as it may be either, it is that of the library.
    if !bytes.starts_with(&MAGIC[..3]) {
        return Ok(Saved { reader: restore(bytes)?, note: 0, patched: Revision::default() });
    }
    if bytes.get(3).is_some_and(|last| *last != MAGIC[3]) {
        return Err(Refusal::NotSavedState);
    }
    if bytes.get(4).is_some_and(|version| *version != VERSION) {
        return Err(Refusal::OtherVersion);
    }
    let (Some((added, state)), Some(_)) = (bytes.split_first_chunk::<ADDED>(), bytes.get(CHECKSUM)) else {
        return Err(Refusal::Cut);
    };
    let reader = restore(state)?;
    if added[CHECKED.end..] != checksum(bytes).to_le_bytes() {
        return Err(Refusal::Changed);
    }
    let word = |place: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| added[place + byte]));
    let (note, mut revision) = (word(5), [0; REVISION]);
    revision.copy_from_slice(&added[9..CHECKED.end]);
    let patched = Revision::from_bytes(revision);
    // A half that waits is the first one of a pair, and there are two refusals of two kinds.
    let is_half = matches!(note & 0xFFFF, 0 | 0xD800..=0xDBFF);
    let is_refusal = note >> 16 & 3 < 3 && note >> 18 < 3;
    let is_known = match reader.parser().filter(|parser| parser.has_snapshots()) {
        Some(parser) => parser.patch_since(patched).is_ok(),
        None => patched == Revision::default(),
    };
    if !(is_half && is_refusal && is_known) {
        return Err(Refusal::Impossible);
    }
    Ok(Saved { reader, note, patched })
}

fn checksum(bytes: &[u8]) -> u32 {
    let checked = bytes[CHECKED].iter().chain(&bytes[CHECKSUM]);
    checked.fold(0x811C_9DC5, |sum: u32, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

impl Refusal {
    fn of(kind: RestoreErrorKind) -> Self {
        match kind {
            RestoreErrorKind::NotSavedState => Self::NotSavedState,
            RestoreErrorKind::OtherVersion => Self::OtherVersion,
            RestoreErrorKind::Cut => Self::Cut,
            RestoreErrorKind::Changed => Self::Changed,
            RestoreErrorKind::OtherKind => Self::OtherKind,
            RestoreErrorKind::OtherPatterns => Self::OtherPatterns,
            RestoreErrorKind::OtherChoices => Self::OtherChoices,
            _ => Self::Impossible,
        }
    }
}
