//! Callbacks that panic in a program that catches the panic: the reader fails, since part of its chunk is lost.

use jsonspigot::{
    DocumentRewriter, Documents, DuplicateKeys, Error, ErrorKind, Framing, Leniency, Limits, Parser, ParserBuilder,
    PatternSet, Retain, RewriteError, Rewriter, Rule,
};
use jsonspigot_check::panics::{panic_at, panics};
use serde_json::Value;

const TEXT: &str = r#"{"a": [1, "two", {"b": null}], "c": "{\"d\": [3, \"four\"]}", "e": 12.5, "f": "\u00e9x"}"#;

fn builders() -> Vec<(ParserBuilder, PatternSet)> {
    let all = PatternSet::new(["$", "$..*", "c | $..*", "raw:a", "raw:c | d"]).unwrap();
    let plain = PatternSet::new(["$..*"]).unwrap();
    let builders = [Retain::All, Retain::Matches, Retain::Nothing].map(|retain| Parser::builder().retain(retain));
    builders
        .into_iter()
        .flat_map(|builder| {
            [
                builder.clone(),
                builder.clone().snapshots(),
                builder.clone().provisional().duplicate_keys(DuplicateKeys::Reject),
                builder.clone().lenient(Leniency::ALL).snapshots(),
                builder.limits(Limits::new().depth(9)).stop_at_root(),
            ]
        })
        .flat_map(|builder| [(builder.clone(), all.clone()), (builder, plain.clone())])
        .collect()
}

/// Returns the events, the verdict and the value of the rest of a text.
fn outcome(parser: &mut Parser, rest: &str, cut: usize) -> (Vec<String>, Result<Value, Error>) {
    let mut events = Vec::new();
    let mut verdict = Ok(());
    for chunk in rest.as_bytes().chunks(cut) {
        let fed = parser.feed_with(chunk, |event| events.push(format!("{event:?}")));
        verdict = verdict.and(fed);
    }
    let finished = parser.finish_with(|event| events.push(format!("{event:?}")));
    (events, verdict.and(finished).and_then(|()| parser.deserialize()))
}

