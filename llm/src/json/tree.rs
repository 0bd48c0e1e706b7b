//! The tree of an event's values. Each value records whether a row of the format's table has read it, so that unread
//! values can be reported at the end.
//!
//! Reading is lenient: a missing member, `null`, `""`, `false` and `[]` all mean that there is no value. Only two flaws
//! make the whole event unreadable, because its meaning is unknown: a duplicate of a member that is looked up, and half
//! of a surrogate pair in a string that is read. Flaws are checked before anything is reported.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::Cell;

use jsonspigot::internal::unescaped;

use super::marks::Mark;
use super::{Json, value_len};

/// The values of one event in the order of the text: a container is followed by its contents.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    text: &'a str,
    pub(super) values: Vec<Value<'a>>,
    pub(super) is_flawed: Cell<bool>,
}

#[derive(Debug)]
pub(super) struct Value<'a> {
    /// The raw text between the quotes of the member's name; `None` for an element and for the root.
    pub(super) key: Option<&'a str>,
    text: &'a str,
    /// The index of the first value after this one and its contents.
    pub(super) next: usize,
    /// The [`sign`]s of an object's member names, which rule out most names that it does not have.
    signs: u64,
    pub(super) mark: Cell<Mark>,
    /// True for an object that is a call, or a piece of one.
    pub(super) is_call: Cell<bool>,
}

/// Returns a bit that most other names do not share.
pub(crate) const fn sign(name: &[u8]) -> u64 {
    match name {
        [] => 1,
        [first, ..] => 1 << ((name.len() + 7 * *first as usize + 3 * name[name.len() - 1] as usize) % 64),
    }
}

/// The number of values that most events do not exceed.
const MOSTLY: usize = 24;

impl<'a> Tree<'a> {
    /// Builds the tree of a value.
    pub(crate) fn new(json: Json<'a>) -> Self {
        let text = json.spelt();
        let mut values: Vec<Value<'a>> = Vec::with_capacity(MOSTLY);
        // The open containers: index of the value, start of its text, and whether it is an object.
        let mut open: Vec<(usize, usize, bool)> = Vec::new();
        let (mut at, mut key) = (0, None);
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => at += 1,
                b'}' | b']' => {
                    at += 1;
                    let next = values.len();
                    if let Some((value, start, _)) = open.pop()
                        && let Some(value) = values.get_mut(value)
                    {
                        (value.text, value.next) = (text.get(start..at).unwrap_or_default(), next);
                    }
                }
                b'{' | b'[' => {
                    open.push((values.len(), at, *byte == b'{'));
                    values.push(Value::new(key.take(), ""));
                    at += 1;
                }
                _ => {
                    let len = value_len(text.as_bytes().get(at..).unwrap_or_default()).max(1);
                    let value = text.get(at..at + len).unwrap_or_default();
                    at += len;
                    let is_key = key.is_none() && open.last().is_some_and(|(.., is_object)| *is_object);
                    if is_key {
                        let name = value.get(1..value.len() - 1).unwrap_or_default();
                        key = Some(name);
                        if let Some((object, ..)) = open.last()
                            && let Some(object) = values.get_mut(*object)
                        {
                            object.signs |= if name.contains('\\') { u64::MAX } else { sign(name.as_bytes()) };
                        }
                    } else {
                        let next = values.len() + 1;
                        values.push(Value { next, ..Value::new(key.take(), value) });
                    }
                }
            }
        }
        Self { text, values, is_flawed: Cell::new(false) }
    }

    pub(crate) fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }

    /// Returns all values, a container before its contents.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.values.len()).map(|at| Node { tree: self, at })
    }

    /// Returns the event's text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }
}

impl<'a> Value<'a> {
    fn new(key: Option<&'a str>, text: &'a str) -> Self {
        Self { key, text, next: 0, signs: 0, mark: Cell::new(Mark::Unread), is_call: Cell::new(false) }
    }
}

/// A value of an event, or no value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'e> {
    pub(super) tree: &'e Tree<'e>,
    pub(super) at: usize,
}

/// The index of a missing value.
pub(super) const NONE: usize = usize::MAX;

impl<'e> Node<'e> {
    pub(super) fn value(self) -> Option<&'e Value<'e>> {
        self.tree.values.get(self.at)
    }

