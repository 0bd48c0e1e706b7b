//! `StreamEvent`: the events of a provider's stream, as a Python class for each kind, made of the library's events. Most of
//! them are declared (`llm/src/event/declared.rs`), and so are their classes.

use std::collections::HashMap;

use jsonspigot::internal::on_one_line;
use jsonspigot_llm::{
    Block, CallEvent, EnvelopeEvent, Media, Opaque, PayloadStatus, Source, StreamEvent as CoreEvent, ToolCall,
    ToolResult, each_stream_event,
};
use pyo3::intern;
use pyo3::prelude::*;

use crate::envelope::{self, put_end};
use crate::event::data::{Class, Making, add_classes, classes, event};
use crate::event::{Paths, event_object};
use crate::value::Fractions;

/// Adds the classes of the events.
pub(crate) fn add_events(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let docs = "The events of a provider's stream, the same for every provider. ``json`` is always the provider's own JSON text.";
    let mut classes = classes! {
        /// A tool call begins. ``executed`` is ``"client"`` or ``"provider"``: do not execute the provider's calls.
        CallStart { call, id, name, choice, executed }
        /// A piece of a call's input, unchanged.
        Fragment { call, text }
        /// A pattern's event in a call's input.
        Match { call, event, name }
        /// A call's value has closed: it can't change any more, though only ``CallEnd`` has the verdict. Reported with
        /// ``closed=...``, as is ``FieldsClosed``.
        CallClosed { call }
        /// Each of the patterns of ``closed=...`` has selected a value of a call that has closed.
        FieldsClosed { call }
        /// A call's input has ended. ``status`` is ``"complete"``, ``"accepted"``, ``"empty"``, ``"truncated"``, ``"malformed"``,
        /// ``"trailing"`` or ``"raw"``; ``value``, made when it is first asked for, and ``raw`` (its JSON text on one line) are
        /// there if it is complete, accepted or empty; ``text`` is the input as it arrived.
        /// ``deviations`` are those of a lenient parser; ``reason`` is why it was truncated. ``values`` are the JSON texts of a
        /// trailing input that has only whole values, and ``repeated`` is whether they are all equal.
        CallEnd {
            call, status, value, id, name, choice, raw, text, error, reason, executed, values, repeated, deviations,
            deviation_count,
        }
        /// An event of a payload in the assistant's text, with ``envelope=...``: ``event`` is an ``EnvelopeEvent``, whose offsets
        /// are those in the block of text.
        Payload { event, choice, block }
        /// Part of a call is missing, or was not reported: ``kind`` says what.
        CallError { kind, call }
        /// The first fragments of a call look as if each held all of the input so far (``kind`` is ``"cumulative"``), which
        /// the option ``cumulative`` is for.
        CallWarning { kind, call }
        /// The stream is over.
        End {}
        /// Something that another agent than the main one said or did, where several speak in one stream: ``agent`` is the id of
        /// the call that started it, or of its session if that is not the main agent's; ``event`` is its own event. Its calls and
        /// blocks are numbered with all others.
        Agent { agent, event }
    };
    classes.extend(declared_classes());
    add_classes(module, "StreamEvent", docs, classes)
}

