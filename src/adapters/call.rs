//! One open call: who it is, the text it got, and the verdict at its end.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::mem;

use super::body::{Body, PathValue, Told};
use super::builder::CallsBuilder;
use super::error::{CallError, CallErrorKind};
use super::event::{Input, InputStatus, ToolEvent};
use super::slots::{Place, Slot};
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::pattern::PatternSet;
use crate::tokenizer::floor_char_boundary;

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
    /// Whether the input is the message's own text.
    is_content: bool,
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
    /// How long the raw text is.
    len: usize,
    /// Whether the limit was passed: nothing more is taken in, not even what would fit.
    is_full: bool,
    body: Body,
    /// The shortest repetition of the input that was found to be the same.
    repetition: Option<String>,
    /// Whether it was told that a server made something else of the input.
    is_contradicted: bool,
}

impl Call {
    pub(super) fn new(number: u64, slot: Slot<'_>, id: &str, name: &str, nature: Nature) -> Self {
        Self {
            number,
            choice: slot.choice,
            is_content: slot.place == Place::Content,
            id: id.to_owned(),
            name: name.to_owned(),
            nature,
            phase: Phase::Open,
            is_told: false,
            left_out: None,
            is_incomplete: false,
            start_input: String::new(),
            len: 0,
            is_full: false,
            body: Body::Untouched,
            repetition: None,
            is_contradicted: false,
        }
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
        self.body.parser()
    }

    /// Whether the input is one whole JSON value by now.
    pub(super) fn has_whole_value(&self) -> bool {
        self.parser().is_some_and(Parser::is_complete)
    }

    /// Whether the input is the message's own text.
    pub(super) fn is_content(&self) -> bool {
        self.is_content
    }

    /// Whether anything has come that is the input.
    pub(super) fn has_input(&self) -> bool {
        !matches!(self.body, Body::Untouched)
    }

    /// Whether a fragment that names no call may be this one's: not if the input is the message's own text, nor once
    /// the wire has said what the whole input is.
    pub(super) fn may_have_lost(&self) -> bool {
        !self.is_content && (self.phase != Phase::Sealed || !self.has_input())
    }

    /// The first id and the first name win.
    pub(super) fn identify(&mut self, id: &str, name: &str) {
        for (known, new) in [(&mut self.id, id), (&mut self.name, name)] {
            if known.is_empty() {
                new.clone_into(known);
            }
        }
    }

