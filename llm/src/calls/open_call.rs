//! One open call: its identity, its input so far, and what may still arrive. Its end is in `ending.rs`.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use core::mem;

use jsonspigot::internal::floor_char_boundary;
use jsonspigot::{Parser, PatternSet};

use super::builder::Options;
use super::closing::Closing;
use super::error::{CallError, CallErrorKind};
use super::event::{CallEvent, CallListener, InputEvent, MismatchKind, ToolCall};
use super::input::Input;
use super::rest::{digest_of, rest_of};
use super::start::{CallStart, Place, Slot, present};
use super::values::PathValue;

/// The input that an open call may still receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    /// The wire reported that the input is whole; the call's end is still to come.
    Sealed,
    /// The wire reported the end; the verdict waits for the reason.
    Stopped,
}

#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    /// The known identity. Separate from the input, so that it can be reported while the input is being read.
    pub(crate) known: ToolCall<'static>,
    pub(super) phase: Phase,
    is_reported: bool,
    /// The reason why a part of the input was left out on this side, so that the call can't be complete.
    pub(super) left_out: Option<&'static str>,
    /// True if the wire marked the input as incomplete.
    pub(super) is_incomplete: bool,
    /// True if the only input is the start's, and the wire ended the call without confirming it.
    pub(super) is_unconfirmed: bool,
    /// The input that was sent with the start. It is used if no other arrives, and otherwise compared.
    start_input: String,
    /// The length of the raw text.
    len: usize,
    /// True if the limit was exceeded. No more input is taken in, even if it would fit.
    is_full: bool,
    pub(super) input: Input,
    /// The values whose closing is still to be reported, if it is.
    pub(super) closing: Option<Closing>,
    /// The shortest repetition that was found equal to the input so far.
    repetition: Option<String>,
    /// While each fragment begins with the one before it: how many were longer, and the length of the last one.
    extensions: Option<(u8, usize)>,
}

impl OpenCall {
    pub(super) fn new(number: u64, slot: Slot<'_>, start: &CallStart<'_>) -> Self {
        let [id, name] = [start.id, start.name].map(|text| present::<String>(text).map(Cow::from));
        let is_answer = slot.place == Place::Content;
        Self {
            known: ToolCall {
                number,
                id,
                name,
                choice: slot.choice,
                executor: start.executor,
                is_answer,
                is_raw: start.is_raw,
            },
            phase: Phase::Open,
            is_reported: false,
            left_out: None,
            is_incomplete: false,
            is_unconfirmed: false,
            start_input: String::new(),
            len: 0,
            is_full: false,
            input: Input::default(),
            closing: None,
            repetition: None,
            extensions: Some((0, 0)),
        }
    }

    pub(crate) fn id(&self) -> &str {
        self.known.id.as_deref().unwrap_or_default()
    }

    pub(crate) fn name(&self) -> &str {
        self.known.name.as_deref().unwrap_or_default()
    }

    /// Returns true if the call has a different name. Returns false if either name is empty.
    pub(crate) fn is_called_otherwise(&self, name: &str) -> bool {
        !name.is_empty() && !self.name().is_empty() && self.name() != name
    }

    /// Returns the parser, once any JSON input has arrived.
    pub(crate) fn parser(&self) -> Option<&Parser> {
        self.input.parser()
    }

    /// Returns true if the input so far is one whole JSON value.
    pub(crate) fn has_whole_value(&self) -> bool {
        self.parser().is_some_and(Parser::is_complete)
    }

    /// Returns true if more of the input may arrive: none has arrived, or only part of a value, or it is
    /// not JSON.
    pub(super) fn may_lack_text(&self) -> bool {
        let may_be_whole = if self.has_input() { self.has_whole_value() } else { self.has_start_input() };
        !self.known.is_answer && !may_be_whole && self.input.error.is_none()
    }

    /// Returns true if any input has arrived, not counting the start's.
    pub(crate) fn has_input(&self) -> bool {
        self.input.has_begun()
    }

    /// Returns true if a fragment that names no call may belong to this one. Returns false if the input is the
    /// message's own text, or if the wire has sent the whole input.
    pub(super) fn may_have_lost(&self) -> bool {
        !self.known.is_answer && (self.phase != Phase::Sealed || !self.has_input())
    }

