//! An item of a response's output: whether it is a call, by which name, and where its input is.
//!
//! Whatever is done is reported as a call: what the client has to do, and what the provider does itself (searches,
//! images, code, a shell in its own container, tools of MCP servers). The executor tells them apart. A call that waits
//! for the client's approval is the provider's too.

mod input;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use self::input::reordered;
use super::State;
use super::sources::{self, Annotation};
use crate::calls::{CallStart, Executor, OpenCall, Place, Slot, digest_of};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::emitter::said::Scope;
use crate::event::{MismatchKind, OpaqueKind, StreamEvent};
use crate::json::{Id, Json, Piece, Spelt, Text, Unreadable, objects};

objects! {
    pub(super) struct Item<'a> {
        kind: Text<'a> = "type",
        id: Id<'a>,
        call_id: Id<'a>,
        name: Text<'a>,
        status: Text<'a>,
        arguments: Json<'a>,
        input: Text<'a>,
        code: Text<'a>,
        pub(super) operation: Json<'a>,
        pub(super) action: Json<'a>,
        actions: Json<'a>,
        pending_safety_checks: Json<'a>,
        /// The queries of a search of files.
        queries: Json<'a>,
        /// The prompt that an image's prompt was made into.
        revised_prompt: Json<'a>,
        /// The executor: `client` or `server`.
        execution: Json<'a>,
        environment: Option<Environment<'a>>,
        /// The part of the answer that a message is: `commentary`, `final_answer`.
        phase: Text<'a>,
        encrypted_content: Json<'a>,
        container_id: Json<'a>,
        /// The results of a call, each under the name that its type has for it.
        output: Json<'a>,
        outputs: Json<'a>,
        result: Json<'a>,
        results: Json<'a>,
        error: Json<'a>,
        /// The parts of a message or of reasoning.
        content: Vec<Spelt<'a, Part<'a>>>,
        summary: Vec<Spelt<'a, Part<'a>>>,
    }

    struct Environment<'a> {
        kind: Text<'a> = "type",
    }

    /// A part of a message or of reasoning, as a whole.
    pub(super) struct Part<'a> {
        kind: Text<'a> = "type",
        text: Piece<'a>,
        refusal: Piece<'a>,
        /// The spoken text.
        transcript: Piece<'a>,
        annotations: Vec<Spelt<'a, Annotation<'a>>>,
    }
}

/// Thoughts themselves are parts of an item as those of their summary are, and are numbered from here, so that none is
/// taken for another.
pub(super) const THOUGHTS: u64 = 1 << 32;

impl Part<'_> {
    pub(super) fn is_reasoning(&self) -> bool {
        self.kind.as_str() == "reasoning_text"
    }
}

impl State {
    /// Reports a part as a whole, or as it begins, unless other events have.
    pub(super) fn say_part(
        &mut self,
        is_reasoning: bool,
        place: (u64, u64),
        Spelt { json, object: part }: &Spelt<'_, Part<'_>>,
        scope: Scope,
        emit: &mut Emitter<'_>,
    ) {
        let kind = if is_reasoning { MismatchKind::Reasoning } else { MismatchKind::Text };
        match &*part.kind {
            "" | "output_text" | "text" | "refusal" | "reasoning_text" | "summary_text" | "output_audio" => {}
            kind => emit.unknown_part_once(&format!("part {} {}", place.0, place.1), kind, *json),
        }
        self.repeat(kind, place, if part.text.is_empty() { &part.transcript } else { &part.text }, scope, emit);
        self.repeat(MismatchKind::Refusal, place, &part.refusal, scope, emit);
        sources::of_part(&part.annotations, self.choice, place, scope, emit);
    }
}

/// The kind of composed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// `{"callId":…,"operation":{"type":…,"path":…,"diff":…}}`
    Patch,
    /// `{"commands":[…],"timeout_ms":…}`
    Commands,
}

/// The names of xAI's own tools that come as custom ones.
const XAI_TOOLS: [&str; 10] = [
    "browse_page",
    "code_execution",
    "open_page",
    "view_image",
    "view_x_video",
    "web_search_with_snippets",
    "x_keyword_search",
    "x_semantic_search",
    "x_thread_fetch",
    "x_user_search",
];

