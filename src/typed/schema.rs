//! The JSON Schema of a [`Settled`] field, for programs that describe their types to a model: the schema of the value
//! itself.
//!
//! A model's output does not depend on when the program reads it. So every method returns the inner type's result,
//! including the name and id: a settled field and a plain field of the same type share one definition.
//!
//! schemars also has hidden methods, by which its derive lets an `Option` be missing. They are not forwarded: serde
//! lets an `Option` be missing, but a wrapper of one only with `#[serde(default)]`, which the derive handles itself.

use alloc::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::Settled;

/// Gives `Settled<T>` the schema of `T`. Requires the feature `schemars`.
///
#[cfg_attr(not(doctest), doc = include_str!("schema.md"))]
///
/// If a field with a default can be serialized, schemars writes that default into the schema: for a settled field,
/// null. `#[schemars(skip_serializing_if = "…")]` with a function that returns true for an empty field omits it.
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
