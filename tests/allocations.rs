//! Allocations: looking is free, and feeding allocates only the text and nodes that are kept.
//!
//! A test binary of its own, since its allocator counts (for each thread on its own).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;

use allocation_counter::{AllocationInfo, measure};
use jsonspigot::{
    DocumentEvent, Documents, Event, EventKind, Framing, Parser, ParserBuilder, PartialValue, PatternSet, Retain,
    Revision, Settled, ValueState,
};
use serde::Deserialize;

const TOOL_CALL: &str = include_str!("../examples/classify_and_assess.json");

/// Cuts a text into pieces of 1 to 8 bytes, like a model's tokens.
fn pieces(text: &str) -> impl Iterator<Item = &[u8]> {
    let mut sizes = [4, 2, 5, 8, 3, 7, 1, 6].into_iter().cycle();
    let mut rest = text.as_bytes();
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at(sizes.next()?.min(rest.len()));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

fn patterns() -> PatternSet {
    PatternSet::new(["$[*].ask_slots[*].message", "$..options[*]", "$[*].simple_response"]).unwrap()
}

/// Returns one array of many tool calls.
fn many(count: usize) -> String {
    format!("[{}]", vec![TOOL_CALL; count].join(","))
}

/// Looks at an event as closely as it can be without printing it.
fn look_at(event: &Event<'_>) -> usize {
    let path = event.path.indices().count() + event.path.last().map_or(0, |_| 1);
    path + match &event.kind {
        EventKind::Delta(text) => text.len(),
        EventKind::End(value) => value.as_ref().map_or(0, |value| value.bytes().len()),
        _ => 0,
    }
}

fn feed(parser: &mut Parser, text: &str) {
    for piece in pieces(text) {
        let seen = parser.feed(piece).map(|event| look_at(&event.unwrap())).sum::<usize>();
        black_box(seen);
    }
}

fn feed_with(parser: &mut Parser, text: &str) {
    for piece in pieces(text) {
        parser.feed_with(piece, |event| _ = black_box(look_at(&event))).unwrap();
    }
}

#[track_caller]
fn assert_none(of: &str, measured: AllocationInfo) {
    assert_eq!(measured.count_total, 0, "{of}: {measured:?}");
}

/// Checks the bytes of a parser and the blocks that it has on the heap. PERFORMANCE.md has the figures.
#[track_caller]
fn assert_takes(of: &str, make: impl FnOnce() -> Parser, most_bytes: i64, most_blocks: i64) {
    let mut parser = None;
    let heap = measure(|| parser = Some(make()));
    let bytes = size_of::<Parser>() as i64 + heap.bytes_current;
    println!("{of}: {} bytes, of which {} are in {} blocks", bytes, heap.bytes_current, heap.count_current);
    assert!(bytes <= most_bytes && heap.count_current <= most_blocks, "{of}: {bytes} bytes, {heap:?}");
}

#[test]
fn an_idle_parser_is_small() {
    let patterns = patterns();
    assert_takes("nothing kept", || Parser::builder().retain(Retain::Nothing).patterns(&patterns).build(), 496, 0);
    assert_takes("text kept", || Parser::builder().patterns(&patterns).build(), 568, 1);
    assert_takes("with snapshots", || Parser::builder().snapshots().patterns(&patterns).build(), 768, 2);
}

/// Checks a parser in the middle of a call, because a gateway holds many.
#[test]
fn an_open_parser_is_small() {
    let patterns = PatternSet::new(["ask_slots[*].message"]).unwrap();
    let open = |feed: fn(&mut Parser, &str)| {
        let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&patterns).build();
        feed(&mut parser, TOOL_CALL);
        parser.reset();
        feed(&mut parser, &TOOL_CALL[..TOOL_CALL.find("would you like").unwrap()]);
        parser
    };
    assert_takes("feed_with", || open(feed_with), 704, 4);
    assert_takes("feed", || open(feed), 904, 7);
}

#[test]
fn a_look_allocates_nothing() {
    let mut parser = Parser::builder().snapshots().build();
    let (head, tail) = TOOL_CALL.split_at(TOOL_CALL.find("mum? 📱").map_or(TOOL_CALL.len() / 2, |at| at));
    feed_with(&mut parser, head);
    let before = (parser.clone(), parser.revision());
    feed_with(&mut parser, &tail[..40]);
    let mut seen = 0;
    let measured = measure(|| {
        let root = parser.snapshot().unwrap();
        assert_eq!(parser.state_of("ask_slots[0].message"), Ok(ValueState::Complete));
        assert_eq!(root.state_of("$['ask_slots'][99]['message']"), Ok(ValueState::Pending));
        assert_eq!(root.state_of("no.path.there"), Ok(ValueState::Pending));
        assert!(root.at("ask_slots[0].message").unwrap().is_complete());
        assert!(root.at(r"['ask\u005fslots'][0]").unwrap().get("message").unwrap().as_str().is_some());
        assert!(root.get("is_follow_up").unwrap().as_bool().is_some());
        assert!(root.get("follow_up_confidence").unwrap().as_number().is_some());
        let slots = root.get("ask_slots").unwrap();
        for slot in slots.iter() {
            seen +=
                slot.entries().map(|(key, value)| key.len() + value.len() + value.kind().name().len()).sum::<usize>();
        }
        assert!(slots.index(0).is_some() && !slots.is_empty() && !slots.is_null());
        assert!(root == root && before.0.snapshot() != Some(root));
        assert!(parser.has_changed_since(before.1) && !parser.has_changed_since(parser.revision()));
    });
    assert!(seen > 0);
    assert_none("looking", measured);
}

