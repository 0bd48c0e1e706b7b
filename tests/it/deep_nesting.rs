//! No recursion over the input: a million levels on a 64 KiB stack.

use jsonspigot::{EventKind, Limits, Parser, PatternSet, Retain};
use jsonspigot_check::laws::Law;

const DEPTH: usize = 1_000_000;

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap().join().unwrap();
}

fn feed_deeply(patterns: &[&str], document: &[u8]) -> (Parser, usize) {
    let limits = Limits::new().depth(DEPTH);
    let set = PatternSet::new(patterns).unwrap();
    let mut parser = Parser::builder().limits(limits).retain(Retain::Nothing).patterns(&set).build();
    let mut ends = 0;
    for chunk in document.chunks(4096) {
        parser.feed_with(chunk, |event| ends += usize::from(matches!(event.kind, EventKind::End(_)))).unwrap();
    }
    (parser, ends)
}

pub(super) fn a_million_levels_are_followed_cloned_and_dropped() {
    on_a_small_stack(|| {
        let document = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
        let (half, _) = feed_deeply(&["$..*"], &document.as_bytes()[..DEPTH]);
        drop(half.clone());
        drop(half);
        let (mut parser, ends) = feed_deeply(&["$", "$..*"], document.as_bytes());
        assert_eq!(ends, 1 + (DEPTH - 1), "the root once, each level below it once");
        parser.finish().check().unwrap();
    });
    Law::Linear.mark_compared();
}

pub(super) fn a_million_levels_are_skipped() {
    on_a_small_stack(|| {
        let document = [r#"{"a":"#.repeat(DEPTH), "1".to_owned(), "}".repeat(DEPTH)].concat();
        let (mut parser, ends) = feed_deeply(&["b"], document.as_bytes());
        assert_eq!(ends, 0);
        parser.finish().check().unwrap();
    });
    Law::Linear.mark_compared();
}

#[test]
fn one_level_too_many_is_an_error() {
    on_a_small_stack(|| {
        let limits = Limits::new().depth(DEPTH);
        let mut parser = Parser::builder().limits(limits).build();
        let error = parser.feed("[".repeat(DEPTH + 1)).check().unwrap_err();
        assert_eq!((error.kind().name(), error.offset()), ("depth-limit", DEPTH as u64));
    });
}
