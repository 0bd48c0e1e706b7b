//! Steps without Redis: however a stream's chunks are divided among them, they tell the same.

use durable::made;
use durable::step::{Next, Told};
use jsonspigot_llm::Provider;

use super::support::{expected, made, program};

/// Reads a stream in steps of so many chunks as `sizes` says.
fn told(seed: u64, mut sizes: impl FnMut() -> usize) -> Vec<(String, String)> {
    let stream = made::stream(seed, 60);
    let provider: Provider = stream.provider.parse().unwrap();
    let (mut saved, mut last, mut told) = (None::<Vec<u8>>, 0, Vec::<Told>::new());
    loop {
        let rest = &stream.chunks[last as usize..];
        let step = program().step(provider, saved.as_deref(), last, &rest[..sizes().min(rest.len())]).unwrap();
        told.extend(step.told);
        last = step.last;
        match step.next {
            Next::Open(bytes) => saved = Some(bytes),
            Next::Ended(ending) => {
                assert_eq!((ending, last as usize), ("done", stream.chunks.len()));
                return told.into_iter().map(|told| (format!("{}-0", told.chunk), told.lines)).collect();
            }
        }
    }
}

#[test]
fn any_steps_tell_the_same() {
    for (seed, source) in (0..20).zip(made(0..20, 60)) {
        let expected = expected(&source);
        let mut rng = fastrand::Rng::with_seed(seed);
        assert!(told(seed, || usize::MAX) == expected, "{seed} at once");
        assert!(told(seed, || 1) == expected, "{seed} one by one");
        assert!(told(seed, || rng.usize(1..30)) == expected, "{seed} by chance");
    }
}

/// The made-up streams are worth something: both formats, several calls, values that the patterns select.
#[test]
fn made_up_streams_have_everything() {
    let all: String = made(0..10, 60).iter().flat_map(expected).map(|(_, lines)| lines + "\n").collect();
    for part in [
        r#""pattern":0"#,
        r#""pattern":1"#,
        r#""pattern":2"#,
        r#""call":1"#,
        r#""status":"complete""#,
        "toolu_",
        "call_0",
    ] {
        assert!(all.contains(part), "{part}");
    }
    assert!(!all.contains(r#""event":"error""#) && !all.contains("incomplete"));
}