    /// Sets the id and the name unless they are known. A different name is reported as a mismatch.
    pub(super) fn identify(&mut self, id: &str, name: &str, listener: &mut dyn CallListener) {
        if self.is_called_otherwise(name) {
            self.contradict_part(MismatchKind::Name, name, listener);
        }
        for (known, new) in [(&mut self.known.id, id), (&mut self.known.name, name)] {
            if known.is_none() {
                *known = present::<String>(new).map(Cow::from);
            }
        }
    }

    /// Appends a piece of the name, as some servers send it before the first piece of the input. Returns false for a
    /// text that can't be a piece: the name itself, or a text that begins with it and may be the whole name so far.
    pub(super) fn extend_name(&mut self, piece: &str, most: usize) -> bool {
        let is_piece = self.is_called_otherwise(piece) && !piece.starts_with(self.name());
        let may_extend =
            is_piece && !self.has_input() && !self.has_start_input() && self.name().len() + piece.len() <= most;
        if may_extend {
            self.known.name.get_or_insert_default().to_mut().push_str(piece);
        }
        may_extend
    }

    /// Keeps the input that was sent with the start, up to the limit. An empty object is ignored, because it only
    /// stands in for the input that follows.
    pub(super) fn keep_start_input(&mut self, input: &str, options: &Options) {
        if !is_stand_in(input) {
            // One character more than the limit, so that taking it in exceeds the limit.
            let most = options.limits.input_bytes.saturating_add(char::MAX.len_utf8());
            input[..floor_char_boundary(input, most)].clone_into(&mut self.start_input);
        }
    }

    /// Compares the input of a repeated start with that of the first one. Reports a mismatch if they differ.
    pub(super) fn repeat_start_input(&mut self, input: &str, listener: &mut dyn CallListener) {
        let is_new = !self.start_input.is_empty() && !input.is_empty() && !is_stand_in(input);
        // Only as much was kept as the limit allows.
        let is_same = input.starts_with(&self.start_input) || digest_of(&self.start_input) == digest_of(input);
        if is_new && !is_same {
            self.contradict(input, listener);
        }
    }

    /// Records that a part of the stream was left out, so that this call can't be complete. The first reason is kept.
    pub(super) fn leave_out(&mut self, reason: &'static str) {
        self.left_out.get_or_insert(reason);
    }

    /// Reports the start, once.
    pub(super) fn report_start(&mut self, listener: &mut dyn CallListener) {
        if !mem::replace(&mut self.is_reported, true) {
            listener.on_call_event(CallEvent::Start { call: self.known.borrowed() });
        }
    }

    /// Warns, once, if the first fragments look cumulative: two in a row strictly extend the fragment before them. Does
    /// not change how fragments are read.
    pub(super) fn watch_fragment(&mut self, text: &str, listener: &mut dyn CallListener) {
        let Some((count, last)) = self.extensions else { return };
        let so_far = self.input.raw_bytes();
        let before = so_far.len().checked_sub(last).and_then(|start| so_far.get(start..)).unwrap_or_default();
        let is_chain = !self.is_full && text.as_bytes().starts_with(before) && (last > 0 || so_far.is_empty());
        let count = count + u8::from(last > 0 && text.len() > last);
        self.extensions = (is_chain && count < 2).then_some((count, text.len()));
        if is_chain && count == 2 {
            listener.on_call_event(CallEvent::LooksCumulative { call: self.known.borrowed() });
        }
    }

    /// Appends a fragment, which is not empty.
    pub(super) fn append(&mut self, text: &str, options: &Options, listener: &mut dyn CallListener) {
        self.report_start(listener);
        if self.is_full {
            return;
        }
        if !self.has_input() {
            let is_raw = self.known.is_raw;
            self.input =
                if is_raw { Input::text() } else { Input::json(options.parser.clone(), &self.watched(options)) };
        }
        // The last value by path may have exceeded the limit.
        let room = options.limits.input_bytes.saturating_sub(self.len);
        let within = &text[..floor_char_boundary(text, room)];
        if !within.is_empty() {
            self.doubt_closing(options);
            let taken = self.input.append(within, &mut forward(&self.known, &mut self.closing, listener));
            if taken.is_err() {
                return self.refuse_mixed(listener);
            }
            self.len += within.len();
            // White space leaves the value unchanged, and with it the repetition.
            if !within.trim_ascii().is_empty() {
                self.forget_repetition(listener);
            }
        }
        if within.len() < text.len() {
            self.pass_limit(listener);
        }
    }

