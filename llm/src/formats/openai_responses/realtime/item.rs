//! An item of a response: a message, a call, or what came of one.

use alloc::format;

use super::{Item, key, say_part, slot_of};
use crate::calls::{CallStart, Executor, Place, Slot, digest_of};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::Scope;
use crate::event::StreamEvent;
use crate::json::{Json, Spelt, Unreadable};

impl Item<'_> {
    pub(super) fn is_call(&self) -> bool {
        matches!(&*self.kind, "function_call" | "mcp_call" | "mcp_approval_request")
    }

    /// Returns true if it is of a kind that stands in a conversation without a response: as part of none, it is the
    /// user's, the client's, or of an earlier day.
    pub(super) fn is_client_s(&self) -> bool {
        matches!(&*self.kind, "message" | "function_call" | "function_call_output")
    }

    /// Reports an item that is no response's, in the event that has it, each time that it says something else.
    pub(super) fn report_as_data(&self, kind: &str, item: Json<'_>, event: Json<'_>, emit: &mut Emitter<'_>) {
        let says = |value: Json<'_>| value.is_given() && !value.is_nothing();
        let parts = ["content", "arguments", "output"].map(|name| item.member(name));
        let in_parts = |part: Json<'_>| part.members().any(|(name, value)| name.word() != "type" && says(value));
        let says_something = parts[0].elements().any(|part| part.is_string() || in_parts(part))
            || parts[1..].iter().any(|part| says(*part));
        let key = format!("/{} {:x}", &*self.id, digest_of(&parts.map(Json::spelt).concat()));
        if says_something && !emit.has_reported(&key) {
            emit.note_reported(&key);
            emit.data(kind, event);
        }
    }

    pub(super) fn slot(&self, choice: u64) -> Slot<'_> {
        slot_of(choice, &self.id, &self.call_id)
    }

    /// The id that the result is sent back with.
    pub(super) fn id(&self) -> &str {
        if self.call_id.is_empty() { &self.id } else { &self.call_id }
    }

    /// Fails if the item has arguments that can't be read.
    pub(super) fn check(&self) -> Result<(), Unreadable> {
        self.arguments.aside().piece().map(drop)
    }

    pub(super) fn start(&self, choice: u64, emit: &mut Emitter<'_>) {
        if self.is_call() {
            let executor = if self.kind.as_str() == "function_call" { Executor::Client } else { Executor::Provider };
            let start = CallStart::new(self.name.as_str()).id(self.id()).executor(executor);
            emit.calls().start(self.slot(choice), start.input(self.arguments.text_or_json().as_str()));
        }
    }

    /// Reports what its parts begin with.
    pub(super) fn say_beginning(&self, choice: u64, emit: &mut Emitter<'_>) {
        for (index, part) in (0..).zip(&self.content) {
            say_part(choice, &self.id, &key(&self.id, index), part, Scope::Place, emit);
        }
    }

    /// Reports what has come of a call, and what waits for approval, once.
    pub(super) fn report_rest(&self, choice: u64, json: Json<'_>, emit: &mut Emitter<'_>) {
        let has_rest = match &*self.kind {
            "mcp_call" => self.output.is_given() || self.error.is_given(),
            kind => kind == "mcp_approval_request",
        };
        let is_known = matches!(
            &*self.kind,
            "message"
                | "function_call"
                | "function_call_output"
                | "mcp_call"
                | "mcp_approval_request"
                | "mcp_approval_response"
        );
        // A part of a message can't have this key.
        if is_known && !has_rest {
            return;
        }
        let said = digest_of(&[self.output, self.error].map(|said| said.aside().spelt()).concat());
        if !emit.is_news(choice, &format!("/{} {said:x}", &*self.id)) {
            [self.output, self.error].into_iter().for_each(Json::pass_over);
            return;
        }
        if self.kind.as_str() == "mcp_list_tools" {
            emit.data(&self.kind, json);
        } else if !is_known {
            emit.unknown_part(if self.kind.is_empty() { "item" } else { &self.kind }, json);
        } else if self.kind.as_str() == "mcp_call" {
            emit.tool_result(
                self.id(),
                self.error.is_given(),
                json,
                &[self.output, self.error].map(Json::spelt).concat(),
            );
        } else {
            let call = emit.known().find_id(choice, &self.id);
            emit.report(StreamEvent::ApprovalRequest { id: (&*self.id).into(), call, json: json.spelt().into() });
        }
    }
}

/// An item is done.
pub(super) fn end_item(choice: u64, Spelt { json, object: item }: &Spelt<'_, Item<'_>>, emit: &mut Emitter<'_>) {
    let has_ended = item.is_call() && emit.calls().has_ended(item.slot(choice), item.id());
    if let Some(number) = emit.known().find_id(choice, item.id()).filter(|_| has_ended) {
        emit.repeat_call(number, &item.name, item.arguments.text_or_json().as_str());
    }
    if item.is_call() && !has_ended {
        let slot = item.slot(choice);
        // One that started without the item's id is known by its own.
        let is_known_by_its_own =
            emit.calls().find(slot).is_none() && emit.known().find_id(choice, item.id()).is_some();
        let slot = if is_known_by_its_own { Slot::new(choice, Place::Id(item.id())) } else { slot };
        if emit.calls().find(slot).is_none() {
            item.start(choice, emit);
        }
        if let Some(number) = emit.calls().find_open(slot) {
            emit.calls().identify(number, "", &item.name);
        }
        emit.calls().whole(slot, item.arguments.text_or_json().as_str());
        if matches!(item.status.as_str(), "incomplete" | "in_progress") {
            emit.calls().set_incomplete(slot, true);
        }
        emit.calls().stop(slot);
    }
    for (index, part) in (0..).zip(&item.content) {
        let key = key(&item.id, index);
        say_part(choice, &item.id, &key, part, Scope::Item, emit);
        emit.end_block(At::from(&*key));
    }
    item.report_rest(choice, *json, emit);
}
