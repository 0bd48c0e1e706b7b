//! What a person has seen of a classification, so that a second attempt does not send again what stands there.

use std::collections::HashMap;

use super::raw::RawText;
use crate::wire::Change;

/// The texts and options that were sent, by path.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) has_begun: bool,
    pub(super) raw: RawText,
    texts: HashMap<String, Text>,
    options: HashMap<String, Vec<String>>,
}

#[derive(Clone, Debug, Default)]
struct Text {
    /// The text on the screen.
    seen: String,
    /// The text in this attempt.
    said: String,
}

impl Shown {
    /// Returns what the next attempt, which begins anew, goes by.
    pub(super) fn again(mut self) -> Self {
        self.raw.restart();
        self.texts.values_mut().for_each(|text| text.said.clear());
        self
    }

    /// Returns the change for more of a text, if it changes anything on the screen.
    pub(super) fn grow(&mut self, path: String, more: &str) -> Option<Change> {
        self.texts.entry(path.clone()).or_default().grow(path, more)
    }

    /// Returns the change for complete options, if they are texts and new.
    pub(super) fn options(&mut self, path: String, options: Option<Vec<String>>) -> Option<Change> {
        let options = options?;
        if self.options.get(&path) == Some(&options) {
            return None;
        }
        let change = Change::set(path.as_str(), options.clone());
        self.options.insert(path, options);
        Some(change)
    }
}

impl Text {
    fn grow(&mut self, path: String, more: &str) -> Option<Change> {
        let before = self.said.len();
        self.said.push_str(more);
        if self.seen.len() == before {
            self.seen.push_str(more);
            return Some(Change::append(path, more));
        }
        if self.seen.starts_with(&self.said) {
            return None;
        }
        let change = match self.said.strip_prefix(&self.seen) {
            Some(new) => Change::append(path, new),
            None => Change::set(path, self.said.as_str()),
        };
        self.seen.clone_from(&self.said);
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Whatever the second attempt says, and wherever it is cut, the screen ends with it, and nothing is sent twice.
    #[test]
    fn a_text_that_is_said_again_is_not_told_again() {
        let seen = "Which size?";
        for said in ["Which size?", "Which size? 💍", "Which size", "What size?", "?", "Which colour?"] {
            for cut in (0..=said.len()).filter(|&cut| said.is_char_boundary(cut)) {
                let mut shown = Shown::default();
                assert_eq!(shown.grow("/a".to_owned(), seen), Some(Change::append("/a", seen)));
                let mut shown = shown.again();
                let (mut props, mut told) = (json!({"a": seen}), 0);
                for piece in [&said[..cut], &said[cut..]].into_iter().filter(|piece| !piece.is_empty()) {
                    if let Some(change) = shown.grow("/a".to_owned(), piece) {
                        told += 1;
                        change.apply(&mut props).unwrap();
                    }
                }
                let on_screen = props["a"].as_str().unwrap();
                // If less is said than is seen, the complete message at the end corrects it.
                let expected = if seen.starts_with(said) { (0, seen) } else { (told, said) };
                assert_eq!((told, on_screen), expected, "{said} at {cut}");
            }
        }
    }
}
