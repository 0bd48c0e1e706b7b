//! OpenAI Assistants: the objects of a run as they change, with or without the events' names around them.
//!
//! A run is a message. Its steps hold the calls, in pieces and then whole; the run says once more which of them wait for
//! results. What an object says at its end repeats its deltas, and is used where there were none.
//!
//! The thread is kept by the server, so no message goes back.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::{CallStart, Executor, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::{self, Scope};
use crate::event::media::Media;
use crate::event::{MismatchKind, Source};
use crate::formats::{Format, Look, Understood};
use crate::json::{Around, Field, Json, Others, Piece, Pieces, Spelt, Text, Unreadable, objects};

objects! {
    /// An event as it is named on the wire, for those who push the name too.
    struct Wrapped<'a> {
        event: Text<'a>,
        data: Json<'a>,
    }

    /// A thread, a run, a step, a message, or a delta of one of the last two.
    struct Object<'a> {
        object: Text<'a>,
        id: Text<'a>,
        status: Piece<'a>,
        // Of runs.
        model: Text<'a>,
        // Of the request, which the run repeats.
        _instructions: Json<'a> = "instructions",
        _response_format: Json<'a> = "response_format",
        _tool_choice: Json<'a> = "tool_choice",
        _tool_resources: Json<'a> = "tool_resources",
        _tools: Json<'a> = "tools",
        _truncation_strategy: Json<'a> = "truncation_strategy",
        required_action: Option<RequiredAction<'a>>,
        last_error: Json<'a>,
        incomplete_details: Option<Incomplete<'a>>,
        usage: Json<'a>,
        // Of steps.
        step_details: Option<StepDetails<'a>>,
        // Of messages.
        role: Text<'a>,
        content: Vec<Spelt<'a, Part<'a>>>,
        delta: Around<Delta<'a>>,
    }

    struct Delta<'a> {
        step_details: Around<StepDetails<'a>>,
        content: Pieces<Spelt<'a, Part<'a>>>,
    }

    struct RequiredAction<'a> {
        outputs: Option<StepDetails<'a>> = "submit_tool_outputs",
    }

    struct Incomplete<'a> {
        reason: Text<'a>,
    }

    struct StepDetails<'a> {
        kind: Text<'a> = "type",
        /// The message's id.
        _message_creation: Json<'a> = "message_creation",
        tool_calls: Pieces<ToolCall<'a>>,
    }

    struct ToolCall<'a> {
        index: Option<u64>,
        id: Text<'a>,
        kind: Text<'a> = "type",
        function: Around<Function<'a>>,
        code_interpreter: Option<CodeInterpreter<'a>>,
        file_search: Option<Spelt<'a, FileSearch<'a>>>,
        others: Others<'a> = "*",
    }

    struct Function<'a> {
        name: Text<'a>,
        arguments: Arguments<'a>,
        output: Json<'a>,
    }

    struct CodeInterpreter<'a> {
        input: Piece<'a>,
        outputs: Json<'a>,
    }

    struct FileSearch<'a> {
        results: Vec<Spelt<'a, Found<'a>>>,
    }

    struct Found<'a> {
        file_name: Text<'a>,
        content: Vec<Quoted<'a>>,
    }

    struct Quoted<'a> {
        text: Text<'a>,
    }

    /// A part of a message. In a delta it has its place among them.
    struct Part<'a> {
        index: Option<u64>,
        kind: Text<'a> = "type",
        text: Around<Words<'a>>,
        refusal: Piece<'a>,
        image_url: Json<'a>,
    }

    struct Words<'a> {
        value: Piece<'a>,
        annotations: Vec<Spelt<'a, Annotation<'a>>>,
    }

    struct Annotation<'a> {
        start_index: Option<u64>,
        end_index: Option<u64>,
        file_citation: Option<Citation<'a>>,
    }

    struct Citation<'a> {
        quote: Text<'a>,
    }
}

/// The arguments' JSON text, or, where a server gives the JSON itself, its spelling.
#[derive(Default)]
struct Arguments<'a>(Option<Cow<'a, str>>);

