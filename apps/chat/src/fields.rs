//! A request's fields, taken one by one: what is missing, of another type or unknown is refused in plain words.
//!
//! Owns the words. serde's own say which of its steps has failed, in the names of Rust's types, which tells a client nothing.

use std::fmt;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// How many characters of an unknown field's name are told.
const MOST_NAME: usize = 40;

/// What is left of a request's fields.
#[derive(Debug)]
pub(crate) struct Fields(Vec<(String, Value)>);

/// Why a request can't be read, in words for whoever has written the client.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    /// Its body is larger than the address takes.
    #[error("The request is too long.")]
    TooLong,
    /// Its connection broke.
    #[error("The request has not come to its end.")]
    BrokenOff,
    /// It does not say that it is JSON.
    #[error("The request has to be JSON, with the content type application/json.")]
    ContentType,
    /// There is nothing in it.
    #[error("The request is empty.")]
    Empty,
    /// What is in it is something else.
    #[error("The request is not JSON: {0}.")]
    NotJson(String),
    /// It is JSON, but has no fields.
    #[error("The request has to be an object, not {0}.")]
    NoObject(&'static str),
    /// A field is not there.
    #[error("The request has no `{0}`.")]
    Missing(&'static str),
    /// A field has a value that makes no sense there.
    #[error("`{0}` has to be {1}.")]
    Unsuitable(&'static str, &'static str),
    /// A field is there twice: which one is meant?
    #[error("The request has `{0}` twice.")]
    Twice(String),
    /// A field that is not known is a field that was misspelt.
    #[error("The request has a field `{0}`, which is not known here.")]
    Unknown(String),
}

impl Unreadable {
    /// The status that tells it.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BrokenOff | Self::Empty | Self::NotJson(_) => StatusCode::BAD_REQUEST,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    /// The error in a word, for a client to tell by.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::TooLong => "too_large",
            Self::ContentType => "unsupported_media_type",
            Self::BrokenOff | Self::Empty | Self::NotJson(_) => "invalid_json",
            _ => "invalid_request",
        }
    }
}

impl Fields {
    /// The fields of a body.
    pub(crate) fn of_body(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Self, Unreadable> {
        let body = body.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Unreadable::TooLong,
            _ => Unreadable::BrokenOff,
        })?;
        if !is_json(headers) {
            return Err(Unreadable::ContentType);
        }
        let not_json = |error: serde_json::Error| Unreadable::NotJson(error.to_string());
        let begins = body.trim_ascii().first().ok_or(Unreadable::Empty)?;
        if *begins == b'{' {
            return serde_json::from_slice(&body).map_err(not_json);
        }
        serde_json::from_slice::<IgnoredAny>(&body).map_err(not_json)?;
        Err(Unreadable::NoObject(match begins {
            b'[' => "an array",
            b'"' => "a string",
            b't' | b'f' => "a boolean",
            b'n' => "null",
            _ => "a number",
        }))
    }

    /// The fields of an address's query, which are all strings.
    pub(crate) fn of_query(query: Vec<(String, String)>) -> Self {
        Self(query.into_iter().map(|(name, value)| (name, Value::String(value))).collect())
    }

    /// A field that has to be there. `wanted` says what it has to be.
    pub(crate) fn required<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
    ) -> Result<T, Unreadable> {
        let value = self.take(name)?.ok_or(Unreadable::Missing(name))?;
        T::deserialize(value).map_err(|_| Unreadable::Unsuitable(name, wanted))
    }

    /// A field that may be left out, or be null.
    pub(crate) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
    ) -> Result<Option<T>, Unreadable> {
        let value = self.take(name)?.unwrap_or_default();
        Option::deserialize(value).map_err(|_| Unreadable::Unsuitable(name, wanted))
    }

    /// There is to be no other field.
    pub(crate) fn end(self) -> Result<(), Unreadable> {
        match self.0.into_iter().next() {
            Some((name, _)) => Err(Unreadable::Unknown(name.chars().take(MOST_NAME).collect())),
            None => Ok(()),
        }
    }

    fn take(&mut self, name: &str) -> Result<Option<Value>, Unreadable> {
        let mut found = None;
        while let Some(at) = self.0.iter().position(|(other, _)| other == name) {
            if found.replace(self.0.swap_remove(at).1).is_some() {
                return Err(Unreadable::Twice(name.to_owned()));
            }
        }
        Ok(found)
    }
}

/// Whether a body is said to be JSON, or one of the types that are written in it.
fn is_json(headers: &HeaderMap) -> bool {
    let told = headers.get(CONTENT_TYPE).and_then(|told| told.to_str().ok()).unwrap_or_default();
    let essence = told.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// An object's members in order, repeated ones too.
impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Fields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}