#[test]
fn a_parser_whose_callback_panics_has_failed() {
    let mut tried = 0;
    for (builder, patterns) in builders() {
        for cut in [1, 7, 30, TEXT.len()] {
            let fresh = outcome(&mut builder.clone().patterns(&patterns).build(), TEXT, cut);
            let snapshot = |parser: &Parser| parser.snapshot().map(|root| root.to_string());
            for call in (0..fresh.0.len()).step_by(3) {
                let mut parser = builder.clone().patterns(&patterns).build();
                let mut on_event = panic_at(call);
                let has_panicked = panics(|| {
                    for chunk in TEXT.as_bytes().chunks(cut) {
                        parser.feed_with(chunk, |_| on_event()).unwrap();
                    }
                    parser.finish_with(|_| on_event()).unwrap();
                });
                assert!(has_panicked);
                let error = parser.error().unwrap().clone();
                assert_eq!((error.kind(), error.path()), (ErrorKind::Panicked, None));
                assert!(!parser.is_complete() && parser.offset() == error.offset());
                let shown = snapshot(&parser);
                // The first three could complete the text.
                for chunk in ["", TEXT, "}", "]"] {
                    assert_eq!(parser.feed_with(chunk, |_| unreachable!()), Err(error.clone()));
                    assert_eq!(parser.feed(chunk).check(), Err(error.clone()));
                }
                assert_eq!(parser.finish_with(|_| unreachable!()), Err(error.clone()));
                assert_eq!(parser.finish().check(), Err(error.clone()));
                assert_eq!(parser.deserialize::<Value>().unwrap_err(), error);
                assert!(parser.complete().is_err());
                assert_eq!(snapshot(&parser), shown);
                assert_eq!(parser.clone().finish().check(), Err(error.clone()));
                assert_eq!(parser.save(), Err(error.clone()));
                parser.reset();
                assert_eq!(outcome(&mut parser, TEXT, cut), fresh);
                assert_eq!(snapshot(&parser).is_some(), parser.has_snapshots());
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn a_panic_after_a_deviation_is_what_later_calls_return() {
    let patterns = PatternSet::new(["$..*"]).unwrap();
    let builder = Parser::builder().lenient(Leniency::ALL);
    let mut parser = builder.clone().patterns(&patterns).build();
    let mut documents = Documents::new(Framing::Lines, builder.patterns(&patterns).build());
    parser.feed_with("[1, /* c */ 2", |_| {}).unwrap();
    documents.feed_with("[1, /* c */ 2", |_| {}).unwrap();
    assert!(panics(|| parser.feed_with(", 3", |_| panic_at(0)()).unwrap()));
    assert!(panics(|| documents.feed_with(", 3", |_| panic_at(0)()).unwrap()));
    for _ in 0..2 {
        let kinds = [
            parser.error().map(Error::kind),
            parser.feed(", 4").check().err().map(|error| error.kind()),
            parser.finish().check().err().map(|error| error.kind()),
            documents.feed(", 4").check().err().map(|error| error.kind()),
            documents.finish().check().err().map(|error| error.kind()),
        ];
        assert_eq!(kinds, [Some(ErrorKind::Panicked); 5]);
    }
}

#[test]
fn documents_whose_callback_panics_have_failed() {
    let text = format!("{TEXT}\n{TEXT}\nnull\n{TEXT}\n");
    for framing in [Framing::Lines, Framing::Concatenated, Framing::Sequence] {
        let text = if framing == Framing::Sequence { text.replace("{\"a", "\u{1e}{\"a") } else { text.clone() };
        let new = || Documents::new(framing, Parser::new(&PatternSet::new(["$..*", "c | $"]).unwrap()));
        let mut count = 0;
        new().feed_with(&text, |_| count += 1).unwrap();
        for call in 0..count {
            for cut in [5, 40, text.len()] {
                let mut documents = new();
                let mut on_event = panic_at(call);
                assert!(panics(|| {
                    for chunk in text.as_bytes().chunks(cut) {
                        documents.feed_with(chunk, |_| on_event()).unwrap();
                    }
                    documents.finish_with(|_| on_event()).unwrap();
                }));
                for chunk in ["", "}", &text] {
                    let error = documents.feed_with(chunk, |_| unreachable!()).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Panicked);
                }
                let error = documents.finish_with(|_| unreachable!()).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Panicked);
                documents.reset();
                let mut again = 0;
                documents.feed_with(&text, |_| again += 1).unwrap();
                assert_eq!(again, count);
            }
        }
    }
}

fn has_panicked(result: Result<(), RewriteError>) -> bool {
    matches!(result, Err(RewriteError::Text(error)) if error.kind() == ErrorKind::Panicked)
}

#[test]
fn a_rewriter_whose_sink_or_rule_panics_has_failed() {
    for panicking in ["sink", "rule"] {
        for cut in [1, 9, TEXT.len()] {
            for call in 0..30 {
                let mut on_rule = panic_at(if panicking == "rule" { call } else { usize::MAX });
                let map = move |_: &str| {
                    on_rule();
                    "7".to_owned()
                };
                let mapped = ("c | d[0]", Rule::map(map));
                let rules = [("..b", Rule::redact()), ("e", Rule::remove()), mapped, ("a[1]", Rule::redact())];
                let mut rewriter = Rewriter::new(rules).unwrap();
                let mut on_bytes = panic_at(if panicking == "sink" { call } else { usize::MAX });
                let interrupted = panics(|| {
                    for chunk in TEXT.as_bytes().chunks(cut) {
                        rewriter.write(chunk, |_| on_bytes()).unwrap();
                    }
                    rewriter.finish(|_| on_bytes()).unwrap();
                });
                assert!(interrupted || call > 0);
                if interrupted {
                    assert!(has_panicked(rewriter.write("", |_| unreachable!())));
                    assert!(has_panicked(rewriter.write("}", |_| unreachable!())));
                    assert!(has_panicked(rewriter.finish(|_| unreachable!())));
                }
            }
        }
    }
}

#[test]
fn rewritten_documents_whose_sink_panics_have_failed() {
    let text = format!("{TEXT}\n{{oops}}\n{TEXT}\n");
    let new = || Rewriter::new([("..b", Rule::redact())]).unwrap();
    for call in 0..20 {
        for cut in [5, 40, text.len()] {
            let mut lines = DocumentRewriter::new(Framing::Lines, new());
            let mut on_bytes = panic_at(call);
            let interrupted = panics(|| {
                for chunk in text.as_bytes().chunks(cut) {
                    lines.write(chunk, |_| on_bytes()).unwrap();
                }
                lines.finish(|_| on_bytes()).unwrap();
            });
            assert!(interrupted || call > 5);
            if interrupted {
                assert!(has_panicked(lines.write("", |_| unreachable!())));
                assert!(has_panicked(lines.write(TEXT, |_| unreachable!())));
                assert!(has_panicked(lines.finish(|_| unreachable!())));
            }
        }
    }
}
