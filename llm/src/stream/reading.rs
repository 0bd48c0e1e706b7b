//! Reading an event: it detects the provider, keeps what is undecided, hands the rest to the wire format.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::mem;

use jsonspigot::internal::{Interrupted, unless_interrupted};

use super::dispatch::Dispatch;
use super::provider::Provider;
use super::{MOST_UNDECIDED, ProviderStream, is_event};
use crate::emitter::failure::Failure;
use crate::emitter::{Emitter, OnEvent};
use crate::event::StreamEvent;
use crate::formats::HAS_TERMINALS;
use crate::json::Json;

impl Interrupted for ProviderStream {
    fn interrupt(&mut self) {
        self.calls.interrupt();
        self.stream_state.spoil_message();
        self.stream_state.outlet.watch.interrupt();
    }
}

impl ProviderStream {
    /// Reads, unless a callback has panicked before: nobody knows what of its event had been read.
    pub(super) fn unless_interrupted(&mut self, read: impl FnOnce(&mut Self)) {
        if !self.stream_state.outlet.watch.is_interrupted() {
            unless_interrupted(self, read);
        }
    }

    pub(super) fn push_event(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        if event.len() > self.calls.state().limits().event_bytes {
            return self.push_oversized_with(on_event);
        }
        match event.trim_ascii() {
            "" => {}
            // The end of a stream, whatever the provider.
            "[DONE]" => {
                let mut emit = self.emitter(on_event);
                emit.end_stream();
                // If another one follows, its calls are others, whatever their ids and places.
                emit.calls().begin_message();
                self.stream_state.settle();
            }
            event => match Json::new(event) {
                // Without server-sent events, Google answers with a list, even if the only element is an error.
                Some(list) if list.elements().next().is_some() && list.elements().all(Json::is_object) => {
                    list.elements().for_each(|event| self.read_event(event, on_event));
                }
                Some(event) => self.read_event(event, on_event),
                // Some servers leave out the blank lines between events, so that their data was joined.
                None if event.contains('\n') && event.lines().all(is_event) => {
                    event.lines().for_each(|event| self.push_event(event, on_event));
                }
                None => self.report_bad_frame(event, on_event),
            },
        }
    }

    pub(super) fn read_event(&mut self, event: Json<'_>, on_event: &mut OnEvent<'_>) {
        if self.with_events {
            on_event(StreamEvent::ProviderEvent { json: event.spelt().into() });
        }
        if self.reader.is_some() { self.read(event, on_event) } else { self.decide(event, on_event) }
    }

    pub(super) fn decide(&mut self, event: Json<'_>, on_event: &mut OnEvent<'_>) {
        let Some(provider) = Provider::sender_of(event) else {
            return self.keep_undecided(event, on_event);
        };
        let earlier = mem::take(&mut self.undecided);
        self.reader = Some(if earlier.is_empty() { Dispatch::new(provider) } else { Dispatch::begun(provider) });
        for event in earlier.iter().filter_map(|event| Json::new(event)).chain([event]) {
            self.read(event, on_event);
        }
    }

    /// Keeps an event that could be any provider's. What can't be an event, or is an error whatever the provider, is
    /// reported at once.
    pub(super) fn keep_undecided(&mut self, event: Json<'_>, on_event: &mut OnEvent<'_>) {
        let text = event.spelt();
        if !event.is_object() {
            return self.report_bad_frame(text, on_event);
        }
        if let Some(failure) = Failure::reported_by(event) {
            return self.emitter(on_event).fail(&failure);
        }
        let kept: usize = self.undecided.iter().map(String::len).sum();
        if self.undecided.len() < MOST_UNDECIDED && kept + text.len() <= self.calls.state().limits().event_bytes {
            self.undecided.push(text.to_owned());
        } else {
            on_event(StreamEvent::Unknown { text: text.into() });
        }
    }

    fn read(&mut self, event: Json<'_>, on_event: &mut OnEvent<'_>) {
        match self.terminal() {
            Some(terminal) if HAS_TERMINALS => self.read_line(event, terminal, on_event),
            _ => self.read_own(event, on_event),
        }
    }

    /// Reads an event of the agent whose state is the stream's.
    pub(super) fn read_own(&mut self, event: Json<'_>, on_event: &mut OnEvent<'_>) {
        let Some(reader) = &mut self.reader else { return };
        if mem::take(&mut self.awaits_keeper)
            && let Some(keeper) = self.keeper
        {
            self.stream_state.message = reader.keep_message(keeper, self.calls.state().limits().event_bytes);
        }
        let mut emit = Emitter::new(&mut self.calls, &mut self.stream_state, self.is_structured, on_event);
        if reader.read(event, &mut emit).is_err() {
            self.report_bad_frame(event.spelt(), on_event);
        }
    }

    /// Reports a page that stands in place of a stream as the error that it is. Returns true if it is one.
    pub(super) fn is_page(&mut self, text: &str, on_event: &mut OnEvent<'_>) -> bool {
        let may_be_page = self.terminal().is_none() && !self.stream_state.outlet.watch.has_meant();
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
