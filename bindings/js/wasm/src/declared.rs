//! The records of the events that the library declares, made of their declarations; `record.rs` says what a record is.

use jsonspigot_llm::{Block, Media, Opaque, Retry, Source, StreamEvent, TokenUsage, ToolResult, each_stream_event};

use crate::output::Output;
use crate::record::{Field, Flag, Number, Text, record, tag};

/// The most fields that an event has.
const MOST: usize = 8;

/// The fields of a record, each by the kind of its member.
struct Fields<'a> {
    fields: [Field<'a>; MOST],
    len: usize,
}

impl<'a> Fields<'a> {
    #[inline(never)]
    fn add(&mut self, field: Field<'a>) {
        if let Some(free) = self.fields.get_mut(self.len) {
            *free = field;
            self.len += 1;
        }
    }

    fn text(&mut self, text: &'a str) {
        self.add(Text(Some(text)));
    }

    fn maybe_text(&mut self, text: Option<&'a str>) {
        self.add(Text(text));
    }

    fn number(&mut self, number: u64) {
        self.add(Number(Some(number)));
    }

    fn maybe_number(&mut self, number: Option<u64>) {
        self.add(Number(number));
    }

    fn choice(&mut self, choice: u64) {
        self.add(Number(Some(choice)));
    }

    fn flag(&mut self, flag: bool) {
        self.add(Flag(flag));
    }

    fn span(&mut self, span: Option<(u64, u64)>) {
        let (start, end) = span.unzip();
        self.add(Number(start));
        self.add(Number(end));
    }

    fn tokens(&mut self, tokens: TokenUsage) {
        for count in [tokens.input, tokens.output, tokens.cached, tokens.reasoning] {
            self.add(Number(count));
        }
    }

    fn retry(&mut self, retry: Retry) {
        self.add(Text(retry.name()));
        self.add(Number(retry.after_ms()));
    }
}

macro_rules! add {
    ($fields:ident, word, $value:ident) => {
        $fields.text($value.name())
    };
    ($fields:ident, text, $value:ident) => {
        $fields.text($value)
    };
    ($fields:ident, json, $value:ident) => {
        $fields.text($value)
    };
    ($fields:ident, maybe_text, $value:ident) => {
        $fields.maybe_text($value.as_deref())
    };
    ($fields:ident, maybe_json, $value:ident) => {
        $fields.maybe_text($value.as_deref())
    };
    ($fields:ident, $kind:ident, $value:ident) => {
        $fields.$kind(*$value)
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
            let mut fields = Fields { fields: [Flag(false); MOST], len: 0 };
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
            record(output, tag::DECLARED + declared as u32, &fields.fields[..fields.len]);
        }
    };
}

each_stream_event! { records {} }
