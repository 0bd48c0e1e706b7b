//! Transcriptions and translations of speech: the stream of the transcription API, and Realtime's translation sessions,
//! which have neither responses nor items.

use crate::calls::present;
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::{Part, Scope};
use crate::event::MismatchKind;
use crate::event::media::Media;
use crate::formats::Understood;
use crate::json::{Id, Json, Lazy, Piece, Silent, Text, Unreadable, objects};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        event_id: Id<'a>,
        delta: Lazy<Piece<'a>>,
        /// All of the transcript.
        text: Piece<'a>,
        usage: Json<'a>,
        // Of the sound.
        _format: Silent<'a> = "format",
        /// The languages that were heard.
        languages: Json<'a>,
    }
}

pub(super) fn owns_type(kind: &str) -> bool {
    ["transcript.text.", "session.output_transcript.", "session.input_transcript.", "session.output_audio."]
        .iter()
        .any(|family| kind.starts_with(family))
        || kind == "session.closed"
}

pub(super) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let part = Part { kind: MismatchKind::Text, choice: 0, at: At::Run };
    match &*event.kind {
        "transcript.text.delta" | "session.output_transcript.delta" => {
            let delta = event.delta.required()?;
            emit.begin_answer(0);
            emit.note_said(part, delta);
            emit.text(0, delta);
        }
        // Of another language, or once more by speaker.
        "session.input_transcript.delta" | "transcript.text.segment" => {
            emit.begin_answer(0);
            emit.data(&event.kind, json);
        }
        "session.output_audio.delta" => {
            let data = present(event.delta.required()?);
            emit.media(Media { data, ..Media::default() });
        }
        "transcript.text.done" => {
            let (_, rest) = emit.news_of(part, &event.text, Scope::Place);
            emit.text(0, rest);
            if event.languages.is_given() {
                emit.data("languages", event.languages);
            }
            emit.usage(event.usage);
            emit.end_answer("");
            emit.end_stream();
        }
        "session.closed" => {
            emit.end_answer("");
            emit.end_stream();
        }
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}
