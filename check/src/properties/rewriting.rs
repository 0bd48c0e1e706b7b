//! Rewriting: the output is the model's, for every cut, and after every saved state.

use jsonspigot::{
    DocumentEvent, DocumentRewriter, Documents, Framing, Parser, PatternSet, RewriteError, Rewriter, Rewritten, Rule,
};
use serde::de::IgnoredAny;

use crate::laws::Law;
use crate::model::chunking::chunks;
use crate::model::nested::NestedPattern;
use crate::model::rewrite::{ModelRule, REPLACEMENT, mapped, rewritten};

/// Returns the patterns of some rules.
pub fn patterns(rules: &[(NestedPattern, ModelRule)]) -> PatternSet {
    PatternSet::new(rules.iter().map(|(pattern, _)| pattern.to_string())).expect("the model's patterns are valid")
}

/// Returns the rules with their patterns.
pub fn made(rules: &[(NestedPattern, ModelRule)]) -> Vec<(String, Rule)> {
    let make = |rule: &ModelRule| match rule {
        ModelRule::Remove => Rule::remove(),
        ModelRule::Replace => Rule::replace(REPLACEMENT).expect("it is JSON"),
        ModelRule::Redact => Rule::redact(),
        ModelRule::Map => Rule::map(|json| {
            assert!(serde_json::from_str::<IgnoredAny>(json).is_ok(), "a closure gets JSON");
            mapped(json)
        }),
        ModelRule::MapText => Rule::map_text(|piece, out| match piece {
            Some(piece) => {
                assert!(!piece.is_empty());
                out.push_str(&piece.to_ascii_uppercase());
            }
            None => out.push('!'),
        }),
    };
    rules.iter().map(|(pattern, rule)| (pattern.to_string(), make(rule))).collect()
}

pub fn rewriter(rules: &[(NestedPattern, ModelRule)]) -> Rewriter {
    Rewriter::new(made(rules)).expect("no rule removes a root")
}

/// Returns the output for the chunks, and the verdict.
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

/// Checks that the output for these cuts is the model's, and that the verdict is the parser's.
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
    let counts = matches(&again);
    again.reset();
    assert_eq!(run(&mut again, &[document]), (whole.clone(), verdict.clone()), "reset makes it as new");
    assert_eq!(matches(&again), counts);

    if verdict.is_err() {
        return;
    }
    assert!(Parser::default().feed(&whole).check().is_ok(), "what comes out is JSON");
    let document = std::str::from_utf8(document).expect("a valid text is UTF-8");
    if let Some(expected) = rewritten(document, rules) {
        assert_eq!(String::from_utf8(whole).expect("what comes out is UTF-8"), expected);
        Law::Rewriting.mark_compared();
    }
}

/// Returns the number of matches of each pattern.
fn matches(rewriter: &Rewriter) -> Vec<u64> {
    rewriter
        .patterns()
        .as_slice()
        .iter()
        .map(|it| rewriter.matches(rewriter.patterns().id(it.clone()).unwrap()))
        .collect()
}

/// Returns the output for a chunk or for the end of input, and the public state afterwards.
fn step(rewriter: &mut Rewriter, chunk: Option<&[u8]>) -> (Vec<u8>, Result<(), RewriteError>, u64, Vec<u64>) {
    let mut out = Vec::new();
    let mut add = |bytes: &[u8]| out.extend_from_slice(bytes);
    let verdict = match chunk {
        Some(chunk) => rewriter.write(chunk, &mut add),
        None => rewriter.finish(&mut add),
    };
    (out, verdict, rewriter.passed(), matches(rewriter))
}

/// Restores a rewriter from its bytes, which must be equal when it is saved again.
fn restored(saved: &[u8], rules: &[(NestedPattern, ModelRule)]) -> Rewriter {
    let restored = rewriter(rules).restore(saved).expect("what was saved can be restored");
    assert_eq!(restored.save().unwrap(), saved, "the same state");
    restored
}

/// Checks that a rewriter that is saved and restored before each chunk has the same output as another one, chunk by
/// chunk.
pub fn continues_when_restored(chunks: &[&[u8]], rules: &[(NestedPattern, ModelRule)]) {
    let (mut plain, mut saved) = (rewriter(rules), rewriter(rules));
    for chunk in chunks.iter().map(|chunk| Some(*chunk)).chain([None, None, Some(&b"1"[..])]) {
        saved = restored(&saved.save().unwrap(), rules);
        assert_eq!(step(&mut saved, chunk), step(&mut plain, chunk), "{chunks:?}");
    }
}

/// Checks that bytes that are not a saved state of this rewriter are refused, or give a rewriter that behaves like it.
pub fn is_refused_or_sound(bytes: &[u8], chunks: &[&[u8]], rules: &[(NestedPattern, ModelRule)]) {
    let Ok(mut plain) = rewriter(rules).restore(bytes) else { return };
    let mut saved = restored(&plain.save().unwrap(), rules);
    for chunk in chunks.iter().map(|chunk| Some(*chunk)).chain([None, None]) {
        assert_eq!(step(&mut saved, chunk), step(&mut plain, chunk), "{chunks:?}");
        saved = restored(&saved.save().unwrap(), rules);
    }
}

