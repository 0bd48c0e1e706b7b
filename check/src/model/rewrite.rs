//! Rewrites a text: reads it by recursion, character by character. Each character of a text in a string knows its
//! spelling in the document.

use proptest::prelude::*;
use serde_json::Value;

use super::follow::{self, AT_ROOT, States};
use super::nested::{NestedPattern, nested_pattern};
use super::path::PathElement;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelRule {
    Remove,
    Replace,
    Redact,
    Map,
    MapText,
}

/// The replacement, in several spellings that need escapes.
pub const REPLACEMENT: &str = "[1, \"\\n\\\\\u{1F600}\"]";

/// Maps a value's text.
pub fn mapped(json: &str) -> String {
    format!("{{\"was\": {json}}}")
}

/// Generates one to three rules. No rule removes a root.
pub fn rules() -> impl Strategy<Value = Vec<(NestedPattern, ModelRule)>> {
    use ModelRule::{Map, MapText, Redact, Remove, Replace};
    let kind = prop::sample::select(vec![Remove, Remove, Remove, Replace, Redact, Map, MapText]);
    let rule = (nested_pattern(), kind).prop_map(|(pattern, kind)| {
        let selects_root = pattern.queries.last().is_none_or(|query| query.segments.is_empty());
        let kind = if kind == Remove && selects_root { Redact } else { kind };
        (pattern, kind)
    });
    prop::collection::vec(rule, 1..4)
}

/// A character, and how it is spelt in the document.
#[derive(Clone, Debug)]
struct Unit {
    character: char,
    raw: String,
}

/// Returns the rewritten text of a valid document; `None` if a pattern leads into a string that is not JSON.
pub fn rewritten(document: &str, rules: &[(NestedPattern, ModelRule)]) -> Option<String> {
    let units = document.chars().map(|character| Unit { character, raw: character.to_string() }).collect();
    let states: Vec<_> = rules.iter().map(|_| Some(AT_ROOT)).collect();
    text(units, &states, 0, rules)
}

fn text(
    units: Vec<Unit>,
    states: &[Option<States>],
    level: usize,
    rules: &[(NestedPattern, ModelRule)],
) -> Option<String> {
    let mut reader = RewriteReader { units, place: 0, level, rules, out: String::new(), is_mute: false };
    reader.space();
    reader.value(states)?;
    reader.space();
    Some(reader.out)
}

struct RewriteReader<'a> {
    units: Vec<Unit>,
    place: usize,
    level: usize,
    rules: &'a [(NestedPattern, ModelRule)],
    out: String,
    is_mute: bool,
}