impl<'a> Field<'a> for Arguments<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        let is_null = json.spelt() == "null";
        json.piece().map(drop).or(if is_null { Ok(()) } else { Err(Unreadable) })?;
        self.0 = json.text()?.or(if is_null { None } else { Some(Cow::Borrowed(json.spelt())) });
        Ok(())
    }
}

pub(crate) const FORMAT: Format = Format { name: "openai-assistants", read, owns_type: |_| false, owns_members };

fn owns_members(look: &Look<'_>) -> bool {
    look.object.as_str() == "thread" || look.object.starts_with("thread.") || look.event.starts_with("thread.")
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let Wrapped { event, data } = json.object()?;
    match &*event {
        "" => read_object(json.hand_over(), emit),
        "done" => {
            emit.end_stream();
            Ok(Understood::Yes)
        }
        "error" => {
            emit.fail(&Failure::at(data).unwrap_or_default());
            Ok(Understood::Yes)
        }
        _ if data.is_object() => read_object(data, emit),
        // A piece, whatever it was of.
        event if event.ends_with(".delta") => Err(Unreadable),
        _ => Ok(Understood::No),
    }
}

fn read_object(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let object: Object<'_> = json.object()?;
    emit.watch_inputs();
    let is_delta = object.object.ends_with(".delta");
    let delta = if is_delta { object.delta.required()? } else { object.delta.unwrap_or_default() };
    match &*object.object {
        "thread.message.delta" => {
            if delta.content.0.is_empty() || !delta.content.0.iter().all(|part| part.object.is_piece()) {
                return Err(Unreadable);
            }
            say(&object.id, &delta.content.0, false, emit);
        }
        "thread.run.step.delta" => {
            let StepDetails { kind, tool_calls, .. } = delta.step_details.required()?;
            let has_calls = !tool_calls.0.is_empty() || !matches!(&*kind, "" | "tool_calls");
            if !has_calls || !tool_calls.0.iter().all(ToolCall::is_piece) {
                return Err(Unreadable);
            }
            for call in tool_calls.0 {
                call.take(&object.id, emit);
            }
        }
        "thread.message" => {
            if object.role.as_str() != "user" {
                say(&object.id, &object.content, true, emit);
            }
            if object.status.as_str() != "in_progress" {
                for (index, _) in (0..).zip(&object.content) {
                    emit.end_block(At::from(&*key(&object.id, index, emit)));
                }
            }
        }
        "thread.run.step" => {
            let is_over = object.status.as_str() != "in_progress";
            let calls = object.step_details.map(|details| details.tool_calls.0).unwrap_or_default();
            if is_over {
                let is_whole = object.status.as_str() == "completed";
                end_calls(&object.id, &calls, is_whole, emit);
            }
        }
        // What it waits for says so too, and why it was cut.
        "thread.run" => match &*object.status {
            "" if object.required_action.is_none() && object.incomplete_details.is_none() => {
                begin(&object.id, &object.model, emit);
            }
            status if status == "requires_action" || (status.is_empty() && object.required_action.is_some()) => {
                emit.message(&object.id, &object.model);
                let waiting = object.required_action.and_then(|action| action.outputs);
                end_calls("", &waiting.map(|outputs| outputs.tool_calls.0).unwrap_or_default(), true, emit);
                emit.end_answer("requires_action");
                emit.usage(object.usage);
            }
            status @ ("" | "completed" | "incomplete" | "failed" | "cancelled" | "expired") => {
                let status = if status.is_empty() { "incomplete" } else { status };
                emit.message(&object.id, &object.model);
                let detail = object.incomplete_details.map(|details| details.reason).unwrap_or_default();
                emit.end_answer(if detail.is_empty() { status } else { &detail });
                if let Some(failure) = Failure::at(object.last_error) {
                    emit.fail(&failure);
                }
                emit.usage(object.usage);
                emit.end_message();
            }
            _ => begin(&object.id, &object.model, emit),
        },
        kind => return Ok((kind == "thread").into()),
    }
    Ok(Understood::Yes)
}

/// A run goes on.
fn begin(id: &str, model: &str, emit: &mut Emitter<'_>) {
    emit.message(id, model);
    emit.begin_answer(0);
}