    /// Takes in a value by its path.
    pub(super) fn set(&mut self, path: &str, value: PathValue<'_>, options: &Options, listener: &mut dyn CallListener) {
        self.report_start(listener);
        if !self.has_input() && !self.known.is_raw {
            self.input = Input::values(options.parser.clone(), &self.watched(options));
        }
        if self.is_full {
            return;
        }
        self.doubt_closing(options);
        let taken = self.input.set(path, value, &mut forward(&self.known, &mut self.closing, listener));
        let Ok(added) = taken else { return self.refuse_mixed(listener) };
        self.len += added;
        self.forget_repetition(listener);
        if self.len > options.limits.input_bytes {
            self.pass_limit(listener);
        }
    }

    /// Forgets the known repetition, since the input has grown. The next repetition is compared with all of the input
    /// again. That would cost far more than what is sent if the input is much longer than its repetition, as a number
    /// with many zeros may be, so such an input counts as contradicted.
    fn forget_repetition(&mut self, listener: &mut dyn CallListener) {
        if let Some(repetition) = self.repetition.take()
            && self.len / 8 > repetition.len() + 128
        {
            self.contradict(&repetition, listener);
        }
    }

    /// Reports, once, that the rest of the input is left out.
    fn pass_limit(&mut self, listener: &mut dyn CallListener) {
        self.is_full = true;
        if self.left_out.replace("limit") != Some("limit") {
            self.report_error(CallErrorKind::InputLimit, listener);
        }
    }

    /// Reports, once, that input is left out because it is not in the form of the input before: text, or values by
    /// path.
    fn refuse_mixed(&mut self, listener: &mut dyn CallListener) {
        if self.left_out.replace("mixed") != Some("mixed") {
            self.report_error(CallErrorKind::Mixed, listener);
        }
    }

    /// Takes in a payload that repeats the whole input. If it begins with the input so far, its rest is appended, and
    /// anything that may have been lost before is made up for. Otherwise reports a mismatch.
    pub(super) fn whole(&mut self, text: &str, options: &Options, listener: &mut dyn CallListener) {
        if self.is_beyond_repair() {
            return;
        }
        let rest = if self.input.is_repeated_by(text, &mut self.repetition) { Some("") } else { self.input.rest(text) };
        let Some(rest) = rest else { return self.contradict(text, listener) };
        self.left_out = None;
        if !rest.is_empty() {
            self.append(rest, options, listener);
        }
    }

    /// Returns true if the whole input has arrived, and `text` differs from it only as validation by a schema may
    /// change it. Such a text is no mismatch.
    pub(super) fn is_validated_as(&mut self, text: &str) -> bool {
        self.left_out.is_none()
            && !self.input.is_repeated_by(text, &mut self.repetition)
            && self.input.is_validated_as(text)
    }

    /// Returns true if the input can't become whole any more, whatever the wire sends.
    fn is_beyond_repair(&self) -> bool {
        matches!(self.left_out, Some("limit" | "mixed" | "mismatch"))
    }

    /// Reports a mismatch: the wire sent a different input, and either of the two may be right.
    pub(super) fn contradict(&mut self, whole: &str, listener: &mut dyn CallListener) {
        self.contradict_part(MismatchKind::Arguments, whole, listener);
    }

    fn contradict_part(&mut self, kind: MismatchKind, text: &str, listener: &mut dyn CallListener) {
        if !self.is_beyond_repair() {
            self.left_out = Some("mismatch");
            self.report_error(CallErrorKind::Mismatch, listener);
            listener.on_call_event(CallEvent::Mismatch { call: self.known.borrowed(), kind, text: text.into() });
        }
    }

