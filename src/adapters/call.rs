//! One open call: its parser, the text it got, and the verdict at its end.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::mem;

use super::builder::CallsBuilder;
use super::error::{CallError, CallErrorKind};
use super::event::{Input, InputStatus, ToolEvent};
use super::slots::{Place, Slot};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::parser::{Atom, Events, Parser, Retain, ValueFeed};
use crate::pattern_set::PatternSet;

/// Where events are told: behind `dyn`, so that all of this is compiled once, not once a closure.
pub(super) type OnEvent<'a> = dyn FnMut(ToolEvent<'_>) + 'a;

/// What a call's input is by nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    Json,
    Text,
}

/// What may still come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    /// The wire said that the input is whole; the call's end is still to come.
    Sealed,
    /// The wire told the end; the verdict waits for the reason.
    Stopped,
}

/// How a call came to its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending<'a> {
    /// The wire told the end, without a reason.
    Told,
    /// The wire gave this reason.
    Reason(&'a str),
    /// The wire told no end; the reason is ours.
    Abrupt(&'static str),
}

impl<'a> Ending<'a> {
    /// Whether calls end this way when nothing was cut. An unknown reason is not trusted.
    fn is_regular(self) -> bool {
        const REGULAR: [&str; 13] = [
            "tool_use",
            "tool-use",
            "tool_calls",
            "tool-calls",
            "tool_call",
            "function_call",
            "requires_action",
            "stop",
            "stop_sequence",
            "end_turn",
            "pause_turn",
            "complete",
            "completed",
        ];
        match self {
            Self::Told => true,
            Self::Reason(reason) => REGULAR.iter().any(|regular| regular.eq_ignore_ascii_case(reason)),
            Self::Abrupt(_) => false,
        }
    }

    fn reason(self) -> &'a str {
        match self {
            Self::Told => "incomplete",
            Self::Reason(reason) | Self::Abrupt(reason) => reason,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    number: u64,
    choice: u64,
    place: OwnedPlace,
    id: String,
    name: String,
    nature: Nature,
    pub(super) phase: Phase,
    is_told: bool,
    /// Why something was left out on our side, so that it can't be complete.
    left_out: Option<&'static str>,
    /// The wire said that it is not complete.
    is_incomplete: bool,
    /// What came with the start; used only if nothing else comes.
    start_input: String,
    len: usize,
    body: Body,
}

#[derive(Clone, Debug)]
enum OwnedPlace {
    Index(u64),
    Id(String),
    Other,
}

#[derive(Clone, Debug)]
enum Body {
    Untouched,
    /// Input whose grammar holds so far.
    Json(Box<Parser>),
    /// Input that comes as values by path; the same in the end.
    Values(Box<ValueFeed>),
    /// Input that the parser has refused, all of it. What the parser can still show, if it was built so, it shows.
    Failed {
        error: Error,
        raw: String,
        parser: Box<Parser>,
    },
    Text(String),
}

impl Call {
    pub(super) fn new(number: u64, slot: Slot<'_>, id: &str, name: &str, nature: Nature) -> Self {
        let place = match slot.place {
            Place::Index(index) => OwnedPlace::Index(index),
            Place::Id(id) => OwnedPlace::Id(id.to_owned()),
            Place::Content | Place::Latest | Place::Nowhere => OwnedPlace::Other,
        };
        Self {
            number,
            choice: slot.choice,
            place,
            id: id.to_owned(),
            name: name.to_owned(),
            nature,
            phase: Phase::Open,
            is_told: false,
            left_out: None,
            is_incomplete: false,
            start_input: String::new(),
            len: 0,
            body: Body::Untouched,
        }
    }

    pub(super) fn slot(&self) -> Slot<'_> {
        let place = match &self.place {
            OwnedPlace::Index(index) => Place::Index(*index),
            OwnedPlace::Id(id) => Place::Id(id),
            OwnedPlace::Other => Place::Nowhere,
        };
        Slot::new(self.choice, place)
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn choice(&self) -> u64 {
        self.choice
    }

    /// The parser, once it has got something.
    pub(super) fn parser(&self) -> Option<&Parser> {
        match &self.body {
            Body::Json(parser) | Body::Failed { parser, .. } => Some(parser),
            Body::Values(feed) => Some(feed.parser()),
            Body::Untouched | Body::Text(_) => None,
        }
    }

    /// Whether the input is one whole JSON value by now.
    pub(super) fn has_whole_value(&self) -> bool {
        self.parser().is_some_and(Parser::is_complete)
    }

    /// The first id and the first name win.
    pub(super) fn identify(&mut self, id: &str, name: &str) {
        for (known, new) in [(&mut self.id, id), (&mut self.name, name)] {
            if known.is_empty() {
                new.clone_into(known);
            }
        }
    }

    /// Keeps what came with the start. An object without members only stands in for what is to come.
    pub(super) fn keep_start_input(&mut self, input: &str) {
        let is_stand_in = || input.strip_prefix('{').is_some_and(|rest| rest.trim_ascii() == "}");
        if !is_stand_in() {
            input.clone_into(&mut self.start_input);
        }
    }

    /// Something of the stream was left out: nothing can be complete that was open then.
    pub(super) fn leave_out(&mut self, reason: &'static str) {
        self.left_out.get_or_insert(reason);
    }

    pub(super) fn set_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Tells the start, once.
    pub(super) fn tell_start(&mut self, on_event: &mut OnEvent<'_>) {
        if !mem::replace(&mut self.is_told, true) {
            let (id, name) = (present(&self.id), present(&self.name));
            on_event(ToolEvent::Call { call: self.number, id, name, choice: self.choice });
        }
    }

    /// Takes in a fragment, which is not empty.
    pub(super) fn append(&mut self, text: &str, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        self.tell_start(on_event);
        let room = choices.limits.input_bytes - self.len;
        let within = text.get(..floor_char_boundary(text, room)).unwrap_or_default();
        if !within.is_empty() {
            on_event(ToolEvent::Fragment { call: self.number, text: within });
            self.len += within.len();
            self.take_in(within, choices, on_event);
        }
        if within.len() < text.len() {
            self.pass_limit(on_event);
        }
    }

    /// Tells, once, that the rest is left out.
    fn pass_limit(&mut self, on_event: &mut OnEvent<'_>) {
        if self.left_out.replace("limit") != Some("limit") {
            on_event(ToolEvent::Error(CallError::new(CallErrorKind::InputLimit, self.number)));
        }
    }

    fn take_in(&mut self, text: &str, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        if let Body::Untouched = self.body {
            self.body = match self.nature {
                Nature::Text => Body::Text(String::new()),
                Nature::Json => {
                    let parser = choices.parser.retain(Retain::Text).build(choices.patterns_of(&self.name));
                    Body::Json(Box::new(parser))
                }
            };
        }
        let call = self.number;
        let mut on_match = |event: Event<'_>| on_event(ToolEvent::Match { call, event });
        match &mut self.body {
            Body::Json(parser) => {
                let fed = parser.offset();
                let error = parser.feed_with(text, &mut on_match).err();
                // A flaw that the parser shows past is an error all the same.
                if let Some(error) = error.or_else(|| parser.flaws().first().cloned()) {
                    let raw = [text_of(parser), &text[(error.offset() - fed) as usize..]].concat();
                    self.body = Body::Failed { error, raw, parser: parser.clone() };
                }
            }
            Body::Failed { raw, parser, .. } => {
                raw.push_str(text);
                // Its error is known, and told at the end.
                let _ = parser.feed_with(text, &mut on_match);
            }
            Body::Text(raw) => raw.push_str(text),
            // Nothing of the sort: a stream gives one or the other.
            Body::Untouched | Body::Values(_) => {}
        }
    }

    /// Takes in a value by its path.
    pub(super) fn set(&mut self, path: &str, value: PathValue<'_>, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        self.tell_start(on_event);
        if let Body::Untouched = self.body {
            let feed = ValueFeed::new(choices.parser.retain(Retain::Text), choices.patterns_of(&self.name));
            self.body = Body::Values(Box::new(feed));
        }
        let Body::Values(feed) = &mut self.body else { return };
        if self.left_out.is_some() {
            return;
        }
        let mut error = match value {
            PathValue::Atom(atom) => tell_events(self.number, &mut self.len, feed.set(path, atom), on_event),
            PathValue::Text { text, .. } => tell_events(self.number, &mut self.len, feed.append(path, text), on_event),
        };
        if let (None, PathValue::Text { has_ended: true, .. }) = (&error, value) {
            error = tell_events(self.number, &mut self.len, feed.close(path), on_event);
        }
        if let Some(error) = error {
            let parser = Box::new(feed.parser().clone());
            self.body = Body::Failed { error, raw: text_of(&parser).to_owned(), parser };
        } else if self.len > choices.limits.input_bytes {
            self.pass_limit(on_event);
        }
    }

    /// Takes in a payload that repeats the whole input: it is the input if nothing came before it.
    pub(super) fn whole(&mut self, text: &str, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        if let Body::Untouched = self.body {
            self.append(text, choices, on_event);
        } else if self.left_out.is_none() && !self.is_same(text) {
            on_event(ToolEvent::Error(CallError::new(CallErrorKind::Mismatch, self.number)));
        }
    }

    fn is_same(&self, text: &str) -> bool {
        let value = |text| serde_json::from_str::<serde_json::Value>(text).ok();
        self.raw() == text || (self.nature == Nature::Json && value(text).is_some_and(|v| value(self.raw()) == Some(v)))
    }

    /// What is new in a payload that repeats all so far; `None` if it does not.
    pub(super) fn news<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.strip_prefix(self.raw())
    }

    fn raw(&self) -> &str {
        match &self.body {
            Body::Untouched => "",
            Body::Json(parser) => text_of(parser),
            Body::Values(feed) => text_of(feed.parser()),
            Body::Failed { raw, .. } | Body::Text(raw) => raw,
        }
    }

    /// The wire has told the end: takes what came with the start if nothing else did. Whether the verdict still
    /// depends on the reason.
    pub(super) fn stop(&mut self, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) -> bool {
        self.take_start_input(choices, on_event);
        match &self.body {
            Body::Untouched => true,
            Body::Json(parser) => !parser.is_complete(),
            Body::Failed { .. } | Body::Values(_) => false,
            Body::Text(_) => self.is_incomplete,
        }
    }

    fn take_start_input(&mut self, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        let input = mem::take(&mut self.start_input);
        if let (Body::Untouched, false) = (&self.body, input.is_empty()) {
            self.append(&input, choices, on_event);
        }
    }

    /// Tells the verdict.
    pub(super) fn end(mut self, ending: Ending<'_>, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        self.tell_start(on_event);
        if !matches!(ending, Ending::Abrupt(_)) {
            self.take_start_input(choices, on_event);
        }
        let is_regular = ending.is_regular() && !self.is_incomplete && self.left_out.is_none();
        let truncated = InputStatus::Truncated { reason: self.left_out.unwrap_or(ending.reason()) };
        let mut error = None;
        let status = match &mut self.body {
            Body::Failed { error: failed, .. } => {
                error = Some(failed.clone());
                match failed.kind() {
                    ErrorKind::TrailingBytes => InputStatus::Trailing,
                    _ => InputStatus::Malformed,
                }
            }
            // A value that is whole is whole, whatever the reason. Where its end is not its own, as a number's or
            // that of values by path, only a regular ending makes it so.
            Body::Json(parser) if is_regular || (parser.is_complete() && self.left_out.is_none()) => {
                error = tell_events(self.number, &mut self.len, parser.finish(), on_event);
                if error.is_none() { InputStatus::Complete } else { truncated }
            }
            Body::Values(feed) if is_regular => {
                error = tell_events(self.number, &mut self.len, feed.finish(), on_event);
                if error.is_none() { InputStatus::Complete } else { truncated }
            }
            Body::Text(_) if is_regular => InputStatus::Raw,
            Body::Untouched if is_regular && self.nature == Nature::Text => InputStatus::Raw,
            Body::Untouched if is_regular => InputStatus::Empty,
            Body::Untouched | Body::Text(_) => truncated,
            Body::Json(_) | Body::Values(_) => {
                error = self.parser().and_then(|parser| parser.clone().finish_with(|_| {}).err());
                truncated
            }
        };
        let empty = empty_object();
        let value = match status {
            InputStatus::Complete => self.parser(),
            InputStatus::Empty => Some(&empty),
            _ => None,
        };
        let value = value.and_then(|parser| parser.complete().ok());
        let input = Input { status, raw: self.raw(), value, error: error.as_ref() };
        on_event(ToolEvent::Input { call: self.number, id: present(&self.id), name: present(&self.name), input });
    }
}

/// A value, or a piece of one, for a path.
#[derive(Clone, Copy)]
pub(super) enum PathValue<'a> {
    Atom(Atom<'a>),
    Text { text: &'a str, has_ended: bool },
}

/// Tells the events of an operation behind the text that it added, of which `len` bytes were told before.
fn tell_events(call: u64, len: &mut usize, events: Events<'_>, on_event: &mut OnEvent<'_>) -> Option<Error> {
    let added = text_of(events.parser()).get(*len..).unwrap_or_default();
    if !added.is_empty() {
        *len += added.len();
        on_event(ToolEvent::Fragment { call, text: added });
    }
    let mut error = None;
    for event in events {
        match event {
            Ok(event) => on_event(ToolEvent::Match { call, event }),
            Err(failed) => error = Some(failed),
        }
    }
    error
}

/// A parser that has read `{}`.
fn empty_object() -> Parser {
    let mut parser = Parser::new(&PatternSet::empty());
    // This text has no error.
    let _ = parser.feed_with("{}", |_| {}).and_then(|()| parser.finish_with(|_| {}));
    parser
}

fn text_of(parser: &Parser) -> &str {
    // The parser keeps its text, and it was fed nothing but whole characters.
    parser.text().ok().and_then(|text| core::str::from_utf8(text).ok()).unwrap_or_default()
}

/// The last boundary of a character at or before a place.
fn floor_char_boundary(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

fn present(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
