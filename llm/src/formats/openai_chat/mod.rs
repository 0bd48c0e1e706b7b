//! OpenAI Chat Completions, the older Completions, and the servers that speak nearly the same. `entries` knows whose a
//! call's fragment is, `beside` what a message says beside its delta, and `sources` what is cited.

mod beside;
mod entries;
mod sources;

use alloc::string::String;
use alloc::vec::Vec;

use self::entries::{Called, read_entry};
use self::sources::Page;
use crate::calls::{Executor, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::{Part as Said, Scope};
use crate::event::media::Media;
use crate::event::stop::StopKind;
use crate::event::{BlockKind, MismatchKind, OpaqueKind};
use crate::formats::tool_call::{Function, ToolCall};
use crate::formats::{Format, Look, Understood};
use crate::json::{Around, Field, Id, Json, Others, Piece, Pieces, Spelt, Text, TextOrList, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Chunk<'a> {
        object: Text<'a>,
        choices: Option<Json<'a>>,
        id: Id<'a>,
        model: Text<'a>,
        usage: Json<'a>,
        /// Azure's filters, for the prompt.
        prompt_filter_results: Json<'a>,
        /// Perplexity's and xAI's addresses, repeated with each chunk, and Perplexity's pages with more about each.
        citations: Json<'a>,
        search_results: Vec<Spelt<'a, Page<'a>>>,
        /// Groq's own member; at times only this one has the usage.
        x_groq: Option<XGroq<'a>>,
        error: Json<'a>,
    }

    struct Annotation<'a> {
        url_citation: Option<Page<'a>>,
    }

    /// A call that Groq has executed: twice, the second time with what came of it.
    struct Executed<'a> {
        output: Json<'a>,
    }

    struct XGroq<'a> {
        usage: Json<'a>,
    }

    struct Choice<'a> {
        index: Option<u64>,
        delta: Around<Delta<'a>>,
        /// In place of a delta where the answer is not streamed: all of it.
        message: Around<Delta<'a>>,
        /// In place of a delta in a completion.
        text: Piece<'a>,
        finish_reason: Text<'a>,
        native_finish_reason: Text<'a>,
        /// The stop sequence that has come, at vLLM. (Where it is a number, a token.)
        stop_reason: Text<'a>,
        content_filter_results: Json<'a>,
        content_filter_offsets: Json<'a>,
        error: Json<'a>,
        /// Moonshot's place for it.
        usage: Json<'a>,
    }

    struct Delta<'a> {
        content: TextOrList<'a, Spelt<'a, Part<'a>>>,
        refusal: Piece<'a>,
        reasoning_content: Piece<'a>,
        reasoning: Piece<'a>,
        reasoning_details: Vec<Spelt<'a, Detail<'a>>>,
        /// `LiteLLM`'s form of what Anthropic thinks.
        thinking_blocks: Vec<Detail<'a>>,
        /// The spoken text, and the sound of it.
        audio: Around<Audio<'a>>,
        images: Vec<Spelt<'a, Image<'a>>>,
        annotations: Vec<Spelt<'a, Annotation<'a>>>,
        executed_tools: Vec<Spelt<'a, Executed<'a>>>,
        tool_calls: Pieces<Spelt<'a, ToolCall<'a>>>,
        function_call: Around<Spelt<'a, Function<'a>>>,
        others: Others<'a> = "*",
    }

    /// A part of the content, where it is a list, as Mistral sends it.
    struct Part<'a> {
        kind: Text<'a> = "type",
        text: Piece<'a>,
        thinking: TextOrList<'a, Thought<'a>>,
        image_url: Json<'a>,
    }

    struct Audio<'a> {
        transcript: Piece<'a>,
        data: Piece<'a>,
    }

    struct Image<'a> {
        image_url: Json<'a>,
    }

    struct ImageUrl<'a> {
        url: Text<'a>,
    }

    struct Thought<'a> {
        text: Piece<'a>,
    }

    /// A piece of reasoning as OpenRouter sends it: text, a summary, or data that only the provider can read.
    struct Detail<'a> {
        text: Piece<'a>,
        summary: Piece<'a>,
        thinking: Piece<'a>,
        signature: Json<'a>,
        data: Json<'a>,
    }
}