/// The form of a call's input.
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
    /// Returns the form of the item's input, if it is a call.
    fn form(&self) -> Option<Form> {
        match &*self.kind {
            "function_call" | "mcp_call" | "mcp_approval_request" => Some(Form::Streamed),
            "custom_tool_call" | "code_interpreter_call" => Some(Form::StreamedRaw),
            "apply_patch_call" => Some(Form::Composed(Of::Patch)),
            "shell_call" if self.action.is_given() => Some(Form::Composed(Of::Commands)),
            // Without the object, the commands' texts are all there is.
            "shell_call" => Some(Form::StreamedRaw),
            "local_shell_call" | "computer_call" => Some(Form::Whole),
            "tool_search_call" | "web_search_call" | "file_search_call" | "image_generation_call" => Some(Form::Whole),
            _ => None,
        }
    }

    /// Returns true if it is a call of a tool that xAI runs itself: those come as custom ones.
    fn is_xai_s(&self, state: &State) -> bool {
        self.call_id().starts_with("xs_call_")
            || self.id.contains("_xs_call_")
            || (state.is_xai_s && XAI_TOOLS.contains(&self.name.as_str()))
    }

    /// Returns the executor of the call.
    fn executor(&self, state: &State) -> Executor {
        let is_in_container =
            || self.environment.as_ref().is_some_and(|environment| environment.kind.starts_with("container"));
        let is_client_s = match &*self.kind {
            "custom_tool_call" => !self.is_xai_s(state),
            "function_call" | "local_shell_call" | "apply_patch_call" | "computer_call" => true,
            "shell_call" => !is_in_container(),
            "tool_search_call" => &*self.execution.word() == "client",
            _ => false,
        };
        if is_client_s { Executor::Client } else { Executor::Provider }
    }

    /// Fails if the item has arguments that can't be read.
    pub(super) fn check(&self) -> Result<(), Unreadable> {
        self.arguments.aside().piece().map(drop)
    }

    /// Returns true if the item, at its end, says that it was cut: it is still in progress, or failed.
    pub(super) fn is_incomplete(&self) -> bool {
        matches!(self.status.as_str(), "incomplete" | "in_progress" | "failed")
    }

    /// Returns true if its status says how a tool of the provider's own fared, and nothing about its input.
    fn is_built_in(&self) -> bool {
        matches!(&*self.kind, "web_search_call" | "file_search_call" | "image_generation_call")
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn phase(&self) -> &str {
        &self.phase
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

    /// The item has been added.
    pub(super) fn add(&self, slot: Slot<'_>, state: &mut State, emit: &mut Emitter<'_>) {
        self.pass_over_the_rest();
        if matches!(self.form(), Some(Form::Whole | Form::Composed(_))) {
            self.action.pass_over();
        }
        if self.kind.as_str() == "computer_call" {
            self.pending_safety_checks.pass_over();
        }
        match self.form() {
            // Its call id may change until it is done.
            Some(Form::Whole) if self.kind.as_str() == "tool_search_call" => {}
            Some(form) => self.start(form, slot, state, emit),
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
        let start = CallStart::new(name).id(id).executor(self.executor(state));
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

    /// Returns true if a call goes by one of the item's ids, or by none.
    fn is_named(&self, number: u64, emit: &Emitter<'_>) -> bool {
        let open = emit.known().open_call(number).map(OpenCall::id);
        let id = open.or_else(|| emit.known().id_of(number)).unwrap_or_default();
        id.is_empty() || [&self.call_id, &self.id].iter().any(|own| own.as_str() == id)
    }

    pub(super) fn is_call(&self) -> bool {
        self.form().is_some()
    }

    /// Returns true if it has ids, and a call goes by another one.
    pub(super) fn is_another(&self, number: u64, emit: &Emitter<'_>) -> bool {
        !self.call_id().is_empty() && !self.is_named(number, emit)
    }

    /// Returns true if the item may have been reported as a call before: one that is known, or that may be forgotten.
    pub(super) fn may_be_old(&self, index: u64, emit: &mut Emitter<'_>) -> bool {
        let has_slot = emit.calls().find_in(Slot::from(index)).is_some();
        has_slot || emit.known().find_id(0, self.call_id()).is_some() || emit.known().has_forgotten()
    }

    /// Reports what a message or reasoning says, unless other events have.
    pub(super) fn say(&self, index: u64, scope: Scope, state: &mut State, emit: &mut Emitter<'_>) {
        match &*self.kind {
            "reasoning" => {
                for (place, part) in (0..).zip(&self.summary).chain((THOUGHTS..).zip(&self.content)) {
                    state.say_part(true, (index, place), part, scope, emit);
                }
            }
            "message" => {
                for (place, part) in (0..).zip(&self.content) {
                    state.say_part(false, (index, place), part, scope, emit);
                }
            }
            _ => {}
        }
    }

    /// What has come of the call, each under the name that its type has for it.
    pub(super) fn results(&self) -> impl Iterator<Item = Json<'_>> {
        let results = [self.output, self.outputs, self.result, self.results, self.error];
        results.into_iter().filter(|result| result.is_given() && result.aside().spelt() != "[]")
    }

    /// Passes over what each repetition encrypts anew, and what only says who executes a call.
    pub(super) fn pass_over_the_rest(&self) {
        self.encrypted_content.pass_over();
        if self.kind.as_str() == "tool_search_call" {
            self.execution.pass_over();
        }
    }

    /// Returns the key of the rest of it, where the response repeats its items: another result is reported too. A part
    /// of a message can't have this key.
    pub(super) fn key(&self) -> String {
        let mut key = ["rest ", &*self.kind, " ", self.call_id()].concat();
        self.results().for_each(|result| key += &format!(" {:x}", digest_of(result.aside().spelt())));
        key
    }

    /// Reports what has to go back, what has come of a call, what a search has found, and what waits for approval.
    pub(super) fn report_rest(&self, index: u64, json: Json<'_>, emit: &mut Emitter<'_>, state: &State) {
        emit.note_reported(&self.key());
        let call = emit.known().find_id(0, self.call_id());
        emit.opaque_of_call(OpaqueKind::Container, 0, call, self.container_id);
        let has_result = self.results().next().is_some();
        match &*self.kind {
            "reasoning" if self.encrypted_content.is_given() => {
                let block = emit.find_blocks_at(index).unwrap_or_else(|| state.start_reasoning((index, 0), emit));
                emit.opaque(OpaqueKind::Encrypted, state.choice, Some(block), self.encrypted_content);
            }
            "compaction" => emit.opaque(OpaqueKind::Compaction, 0, None, json),
            "mcp_approval_request" => {
                emit.report(StreamEvent::ApprovalRequest { id: (&*self.id).into(), call, json: json.spelt().into() });
            }
            kind if has_result && (kind.ends_with("_call") || kind.ends_with("_output")) => {
                let said: String = self.results().map(Json::spelt).collect();
                let has_failed = self.error.is_given() || self.status.as_str() == "failed";
                emit.tool_result(self.call_id(), has_failed, json, &said);
            }
            "message" | "reasoning" | "mcp_approval_response" => {
                if let Some(failure) = Failure::at(self.error) {
                    emit.fail(&failure);
                }
            }
            // What a server of tools has.
            kind @ "mcp_list_tools" => emit.data(kind, json),
            "" => emit.unknown_part("item", json),
            kind if self.form().is_none() && !kind.ends_with("_output") => emit.unknown_part(kind, json),
            _ => {}
        }
        sources::of_searches(self.call_id(), self.action, self.results, emit);
    }

    /// The call that the item's ids mean: where they mean two, as calls have one id in common, the one in its slot.
    pub(super) fn find(&self, slot: Slot<'_>, emit: &mut Emitter<'_>) -> Option<u64> {
        let in_slot = emit.calls().find_in(slot);
        let by_call = emit.known().find_id(0, self.call_id());
        emit.known().find_id(0, &self.id).filter(|by_item| Some(*by_item) == in_slot).or(by_call)
    }

    /// The item is repeated after its call has ended.
    pub(super) fn repeat(&self, number: u64, emit: &mut Emitter<'_>) {
        let input = match self.form() {
            Some(Form::Streamed | Form::StreamedRaw) => self.text(),
            Some(Form::Composed(Of::Patch)) if self.operation.is_object() => self.patch().into(),
            Some(Form::Composed(Of::Commands)) if self.action.is_object() => {
                reordered(self.action, &["commands"]).into()
            }
            // A list of what has come may leave it out.
            Some(Form::Whole) if !self.is_incomplete() => match self.whole_object() {
                object if object.len() > 2 => object,
                _ => return,
            },
            _ => return,
        };
        emit.repeat_call(number, self.tool(), &input);
        if !self.call_id.is_empty() && self.is_another(number, emit) {
            emit.contradict_ended(number, MismatchKind::Id, &self.call_id);
        }
    }

    /// The item is done, or the response has it as a whole.
    pub(super) fn end(&self, slot: Slot<'_>, state: &mut State, emit: &mut Emitter<'_>) {
        let Some(form) = self.form() else { return };
        if emit.calls().has_ended(slot, self.call_id()) {
            if let Some(number) = self.find(slot, emit) {
                self.repeat(number, emit);
            }
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
        emit.calls().identify(number, "", self.tool());
        emit.end_otherwise(number);
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
        if self.is_incomplete() && !self.is_built_in() {
            emit.calls().set_incomplete(slot, true);
        }
        emit.calls().stop(slot);
    }
}
