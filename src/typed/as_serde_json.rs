//! Numbers and `RawValue`, which are read by serde_json itself or in the same way, so that results are the same.

use alloc::string::String;
use core::iter;

use serde::de::value::MapDeserializer;
use serde::de::{self, MapAccess};
use serde_json::de::StrRead;

use super::error::TypedResult;
pub(super) use crate::event::RAW_VALUE;

/// Returns a map with one member, from which serde_json's `RawValue` is read.
pub(super) fn raw_value<'a, E: de::Error>(text: String) -> impl MapAccess<'a, Error = E> {
    MapDeserializer::new(iter::once((RAW_VALUE, text)))
}

/// Reads a number with serde_json itself, so that both agree on every number.
pub(super) fn read_number<'a, T>(
    text: &'a str,
    read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'a>>) -> serde_json::Result<T>,
) -> TypedResult<T> {
    let mut number = serde_json::Deserializer::from_str(text);
    let value = read(&mut number)?;
    number.end()?;
    Ok(value)
}
