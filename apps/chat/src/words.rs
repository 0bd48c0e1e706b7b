//! Words in what a person says, whatever their case, and the signs around them.

/// The words of a text: what else it has is a gap between two, but for the apostrophe of `it's`. Few type the accent of
/// `rosé`.
#[must_use]
pub(crate) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'").replace('é', "e");
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Whether a text has all the words of another in it, one after the other.
#[must_use]
pub(crate) fn has(text: &str, other: &str) -> bool {
    let (text, other) = (words(text), words(other));
    !other.is_empty() && text.windows(other.len()).any(|part| part == other)
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_found_whole() {
        for (text, other, expected) in [
            ("Size 7, please", "7", true),
            ("17", "7", false),
            ("it's fine", "S", false),
            ("rose gold", "“rosé”", true),
            ("50-150 is fine", "₹50–150", true),
            ("under 50", "Under ₹50", true),
            ("anything", "!", false),
        ] {
            assert_eq!(super::has(text, other), expected, "{other} in {text}");
        }
    }
}
