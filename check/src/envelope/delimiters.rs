//! Spelled delimiters, the options of an envelope, and positions in a text.

use jsonspigot::{Parser, ParserBuilder, Retain};

/// The options of an envelope, without its delimiters.
#[derive(Clone, Debug)]
pub struct Choices {
    pub hold_limit: usize,
    pub payload_limit: u64,
    pub parser: ParserBuilder,
}

impl Default for Choices {
    fn default() -> Self {
        let parser = Parser::builder().retain(Retain::Matches);
        Self { hold_limit: 4096, payload_limit: u64::MAX, parser }
    }
}

impl Choices {
    pub fn held(hold_limit: usize) -> Self {
        Self { hold_limit, ..Self::default() }
    }

    /// Returns the part of a payload's text that is kept and parsed.
    pub fn kept<'t>(&self, text: &'t str) -> &'t str {
        &text[..floor(text, usize::try_from(self.payload_limit).unwrap_or(usize::MAX))]
    }
}

/// A delimiter as its spelling says it, apart from the library's reading of it.
#[derive(Clone, Debug)]
pub struct Spelt {
    pub text: String,
    pub shape: String,
    pub name: String,
    /// The closing text of a delimiter between two texts.
    pub close: String,
    pub is_raw: bool,
    pub is_by_first_byte: bool,
    /// A JSON object with text before it.
    pub is_led: bool,
}

impl Spelt {
    pub fn new(text: &str) -> Self {
        if let Some(marks) = text.strip_prefix("between:") {
            let marks = marks.replace("\\:", "\u{1}").replace("\\,", ",");
            let parts: Vec<String> = marks.split(':').map(|part| part.replace('\u{1}', ":")).collect();
            let (name, close) = (parts[0].clone(), parts[1].clone());
            let is_raw = parts.get(2).is_some_and(|declared| declared == "raw");
            let (text, shape) = (text.to_owned(), "between".to_owned());
            let is_led = parts.get(2).is_some_and(|declared| declared == "led");
            return Self { text, shape, name, close, is_raw, is_by_first_byte: false, is_led };
        }
        let mut parts: Vec<&str> = text.split(':').collect();
        let declared =
            if matches!(parts.last(), Some(&("json" | "raw"))) && parts.len() > 2 { parts.pop() } else { None };
        Self {
            text: text.to_owned(),
            shape: parts[0].to_owned(),
            name: parts[1..].join(":"),
            close: String::new(),
            is_raw: declared == Some("raw"),
            is_by_first_byte: parts[0] == "tag" && declared.is_none(),
            is_led: false,
        }
    }

    /// Returns true if only its brackets can end its payload.
    pub fn closes_itself(&self) -> bool {
        self.shape == "bare" || self.shape == "between" && self.close.is_empty()
    }

    pub fn is_any_fence(&self) -> bool {
        self.shape == "fence" && self.name == "*"
    }
}

pub const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

pub fn string_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

pub fn floor(text: &str, length: usize) -> usize {
    (0..=length.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap()
}
