//! Words in what a person says, whatever their case, and the signs around them; and an amount of money in words.

/// The words of a text: what else it has is a gap between two, but for the apostrophe of `it's`. Few type the accent of
/// `rosé`. A “no, ” says that something else is meant, and not that what follows it is not.
#[must_use]
pub(crate) fn words(text: &str) -> Vec<String> {
    let text = format!(" {} ", text.to_lowercase().replace('’', "'").replace('é', "e"));
    let text = text.replace(" no, ", " ").replace(" no wait, ", " ").replace(" no wait ", " ");
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The number that a word is.
pub(crate) fn number(word: &str) -> Option<usize> {
    const NUMBERS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    word.parse().ok().or_else(|| NUMBERS.iter().position(|number| *number == word))
}

/// An amount as every sentence has it. The page writes those that are data as its reader does.
#[must_use]
pub(crate) fn money(cents: i64, currency: &str) -> String {
    let (minus, sign) = (if cents < 0 { "−" } else { "" }, if currency == "INR" { "₹" } else { "€" });
    let whole = (cents.abs() / 100).to_string();
    let thousands = whole.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",");
    format!("{minus}{sign}{thousands}.{:02}", cents.abs() % 100)
}

/// Whether a text has all the words of another in it, one after the other.
#[must_use]
pub(crate) fn has(text: &str, other: &str) -> bool {
    let (text, other) = (words(text), words(other));
    !other.is_empty() && text.windows(other.len()).any(|part| part == other)
}

/// Whether it has all the words of one of several in it, which have bars between them.
#[must_use]
pub(crate) fn has_any(text: &str, others: &str) -> bool {
    others.split('|').any(|other| has(text, other))
}

/// Whether a text has a word in it, be it with one slip of the fingers: a letter that is missing, too many, wrong, or
/// that has changed places with the next.
#[must_use]
pub(crate) fn names(text: &str, word: &str) -> bool {
    has(text, word) || words(text).iter().any(|typed| is_slip(typed, word))
}

/// Which of a table's entries a text names, each by one of the words behind it, which have bars between them.
pub(crate) fn named<'t>(text: &str, table: &[(&'t str, &str)]) -> Vec<&'t str> {
    let is_named = |words: &str| words.split('|').any(|word| names(text, word));
    table.iter().filter(|(_, words)| is_named(words)).map(|(name, _)| *name).collect()
}

/// A word of four letters is too near to others, and so is what begins otherwise.
fn is_slip(typed: &str, meant: &str) -> bool {
    let (typed, meant): (Vec<char>, Vec<char>) = (typed.chars().collect(), meant.chars().collect());
    let begin = typed.iter().zip(&meant).take_while(|(a, b)| a == b).count();
    let (typed, rest) = (&typed[begin..], &meant[begin..]);
    let end = typed.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let is_one = match (&typed[..typed.len() - end], &rest[..rest.len() - end]) {
        ([a, b], [c, d]) => a == d && b == c,
        (typed, rest) => typed.len() <= 1 && rest.len() <= 1,
    };
    meant.len() >= 5 && begin >= 2 && is_one
}

/// What rules out what is named behind it.
pub(crate) const NOT: [&str; 12] =
    ["not", "no", "don't", "doesn't", "never", "without", "except", "instead", "nicht", "kein", "keine", "keinen"];

/// What may stand between.
const BETWEEN: [&str; 15] =
    ["too", "very", "so", "really", "like", "want", "any", "the", "a", "an", "in", "of", "need", "more", "that"];

/// Whether a text names another, and rules it out wherever it does: “anything but not too spicy”.
pub(crate) fn denies(text: &str, other: &str) -> bool {
    let (text, other) = (words(text), words(other));
    let is_denied = |at: usize| {
        let before = text[..at].iter().rev().find(|word| !BETWEEN.contains(&word.as_str()));
        before.is_some_and(|word| NOT.contains(&word.as_str()))
    };
    let places = |part: &[String]| -> Vec<usize> {
        (0..text.len()).filter(|&at| !part.is_empty() && text[at..].starts_with(part)).collect()
    };
    // Few say all of it: “not salted” rules out “Classic salted”.
    let whole = places(&other);
    let parts = other.iter().map(|word| places(std::slice::from_ref(word)));
    let mut named = if whole.is_empty() { parts.collect() } else { vec![whole] }.into_iter();
    named.any(|places| !places.is_empty() && places.into_iter().all(is_denied))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_denied_is_not_meant() {
        for (text, other, expected) in [
            ("not spicy", "Spicy", true),
            ("chips but not too spicy please", "Spicy", true),
            ("she doesn't like gold", "gold", true),
            ("I don't know, gold", "gold", false),
            ("not gold, no, gold after all: gold", "gold", false),
            ("kein Gold bitte", "gold", true),
            ("classic, not spicy", "Classic", false),
            ("no, silver", "silver", false),
            ("no, not silver", "silver", true),
            ("no waiting", "waiting", true),
            ("not salted", "Classic salted", true),
        ] {
            assert_eq!(super::denies(text, other), expected, "{other} in {text}");
        }
    }

    #[test]
    fn a_slip_is_understood() {
        for (text, word, expected) in [
            ("i want chps", "chips", true),
            ("travle", "travel", true),
            ("itallian", "italian", true),
            ("some tips", "trips", false),
            ("a stack", "snack", false),
            ("rent", "rant", false),
        ] {
            assert_eq!(super::names(text, word), expected, "{word} in {text}");
        }
    }

    #[test]
    fn money_has_one_form() {
        let amounts = [(1_250_000, "EUR"), (-31_999, "EUR"), (4_500, "INR"), (123_456_789, "INR"), (5, "EUR")];
        let words = amounts.map(|(cents, currency)| super::money(cents, currency));
        assert_eq!(words, ["€12,500.00", "−€319.99", "₹45.00", "₹1,234,567.89", "€0.05"]);
    }

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