    pub(super) fn at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// Returns the value's raw text; `""` if there is no value.
    pub(crate) fn spelt(self) -> &'e str {
        self.value().map_or("", |value| value.text)
    }

    /// Returns the value as [`Json`], which is missing if the value is `null`.
    pub(crate) fn json(self) -> Json<'e> {
        if self.is_given() { Json::of(self.spelt()) } else { Json::default() }
    }

    /// Returns the decoded name of the member; `""` for other values.
    pub(crate) fn key(self) -> Cow<'e, str> {
        let key = self.value().and_then(|value| value.key).unwrap_or_default();
        if key.contains('\\') { unescaped(key).unwrap_or_default().into() } else { key.into() }
    }

    /// Returns true if there is a value, even if it is `null`.
    pub(crate) fn is_there(self) -> bool {
        self.value().is_some()
    }

    /// Returns true if there is a value other than `null`.
    pub(crate) fn is_given(self) -> bool {
        !matches!(self.spelt(), "" | "null")
    }

    pub(crate) fn is_object(self) -> bool {
        self.spelt().starts_with('{')
    }

    pub(crate) fn is_list(self) -> bool {
        self.spelt().starts_with('[')
    }

    pub(crate) fn is_string(self) -> bool {
        self.spelt().starts_with('"')
    }

    /// Returns true if there is no value, or one of those that servers send for nothing.
    pub(crate) fn is_nothing(self) -> bool {
        !self.is_given() || self.json().is_nothing()
    }

    pub(crate) fn is_true(self) -> bool {
        self.spelt() == "true"
    }

    /// Returns the decoded text of a string; `None` for any other value. An invalid escape is a flaw.
    pub(crate) fn text(self) -> Option<Cow<'e, str>> {
        match Json::of(self.spelt()).text() {
            Ok(text) => text,
            Err(_) => {
                self.flaw();
                None
            }
        }
    }

    /// Returns the decoded text of a string and marks it as read. Any other value returns `""` and is marked as odd.
    pub(crate) fn said(self) -> Cow<'e, str> {
        match self.text() {
            Some(text) => {
                self.read();
                text
            }
            None => {
                self.odd(Mark::Odd);
                Cow::Borrowed("")
            }
        }
    }

    /// Returns the whole input of a call, either JSON text in a string or JSON, and marks it as read. Any other value
    /// returns `""` and is marked as torn.
    pub(crate) fn input(self) -> Cow<'e, str> {
        match self.json().piece() {
            Ok(piece) => {
                self.as_input();
                piece.into_cow()
            }
            Err(_) => {
                self.odd(Mark::Torn);
                Cow::Borrowed("")
            }
        }
    }

    /// Returns a string's decoded text or a number's digits and marks the value as read. Any other value returns `""`.
    pub(crate) fn word(self) -> Cow<'e, str> {
        let number = || self.json().word();
        let word = self.text().unwrap_or_else(number);
        if !word.is_empty() {
            self.read();
        }
        word
    }

    /// Records a flaw, which makes the event unreadable.
    pub(crate) fn flaw(self) {
        self.tree.is_flawed.set(true);
    }

    /// Returns the members of an object or the elements of a list.
    pub(crate) fn children(self) -> impl Iterator<Item = Self> + use<'e> {
        let end = self.value().map_or(0, |value| value.next);
        let mut at = self.at.saturating_add(1);
        core::iter::from_fn(move || {
            let child = self.at(at);
            at = child.value().filter(|_| at < end)?.next;
            Some(child)
        })
    }

    /// Returns true if the value may have a member with one of these signs.
    pub(crate) fn may_have(self, signs: u64) -> bool {
        signs == u64::MAX || self.value().is_some_and(|value| value.signs & signs != 0)
    }

    /// Returns an object's member, or a missing value. A duplicate is a flaw.
    pub(crate) fn member(self, name: &str) -> Self {
        let mut found = self.at(NONE);
        if self.value().is_none_or(|value| value.signs & sign(name.as_bytes()) == 0) {
            return found;
        }
        for child in self.children() {
            let key = child.value().and_then(|value| value.key).unwrap_or_default();
            if key == name || (key.contains('\\') && unescaped(key).is_some_and(|key| key == name)) {
                if found.at != NONE {
                    self.flaw();
                }
                found = child;
            }
        }
        found
    }
}
