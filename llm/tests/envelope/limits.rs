//! Limits of envelopes, the cost of long texts, and auto traits.

use jsonspigot::{Error, ErrorKind, Limits, Parser, PatternSet};
use jsonspigot_check::laws::Law;
use jsonspigot_llm::{Delimiter, DelimiterError, Envelope, EnvelopeBuilder, EnvelopeEvent, PayloadStatus};

use crate::properties::{cuts_change_nothing, pieces_are_the_splitters, spelt};
use crate::recorder::boundaries;
use crate::splitter::Choices;

/// Returns the status of a payload, as far as it outlives the payload.
fn status(status: PayloadStatus<'_>) -> PayloadStatus<'static> {
    match status {
        PayloadStatus::Truncated { reason: "limit" } => PayloadStatus::Truncated { reason: "limit" },
        PayloadStatus::Truncated { .. } => PayloadStatus::Truncated { reason: "end-of-input" },
        PayloadStatus::Complete => PayloadStatus::Complete,
        PayloadStatus::Malformed => PayloadStatus::Malformed,
        PayloadStatus::Raw => PayloadStatus::Raw,
        other => panic!("{other:?} has nothing to do with limits"),
    }
}

fn read(mut envelope: Envelope, chunks: &[&str]) -> (Vec<(PayloadStatus<'static>, Option<ErrorKind>, usize)>, String) {
    let (mut ends, mut shown) = (Vec::new(), String::new());
    let mut on_event = |event: EnvelopeEvent<'_>| match event {
        EnvelopeEvent::Text(text) => shown.push_str(&text),
        EnvelopeEvent::End { payload, .. } => {
            ends.push((status(payload.status()), payload.error().map(Error::kind), payload.raw().len()));
        }
        _ => {}
    };
    chunks.iter().for_each(|chunk| envelope.feed_with(chunk, &mut on_event));
    envelope.finish_with(&mut on_event);
    (ends, shown)
}

fn limited(delimiter: &str, bytes: u64) -> Envelope {
    Envelope::builder().payload_limit(bytes).build([delimiter.parse::<Delimiter>().unwrap()], &PatternSet::default())
}

pub(super) fn a_payload_may_be_as_long_as_its_limit() {
    let text = "<note>[\"é\"]</note>x";
    for delimiter in ["tag:note:json", "tag:note:raw"] {
        let kinds = |bytes| read(limited(delimiter, bytes), &[text]);
        assert!(matches!(kinds(6).0[..], [(PayloadStatus::Complete | PayloadStatus::Raw, None, 6)]));
        let over = [(PayloadStatus::Truncated { reason: "limit" }, Some(ErrorKind::TotalLimit), 5)];
        assert_eq!(kinds(5), (over.to_vec(), "x".to_owned()));
        // Half a character is not kept.
        assert_eq!(kinds(3).0, [(PayloadStatus::Truncated { reason: "limit" }, Some(ErrorKind::TotalLimit), 2)]);
        assert_eq!(kinds(0).0, [(PayloadStatus::Truncated { reason: "limit" }, Some(ErrorKind::TotalLimit), 0)]);
        Law::Limits.mark_compared();
    }
}

#[test]
fn white_space_counts_too() {
    let text = "<!--note   1      -->x";
    assert_eq!(read(limited("comment:note", 10), &[text]).0, [(PayloadStatus::Complete, None, 10)]);
    for bytes in [0, 2, 9] {
        let over = [(PayloadStatus::Truncated { reason: "limit" }, Some(ErrorKind::TotalLimit), bytes as usize)];
        assert_eq!(read(limited("comment:note", bytes), &[text]), (over.to_vec(), "x".to_owned()));
    }
}

pub(super) fn the_parser_s_limits_hold() {
    let limits = Limits::new().string(2);
    let envelope = || {
        let builder = Envelope::builder().parser(Parser::builder().limits(limits));
        builder.build([Delimiter::comment("c").unwrap()], &PatternSet::default())
    };
    assert_eq!(read(envelope(), &["<!--c [\"ab\"]-->"]).0, [(PayloadStatus::Complete, None, 7)]);
    // A limit may fall inside a character.
    for text in ["<!--c [\"abc\"]-->x", "<!--c [\"aé\"]-->x"] {
        let over = [(PayloadStatus::Malformed, Some(ErrorKind::StringLimit), 8)];
        assert_eq!(read(envelope(), &[text]), (over.to_vec(), "x".to_owned()));
        Law::Limits.mark_compared();
    }
}

#[test]
fn what_is_held_too_long_is_text() {
    let build = |bytes| {
        Envelope::builder()
            .hold_limit(bytes)
            .build([Delimiter::tag("note").unwrap(), Delimiter::bare()], &PatternSet::default())
    };
    assert_eq!(read(build(6), &["<note>x</note>"]), (vec![(PayloadStatus::Raw, None, 1)], String::new()));
    assert_eq!(read(build(5), &["<note>x</note>"]), (Vec::new(), "<note>x</note>".to_owned()));
    assert_eq!(read(build(6), &["{\"a\":1}"]).1, "");
    assert_eq!(read(build(5), &["{\"a\":1}"]).1, "{\"a\":1}");
}

pub(super) fn long_false_openings_cost_what_they_are_long() {
    let delimiters =
        ["comment:context", "fence:json", "tag:think", "bare"].map(|delimiter| delimiter.parse::<Delimiter>().unwrap());
    let unit = ["<!-- ", "`", "[", "{\"", "<", "{\"a[", "<!--\n\n\n", "```json ", "[ \n", "{\"aaaaaaaa", "[1"];
    for unit in unit {
        let text = unit.repeat(crate::effort::size(20_000, 100_000) / unit.len());
        let chars: Vec<_> = text.split("").collect();
        for chunks in [vec![text.as_str()], chars] {
            let envelope = Envelope::new(delimiters.clone(), &PatternSet::default());
            let (ends, shown) = read(envelope, &chunks);
            let hidden: usize = ends.iter().map(|end| end.2).sum();
            assert_eq!(shown.len() + hidden, text.len(), "{unit}");
            Law::Linear.mark_compared();
        }
    }
}

#[test]
fn public_types_are_send_sync_clone_debug() {
    fn is_send_sync_clone<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}
    is_send_sync_clone::<Envelope>();
    is_send_sync_clone::<EnvelopeBuilder>();
    is_send_sync_clone::<Delimiter>();
    is_send_sync_clone::<DelimiterError>();
}

/// Checks that a run of backticks that is too long to be held back opens nothing, and that its end does not either.
#[test]
fn a_run_of_backticks_is_one_thing() {
    let delimiters = spelt(&["fence:json"]);
    for hold_limit in 7..14 {
        for run in 3..14 {
            let text = format!("{0}json\n{{}}\n{0} x", "`".repeat(run));
            pieces_are_the_splitters(&text, &delimiters, &Choices::held(hold_limit), &[]);
            cuts_change_nothing(&text, &delimiters, &Choices::held(hold_limit), &boundaries(&text));
        }
    }
}
