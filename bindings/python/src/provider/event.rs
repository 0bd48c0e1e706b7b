//! `StreamEvent`: the events of a provider's stream, as a Python class with a variant for each kind, made of the
//! library's events.

use std::borrow::Cow;
use std::collections::HashMap;

use jsonspigot::internal::on_one_line;
use jsonspigot_llm::{CallEvent, StreamEvent as CoreEvent, ToolCall};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyTraverseError, PyVisit};

use super::declared::with_declared_events;
use crate::envelope::{self, EnvelopeEvent, Verdict, ended};
use crate::event::{Paths, Value, data, event_methods, event_object};
use crate::value::Fractions;

with_declared_events! {
    /// The events of a provider's stream, the same for every provider. ``json`` is always the provider's own JSON text.
    #[pyclass(frozen, module = "jsonspigot")]
    {
        /// A tool call begins. ``executed`` is ``"client"`` or ``"provider"``: do not execute the provider's calls.
        CallStart { call: u64, id: Option<String>, name: Option<String>, choice: u64, executed: String },
        /// A piece of a call's input, unchanged.
        Fragment { call: u64, text: String },
        /// A pattern's event in a call's input.
        Match { call: u64, event: Py<PyAny>, name: Option<String> },
        /// A call's input has ended. ``status`` is ``"complete"``, ``"accepted"``, ``"empty"``, ``"truncated"``, ``"malformed"``,
        /// ``"trailing"`` or ``"raw"``; ``value``, made when it is first asked for, and ``raw`` (its JSON text on one line) are
        /// there if it is complete, accepted or empty; ``text`` is the input as it arrived.
        /// ``deviations`` are those of a lenient parser; ``reason`` is why it was truncated. ``values`` are the JSON texts of a
        /// trailing input that has only whole values, and ``repeated`` is whether they are all equal.
        CallEnd {
            call: u64,
            status: String,
            value: Value,
            id: Option<String>,
            name: Option<String>,
            choice: u64,
            raw: Option<String>,
            text: String,
            error: Py<PyAny>,
            reason: Option<String>,
            executed: String,
            values: Vec<String>,
            repeated: bool,
            deviations: Py<PyTuple>,
            deviation_count: u64,
        },
        /// An event of a payload in the assistant's text, with ``envelope=...``: ``event`` is an ``EnvelopeEvent``, whose offsets
        /// are those in the block of text.
        Payload { event: Py<PyAny>, choice: u64, block: u64 },
        /// Part of a call is missing, or was not reported: ``kind`` says what.
        CallError { kind: String, call: Option<u64> },
        /// The first fragments of a call look as if each held all of the input so far (``kind`` is ``"cumulative"``), which
        /// the option ``cumulative`` is for.
        CallWarning { kind: String, call: u64 },
        /// The stream is over.
        End {},
        /// Something that another agent than the main one said or did, where several speak in one stream: ``agent`` is the id of
        /// the call that started it, or of its session if that is not the main agent's; ``event`` is its own event. Its calls and
        /// blocks are numbered with all others.
        Agent { agent: String, event: Py<PyAny> },
    }
}

event_methods!(StreamEvent {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        data::shown(slf.as_any())
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.as_any().get_type().hash()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Match { event, .. } | Self::Payload { event, .. } | Self::Agent { event, .. } => visit.call(event),
            Self::CallEnd { error, value, .. } => {
                visit.call(error)?;
                value.traverse(&visit)
            }
            _ => Ok(()),
        }
    }
});

fn owned(text: Option<&Cow<'_, str>>) -> Option<String> {
    text.map(ToString::to_string)
}

/// The thing that the paths of matches are remembered for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Call(u64),
    /// The payload that is open in the block with this number.
    Block(u64),
}

/// Returns the content of an event's Python object; nothing for an event that this version does not know.
pub(super) fn made(
    py: Python<'_>,
    event: &CoreEvent<'_>,
    fractions: Fractions,
    paths: &mut HashMap<Subject, Paths>,
) -> PyResult<Option<StreamEvent>> {
    Ok(Some(match event {
        CoreEvent::Call(CallEvent::Start { call: ToolCall { number, id, name, choice, executor, .. } }) => {
            StreamEvent::CallStart {
                call: *number,
                id: owned(id.as_ref()),
                name: owned(name.as_ref()),
                choice: *choice,
                executed: executor.name().to_owned(),
            }
        }
        CoreEvent::Call(CallEvent::Fragment { call, text }) => {
            StreamEvent::Fragment { call: call.number, text: text.to_string() }
        }
        CoreEvent::Call(CallEvent::Match { call, event }) => {
            let paths = paths.entry(Subject::Call(call.number)).or_default();
            let event = event_object(py, event, 0, fractions, paths)?.unbind();
            StreamEvent::Match { call: call.number, event, name: owned(call.name.as_ref()) }
        }
        CoreEvent::Call(CallEvent::End { call, input }) => {
            paths.remove(&Subject::Call(call.number));
            let mut verdict = Verdict::of(py, input, fractions)?;
            let reason = verdict.reason.take();
            ended!(StreamEvent::CallEnd, verdict, {
                call: call.number,
                id: owned(call.id.as_ref()),
                name: owned(call.name.as_ref()),
                choice: call.choice,
                reason,
                executed: call.executor.name().to_owned(),
            })
        }
        CoreEvent::Call(CallEvent::Error(error)) => {
            StreamEvent::CallError { kind: error.kind().name().to_owned(), call: error.call() }
        }
        CoreEvent::Call(CallEvent::LooksCumulative { call }) => {
            StreamEvent::CallWarning { kind: "cumulative".to_owned(), call: call.number }
        }
        CoreEvent::Payload { choice, block, event, .. } => {
            let subject = Subject::Block(*block);
            let made = envelope::made(py, event, fractions, paths.entry(subject).or_default())?;
            let Some(event) = made else { return Ok(None) };
            if matches!(event, EnvelopeEvent::End { .. }) {
                paths.remove(&subject);
            }
            let event = event.into_pyobject(py)?.into_any().unbind();
            StreamEvent::Payload { event, choice: *choice, block: *block }
        }
        CoreEvent::End => StreamEvent::End {},
        CoreEvent::Agent { agent, event, .. } => match made(py, event, fractions, paths)? {
            Some(event) => {
                StreamEvent::Agent { agent: agent.to_string(), event: event.into_pyobject(py)?.into_any().unbind() }
            }
            None => return Ok(None),
        },
        _ => return Ok(declared(event)),
    }))
}