/// Returns the parts that a declared member becomes.
fn parts_of(member: &'static str, kind: &str) -> Vec<&'static str> {
    match kind {
        "tokens" => vec!["input", "output", "cached", "reasoning"],
        "retry" => vec!["retry", "retry_after_ms"],
        _ => vec![member],
    }
}

/// Returns the class of a declared event. Long parts come last.
fn declared_class(name: &'static str, docs: &str, mut parts: Vec<&'static str>) -> Class {
    parts.sort_by_key(|part| *part == "json");
    // A link has its text in brackets, and its target follows.
    let (before, after) = docs.split_once("](").unwrap_or((docs, ")"));
    let after = after.split_once(')').map_or("", |(_, after)| after);
    (name, format!("{}{after}", before.replace('[', "")).replace('`', "``").replace("\n ", "\n"), parts)
}

/// Adds the parts of a declared member to an event.
macro_rules! put {
    ($py:ident, $making:ident, tokens, $_member:ident, $tokens:ident) => {
        $making.put(intern!($py, "input"), $tokens.input)?;
        $making.put(intern!($py, "output"), $tokens.output)?;
        $making.put(intern!($py, "cached"), $tokens.cached)?;
        $making.put(intern!($py, "reasoning"), $tokens.reasoning)?;
    };
    ($py:ident, $making:ident, retry, $_member:ident, $retry:ident) => {
        $making.put(intern!($py, "retry"), $retry.name())?;
        $making.put(intern!($py, "retry_after_ms"), $retry.after_ms())?;
    };
    ($py:ident, $making:ident, $kind:ident, $member:ident, $from:ident) => {
        $making.put(intern!($py, stringify!($member)), part!($kind, $from))?;
    };
}

/// Expands to a declared member as `put` takes it.
macro_rules! part {
    (text, $member:ident) => {
        &**$member
    };
    (json, $member:ident) => {
        on_one_line($member)
    };
    (maybe_text, $member:ident) => {
        $member.as_deref()
    };
    (maybe_json, $member:ident) => {
        $member.as_deref().map(on_one_line)
    };
    (word, $member:ident) => {
        $member.name()
    };
    ($kind:ident, $member:ident) => {
        *$member
    };
}

macro_rules! declared {
    (
        $(
            $(#[doc = $docs:literal])* $(#[non_exhaustive])?
            $name:literal $variant:ident {
                $($(#[doc = $member_docs:literal])* $member:ident: $kind:ident $(($of:ty))? $(as $key:literal)?,)*
            }
        )*
        made of types:
        $(
            $(#[doc = $part_docs:literal])*
            $part_name:literal $part_variant:ident($(#[$type_meta:meta])* $part:ident) {
                $(
                    $(#[doc = $part_member_docs:literal])*
                    $part_member:ident $(= $from:ident)?: $part_kind:ident $(($part_of:ty))? $(as $part_key:literal)?,
                )*
            }
        )*
    ) => {
        fn declared_classes() -> Vec<Class> {
            let mut classes = Vec::new();
            $(
                let parts = [$(parts_of(stringify!($member), stringify!($kind))),*].concat();
                classes.push(declared_class(stringify!($variant), concat!($($docs, "\n"),*), parts));
            )*
            $(
                let parts = [$(parts_of(stringify!($part_member), stringify!($part_kind))),*].concat();
                classes.push(declared_class(stringify!($part_variant), concat!($($part_docs, "\n"),*), parts));
            )*
            classes
        }

        /// Returns the object of a declared event; `None` for any other.
        fn declared<'py>(py: Python<'py>, event: &CoreEvent<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
            Ok(Some(match event {
                $(CoreEvent::$variant { $($member,)* .. } => {
                    event!(py, StreamEvent.$variant {}, |making: &Making<'py>| {
                        $(put!(py, making, $kind, $member, $member);)*
                        Ok::<_, PyErr>(())
                    })
                })*
                $(CoreEvent::$part_variant($part { $($($from:)? $part_member,)* .. }) => {
                    event!(py, StreamEvent.$part_variant {}, |making: &Making<'py>| {
                        $(put!(py, making, $part_kind, $part_member, $part_member);)*
                        Ok::<_, PyErr>(())
                    })
                })*
                _ => return Ok(None),
            }))
        }
    };
}

each_stream_event! { declared {} }

/// The thing that the paths of matches are remembered for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Call(u64),
    /// The payload that is open in the block with this number.
    Block(u64),
}

/// Returns an event's Python object; nothing for an event that this version does not know.
pub(super) fn made<'py>(
    py: Python<'py>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut HashMap<Subject, Paths>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(match event {
        CoreEvent::Call(CallEvent::Start { call: ToolCall { number, id, name, choice, executor, .. } }) => {
            event!(py, StreamEvent.CallStart {
                call: *number,
                id: id.as_deref(),
                name: name.as_deref(),
                choice: *choice,
                executed: executor.name(),
            })
        }
        CoreEvent::Call(CallEvent::Fragment { call, text }) => {
            event!(py, StreamEvent.Fragment { call: call.number, text: &**text })
        }
        CoreEvent::Call(CallEvent::Match { call, event }) => {
            let paths = paths.entry(Subject::Call(call.number)).or_default();
            let event = event_object(py, event, 0, fractions, paths, None)?;
            event!(py, StreamEvent.Match { call: call.number, event: event, name: call.name.as_deref() })
        }
        CoreEvent::Call(CallEvent::Closed { call }) => event!(py, StreamEvent.CallClosed { call: call.number }),
        CoreEvent::Call(CallEvent::FieldsClosed { call }) => event!(py, StreamEvent.FieldsClosed { call: call.number }),
        CoreEvent::Call(CallEvent::End { call, input }) => {
            paths.remove(&Subject::Call(call.number));
            let reason = match input.status() {
                PayloadStatus::Truncated { reason } => Some(reason),
                _ => None,
            };
            let parts = |making: &Making<'py>| put_end(making, py, input, fractions);
            event!(py, StreamEvent.CallEnd {
                call: call.number,
                id: call.id.as_deref(),
                name: call.name.as_deref(),
                choice: call.choice,
                reason: reason,
                executed: call.executor.name(),
            }, parts)
        }
        CoreEvent::Call(CallEvent::Error(error)) => {
            event!(py, StreamEvent.CallError { kind: error.kind().name(), call: error.call() })
        }
        CoreEvent::Call(CallEvent::LooksCumulative { call }) => {
            event!(py, StreamEvent.CallWarning { kind: "cumulative", call: call.number })
        }
        CoreEvent::Payload { choice, block, event, .. } => {
            let subject = Subject::Block(*block);
            let made = envelope::made(py, event, fractions, paths.entry(subject).or_default())?;
            if matches!(event, EnvelopeEvent::End { .. }) {
                paths.remove(&subject);
            }
            let Some(made) = made else { return Ok(None) };
            event!(py, StreamEvent.Payload { event: made, choice: *choice, block: *block })
        }
        CoreEvent::End => event!(py, StreamEvent.End {}),
        CoreEvent::Agent { agent, event, .. } => match made(py, event, fractions, paths)? {
            Some(event) => event!(py, StreamEvent.Agent { agent: &**agent, event: event }),
            None => return Ok(None),
        },
        _ => return declared(py, event),
    }))
}
