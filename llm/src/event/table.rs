//! How the table of events is read: each entry is a variant of [`StreamEvent`](super::StreamEvent), its copy that owns
//! its parts, and a line in the command's form.
//!
//! An entry has the event's name and its members, in the order of the line. A member has a name, a kind, and `as` with
//! the name that it has on the line, if that is another one. The kinds:
//!
//! | kind | type | on the line |
//! |---|---|---|
//! | `text`, `maybe_text` | `Cow<str>`, or none | left out if there is none |
//! | `number`, `maybe_number` | `u64`, or none | the same |
//! | `choice` | `u64` | left out for the first answer |
//! | `json`, `maybe_json` | `Cow<str>`, or none | `value` |
//! | `word(T)` | `T` | its name |
//! | `flag` | `bool` | left out if false |
//! | `span`, `tokens`, `retry` | a type of its own | members of its own |

/// The type of a member.
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
    ($a:lifetime word($of:ty)) => { $of };
}

/// A member that owns its text.
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

/// Adds a member to a line.
macro_rules! put_member {
    ($line:ident, json, $name:expr, $value:ident) => {
        $line.put("value", value($value))
    };
    ($line:ident, maybe_json, $name:expr, $value:ident) => {
        $line.put_some("value", $value.as_deref().map(value))
    };
    ($line:ident, choice, $name:expr, $value:ident) => {
        // Nobody asked for several answers where there is only the first.
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

/// The name of a member on the line.
macro_rules! name_of {
    ($member:ident) => {
        stringify!($member)
    };
    ($member:ident $name:literal) => {
        $name
    };
}

/// Declares the events. Those made of a type of their own say after `=` where a member comes from, if it has another
/// name there. The three that pass on other events are written out here.
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
            $part_name:literal $part_variant:ident($part:ident) {
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
            /// Something happened to a tool call.
            Call(CallEvent<'a>),
            /// Something happened to a payload in the assistant's text; reported only after
            /// [`with_envelope`](crate::ProviderStream::with_envelope).
            #[cfg(feature = "envelope")]
            #[non_exhaustive]
            Payload {
                /// The index of the answer; 0 where there is only one.
                choice: u64,
                /// The number of the [block](Block) it belongs to.
                block: u64,
                /// Its begin, a match or a piece in it, or its end. The text around payloads is
                /// [`Text`](StreamEvent::Text).
                event: EnvelopeEvent<'a>,
            },
            $($(#[$meta])* $variant {
                $($(#[$member_meta])* $member: typed!('a $kind $(($of))?),)*
            },)*
            $($(#[$part_meta])* $part_variant($part<'a>),)*
            /// Something that another agent than the main one said or did, on a wire that several agents speak on in
            /// turn ([`ClaudeCode`](crate::Provider::ClaudeCode), [`AgUi`](crate::Provider::AgUi)): `event` is its own
            /// event, never one of these. Its calls and blocks are numbered with all others.
            #[non_exhaustive]
            Agent {
                /// The id of the call that started it, or at AG-UI of its own run; of another session's main agent, the
                /// session's id.
                agent: Cow<'a, str>,
                /// Its event.
                event: Box<StreamEvent<'a>>,
            },
            /// The provider's last event has arrived: `message_stop`, `[DONE]`, `response.completed`, `message-end`, …
            /// Gemini sends none, and some servers leave out their `[DONE]`; there, [`Stop`](StreamEvent::Stop) is the
            /// last event.
            End,
        }

        impl StreamEvent<'_> {
            /// Returns an event that owns its parts: `'static`, for channels, logs and other threads. Copies them,
            /// unless it owns them already.
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

            /// The event's name, as the command line prints it. Calls' and payloads' have names of their own.
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
