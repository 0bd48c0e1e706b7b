//! Inputs that were once read wrongly.

use jsonspigot::{DeviationKind, Leniency, Limits, Parser};

use crate::properties::{cuts_change_nothing, every_cut_is_the_splitters, pieces_are_the_splitters, spelt};
use crate::recorder::{boundaries, envelope, tell};
use crate::splitter::{Choices, Piece};

/// A bare `{}` or `[]` was taken for text if other text followed in the same chunk: a parser with trailing bytes is not
/// complete any more.
#[test]
fn an_empty_bare_payload_with_text_behind() {
    for text in ["{}<!--", "{} x", "[]x", "{ }{}"] {
        for delimiter in ["bare", "bare:object"] {
            for hold_limit in [6, 4096] {
                let delimiters = spelt(&[delimiter]);
                pieces_are_the_splitters(text, &delimiters, &Choices::held(hold_limit), &[]);
                cuts_change_nothing(text, &delimiters, &Choices::held(hold_limit), &boundaries(text));
            }
        }
    }
}

/// A number beyond f64's range was a fault of the library for the check itself: it is JSON, and no `Value`.
#[test]
fn a_payload_with_a_number_beyond_f64() {
    for text in ["[1555e+355555555555555555527] x", "<!--context {\"a\": 1e999} --> x"] {
        let delimiters = spelt(&["bare", "comment:context"]);
        pieces_are_the_splitters(text, &delimiters, &Choices::default(), &[]);
        cuts_change_nothing(text, &delimiters, &Choices::default(), &boundaries(text));
    }
}