pub(crate) const FORMAT: Format =
    Format { name: "openai-chat", read, owns_type: |_| false, owns_members, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer = Composer::new(Shape::WithCalls { list: "", ids: Ids::Needed }, compose);

fn owns_members(look: &Look<'_>) -> bool {
    look.choices.is_given() || ["chat.completion.chunk", "text_completion"].contains(&look.object.as_str())
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let chunk: Chunk<'_> = json.object()?;
    emit.watch_inputs();
    let groq = chunk.x_groq.map(|groq| groq.usage).unwrap_or_default();
    let usage = if chunk.usage.is_given() { chunk.usage } else { groq };
    // The same counts once more.
    groq.pass_over();
    let is_named = ["chat.completion", "text_completion"].iter().any(|name| chunk.object.starts_with(name));
    if chunk.choices.is_none() && !usage.is_given() && !is_named {
        return Ok(Understood::No);
    }
    let mut choices = Pieces::<Choice<'_>>::default();
    choices.read(chunk.choices.unwrap_or_default().or_null())?;
    emit.message_after_end(&chunk.id, &chunk.model, choices.0.iter().any(Choice::says_anything));
    emit.content_filter(0, chunk.prompt_filter_results);
    let of_choice = choices.0.iter().map(|choice| choice.usage).find(|usage| usage.is_given());
    for choice in choices.0 {
        read_choice(choice, Form::Whole, emit);
    }
    sources::of_chunk(&chunk.search_results, chunk.citations, emit);
    emit.usage(of_choice.filter(|_| !usage.is_given()).unwrap_or(usage));
    if let Some(failure) = Failure::at(chunk.error) {
        emit.fail(&failure);
    }
    Ok(Understood::Yes)
}

impl Choice<'_> {
    /// Returns true if it is more than an end, and what comes with that.
    fn says_anything(&self) -> bool {
        let deltas = self.delta.0.iter().chain(&self.message.0);
        !self.text.is_empty() || deltas.into_iter().any(Delta::says_anything)
    }
}

impl Delta<'_> {
    fn says_anything(&self) -> bool {
        let texts = [&self.refusal, &self.reasoning_content, &self.reasoning];
        self.content.says_anything()
            || texts.into_iter().any(|text| !text.is_empty())
            || !self.tool_calls.0.is_empty()
            || self.function_call.0.is_some()
    }
}

impl Detail<'_> {
    fn texts(&self) -> [&str; 3] {
        [&self.text, &self.summary, &self.thinking].map(Piece::as_str)
    }
}

/// The form of what a choice says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Piece,
    /// All of it, which may repeat what has come in pieces.
    Whole,
    /// A piece, or all of it so far.
    SoFar,
    /// All of it so far, beside a piece.
    Beside,
}

/// Reads choices whose messages come in pieces, or each with all so far.
pub(crate) fn read_so_far(choices: Json<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let mut read = Pieces::<Choice<'_>>::default();
    read.read(choices.or_null())?;
    read.0.into_iter().for_each(|choice| read_choice(choice, Form::SoFar, emit));
    Ok(())
}

/// A choice; `message` is the form of what it has in place of a delta.
fn read_choice(choice: Choice<'_>, message: Form, emit: &mut Emitter<'_>) {
    let number = choice.index.unwrap_or(0);
    // Some servers spell the missing reason as a string.
    let given = Some(choice.finish_reason.as_str()).filter(|reason| *reason != "null");
    let (reason, native) = (given.unwrap_or_default(), choice.native_finish_reason.as_str());
    let (reason, native) = if reason.is_empty() { (native, "") } else { (reason, native) };
    // Some servers have another name for it, under which others say which stop sequence has come.
    let is_reason = reason.is_empty() && StopKind::of(choice.stop_reason.peek()) != StopKind::Other;
    let (reason, stop_sequence) = match () {
        () if is_reason => (choice.stop_reason.as_str(), ""),
        () if reason.is_empty() => ("", ""),
        () => (reason, choice.stop_reason.as_str()),
    };
    let has_delta = choice.delta.0.is_some();
    let is_repeated = choice.delta.0.as_ref().zip(choice.message.0.as_ref());
    let is_repeated = is_repeated.is_some_and(|(delta, message)| message.is_said_by(number, delta, emit));
    match choice.delta.0 {
        Some(delta) => {
            // Some servers repeat the delta's text next to it, and some have it only there.
            let (is_said, is_repeated) = (delta.content.says_anything(), delta.content.is(&choice.text));
            read_delta(number, delta, Form::Piece, emit);
            if !is_said {
                emit.text(number, &choice.text);
            } else if !is_repeated && !choice.text.is_empty() {
                emit.contradict(Said { kind: MismatchKind::Text, choice: number, at: At::Run }, &choice.text);
            }
        }
        None => emit.text(number, &choice.text),
    }
    match choice.message.0 {
        // Beside each delta, some servers send all so far.
        Some(said) if !has_delta || !reason.is_empty() => read_delta(number, said, message, emit),
        Some(said) if !is_repeated => read_delta(number, said.words(), Form::Beside, emit),
        _ => {}
    }
    // Last, as some servers send a call and the reason in one chunk.
    if !reason.is_empty() {
        let meant = if says_cut(native) { native } else { reason };
        emit.end_blocks_of(number);
        emit.calls().finish_choice(number, Some(meant));
        emit.stop(number, reason, StopKind::of(meant), native, stop_sequence);
    }
    emit.content_filter(number, choice.content_filter_results);
    emit.content_filter(number, choice.content_filter_offsets);
    if let Some(failure) = Failure::at(choice.error) {
        emit.fail(&failure);
    }
}

