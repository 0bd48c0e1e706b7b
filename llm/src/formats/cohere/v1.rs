//! Cohere v1 chat: types in `event_type`, calls without ids, which come in pieces by index and once more as a whole.

use alloc::vec::Vec;

use crate::calls::{CallStart, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::{Part, Scope};
use crate::event::{MismatchKind, Source};
use crate::formats::Understood;
use crate::json::{Around, Id, Json, Lazy, Piece, Spelt, Text, Unreadable, objects};
use crate::message::{Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        event_type: Text<'a>,
        generation_id: Id<'a>,
        text: Lazy<Piece<'a>>,
        call_delta: Lazy<Around<CallDelta<'a>>> = "tool_call_delta",
        tool_calls: Vec<ToolCall<'a>>,
        citations: Vec<Spelt<'a, Citation<'a>>>,
        documents: Vec<Spelt<'a, Document<'a>>>,
        finish_reason: Text<'a>,
        response: Option<Response<'a>>,
    }

    struct CallDelta<'a> {
        index: Option<u64>,
        name: Text<'a>,
        /// A piece of the arguments' JSON text.
        parameters: Piece<'a>,
        text: Piece<'a>,
    }

    struct ToolCall<'a> {
        name: Text<'a>,
        parameters: Json<'a>,
    }

    struct Citation<'a> {
        start: Option<u64>,
        end: Option<u64>,
        text: Text<'a>,
    }

    struct Document<'a> {
        url: Text<'a>,
        title: Text<'a>,
        snippet: Text<'a>,
    }

    struct Response<'a> {
        text: Text<'a>,
        tool_calls: Vec<ToolCall<'a>>,
        citations: Vec<Spelt<'a, Citation<'a>>>,
        documents: Vec<Spelt<'a, Document<'a>>>,
        finish_reason: Text<'a>,
        meta: Json<'a>,
    }
}

/// Returns true if only this version has events of this type.
pub(crate) fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "stream-start"
            | "text-generation"
            | "tool-calls-chunk"
            | "tool-calls-generation"
            | "citation-generation"
            | "search-queries-generation"
            | "search-results"
            | "stream-end"
    )
}

pub(crate) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    match &*event.event_type {
        "tool-calls-chunk" => {
            // The plan, which the whole calls repeat.
            let call_delta = event.call_delta.get()?.0;
            say_plan(event.text.given()?, emit);
            if let Some(CallDelta { index, name, parameters, text }) = call_delta {
                say_plan(&text, emit);
                let slot = Slot::at(index);
                if !name.is_empty() {
                    emit.calls().start(slot, CallStart::new(name.as_str()));
                }
                emit.calls().delta(slot, &parameters);
            }
        }
        "tool-calls-generation" => {
            let (_, news) = emit.news_of(PLAN, event.text.given()?, Scope::Item);
            emit.reasoning(0, news);
            end_calls(&event.tool_calls, emit);
        }
        "text-generation" => {
            let text = event.text.required()?;
            emit.text(0, text);
            emit.note_said(TEXT, text);
            emit.note_reported(&event.event_type);
        }
        "citation-generation" => {
            event.citations.iter().for_each(|citation| cite(citation, emit));
        }
        "search-results" => event.documents.iter().for_each(|document| find(document, emit)),
        "stream-start" => emit.begin_message(&event.generation_id, ""),
        // The end once more, after which nothing is known of what it repeats.
        "stream-end" if emit.has_ended() && !emit.has_unfinished() => {}
        "stream-end" => {
            let Response { text, tool_calls, citations, documents, meta, finish_reason } =
                event.response.unwrap_or_default();
            // Beside calls, the text is the plan, but where text has come.
            if tool_calls.is_empty() || emit.has_reported("text-generation") {
                let (_, news) = emit.news_of(TEXT, &text, Scope::Item);
                emit.text(0, news);
            } else {
                let (_, news) = emit.news_of(PLAN, &text, Scope::Item);
                emit.reasoning(0, news);
            }
            citations.iter().for_each(|citation| cite(citation, emit));
            documents.iter().for_each(|document| find(document, emit));
            end_calls(&tool_calls, emit);
            let reasons = [&event.finish_reason, &finish_reason];
            let [own, inner] = reasons.map(Text::as_str);
            emit.end_answer(if own.is_empty() { inner } else { own });
            if !own.is_empty() && own != inner {
                emit.stop_reason(0, inner);
            }
            emit.usage(meta);
            emit.end_stream();
        }
        "search-queries-generation" => emit.data(&event.event_type, json),
        kind => return Ok((kind == "debug").into()),
    }
    Ok(Understood::Yes)
}

/// Reports the part of the answer's text that comes from a source. The last event repeats them all.
fn cite(Spelt { json, object: Citation { start, end, text } }: &Spelt<'_, Citation<'_>>, emit: &mut Emitter<'_>) {
    let source = Source {
        choice: 0,
        block: emit.find_block(0, At::Run),
        url: None,
        title: None,
        quote: present(text),
        span: start.zip(*end),
        json: json.spelt().into(),
    };
    emit.source_once(json.spelt(), source);
}

/// Reports the findings of a search, likewise.
fn find(Spelt { json, object: Document { url, title, snippet } }: &Spelt<'_, Document<'_>>, emit: &mut Emitter<'_>) {
    let (url, title, quote) = (present(url), present(title), present(snippet));
    let source = Source { choice: 0, block: None, url, title, quote, span: None, json: json.spelt().into() };
    emit.source_once(json.spelt(), source);
}

/// The text that the last event repeats.
const TEXT: Part<'static> = Part { kind: MismatchKind::Text, choice: 0, at: At::Run };

/// The plan that the whole calls repeat.
const PLAN: Part<'static> = Part { kind: MismatchKind::Reasoning, choice: 0, at: At::Run };

/// A piece of what the model says of its calls.
fn say_plan(text: &str, emit: &mut Emitter<'_>) {
    emit.reasoning(0, text);
    emit.note_said(PLAN, text);
}

/// Calls as a whole, up to twice, by their place in the list. The server has read the arguments and written them anew.
fn end_calls(calls: &[ToolCall<'_>], emit: &mut Emitter<'_>) {
    let has_forgotten = emit.known().has_forgotten();
    for (index, ToolCall { name, parameters }) in (0..).zip(calls) {
        let slot = Slot::from(index);
        if emit.calls().find_in(slot).is_none() {
            if has_forgotten {
                continue;
            }
            emit.calls().start(slot, CallStart::new(name.as_str()));
        }
        if let Some(number) = emit.calls().find_open(slot) {
            emit.calls().identify(number, "", name);
            emit.calls().whole(slot, parameters.spelt());
            emit.calls().stop(slot);
        } else if let Some(number) = emit.calls().find_in(slot) {
            emit.repeat_call(number, name, parameters.spelt());
        }
    }
}

/// The shape of the message that goes back.
const SHAPE: Shape = Shape::Object { role: "CHATBOT", list: "", ids: Ids::Optional };

/// The last event has all that goes back, in the shape of an entry of the chat's history.
pub(crate) fn compose(event: Json<'_>, turn: &mut Turn) {
    turn.be(SHAPE);
    let response = event.member("response");
    if event.member("event_type").word() == "stream-end" {
        turn.text(None, "message", response.member("text"));
        turn.set(None, "tool_calls", response.member("tool_calls"));
    }
}