/// If the payload's parser tolerates deviations, the error that stops it is in a later piece than its error: the piece
/// was read again forever, and a closing delimiter that breaks a number was not found.
#[test]
fn a_payload_that_breaks_after_a_deviation() {
    let lenient = Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT);
    let limited = |limits| Choices { parser: lenient.clone().limits(limits), ..Choices::default() };
    let delimiters = spelt(&["comment:context", "tag:x:json", "bare"]);
    for (text, choices) in [
        (r#"<!--context {"a":"C:\dir" oops} -->."#, Choices { parser: lenient.clone(), ..Choices::default() }),
        (r#"<!--context {"a":"\d","b":-->."#, Choices { parser: lenient.clone(), ..Choices::default() }),
        (r#"<!--context {"a":"\d"} {} -->."#, Choices { parser: lenient.clone(), ..Choices::default() }),
        (r#"<!--context {"a":"\d --> \d"} -->."#, Choices { parser: lenient.clone(), ..Choices::default() }),
        (
            r#"<!--context {"a":"\d"} -->."#,
            Choices { parser: lenient.clone(), payload_limit: 11, ..Choices::default() },
        ),
        (r#"{"a":0,"b":"\d" oops}."#, Choices { parser: lenient.clone(), ..Choices::default() }),
        (r#"<x>{"a":"\dé"}</x>."#, limited(Limits::new().string(3))),
        // The closing delimiter in a string is a part of the string, also where the limit cuts it.
        (r#"<!--context {"a":"\d-->"} -->."#, limited(Limits::new().string(3))),
        (r#"<!--context {"a":"\d-->"} -->."#, limited(Limits::new().string(4))),
        (r#"<x>{"a":"\d"}</x>."#, limited(Limits::new().total(10))),
    ] {
        every_cut_is_the_splitters(text, &delimiters, &choices);
        // The first fault is reported, and the text continues after the closing delimiter.
        let told = tell(&mut envelope(&choices, &delimiters), text, &[]);
        let [Piece::Payload { status, error, .. }, Piece::Text(rest)] = &told.pieces[..] else { panic!("{told:?}") };
        let offset = text.find(r"\d").map(|at| at - text.find('{').unwrap() + 1);
        let space = u64::from(text.contains("context"));
        assert_eq!((*status, *error), ("malformed", offset.map(|at| ("invalid-escape", at as u64 + space))), "{text}");
        assert_eq!(rest, ".");
    }
}

/// A limit after the first byte of a closing delimiter, which could have been a number's minus, hid the delimiter and
/// all text up to the next one.
#[test]
fn a_limit_inside_a_closing_mark() {
    let delimiters = spelt(&["comment:context"]);
    for text in
        [r#"<!--context {"a":-->. {}-->"#, r#"<!--context {"a":1e-->. {}-->"#, r#"<!--context {"-->":"-->. {}-->"#]
    {
        for limit in 0..20 {
            let limits = Limits::new().total(limit);
            let default = Choices::default();
            every_cut_is_the_splitters(text, &delimiters, &Choices { payload_limit: limit, ..default });
            every_cut_is_the_splitters(
                text,
                &delimiters,
                &Choices { parser: Parser::builder().limits(limits), ..default },
            );
        }
    }
    let choices = Choices { payload_limit: 7, ..Choices::default() };
    let told = tell(&mut envelope(&choices, &delimiters), r#"<!--context {"a":-->. {}-->"#, &[]);
    assert_eq!(told.pieces[1..], [Piece::Text(". {}-->".to_owned())]);
}

/// Checks that tolerated deviations belong to the payload, closing delimiters included, and that the verdict stays
/// strict.
#[test]
fn a_payload_that_goes_past_deviations() {
    let choices = Choices { parser: Parser::builder().lenient(Leniency::ALL), ..Choices::default() };
    let delimiters = spelt(&["comment:context", "tag:x:json"]);
    for payload in ["NaN", "True", "-Infinity", "'</x>'", "/* </x> */ 1", "{a: '}'}", "[1, // ]\n]", "{} # {"] {
        let text = format!("<x>{payload}</x>.");
        cuts_change_nothing(&text, &delimiters, &choices, &boundaries(&text));
        let told = tell(&mut envelope(&choices, &delimiters), &text, &[]);
        let [Piece::Payload { status, .. }, Piece::Text(rest)] = &told.pieces[..] else { panic!("{told:?}") };
        assert!(matches!(*status, "malformed" | "trailing") && rest == ".", "{text}");
    }
}

/// An accepted value without brackets or quotes took the closing delimiter for trailing bytes unless it was cut before
/// that, and the path of an error at the payload's limit depended on the cuts.
#[test]
fn accepted_words_and_numbers() {
    let accepting = Parser::builder().lenient(Leniency::ALL).accept_deviations().snapshots();
    let values = [
        "True",
        "None",
        "NaN",
        "-Infinity",
        "/**/true",
        "/**/1",
        "/**/1 ",
        "True ",
        "\n\nFalse\n",
        "1.",
        "-I",
        "12\n,",
        "\n 12\"x",
    ];
    for value in values {
        let text = format!("<j>{value}</j>```json\n{value}\n```");
        let try_at =
            |choices: &Choices| cuts_change_nothing(&text, &spelt(&["tag:j:json", "fence:json"]), choices, &[]);
        for limit in (0..6).chain([u64::MAX]) {
            try_at(&Choices { parser: accepting.clone(), payload_limit: limit, ..Choices::default() });
            let parser = accepting.clone().limits(Limits::new().total(limit));
            try_at(&Choices { parser, ..Choices::default() });
        }
    }
    let choices = Choices { payload_limit: 9, ..Choices::default() };
    cuts_change_nothing("```json\n1234567890\n```\n", &spelt(&["fence:json"]), &choices, &[]);
    let choices = Choices { payload_limit: 4, ..Choices::default() };
    cuts_change_nothing("<!-- context [ -->", &spelt(&["comment:context"]), &choices, &[]);
    // A quote in a comment opens no string, so the first hyphen belongs to the closing delimiter.
    let choices = Choices { parser: accepting, ..Choices::default() };
    cuts_change_nothing("<!--x [#'a\"'\n--> and <!--x 1-->", &spelt(&["comment:x"]), &choices, &[]);
}

/// Checks that a slash at the end of the input, which may begin a comment, is the bad byte.
#[test]
fn a_slash_at_the_end() {
    let parser = Parser::builder().lenient(Leniency::MODEL_OUTPUT.with(DeviationKind::Comments));
    for text in ["```json\n/", "```json\n1/", "```json\n[1/", "[1/", "{\"a\": 1 /"] {
        let choices = Choices { parser: parser.clone(), ..Choices::default() };
        every_cut_is_the_splitters(text, &spelt(&["fence:json", "bare"]), &choices);
    }
}
