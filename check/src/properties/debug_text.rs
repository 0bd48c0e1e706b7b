//! The contents of a typed look, read back from its `Debug` text, and a comparison with a later look. `Debug` rather
//! than `Serialize`, because it names the variant of every enum, even if it is untagged or internally tagged.

/// The differences that a type allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// The `Debug` of values of absent fields, besides the usual ones.
    pub absent: &'static [&'static str],
    /// Fields that are gone when they turn out not to fit: optional ones that are flattened, whose errors serde drops.
    pub may_vanish: &'static [&'static str],
    /// True if some value in it is absent while it is open, although it could be shown.
    pub waits: bool,
    /// The reason why a shown value may become something else, for types whose open values no format could distinguish.
    pub may_change: Option<&'static str>,
}

/// The contents of a look, as a tree: text may grow, lists, sets and maps may gain members, and nothing else may
/// change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The contents of quotes, with their escapes.
    Text(String),
    /// Names, numbers, dates: whatever has no parts.
    Bare(String),
    List(Vec<Shown>),
    Tuple(Vec<Shown>),
    /// With the names of its fields.
    Struct(Vec<(Shown, Shown)>),
    Map(Vec<(Shown, Shown)>),
    Set(Vec<Shown>),
}

impl Shown {
    /// # Panics
    ///
    /// If the text is not what a derived or usual `Debug` writes.
    pub fn of(text: &str) -> Self {
        let mut reader = DebugReader { rest: text };
        let shown = reader.value();
        assert!(reader.rest.is_empty(), "left of {text}: {}", reader.rest);
        shown
    }

    /// Returns true if the later look has all of this one's contents. The rules name the values of missing fields.
    pub fn grows_into(&self, later: &Self, rules: &Rules) -> bool {
        self.parts.len() == later.parts.len()
            && self.parts.iter().zip(&later.parts).all(|(old, new)| old.grows_into(new, rules))
    }

    /// Returns true if this is the value of a field that has not arrived yet.
    fn is_absent(&self, rules: &Rules) -> bool {
        match self.parts.as_slice() {
            [Part::Text(text)] => text.is_empty(),
            [Part::Bare(name)] => {
                ["None", "0", "0.0", "false", "()"].contains(&name.as_str()) || rules.absent.contains(&name.as_str())
            }
            // An absent field that is a newtype of something absent.
            [Part::Bare(_), Part::Tuple(inner)] => inner.len() == 1 && inner[0].is_absent(rules),
            [Part::List(inner) | Part::Set(inner)] => inner.is_empty(),
            [Part::Map(inner)] => inner.is_empty(),
            [Part::Tuple(inner)] => inner.iter().all(|inner| inner.is_absent(rules)),
            _ => false,
        }
    }

    fn is_bare(&self, text: &str) -> bool {
        matches!(self.parts.as_slice(), [Part::Bare(bare)] if bare == text)
    }

    /// Returns true if absence is not a value of its own: only a field that waits for its whole value may still arrive.
    fn waits(&self) -> bool {
        match self.parts.as_slice() {
            [Part::Bare(name), Part::Tuple(inner)] if name == "Settled" => inner[0].is_absent(&Rules::default()),
            _ => false,
        }
    }

    /// Returns true if the later look is equal, except for fields that waited and no longer do.
    fn settles_into(&self, later: &Self) -> bool {
        self.waits() && later.parts.first() == self.parts.first()
            || self.parts.len() == later.parts.len()
                && self.parts.iter().zip(&later.parts).all(|(old, new)| old.settles_into(new))
    }

    fn grows_inside(&self, later: &Self, rules: &Rules) -> bool {
        self.waits() && later.parts.first() == self.parts.first() || self.grows_into(later, rules)
    }
}

