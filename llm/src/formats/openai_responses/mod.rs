//! OpenAI Responses: items by output index. Whole texts and inputs are sent up to three times.
//!
//! This file has the table of events, including Realtime's, which have the same types where they mean the same. `item`
//! reads items and their calls; `words` reports their parts; `composed` writes the JSON text of calls whose input is
//! streamed as separate strings; `ending` reads the end of a response. `realtime` reads the responses of a Realtime
//! connection.

mod composed;
mod connection;
mod ending;
mod form;
mod item;
mod realtime;
mod sources;
mod transcripts;
mod words;

use alloc::string::String;

use self::composed::AllComposed;
use self::words::{Home, Part};
use crate::formats::{Format, Owns};
use crate::wire::*;

/// The state that is kept between events.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The output and content index of the message part whose text was reported last.
    part: Option<(u64, u64)>,
    /// The index of that part among the parts with text, each of which is an answer.
    choice: u64,
    composed: AllComposed,
    /// For each call, the family of events that streams its input. Events of another family repeat the input.
    families: Numbered<u64>,
    /// The output index, id and phase of the last message or reasoning item.
    item: (u64, String, String),
    /// True for models of xAI, which runs tools of its own under names that the client did not declare.
    is_xai_s: bool,
    /// True if two open calls have the same output index. Servers that do not count send 0 for all.
    shares_places: bool,
    /// True if the streamed response is over; `None` without a streamed response, or if it is one of Realtime's.
    plain: Option<bool>,
    /// The digests of the id and the items of the response that ended last.
    over: u64,
    said: u64,
    /// True if the current event is one of Realtime's.
    is_realtime: bool,
    realtime: connection::State,
}

pub(crate) const FORMAT: Format = Format {
    wire: wire_of,
    message: Some(Shape::Items),
    // Parts are numbered across messages, and responses of Realtime may overlap.
    forgets_messages: false,
    has_numbers: true,
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns {
    types: &["response.*", REALTIME, transcripts::TYPES],
    members: |event| event.get("object").peek() == "response" && event.member("output").is_given(),
};

/// The events that only Realtime has, unless a response outside Realtime is open.
const REALTIME: &str = "response.done|response.text.*|response.audio*|response.output_audio*|session.created|\
                        session.updated|conversation.created|conversation.item.*|input_audio_buffer.*|\
                        output_audio_buffer.*|mcp_list_tools.*|rate_limits.updated|transcription_session.*";

/// Returns the state that is kept between events.
fn state<'a>(emit: &'a mut Emitter<'_>) -> &'a mut State {
    emit.memory()
}

/// Returns the table that applies to an event.
fn wire_of(event: Node<'_>, emit: &mut Emitter<'_>) -> &'static Wire {
    let (kind, has_event_id) = (event.word_at("type"), event.get("event_id").is_given());
    let is_of_response = kind.starts_with("response.");
    // Some servers end a response as Realtime does, and responses outside Realtime may have audio too.
    let is_realtime = match state(emit).plain {
        Some(_) if is_of_response => has_event_id && kind != "response.done",
        _ => has_event_id || matches(REALTIME, kind),
    };
    state(emit).is_realtime = is_realtime;
    match () {
        () if !is_of_response && matches(transcripts::TYPES, kind) => &transcripts::WIRE,
        () if is_realtime && realtime::is_over(event, emit) => &realtime::LATE,
        () => &WIRE,
    }
}

static WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Index("output_index"),
    events: &[
        // The most frequent events first, because they are searched in this order.
        on(
            "response.output_text.delta|response.refusal.delta|response.reasoning_text.delta|\
             response.reasoning_summary_text.delta|response.text.delta|response.audio.transcript.delta|\
             response.audio_transcript.delta|response.output_audio_transcript.delta",
            &[DELTA, row(".", Means::Hook(words))],
        ),
        on(
            "response.function_call_arguments.delta|response.mcp_call_arguments.delta|\
             response.custom_tool_call_input.delta|response.code_interpreter_call_code.delta",
            &[DELTA, row(".", Means::Hook(input_piece))],
        ),
        on("response.created", &[ECHO, row(".", Means::Hook(begin))]),
        on("response.in_progress|response.queued", &[ECHO]),
        on("response.output_item.added", &[row(".", Means::Hook(add_item))]),
        on(
            "response.output_item.done",
            &[row(".", Means::Hook(end_item)), row("item", Means::Kept).back(&Back::Start(&[])).when(is_sent_back)],
        ),
        on(
            "response.function_call_arguments.done|response.mcp_call_arguments.done|\
             response.custom_tool_call_input.done|response.code_interpreter_call_code.done",
            &[row(".", Means::Hook(input_whole))],
        ),
        on(
            "response.shell_call_command.delta|response.apply_patch_call_operation_diff.delta",
            &[DELTA, row(".", Means::Hook(composed::string))],
        ),
        on(
            "response.shell_call_command.added|response.shell_call_command.done|\
             response.apply_patch_call_operation_diff.done",
            &[row(".", Means::Hook(composed::string))],
        ),
        // The item repeats the output, if it is ever done.
        on(
            "response.shell_call_output_content.delta|response.shell_call_output_content.done",
            &[row(".", Means::Data("")), row("delta|output", Means::Silent)],
        ),
        on(
            "response.output_text.done|response.refusal.done|response.reasoning_text.done|\
             response.reasoning_summary_text.done|response.text.done|response.audio.transcript.done|\
             response.audio_transcript.done|response.output_audio_transcript.done",
            &[row(".", Means::Hook(words))],
        ),
        on(
            "response.content_part.added|response.content_part.done|\
             response.reasoning_summary_part.added|response.reasoning_summary_part.done",
            &[row(".", Means::Hook(part))],
        ),
        on("response.output_text.annotation.added", &[row(".", Means::Hook(annotation))]),
        on("response.audio.delta|response.output_audio.delta", &[row(".", Means::Hook(sound))]),
        // The finished item repeats the silent members.
        on(
            "response.image_generation_call.partial_image",
            &[row("background|quality|size", Means::Silent), row(".", Means::Hook(partial_image))],
        ),
        on(
            "response.completed|response.incomplete",
            &[
                ECHO,
                row(".", Means::Hook(ending::end)),
                row("response.output", Means::Kept).back(&Back::All).when(is_sent_back),
            ],
        ),
        on("response.failed|response.done", &[ECHO, row(".", Means::Hook(ending::end))]),
        // Transcripts of what the user says.
        on(
            "conversation.item.input_audio_transcription.*",
            &[row(".", Means::Data("")), row("delta|transcript", Means::Silent)],
        ),
        on(
            "conversation.item.created|conversation.item.added|conversation.item.done|conversation.item.retrieved",
            &[row(".", Means::Hook(realtime::conversation_item))],
        ),
        on("session.created|session.updated", &[row("session", Means::Hook(realtime::session))]),
        // Mostly about an event that the client sent; the session continues.
        on(
            "error",
            &[row("error", Means::Reports), row(".", Means::Reports).when(|event| !event.get("error").is_anything())],
        ),
        on(PROGRESS, &[]),
        // A response body in place of a stream.
        on(
            "",
            &[
                row(".", Means::Object(REQUEST)),
                row(".", Means::Hook(read_body)),
                row("output", Means::Kept).back(&Back::All).when(is_sent_back),
            ],
        ),
    ],
    always: &[
        // Texts that hooks read.
        row("arguments|text|refusal|transcript|part.text|item.arguments", Means::Kept),
        // Indices inside an item.
        row(".", Means::Kept).at(&Spot::Index("content_index|summary_index|command_index")),
        row("session|conversation|rate_limits", Means::Silent),
        row(".", Means::Hook(realtime::note_items)),
    ],
    is_known: |event| match event.get("type").word() {
        "" => event.get("object").word() == "response",
        "error" => event.get("event_id").is_given(),
        _ => true,
    },
    ..Wire::NEW
};

/// Returns true if an event is a part of the message for the next request. In Realtime, the server keeps the
/// conversation.
fn is_sent_back(event: Node<'_>) -> bool {
    !event.member("event_id").is_given()
}

/// Progress that other events report too, and Realtime's events about the connection and the user.
const PROGRESS: &str = "keepalive|response.compaction.*|response.audio.done|response.output_audio.done|\
                        response.*_call.in_progress|response.*_call.searching|response.*_call.interpreting|\
                        response.*_call.generating|response.*_call.completed|response.*_call.failed|\
                        response.mcp_list_tools.in_progress|response.mcp_list_tools.completed|\
                        response.mcp_list_tools.failed|mcp_list_tools.in_progress|mcp_list_tools.completed|\
                        mcp_list_tools.failed|conversation.created|conversation.item.deleted|\
                        conversation.item.truncated|input_audio_buffer.*|output_audio_buffer.*|rate_limits.updated|\
                        transcription_session.*";

const DELTA: Row = row("delta", Means::Kept).required();

/// A response that repeats members of the request, with counts that are not final.
const ECHO: Row = row("response", Means::Object(REQUEST));
const REQUEST: Rows = &[row(OF_THE_REQUEST, Means::Silent)];
const OF_THE_REQUEST: &str = "conversation|instructions|metadata|prompt|prompt_cache_key|prompt_cache_retention|\
                              safety_identifier|user|reasoning|text|tool_choice|tools|truncation|tool_usage";

fn begin(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let response = event.get("response");
    if state(emit).is_realtime {
        connection::enter(event, emit);
        return;
    }
    begin_plain(response, Some(false), emit);
    // Items are sent in events of their own.
    response.each("output[]", &mut |item| emit.unknown_part("output", item.shown()));
}

fn begin_plain(response: Node<'_>, plain: Option<bool>, emit: &mut Emitter<'_>) {
    let (id, model) = (response.word_at("id"), response.word_at("model"));
    *state(emit) = State { plain, is_xai_s: model.contains("grok"), ..State::default() };
    emit.begin_message(id, model);
}

