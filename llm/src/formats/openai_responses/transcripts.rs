//! Transcriptions and translations of speech: the stream of the transcription API, and Realtime's translation sessions,
//! which have neither responses nor items.

use crate::wire::*;

pub(super) const TYPES: &str =
    "transcript.text.*|session.output_transcript.*|session.input_transcript.*|session.output_audio.*|session.closed";

pub(super) static WIRE: Wire = Wire {
    kind: "type",
    events: &[
        on("transcript.text.delta|session.output_transcript.delta", &[BEGINS, row("delta", Means::Text).required()]),
        // In another language, or repeated by speaker.
        on(
            "session.input_transcript.delta|transcript.text.segment",
            &[BEGINS, row(".", Means::Data("")), row("delta|text", Means::Silent)],
        ),
        on("session.output_audio.delta", &[row("delta", Means::Media(&SOUND)).required()]),
        on(
            "transcript.text.done",
            &[
                row("text", Means::Text).form(Form::Whole(Scope::Place)),
                row("languages", Means::Data("languages")),
                row("usage", Means::Usage),
                ENDS,
                row(".", Means::EndsStream),
            ],
        ),
        on("session.closed", &[ENDS, row(".", Means::EndsStream)]),
    ],
    form: Form::Noted,
    ..Wire::NEW
};

const BEGINS: Row = row(".", Means::BeginsAnswer);
const ENDS: Row = row(".", Means::EndsAnswer(""));

const SOUND: Shown = Shown { name: "delta", data: ".", ..Shown::NEW };
