//! A view of one JSON text: each value is the piece of text that spells it, and is read only if it is asked for.
//!
//! Owns how an event is read: leniently. Servers put `null` for absent, `[]` for an empty object, `""` for nothing, and
//! none of this may cost the whole event. So every member may be missing, and a number or a switch in place of a word
//! counts as missing. But what may say something is never passed over: a value of another type where an object, a list,
//! a place or a [`Piece`] belongs, or an object in place of a word, makes the event unreadable. What the events of a
//! provider are made of is said with [`objects!`], beside its reader.
//!
//! The grammar is checked once, in [`Json::new`]. All else relies on it: values end where the next comma, bracket or
//! quote says so, and containers are passed over by counting brackets, without recursion, however deep they are. An
//! object is read in one pass for all the members that are wanted of it, so that reading costs its length times a
//! constant, whatever it holds.
//!
//! Two things are noticed only where something is read, and make the whole event [`Unreadable`]: a string whose escapes
//! stand for half a surrogate pair, which may be half of something that matters; and a wanted member that is there
//! twice, as nobody can say which one the sender meant. Text that is passed over or kept as it is spelt is not looked
//! at. As a reader first reads all that it wants and then reports it, nothing is reported of such an event.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use jsonspigot::internal::{string_len, unescaped};
use serde::de::IgnoredAny;

pub(crate) use self::either::TextOrJson;
pub(crate) use self::piece::{Around, Lazy, Others, Piece, Pieces};
use self::spelling::whole_number;
pub(crate) use self::spelling::{push_member, quoted};
pub(crate) use self::tree::{Mark, Node, Tree, sign};
use self::unread::Watch;
pub(crate) use self::unread::{Silent, Unread, place_of};
pub(crate) use self::word::{Id, Text};

/// A value as it is spelt; or none, where a member is missing. And where it is noted if anybody asks for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Json<'a>(&'a str, Watch<'a>);

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Json<'_> {}

