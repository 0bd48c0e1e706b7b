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

/// A text in pieces of one to seven characters, as long as tokens are.
#[derive(Debug)]
pub(super) struct Tokens {
    text: String,
    at: usize,
    random: fastrand::Rng,
}

impl Tokens {
    pub(super) fn new(text: String) -> Self {
        let random = fastrand::Rng::with_seed(text.len() as u64);
        Self { text, at: 0, random }
    }
}

impl Iterator for Tokens {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let length = rest.char_indices().nth(self.random.usize(1..=7)).map_or(rest.len(), |(at, _)| at);
        self.at += length;
        (length > 0).then(|| rest[..length].to_owned())
    }
}
