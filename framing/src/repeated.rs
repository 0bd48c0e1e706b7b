//! Events that a server sends again after a connection broke: [`ReadEvents`].

use alloc::collections::BTreeMap;

use crate::saved::{Impossible, Reader, Writer};

/// The digests of the data of the events that were read, by the digests of their ids.
///
/// A server that resumes after a connection broke may send events again. An id alone does not show that, since some
/// servers give all events the same id. An event is a repetition if its id and its data were read together, and another
/// id was read as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadEvents(BTreeMap<u64, u64>);

/// The largest number of events that are remembered. One more event clears the memory.
const MOST_EVENTS: usize = 16 << 10;

impl ReadEvents {
    /// Records an event. Returns true if it was recorded before.
    pub(crate) fn is_repeated(&mut self, id: u64, data: u64) -> bool {
        match self.0.get(&id) {
            Some(known) if *known == data && self.0.len() > 1 => return true,
            None if self.0.len() < MOST_EVENTS => {}
            _ => self.0.clear(),
        }
        self.0.insert(id, data);
        false
    }

    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        out.number(self.0.len() as u64);
        self.0.iter().flat_map(|(id, data)| [id, data]).for_each(|number| out.number(*number));
    }

    pub(crate) fn restore(reader: &mut Reader<'_>) -> Result<Self, Impossible> {
        let count = reader.size()?;
        Impossible::ensure(count <= MOST_EVENTS)?;
        let mut events = BTreeMap::new();
        for _ in 0..count {
            let (id, data) = (reader.number()?, reader.number()?);
            Impossible::ensure(events.last_key_value().is_none_or(|(last, _)| *last < id))?;
            events.insert(id, data);
        }
        Ok(Self(events))
    }
}

/// Returns a digest of bytes, read eight at a time, that is small enough for a saved number.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().fold(chunk.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    let add = |digest: u64, chunk| (digest ^ word(chunk)).wrapping_mul(0x0100_0000_01B3).rotate_left(31);
    bytes.chunks(8).fold(0xCBF2_9CE4_8422_2325, add) >> 12
}