#[test]
fn patches_allocate_for_their_list_and_their_paths() {
    let mut parser = Parser::builder().snapshots().build();
    feed_with(&mut parser, &TOOL_CALL[..600]);
    let revision = parser.revision();
    feed_with(&mut parser, &TOOL_CALL[600..]);
    let mut patch = Vec::new();
    let measured = measure(|| patch = parser.patch_since(revision).unwrap());
    let ops = patch.len() as u64;
    assert!(
        ops > 1 && measured.count_total <= u64::from(ops.ilog2()) + 1,
        "one list: {measured:?} for {ops} operations"
    );
    let mut printed = String::with_capacity(10_000);
    let measured = measure(|| patch.iter().for_each(|op| write!(printed, "{op}").unwrap()));
    assert!(measured.count_total <= 6 * ops, "a path's segments and its text: {measured:?} for {ops} operations");
    let mut printed = String::with_capacity(10_000);
    assert_none("printing", measure(|| write!(printed, "{}", parser.snapshot().unwrap()).unwrap()));
}

/// Checks that any number of documents needs only the buffers of one.
#[test]
fn a_document_of_many_allocates_nothing() {
    let texts = [TOOL_CALL.replace('\n', " "), r#"{"simple_response": {"message": "é"}}"#.to_owned(), "12".to_owned()];
    for (framing, before, after) in
        [(Framing::Lines, "", "\n"), (Framing::Concatenated, "", " "), (Framing::Sequence, "\u{1e}", "\n")]
    {
        for builder in [Parser::builder(), Parser::builder().snapshots(), Parser::builder().retain(Retain::Matches)] {
            let mut documents = Documents::new(framing, builder.patterns(&patterns()).build());
            let stream: String = texts.iter().map(|text| format!("{before}{text}{after}")).collect();
            let mut read = |times: usize| {
                let mut ended = 0;
                for piece in std::iter::repeat_n(&stream, times).flat_map(|stream| pieces(stream)) {
                    let on_event = |event: DocumentEvent<'_>| match event {
                        DocumentEvent::Match { event, .. } => _ = black_box(look_at(&event)),
                        DocumentEvent::End(document) => ended += usize::from(document.error().is_none()),
                        _ => {}
                    };
                    documents.feed_with(piece, on_event).unwrap();
                }
                ended
            };
            read(1);
            let mut ended = 0;
            let measured = measure(|| ended = read(100));
            // The last of a sequence ends with the next separator.
            assert_eq!(ended, 300, "{framing}");
            assert_none(framing.name(), measured);
        }
    }
}

/// Checks that feeding grows the arena's two buffers, each by doubling, and allocates nothing else.
#[test]
fn feeding_allocates_the_arenas_growth() {
    let text = many(100);
    let builder = Parser::builder().retain(Retain::Nothing);
    let [without, with] = [builder.clone(), builder.clone().snapshots()].map(|builder| {
        let mut parser = builder.patterns(&patterns()).build();
        measure(|| feed_with(&mut parser, &text))
    });
    let doublings = u64::from(text.len().ilog2()) + 1;
    let more = with.count_total - without.count_total;
    assert!(more <= 2 * doublings, "{more} allocations for {} bytes", text.len());
    let revision = |count| {
        let mut parser = builder.clone().snapshots().build();
        measure(|| feed_with(&mut parser, &many(count))).bytes_current
    };
    assert!(
        revision(100) < 4 * text.len() as i64,
        "24 bytes a node and the text, twice that at most: {}",
        revision(100)
    );
}

/// Checks that only the beginning of a long text allocates, until all buffers have their size.
#[test]
fn steady_feeding_allocates_nothing() {
    let (warm_up, rest) = (many(4), format!(",{}", &many(50)[1..]));
    let warm_up = warm_up.trim_end_matches(']');
    for (method, feed) in [("feed", feed as fn(&mut Parser, &str)), ("feed_with", feed_with)] {
        let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&patterns()).build();
        feed(&mut parser, warm_up);
        assert_none(method, measure(|| feed(&mut parser, &rest)));
        assert_none("finish", measure(|| assert_eq!(parser.finish().count(), 0)));
    }
}

