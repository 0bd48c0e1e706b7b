//! Bounded: with nothing retained, memory does not grow with the text. The peak of the heap is measured, not estimated.
//!
//! A test binary of its own, since its allocator counts (for each thread on its own).

use allocation_counter::measure;
use jsonspigot::{DuplicateKeys, ErrorKind, Limits, Parser, ParserBuilder, PatternSet, Retain, Rule};
use jsonspigot_check::effort::size;
use jsonspigot_check::laws::Law;
use jsonspigot_llm::{CallRewriter, Provider};

/// The tests of each law.
mod laws {
    jsonspigot_check::laws! {
        Memory:
        SkippingValidates as skipping_validates: [skipped_values_take_no_memory];
        Bounded as bounded: [text_reported_at_once_takes_no_memory, memory_grows_with_depth_alone];
    }
}

const CHUNK: usize = 64 << 10;

/// The memory of a parser besides its chunk's events: its states, an open path, buffers that have grown to a chunk's
/// events. Small compared with each of the texts.
const SMALL: u64 = 16 << 10;

fn builder() -> ParserBuilder {
    Parser::builder().retain(Retain::Nothing)
}

/// Returns a parser's peak allocation for the text, beyond that of a new one.
fn peak(builder: ParserBuilder, patterns: &[&str], text: impl Iterator<Item = Vec<u8>>, method: Method) -> u64 {
    let patterns = PatternSet::new(patterns).unwrap();
    let mut parser = builder.patterns(&patterns).build();
    let (mut held, mut peak) = (0, 0);
    // The chunk itself is the caller's: it is made and dropped outside of what is measured.
    for chunk in text {
        let measured = measure(|| match method {
            Method::Iterator => parser.feed(&chunk).for_each(|event| assert!(event.is_ok())),
            Method::Callback => parser.feed_with(&chunk, |_| {}).unwrap(),
        });
        peak = peak.max(held + i64::try_from(measured.bytes_max).unwrap());
        held += measured.bytes_current;
    }
    // Deviations are the error that they are, and no other.
    assert!(parser.finish().check().is_ok() || parser.stopped_by().is_none());
    u64::try_from(peak).unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Method {
    Iterator,
    Callback,
}

/// Returns a text in pieces: a head, `count` parts, a tail. Parts are joined to chunks of about the same size.
fn text<P: Fn(usize) -> String>(
    head: &str,
    count: usize,
    part: P,
    tail: &str,
) -> impl Iterator<Item = Vec<u8>> + use<P> {
    let (mut next, mut held) = (0, head.as_bytes().to_vec());
    let mut tail = Some(tail.as_bytes().to_vec());
    std::iter::from_fn(move || {
        while next < count && held.len() < CHUNK {
            held.extend(part(next).bytes());
            next += 1;
        }
        if next == count
            && let Some(tail) = tail.take()
        {
            held.extend(tail);
        }
        (!held.is_empty()).then(|| std::mem::take(&mut held))
    })
}

/// Returns the length of the long strings in megabytes.
fn long() -> usize {
    size(10, 100)
}

fn string(megabytes: usize) -> impl Iterator<Item = Vec<u8>> {
    text("\"", 16 * megabytes, |_| "s".repeat(CHUNK), "\"")
}

fn elements(thousands: usize) -> impl Iterator<Item = Vec<u8>> {
    text("[0", thousands, |_| ",0".repeat(1000), "]")
}

fn distinct_keys(count: usize) -> impl Iterator<Item = Vec<u8>> {
    text("{\"\":0", count, |place| format!(",\"key {place}\":0"), "}")
}

fn skipped_values_take_no_memory() {
    for (name, peak) in [
        ("long string", peak(builder(), &[], string(long()), Method::Callback)),
        ("elements", peak(builder(), &["a"], elements(size(1000, 10_000)), Method::Callback)),
        ("keys", peak(builder(), &["[0]"], distinct_keys(size(100_000, 1_000_000)), Method::Iterator)),
    ] {
        assert!(peak <= SMALL, "{name}: {peak} bytes");
        Law::SkippingValidates.mark_compared();
    }
}

fn text_reported_at_once_takes_no_memory() {
    for (name, peak) in [
        ("long string", peak(builder(), &["$"], string(long()), Method::Callback)),
        ("elements", peak(builder(), &["$", "$..*"], elements(size(100, 1000)), Method::Callback)),
        ("keys", peak(builder(), &["$", "$..*"], distinct_keys(size(10_000, 100_000)), Method::Callback)),
    ] {
        assert!(peak <= SMALL, "{name}: {peak} bytes");
        Law::Bounded.mark_compared();
    }
}

/// Checks that a queue holds the events of one chunk.
#[test]
fn the_queue_holds_one_chunks_events() {
    let of_one = peak(builder(), &["$..*"], elements(CHUNK / 2000 + 1), Method::Iterator);
    let of_all = peak(builder(), &["$..*"], elements(size(100, 1000)), Method::Iterator);
    assert!(of_all <= of_one + SMALL, "{of_all} bytes against {of_one}");
    let string = peak(builder(), &["$"], string(long()), Method::Iterator);
    assert!(string <= 4 * CHUNK as u64, "a chunk's text, in a buffer that doubles: {string} bytes");
}

/// Checks that raw deltas keep one chunk, in the document and in each string around it.
#[test]
fn raw_deltas_hold_one_chunks_text() {
    let inside = || text("\"[0", size(100, 1000), |_| r#",[\"value\"]"#.repeat(100), "]\"");
    let pieces = || {
        std::iter::once(b"\"".to_vec())
            .chain((0..size(20_000, 200_000)).map(|_| b"piece".to_vec()))
            .chain([b"\"".to_vec()])
    };
    for method in [Method::Callback, Method::Iterator] {
        for (name, peak) in [
            ("elements", peak(builder(), &["raw:$"], elements(size(100, 1000)), method)),
            ("inside a string", peak(builder(), &["raw:$ | $"], inside(), method)),
            ("pieces", peak(builder(), &["raw:$"], pieces(), method)),
            ("pieces that are deltas too", peak(builder(), &["raw:$", "$"], pieces(), method)),
        ] {
            assert!(peak <= 8 * CHUNK as u64, "{name}, {method:?}: {peak} bytes");
        }
    }
}

/// Checks that texts inside strings keep only the text of their open matches.
#[test]
fn ended_inner_texts_take_no_memory() {
    let builder = Parser::builder().retain(Retain::Matches);
    // One text with many values, and many texts with few, of which every other one fails.
    let one = |count| text("\"[0", count, |_| r#",[\"value\"]"#.repeat(100), "]\"");
    let many = |count| {
        let part = |place: usize| {
            let texts = [r#","[[\"value\"], [\"value\"]]""#, r#","[[\"value\"], [\"value\", }""#];
            texts[place % 2].repeat(50)
        };
        text("[0", count, part, "]")
    };
    for method in [Method::Callback, Method::Iterator] {
        let of_one = [100, size(300, 1000)].map(|count| peak(builder.clone(), &["$ | [*]"], one(count), method));
        let of_many = [100, size(300, 1000)].map(|count| peak(builder.clone(), &["[*] | [*]"], many(count), method));
        for [few, more] in [of_one, of_many] {
            assert!(more <= few + SMALL, "{method:?}: {more} bytes against {few}");
        }
    }
}

/// Checks that open values cost their depth: some bytes a level if they are followed, bits if they are skipped.
fn memory_grows_with_depth_alone() {
    const DEPTH: usize = 100_000;
    let limits = Limits::new().depth(DEPTH);
    let deep = || text("", DEPTH, |_| "[".to_owned(), &"]".repeat(DEPTH));
    let skipped = peak(builder().limits(limits), &["a"], deep(), Method::Callback);
    assert!(skipped <= DEPTH as u64 / 4 + SMALL, "{skipped} bytes");
    let followed = peak(builder().limits(limits), &["$..a"], deep(), Method::Callback);
    assert!(followed <= 256 * DEPTH as u64, "{followed} bytes");
    Law::Bounded.mark_compared();
}

/// Checks that a key that no pattern names is not kept, and that one that is compared is no longer than its limit.
#[test]
fn an_endless_key_is_stopped_by_its_limit() {
    let endless = || text("{\"", size(160, 1600), |_| "k".repeat(CHUNK), "\":0}");
    assert!(peak(builder(), &[], endless(), Method::Callback) <= SMALL);
    // Nor if it comes in small pieces.
    let pieces = std::iter::once("{\"".into()).chain((0..size(20_000, 100_000)).map(|_| b"kkkkkkkk".to_vec()));
    assert!(peak(builder(), &[], pieces.chain(["\":0}".into()]), Method::Callback) <= SMALL);
    let limits = Limits::new().key(1 << 10);
    let mut parser = builder().limits(limits).patterns(&PatternSet::new(["a"]).unwrap()).build();
    let mut kind = None;
    let measured = measure(|| {
        for chunk in endless() {
            kind = kind.or(parser.feed_with(chunk, |_| {}).err().map(|error| error.kind()));
        }
    });
    assert_eq!(kind, Some(ErrorKind::KeyLimit));
    assert!(measured.bytes_max <= 6 * CHUNK as u64 + SMALL, "the chunks themselves: {} bytes", measured.bytes_max);
}

/// Checks that a reset parser keeps its buffers, and nothing of unfinished texts.
#[test]
fn a_reset_parser_does_not_grow() {
    for builder in [builder(), builder().snapshots(), builder().duplicate_keys(DuplicateKeys::Reject)] {
        let mut parser = builder.patterns(&PatternSet::new(["$..a"]).unwrap()).build();
        let mut use_once = || {
            parser.feed_with(r#"{"a": {"a": [{"b": "text"#, |_| {}).unwrap();
            parser.reset();
        };
        use_once();
        let measured = measure(|| (0..1000).for_each(|_| use_once()));
        assert!(measured.bytes_current <= 1 << 10, "{} bytes more", measured.bytes_current);
    }
}

/// Returns the guide's limits for hostile input.
fn hostile() -> Limits {
    Limits::new().depth(64).key(1 << 10).string(1 << 20).number(64).total(4 << 20)
}

/// Returns objects inside one another with keys as long as the limits allow, so that the innermost one's path takes 64
/// KB, and in it a string of which each byte deviates.
fn deviations(count: usize) -> impl Iterator<Item = Vec<u8>> {
    deep_string(count, "\n")
}

fn deep_string(count: usize, byte: &'static str) -> impl Iterator<Item = Vec<u8>> {
    let head = format!("{{\"{}\":", "k".repeat(hostile().key as usize)).repeat(hostile().depth) + "\"";
    text(&head, count, |_| byte.to_owned(), &("\"".to_owned() + &"}".repeat(hostile().depth)))
}

/// Checks that kept deviations do not grow with their number: the first has its path, some are listed, all are counted.
#[test]
fn deviations_take_no_memory() {
    let lenient = Parser::builder().limits(hostile()).lenient(jsonspigot::Leniency::MODEL_OUTPUT);
    for (retain, count) in [(Retain::All, 10), (Retain::Matches, 1), (Retain::Nothing, 1)]
        .map(|(retain, n)| (retain, n * size(10_000, 100_000)))
    {
        let builder = lenient.clone().retain(retain);
        // All text is retained as it arrived, in a buffer that doubles: while it grows, the old one is there too.
        let text = if retain == Retain::All { 3 * (count as u64 + (64 << 10)) } else { 0 };
        let few = peak(builder.clone(), &["$..*"], deviations(1000), Method::Callback);
        let many = peak(builder.clone(), &["$..*"], deviations(count), Method::Callback);
        assert!(many <= few + text + SMALL + CHUNK as u64, "{retain:?}: {many} bytes against {few}");
        assert!(many <= text + (1 << 20), "{retain:?}: {many} bytes");
        // A snapshot shows the text after them, and its size counts; the first one's path takes 64 KB.
        let shown = peak(builder.clone().snapshots(), &["$..*"], deviations(count), Method::Callback);
        let strict = peak(builder.snapshots(), &["$..*"], deep_string(count, "n"), Method::Callback);
        assert!(shown <= strict + text + SMALL + (64 << 10), "{retain:?}: {shown} bytes against {strict}");
    }
}

/// Checks that the deviations together allocate a little for each, and not a path for each.
#[test]
fn a_deviation_costs_the_same_at_any_depth() {
    let allocated = |count| {
        let mut parser =
            builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT).patterns(&PatternSet::new(["$..*"]).unwrap()).build();
        let chunks: Vec<_> = deviations(count).collect();
        let measured = measure(|| chunks.iter().for_each(|chunk| parser.feed_with(chunk, |_| {}).unwrap()));
        assert_eq!(parser.deviation_count(), count as u64);
        measured.bytes_total
    };
    let (some, more) = (allocated(1000), allocated(4000));
    assert!(more - some <= 3000 * 128, "{} bytes a deviation", (more - some) / 3000);
}

/// Checks that a stream of events holds a parser's memory and one event, however many and large a chunk's events are.
#[cfg(feature = "stream")]
#[test]
fn a_stream_holds_one_chunks_events() {
    use futures::stream::{self, StreamExt};
    use jsonspigot::ParserStream;

    let peak = |patterns: &[&str], text: &mut dyn Iterator<Item = Vec<u8>>| {
        let parser = builder().patterns(&PatternSet::new(patterns).unwrap()).build();
        // Allocations outside are not counted, except one chunk, which the stream takes and drops.
        let chunks: Vec<_> = text.map(Ok::<_, std::convert::Infallible>).collect();
        let mut chunks = chunks.into_iter();
        let mut count = 0;
        let measured = measure(|| {
            let events = ParserStream::new(stream::iter(&mut chunks), parser);
            let all = events.for_each(|event| {
                assert!(event.is_ok());
                count += 1;
                std::future::ready(())
            });
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(all);
        });
        (measured.bytes_max, count)
    };
    let (of_one, few) = peak(&["$..*"], &mut elements(CHUNK / 2000 + 1));
    let (of_all, many) = peak(&["$..*"], &mut elements(size(100, 1000)));
    assert!(few >= 50_000 && many >= size(200_000, 2_000_000), "begin and end of each: {few}, {many}");
    assert!(of_all <= of_one + SMALL, "{of_all} bytes against {of_one}");
    let (string, _) = peak(&["$"], &mut string(10));
    assert!(string <= 5 * CHUNK as u64, "the queue's text and the event's: {string} bytes");
    // Each of these ends has the text of all that is inside: together they would be as large as the square of it.
    let deep = text("", 100, |_| "[".to_owned(), &"]".repeat(100)).map(|mut chunk| {
        chunk.splice(100..100, std::iter::repeat_n(b' ', CHUNK));
        chunk
    });
    let parser = Parser::builder().patterns(&PatternSet::new(["$..*"]).unwrap()).build();
    let chunks = stream::iter(deep.map(Ok::<_, std::convert::Infallible>));
    let measured = measure(|| {
        let all = ParserStream::new(chunks, parser).for_each(|_| std::future::ready(()));
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(all);
    });
    assert!(measured.bytes_max <= 6 * CHUNK as u64, "{} bytes", measured.bytes_max);
}

/// Checks that open calls with rules of their own share one set of compiled patterns.
#[test]
fn open_calls_share_their_patterns() {
    let rules = (0..100).map(|number| (format!("..secret{number}.a[*].b"), Rule::redact()));
    let mut calls = CallRewriter::new(Provider::OpenaiChat, rules).unwrap();
    let mut event = |call: usize| {
        let arguments = r#"{"name": "f", "arguments": "{\"a\": 1"}"#;
        let call = format!(r#"{{"index": {call}, "id": "call-{call}", "function": {arguments}}}"#);
        calls.push(&format!(r#"{{"choices": [{{"index": 0, "delta": {{"tool_calls": [{call}]}}}}]}}"#)).unwrap();
    };
    event(0);
    let held = measure(|| (1..=100).for_each(&mut event)).bytes_current;
    assert!((1 << 10..2 << 20).contains(&held), "{held} bytes");
}
