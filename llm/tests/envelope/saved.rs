//! Saved state of an envelope. `recorder::tell` checks that it continues at any cut; these tests are about its bytes.

use jsonspigot::{Leniency, Limits, Parser, PatternSet, RestoreError};
use jsonspigot_llm::{Delimiter, Envelope, SAVE_LIMIT};
use proptest::prelude::*;

use super::any_text::{choices, delimiters, text};
use super::forged::{HEADER, edited, sealed};
use super::properties::{MARKS, a_state_is_refused_or_sound, spelt};
use super::recorder::{boundaries, envelope};
use super::splitter::Choices;

#[test]
fn an_error_says_what_is_wrong_with_the_bytes() {
    let patterns = PatternSet::new(["a"]).unwrap();
    let delimiters = || [Delimiter::comment("context").unwrap(), Delimiter::bare()];
    let builder = Envelope::builder().saveable(SAVE_LIMIT);
    let mut envelope = builder.clone().build(delimiters(), &patterns);
    envelope.feed_with("Hello <!--context {\"a\": [1, \"tw", |_| {});
    let state = envelope.save().unwrap();
    assert_eq!(builder.clone().build(delimiters(), &patterns).restore(&state).map(drop), Ok(()));
    let error = builder.clone().build(delimiters(), &PatternSet::default()).restore(&state).unwrap_err();
    assert_eq!(error, RestoreError::OtherPatterns);
    for other in [
        builder.clone().hold_limit(9),
        builder.clone().payload_limit(99),
        builder.clone().parser(Parser::builder()),
        builder.clone().parser(Parser::builder().limits(Limits::new().depth(5))),
    ] {
        let error = other.build(delimiters(), &patterns).restore(&state).unwrap_err();
        assert_eq!(error, RestoreError::OtherChoices);
    }
    let [comment, bare] = delimiters();
    for other in [vec![bare.clone(), comment.clone()], vec![comment.clone()], vec![comment.raw(), bare], vec![]] {
        let error = builder.clone().build(other, &patterns).restore(&state).unwrap_err();
        assert_eq!(error, RestoreError::OtherChoices);
    }
    for end in 0..state.len() {
        let error = builder.clone().build(delimiters(), &patterns).restore(&state[..end]).unwrap_err();
        assert_eq!(error, RestoreError::Cut, "{end}");
    }
    let error = Parser::builder().patterns(&patterns).build().restore(&state).unwrap_err();
    assert_eq!(error, RestoreError::OtherKind);
}

/// Checks that any byte outside a number can end it at its limits.
#[test]
fn a_number_that_has_ended_at_its_limits_is_read_again() {
    let parser = Parser::builder().lenient(Leniency::MODEL_OUTPUT).accept_deviations().limits(Limits::new().total(2));
    let builder = Envelope::builder().payload_limit(2).parser(parser).saveable(SAVE_LIMIT);
    let delimiters = || [Delimiter::tag("t").unwrap().json()];
    for text in ["<t>12 </t>", "<t>12,</t>", "<t>12]</t>", "<t>12</t>", "<t>12x</t>", "<t>123</t>"] {
        let mut envelope = builder.clone().build(delimiters(), &PatternSet::default());
        for piece in text.as_bytes().chunks(1) {
            envelope.feed_with(std::str::from_utf8(piece).unwrap(), |_| {});
            envelope = builder
                .clone()
                .build(delimiters(), &PatternSet::default())
                .restore(&envelope.save().unwrap())
                .expect(text);
        }
    }
}

const TEXTS: [&str; 6] = [
    "Hi <!--context {\"a\": [1, \"tw\\u00e9\", {\"b\": -1.5e3}]} --> and",
    "```json\n{\"a\": tru} ``` x ````json\n[1]\n````",
    "<think>Well `now` </thin </think> <think> {\"a\": 1} </think>",
    "see [1] or { x } and {\"a\": {\"b\": [1, 2]}} {\"a\"",
    "<tool_call>\"str\\\"ing\" </tool_call><tool_call>12</tool_call><note>{</note>",
    "``` text\n a ``` b\n ```",
];

/// Checks that a body with too large a length consumes nothing, and that no changed byte breaks a promise.
#[test]
fn lengths_that_are_not_there_are_refused() {
    for marks in [&MARKS[..7], &MARKS[7..]] {
        let mut subject = envelope(&Choices::default(), &spelt(marks));
        for text in TEXTS {
            for cut in boundaries(text) {
                subject.reset();
                subject.feed_with(&text[..cut], |_| {});
                let state = subject.save().unwrap();
                for place in (HEADER..state.len()).skip(cut % 3).step_by(3) {
                    for put in [&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01][..], &[0xFF; 40], &[1]] {
                        let changed = sealed([&state[..place], put, &state[place + 1..]].concat());
                        a_state_is_refused_or_sound(&changed, &subject, &[&text[cut..]]);
                    }
                }
            }
        }
    }
}

pub(super) fn a_forged_state_is_refused_or_sound() {
    proptest!(|(
        before in text(),
        delimiters in delimiters(),
        choices in choices(),
        edits in prop::collection::vec(any::<u8>(), 0..10),
        after in text(),
    )| {
        let mut subject = envelope(&choices, &delimiters);
        subject.feed_with(&before, |_| {});
        a_state_is_refused_or_sound(&edited(subject.save().unwrap(), &edits), &subject, &[after]);
    });
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_sound(
        delimiters in delimiters(),
        body in prop::collection::vec(prop_oneof![3 => 0_u8..9, 1 => any::<u8>()], 0..60),
        after in text(),
    ) {
        let subject = envelope(&Choices::default(), &delimiters);
        let mut state = subject.save().unwrap();
        state.truncate(HEADER);
        state.extend(body);
        a_state_is_refused_or_sound(&sealed(state), &subject, &[after]);
    }
}
