//! An item of a response's output: whether it is a call, by which name, and where its input is.
//!
//! What the client has to do is told as a call, an approval of an MCP server's tool included. What the provider does
//! itself (searches, images, a shell in its own container) is not, except for code that it interprets and tools of MCP
//! servers.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Said, Source, State};
use crate::providers::emitter::Emitter;
use crate::providers::json::{Json, Text, TextOrJson, objects};
use crate::tool_calls::{CallStart, Place, Slot};

objects! {
    pub(super) struct Item<'a> {
        kind: Text<'a> = "type",
        id: Text<'a>,
        call_id: Text<'a>,
        name: Text<'a>,
        status: Text<'a>,
        arguments: Json<'a>,
        input: Text<'a>,
        code: Text<'a>,
        pub(super) operation: Json<'a>,
        pub(super) action: Json<'a>,
        actions: Json<'a>,
        pending_safety_checks: Json<'a>,
        /// Who is to execute it: `client` or `server`.
        execution: Text<'a>,
        environment: Option<Environment<'a>>,
        /// The parts of a message or of reasoning.
        content: Vec<Part<'a>>,
        summary: Vec<Part<'a>>,
    }

    struct Environment<'a> {
        kind: Text<'a> = "type",
    }

    struct Part<'a> {
        text: Text<'a>,
        refusal: Text<'a>,
    }
}

/// What a composed text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// `{"callId":…,"operation":{"type":…,"path":…,"diff":…}}`
    Patch,
    /// `{"commands":[…],"timeout_ms":…}`
    Commands,
}

/// How a call's input comes.
#[derive(Clone, Copy)]
enum Form {
    /// As JSON text, in pieces.
    Streamed,
    /// As text that is not JSON, in pieces.
    StreamedRaw,
    /// As strings of an object, in pieces.
    Composed(Of),
    /// As an object, once the item is done.
    Whole,
}