/// Feeds chunks that hold whole tool calls. Each text inside a string reuses the buffers of the previous one.
#[test]
fn texts_inside_strings_allocate_nothing() {
    let inner = serde_json::to_string(&serde_json::to_string(TOOL_CALL).unwrap()).unwrap();
    // A chunk between two strings has no part of either, so that neither is kept with the other.
    let text = |count: usize| vec![inner.as_str(); count].join(",                ");
    let patterns = PatternSet::new(["$[*]", "$[*] | $ | ask_slots[*].message", "$[*] | $ | $..options"]).unwrap();
    let (warm_up, rest) = (format!("[{}", text(4)), format!(",                {}", text(20)));
    for retain in [Retain::Nothing, Retain::Matches] {
        for (method, feed) in [("feed", feed as fn(&mut Parser, &str)), ("feed_with", feed_with)] {
            let mut parser = Parser::builder().retain(retain).patterns(&patterns).build();
            feed(&mut parser, &warm_up);
            assert_none(method, measure(|| feed(&mut parser, &rest)));
        }
    }
}

#[test]
fn steady_feeding_of_large_chunks_allocates_nothing() {
    let text = many(200);
    let middle = text.len() / 2;
    for retain in [Retain::Nothing, Retain::Matches] {
        let mut parser = Parser::builder().retain(retain).patterns(&patterns()).build();
        let feed = |parser: &mut Parser, part: &[u8]| {
            for chunk in part.chunks(4096) {
                black_box(parser.feed(chunk).map(|event| look_at(&event.unwrap())).sum::<usize>());
            }
        };
        feed(&mut parser, &text.as_bytes()[..middle]);
        assert_none("feed", measure(|| feed(&mut parser, &text.as_bytes()[middle..])));
    }
}

#[test]
fn a_reset_parser_has_room_for_another_text() {
    let builders: [(&str, ParserBuilder); 4] = [
        ("text", Parser::builder()),
        ("matches", Parser::builder().retain(Retain::Matches)),
        ("nothing", Parser::builder().retain(Retain::Nothing)),
        ("snapshots", Parser::builder().snapshots()),
    ];
    let text = many(3);
    for (name, builder) in builders {
        for feed in [feed as fn(&mut Parser, &str), feed_with] {
            let mut parser = builder.clone().patterns(&patterns()).build();
            feed(&mut parser, &text);
            parser.finish().check().unwrap();
            let again = measure(|| {
                parser.reset();
                feed(&mut parser, &text);
                parser.finish().check().unwrap();
            });
            assert_none(name, again);
        }
    }
}

/// Looks once after each chunk, as a user interface does.
#[test]
fn looking_after_each_chunk_allocates_nothing() {
    let mut parser = Parser::builder().snapshots().build();
    feed_with(&mut parser, TOOL_CALL);
    parser.reset();
    let (mut revision, mut drawn) = (Revision::default(), 0);
    let measured = measure(|| {
        for piece in pieces(TOOL_CALL) {
            parser.feed_with(piece, |_| {}).unwrap();
            if parser.has_changed_since(revision) {
                let message = parser.snapshot().and_then(|root| root.at("ask_slots[1].message"));
                drawn += message.and_then(PartialValue::as_str).map_or(0, str::len);
                revision = parser.revision();
            }
        }
    });
    assert!(drawn > 0);
    assert_none("looking", measured);
}

/// Checks that a typed look allocates as much as a copy of its result.
#[test]
fn a_typed_look_allocates_what_its_type_does() {
    #[derive(Clone, Default, Deserialize)]
    #[serde(default)]
    struct Lent<'a> {
        #[serde(borrow)]
        reasoning: Cow<'a, str>,
        route: &'a str,
        follow_up_confidence: f64,
        simple_response: BTreeMap<&'a str, &'a str>,
        ask_slots: Vec<Slot>,
    }
    #[derive(Clone, Default, Deserialize)]
    #[serde(default)]
    struct Slot {
        slot_name: Settled<String>,
        message: String,
        options: Vec<String>,
    }
    let mut parser = Parser::builder().snapshots().build();
    let mut most = 0;
    for piece in pieces(TOOL_CALL) {
        parser.feed_with(piece, |_| {}).unwrap();
        let Some(root) = parser.snapshot() else { continue };
        let (mut seen, mut copy) = (None, None);
        let look = measure(|| seen = Some(root.deserialize::<Lent<'_>>().unwrap().unwrap()));
        let seen = seen.unwrap();
        let copying = measure(|| copy = Some(seen.get().clone()));
        assert!(look.count_total <= copying.count_total, "{root}: {look:?}, and a copy {copying:?}");
        assert_eq!(look.count_current, copying.count_current, "{root}");
        most = most.max(look.count_total);
        black_box((seen.get().route, seen.get().follow_up_confidence, copy));
    }
    assert!(most > 10, "{most}");
}

/// Checks that a returned error is shared, path and all: later calls allocate nothing for it.
#[test]
fn a_repeated_error_allocates_nothing() {
    let key = "k".repeat(1 << 10);
    let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&PatternSet::new(["$..*"]).unwrap()).build();
    let text = format!("{{\"{key}\":").repeat(64) + "?";
    let error = parser.feed_with(text, |_| {}).unwrap_err();
    assert_eq!(error.path().unwrap().chars().count(), 200);
    let again = measure(|| {
        for _ in 0..100 {
            assert!(parser.feed_with("more", |_| {}).is_err());
            assert!(parser.feed("more").all(|event| event.is_err()) && parser.finish().check().is_err());
            assert_eq!(parser.offset(), error.offset());
        }
    });
    assert_none("an error again", again);
}
