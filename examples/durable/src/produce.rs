//! The producer: what has the connections to the providers, in real life. Here it appends made-up streams, many at once.

use std::thread;
use std::time::{Duration, Instant};

use redis::RedisResult;

use crate::made::{self, Made};
use crate::step::Chunk;
use crate::store::{Appended, Store};

/// At most how many chunks go to Redis in one round trip.
const AT_ONCE: usize = 512;

/// A stream that is being appended.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name.
    pub name: Vec<u8>,
    /// Its provider's name.
    pub provider: String,
    /// All its chunks.
    pub chunks: Vec<Chunk>,
}

impl Source {
    /// The made-up stream of a seed, with about so many chunks.
    #[must_use]
    pub fn made(seed: u64, chunks: usize) -> Self {
        let Made { provider, chunks } = made::stream(seed, chunks);
        Self { name: format!("made-{seed}").into_bytes(), provider: provider.to_owned(), chunks }
    }

    /// The same stream, cut after so many chunks, and so without its end.
    #[must_use]
    pub fn cut(&self, chunks: usize) -> Self {
        Self { chunks: self.chunks.iter().take(chunks).cloned().collect(), ..self.clone() }
    }

    /// The same stream with an end after its last chunk.
    #[must_use]
    pub fn ended(mut self) -> Self {
        self.chunks.push(Chunk::End(Vec::new()));
        self
    }
}

/// Appends the chunks of `sources` by turns, one of each every `period`, or as fast as it can be done. Gives how many
/// chunks are there now that were not there before.
///
/// A chunk has its number, and Redis takes each number once. So after an error all of it can be called again.
///
/// # Errors
///
/// What Redis or the connection says.
pub fn produce(store: &mut Store, sources: &[Source], period: Duration) -> RedisResult<u64> {
    let start = Instant::now();
    let mut open: Vec<_> = sources.iter().collect();
    let mut new = 0;
    for round in 0.. {
        open.retain(|source| round < source.chunks.len());
        if open.is_empty() {
            break;
        }
        thread::sleep((period * round as u32).saturating_sub(start.elapsed()));
        let mut ended = Vec::new();
        for part in open.chunks(AT_ONCE) {
            let number = round as u64 + 1;
            let chunks: Vec<_> = part
                .iter()
                .filter_map(|source| {
                    Some((source.name.as_slice(), number, source.provider.as_str(), source.chunks.get(round)?))
                })
                .collect();
            for (source, appended) in part.iter().zip(store.append(&chunks)?) {
                match appended {
                    Appended::New => new += 1,
                    Appended::Had => {}
                    // A worker has ended it, with an error; or somebody else appends to it.
                    Appended::Ended | Appended::Gap => ended.push(source.name.clone()),
                }
            }
        }
        open.retain(|source| !ended.contains(&source.name));
    }
    Ok(new)
}
