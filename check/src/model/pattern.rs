//! Patterns as a tree: their spelling, and the values that they select in a whole document. `follow` advances patterns
//! through a stream and shares no code with the selection here, so each checks the other.

use std::collections::BTreeSet;
use std::fmt;

use proptest::prelude::*;
use serde_json::Value;

use super::path::{PathElement, is_shorthand, quoted};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelPattern {
    pub segments: Vec<ModelSegment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSegment {
    pub descendant: bool,
    /// Never empty.
    pub selectors: Vec<Selector>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    Name(String),
    Index(u64),
    Slice { start: Option<u64>, end: Option<u64>, step: Option<u64> },
    Wildcard,
}

impl Selector {
    pub fn named(name: &str) -> Self {
        Selector::Name(name.to_owned())
    }
}

impl ModelSegment {
    pub fn child(selector: Selector) -> Self {
        ModelSegment { descendant: false, selectors: vec![selector] }
    }

    pub fn below(selector: Selector) -> Self {
        ModelSegment { descendant: true, selectors: vec![selector] }
    }
}

impl FromIterator<ModelSegment> for ModelPattern {
    fn from_iter<I: IntoIterator<Item = ModelSegment>>(segments: I) -> Self {
        ModelPattern { segments: segments.into_iter().collect() }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Name(name) => f.write_str(&quoted(name)),
            Selector::Index(index) => write!(f, "{index}"),
            Selector::Slice { start, end, step } => {
                start.map_or(Ok(()), |start| write!(f, "{start}"))?;
                f.write_str(":")?;
                end.map_or(Ok(()), |end| write!(f, "{end}"))?;
                step.map_or(Ok(()), |step| write!(f, ":{step}"))
            }
            Selector::Wildcard => f.write_str("*"),
        }
    }
}

impl fmt::Display for ModelPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for segment in &self.segments {
            let dots = if segment.descendant { ".." } else { "." };
            match segment.selectors.as_slice() {
                [Selector::Name(name)] if is_shorthand(name) => write!(f, "{dots}{name}")?,
                [Selector::Wildcard] => write!(f, "{dots}*")?,
                selectors => {
                    let selectors: Vec<String> = selectors.iter().map(Selector::to_string).collect();
                    let dots = if segment.descendant { ".." } else { "" };
                    write!(f, "{dots}[{}]", selectors.join(","))?;
                }
            }
        }
        Ok(())
    }
}

impl ModelPattern {
    /// Returns other spellings of the pattern: all in brackets, spaced out, double quotes, every name in `\u` escapes.
    pub fn spellings(&self) -> Vec<String> {
        // JSON's own escapes are among the RFC's.
        let double = |name: &str| serde_json::to_string(name).expect("a string prints");
        let escaped = |name: &str| {
            let units: Vec<String> = name.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
            format!("'{}'", units.concat())
        };
        let write = |space: &str, name: &dyn Fn(&str) -> String| {
            let mut out = String::from("$");
            for segment in &self.segments {
                out.push_str(space);
                out.push_str(if segment.descendant { "..[" } else { "[" });
                let selectors: Vec<String> = segment
                    .selectors
                    .iter()
                    .map(|selector| match selector {
                        Selector::Name(text) => format!("{space}{}{space}", name(text)),
                        other => {
                            format!("{space}{}{space}", other.to_string().replace(':', &format!("{space}:{space}")))
                        }
                    })
                    .collect();
                out.push_str(&selectors.join(","));
                out.push(']');
            }
            out
        };
        vec![
            self.to_string(),
            write("", &|name| quoted(name)),
            write(" \t\n\r", &|name| quoted(name)),
            write("", &double),
            write(" ", &escaped),
        ]
    }

    /// Returns the nodes that the pattern selects, each once, in pre-order of the value's own iteration.
    pub fn select<'v>(&self, root: &'v Value) -> Vec<(Vec<PathElement>, &'v Value)> {
        let mut chosen = BTreeSet::from([Vec::new()]);
        for segment in &self.segments {
            let mut from = BTreeSet::new();
            for mut path in chosen {
                if segment.descendant {
                    let node = at(root, &path);
                    walk(node, &mut path, &mut |path, _| {
                        from.insert(path.to_vec());
                    });
                } else {
                    from.insert(path);
                }
            }
            chosen = BTreeSet::new();
            for path in from {
                for selector in &segment.selectors {
                    for element in selector.children(at(root, &path)) {
                        let mut path = path.clone();
                        path.push(element);
                        chosen.insert(path);
                    }
                }
            }
        }
        let mut found = Vec::new();
        walk(root, &mut Vec::new(), &mut |path, node| {
            if chosen.contains(path) {
                found.push((path.to_vec(), node));
            }
        });
        found
    }
}