    /// Keeps what came with the start, as far as the limit allows. An object without members only stands in for what
    /// is to come.
    pub(super) fn keep_start_input(&mut self, input: &str, choices: &CallsBuilder) {
        let is_stand_in = || input.strip_prefix('{').is_some_and(|rest| rest.trim_ascii() == "}");
        if !is_stand_in() {
            // One character more than fits, so that whoever takes it in sees that there was more.
            let most = choices.limits.input_bytes.saturating_add(char::MAX.len_utf8());
            input[..floor_char_boundary(input, most)].clone_into(&mut self.start_input);
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
        if self.is_full {
            return;
        }
        if let Body::Untouched = self.body {
            self.body = match self.nature {
                Nature::Text => Body::Text(String::new()),
                Nature::Json => Body::json(choices.parser, self.patterns(choices)),
            };
        }
        // Values by path may have passed the limit by what the last of them is long.
        let room = choices.limits.input_bytes.saturating_sub(self.len);
        let within = &text[..floor_char_boundary(text, room)];
        if !within.is_empty() {
            let taken = self.body.append(within, &mut teller(self.number, on_event));
            if taken.is_err() {
                return self.refuse_mixed(on_event);
            }
            self.len += within.len();
        }
        if within.len() < text.len() {
            self.pass_limit(on_event);
        }
    }

    /// Takes in a value by its path.
    pub(super) fn set(&mut self, path: &str, value: PathValue<'_>, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        self.tell_start(on_event);
        if let (Body::Untouched, Nature::Json) = (&self.body, self.nature) {
            self.body = Body::values(choices.parser, self.patterns(choices));
        }
        if self.is_full {
            return;
        }
        let taken = self.body.set(path, value, &mut teller(self.number, on_event));
        let Ok(added) = taken else { return self.refuse_mixed(on_event) };
        self.len += added;
        if self.len > choices.limits.input_bytes {
            self.pass_limit(on_event);
        }
    }

    /// Tells, once, that the rest is left out.
    fn pass_limit(&mut self, on_event: &mut OnEvent<'_>) {
        self.is_full = true;
        if self.left_out.replace("limit") != Some("limit") {
            self.tell_error(CallErrorKind::InputLimit, on_event);
        }
    }

    /// Tells, once, that fragments are left out, as they are of another form than the input.
    fn refuse_mixed(&mut self, on_event: &mut OnEvent<'_>) {
        if self.left_out.replace("mixed") != Some("mixed") {
            self.tell_error(CallErrorKind::Mixed, on_event);
        }
    }

    /// Takes in a payload that repeats the whole input: it is the input if nothing came before it.
    pub(super) fn whole(&mut self, text: &str, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        match self.body {
            Body::Untouched => self.append(text, choices, on_event),
            _ if self.left_out.is_some() || self.body.is_repeated_by(text, &mut self.repetition) => {}
            _ => self.contradict(on_event),
        }
    }

    /// Takes in what a server has made of the whole input, which may differ: it is the input if nothing came before it.
    pub(super) fn derived(&mut self, text: &str, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        match self.body {
            Body::Untouched => self.append(text, choices, on_event),
            _ if self.left_out.is_some() || self.is_contradicted => {}
            _ if !self.body.is_repeated_by(text, &mut self.repetition) => {
                self.is_contradicted = true;
                self.tell_error(CallErrorKind::Mismatch, on_event);
            }
            _ => {}
        }
    }

    /// The wire says that the input is another one: of the two, nobody can say which is right.
    pub(super) fn contradict(&mut self, on_event: &mut OnEvent<'_>) {
        if self.left_out.is_none() {
            self.leave_out("mismatch");
            self.tell_error(CallErrorKind::Mismatch, on_event);
        }
    }

    /// Takes in a payload that repeats all so far.
    pub(super) fn append_to_all(&mut self, text: &str, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) {
        match self.body.news(text) {
            Some("") => {}
            Some(news) => self.append(news, choices, on_event),
            // What the limit cut off is missing.
            None if self.left_out.is_some() => {}
            None => self.contradict(on_event),
        }
    }

    fn patterns<'b>(&self, choices: &'b CallsBuilder) -> &'b PatternSet {
        choices.patterns_of(&self.name)
    }

    fn tell_error(&self, kind: CallErrorKind, on_event: &mut OnEvent<'_>) {
        on_event(ToolEvent::Error(CallError::new(kind, self.number)));
    }

    /// The wire has told the end: takes what came with the start if nothing else did. Whether the verdict still
    /// depends on the reason.
    pub(super) fn stop(&mut self, choices: &CallsBuilder, on_event: &mut OnEvent<'_>) -> bool {
        self.take_start_input(choices, on_event);
        match &self.body {
            Body::Untouched => true,
            Body::Open(_) => !self.has_whole_value() && !self.body.is_closed_by_its_end(),
            Body::Failed { .. } => false,
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
        let is_whole = self.left_out.is_none();
        let is_regular = ending.is_regular() && !self.is_incomplete && is_whole;
        let truncated = InputStatus::Truncated { reason: self.left_out.unwrap_or(ending.reason()) };
        // A value that is whole is whole, whatever the reason. Where its end is not its own, as a number's or that of
        // values by path, only a regular ending makes it so.
        let ends_itself = !self.body.is_closed_by_its_end() && self.has_whole_value();
        let may_be_complete = is_regular || (is_whole && ends_itself);
        let mut error = None;
        let status = match &mut self.body {
            Body::Failed { error: failed, .. } => {
                error = Some(failed.clone());
                match failed.kind() {
                    ErrorKind::TrailingBytes => InputStatus::Trailing,
                    _ => InputStatus::Malformed,
                }
            }
            Body::Open(_) if may_be_complete => {
                error = self.body.finish(&mut teller(self.number, on_event)).err();
                if error.is_none() { InputStatus::Complete } else { truncated }
            }
            Body::Open(_) => {
                error = self.body.why_incomplete();
                truncated
            }
            Body::Text(_) if is_regular => InputStatus::Raw,
            Body::Untouched if is_regular && self.nature == Nature::Text => InputStatus::Raw,
            Body::Untouched if is_regular => InputStatus::Empty,
            Body::Untouched | Body::Text(_) => truncated,
        };
        let empty = empty_object();
        let value = match status {
            InputStatus::Complete => self.parser(),
            InputStatus::Empty => Some(&empty),
            _ => None,
        };
        let value = value.and_then(|parser| parser.complete().ok());
        let input = Input { status, raw: self.body.raw(), value, error: error.as_ref() };
        on_event(ToolEvent::Input { call: self.number, id: present(&self.id), name: present(&self.name), input });
    }
}

/// Tells what a fragment has told as events of a call.
fn teller<'t>(call: u64, on_event: &'t mut OnEvent<'_>) -> impl FnMut(Told<'_>) + 't {
    move |told| {
        on_event(match told {
            Told::Fragment(text) => ToolEvent::Fragment { call, text },
            Told::Match(event) => ToolEvent::Match { call, event },
        });
    }
}

/// A parser that has read `{}`.
fn empty_object() -> Parser {
    let mut parser = Parser::new(&PatternSet::empty());
    // This text has no error.
    let _ = parser.feed_with("{}", |_| {}).and_then(|()| parser.finish_with(|_| {}));
    parser
}

fn present(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
