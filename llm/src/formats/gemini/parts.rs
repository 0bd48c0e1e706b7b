//! The parts of an answer of Gemini's: text, thoughts, and calls, which come whole or as values by path.

use alloc::vec::Vec;

use crate::calls::{CallStart, Executor, OpenCall, PathValue, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::event::OpaqueKind;
use crate::event::media::Media;
use crate::json::{Around, Field, Id, Json, Others, Piece, Pieces, Spelt, Text, Unreadable, objects};

objects! {
    pub(crate) struct Content<'a> {
        pub(crate) parts: Pieces<Spelt<'a, Part<'a>>>,
    }

    pub(crate) struct Part<'a> {
        text: Piece<'a>,
        thought: bool,
        thought_signature: Json<'a> = "thoughtSignature",
        function_call: Around<FunctionCall<'a>> = "functionCall",
        executable_code: Json<'a> = "executableCode",
        code_execution_result: Option<Spelt<'a, ToolResult<'a>>> = "codeExecutionResult",
        tool_call: Option<ToolCall<'a>> = "toolCall",
        tool_response: Option<Spelt<'a, ToolResult<'a>>> = "toolResponse",
        inline_data: Json<'a> = "inlineData",
        file_data: Json<'a> = "fileData",
        others: Others<'a> = "*",
    }

    /// Bytes, or where they are.
    struct Blob<'a> {
        mime_type: Text<'a> = "mimeType",
        data: Text<'a>,
        file_uri: Text<'a> = "fileUri",
    }

    /// A call of a tool that Google runs.
    struct ToolCall<'a> {
        id: Id<'a>,
        tool_type: Text<'a> = "toolType",
        args: Json<'a>,
    }

    /// The result of a call that Google has executed.
    struct ToolResult<'a> {
        id: Id<'a>,
        /// `OUTCOME_OK`, or another of code that has failed.
        outcome: Text<'a>,
    }

    pub(crate) struct FunctionCall<'a> {
        pub(crate) id: Id<'a>,
        pub(crate) name: Piece<'a>,
        pub(crate) args: Json<'a>,
        partial_args: PartialArgs<'a> = "partialArgs",
        will_continue: bool = "willContinue",
    }

    struct PartialArg<'a> {
        json_path: Text<'a> = "jsonPath",
        string_value: Piece<'a> = "stringValue",
        number_value: Json<'a> = "numberValue",
        bool_value: Json<'a> = "boolValue",
        null_value: Option<Json<'a>> = "nullValue",
        will_continue: bool = "willContinue",
    }
}

/// Values by path, each of which has one.
#[derive(Default)]
struct PartialArgs<'a>(Vec<PartialArg<'a>>);

impl<'a> Field<'a> for PartialArgs<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        if json.spelt() == "null" {
            return Ok(());
        }
        json.inside('[').ok_or(Unreadable)?;
        self.0 = json.elements().map(Json::object).collect::<Result<_, _>>()?;
        if self.0.iter().all(PartialArg::has_value) { Ok(()) } else { Err(Unreadable) }
    }
}

/// Reads the parts of an answer.
pub(crate) fn read_parts(choice: u64, parts: Vec<Spelt<'_, Part<'_>>>, emit: &mut Emitter<'_>) {
    for Spelt { json, object: part } in parts {
        show(choice, ("inlineData", part.inline_data), "data", emit);
        show(choice, ("fileData", part.file_data), "fileUri", emit);
        for (name, _) in &part.others.0 {
            emit.unknown_part(&name.word(), json);
        }
        if part.thought {
            emit.reasoning(choice, &part.text);
        } else {
            emit.text(choice, &part.text);
        }
        let has_call = part.function_call.0.is_some() || part.executable_code.is_object() || part.tool_call.is_some();
        if let Some(call) = part.function_call.0 {
            read_call(choice, &call, emit);
        }
        let code = part.executable_code;
        if code.is_object() {
            // Code that Google runs.
            let id = code.member("id").word();
            read_own_call(choice, CallStart::new("code_execution").id(&*id).input(code.spelt()), emit);
        }
        if let Some(ToolCall { id, tool_type, args }) = part.tool_call {
            read_own_call(choice, CallStart::new(tool_type.as_str()).id(id.as_str()).input(args.spelt()), emit);
        }
        for Spelt { json, object: ToolResult { id, outcome } } in
            [part.code_execution_result, part.tool_response].into_iter().flatten()
        {
            let has_failed = outcome.starts_with("OUTCOME_") && outcome.as_str() != "OUTCOME_OK";
            emit.tool_result(&id, has_failed, json, json.spelt());
        }
        if has_call {
            let call = emit.calls().find_in(Slot::new(choice, Place::Latest));
            emit.opaque_of_call(OpaqueKind::Signature, choice, call, part.thought_signature);
        } else {
            emit.opaque(OpaqueKind::Signature, choice, emit.find_block(choice, At::Run), part.thought_signature);
        }
    }
}

