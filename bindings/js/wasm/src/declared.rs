//! The records of the events that the library declares, made of their declarations; `record.rs` says what a record is.

use alloc::vec::Vec;

use jsonspigot_llm::{Block, Media, Opaque, Source, StreamEvent, ToolResult, each_stream_event};

use crate::output::Output;
use crate::record::{Field, Flag, Number, Text, record, tag};

/// Appends the fields of an event's member, by its kind.
macro_rules! add {
    ($fields:ident, word, $value:ident) => {
        $fields.push($value.name().into())
    };
    ($fields:ident, text, $value:ident) => {
        $fields.push((&**$value).into())
    };
    ($fields:ident, json, $value:ident) => {
        $fields.push((&**$value).into())
    };
    ($fields:ident, maybe_text, $value:ident) => {
        $fields.push(Text($value.as_deref()))
    };
    ($fields:ident, maybe_json, $value:ident) => {
        $fields.push(Text($value.as_deref()))
    };
    ($fields:ident, maybe_number, $value:ident) => {
        $fields.push(Number(*$value))
    };
    ($fields:ident, flag, $value:ident) => {
        $fields.push(Flag(*$value))
    };
    ($fields:ident, span, $value:ident) => {
        $fields.extend([$value.map(|span| span.0), $value.map(|span| span.1)].map(Number))
    };
    ($fields:ident, tokens, $value:ident) => {
        $fields.extend([$value.input, $value.output, $value.cached, $value.reasoning].map(Number))
    };
    ($fields:ident, retry, $value:ident) => {
        $fields.extend([Text($value.name()), Number($value.after_ms())])
    };
    ($fields:ident, $number:ident, $value:ident) => {
        $fields.push((*$value).into())
    };
}

macro_rules! records {
    (
        $(
            $(#[$meta:meta])*
            $name:literal $variant:ident {
                $($(#[$member_meta:meta])* $member:ident: $kind:ident $(($of:ty))? $(as $key:literal)?,)*
            }
        )*
        made of types:
        $(
            $(#[$part_meta:meta])*
            $part_name:literal $part_variant:ident($(#[$type_meta:meta])* $part:ident) {
                $(
                    $(#[$part_member_meta:meta])*
                    $part_member:ident $(= $from:ident)?: $part_kind:ident $(($part_of:ty))? $(as $part_key:literal)?,
                )*
            }
        )*
    ) => {
        /// The declared events, by their places.
        #[derive(Clone, Copy)]
        enum Declared {
            $($variant,)*
            $($part_variant,)*
        }

        /// Writes the record of a declared event, and nothing for any other.
        pub(crate) fn write(output: &mut Output, event: &StreamEvent<'_>) {
            let mut fields: Vec<Field<'_>> = Vec::new();
            let declared = match event {
                $(StreamEvent::$variant { $($member,)* .. } => {
                    $(add!(fields, $kind, $member);)*
                    Declared::$variant
                })*
                $(StreamEvent::$part_variant($part { $($($from:)? $part_member,)* .. }) => {
                    $(add!(fields, $part_kind, $part_member);)*
                    Declared::$part_variant
                })*
                _ => return,
            };
            record(output, tag::DECLARED + declared as u32, &fields);
        }
    };
}

each_stream_event! { records {} }