/// Returns true if the reason of the provider behind a gateway says that the answer is incomplete. The gateway's own
/// may be `tool_calls` all the same.
fn says_cut(native: &str) -> bool {
    matches!(StopKind::of(native), StopKind::Length | StopKind::ContentFilter | StopKind::Error)
}

/// A piece of an answer, or all of it.
fn read_delta(choice: u64, delta: Delta<'_>, form: Form, emit: &mut Emitter<'_>) {
    let news = |kind, text, emit: &mut Emitter<'_>| {
        let part = Said { kind, choice, at: At::Run };
        match form {
            Form::Whole => return emit.news_of(part, text, Scope::Item).1,
            Form::Beside => {
                let (_, rest) = emit.news_of(part, text, Scope::Item);
                if !rest.is_empty() {
                    // The message that goes back is made of the pieces.
                    emit.spoil_message();
                }
                return rest;
            }
            Form::SoFar => return emit.so_far(part, text),
            Form::Piece => emit.note_said(part, text),
        }
        text
    };
    // Each of these says the same, or the beginning of it.
    let details: String = delta.reasoning_details.iter().flat_map(|detail| detail.object.texts()).collect();
    let blocks: String = delta.thinking_blocks.iter().flat_map(Detail::texts).collect();
    let (mut reasoning, mut contradicting) = ("", None);
    for text in [&*delta.reasoning_content, &*delta.reasoning, &*details, &*blocks] {
        if text.starts_with(reasoning) {
            reasoning = text;
        } else if !reasoning.starts_with(text) {
            contradicting = Some(text);
        }
    }
    let reasoning = news(MismatchKind::Reasoning, reasoning, emit);
    emit.reasoning(choice, reasoning);
    if let Some(text) = contradicting {
        emit.contradict(Said { kind: MismatchKind::Reasoning, choice, at: At::Run }, text);
    }
    for Spelt { json, object: detail } in &delta.reasoning_details {
        take_back(choice, detail, *json, emit);
    }
    delta.thinking_blocks.iter().for_each(|block| take_back(choice, block, block.data, emit));
    match &delta.content {
        TextOrList::Text(text) => {
            let text = news(MismatchKind::Text, text, emit);
            emit.text(choice, text);
        }
        TextOrList::List(parts) if form == Form::SoFar => {
            let text: String = parts.iter().map(|part| part.object.text.as_str()).collect();
            let part = Said { kind: MismatchKind::Text, choice, at: At::Run };
            let text = emit.so_far(part, &text);
            emit.text(choice, text);
        }
        TextOrList::List(parts) => parts.iter().for_each(|part| read_part(choice, part, emit)),
    }
    let Audio { transcript, data } = delta.audio.unwrap_or_default();
    emit.text(choice, &transcript);
    emit.media(Media { choice, data: present(&data), ..Media::default() });
    for Spelt { json, object: image } in &delta.images {
        let image = if image.image_url.is_given() { image.image_url } else { *json };
        show(choice, image, emit);
    }
    for Spelt { json, object: annotation } in &delta.annotations {
        let page = annotation.url_citation.as_ref();
        emit.source(page.unwrap_or(&Page::default()).source(choice, *json).in_block(emit.find_block(choice, At::Run)));
    }
    for Spelt { json, object: executed } in &delta.executed_tools {
        if executed.output.is_given() {
            emit.tool_result("", false, *json, "");
        }
    }
    let refusal = news(MismatchKind::Refusal, delta.refusal.as_str(), emit);
    emit.refusal(choice, refusal);
    emit.unknown_members(&delta.others, &["role"]);
    let older = delta.function_call.0;
    let (is_alone, is_repetition) = (
        delta.tool_calls.0.is_empty(),
        older
            .as_ref()
            .is_some_and(|older| delta.tool_calls.0.iter().any(|entry| entry.object.is_said_by(&older.object))),
    );
    for Spelt { json, object: entry } in delta.tool_calls.0 {
        let slot = Slot::new(choice, entry.index.map_or(Place::Nowhere, Place::Index));
        if entry.is_unknown(slot, json, emit) {
            continue;
        }
        read_call(choice, entry, form, emit);
    }
    match older {
        // The older form has one call at most, and no id.
        Some(Spelt { object: function, .. }) if is_alone => {
            read_entry(choice, Some(0), "", &Called::function(&function), (Executor::Client, form), emit);
        }
        // Some servers send each piece in the older form too. Anything else there is not theirs to place.
        Some(Spelt { json, .. }) if !is_repetition => emit.unknown_part("function_call", json),
        _ => {}
    }
}

