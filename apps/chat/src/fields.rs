//! The fields of a request, taken one by one. Errors name the field in plain words, because serde's own messages name Rust
//! types, which mean nothing to a client.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// The length of an unknown field's name in an error.
const MOST_NAME: usize = 40;

/// The fields of a request that were not taken yet.
#[derive(Debug)]
pub(crate) struct Fields(Vec<(String, Value)>);

/// An error in a request, in words for the author of the client.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("The request is too long.")]
    TooLong,
    #[error("The request has not come to its end.")]
    BrokenOff,
    #[error("The request has to be JSON, with the content type application/json.")]
    ContentType,
    #[error("The request is empty.")]
    Empty,
    #[error("The request is not JSON: {0}.")]
    NotJson(String),
    #[error("The request has to be an object, not {0}.")]
    NoObject(&'static str),
    #[error("The request has no `{0}`.")]
    Missing(&'static str),
    #[error("`{0}` has to be {1}.")]
    Unsuitable(&'static str, &'static str),
    #[error("The request has `{0}` twice.")]
    Twice(String),
    /// An unknown field may be a misspelt one.
    #[error("The request has a field `{0}`, which is not known here.")]
    Unknown(String),
}

impl Unreadable {
    /// Returns the HTTP status, and the error's kind for clients.
    pub(crate) fn status(&self) -> (StatusCode, &'static str) {
        match self {
            Self::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Self::ContentType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::BrokenOff | Self::Empty | Self::NotJson(_) => (StatusCode::BAD_REQUEST, "invalid_json"),
            _ => (StatusCode::UNPROCESSABLE_ENTITY, "invalid_request"),
        }
    }
}

impl Fields {
    /// Reads the fields of a body.
    pub(crate) fn of_body(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Self, Unreadable> {
        let body = body.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Unreadable::TooLong,
            _ => Unreadable::BrokenOff,
        })?;
        let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if essence != "application/json" && !(essence.starts_with("application/") && essence.ends_with("+json")) {
            return Err(Unreadable::ContentType);
        }
        let not_json = |error: serde_json::Error| Unreadable::NotJson(error.to_string());
        let first = body.trim_ascii().first().ok_or(Unreadable::Empty)?;
        if *first == b'{' {
            return serde_json::from_slice(&body).map_err(not_json);
        }
        serde_json::from_slice::<IgnoredAny>(&body).map_err(not_json)?;
        Err(Unreadable::NoObject(match first {
            b'[' => "an array",
            b'"' => "a string",
            b't' | b'f' => "a boolean",
            b'n' => "null",
            _ => "a number",
        }))
    }

    /// Reads the fields of a query, which are all strings.
    pub(crate) fn of_query(query: Vec<(String, String)>) -> Self {
        Self(query.into_iter().map(|(name, value)| (name, Value::String(value))).collect())
    }

    /// Takes a field that must be there. `wanted` describes its values.
    pub(crate) fn required<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
    ) -> Result<T, Unreadable> {
        let value = self.take(name)?.ok_or(Unreadable::Missing(name))?;
        T::deserialize(value).map_err(|_| Unreadable::Unsuitable(name, wanted))
    }

    /// Takes a field that may be missing or null.
    pub(crate) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
    ) -> Result<Option<T>, Unreadable> {
        let value = self.take(name)?.unwrap_or_default();
        Option::deserialize(value).map_err(|_| Unreadable::Unsuitable(name, wanted))
    }

    /// Fails if a field is left.
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

/// Reads an object's members in order, repeated ones too.
impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Fields;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

        deserializer.deserialize_map(Members)
    }
}
