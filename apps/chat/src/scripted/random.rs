//! Random text by seed, and cuts the size of tokens: the same in every process, so that a test knows what must arrive.

/// Returns `length` random characters: words, lines, quotes, backslashes, accents, emoji, and parts of marks.
///
/// ```
/// let text = chat::scripted::random_text(7, 100);
/// assert_eq!((text.chars().count(), &text), (100, &chat::scripted::random_text(7, 100)));
/// ```
#[must_use]
pub fn random_text(seed: u64, length: usize) -> String {
    const RARE: [char; 16] =
        ['\n', '"', '\\', '<', '!', '-', '{', '}', 'é', 'ø', 'ß', '漢', '字', '😀', '👩', '\u{200d}'];
    let mut random = fastrand::Rng::with_seed(seed);
    let one = |_| match random.u8(0..16) {
        0 => RARE[random.usize(0..RARE.len())],
        1 | 2 => ' ',
        _ => random.char('a'..='z'),
    };
    (0..length).map(one).collect()
}

/// Returns a text in pieces of one to seven characters, as long as tokens are.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let (mut rest, mut random) = (text, fastrand::Rng::with_seed(text.len() as u64));
    std::iter::from_fn(move || {
        let length = rest.char_indices().nth(random.usize(1..=7)).map_or(rest.len(), |(at, _)| at);
        let token;
        (token, rest) = rest.split_at(length);
        (length > 0).then_some(token)
    })
}
