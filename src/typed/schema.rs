//! The JSON Schema of a [`Settled`] field, for those who describe their types to a model: that of the value itself.
//!
//! A model's answer does not depend on when the program looks at it. So every answer is the value's own, the
//! name and the id too: a settled field and a plain one of the same type share one definition.
//!
//! schemars has hidden methods as well, by which its derive lets an `Option` be missing. They are not passed on: serde
//! lets an `Option` be missing, but what wraps one only with `#[serde(default)]`, and that the derive sees by itself.

use alloc::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::Settled;

/// The schema of a `Settled<T>` is that of `T`. With the feature `schemars`.
///
#[cfg_attr(not(doctest), doc = include_str!("schema.md"))]
///
/// If a field with a default can be serialized, schemars writes that default into the schema: for a settled field,
/// null. `#[schemars(skip_serializing_if = "…")]`, with a function that is true of an empty field, keeps it out.
impl<T: JsonSchema> JsonSchema for Settled<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