impl Part {
    fn settles_into(&self, later: &Self) -> bool {
        match (self, later) {
            (Part::List(old), Part::List(new)) | (Part::Tuple(old), Part::Tuple(new)) => {
                old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.settles_into(new))
            }
            (Part::Struct(old), Part::Struct(new)) | (Part::Map(old), Part::Map(new)) => {
                let same =
                    |(old, new): (&(Shown, Shown), &(Shown, Shown))| old.0 == new.0 && old.1.settles_into(&new.1);
                old.len() == new.len() && old.iter().zip(new).all(same)
            }
            (old, new) => old == new,
        }
    }

    fn grows_into(&self, later: &Self, rules: &Rules) -> bool {
        match (self, later) {
            (Part::Text(old), Part::Text(new)) => new.starts_with(old.as_str()),
            (Part::Bare(old), Part::Bare(new)) => old == new,
            (Part::List(old), Part::List(new)) => {
                let Some(end) = old.len().checked_sub(1) else { return true };
                let closed = old[..end].iter().zip(new).all(|(old, new)| old.settles_into(new));
                new.len() > end && closed && old[end].grows_inside(&new[end], rules)
            }
            (Part::Tuple(old), Part::Tuple(new)) => {
                old.len() == new.len() && at_most_one_grows(old.iter().zip(new), rules)
            }
            (Part::Struct(old), Part::Struct(new)) => {
                let vanishes = |((name, _), (_, new)): &(&(Shown, Shown), &(Shown, Shown))| {
                    rules.may_vanish.iter().any(|field| name.is_bare(field)) && new.is_bare("None")
                };
                let is_same = old.iter().map(|(name, _)| name).eq(new.iter().map(|(name, _)| name));
                is_same
                    && at_most_one_grows(
                        old.iter().zip(new).filter(|pair| !vanishes(pair)).map(|((_, old), (_, new))| (old, new)),
                        rules,
                    )
            }
            (Part::Map(old), Part::Map(new)) => {
                let now = |key| new.iter().find(|(other, _)| other == key).map(|(_, value)| value);
                let settles = |key, value: &Shown| now(key).is_some_and(|now| value.settles_into(now));
                let changed = old.iter().filter(|(key, value)| !settles(key, value));
                changed.clone().count() <= 1
                    && old.iter().all(|(key, value)| now(key).is_some_and(|now| value.grows_inside(now, rules)))
            }
            // The future contents of an empty one are unknown.
            (Part::Map(old), Part::Set(_)) => old.is_empty(),
            (Part::Set(old), Part::Set(new)) => {
                let mut changed = old.iter().filter(|element| !new.contains(element));
                let last = changed.next();
                changed.next().is_none()
                    && last.is_none_or(|last| new.iter().any(|element| last.grows_into(element, rules)))
            }
            _ => false,
        }
    }
}

/// Checks a tuple or struct. Several fields may appear at once if they were buffered, but only one is open.
fn at_most_one_grows<'a>(pairs: impl Iterator<Item = (&'a Shown, &'a Shown)>, rules: &Rules) -> bool {
    let mut changed = 0;
    for (old, new) in pairs {
        if old.settles_into(new) || old.is_absent(rules) {
            continue;
        }
        changed += 1;
        if changed > 1 || !old.grows_into(new, rules) {
            return false;
        }
    }
    true
}

struct DebugReader<'a> {
    rest: &'a str,
}

impl<'a> DebugReader<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Reads a value up to the comma, colon or bracket that ends it.
    fn value(&mut self) -> Shown {
        let mut parts = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches(' ');
            let Some(first) = self.rest.chars().next() else { break };
            match first {
                ',' | ')' | ']' | '}' => break,
                ':' if self.rest.starts_with(": ") => break,
                '"' => parts.push(Part::Text(self.quoted('"'))),
                '\'' => parts.push(Part::Bare(self.quoted('\''))),
                '[' => parts.push(Part::List(self.members(']').into_iter().map(|(_, value)| value).collect())),
                '(' => parts.push(Part::Tuple(self.members(')').into_iter().map(|(_, value)| value).collect())),
                '{' => {
                    let mut members = self.members('}');
                    let is_named = matches!(parts.last(), Some(Part::Bare(name)) if name != "Object");
                    let part = if is_named {
                        Part::Struct(keyed(members))
                    } else {
                        // A hash map has them in any order.
                        members.sort();
                        let is_set = members.iter().any(|(key, _)| key.is_none());
                        if is_set {
                            Part::Set(members.into_iter().map(|(_, value)| value).collect())
                        } else {
                            Part::Map(keyed(members))
                        }
                    };
                    parts.push(part);
                }
                _ => {
                    let ends = |(at, c): (usize, char)| {
                        ",()[]{}\"'".contains(c) || c == ':' && self.rest[at + 1..].starts_with(' ')
                    };
                    let end = self.rest.char_indices().find(|at| ends(*at)).map_or(self.rest.len(), |(at, _)| at);
                    parts.push(Part::Bare(self.take(end).trim_end().to_owned()));
                }
            }
        }
        Shown { parts }
    }

    fn quoted(&mut self, quote: char) -> String {
        let mut escaped = false;
        let end = self.rest[1..].find(|c: char| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let length = end.expect("a quote is closed") + 2;
        let text = self.take(length);
        text[1..length - 1].to_owned()
    }

    fn members(&mut self, close: char) -> Vec<(Option<Shown>, Shown)> {
        let mut members = Vec::new();
        self.take(1);
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if self.rest.starts_with(close) {
                self.take(1);
                return members;
            }
            let first = self.value();
            if self.rest.starts_with(": ") {
                self.take(2);
                members.push((Some(first), self.value()));
            } else {
                members.push((None, first));
            }
            assert!(self.rest.starts_with([',', close]), "in {members:?}: {}", self.rest);
        }
    }
}