/// An event that is JSON by its grammar, and can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl<'a> Json<'a> {
    /// A missing member.
    const MISSING: Self = Self("", Watch::NOBODY);

    /// The value that a text consists of; `None` if the text is not JSON by its grammar.
    pub(crate) fn new(text: &'a str) -> Option<Self> {
        // Values that nobody wants are checked without recursion and without a limit of depth.
        serde_json::from_slice::<IgnoredAny>(text.as_bytes()).is_ok().then(|| Self::of(text.trim_matches(is_space)))
    }

    /// The value as it is spelt; `""` if it is missing.
    pub(crate) fn spelt(self) -> &'a str {
        self.1.note_use();
        self.0
    }

    /// Returns true if the value is there.
    pub(crate) fn is_given(self) -> bool {
        self != Self::MISSING
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(crate) fn is_string(self) -> bool {
        self.0.starts_with('"')
    }

    /// The text that a string stands for; `None` for anything else.
    pub(crate) fn text(self) -> Result<Option<Cow<'a, str>>, Unreadable> {
        self.1.note_use();
        decoded(self.0)
    }

    /// A string's text or a number's digits; `""` for anything else.
    pub(crate) fn word(self) -> Cow<'a, str> {
        match self.text() {
            Ok(Some(text)) => text,
            Ok(None) if self.is_number() => Cow::Borrowed(self.0),
            _ => Cow::Borrowed(""),
        }
    }

    /// The text that a string stands for, or the JSON of anything else, a string that can't be read included.
    pub(crate) fn text_or_json(self) -> TextOrJson<'a> {
        match self.text() {
            Ok(Some(text)) => TextOrJson::Text(text),
            _ => TextOrJson::Json(self.spelt()),
        }
    }

    /// Reads the members of an object, and of nothing else, into the fields that wait for them under their names.
    ///
    /// Costs the object's length, times the number of fields. Those are told apart when it runs and not when it is
    /// compiled: a loop for each type of event would be most of what a wire format takes in a program.
    pub(crate) fn read_members(self, fields: &mut [(&str, Option<&mut dyn Field<'a>>)]) -> Result<(), Unreadable> {
        if !self.is_object() {
            return Err(Unreadable);
        }
        for (name, value) in self.members() {
            let key = decoded(name.0)?.unwrap_or_default();
            if let Some((_, field)) = fields.iter_mut().find(|(wanted, _)| *wanted == key && key != "*") {
                // It is taken if the member was there before.
                field.take().ok_or(Unreadable)?.read(value.listed(name))?;
            } else if let Some(("*", Some(others))) = fields.last_mut() {
                others.read_other(name, value);
            } else {
                let _ = value.listed(name);
            }
        }
        Ok(())
    }

    /// An object's members in their order, keys as they are spelt; none of anything else.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        self.1.note_use();
        let mut inside = Inside::of(self, '{');
        core::iter::from_fn(move || Some((inside.next()?, inside.next().unwrap_or(Self::MISSING))))
    }

    /// The length of the value that a text begins with, if it is one; 0 if none begins there.
    pub(crate) fn len_of(text: &str) -> usize {
        value_len(text.as_bytes())
    }

    /// A text that is known to be one value.
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text, Watch::NOBODY)
    }

    /// The first member of this name; a missing value if there is none, or if it is null.
    pub(crate) fn member(self, name: &str) -> Self {
        self.given(name).filter(|found| found.0 != "null").unwrap_or(Self::MISSING)
    }

    /// The first member of this name, null too.
    pub(crate) fn given(self, name: &str) -> Option<Self> {
        self.members().find(|(key, _)| *key.word() == *name).map(|(_, value)| value)
    }

    /// Returns the text that stands between a string's quotes or a list's brackets, as it is spelt; `None` for anything
    /// else.
    pub(crate) fn inside(self, bracket: char) -> Option<&'a str> {
        let close = if bracket == '[' { ']' } else { bracket };
        self.0.strip_prefix(bracket)?.strip_suffix(close)
    }

    /// A list's elements; none of anything else.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        self.1.note_use();
        Inside::of(self, '[')
    }

    /// Reads an object, and nothing else.
    pub(crate) fn object<T: Object<'a>>(self) -> Result<T, Unreadable> {
        let mut object = T::default();
        object.read_members(self)?;
        Ok(object)
    }

    /// Reads the objects of a list; other elements are passed over, and anything else has none.
    pub(crate) fn objects<T: Object<'a>>(self) -> Result<Vec<T>, Unreadable> {
        let mut objects = Vec::new();
        self.each_object(&mut |element| {
            objects.push(T::default());
            objects.last_mut().map_or(Ok(()), |object: &mut T| object.read_members(element))
        })?;
        Ok(objects)
    }

    // Compiled once, not once for each type of object.
    fn each_object(self, read: &mut dyn FnMut(Self) -> Result<(), Unreadable>) -> Result<(), Unreadable> {
        self.text()?;
        for element in self.elements() {
            if element.is_object() {
                read(element)?;
            } else {
                element.text()?;
            }
        }
        Ok(())
    }

    /// The name of an object's first member.
    pub(crate) fn first_name(self) -> Cow<'a, str> {
        self.members().next().map_or(Cow::Borrowed(""), |(name, _)| name.word())
    }

    /// A place in a list. Some gateways spell numbers as strings.
    pub(crate) fn index(self) -> Option<u64> {
        match self.text() {
            Ok(Some(digits)) => digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit())),
            _ => self.whole(),
        }
    }

    /// Returns true if it is a list or an object with nothing in it.
    fn is_empty(self) -> bool {
        let inside = self.inside('[').or(self.0.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')));
        inside.is_some_and(|inside| inside.trim_ascii().is_empty())
    }

    /// Returns true if it is what servers put where there is nothing: null, no text, or, as some languages have no
    /// empty object, an empty list.
    pub(crate) fn is_nothing(self) -> bool {
        matches!(self.0, "null" | "\"\"" | "false") || (self.inside('[').is_some() && self.is_empty())
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == "true"
    }

    /// The whole number that a number is; `None` for anything else.
    pub(crate) fn whole(self) -> Option<u64> {
        if self.is_number() { whole_number(self.0) } else { None }
    }

    fn is_number(self) -> bool {
        self.0.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }
}

/// The text that a string stands for; `None` for anything else.
fn decoded(json: &str) -> Result<Option<Cow<'_, str>>, Unreadable> {
    match json.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')) {
        None => Ok(None),
        Some(plain) if !plain.contains('\\') => Ok(Some(Cow::Borrowed(plain))),
        Some(inside) => unescaped(inside).map(|text| Some(Cow::Owned(text))).ok_or(Unreadable),
    }
}

/// The values inside a container, keys included, one after the other.
struct Inside<'a>(&'a str, Watch<'a>);

impl<'a> Inside<'a> {
    fn of(json: Json<'a>, bracket: char) -> Self {
        Self(json.0.strip_prefix(bracket).unwrap_or_default(), json.1.of_parts())
    }
}

