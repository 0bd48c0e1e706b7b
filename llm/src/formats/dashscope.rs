//! DashScope's native wire, of Qwen's models: a chat's choices inside `output`, or its text alone.
//!
//! Without `incremental_output` each event has all so far, with it each has a piece. Both look the same at first, so an
//! event that begins with all that was said has the rest, and any other is a piece; after an event that had more than
//! all that was said, it is a contradiction.

use crate::calls::present;
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::Part;
use crate::event::media::Media;
use crate::event::{MismatchKind, Source};
use crate::formats::{Format, Look, Understood, openai_chat};
use crate::json::{Around, Id, Json, Piece, Silent, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        output: Around<Output<'a>>,
        usage: Json<'a>,
        request_id: Id<'a>,
        // Of an error.
        code: Text<'a>,
        message: Json<'a>,
    }

    struct Output<'a> {
        text: Piece<'a>,
        choices: Json<'a>,
        /// `"null"` until the end.
        finish_reason: Text<'a>,
        audio: Option<Audio<'a>>,
        search_info: Option<SearchInfo<'a>>,
    }

    struct Audio<'a> {
        data: Text<'a>,
        url: Text<'a>,
        // When the address ends.
        _expires_at: Silent<'a> = "expires_at",
    }

    struct SearchInfo<'a> {
        search_results: alloc::vec::Vec<Spelt<'a, Found<'a>>>,
    }

    struct Found<'a> {
        url: Text<'a>,
        title: Text<'a>,
    }
}

pub(crate) const FORMAT: Format =
    Format { name: "dashscope", read, owns_type: |_| false, owns_members, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer = Composer::new(Shape::WithCalls { list: "", ids: Ids::Optional }, compose);

fn owns_members(look: &Look<'_>) -> bool {
    look.output.is_object() && look.request_id.is_string() && look.kind().is_empty()
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    let Some(output) = event.output.0 else {
        if event.code.is_empty() {
            return Ok(Understood::No);
        }
        emit.fail(&Failure::new(json.hand_over()));
        return Ok(Understood::Yes);
    };
    emit.message_with_id(&event.request_id);
    openai_chat::read_so_far(output.choices, emit)?;
    let text = emit.so_far(Part { kind: MismatchKind::Text, choice: 0, at: At::Run }, &output.text);
    emit.text(0, text);
    if let Some(Audio { data, url, .. }) = &output.audio {
        emit.media(Media { data: present(data), url: present(url), ..Media::default() });
    }
    for Spelt { json, object: Found { url, title } } in output.search_info.iter().flat_map(|info| &info.search_results)
    {
        let (url, title) = (present(url), present(title));
        let source = Source { choice: 0, block: None, url, title, quote: None, span: None, json: json.spelt() };
        emit.source_once(source.url.unwrap_or_default(), source);
    }
    emit.usage(event.usage);
    if !matches!(&*output.finish_reason, "" | "null") {
        emit.end_answer(&output.finish_reason);
    }
    if !event.code.is_empty() {
        emit.fail(&Failure { message: event.message.word(), code: event.code.as_str().into(), ..Failure::default() });
    }
    Ok(Understood::Yes)
}

/// Adds what an event says to the message that goes back: the first answer. Its calls are added as they end.
fn compose(event: Json<'_>, turn: &mut Turn) {
    let output = event.member("output");
    turn.so_far("content", output.member("text"));
    let mut choices = output.member("choices").elements();
    let Some(choice) = choices.find(|choice| choice.member("index").index().unwrap_or(0) == 0) else { return };
    let message = choice.member("message");
    for name in ["content", "reasoning_content"] {
        turn.so_far(name, message.member(name));
    }
    for part in message.member("content").elements() {
        turn.so_far("content", part.member("text"));
    }
}
