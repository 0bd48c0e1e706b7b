//! Members that hold a piece of something. Elsewhere a member of the wrong type counts as missing; here something would
//! be missing that was sent, and what follows would be taken for all of it. So the event can't be read.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Deref;

use super::unread::Watch;
use super::{Field, Json, Object, TextOrJson, Unreadable};

impl<'a> Json<'a> {
    /// A piece of a call's input: JSON text in a string, or an object that is all of it.
    pub(crate) fn piece(self) -> Result<TextOrJson<'a>, Unreadable> {
        match self.text()? {
            Some(text) => Ok(TextOrJson::Text(text)),
            None if self.is_object() || !self.is_given() => Ok(TextOrJson::Json(self.spelt())),
            None => Err(Unreadable),
        }
    }

    /// The same, of an event that says that it has one.
    pub(crate) fn required_piece(self) -> Result<TextOrJson<'a>, Unreadable> {
        if self.is_given() { self.piece() } else { Err(Unreadable) }
    }
}

/// A piece of text: a string, or none for null.
#[derive(Debug, Default)]
pub(crate) struct Piece<'a>(Option<Cow<'a, str>>, Watch<'a>);

impl Piece<'_> {
    /// The piece of an event that says that it has one.
    pub(crate) fn required(&self) -> Result<&str, Unreadable> {
        self.1.note_use();
        self.0.as_deref().ok_or(Unreadable)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.1.note_use();
        self.0.as_deref().unwrap_or_default()
    }
}

impl Deref for Piece<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<'a> Field<'a> for Piece<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        self.0 = json.aside().text()?;
        self.1 = json.1;
        if self.0.is_some() || json.0 == "null" { Ok(()) } else { Err(Unreadable) }
    }
}

/// An object around a piece, or none for null and, as some languages have no empty object, for an empty list.
#[derive(Debug, Default)]
pub(crate) struct Around<T>(pub(crate) Option<T>);

impl<T: Default> Around<T> {
    /// The object of an event that says that it has one.
    pub(crate) fn required(self) -> Result<T, Unreadable> {
        self.0.ok_or(Unreadable)
    }
}

impl<'a, T: Object<'a>> Field<'a> for Around<T> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        match json.spelt() {
            "null" => Ok(()),
            _ if json.inside('[').is_some_and(|inside| inside.trim_ascii().is_empty()) => Ok(()),
            _ => self.0.insert(T::default()).read_members(json),
        }
    }
}

/// The objects of a list; none for null.
#[derive(Debug, Default)]
pub(crate) struct Pieces<T>(pub(crate) Vec<T>);

impl<'a, T: Object<'a>> Field<'a> for Pieces<T> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        let is_list = json.inside('[').is_some();
        if !is_list && json.spelt() != "null" {
            return Err(Unreadable);
        }
        self.0 =
            json.elements().filter(|element| element.spelt() != "null").map(Json::object).collect::<Result<_, _>>()?;
        Ok(())
    }
}

/// The members of an object that none of its fields waits for, as far as they may say something: texts, lists and
/// objects that are not empty. It is the last field, by the name `*`.
#[derive(Debug, Default)]
pub(crate) struct Others<'a>(pub(crate) Vec<(Json<'a>, Json<'a>)>);

impl<'a> Field<'a> for Others<'a> {
    /// No member is its own.
    fn read(&mut self, _: Json<'a>) -> Result<(), Unreadable> {
        Ok(())
    }

    fn read_other(&mut self, name: Json<'a>, json: Json<'a>) {
        if json.says_something() {
            self.0.push((name, json));
        }
    }
}

/// A value that may be readable or not, which only matters to who asks for it: members of one name mean different
/// things in events of different types.
#[derive(Debug)]
pub(crate) struct Lazy<T>(Result<T, Unreadable>);

impl<T: Default> Default for Lazy<T> {
    fn default() -> Self {
        Self(Ok(T::default()))
    }
}

impl<T> Lazy<T> {
    pub(crate) fn get(self) -> Result<T, Unreadable> {
        self.0
    }
}

impl Lazy<Piece<'_>> {
    /// The piece of an event that says that it has one.
    pub(crate) fn required(&self) -> Result<&str, Unreadable> {
        self.0.as_ref().map_err(|_| Unreadable)?.required()
    }

    /// The piece of an event that may have one.
    pub(crate) fn given(&self) -> Result<&str, Unreadable> {
        self.0.as_ref().map(Piece::as_str).map_err(|_| Unreadable)
    }
}

impl<'a, T: Field<'a> + Default> Field<'a> for Lazy<T> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        let mut value = T::default();
        self.0 = value.read(json).map(|()| value);
        Ok(())
    }
}
