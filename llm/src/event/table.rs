//! How the table of events is read: each entry is a variant of [`StreamEvent`](super::StreamEvent), one of
//! [`OwnedStreamEvent`](super::OwnedStreamEvent), the copy of the one to the other, and a line in the command's form.
//!
//! An entry has the event's name and its members, in the order of the line. A member has a name, a kind, and `as` with
//! the name that it has on the line, if that is another one. The kinds:
//!
//! | kind | borrowed, owned | on the line |
//! |---|---|---|
//! | `text`, `maybe_text` | `&str`, `String`; or none | left out if there is none |
//! | `number`, `maybe_number` | `u64`, or none | the same |
//! | `choice` | `u64` | left out for the first answer |
//! | `json`, `maybe_json` | `&str`, `String` on one line; or none | `value` |
//! | `word(T)` | `T` | its name |
//! | `flag` | `bool` | left out if false |
//! | `span`, `tokens`, `retry` | a type of its own | members of its own |

/// The type of a member of the borrowed event.
macro_rules! borrowed {
    ($a:lifetime text) => { &$a str };
    ($a:lifetime json) => { &$a str };
    ($a:lifetime maybe_text) => { Option<&$a str> };
    ($a:lifetime maybe_json) => { Option<&$a str> };
    ($a:lifetime $($kind:tt)+) => { copied!($($kind)+) };
}

/// The type of a member of the owned event.
macro_rules! owned {
    (text) => { String };
    (json) => { String };
    (maybe_text) => { Option<String> };
    (maybe_json) => { Option<String> };
    ($($kind:tt)+) => { copied!($($kind)+) };
}

/// The type of a member that owns nothing.
macro_rules! copied {
    (number) => { u64 };
    (choice) => { u64 };
    (maybe_number) => { Option<u64> };
    (flag) => { bool };
    (span) => { Option<(u64, u64)> };
    (tokens) => { TokenUsage };
    (retry) => { Retry };
    (word($of:ty)) => { $of };
}

/// The copy of a member.
macro_rules! copy {
    (text, $value:ident) => {
        $value.to_owned()
    };
    (json, $value:ident) => {
        on_one_line($value)
    };
    (maybe_text, $value:ident) => {
        $value.map(str::to_owned)
    };
    (maybe_json, $value:ident) => {
        $value.map(on_one_line)
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
        $line.put($name, $value.as_str())
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
/// name there. The three that pass on other events are the same in all but name, and are written out here.
macro_rules! stream_events {
    (
        $(#[$borrowed_meta:meta])*
        borrowed;
        $(#[$owned_meta:meta])*
        owned;
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
        $(#[$borrowed_meta])*
        #[derive(Clone, Debug)]
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
                $($(#[$member_meta])* $member: borrowed!('a $kind $(($of))?),)*
            },)*
            $($(#[$part_meta])* $part_variant($part<'a>),)*
            /// Something that another agent than the main one said or did, on a wire that several agents speak on in
            /// turn ([`ClaudeCode`](crate::Provider::ClaudeCode)): `event` is its own event, never one of these. Its
            /// calls and blocks are numbered with all others.
            #[non_exhaustive]
            Agent {
                /// The id of the call that started it; of another session's main agent, the session's id.
                agent: &'a str,
                /// Its event.
                event: &'a StreamEvent<'a>,
            },
            /// The provider's last event has arrived: `message_stop`, `[DONE]`, `response.completed`, `message-end`, …
            /// Gemini sends none, and some servers leave out their `[DONE]`; there, [`Stop`](StreamEvent::Stop) is the
            /// last event.
            End,
        }

        $(#[$owned_meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum OwnedStreamEvent {
            /// [`StreamEvent::Call`].
            Call(OwnedCallEvent),
            /// [`StreamEvent::Payload`].
            #[cfg(feature = "envelope")]
            #[non_exhaustive]
            Payload {
                /// The index of the answer; 0 where there is only one.
                choice: u64,
                /// The number of the [block](Block) it belongs to.
                block: u64,
                /// Its begin, a match or a piece in it, or its end.
                event: OwnedEnvelopeEvent,
            },
            $($(#[$meta])* $variant {
                $($(#[$member_meta])* $member: owned!($kind $(($of))?),)*
            },)*
            $($(#[$part_meta])* #[non_exhaustive] $part_variant {
                $($(#[$part_member_meta])* $part_member: owned!($part_kind $(($part_of))?),)*
            },)*
            /// [`StreamEvent::Agent`].
            #[non_exhaustive]
            Agent {
                /// The id of the call that started it; of another session's main agent, the session's id.
                agent: String,
                /// Its event.
                event: Box<OwnedStreamEvent>,
            },
            /// [`StreamEvent::End`].
            End,
        }

        impl StreamEvent<'_> {
            /// A copy that can be kept, sent to another thread, and serialized. The cost is that of copying the text or
            /// value.
            #[must_use]
            pub fn to_owned(&self) -> OwnedStreamEvent {
                match self.clone() {
                    Self::Call(event) => OwnedStreamEvent::Call(event.to_owned()),
                    #[cfg(feature = "envelope")]
                    Self::Payload { choice, block, event } => {
                        OwnedStreamEvent::Payload { choice, block, event: event.to_owned() }
                    }
                    $(Self::$variant { $($member),* } => {
                        OwnedStreamEvent::$variant { $($member: copy!($kind, $member)),* }
                    })*
                    $(Self::$part_variant($part { $($($from:)? $part_member,)* .. }) => {
                        OwnedStreamEvent::$part_variant { $($part_member: copy!($part_kind, $part_member)),* }
                    })*
                    Self::Agent { agent, event } => {
                        OwnedStreamEvent::Agent { agent: agent.to_owned(), event: Box::new(event.to_owned()) }
                    }
                    Self::End => OwnedStreamEvent::End,
                }
            }
        }

        impl OwnedStreamEvent {
            /// The event's name, as the command line prints it. Calls' and payloads' have names of their own.
            fn name(&self) -> &'static str {
                match self {
                    Self::Call(_) => "call",
                    #[cfg(feature = "envelope")]
                    Self::Payload { .. } => "payload",
                    $(Self::$variant { .. } => $name,)*
                    $(Self::$part_variant { .. } => $part_name,)*
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
                    $(Self::$part_variant { $($part_member),* } => {
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
