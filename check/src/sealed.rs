//! States that were made up: what is done to the bytes of a real one, with the checksum that they ought to have.

/// How long a state's header is.
pub const HEADER: usize = 26;

/// The state with the checksum and length that it ought to have: `src/saved/mod.rs` describes them.
pub fn sealed(mut state: Vec<u8>) -> Vec<u8> {
    let Some((header, body)) = state.split_first_chunk_mut::<HEADER>() else { return state };
    header[14..22].copy_from_slice(&(body.len() as u64).to_le_bytes());
    let mut digest = 0x9E37_79B9_7F4A_7C15_u64;
    let mut add = |number: u64| {
        let mixed = (digest ^ number).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        digest = mixed ^ mixed >> 32;
    };
    for bytes in [&header[5..22], &*body] {
        for word in bytes.chunks_exact(8) {
            add(u64::from_le_bytes(word.try_into().unwrap()));
        }
        let mut last = [0; 8];
        let rest = bytes.chunks_exact(8).remainder();
        last[..rest.len()].copy_from_slice(rest);
        add(u64::from_le_bytes(last));
        add(bytes.len() as u64);
    }
    header[22..].copy_from_slice(&((digest ^ digest >> 32) as u32).to_le_bytes());
    state
}

/// The state with its body changed: each edit is a place, what is done there, and a byte.
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
