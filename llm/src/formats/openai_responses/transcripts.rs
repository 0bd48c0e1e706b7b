//! Transcriptions and translations of speech: the stream of the transcription API, and Realtime's translation sessions,
//! which have neither responses nor items.

use crate::emitter::said::Scope;
use crate::wire::{Form, Means, Row, Shown, Wire, matches, row};

pub(super) fn owns_type(kind: &str) -> bool {
    matches(
        "transcript.text.*|session.output_transcript.*|session.input_transcript.*|session.output_audio.*|session.closed",
        kind,
    )
}

pub(super) const WIRE: Wire = Wire {
    kind: "type",
    events: &[
        ("transcript.text.delta|session.output_transcript.delta", &[BEGINS, row("delta", Means::Text).required()]),
        // In another language, or repeated by speaker.
        (
            "session.input_transcript.delta|transcript.text.segment",
            &[BEGINS, row(".", Means::Data("")), row("delta", Means::Silent), row("text", Means::Silent)],
        ),
        ("session.output_audio.delta", &[row("delta", Means::Media(&SOUND)).required()]),
        (
            "transcript.text.done",
            &[
                row("text", Means::Text).form(Form::Whole(Scope::Place)),
                row("languages", Means::Data("languages")),
                row("usage", Means::Usage),
                ENDS,
                row(".", Means::EndsStream),
            ],
        ),
        ("session.closed", &[ENDS, row(".", Means::EndsStream)]),
    ],
    form: Form::Noted,
    ..Wire::NEW
};

const BEGINS: Row = row(".", Means::Hook(|emit, _, _| emit.begin_answer(0)));
const ENDS: Row = row(".", Means::Stops { reason: "", sequence: "", is_end: true });

const SOUND: Shown = Shown { name: "delta", media_type: "", data: ".", url: "", is_in_block: false };