impl Selector {
    /// Returns the selected children by RFC 9535 sections 2.3.1 to 2.3.4, a slice by the loop that the RFC spells out.
    fn children(&self, node: &Value) -> Vec<PathElement> {
        match (self, node) {
            (Selector::Name(name), Value::Object(members)) if members.contains_key(name) => {
                vec![PathElement::Key(name.clone())]
            }
            (Selector::Index(index), Value::Array(elements)) if *index < elements.len() as u64 => {
                vec![PathElement::Index(*index)]
            }
            (Selector::Slice { start, end, step }, Value::Array(elements)) => {
                let len = elements.len() as u64;
                let (lower, upper) = (start.unwrap_or(0).min(len), end.unwrap_or(len).min(len));
                let step = step.unwrap_or(1);
                let mut children = Vec::new();
                let mut index = lower;
                while step > 0 && index < upper {
                    children.push(PathElement::Index(index));
                    index = index.saturating_add(step);
                }
                children
            }
            (Selector::Wildcard, Value::Object(members)) => members.keys().cloned().map(PathElement::Key).collect(),
            (Selector::Wildcard, Value::Array(elements)) => {
                (0..elements.len() as u64).map(PathElement::Index).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the node at a path that exists.
pub fn at<'v>(root: &'v Value, path: &[PathElement]) -> &'v Value {
    path.iter().fold(root, |node, element| match element {
        PathElement::Key(name) => &node[name.as_str()],
        PathElement::Index(index) => &node[usize::try_from(*index).expect("an index of this machine")],
        PathElement::Inside => unreachable!("a text inside a string is a value of its own"),
    })
}

/// Visits the node at `path` and all that lies below it, in pre-order; leaves `path` as it was.
fn walk<'v>(node: &'v Value, path: &mut Vec<PathElement>, visit: &mut dyn FnMut(&[PathElement], &'v Value)) {
    visit(path, node);
    let children: Vec<(PathElement, &Value)> = match node {
        Value::Object(members) => members.iter().map(|(name, child)| (PathElement::Key(name.clone()), child)).collect(),
        Value::Array(elements) => {
            (0..).zip(elements).map(|(index, child)| (PathElement::Index(index), child)).collect()
        }
        _ => Vec::new(),
    };
    for (element, child) in children {
        path.push(element);
        walk(child, path, visit);
        path.pop();
    }
}

/// The names that documents and patterns share, so that they meet. Some need quotes, some differ only at the end.
pub const NAMES: [&str; 16] =
    ["a", "b", "ab", "abc", "A", "", "a b", "a-b", "é", "😀", "it's", "q\"q", "b\\s", "\u{0}", "__proto__", "0"];

pub fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        // Few names in most cases: a pattern that meets nothing tests little.
        4 => prop::sample::select(&NAMES[..3]),
        1 => prop::sample::select(&NAMES[..]),
    ]
    .prop_map(str::to_owned)
}

pub fn selector() -> impl Strategy<Value = Selector> {
    let bound = || prop::option::of(0_u64..5);
    prop_oneof![
        5 => name().prop_map(Selector::Name),
        2 => (0_u64..4).prop_map(Selector::Index),
        2 => (bound(), bound(), prop::option::of(0_u64..4))
            .prop_map(|(start, end, step)| Selector::Slice { start, end, step }),
        3 => Just(Selector::Wildcard),
    ]
}

/// Generates up to five segments. Unions may name the same child twice, as the contract's "once" demands.
pub fn pattern() -> impl Strategy<Value = ModelPattern> {
    let selectors = prop_oneof![
        3 => prop::collection::vec(selector(), 1),
        1 => prop::collection::vec(selector(), 2..4),
    ];
    let segment = (prop::bool::weighted(0.3), selectors)
        .prop_map(|(descendant, selectors)| ModelSegment { descendant, selectors });
    prop_oneof![
        9 => prop::collection::vec(segment, 0..5).prop_map(|segments| ModelPattern { segments }),
        1 => prop::sample::select(adversarial_patterns()),
    ]
}

pub fn patterns(most: usize) -> impl Strategy<Value = Vec<ModelPattern>> {
    prop::collection::vec(pattern(), 0..=most)
}

/// Returns `$..*`: every value except the root.
pub fn everything_below() -> ModelPattern {
    chain(1, &Selector::Wildcard)
}

/// `$`
pub fn root() -> ModelPattern {
    ModelPattern { segments: Vec::new() }
}

/// Returns patterns whose naive states multiply: each value is reached in many ways and must be reported once.
pub fn adversarial_patterns() -> Vec<ModelPattern> {
    let a = Selector::Name("a".to_owned());
    let mut mixed = chain(4, &Selector::Wildcard);
    mixed.segments[2].descendant = false;
    mixed.segments[3].selectors = vec![a.clone(), Selector::Wildcard, Selector::Index(0), a.clone()];
    vec![
        root(),
        chain(1, &Selector::Wildcard),
        chain(3, &Selector::Wildcard),
        chain(4, &a),
        chain(3, &Selector::Index(0)),
        mixed,
    ]
}

fn chain(length: usize, selector: &Selector) -> ModelPattern {
    std::iter::repeat_n(ModelSegment::below(selector.clone()), length).collect()
}