impl Item<'_> {
    /// How the item's input comes, if it is a call.
    fn form(&self) -> Option<Form> {
        match &*self.kind {
            "function_call" | "mcp_call" | "mcp_approval_request" => Some(Form::Streamed),
            "custom_tool_call" | "code_interpreter_call" => Some(Form::StreamedRaw),
            "apply_patch_call" => Some(Form::Composed(Of::Patch)),
            "shell_call" if self.is_in_container() => None,
            "shell_call" if self.action.is_given() => Some(Form::Composed(Of::Commands)),
            // Without the object, the commands' texts are all there is.
            "shell_call" => Some(Form::StreamedRaw),
            "local_shell_call" | "computer_call" => Some(Form::Whole),
            "tool_search_call" if self.execution.as_str() == "client" => Some(Form::Whole),
            _ => None,
        }
    }

    /// Whether the provider runs the commands itself.
    fn is_in_container(&self) -> bool {
        self.environment.as_ref().is_some_and(|environment| environment.kind.starts_with("container"))
    }

    /// Whether the item, at its end, says that it was cut: it is still in progress, or failed.
    pub(super) fn is_incomplete(&self) -> bool {
        matches!(self.status.as_str(), "incomplete" | "in_progress" | "failed")
    }

    /// The id that the result is sent back with.
    pub(super) fn call_id(&self) -> &str {
        if self.call_id.is_empty() { self.id.as_str() } else { self.call_id.as_str() }
    }

    /// The tool's name: its own, or what its type says.
    fn tool(&self) -> &str {
        match (self.name.as_str(), self.kind.as_str()) {
            ("", "function_call" | "custom_tool_call" | "mcp_call" | "mcp_approval_request") => "",
            ("", kind) => kind.trim_end_matches("_call"),
            (name, _) => name,
        }
    }

    /// The input of a call whose input is text.
    fn text(&self) -> Cow<'_, str> {
        let inputs = [&self.input, &self.code].map(Text::as_str);
        match inputs.into_iter().find(|input| !input.is_empty()) {
            Some(input) => Cow::Borrowed(input),
            None => match self.arguments.text_or_json() {
                TextOrJson::Text(text) => text,
                TextOrJson::Json(json) => json.into(),
            },
        }
    }

    /// The input of a call whose input is an object. If the item says that it was cut, the object is left open.
    pub(super) fn whole_object(&self) -> Cow<'_, str> {
        let object = match &*self.kind {
            "computer_call" => {
                let parts = [
                    ("action", self.action),
                    ("actions", self.actions),
                    ("pending_safety_checks", self.pending_safety_checks),
                ];
                let mut object = String::from("{");
                for (name, value) in parts.into_iter().filter(|(_, value)| value.is_given()) {
                    let comma = if object.len() > 1 { "," } else { "" };
                    object.extend([comma, "\"", name, "\":", value.spelt()]);
                }
                Cow::Owned(object + "}")
            }
            "tool_search_call" => self.text(),
            _ => Cow::Borrowed(self.action.spelt()),
        };
        match object {
            Cow::Owned(mut object) if self.is_incomplete() => {
                object.pop();
                Cow::Owned(object)
            }
            Cow::Borrowed(object) if self.is_incomplete() => object.strip_suffix('}').unwrap_or_default().into(),
            object => object,
        }
    }

    /// The item has been added.
    pub(super) fn add(&self, slot: Slot<'_>, state: &mut State, emit: &mut Emitter<'_>) {
        match self.form() {
            // Its call id may change until it is done.
            Some(Form::Whole) if self.kind.as_str() == "tool_search_call" => {}
            Some(form) => self.start(form, slot, state, emit),
            // Its commands are streamed like a call's.
            None if self.is_in_container() => state.pass_over(slot, emit),
            None => {}
        }
    }

    fn start(&self, form: Form, slot: Slot<'_>, state: &mut State, emit: &mut Emitter<'_>) {
        let (id, name) = (self.call_id(), self.tool());
        self.start_as(form, slot, id, name, state, emit);
        // Events without a place in the output go by the item's own id.
        emit.calls().find_also(slot, &self.id);
    }

    fn start_as(&self, form: Form, slot: Slot<'_>, id: &str, name: &str, state: &mut State, emit: &mut Emitter<'_>) {
        let start = CallStart::new(name).id(id);
        match form {
            Form::Streamed => emit.calls().start(slot, start.input(&*self.text())),
            Form::StreamedRaw => emit.calls().start(slot, start.input(&*self.text()).raw()),
            Form::Whole => emit.calls().start(slot, start),
            Form::Composed(of) => {
                emit.calls().start(slot, start);
                if let Some(number) = emit.calls().find_open(slot) {
                    state.composed.begin(number, of, self, emit);
                }
            }
        }
    }

    /// Whether a call goes by one of the item's ids, or by none.
    fn is_named(&self, number: u64, emit: &Emitter<'_>) -> bool {
        let id = emit.known().open_call(number).map_or("", |call| call.id());
        id.is_empty() || [&self.call_id, &self.id].iter().any(|own| own.as_str() == id)
    }

    /// Whether the item may have been told as a call before: one that is known, or that may be forgotten.
    pub(super) fn may_be_old(&self, index: u64, emit: &mut Emitter<'_>) -> bool {
        let has_slot = emit.calls().find_in(Slot::from(index)).is_some();
        has_slot || emit.known().find_id(0, self.call_id()).is_some() || emit.known().has_forgotten()
    }

    /// Tells what a message or reasoning says, unless other events have.
    pub(super) fn say(&self, index: u64, source: Source, state: &mut State, emit: &mut Emitter<'_>) {
        let has_news = |text: &Text<'_>, said: &mut Said| !text.is_empty() && said.is_news_from(source);
        match &*self.kind {
            "reasoning" => {
                for part in self.summary.iter().chain(&self.content) {
                    if has_news(&part.text, &mut state.reasoning) {
                        emit.reasoning(state.choice, &part.text);
                    }
                }
            }
            "message" => {
                for (place, part) in (0..).zip(&self.content) {
                    if has_news(&part.text, &mut state.text) {
                        state.enter((index, place));
                        emit.text(state.choice, &part.text);
                    }
                    if has_news(&part.refusal, &mut state.refusal) {
                        emit.refusal(state.choice, &part.refusal);
                    }
                }
            }
            _ => {}
        }
    }

    /// The item is done, or the response has it as a whole.
    pub(super) fn end(&self, slot: Slot<'_>, state: &mut State, emit: &mut Emitter<'_>) {
        let Some(form) = self.form() else { return };
        if emit.calls().has_ended(slot, self.call_id()) {
            return;
        }
        let id = self.call_id.as_str();
        let by_id = emit.known().find_id(0, id).filter(|_| !id.is_empty());
        let slot = match (emit.calls().find(slot), by_id) {
            (None, Some(_)) => Slot::new(0, Place::Id(id)),
            // The place says one call, the id another.
            (Some(at_slot), Some(by_id)) if at_slot != by_id => return emit.calls().unplaced(Slot::at(None)),
            (Some(at_slot), None) if !id.is_empty() && !self.is_named(at_slot, emit) => {
                return emit.calls().unplaced(Slot::at(None));
            }
            _ => slot,
        };
        if emit.calls().find(slot).is_none() {
            self.start(form, slot, state, emit);
        }
        let Some(number) = emit.calls().find_open(slot) else { return };
        match form {
            Form::Streamed | Form::StreamedRaw => emit.calls().whole(slot, &self.text()),
            Form::Whole => emit.calls().whole(slot, &self.whole_object()),
            Form::Composed(_) if state.composed.end(number, self, emit) => {}
            // Its commands came as text, or not at all.
            Form::Composed(_) if emit.known().open_call(number).is_some_and(|call| !call.has_input()) => {
                emit.calls().whole(slot, &self.whole_object());
            }
            Form::Composed(_) => {}
        }
        if self.is_incomplete() {
            emit.calls().set_incomplete(slot);
        }
        emit.calls().stop(slot);
    }
}
