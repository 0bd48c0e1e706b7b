//! Lists of words, each written as one text: `|` separates the words, and a `*` in one stands for any text.

/// Returns true if a word matches one of the patterns in a list.
pub(crate) fn matches(patterns: &str, word: &str) -> bool {
    let (mut rest, word) = (patterns.as_bytes(), word.as_bytes());
    loop {
        let (pattern, behind) = rest.split_at(rest.iter().position(|byte| *byte == b'|').unwrap_or(rest.len()));
        let is_match = pattern == word || {
            let mut parts = pattern.splitn(2, |byte| *byte == b'*');
            let (start, end) = (parts.next().unwrap_or_default(), parts.next());
            end.is_some_and(|end| {
                word.len() >= start.len() + end.len() && word.starts_with(start) && word.ends_with(end)
            })
        };
        match behind {
            _ if is_match => return true,
            [] => return false,
            [_, behind @ ..] => rest = behind,
        }
    }
}

/// Returns true if a list of words in lower case has this word, whatever its case is.
pub(crate) fn is_one_of(word: &str, words: &str) -> bool {
    // Comparing letter by letter regardless of case would add 4 KB of code.
    matches(words, &word.to_ascii_lowercase())
}