/// Returns the members with keys. Only the two dots at the end of a struct that hides some fields have none.
fn keyed(members: Vec<(Option<Shown>, Shown)>) -> Vec<(Shown, Shown)> {
    members.into_iter().map(|(key, value)| (key.unwrap_or_else(|| value.clone()), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_and_what_does_not() {
        let grows = [
            (r#""a""#, r#""ab""#),
            (r#"["a", "b"]"#, r#"["a", "bc", "d"]"#),
            ("[]", "[1]"),
            (r#"S { a: "x", b: None }"#, r#"S { a: "xy", b: None }"#),
            (r#"S { a: "x", b: None }"#, r#"S { a: "x", b: Some(1) }"#),
            (r#"S { a: 0, b: [] }"#, r#"S { a: 3, b: [1, 2] }"#),
            (r#"{"k": "v"}"#, r#"{"a": "", "k": "v"}"#),
            (r#"{"k": "v"}"#, r#"{"k": "vw"}"#),
            (r#"{"a", "b"}"#, r#"{"ac", "b"}"#),
            ("{}", r#"{"a"}"#),
            (r#"Text { text: "a" }"#, r#"Text { text: "a\n" }"#),
            ("[Settled(None)]", "[Settled(Some(1)), Settled(None)]"),
            (
                "S { a: T { b: Settled(None) }, c: [Settled(None), U(1)] }",
                "S { a: T { b: Settled(Some(1)) }, c: [Settled(Some(2)), U(1)] }",
            ),
            (r#"Object {"a": Array [Number(1)]}"#, r#"Object {"a": Array [Number(1), String("")]}"#),
            ("2024-01-02 3:04:05.0 +00:00:00", "2024-01-02 3:04:05.0 +00:00:00"),
            ("Some([::1]:80)", "Some([::1]:80)"),
            (r#"S(Some("a'b"), 'x')"#, r#"S(Some("a'bc"), 'x')"#),
        ];
        for (old, new) in grows {
            assert!(Shown::of(old).grows_into(&Shown::of(new), &Rules::default()), "{old} -> {new}");
        }
        let differs = [
            (r#""ab""#, r#""a""#),
            (r#"["a", "b"]"#, r#"["ab", "b"]"#),
            ("[1]", "[2]"),
            ("[1, 2]", "[1]"),
            ("[None]", "[Some(1)]"),
            ("Ru", "Run"),
            (r#"Ru { text: "" }"#, r#"Run { text: "" }"#),
            ("Some(1)", "None"),
            ("S { a: 1 }", "S { a: 12 }"),
            (r#"S { a: "x", b: "y" }"#, r#"S { a: "xx", b: "yy" }"#),
            (r#"{"k": 1}"#, r#"{"j": 1}"#),
            (r#"{"k": "a", "l": "b"}"#, r#"{"k": "aa", "l": "bb"}"#),
            (r#"{"a", "b"}"#, r#"{"c", "d"}"#),
            (r#"String("1")"#, "Number(1)"),
            ("Settled(Some(1))", "Settled(None)"),
            ("S { a: Settled(Some(1)), b: Settled(None) }", "S { a: Settled(None), b: Settled(Some(2)) }"),
            ("2024-01-02", "2024-01-03"),
            ("'a'", "'b'"),
        ];
        for (old, new) in differs {
            assert!(!Shown::of(old).grows_into(&Shown::of(new), &Rules::default()), "{old} -> {new}");
        }
        let rules = Rules { absent: &["42"], may_vanish: &["b"], ..Rules::default() };
        let [some, none] = ["S { b: Some(1) }", "S { b: None }"].map(Shown::of);
        assert!(some.grows_into(&none, &rules) && !some.grows_into(&none, &Rules::default()));
        assert!(Shown::of("S { a: 42 }").grows_into(&Shown::of("S { a: 7 }"), &rules));
    }
}
