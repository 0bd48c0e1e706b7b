//! Nothing is held back but what may still become a delimiter.

use jsonspigot_check::laws::Law;
use jsonspigot_llm::EnvelopeEvent;
use proptest::prelude::*;

use crate::any_text::{delimiters, text};
use crate::effort::{Sample, cases_of};
use crate::properties::cuts_change_nothing;
use crate::recorder::{boundaries, envelope};
use crate::splitter::{Choices, Piece, Spelt, Then, split};

/// Checks that the visible text after each char is the splitter's, which holds back only undecided text.
fn check(text: &str, delimiters: &[Spelt], hold_limit: usize) {
    let mut envelope = envelope(&Choices::held(hold_limit), delimiters);
    let mut shown = String::new();
    for pair in boundaries(text).windows(2) {
        envelope.feed_with(&text[pair[0]..pair[1]], |event| {
            if let EnvelopeEvent::Text(text) = event {
                shown.push_str(&text);
            }
        });
        let pieces = split(&text[..pair[1]], delimiters, &Choices::held(hold_limit), Then::More);
        let visible = pieces.iter().map(|piece| if let Piece::Text(text) = piece { text.as_str() } else { "" });
        assert_eq!(shown, visible.collect::<String>(), "after {:?}", &text[..pair[1]]);
        Law::Prompt.mark_compared();
    }
}

pub(super) fn text_is_told_at_once() {
    proptest!(cases_of(250, 1500), |(text in text(), delimiters in delimiters(), hold_limit in prop::sample::select(&[1, 9, 4096][..]))| {
        check(&text, &delimiters, hold_limit);
    });
}

#[test]
fn an_opening_bracket_is_told_once_it_is_prose() {
    let delimiters = [Spelt::new("bare"), Spelt::new("comment:context")];
    check("if (x) { return [1st] <!-- no --> <!--context {\"a\":1} --> {\"b\":2}", &delimiters, 4096);
}

#[test]
fn a_payload_is_told_as_it_comes() {
    let delimiters = [Spelt::new("tag:think")];
    let mut envelope = envelope(&Choices::default(), &delimiters);
    let mut thoughts = String::new();
    for (chunk, expect) in [("<think>H", "H"), ("m <", "Hm "), ("/th", "Hm "), ("x", "Hm </thx")] {
        envelope.feed_with(chunk, |event| {
            if let EnvelopeEvent::Fragment { text, .. } = event {
                thoughts.push_str(&text);
            }
        });
        assert_eq!(thoughts, expect);
    }
}

/// Checks that a closing run of backticks is followed up to the hold limit, in one piece or many, and ends there at
/// once.
#[test]
fn a_long_closing_run_ends_where_no_more_is_held() {
    let delimiters = [Spelt::new("fence:json")];
    let mut sample = Sample::one_in(10);
    for hold_limit in [9, 10, 11] {
        for run in 3..16 {
            let text = format!("```json\n{{}}\n{}x", "`".repeat(run));
            check(&text, &delimiters, hold_limit);
            let mut envelope = envelope(&Choices::held(hold_limit), &delimiters);
            let mut has_ended = false;
            let end = text.len() - 1 - run + hold_limit.min(run);
            for piece in [&text[..end - 1], &text[end - 1..end]] {
                envelope.feed_with(piece, |event| has_ended |= matches!(event, EnvelopeEvent::End { .. }));
            }
            assert_eq!(has_ended, run >= hold_limit, "{run} backticks, {hold_limit} held");
            let all = boundaries(&text);
            for (place, &first) in all.iter().enumerate() {
                for &second in all[place..].iter().filter(|_| sample.takes()) {
                    cuts_change_nothing(&text, &delimiters, &Choices::held(hold_limit), &[first, second]);
                }
            }
        }
    }
}