    /// Takes in a cumulative fragment, which repeats the input so far. Reports a mismatch if it does not.
    pub(super) fn append_to_all(&mut self, text: &str, options: &Options, listener: &mut dyn CallListener) {
        match self.input.news(text) {
            Some("") => {}
            Some(news) => self.append(news, options, listener),
            // The input is shorter than what was sent, since a part of it was left out.
            None if self.left_out.is_some() => {}
            None => self.contradict(text, listener),
        }
    }

    /// Returns the rest of a text that begins with the input so far; `None` if it does not, or if there is no input.
    pub(super) fn rest_of<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.input.news(text).filter(|_| self.has_input())
    }

    /// Returns the patterns of the input's parser, and begins to watch the values whose closing is reported.
    fn watched(&mut self, options: &Options) -> PatternSet {
        let patterns = options.patterns_of(self.name());
        let Some(fields) = &options.closing else { return patterns.clone() };
        let (closing, all) = Closing::new(patterns, fields);
        self.closing = Some(closing);
        all
    }

    /// Returns true if the call has no name and can't be complete without one.
    pub(super) fn is_nameless(&self, options: &Options) -> bool {
        options.needs_names && self.name().is_empty() && !self.known.is_answer
    }

    /// Keeps what closes next from being reported if the call may lack a part or its name.
    pub(super) fn doubt_closing(&mut self, options: &Options) {
        let is_unproven = self.left_out.is_some() || self.is_unconfirmed || self.is_nameless(options);
        if let Some(closing) = &mut self.closing {
            closing.is_unproven = is_unproven;
        }
    }

    pub(super) fn report_error(&self, kind: CallErrorKind, listener: &mut dyn CallListener) {
        listener.on_call_event(CallEvent::Error(CallError::new(kind, self.known.number)));
    }

    /// Takes the end that the wire reported, and the input of the start if there was no other. Returns true if the
    /// verdict still depends on the reason.
    pub(super) fn stop(&mut self, options: &Options, listener: &mut dyn CallListener) -> bool {
        self.take_start_input(options, listener);
        if self.known.is_raw && self.has_input() {
            return self.is_incomplete;
        }
        self.input.error.is_none() && !self.has_whole_value() && !self.input.is_closed_by_its_end()
    }

    pub(super) fn has_start_input(&self) -> bool {
        !self.start_input.is_empty()
    }

    /// Uses the input of the start if there was no other. Otherwise reports a mismatch, unless the start's input
    /// repeats the input or its beginning.
    pub(super) fn take_start_input(&mut self, options: &Options, listener: &mut dyn CallListener) {
        let input = mem::take(&mut self.start_input);
        if input.is_empty() {
            return;
        }
        if !self.has_input() {
            return self.append(&input, options, listener);
        }
        // Some servers send an empty array or string for no input.
        let is_beginning = matches!(&*input, "[]" | "\"\"") || rest_of(&input, self.input.raw()).is_some();
        if !is_beginning && !self.input.is_repeated_by(&input, &mut self.repetition) {
            self.contradict(&input, listener);
        }
    }
}

/// Returns a callback that reports the events of an input as events of its call.
pub(super) fn forward<'t>(
    call: &'t ToolCall<'static>,
    closing: &'t mut Option<Closing>,
    listener: &'t mut dyn CallListener,
) -> impl FnMut(InputEvent<'_>) + use<'t> {
    move |event| {
        let event = match (event, &mut *closing) {
            (InputEvent::Match(event), Some(closing)) if !closing.is_users(&event) => closing.take(&event, call),
            (InputEvent::Match(event), _) => Some(CallEvent::Match { call: call.borrowed(), event }),
            (InputEvent::Fragment(text), _) => Some(CallEvent::Fragment { call: call.borrowed(), text: text.into() }),
        };
        if let Some(event) = event {
            listener.on_call_event(event);
        }
    }
}

/// Returns true if an input sent with a call's start is an empty object, which only stands in for the input that
/// follows.
pub(crate) fn is_stand_in(input: &str) -> bool {
    input.strip_prefix('{').is_some_and(|rest| rest.trim_ascii() == "}")
}