fn read_body(emit: &mut Emitter<'_>, response: Node<'_>, _: &Here<'_>) {
    begin_plain(response, None, emit);
    // A response in the background may not have ended.
    if !matches!(response.word_at("status"), "queued" | "in_progress") {
        ending::finish("completed", response, emit);
    }
}

fn add_item(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let Some(item) = event.get("item").as_object() else { return };
    let index = event.get("output_index").index().filter(|_| !state(emit).is_realtime);
    if let Some(index) = index {
        // A call starts at the index of another call that is still open.
        let open = emit.calls().find_open(Slot::from(index)).filter(|_| form::form(item).is_some());
        state(emit).shares_places |= open.is_some_and(|open| item::is_another(item, open, emit));
    }
    let Some(home) = Home::of(event, emit) else { return };
    if let Some(outer) = home.index {
        emit.state().said.retire(outer);
    }
    item::add(item, &home, emit);
}

fn end_item(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if let Some(item) = event.get("item").as_object()
        && let Some(home) = Home::of(event, emit)
    {
        item::done(item, &home, emit);
    }
}

fn input_piece(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let delta = event.member("delta");
    if !delta.is_string() {
        return delta.odd(Mark::Torn);
    }
    let (piece, kind) = (delta.said(), event.word_at("type"));
    if kind.contains("_call_") && !kind.contains("mcp") && !kind.contains("function") {
        delta.as_raw()
    } else {
        delta.as_input()
    };
    let Some(home) = Home::of(event, emit) else { return };
    let family = digest_of(kind.split('.').nth(1).unwrap_or_default());
    match emit.calls().find_open(home.slot()) {
        Some(call) if !is_of_its_family(family, call, emit) => emit.piece_again(call, piece, delta),
        _ => {
            emit.note_piece_in(home.slot(), delta);
            emit.calls().delta(home.slot(), piece);
        }
    }
}

/// Returns true if this family of events streams the call's input. The first event determines the family.
fn is_of_its_family(family: u64, call: u64, emit: &mut Emitter<'_>) -> bool {
    let most = emit.known().limits().open_calls;
    let families = &mut state(emit).families;
    let known = families.get(call).copied();
    if known.is_none() && families.len() < most {
        families.insert(call, family);
    }
    known.is_none_or(|known| known == family)
}

fn input_whole(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (text, name) = (event.get("input|code").raw_text(), form::name(event));
    let whole = if text.is_empty() { event.member("arguments").input() } else { text };
    let Some(home) = Home::of(event, emit) else { return };
    if let Some(number) = emit.calls().find(home.slot()) {
        emit.calls().identify(number, "", name);
    }
    emit.calls().whole(home.slot(), whole);
    emit.calls().seal(home.slot());
}

/// Reports a delta of a part, or the whole part.
fn words(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let name = event.word_at("type");
    let kind = match name {
        "response.refusal.delta" | "response.refusal.done" => MismatchKind::Refusal,
        name if name.starts_with("response.reasoning_") => MismatchKind::Reasoning,
        _ => MismatchKind::Text,
    };
    let Some(part) = Part::of(event, emit) else { return };
    if name.ends_with(".delta") {
        return part.piece(kind, event.get("delta").said(), emit);
    }
    // After the response's end, its text is no longer remembered.
    if kind != MismatchKind::Text || !part.is_last(emit) || !emit.state().said.is_empty() {
        part.whole(kind, event.get("text|refusal|transcript").said(), Scope::Item, emit);
    }
}

fn part(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (object, name) = (event.get("part"), event.word_at("type"));
    let (is_summary, is_done) = (name.starts_with("response.reasoning_summary_part."), name.ends_with(".done"));
    let is_reasoning = is_summary || object.word_at("type") == "reasoning_text";
    let kind = if is_reasoning { MismatchKind::Reasoning } else { MismatchKind::Text };
    let Some(part) = Part::of(event, emit) else { return };
    if !is_done && part.home.index.is_none() {
        part.start(BlockKind::Text, part.answer(emit), emit);
    }
    part.object(object, kind, if is_done { Scope::Item } else { Scope::Place }, emit);
    if is_done && !is_summary {
        emit.end_blocks(Which::At(0, part.at()));
    }
}

fn annotation(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if let Some(annotation) = event.get("annotation").as_object()
        && let Some(part) = Part::of(event, emit)
    {
        let answer = part.answer(emit);
        sources::add(annotation, (answer, part.at()), emit);
    }
}

fn sound(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let data = event.get("delta").said();
    let Some(part) = Part::of(event, emit).filter(|_| !data.is_empty()) else { return };
    let choice = part.answer(emit);
    let block = if part.home.index.is_none() { emit.find_block(Which::At(choice, part.at())) } else { None };
    emit.report(StreamEvent::Media(Media { choice, block, data: present(data), ..Media::default() }));
}

fn partial_image(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (format, data) = (event.word_at("output_format"), event.get("partial_image_b64").said());
    let media_type = ["image/", if format.is_empty() { "png" } else { format }].concat();
    if !data.is_empty() {
        let media = Media { media_type: Some(media_type.into()), data: present(data), ..Media::default() };
        emit.report(StreamEvent::Media(media));
    }
}