/// The place of what has an index inside an object; none where the id is too long to be kept.
fn key(id: &str, index: u64, emit: &Emitter<'_>) -> String {
    if id.len() + 21 > emit.known().limits().name_bytes { String::new() } else { format!("{id}/{index}") }
}

impl Part<'_> {
    /// Returns true if it has something, be it empty, if it is of text.
    fn is_piece(&self) -> bool {
        let has_words = |words: &Words<'_>| words.value.required().is_ok() || !words.annotations.is_empty();
        match &*self.kind {
            "" | "text" | "refusal" => self.text.0.as_ref().is_some_and(has_words) || self.refusal.required().is_ok(),
            _ => true,
        }
    }

    fn is_empty(&self) -> bool {
        let is_empty = |words: &Words<'_>| words.value.is_empty() && words.annotations.is_empty();
        let is_known = matches!(&*self.kind, "" | "text" | "refusal");
        is_known && self.text.0.as_ref().is_none_or(is_empty) && self.refusal.is_empty()
    }
}

impl Part<'_> {
    /// An image, or what is of a kind that is not known.
    fn show(&self, json: Json<'_>, emit: &mut Emitter<'_>) {
        let url = self.image_url.member("url").word();
        match &*self.kind {
            "" | "text" | "refusal" => {}
            "image_url" if !url.is_empty() => emit.media(Media { url: present(&url), ..Media::default() }),
            kind => emit.unknown_part(kind, json),
        }
    }
}

/// Reports the parts of a message: pieces of them, or all of what may have come in pieces before.
fn say(id: &str, parts: &[Spelt<'_, Part<'_>>], is_whole: bool, emit: &mut Emitter<'_>) {
    for (place, Spelt { json, object: part }) in (0..).zip(parts) {
        // An empty part says nothing that could be repeated.
        if part.is_empty() {
            continue;
        }
        let key = key(id, part.index.unwrap_or(place), emit);
        let at = At::from(&*key);
        let is_news = emit.is_news(0, &key) || !is_whole;
        let news = |kind, text, emit: &mut Emitter<'_>| {
            let part = said::Part { kind, choice: 0, at };
            if is_whole {
                return emit.news_of(part, text, Scope::Item).1;
            }
            emit.note_said(part, text);
            text
        };
        if let Some(Words { value, annotations }) = &part.text.0 {
            let value = news(MismatchKind::Text, value.as_str(), emit);
            if !value.is_empty() && emit.find_block(0, at).is_none() {
                emit.start_text(0, at, id, "");
            }
            emit.text_at(0, at, value);
            for Spelt { json, object: Annotation { start_index, end_index, file_citation } } in
                annotations.iter().filter(|_| is_news)
            {
                emit.source(Source {
                    choice: 0,
                    block: emit.find_block(0, at),
                    url: None,
                    title: None,
                    quote: file_citation.as_ref().and_then(|citation| present(&citation.quote)),
                    span: start_index.zip(*end_index),
                    json: json.spelt(),
                });
            }
        }
        let refusal = news(MismatchKind::Refusal, part.refusal.as_str(), emit);
        emit.refusal(0, refusal);
        if is_news {
            part.show(*json, emit);
        }
    }
}

/// The calls as a whole, in a step that is over or in a run that waits for their results. Those that have come in pieces
/// are only compared.
fn end_calls(step: &str, calls: &[ToolCall<'_>], is_whole: bool, emit: &mut Emitter<'_>) {
    // Asked before any call here has ended: what is forgotten because of them can't have been reported before.
    let has_forgotten = emit.known().has_forgotten();
    let is_known = |call: &ToolCall<'_>| has_forgotten || emit.known().find_id(0, &call.id).is_some();
    let known: Vec<_> = calls.iter().map(is_known).collect();
    for ((place, call), is_known) in (0..).zip(calls).zip(known) {
        let key = key(step, place, emit);
        let slot = if step.is_empty() { slot(&call.id) } else { slot(&key) };
        // A run that waits names the calls of its last step by their ids alone.
        let slot = if is_known { Slot::new(0, Place::Id(&call.id)) } else { slot };
        if !is_known {
            call.start(slot, emit);
        }
        if let Some(number) = emit.calls().find_open(slot) {
            emit.calls().identify(number, "", call.function.0.as_ref().map_or("", |function| &function.name));
            emit.calls().whole(slot, call.input());
            if !is_whole {
                emit.calls().set_incomplete(slot);
            }
            emit.calls().stop(slot);
        } else if let Some(number) = emit.calls().find_in(slot) {
            emit.repeat_input(number, call.input());
        }
        call.report_results(slot, true, emit);
    }
}

/// The slot of a key that is not too long to be one.
fn slot(key: &str) -> Slot<'_> {
    Slot::new(0, if key.is_empty() { Place::Nowhere } else { Place::Id(key) })
}

