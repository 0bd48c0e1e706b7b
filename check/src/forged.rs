//! Forged saved states: edited bytes of a real state, with a valid checksum.

/// How long a state's header is.
pub const HEADER: usize = 26;

/// Returns the state with the right checksum and length: `src/saved/mod.rs` describes them.
pub fn sealed(mut state: Vec<u8>) -> Vec<u8> {
    let Some((header, body)) = state.split_first_chunk_mut::<HEADER>() else { return state };
    header[14..22].copy_from_slice(&(body.len() as u64).to_le_bytes());
    let digest = digest(digest(0x9E37_79B9_7F4A_7C15, &header[5..22]), body);
    header[22..].copy_from_slice(&((digest ^ digest >> 32) as u32).to_le_bytes());
    state
}

/// Returns the digest that `src/digest.rs` describes: the words of each 32 bytes go to four digests in turn.
fn digest(mut digest: u64, bytes: &[u8]) -> u64 {
    let add = |digest: &mut u64, number: u64| {
        let mixed = (*digest ^ number).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        *digest = mixed ^ mixed >> 32;
    };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let long = bytes.len() / 32 * 32;
    if long > 0 {
        let mut lanes = [digest; 4];
        for (place, bytes) in bytes[..long].chunks(8).enumerate() {
            add(&mut lanes[place % 4], word(bytes));
        }
        digest = lanes[0];
        lanes[1..].iter().for_each(|lane| add(&mut digest, *lane));
    }
    let words = bytes[long..].chunks_exact(8);
    let rest = words.remainder();
    words.for_each(|bytes| add(&mut digest, word(bytes)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(&mut digest, u64::from_le_bytes(last));
    add(&mut digest, bytes.len() as u64);
    digest
}

/// Returns the state with edits of its body: each edit is a position, an operation, and a byte.
pub fn edited(mut state: Vec<u8>, edits: &[u8]) -> Vec<u8> {
    for edit in edits.chunks_exact(3) {
        let place = HEADER + usize::from(edit[0]) % (state.len() - HEADER + 1);
        match edit[1] % 3 {
            0 if place < state.len() => state[place] = edit[2],
            1 if place < state.len() => drop(state.remove(place)),
            _ => state.insert(place, edit[2]),
        }
    }
    sealed(state)
}
