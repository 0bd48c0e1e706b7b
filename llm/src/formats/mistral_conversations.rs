//! Mistral Conversations: entries by id, between a `conversation.response.started` and a `conversation.response.done`.
//! The conversation is kept by the server, so no message goes back.

use crate::calls::{CallStart, Executor, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::event::media::Media;
use crate::event::{OpaqueKind, Source, StreamEvent};
use crate::formats::{Format, Understood};
use crate::json::{Id, Json, Piece, Text, TextOrJson, TextOrList, Unreadable, objects};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        id: Id<'a>,
        conversation_id: Id<'a>,
        model: Text<'a>,
        /// A piece of text, or a chunk of another kind.
        content: Option<Json<'a>>,
        name: Text<'a>,
        /// The id by which a call is answered.
        tool_call_id: Id<'a>,
        arguments: Json<'a>,
        confirmation_status: Text<'a>,
        /// What came of a call that the provider executed.
        info: Json<'a>,
        usage: Json<'a>,
    }

    struct Chunk<'a> {
        kind: Text<'a> = "type",
        text: Piece<'a>,
        thinking: TextOrList<'a, Thought<'a>>,
        signature: Json<'a>,
        url: Text<'a>,
        title: Text<'a>,
        description: Text<'a>,
        image_url: Json<'a>,
        document_url: Json<'a>,
    }

    struct Thought<'a> {
        text: Piece<'a>,
    }

    struct Link<'a> {
        url: Text<'a>,
    }
}

pub(crate) const FORMAT: Format =
    Format { name: "mistral-conversations", read, owns_type, owns_members: |_| false, terminal: None };

fn owns_type(kind: &str) -> bool {
    ["conversation.response.", "message.output.", "tool.execution.", "function.call.", "agent.handoff."]
        .iter()
        .any(|family| kind.starts_with(family))
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    match &*event.kind {
        "conversation.response.started" => emit.begin_message(&event.conversation_id, &event.model),
        "message.output.delta" => {
            let content = event.content.ok_or(Unreadable)?;
            emit.enter_structured(0, &event.id);
            match content.piece()? {
                TextOrJson::Text(text) => emit.text_at(0, At::from(event.id.as_str()), &text),
                TextOrJson::Json(_) => read_chunk(At::from(event.id.as_str()), content, emit)?,
            }
        }
        "function.call.delta" => {
            call(&event, &event.tool_call_id, Executor::Client, emit)?;
            if event.confirmation_status.as_str() == "pending" {
                let (id, call) = (event.tool_call_id.as_str(), emit.known().find_id(0, &event.tool_call_id));
                if emit.is_news(0, &["approval/", id].concat()) {
                    emit.report(StreamEvent::ApprovalRequest { id, call, json: json.spelt() });
                }
            }
        }
        "tool.execution.started" | "tool.execution.delta" => call(&event, &event.id, Executor::Provider, emit)?,
        "tool.execution.done" => {
            call(&event, &event.id, Executor::Provider, emit)?;
            emit.stop_call(Slot::new(0, Place::Id(&event.id)));
            let result = if event.info.is_given() { event.info } else { json };
            emit.tool_result(&event.id, false, result, event.info.spelt());
        }
        "agent.handoff.started" | "agent.handoff.done" => emit.data(&event.kind, json),
        "conversation.response.done" => {
            emit.usage(event.usage);
            emit.end_answer("");
            emit.end_stream();
        }
        "conversation.response.error" => {
            emit.fail(&Failure::new(json));
        }
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}

/// A call's beginning, or a piece of its arguments: name and id stand in each.
fn call(event: &Event<'_>, id: &str, executor: Executor, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let arguments = event.arguments.piece()?;
    let slot = Slot::new(0, Place::Id(id));
    // A name may come late, and under the same id another name is another call.
    if !emit.calls().has_ended(slot, id) {
        emit.start_call(slot, CallStart::new(event.name.as_str()).id(id).executor(executor));
    }
    emit.payload(slot, &arguments);
    Ok(())
}

/// A chunk that is no plain text.
fn read_chunk(at: At<'_>, json: Json<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let chunk: Chunk<'_> = json.object()?;
    match &*chunk.kind {
        "text" => emit.text_at(0, at, chunk.text.required()?),
        "thinking" => {
            match &chunk.thinking {
                TextOrList::Text(thought) => emit.reasoning_at(0, at, thought),
                TextOrList::List(thoughts) => {
                    thoughts.iter().for_each(|thought| emit.reasoning_at(0, at, &thought.text));
                }
            }
            emit.opaque(OpaqueKind::Signature, 0, emit.find_block(0, at), chunk.signature);
        }
        "tool_reference" => emit.source(Source {
            choice: 0,
            block: emit.find_block(0, at),
            url: present(&chunk.url),
            title: present(&chunk.title),
            quote: present(&chunk.description),
            span: None,
            json: json.spelt(),
        }),
        "image_url" | "document_url" => {
            let link = if chunk.image_url.is_given() { chunk.image_url } else { chunk.document_url };
            let Link { url } = link.object().unwrap_or_default();
            let word = link.word();
            let url = if url.is_empty() { &*word } else { &*url };
            emit.media_or_unknown(Media { url: present(url), ..Media::default() }, &chunk.kind, json);
        }
        kind => emit.unknown_part(kind, json),
    }
    if chunk.kind.as_str() != "thinking" && chunk.thinking.says_anything() {
        emit.unknown_part("thinking", json);
    }
    Ok(())
}
