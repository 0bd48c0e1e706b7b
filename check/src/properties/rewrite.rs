//! Rewriting: what comes out is what the model says, for every cut.

use jsonspigot::{Parser, PatternSet, RewriteError, Rewriter, Rule};

use crate::model::chunking::chunks;
use crate::model::nested::NestedPattern;
use crate::model::rewrite::{ModelRule, REPLACEMENT, mapped, rewritten};

fn patterns(rules: &[(NestedPattern, ModelRule)]) -> PatternSet {
    PatternSet::new(rules.iter().map(|(pattern, _)| pattern.to_string())).expect("the model's patterns are valid")
}

pub fn rewriter(rules: &[(NestedPattern, ModelRule)]) -> Rewriter {
    let made = rules.iter().map(|(_, rule)| match rule {
        ModelRule::Remove => Rule::remove(),
        ModelRule::Replace => Rule::replace(REPLACEMENT).expect("it is JSON"),
        ModelRule::Redact => Rule::redact(),
        ModelRule::Map => Rule::map(mapped),
        ModelRule::MapText => Rule::map_text(|piece, out| match piece {
            Some(piece) => {
                assert!(!piece.is_empty());
                out.push_str(&piece.to_ascii_uppercase());
            }
            None => out.push('!'),
        }),
    });
    Rewriter::new(&patterns(rules), made).expect("no rule removes a root")
}

/// What comes out of the chunks, and the verdict.
pub fn run(rewriter: &mut Rewriter, chunks: &[&[u8]]) -> (Vec<u8>, Result<(), RewriteError>) {
    let mut out = Vec::new();
    let mut add = |bytes: &[u8]| {
        assert!(!bytes.is_empty(), "no empty piece comes out");
        out.extend_from_slice(bytes);
    };
    let written = chunks.iter().try_for_each(|chunk| rewriter.write(chunk, &mut add));
    let verdict = written.and_then(|()| rewriter.finish(&mut add));
    if let Err(error) = &verdict {
        assert_eq!(rewriter.write(" ", |_| panic!("nothing comes out after an error")).as_ref(), Err(error));
    }
    (out, verdict)
}

/// The output for these cuts is the model's, and the verdict the parser's.
pub fn is_the_models(document: &[u8], cuts: &[usize], rules: &[(NestedPattern, ModelRule)]) {
    let (whole, verdict) = run(&mut rewriter(rules), &[document]);
    let mut parser = Parser::new(&patterns(rules));
    let parsed = parser.feed_with(document, |_| {}).and_then(|()| parser.finish_with(|_| {}));
    let place = |error: &jsonspigot::Error| (error.kind(), error.offset(), error.line(), error.column());
    match (&verdict, &parsed) {
        (Ok(()), Ok(())) => {}
        (Err(RewriteError::Text(error)), Err(parsed)) => assert_eq!(place(error), place(parsed)),
        other => panic!("the verdict is not the parser's: {other:?}"),
    }

    let mut again = rewriter(rules);
    let (cut, cut_verdict) = run(&mut again, &chunks(document, cuts));
    assert_eq!(String::from_utf8_lossy(&cut), String::from_utf8_lossy(&whole), "cut at {cuts:?}");
    assert_eq!(cut, whole);
    assert_eq!(cut_verdict, verdict);
    again.reset();
    assert_eq!(run(&mut again, &[document]), (whole.clone(), verdict.clone()), "reset makes it as new");

    if verdict.is_err() {
        return;
    }
    assert!(Parser::new(&PatternSet::empty()).feed(&whole).check().is_ok(), "what comes out is JSON");
    let document = std::str::from_utf8(document).expect("a valid text is UTF-8");
    if let Some(expected) = rewritten(document, rules) {
        assert_eq!(String::from_utf8(whole).expect("what comes out is UTF-8"), expected);
    }
}
