//! The macros that expand the table of events. Each entry becomes a variant of [`StreamEvent`](super::StreamEvent), an
//! arm of `into_owned`, and a line in the command's format.
//!
//! An entry has the event's name and its members in the order of the line. A member has a name, a kind, and `as` with
//! its name on the line if that differs. The kinds:
//!
//! | kind | type | on the line |
//! |---|---|---|
//! | `text`, `maybe_text` | `Cow<str>`, or none | omitted if `None` |
//! | `number`, `maybe_number` | `u64`, or none | omitted if `None` |
//! | `choice` | `u64` | omitted for the first answer |
//! | `json`, `maybe_json` | `Cow<str>`, or none | `value` |
//! | `word(T)` | `T` | its name |
//! | `flag` | `bool` | omitted if false |
//! | `span`, `tokens`, `retry` | a type of its own | members of its own |

/// Expands to the type of a member.
macro_rules! typed {
    ($a:lifetime text) => { Cow<$a, str> };
    ($a:lifetime json) => { Cow<$a, str> };
    ($a:lifetime maybe_text) => { Option<Cow<$a, str>> };
    ($a:lifetime maybe_json) => { Option<Cow<$a, str>> };
    ($a:lifetime number) => { u64 };
    ($a:lifetime choice) => { u64 };
    ($a:lifetime maybe_number) => { Option<u64> };
    ($a:lifetime flag) => { bool };
    ($a:lifetime tokens) => { TokenUsage };
    ($a:lifetime retry) => { Retry };
    ($a:lifetime span) => { Option<(u64, u64)> };
    ($a:lifetime word($of:ty)) => { $of };
}

/// Expands to a member that owns its text.
macro_rules! owned {
    (text, $value:ident) => {
        owned($value)
    };
    (json, $value:ident) => {
        owned($value)
    };
    (maybe_text, $value:ident) => {
        $value.map(owned)
    };
    (maybe_json, $value:ident) => {
        $value.map(owned)
    };
    ($kind:ident, $value:ident) => {
        $value
    };
}

