//! The index of the envelope's laws: which tests of this binary hold each one.

use jsonspigot_check::laws;

laws! {
    Envelope:
    ChunkEdges as chunk_edges: [any_text::any_cuts_change_nothing];
    Prompt as prompt: [promptness::text_is_told_at_once];
    Limits as limits: [limits::a_payload_may_be_as_long_as_its_limit, limits::the_parser_s_limits_hold];
    Linear as linear: [limits::long_false_openings_cost_what_they_are_long];
    SavedState as saved_state: [
        any_text::cuts_change_nothing_where_deviations_are_accepted,
        saved::a_forged_state_is_refused_or_sound,
    ];
    Payloads as payloads: [any_text::pieces_are_the_splitter_s, any_text::any_payload_is_read_as_a_parser_reads_it];
    NoPanics as no_panics: [any_text::any_text_is_survived];
}
