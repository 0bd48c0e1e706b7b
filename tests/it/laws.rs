//! The index of the library's laws: which tests of this binary hold each one.

use jsonspigot_check::laws;

laws! {
    Library:
    ChunkEdges as chunk_edges: [any_text::cuts_are_invisible, snapshots::snapshots_do_not_depend_on_the_cuts];
    Strict as strict: [
        any_text::the_value_is_serde_jsons,
        suites::json_test_suite_gets_the_recognisers_verdicts,
        suites::json_checker_gets_the_recognisers_verdicts,
    ];
    FirstBadByte as first_bad_byte: [any_text::any_document_any_cut];
    TruePlaces as true_places: [any_text::error_paths_are_true];
    StoppingAtRoot as stopping_at_root: [any_text::a_parser_that_stops_takes_the_root_alone];
    Prompt as prompt: [any_text::any_prefix_is_reported_promptly, any_text::torture_documents_are_reported_promptly];
    AtomsWhole as atoms_whole: [any_text::torture_documents_at_every_cut];
    AppendOnly as append_only: [snapshots::snapshots_only_grow];
    SkippingValidates as skipping_validates: [any_text::skipping_validates];
    Limits as limits: [
        limits::each_limit_allows_n_and_refuses_n_plus_one,
        limits::limits_apply_at_the_models_byte,
    ];
    Linear as linear: [
        deep_nesting::a_million_levels_are_followed_cloned_and_dropped,
        deep_nesting::a_million_levels_are_skipped,
    ];
    ErrorsStick as errors_stick: [
        any_text::any_calls,
        parser::bytes_after_finish_are_refused_and_the_value_stays,
    ];
    NeverRepaired as never_repaired: [
        parser::deserialize_fails_before_finish,
        snapshots::the_last_snapshot_stays_readable_and_is_not_complete,
    ];
    DuplicateKeys as duplicate_keys: [
        parser::duplicate_keys_are_reported_each_and_the_last_wins,
        any_text::torture_documents_with_a_key_twice,
    ];
    FramedMatches as framed_matches: [any_text::any_document_in_long_chunks];
    Snapshots as snapshots: [
        snapshots::any_prefix_shows_what_the_closer_says,
        snapshots::snapshot_equals_events,
        snapshots::looking_changes_nothing,
    ];
    OpenAtoms as open_atoms: [snapshots::open_atoms_change_nothing_else, open_atoms::open_atoms_are_shown_as_far_as_they_are_known];
    Revisions as revisions: [revisions::revisions_agree, snapshots::patches_rebuild_every_snapshot];
    OwnedEvents as owned_events: [owned::any_event_is_read_back];
    Vectors as vectors: [vectors::the_library_does_what_the_vectors_say];
    Selection as selection: [patterns::selected_nodes_are_the_matchers, patterns::paths_are_patterns];
    PatternsApart as patterns_apart: [any_text::patterns_do_not_disturb_each_other];
    InnerTexts as inner_texts: [nested::inner_events_are_those_of_the_text_alone, nested::inner_text_is_reported_promptly];
    RawDeltas as raw_deltas: [raw::raw_deltas_join_to_the_values_text];
    Rewriting as rewriting: [
        rewrite::any_text_is_rewritten_as_the_model_says,
        rewrite::no_byte_of_a_redacted_value_is_written,
    ];
    Spelling as spelling: [any_text::spelling_changes_offsets_only];
    DeviationsShown as deviations_shown: [lenient::any_deviations_are_read_as_by_the_model];
    DeviationsAccepted as deviations_accepted: [lenient::each_deviation_is_accepted_as_rewritten];
    Types as types: [typed::any_document_as_a_value];
    TypedLooks as typed_looks: [
        settled::any_type_of_any_text_that_nearly_fits,
        typed_table::every_type_at_every_prefix,
    ];
    DocumentsAlone as documents_alone: [documents::any_stream_any_cut];
    SavedState as saved_state: [saved::states_at_any_cut_of_any_document, saved::a_forged_state_is_refused_or_sound];
    NoPanics as no_panics: [any_text::clone_reset_and_empty_feeds, fuzz_corpus::seeds_and_corpus_pass];
}

#[cfg(feature = "schemars")]
laws! {
    LibraryWithSchemas:
    Schemas as schemas: [schema::a_settled_field_has_the_schema_of_its_value];
}

#[cfg(feature = "stream")]
laws! {
    LibraryWithStreams:
    AsyncStreams as async_streams: [stream::any_text_is_streamed_as_fed];
}
