use std::time::{Duration, Instant};
#[test]
fn stress() {
    let mut inputs: Vec<Vec<u8>> =
        std::fs::read_dir("/tmp/fz/new").unwrap().map(|e| std::fs::read(e.unwrap().path()).unwrap()).collect();
    inputs.extend(super::fuzz_inputs::inputs("typed"));
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    let mut state: u64 = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let start = Instant::now();
    let mut count = 0_u64;
    let mut found = std::collections::BTreeMap::new();
    std::panic::set_hook(Box::new(|_| {}));
    while start.elapsed() < Duration::from_secs(240) {
        let mut input = match next() % 3 {
            0 => (0..next() % 120).map(|_| next() as u8).collect::<Vec<u8>>(),
            _ => inputs[(next() % inputs.len() as u64) as usize].clone(),
        };
        for _ in 0..next() % 5 {
            if input.is_empty() {
                break;
            }
            let at = (next() % input.len() as u64) as usize;
            match next() % 4 {
                0 => input[at] = next() as u8,
                1 => input.insert(at, next() as u8),
                2 => {
                    input.remove(at);
                }
                _ => input[at] = input[at].wrapping_add(1),
            }
        }
        if input.get(1) == Some(&0) {
            input[1] = 1;
        }
        count += 1;
        if let Err(error) = std::panic::catch_unwind(|| super::properties::fuzz_targets::typed(&input)) {
            let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
            if found.len() < 40 && !found.contains_key(&text) {
                eprintln!("{:?} FOUND {text}", input);
            }
            found.insert(text, input);
        }
    }
    eprintln!("{count} runs, {} found", found.len());
}