/// Declares a type that events are made of, by the same kinds of members. Declares nothing without documentation: the
/// type is then declared elsewhere.
macro_rules! part {
    ([] $part:ident $members:tt) => {};
    (
        [$(#[$meta:meta])+]
        $part:ident { $($(#[$member_meta:meta])* $member:ident: $kind:ident $(($of:ty))?,)* }
    ) => {
        $(#[$meta])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $part<'a> {
            $($(#[$member_meta])* pub $member: typed!('a $kind $(($of))?),)*
        }

        impl $part<'_> {
            /// Makes it `'static` by copying its borrowed text.
            #[must_use]
            pub fn into_owned(self) -> $part<'static> {
                let Self { $($member),* } = self;
                $part { $($member: owned!($kind, $member)),* }
            }
        }
    };
}

/// Adds a member to a line.
macro_rules! put_member {
    ($line:ident, json, $name:expr, $value:ident) => {
        $line.put("value", value($value))
    };
    ($line:ident, maybe_json, $name:expr, $value:ident) => {
        $line.put_some("value", $value.as_deref().map(value))
    };
    ($line:ident, choice, $name:expr, $value:ident) => {
        // Omitted for the first answer, which is usually the only one.
        $line.put_some("choice", (*$value > 0).then_some(*$value))
    };
    ($line:ident, word, $name:expr, $value:ident) => {
        $line.put($name, $value.name())
    };
    ($line:ident, flag, $name:expr, $value:ident) => {
        $line.put_some($name, $value.then_some(true))
    };
    ($line:ident, tokens, $name:expr, $value:ident) => {
        $line
            .put_some("input", $value.input)
            .put_some("output", $value.output)
            .put_some("cached", $value.cached)
            .put_some("reasoning", $value.reasoning)
    };
    ($line:ident, retry, $name:expr, $value:ident) => {
        $line.put_some("retry", $value.name()).put_some("retry_after_ms", $value.after_ms())
    };
    ($line:ident, text, $name:expr, $value:ident) => {
        $line.put($name, &**$value)
    };
    ($line:ident, maybe_text, $name:expr, $value:ident) => {
        $line.put_some($name, $value.as_deref())
    };
    ($line:ident, span, $name:expr, $value:ident) => {
        $line.put_some($name, $value.map(|(start, end)| Member::List(vec![start.into(), end.into()])))
    };
    ($line:ident, number, $name:expr, $value:ident) => {
        $line.put($name, *$value)
    };
    ($line:ident, maybe_number, $name:expr, $value:ident) => {
        $line.put_some($name, *$value)
    };
}

/// Expands to the name of a member on the line.
macro_rules! name_of {
    ($member:ident) => {
        stringify!($member)
    };
    ($member:ident $name:literal) => {
        $name
    };
}

/// Declares [`StreamEvent`](super::StreamEvent). For an event that is made of a type, `=` is followed by the name of
/// the type's field if the member has another name. The three variants that contain other events are written out here.
macro_rules! stream_events {
    (
        $(#[$meta_of_all:meta])*
        events;
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
        $(#[$meta_of_all])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum StreamEvent<'a> {
            /// An event of a tool call.
            Call(CallEvent<'a>),
            /// An event of a payload in the assistant's text. Only reported after
            /// [`with_envelope`](crate::ProviderStream::with_envelope).
            #[cfg(feature = "envelope")]
            #[non_exhaustive]
            Payload {
                /// The index of the answer; 0 where there is only one.
                choice: u64,
                /// The number of the [block](Block) it belongs to.
                block: u64,
                /// The beginning of the payload, a match or a piece in it, or its end. The text around payloads is
                /// [`Text`](StreamEvent::Text).
                event: EnvelopeEvent<'a>,
            },
            $($(#[$meta])* $variant {
                $($(#[$member_meta])* $member: typed!('a $kind $(($of))?),)*
            },)*
            $($(#[$part_meta])* $part_variant($part<'a>),)*
            /// An event of an agent other than the main one, in a format in which several agents take turns
            /// ([`ClaudeCode`](crate::Provider::ClaudeCode), [`AgUi`](crate::Provider::AgUi)). The inner event is never
            /// an `Agent` itself. The calls and blocks of all agents share one numbering.
            #[non_exhaustive]
            Agent {
                /// The id of the call that started the agent. For AG-UI, the id of the agent's run; for the main agent
                /// of another session, the session's id.
                agent: Cow<'a, str>,
                /// The agent's event.
                event: Box<StreamEvent<'a>>,
            },
            /// The provider's last event was received: `message_stop`, `[DONE]`, `response.completed`, `message-end`, …
            /// Gemini sends no such event, and some servers omit `[DONE]`; then [`Stop`](StreamEvent::Stop) is the last
            /// event.
            End,
        }

        $(part! {
            [$(#[$type_meta])*]
            $part { $($(#[$part_member_meta])* $part_member: $part_kind $(($part_of))?,)* }
        })*

        impl StreamEvent<'_> {
            /// Makes the event `'static` by copying its borrowed text, for channels, logs and other threads.
            #[must_use]
            pub fn into_owned(self) -> StreamEvent<'static> {
                match self {
                    Self::Call(event) => StreamEvent::Call(event.into_owned()),
                    #[cfg(feature = "envelope")]
                    Self::Payload { choice, block, event } => {
                        StreamEvent::Payload { choice, block, event: event.into_owned() }
                    }
                    $(Self::$variant { $($member),* } => {
                        StreamEvent::$variant { $($member: owned!($kind, $member)),* }
                    })*
                    $(Self::$part_variant(part) => StreamEvent::$part_variant(part.into_owned()),)*
                    Self::Agent { agent, event } => {
                        StreamEvent::Agent { agent: owned(agent), event: Box::new(event.into_owned()) }
                    }
                    Self::End => StreamEvent::End,
                }
            }

            /// Returns the event's name, as the command line prints it. Calls and payloads have names of their own.
            fn name(&self) -> &'static str {
                match self {
                    Self::Call(_) => "call",
                    #[cfg(feature = "envelope")]
                    Self::Payload { .. } => "payload",
                    $(Self::$variant { .. } => $name,)*
                    $(Self::$part_variant(_) => $part_name,)*
                    Self::Agent { event, .. } => event.name(),
                    Self::End => "stream-end",
                }
            }

            /// Writes the members of the line, in their order.
            fn put_members<'a>(&'a self, line: &mut Line<'a>) {
                match self {
                    $(Self::$variant { $($member),* } => {
                        $(put_member!(line, $kind, name_of!($member $($key)?), $member);)*
                    })*
                    $(Self::$part_variant($part { $($($from:)? $part_member,)* .. }) => {
                        $(put_member!(line, $part_kind, name_of!($part_member $($part_key)?), $part_member);)*
                    })*
                    #[cfg(feature = "envelope")]
                    Self::Payload { .. } => {}
                    Self::Call(_) | Self::Agent { .. } | Self::End => {}
                }
            }
        }
    };
}