/// Returns true if a candidate names a piece of the call that is open, and has none.
pub(crate) fn lacks_piece(candidate: Json<'_>) -> bool {
    let Some(content) = candidate.given("content") else { return false };
    if !content.is_object() {
        return !candidate.member("finishReason").is_given();
    }
    let has_no_parts = content.given("parts").is_some_and(|parts| parts.elements().next().is_none());
    (has_no_parts && !candidate.member("finishReason").is_given())
        || content.member("parts").elements().any(|part| {
            let has_other = part.members().any(|(_, value)| !value.is_nothing());
            match part.given("functionCall") {
                _ if !part.is_object() => true,
                Some(call) if call.is_object() => {
                    let has_null = call.given("partialArgs").is_some_and(Json::is_nothing);
                    has_null && call.member("willContinue").is_true() && !call.member("name").is_given()
                }
                call => call.is_some() && !has_other,
            }
        })
}

/// Bytes, or where they are.
fn show(choice: u64, (kind, media): (&str, Json<'_>), member: &str, emit: &mut Emitter<'_>) {
    let blob: Blob<'_> = media.object().unwrap_or_default();
    let (mime_type, at) = (blob.mime_type, if member == "data" { blob.data } else { blob.file_uri });
    if media.is_given() && at.is_empty() {
        emit.unknown_part(kind, media);
    }
    let (data, url) = if member == "data" { (present(&at), None) } else { (None, present(&at)) };
    let block = emit.find_block(choice, At::Run);
    emit.media(Media { choice, block, media_type: present(&mime_type), data, url });
}

/// Calls come one after the other: a name starts one, and ends the one before; but with ids they may come side by side.
pub(crate) fn read_call(choice: u64, call: &FunctionCall<'_>, emit: &mut Emitter<'_>) {
    let latest = Slot::new(choice, Place::Latest);
    let (id, name) = (call.id.as_str(), call.name.as_str());
    let goes_on = call.will_continue;
    let open = emit.calls().find_open(latest);
    let has_other_id = |call: &OpenCall| !call.id().is_empty() && call.id() != id;
    let is_another = !id.is_empty() && open.and_then(|open| emit.known().open_call(open)).is_some_and(has_other_id);
    let is_it = |number: &u64| {
        let call = emit.known().open_call(*number);
        call.is_some_and(|call| name.is_empty() || !call.is_called_otherwise(name))
    };
    let by_id = if id.is_empty() { None } else { emit.known().find_id(choice, id).filter(is_it) };
    if let Some(number) = by_id {
        emit.calls().resume(latest, number);
    } else if is_another && name.is_empty() && call.args.spelt().len() <= 2 {
        return emit.calls().unplaced(Slot::new(choice, Place::Nowhere));
    }
    let is_again = !id.is_empty() && emit.calls().is_open(latest, id);
    if !name.is_empty() && !is_again {
        if !is_another {
            emit.calls().stop(latest);
        }
        if !goes_on && call.partial_args.0.is_empty() {
            return emit.calls().whole_call(choice, CallStart::new(name).id(id).input(call.args.spelt()));
        }
        emit.calls().start(latest, CallStart::new(name).id(id).input(call.args.spelt()));
    } else if call.args.spelt() != "{}" {
        // Not how a call goes on, but nothing that was sent is lost: it is the input, repeats it, or contradicts it.
        if !id.is_empty() && emit.known().find_id(choice, id).is_none() && !goes_on {
            return emit.calls().whole_call(choice, CallStart::new(name).id(id).input(call.args.spelt()));
        }
        // What it is of is over, and was another one.
        if call.args.is_given() && id.is_empty() && emit.calls().find_open(latest).is_none() {
            return emit.calls().unplaced(latest);
        }
        emit.calls().whole(latest, call.args.spelt());
    }
    for arg in &call.partial_args.0 {
        arg.set(choice, emit);
    }
    // One that is said to go on, and does not, is not whole.
    emit.calls().set_incomplete(latest, goes_on);
    if !goes_on {
        emit.calls().stop(latest);
    }
}

/// A call of a tool that Google runs comes whole.
fn read_own_call(choice: u64, start: CallStart<'_>, emit: &mut Emitter<'_>) {
    emit.calls().stop(Slot::new(choice, Place::Latest));
    emit.calls().whole_call(choice, start.executor(Executor::Provider));
}

impl FunctionCall<'_> {
    /// Returns true if it is a piece of a call, or the first of several.
    pub(crate) fn is_piece(&self) -> bool {
        self.will_continue || !self.partial_args.0.is_empty()
    }
}

impl PartialArg<'_> {
    /// Returns true if it has one value. Null is one where no other is given.
    fn has_value(&self) -> bool {
        let null = self.null_value.unwrap_or_default();
        let given = [
            self.string_value.required().is_ok(),
            self.number_value.is_given(),
            matches!(self.bool_value.spelt(), "true" | "false"),
            null.is_given() && null.spelt() != "null",
        ];
        let is_other = self.bool_value.is_given() && !given[2];
        let count = given.into_iter().filter(|is_given| *is_given).count();
        !is_other && (count == 1 || (count == 0 && null.is_given()))
    }

    fn set(&self, choice: u64, emit: &mut Emitter<'_>) {
        let path = self.json_path.as_str();
        if let Ok(text) = self.string_value.required() {
            emit.calls().set(choice, path, PathValue::Text { text, has_ended: !self.will_continue });
        } else if self.number_value.is_given() {
            emit.calls().set(choice, path, PathValue::Number(self.number_value.spelt()));
        } else if self.bool_value.is_given() {
            emit.calls().set(choice, path, PathValue::Bool(self.bool_value.is_true()));
        } else if self.null_value.is_some() {
            emit.calls().set(choice, path, PathValue::Null);
        }
    }
}