impl<'a> Iterator for Inside<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        let rest = self.0.trim_start_matches(|c| is_space(c) || c == ',' || c == ':');
        // Nothing is as long as the bracket that closes the container, or as its end.
        let (value, rest) = rest.split_at_checked(value_len(rest.as_bytes())).filter(|(value, _)| !value.is_empty())?;
        self.0 = rest;
        Some(Json(value, self.1))
    }
}

/// The length of the value that a text begins with; 0 if there is none.
fn value_len(text: &[u8]) -> usize {
    match text.first() {
        Some(b'"') => string_len(text),
        Some(b'{' | b'[') => container_len(text),
        _ => {
            let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}') || is_space(char::from(*byte));
            text.iter().position(is_end).unwrap_or(text.len())
        }
    }
}

/// The length of the container that a text begins with: up to the bracket that closes as many as have been opened.
fn container_len(text: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_len(text.get(at..).unwrap_or_default());
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// A field that waits for a member of an object. Until one is read, it is what a missing one comes to.
pub(crate) trait Field<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable>;

    /// Takes a member that no field of its object waits for: [`Others`] does.
    fn read_other(&mut self, _name: Json<'a>, _json: Json<'a>) {}
}

/// A struct of fields; [`objects!`] declares them.
pub(crate) trait Object<'a>: Default {
    fn read_members(&mut self, json: Json<'a>) -> Result<(), Unreadable>;
}

/// As it is spelt, whatever it is; missing if it is null.
impl<'a> Field<'a> for Json<'a> {
    fn read(&mut self, json: Self) -> Result<(), Unreadable> {
        *self = if json.0 == "null" { Self::MISSING } else { json };
        Ok(())
    }
}

/// As it is spelt, null too; `None` only where there is no such member.
impl<'a> Field<'a> for Option<Json<'a>> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        *self = Some(json);
        Ok(())
    }
}

/// A place in a list.
impl<'a> Field<'a> for Option<u64> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        json.text()?;
        *self = json.index();
        // A number that is no place is none. Where anything else stands, the place is not known.
        if self.is_some() || json.is_nothing() || json.is_empty() || json.is_number() || json.is_string() {
            Ok(())
        } else {
            Err(Unreadable)
        }
    }
}

/// A switch; off where there is nothing.
impl<'a> Field<'a> for bool {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        *self = json.is_true();
        if *self || json.is_nothing() { Ok(()) } else { Err(Unreadable) }
    }
}

/// An object; `None` for what servers put where there is none. Anything else would be passed over, whatever it says.
impl<'a, T: Object<'a>> Field<'a> for Option<T> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        if json.is_object() {
            self.insert(T::default()).read_members(json)
        } else if json.is_nothing() {
            Ok(())
        } else {
            Err(Unreadable)
        }
    }
}

/// An object that is read, and kept as it is spelt too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelt<'a, T> {
    pub(crate) json: Json<'a>,
    pub(crate) object: T,
}

impl<'a, T: Object<'a>> Object<'a> for Spelt<'a, T> {
    fn read_members(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        self.json = Json(json.0, json.1.of_parts());
        self.object.read_members(json)
    }
}

/// A list's objects, under the same rule.
impl<'a, T: Object<'a>> Field<'a> for Vec<T> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        let is_list = json.inside('[').is_some() || json.is_nothing() || json.is_empty();
        if !is_list || !json.elements().all(|element| element.is_object() || element.is_nothing()) {
            return Err(Unreadable);
        }
        *self = json.objects()?;
        Ok(())
    }
}

/// Declares structs that are read from the members of objects. A member has the name of its field, or the one after
/// `=`.
macro_rules! objects {
    ($($(#[$about:meta])* $vis:vis struct $name:ident<$a:lifetime> {
        $($(#[$field_about:meta])* $field_vis:vis $field:ident: $type:ty $(= $member:literal)?,)*
    })*) => {
        $(
            $(#[$about])*
            #[derive(Default)]
            $vis struct $name<$a> {
                $($(#[$field_about])* $field_vis $field: $type,)*
            }

            impl<$a> $crate::json::Object<$a> for $name<$a> {
                fn read_members(
                    &mut self,
                    json: $crate::json::Json<$a>,
                ) -> Result<(), $crate::json::Unreadable> {
                    json.read_members(&mut [
                        $(($crate::json::objects!(@$field $($member)?), Some(&mut self.$field))),*
                    ])
                }
            }
        )*
    };
    (@$field:ident $member:literal) => { $member };
    (@$field:ident) => { stringify!($field) };
}

pub(crate) use objects;

mod either;
mod piece;
mod spelling;
#[cfg(test)]
mod tests;
mod tree;
mod unread;
mod word;
