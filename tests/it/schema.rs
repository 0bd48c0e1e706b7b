//! The JSON Schema of a `Settled` field is that of the value, because the value is what a model sends.

use jsonspigot::Settled;
use jsonspigot_check::laws::Law;
use schemars::{JsonSchema, Schema, SchemaGenerator, schema_for};
use serde::{Deserialize, Serialize};

/// One type, with its fields plain in one module and settled in the other.
macro_rules! both {
    ($($(#[$of_field:meta])* $field:ident: $type:ty,)*) => {
        mod plain {
            use super::*;

            #[derive(Deserialize, JsonSchema)]
            #[allow(dead_code)]
            pub(super) struct Reply { $($(#[$of_field])* $field: $type,)* }
        }

        mod settled {
            use super::*;

            #[derive(Deserialize, JsonSchema)]
            #[allow(dead_code)]
            pub(super) struct Reply { $($(#[$of_field])* $field: Settled<$type>,)* }
        }
    };
}

/// Where the answer comes from.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Route {
    #[default]
    Answer,
    AskUser,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type")]
#[allow(dead_code)]
enum Block {
    Text { text: String },
    List { blocks: Vec<Settled<Block>>, title: Settled<String> },
}

#[derive(Default, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Flattened {
    hidden: bool,
}

both! {
    /// The route to choose.
    route: Route,
    /// The same type again, which refers to the same definition.
    fallback: Route,
    #[serde(default)]
    may_be_missing: Route,
    #[serde(default)]
    optional: Option<Route>,
    #[schemars(length(min = 1), regex(pattern = "^[a-z]+$"))]
    id: String,
    #[schemars(range(max = 9))]
    #[serde(rename = "n")]
    count: u8,
    blocks: Vec<Block>,
    again: Settled<Route>,
    #[serde(flatten)]
    flattened: Flattened,
    #[schemars(with = "String")]
    time: std::time::Duration,
}

pub(super) fn a_settled_field_has_the_schema_of_its_value() {
    let (plain, settled) = (schema_for!(plain::Reply), schema_for!(settled::Reply));
    assert_eq!(serde_json::to_string_pretty(&settled).unwrap(), serde_json::to_string_pretty(&plain).unwrap());
    // It is not just that both say nothing.
    assert_eq!(plain.pointer("/properties/route/$ref").unwrap(), "#/$defs/Route");
    assert_eq!(plain.pointer("/$defs").unwrap().as_object().unwrap().len(), 2);
    assert_eq!(plain.pointer("/properties/id/minLength").unwrap(), 1);
    Law::Schemas.mark_compared();
}

#[test]
fn the_whole_answer_is_that_of_the_value() {
    fn same<T: JsonSchema>() {
        assert_eq!(Settled::<T>::inline_schema(), T::inline_schema());
        assert_eq!(Settled::<T>::schema_name(), T::schema_name());
        assert_eq!(Settled::<T>::schema_id(), T::schema_id());
        let of = |schema: fn(&mut SchemaGenerator) -> Schema| schema(&mut SchemaGenerator::default());
        assert_eq!(of(Settled::<T>::json_schema), of(T::json_schema));
        assert_eq!(schema_for!(Settled<T>), schema_for!(T));
    }
    same::<Route>();
    same::<Block>();
    same::<String>();
    same::<Option<u8>>();
    same::<Vec<Option<Route>>>();
}

/// Checks that a settled option without `#[serde(default)]` is required, also in the schema.
#[test]
fn schemas_require_what_serde_requires() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Reply {
        must: Settled<Option<u8>>,
        #[serde(default)]
        may: Settled<Option<u8>>,
    }
    assert_eq!(schema_for!(Reply).pointer("/required").unwrap(), &serde_json::json!(["must"]));
    assert!(serde_json::from_str::<Reply>(r#"{"must": null}"#).is_ok());
    assert!(serde_json::from_str::<Reply>(r#"{"may": null}"#).is_err());
}

/// Checks `skip_serializing_if`: schemars writes the default of a field that can be serialized, which is null for a
/// settled one.
#[test]
fn the_schemas_default_can_be_omitted() {
    fn is_empty<T>(field: &Settled<T>) -> bool {
        field.get().is_none()
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Reply {
        #[serde(default)]
        shown: Settled<String>,
        #[serde(default)]
        #[schemars(skip_serializing_if = "is_empty")]
        kept_out: Settled<String>,
    }
    let schema = schema_for!(Reply);
    assert_eq!(schema.pointer("/properties/shown/default"), Some(&serde_json::Value::Null));
    assert_eq!(schema.pointer("/properties/kept_out"), Some(&serde_json::json!({"type": "string"})));
    assert_eq!(schema.pointer("/required"), None);
}
