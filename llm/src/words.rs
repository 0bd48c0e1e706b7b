//! Lists of words, each written as one text: `|` separates the words, and a `*` in one stands for any text.

/// Returns true if a word matches one of the patterns in a list.
pub(crate) fn matches(patterns: &str, word: &str) -> bool {
    let word = word.as_bytes();
    patterns.as_bytes().split(|byte| *byte == b'|').any(|pattern| {
        let same = pattern.iter().zip(word).take_while(|(pattern, word)| pattern == word && **pattern != b'*').count();
        match &pattern[same..] {
            [] => same == word.len(),
            [b'*', end @ ..] => word[same..].ends_with(end),
            _ => false,
        }
    })
}

/// Returns true if a list of words in lower case has this word, whatever its case is.
pub(crate) fn is_one_of(word: &str, words: &str) -> bool {
    // Comparing letter by letter regardless of case would add 4 KB of code.
    matches(words, &word.to_ascii_lowercase())
}