/// A call of a list of them, or a piece of one.
fn read_call(choice: u64, entry: ToolCall<'_>, form: Form, emit: &mut Emitter<'_>) {
    let ToolCall { index, id, kind, function, custom, extra_content, .. } = entry;
    let executor = if kind.ends_with("_call") { Executor::Provider } else { Executor::Client };
    let is_custom = kind.as_str() == "custom" && function.0.is_none();
    let (function, is_raw) = (function.unwrap_or_default(), is_custom || custom.0.is_some());
    let custom = custom.unwrap_or_default();
    let called = if is_raw { Called::custom(&custom) } else { Called::function(&function) };
    read_entry(choice, index, &id, &called, (executor, form), emit);
    if let Some(Spelt { json, object: extra }) = extra_content {
        let call = emit.calls().find_in(Slot::new(choice, Place::Latest));
        emit.extra_of_call(choice, call, "extra_content", json);
        let signature = extra.google.unwrap_or_default().thought_signature;
        emit.opaque_of_call(OpaqueKind::Signature, choice, call, signature);
    }
}

/// A call that comes in pieces, of which this is one.
pub(crate) fn read_piece_of_call(entry: ToolCall<'_>, emit: &mut Emitter<'_>) {
    read_call(0, entry, Form::Piece, emit);
}

/// Takes the part of reasoning that has to go back: its signature, or what stands in place of it.
fn take_back(choice: u64, detail: &Detail<'_>, json: Json<'_>, emit: &mut Emitter<'_>) {
    if detail.signature.is_given() {
        let block = emit.find_block(choice, At::Run);
        emit.opaque(OpaqueKind::Signature, choice, block, detail.signature);
    }
    if detail.data.is_given() {
        let block = emit.block_of(choice, At::Run, BlockKind::Reasoning);
        emit.opaque(OpaqueKind::Encrypted, choice, Some(block), json);
    }
}

fn read_part(choice: u64, Spelt { json, object: part }: &Spelt<'_, Part<'_>>, emit: &mut Emitter<'_>) {
    if part.kind.as_str() == "reference" {
        emit.source(Page::default().source(choice, *json).in_block(emit.find_block(choice, At::Run)));
    }
    show(choice, part.image_url, emit);
    if !matches!(&*part.kind, "" | "text" | "thinking" | "reference" | "image_url") {
        emit.unknown_part(&part.kind, *json);
    }
    match &part.thinking {
        TextOrList::Text(thought) => emit.reasoning(choice, thought),
        TextOrList::List(thoughts) => {
            thoughts.iter().for_each(|thought| emit.reasoning(choice, &thought.text));
        }
    }
    emit.text(choice, &part.text);
}

/// An image, by its address: alone or in an object.
fn show(choice: u64, image: Json<'_>, emit: &mut Emitter<'_>) {
    let ImageUrl { url } = image.object().unwrap_or_default();
    let word = image.word();
    let url = if url.is_empty() { &*word } else { &*url };
    emit.media_or_unknown(Media { choice, url: present(url), ..Media::default() }, "image", image);
}

/// Adds what a chunk says to the message that goes back: the first answer. Its calls are added as they end.
pub(crate) fn compose(event: Json<'_>, turn: &mut Turn) {
    let mut choices = event.member("choices").elements();
    let Some(choice) = choices.find(|choice| choice.member("index").index().unwrap_or(0) == 0) else { return };
    let delta = choice.member("delta");
    for name in ["content", "reasoning", "reasoning_content", "refusal"] {
        turn.text(None, name, delta.member(name));
    }
    for name in ["content", "reasoning_details", "thinking_blocks"] {
        for part in delta.member(name).elements() {
            turn.element(None, name, part);
        }
    }
    if [delta, choice.member("message")].iter().any(|said| said.member("function_call").is_object()) {
        turn.expect_older_call();
    }
    // All of it, whatever has come in pieces.
    if !delta.is_given() || choice.member("finish_reason").is_given() {
        for name in ["content", "reasoning", "reasoning_content", "refusal", "reasoning_details", "thinking_blocks"] {
            let whole = choice.member("message").member(name);
            if !whole.is_nothing() {
                turn.set(None, name, whole);
            }
        }
    }
}
