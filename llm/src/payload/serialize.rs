//! The members of a payload, as the command prints them and owned events are serialized.

use alloc::vec::Vec;

use jsonspigot::internal::{RawJson, write_error};
use jsonspigot::{Deviation, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{OwnedPayload, PayloadStatus};

/// The verdict, the value or else the text, what was accepted, and the values of a text that has several.
pub(crate) fn write_payload<M: SerializeMap>(map: &mut M, payload: &OwnedPayload) -> Result<(), M::Error> {
    map.serialize_entry("status", payload.status().name())?;
    match payload.value() {
        Some(value) => map.serialize_entry("value", &RawJson(value))?,
        None => map.serialize_entry("raw", payload.raw())?,
    }
    if payload.status() == PayloadStatus::Accepted {
        let places: Vec<_> = payload.deviations().iter().map(Place).collect();
        map.serialize_entry("deviations", &places)?;
        let more = payload.deviation_count().saturating_sub(places.len() as u64);
        if more > 0 {
            map.serialize_entry("more", &more)?;
        }
    }
    let values = payload.values();
    if !values.is_empty() {
        map.serialize_entry("values", &values.into_iter().map(RawJson).collect::<Vec<_>>())?;
        map.serialize_entry("repeated", &payload.is_repeated())?;
    }
    Ok(())
}

/// The error in the text, and the reason for which it was cut, if there is either.
pub(crate) fn write_wrong<M: SerializeMap>(
    map: &mut M,
    payload: &OwnedPayload,
    reason: Option<&str>,
) -> Result<(), M::Error> {
    match payload.error() {
        None if reason.is_none() => Ok(()),
        error => map.serialize_entry("error", &Wrong { error, reason }),
    }
}

/// The place where a text deviates.
struct Place<'a>(&'a Deviation);

impl Serialize for Place<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("kind", self.0.kind().name())?;
        map.serialize_entry("offset", &self.0.offset())?;
        map.end()
    }
}

struct Wrong<'a> {
    error: Option<&'a Error>,
    reason: Option<&'a str>,
}

impl Serialize for Wrong<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.error {
            Some(error) => write_error(&mut map, error)?,
            // Nothing is wrong with what has arrived, or nothing has arrived.
            None => map.serialize_entry("kind", "incomplete")?,
        }
        if let Some(reason) = self.reason {
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}