impl ToolCall<'_> {
    /// A piece of the call, which starts with the first.
    fn take(&self, step: &str, emit: &mut Emitter<'_>) {
        let key = self.index.map(|index| key(step, index, emit)).unwrap_or_default();
        let slot = slot(&key);
        if !self.id.is_empty() {
            self.start(slot, emit);
        } else {
            emit.calls().delta(slot, self.input());
        }
        self.report_results(slot, false, emit);
    }

    fn start(&self, slot: Slot<'_>, emit: &mut Emitter<'_>) {
        let is_known = emit.known().find_id(0, &self.id).is_some();
        match &*self.kind {
            _ if is_known => {}
            "function" | "" if self.function.0.is_some() => {
                let name = self.function.0.as_ref().map_or("", |function| &function.name);
                emit.calls().start(slot, CallStart::new(name).id(self.id.as_str()));
            }
            "code_interpreter" => {
                let start = CallStart::new("code_interpreter").id(self.id.as_str());
                emit.calls().start(slot, start.executor(Executor::Provider).raw());
            }
            // What it searches for is not said.
            tool => emit.calls().start(slot, CallStart::new(tool).id(self.id.as_str()).executor(Executor::Provider)),
        }
        emit.calls().delta(slot, self.input());
    }

    /// Returns true if it has something of the call, be it empty.
    fn is_piece(&self) -> bool {
        let of_function = |Function { name, arguments, output }: &Function<'_>| {
            !name.is_empty() || arguments.0.is_some() || output.is_given()
        };
        let of_code = |code: &CodeInterpreter<'_>| code.input.required().is_ok() || code.outputs.is_given();
        !self.id.is_empty()
            || self.function.0.as_ref().is_some_and(of_function)
            || self.code_interpreter.as_ref().is_some_and(of_code)
            || self.file_search.is_some()
            || !self.others.0.is_empty()
    }

    fn input(&self) -> &str {
        match (&self.function.0, &self.code_interpreter) {
            (Some(function), _) => function.arguments.0.as_deref().unwrap_or_default(),
            (_, Some(code)) => &code.input,
            _ => "",
        }
    }

    /// Reports the results of the call: in pieces, or all of it, if there were none.
    fn report_results(&self, slot: Slot<'_>, is_whole: bool, emit: &mut Emitter<'_>) {
        // A tool of a new kind has its own member.
        if !self.others.0.is_empty() && (emit.is_news(0, &["other/", &self.id].concat()) || !is_whole) {
            emit.unknown_members(&self.others, &[]);
        }
        let outputs = self.code_interpreter.as_ref().map(|code| code.outputs).unwrap_or_default();
        let found = self.file_search.as_ref().filter(|search| !search.object.results.is_empty());
        if outputs.elements().next().is_none() && found.is_none() {
            return;
        }
        let call = emit.calls().find_in(slot);
        let id = call.and_then(|call| emit.known().open_call(call)).map(|call| call.id().to_owned());
        let id = id.unwrap_or_else(|| self.id.as_str().to_owned());
        if !emit.is_news(0, &["call/", &id].concat()) && is_whole {
            return;
        }
        for output in outputs.elements() {
            emit.tool_result(&id, false, output);
        }
        if let Some(Spelt { json, object: search }) = found {
            emit.tool_result(&id, false, *json);
            for Spelt { json, object: Found { file_name, content } } in &search.results {
                let quote = content.iter().find_map(|quoted| present(&quoted.text));
                let title = present(file_name);
                emit.source(Source { choice: 0, block: None, url: None, title, quote, span: None, json: json.spelt() });
            }
        }
    }
}
