//! The tree of an event's values. Each value records whether a row of the format's table has read it, so that unread
//! values can be reported at the end.
//!
//! Reading is lenient: a missing member, `null`, `""`, `false` and `[]` all mean that there is no value. Only two flaws
//! make the whole event unreadable, because its meaning is unknown: a duplicate of a member that is looked up, and half
//! of a surrogate pair in a string that is read. Flaws are checked before anything is reported.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, OnceCell};

use jsonspigot::internal::unescaped;

use super::atom_len;
use super::marks::Mark;
use super::spelling::{inside, quoted, whole_number};

/// The values of one event in the order of the text: a container is followed by its contents.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    text: &'a str,
    pub(super) values: Vec<Value<'a>>,
    pub(super) is_flawed: Cell<bool>,
}

#[derive(Debug)]
pub(super) struct Value<'a> {
    /// The member's name; `None` for an element and for the root.
    pub(super) key: Option<Cow<'a, str>>,
    text: &'a str,
    /// The text of a string with escapes, once it has been read.
    decoded: OnceCell<Box<str>>,
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
    /// Builds the tree of a text that is known to be one JSON value, or empty.
    pub(crate) fn new(text: &'a str) -> Self {
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
                    let len = atom_len(text.as_bytes().get(at..).unwrap_or_default()).max(1);
                    let value = text.get(at..at + len).unwrap_or_default();
                    at += len;
                    let is_key = key.is_none() && open.last().is_some_and(|(.., is_object)| *is_object);
                    if is_key {
                        let name = decoded(value.get(1..value.len() - 1).unwrap_or_default());
                        if let Some((object, ..)) = open.last()
                            && let Some(object) = values.get_mut(*object)
                        {
                            object.signs |= sign(name.as_bytes());
                        }
                        key = Some(name);
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

    /// Returns the event's text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }
}

impl<'a> Value<'a> {
    fn new(key: Option<Cow<'a, str>>, text: &'a str) -> Self {
        let (decoded, mark, is_call) = (OnceCell::new(), Cell::new(Mark::Unread), Cell::new(false));
        Self { key, text, decoded, next: 0, signs: 0, mark, is_call }
    }
}

/// Returns the name of a member, given the text between its quotes, which is returned if it has half a surrogate pair.
fn decoded(name: &str) -> Cow<'_, str> {
    let has_escapes = name.as_bytes().contains(&b'\\');
    if has_escapes { unescaped(name).map_or(Cow::Borrowed(name), Cow::Owned) } else { name.into() }
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

    /// Returns the value's raw text; `""` if there is no value or if it is `null`.
    pub(crate) fn given(self) -> &'e str {
        Some(self.spelt()).filter(|text| *text != "null").unwrap_or_default()
    }

    /// Returns the decoded name of the member; `""` for other values.
    pub(crate) fn key(self) -> &'e str {
        self.value().and_then(|value| value.key.as_deref()).unwrap_or_default()
    }

    /// Returns the name of the member as a JSON string.
    pub(crate) fn quoted_key(self) -> String {
        match self.value().and_then(|value| value.key.as_ref()) {
            // Spelled like this in the text. A name with half a surrogate pair is kept too.
            Some(Cow::Borrowed(raw)) => ["\"", *raw, "\""].concat(),
            _ => quoted(self.key()),
        }
    }

    /// Returns the value of a whole number; `None` for any other value.
    pub(crate) fn whole(self) -> Option<u64> {
        if self.is_number() { whole_number(self.spelt()) } else { None }
    }

    fn is_number(self) -> bool {
        self.spelt().starts_with(|first: char| first == '-' || first.is_ascii_digit())
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

    /// Returns true if there is no value, or one of those that servers send for nothing: `null`, `""`, `false` and, since
    /// some languages have no empty object, `[]`.
    pub(crate) fn is_nothing(self) -> bool {
        matches!(self.spelt(), "" | "null" | "\"\"" | "false") || self.is_list() && self.is_empty()
    }

    /// Returns true if there is a value that stands for something, other than an empty object.
    pub(crate) fn is_anything(self) -> bool {
        !self.is_nothing() && self.spelt() != "{}"
    }

    /// Returns true if there is nothing in the value.
    fn is_empty(self) -> bool {
        self.children().next().is_none()
    }

    /// Returns true for a non-empty string, list or object.
    pub(crate) fn says_something(self) -> bool {
        (self.is_string() && self.spelt() != "\"\"") || !self.is_empty()
    }

    pub(crate) fn is_true(self) -> bool {
        self.spelt() == "true"
    }

    /// Returns the decoded text of a string; `None` for any other value. An invalid escape is a flaw.
    pub(crate) fn text(self) -> Option<&'e str> {
        let value = self.value()?;
        let inside = inside(value.text, '"')?;
        if !inside.contains('\\') {
            return Some(inside);
        }
        if value.decoded.get().is_none() {
            let Some(text) = unescaped(inside) else {
                self.flaw();
                return None;
            };
            let _ = value.decoded.set(text.into());
        }
        value.decoded.get().map(|text| &**text)
    }

    /// Returns the decoded text of a string and marks it as read. Any other value returns `""` and is marked as odd.
    pub(crate) fn said(self) -> &'e str {
        match self.text() {
            Some(text) => {
                self.read();
                text
            }
            None => {
                self.odd(Mark::Odd);
                ""
            }
        }
    }

    /// Returns the decoded text of a string, or the raw text of any other value or of a string with an invalid escape.
    pub(crate) fn text_or_json(self) -> &'e str {
        self.text().unwrap_or(self.given())
    }

    /// Returns a call's input or a piece of it: JSON text in a string, or an object, which is the whole input. Returns
    /// `None` for any other value.
    pub(crate) fn piece(self) -> Option<&'e str> {
        self.text().or_else(|| (self.is_object() || !self.is_given()).then(|| self.given()))
    }

    /// Returns the whole input of a call, either JSON text in a string or JSON, and marks it as read. Any other value
    /// returns `""` and is marked as torn.
    pub(crate) fn input(self) -> &'e str {
        match self.piece() {
            Some(piece) => {
                self.as_input();
                piece
            }
            None => {
                self.odd(Mark::Torn);
                ""
            }
        }
    }

    /// Returns a string's decoded text or a number's digits; `""` for any other value.
    pub(crate) fn peek(self) -> &'e str {
        match self.text() {
            Some(text) => text,
            None if self.is_number() => self.spelt(),
            None => "",
        }
    }

    /// Returns a string's decoded text or a number's digits and marks the value as read. Any other value returns `""`.
    pub(crate) fn word(self) -> &'e str {
        let word = self.peek();
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

    /// Returns an object's members. Other values have none.
    pub(crate) fn members(self) -> impl Iterator<Item = Self> + use<'e> {
        self.children().filter(move |_| self.is_object())
    }

    /// Returns a list's elements. Other values have none.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> + use<'e> {
        self.children().filter(move |_| self.is_list())
    }

    /// Returns the tree that the value is in.
    pub(crate) fn tree(self) -> &'e Tree<'e> {
        self.tree
    }

    /// Returns the value and all values in it, a container before its contents.
    pub(crate) fn nodes(self) -> impl Iterator<Item = Self> + use<'e> {
        let end = self.value().map_or(self.at, |value| value.next);
        (self.at..end).map(move |at| self.at(at))
    }

    /// Returns true if the value may have a member with one of these signs.
    pub(crate) fn may_have(self, signs: u64) -> bool {
        signs == u64::MAX || self.value().is_some_and(|value| value.signs & signs != 0)
    }

    /// Returns an object's member, or a missing value. A duplicate is a flaw.
    pub(crate) fn member(self, name: &str) -> Self {
        self.member_with(sign(name.as_bytes()), name)
    }

    /// Does the same as [`member`](Self::member), given the name's sign.
    pub(crate) fn member_with(self, sign: u64, name: &str) -> Self {
        let mut found = NONE;
        let end = self.value().filter(|value| value.signs & sign != 0).map_or(0, |value| value.next);
        let mut at = self.at.saturating_add(1);
        while let Some(child) = self.tree.values.get(at).filter(|_| at < end) {
            if child.key.as_deref() == Some(name) {
                if found != NONE {
                    self.flaw();
                }
                found = at;
            }
            at = child.next;
        }
        self.at(found)
    }
}