impl RewriteReader<'_> {
    fn peek(&self) -> Option<char> {
        self.units.get(self.place).map(|unit| unit.character)
    }

    fn take(&mut self) -> char {
        let Unit { character, raw } = &self.units[self.place];
        if !self.is_mute {
            self.out.push_str(raw);
        }
        self.place += 1;
        *character
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|character| " \t\n\r".contains(character)) {
            self.take();
        }
    }

    /// Runs with what it lets through thrown away.
    fn mute<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was_mute = std::mem::replace(&mut self.is_mute, true);
        let result = run(self);
        self.is_mute = was_mute;
        result
    }

    fn write(&mut self, json: &str) {
        if self.is_mute {
            return;
        }
        let escaped = (0..self.level).fold(json.to_owned(), |text, _| {
            let quoted = serde_json::to_string(&text).unwrap();
            quoted[1..quoted.len() - 1].to_owned()
        });
        self.out.push_str(&escaped);
    }

    /// Returns the rule for a value at these states.
    fn rule(&self, states: &[Option<States>]) -> Option<ModelRule> {
        let selects = |((pattern, _), states): (&(NestedPattern, _), &Option<States>)| {
            let is_last = self.level + 1 == pattern.queries.len();
            is_last && states.is_some_and(|states| follow::is_selected(&pattern.queries[self.level], states))
        };
        self.rules.iter().zip(states).find(|pair| selects(*pair)).map(|((_, rule), _)| *rule)
    }

    fn step(&self, states: &[Option<States>], element: &PathElement) -> Vec<Option<States>> {
        let pairs = self.rules.iter().zip(states);
        let step = |pattern: &NestedPattern, states| follow::step(&pattern.queries[self.level], states, element);
        pairs.map(|((pattern, _), states)| states.map(|states| step(pattern, states))).collect()
    }

    /// Rewrites a value; `None` if a pattern leads into a string that is not JSON.
    fn value(&mut self, states: &[Option<States>]) -> Option<()> {
        let is_string = self.peek()? == '"';
        let rule = self.rule(states).filter(|rule| *rule != ModelRule::MapText || is_string);
        let Some(rule) = rule else { return self.rewritten_value(states) };
        let from = self.place;
        // A pattern may lead into a string in here all the same.
        self.mute(|reader| reader.rewritten_value(states))?;
        let json: String = self.units[from..self.place].iter().map(|unit| unit.character).collect();
        match rule {
            ModelRule::Remove => {}
            ModelRule::Replace => self.write(REPLACEMENT),
            ModelRule::Redact => self.write("\"[redacted]\""),
            ModelRule::Map => self.write(&mapped(&json)),
            ModelRule::MapText => {
                let decoded: String = serde_json::from_str(&json).ok()?;
                self.write(&Value::from(decoded.to_ascii_uppercase() + "!").to_string());
            }
        }
        Some(())
    }

    fn rewritten_value(&mut self, states: &[Option<States>]) -> Option<()> {
        match self.peek()? {
            '{' => self.container(states, '}'),
            '[' => self.container(states, ']'),
            '"' => self.string(states),
            _ => {
                while self.peek().is_some_and(|character| !",]} \t\n\r".contains(character)) {
                    self.take();
                }
                Some(())
            }
        }
    }

    fn container(&mut self, states: &[Option<States>], end: char) -> Option<()> {
        self.take();
        let (mut index, mut has_member) = (0, false);
        loop {
            let from = self.place;
            // The text before the value, with the comma.
            let is_first = index == 0;
            self.mute(|reader| {
                if !is_first {
                    assert_eq!(reader.take(), ',');
                }
                reader.space();
            });
            if is_first && self.peek()? == end {
                self.place = from;
                self.space();
                self.take();
                return Some(());
            }
            let element = if end == '}' {
                let key = self.mute(|reader| {
                    let key = reader.key();
                    reader.space();
                    assert_eq!(reader.take(), ':');
                    reader.space();
                    key
                });
                PathElement::Key(key?)
            } else {
                PathElement::Index(index)
            };
            index += 1;
            let states = self.step(states, &element);
            let value_at = self.place;
            if self.rule(&states) == Some(ModelRule::Remove) {
                self.value(&states)?;
            } else {
                // A comma is of use only if there is something before it.
                let skips_comma = !is_first && !has_member;
                self.place = from + usize::from(skips_comma);
                while self.place < value_at {
                    self.take();
                }
                has_member = true;
                self.value(&states)?;
            }
            self.space();
            if self.peek()? == end {
                self.take();
                return Some(());
            }
        }
    }

    /// Reads the characters between the quotes, each with its whole spelling.
    fn characters(&mut self) -> Option<Vec<Unit>> {
        let mut characters = Vec::new();
        let open = self.place;
        self.place += 1;
        while self.peek()? != '"' {
            let from = self.place;
            let len = match (self.peek()?, self.units.get(from + 1)?.character) {
                ('\\', 'u') => {
                    let digits: String = self.units[from + 2..from + 6].iter().map(|unit| unit.character).collect();
                    if (0xD800..0xDC00).contains(&u32::from_str_radix(&digits, 16).ok()?) { 12 } else { 6 }
                }
                ('\\', _) => 2,
                _ => 1,
            };
            let units = &self.units[from..from + len];
            let spelt: String = units.iter().map(|unit| unit.character).collect();
            let decoded: String = serde_json::from_str(&format!("\"{spelt}\"")).ok()?;
            let raw = units.iter().map(|unit| unit.raw.as_str()).collect();
            characters.push(Unit { character: decoded.chars().next()?, raw });
            self.place += len;
        }
        self.place = open;
        Some(characters)
    }

    fn skip_string(&mut self) {
        self.take();
        while self.peek() != Some('"') {
            if self.take() == '\\' {
                self.take();
            }
        }
        self.take();
    }

    fn key(&mut self) -> Option<String> {
        let key = self.characters()?.iter().map(|unit| unit.character).collect();
        self.skip_string();
        Some(key)
    }

    fn string(&mut self, states: &[Option<States>]) -> Option<()> {
        let enter = |((pattern, _), states): (&(NestedPattern, ModelRule), &Option<States>)| {
            let leads_on = self.level + 1 < pattern.queries.len();
            let selects = states.is_some_and(|states| follow::is_selected(&pattern.queries[self.level], states));
            (leads_on && selects).then_some(AT_ROOT)
        };
        let inner: Vec<Option<States>> = self.rules.iter().zip(states).map(enter).collect();
        if inner.iter().all(Option::is_none) {
            self.skip_string();
            return Some(());
        }
        let units = self.characters()?;
        let inside: String = units.iter().map(|unit| unit.character).collect();
        // Half a surrogate pair is found only where the value is made.
        serde_json::from_str::<Value>(&inside).ok()?;
        let out = text(units, &inner, self.level + 1, self.rules)?;
        self.take();
        if !self.is_mute {
            self.out.push_str(&out);
        }
        let to = self.string_end();
        self.place = to;
        self.take();
        Some(())
    }

    /// Returns the position of the quote that ends the string whose first character is next.
    fn string_end(&self) -> usize {
        let mut place = self.place;
        while self.units[place].character != '"' {
            place += if self.units[place].character == '\\' { 2 } else { 1 };
        }
        place
    }
}