/// The output of a stream, the texts with errors, and its state.
struct Stream<'r> {
    rewriter: DocumentRewriter,
    framing: Framing,
    rules: &'r [(NestedPattern, ModelRule)],
    out: Vec<u8>,
    /// The number and the start of each text, and its error.
    ends: Vec<(u64, u64, Option<RewriteError>)>,
}

impl<'r> Stream<'r> {
    fn new(framing: Framing, rules: &'r [(NestedPattern, ModelRule)]) -> Self {
        let rewriter = DocumentRewriter::new(framing, rewriter(rules));
        Self { rewriter, framing, rules, out: Vec::new(), ends: Vec::new() }
    }

    fn step(&mut self, chunk: Option<&[u8]>) -> Result<(), RewriteError> {
        let Self { out, ends, .. } = self;
        let sink = |rewritten: Rewritten<'_>| match rewritten {
            Rewritten::Bytes(bytes) => {
                assert!(!bytes.is_empty(), "no empty piece comes out");
                out.extend_from_slice(bytes);
            }
            Rewritten::End { document, start, error } => ends.push((document, start, error.cloned())),
            _ => unreachable!("another kind"),
        };
        match chunk {
            Some(chunk) => self.rewriter.write(chunk, sink),
            None => self.rewriter.finish(sink),
        }
    }

    fn restore(&mut self) {
        let saved = self.rewriter.save().unwrap();
        let new = DocumentRewriter::new(self.framing, rewriter(self.rules));
        self.rewriter = new.restore(&saved).expect("what was saved can be restored");
        assert_eq!(self.rewriter.save().unwrap(), saved, "the same state");
    }
}

/// Checks that each text of a stream is rewritten as if it were alone, that the bytes between them stay the same, and
/// that the rest of a text with an error is left out; for every cut, and if the state is saved between chunks.
pub fn texts_are_those_alone(stream: &[u8], cuts: &[usize], framing: Framing, rules: &[(NestedPattern, ModelRule)]) {
    let (mut expected, mut ends, mut passed) = (Vec::new(), Vec::new(), 0);
    let mut documents = Documents::new(framing, Parser::default());
    let mut on_event = |event: DocumentEvent<'_>| {
        let DocumentEvent::End(ended) = event else { return };
        let start = ended.start() as usize;
        let text = &stream[start..start + ended.byte_count() as usize];
        expected.extend_from_slice(&stream[passed..start]);
        let mut alone = rewriter(rules);
        let mut add = |bytes: &[u8]| expected.extend_from_slice(bytes);
        alone.write(text, &mut add).expect("the error comes later");
        passed = start + text.len();
        // A number that ends with the bad byte has been edited.
        let bad = stream.get(passed..=passed).filter(|_| ended.error().is_some()).unwrap_or_default();
        if text.last().is_some_and(u8::is_ascii_digit) && !matches!(bad, b"\n" | b"\x1E") {
            let _ = alone.write(bad, &mut add);
        }
        if ended.error().is_none() {
            alone.finish(&mut add).expect("it is a text");
        } else {
            let separator = if framing == Framing::Lines { b'\n' } else { 0x1E };
            let end = stream[start..].iter().position(|byte| *byte == separator);
            let end = end.filter(|_| framing != Framing::Concatenated);
            passed = end.map_or(stream.len(), |len| start + len);
        }
        let error = ended.error().map(|error| (error.kind(), error.offset()));
        ends.push((ended.number(), ended.start(), error));
    };
    let verdict = documents.feed_with(stream, &mut on_event).and_then(|()| documents.finish_with(&mut on_event));
    expected.extend_from_slice(&stream[passed..]);

    let [mut plain, mut saved] = [Stream::new(framing, rules), Stream::new(framing, rules)];
    let mut is_ok = true;
    for chunk in chunks(stream, cuts).into_iter().map(Some).chain([None, None, Some(&b"1"[..])]) {
        saved.restore();
        let step = plain.step(chunk);
        assert_eq!(saved.step(chunk), step);
        assert_eq!(saved.out, plain.out);
        assert_eq!(saved.ends, plain.ends);
        if plain.rewriter.offset() == stream.len() as u64 && chunk != Some(b"1") {
            is_ok &= step.is_ok();
        }
    }
    assert_eq!(String::from_utf8_lossy(&plain.out), String::from_utf8_lossy(&expected), "{framing} cut at {cuts:?}");
    assert!(verdict.is_err() || is_ok, "a stream that can be read to its end");
    let place = |error: RewriteError| match error {
        RewriteError::Text(error) => (error.kind(), error.offset()),
        other => panic!("{other}"),
    };
    let reported: Vec<_> =
        plain.ends.into_iter().map(|(number, start, error)| (number, start, error.map(place))).collect();
    assert_eq!(reported, ends);
    plain.rewriter.reset();
    assert_eq!((plain.rewriter.number(), plain.rewriter.offset()), (0, 0));
}
