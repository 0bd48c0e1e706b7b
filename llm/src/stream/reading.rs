//! Reads events: detects the provider, buffers events until it is known, passes the other events to the wire format, and
//! handles those that the format does not know.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::{Interrupted, unless_interrupted};

use super::provider::Provider;
use super::sequence::Sequence;
use super::{MOST_UNDECIDED, ProviderStream};
use crate::calls::CallErrorKind;
use crate::emitter::failure::Failure;
use crate::emitter::{Emitter, OnEvent};
use crate::event::StreamEvent;
use crate::formats::{Format, kind_of};
use crate::json::{Node, Tree, Unreadable, checked, object_len};
use crate::message::Turn;
use crate::wire::read;

/// The event that ends the stream of any provider.
const END: &str = "[DONE]";

/// An input of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input<'i> {
    Event(&'i str),
    Unreadable(&'i str),
    Oversized,
    /// The end of input, with a reason that may be empty.
    End(&'i str),
}

impl Interrupted for ProviderStream {
    fn interrupt(&mut self) {
        self.calls.interrupt();
        self.history.interrupt();
        self.stream_state.change_message(Turn::spoil);
        self.stream_state.outlet.watch.interrupt();
    }
}

impl ProviderStream {
    /// Runs `read` unless a callback has panicked, since it is unknown how much of that event was read.
    pub(super) fn unless_interrupted(&mut self, read: impl FnOnce(&mut Self)) {
        if !self.stream_state.outlet.watch.is_interrupted() {
            unless_interrupted(self, read);
        }
    }

    /// Reads an input, and buffers it if the stream is saveable.
    pub(super) fn take(&mut self, input: Input<'_>, on_event: &mut OnEvent<'_>) {
        self.unless_interrupted(|stream| match input {
            Input::Event(event) if event.len() <= stream.calls.state.limits().event_bytes => {
                stream.push_event(event, on_event);
            }
            Input::Event(_) | Input::Oversized => stream.buffered(Input::Oversized, |stream| {
                stream.leave_out("limit");
                stream.emitter(on_event).calls().report_error(CallErrorKind::EventLimit, None);
            }),
            Input::Unreadable(text) => stream.buffered(input, |stream| {
                if !stream.is_page(text, on_event) {
                    stream.leave_out("bad-frame");
                    stream.emitter(on_event).report(StreamEvent::BadFrame { text: text.into() });
                }
            }),
            Input::End(reason) => stream.buffered(input, |stream| stream.end_input(reason, on_event)),
        });
    }

    fn push_event(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        match event.trim_ascii() {
            "" => {}
            // Some servers send these after the end of an answer.
            "null" | "[]" if self.has_ended() => {}
            END | "\"[DONE]\"" => self.buffered(Input::Event(END), |stream| {
                let mut emit = stream.emitter(on_event);
                emit.end_stream();
                emit.forget_calls();
                stream.stream_state.settle();
            }),
            event => match checked(event) {
                // Without server-sent events, Google sends an array, even if its only element is an error.
                Some(list) if list.starts_with('[') => {
                    let tree = Tree::new(list);
                    let are_events = !tree.root().is_nothing() && tree.root().elements().all(Node::is_object);
                    let events = if are_events { tree.root().elements().collect() } else { vec![tree.root()] };
                    events.into_iter().for_each(|event| self.read_event(event.spelt(), on_event));
                }
                Some(event) => self.read_event(event, on_event),
                // Some servers send no separators between events.
                None => match glued(event) {
                    Some(events) => events.into_iter().for_each(|event| self.push_event(event, on_event)),
                    None => self.buffered(Input::Event(event), |stream| stream.report_bad_frame(event, on_event)),
                },
            },
        }
    }

    /// Returns true if an answer has ended, and none is open.
    fn has_ended(&self) -> bool {
        self.stream_state.outlet.watch.has_ended && self.stream_state.unfinished.is_empty()
    }

    fn read_event(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        self.buffered(Input::Event(event), |stream| {
            if stream.with_events {
                on_event(StreamEvent::ProviderEvent { json: event.into() });
            }
            if !event.starts_with('{') {
                return stream.report_bad_frame(event, on_event);
            }
            let tree = Tree::new(event);
            let event = tree.root();
            if stream.reader.is_some() { stream.read(event, on_event) } else { stream.decide(event, on_event) }
        });
    }

    pub(super) fn decide(&mut self, event: Node<'_>, on_event: &mut OnEvent<'_>) {
        let (Some(provider), Some(format_of)) = (Provider::sender_of(event), self.format_of) else {
            return self.keep_undecided(event, on_event);
        };
        let earlier = mem::take(&mut self.undecided);
        self.reader = Some(Dispatch::new(provider, format_of(provider), !earlier.is_empty()));
        for event in &earlier {
            self.read(Tree::new(event).root(), on_event);
        }
        self.read(event, on_event);
    }

    /// Buffers an event that any provider could have sent. An error is reported at once.
    pub(super) fn keep_undecided(&mut self, event: Node<'_>, on_event: &mut OnEvent<'_>) {
        let text = event.spelt();
        if let Some(failure) = Failure::reported_by(event) {
            return self.emitter(on_event).fail(&failure);
        }
        let kept: usize = self.undecided.iter().map(String::len).sum();
        if self.undecided.len() < MOST_UNDECIDED && kept + text.len() <= self.calls.state.limits().event_bytes {
            self.undecided.push(text.to_owned());
        } else {
            on_event(StreamEvent::Unknown { text: text.into() });
        }
    }

    fn read(&mut self, event: Node<'_>, on_event: &mut OnEvent<'_>) {
        match self.terminal() {
            Some(terminal) => self.read_line(event, terminal, on_event),
            _ => self.read_own(event, on_event),
        }
    }

    /// Reads an event of the agent whose state the stream currently has.
    pub(super) fn read_own(&mut self, event: Node<'_>, on_event: &mut OnEvent<'_>) {
        self.keep_message();
        let Some(reader) = &mut self.reader else { return };
        let mut emit = Emitter::new(&mut self.calls, &mut self.stream_state, self.is_structured, on_event);
        if reader.read(event, &mut emit).is_err() {
            self.report_bad_frame(event.spelt(), on_event);
        }
        self.stream_state.settle();
    }

    /// Begins to compose the message, once the provider is known.
    pub(super) fn keep_message(&mut self) {
        if let (Some(reader), Some(composer_of), None) = (&self.reader, self.composer_of, &self.stream_state.message) {
            let most = self.calls.state.limits().event_bytes;
            let new = |shape| Box::new(Turn::new(composer_of(shape), most));
            self.stream_state.message = reader.format.message.map(new);
        }
    }

    /// Reports `text` as an error if it is a page that was sent in place of a stream. Returns true if it is one.
    pub(super) fn is_page(&mut self, text: &str, on_event: &mut OnEvent<'_>) -> bool {
        let may_be_page = !self.is_program_s() && !self.stream_state.outlet.watch.has_meant;
        let failure = Failure::page(text).filter(|_| may_be_page);
        let is_page = failure.is_some();
        if let Some(failure) = failure {
            self.emitter(on_event).fail(&failure);
        }
        is_page
    }

    pub(super) fn report_bad_frame(&mut self, text: &str, on_event: &mut OnEvent<'_>) {
        let event = StreamEvent::BadFrame { text: text.into() };
        if self.is_page(text, on_event) {
            return;
        }
        if !event.is_noise() {
            self.leave_out("bad-frame");
        }
        self.emitter(on_event).report(event);
    }
}

/// Splits a text into the events that it consists of: objects and `[DONE]`, with white space or nothing between them.
/// Returns `None` if it has any other content.
fn glued(text: &str) -> Option<Vec<&str>> {
    let (mut events, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let len = if rest.starts_with(END) { END.len() } else { object_len(rest)? };
        let (event, behind) = rest.split_at_checked(len)?;
        events.push(event);
        rest = behind.trim_ascii_start();
    }
    Some(events)
}

/// A provider's reader, with its state between events.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(super) provider: Provider,
    pub(super) format: &'static Format,
    /// True if an event has been read. Only the first event can be the body of an HTTP error.
    pub(super) has_begun: bool,
    sequence: Sequence,
}

impl Dispatch {
    pub(crate) fn new(provider: Provider, format: &'static Format, has_begun: bool) -> Self {
        Self { provider, format, has_begun, sequence: Sequence::default() }
    }

    /// Reads one event. Fails if it can't be read; then nothing was reported.
    pub(crate) fn read(&mut self, event: Node<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
        if self.format.has_numbers && self.sequence.is_repeated(event) {
            return Ok(());
        }
        // The event may have been looked at to detect the provider.
        event.tree().forget_flaws();
        let is_understood = match read((self.format.wire)(event, emit), event, emit) {
            // An event of another provider may have members of the same names with other meanings.
            Err(Unreadable) if self.is_foreign(event) => false,
            other => other?,
        };
        let is_first = !mem::replace(&mut self.has_begun, true);
        if !is_understood {
            match if is_first { Failure::alone(event) } else { Failure::reported_by(event) } {
                Some(failure) => {
                    emit.fail(&failure);
                    emit.unread_beside(&failure, event);
                }
                None => report_unknown(event, self.provider, emit)?,
            }
        }
        Ok(())
    }

    /// Returns true if an event is the body of an error, an event of another provider, or of a type that no provider
    /// has.
    fn is_foreign(&self, event: Node<'_>) -> bool {
        let failure = if self.has_begun { Failure::reported_by(event) } else { Failure::alone(event) };
        let has_type = !kind_of(event).is_empty();
        let is_anothers = |sender| sender != self.provider && !(self.format.owns_too)(event);
        failure.is_some() || Provider::sender_of(event).map_or(has_type, is_anothers)
    }
}

/// The members that identify an event's call or hold a piece of it, in events of any type.
const OF_A_PIECE: [&str; 6] = ["delta", "index", "inputTextDelta", "output_index", "toolCall", "toolCallId"];

/// Reports an unknown event: as an unknown part if its type may be a new one of this provider, otherwise as unknown.
/// Fails if it is not an object, or if its type is not a string.
fn report_unknown(event: Node<'_>, provider: Provider, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    if !event.is_object() {
        return Err(Unreadable);
    }
    // An event without a valid type may have been a fragment, and so may an event with members of a fragment.
    let has_lost = |name: &&str| event.member(name).is_there() && !event.member(name).is_string();
    if ["type", "event_type"].iter().any(has_lost) {
        return Err(Unreadable);
    }
    if OF_A_PIECE.iter().any(|name| event.member(name).is_there()) {
        emit.known_mut().leave_out("unknown-part");
    }
    match kind_of(event) {
        "" => emit.unknown_event(event),
        kind if Provider::sender_of(event).is_none_or(|sender| sender == provider) => emit.unknown_part(kind, event),
        _ => emit.unknown_event(event),
    }
    Ok(())
}
