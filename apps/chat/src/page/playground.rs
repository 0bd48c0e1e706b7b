//! The playground: the library over any text, cut as asked, with what it tells at each step.
//!
//! A small text can make much to tell: patterns times values times the length of their paths, snapshots times steps. So
//! whatever is collected is counted while it is (`room.rs`), and an answer that is full says that there is more.

use jsonspigot::{DuplicateKeys, Event, EventKind, Limits, OwnedEvent, OwnedEventKind, Parser, PatternSet, Revision};
use serde::{Serialize, Serializer};

use super::room::{MAX_ANSWER, MAX_ITEMS, Room, written};

/// The longest text, in bytes.
pub const MAX_TEXT: usize = 64 << 10;
const MAX_STEPS: usize = 4096;
const MAX_PATTERNS: usize = 64;
/// Bytes of all patterns: each may be asked about at each value.
const MAX_PATTERN_TEXT: usize = 8 << 10;

/// How many bytes are fed between two looks at the room that is left.
const PIECE: usize = 1 << 10;

/// What an event has in an answer besides its path and text, and a step besides its snapshot, events and operations:
/// names, numbers, brackets. At most; a test holds the answers' length against it.
const EVENT: usize = 128;
const STEP: usize = 128;

/// What the page asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The text; it need not be JSON.
    pub json: String,
    /// Which values events are told of.
    pub patterns: Vec<String>,
    /// How many bytes a chunk has.
    pub chunk: usize,
}

/// What the library makes of the text: one step for each chunk, one more for the end of input.
#[derive(Clone, Debug, Serialize)]
pub struct Steps {
    /// In order; the last one may be an error.
    pub steps: Vec<Step>,
    /// In words for a person, that the last step is not told as a whole, and those after it not at all: the answer is
    /// full. Absent if it has everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// What one chunk, or the end of input, brought.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The chunk's first byte.
    pub from: usize,
    /// The byte after its last; the same as `from` at the end of input.
    pub to: usize,
    /// What was told; the value of an end is its JSON text.
    #[serde(serialize_with = "with_spelt_values")]
    pub events: Vec<OwnedEvent>,
    /// The document as far as it is known, as JSON text; absent before its first byte.
    pub snapshot: Option<String>,
    /// What brings the last snapshot up to this one: each operation as JSON text, numbers as they are spelt.
    pub patch: Vec<String>,
    /// Why the text is none, or not whole: then this is the last step.
    pub error: Option<String>,
}

/// Runs the library over a text. An answer has at most [`MAX_ITEMS`] events and operations and [`MAX_ANSWER`] bytes.
///
/// # Errors
///
/// A bad pattern, or more than the playground takes, in words for a person.
pub fn run(request: &Request) -> Result<Steps, String> {
    let Request { json, patterns, chunk } = request;
    let text = json.as_bytes();
    if *chunk == 0 {
        return Err("a chunk needs at least one byte".into());
    }
    if text.len() > MAX_TEXT {
        return Err(format!("the text has {} bytes; the playground takes {MAX_TEXT}", text.len()));
    }
    if patterns.len() > MAX_PATTERNS {
        return Err(format!("there are {} patterns; the playground takes {MAX_PATTERNS}", patterns.len()));
    }
    let length: usize = patterns.iter().map(String::len).sum();
    if length > MAX_PATTERN_TEXT {
        return Err(format!("the patterns have {length} bytes; the playground takes {MAX_PATTERN_TEXT}"));
    }
    if text.len().div_ceil(*chunk) > MAX_STEPS {
        return Err(format!("more than {MAX_STEPS} steps: choose larger chunks"));
    }
    let patterns = PatternSet::new(patterns).map_err(|error| error.to_string())?;
    let limits = Limits::new().depth(100);
    let builder = Parser::builder().snapshots().limits(limits).duplicate_keys(DuplicateKeys::LastWins);
    let mut reader = Reader { parser: builder.build(&patterns), seen: Revision::default(), room: Room::new() };
    let mut steps: Vec<Step> = Vec::new();
    let mut from = 0;
    for chunk in text.chunks(*chunk).map(Some).chain([None]) {
        let step = reader.step(from, chunk);
        from = step.to;
        let has_failed = step.error.is_some();
        steps.push(step);
        if has_failed || reader.room.is_full() {
            break;
        }
    }
    let left_out = reader.room.is_full().then(|| {
        let begun = steps.last().map_or(0, |step| step.from);
        format!(
            "From byte {begun} on not everything is shown: an answer has at most {MAX_ITEMS} events and operations, and \
             {} MiB. Choose fewer patterns, larger chunks or a shorter text.",
            MAX_ANSWER >> 20
        )
    });
    Ok(Steps { steps, left_out })
}

struct Reader {
    parser: Parser,
    seen: Revision,
    room: Room,
}

impl Reader {
    /// Feeds a chunk, or the end of input. What there is no room for is left out.
    fn step(&mut self, from: usize, chunk: Option<&[u8]>) -> Step {
        let Self { parser, seen, room } = self;
        let mut step = Step {
            from,
            to: from + chunk.map_or(0, <[u8]>::len),
            events: Vec::new(),
            snapshot: None,
            patch: Vec::new(),
            error: None,
        };
        if !room.take(STEP) {
            return step;
        }
        // Not the iterator: its queue would hold every event of the chunk before the first could be counted. And not the
        // whole chunk at once: once the answer is full, nothing more needs to be read.
        let fed = match chunk {
            Some(chunk) => chunk.chunks(PIECE).try_for_each(|piece| {
                let is_full = room.is_full();
                let keep = |event: Event<'_>| keep(&mut step.events, &event, room);
                if is_full { Ok(()) } else { parser.feed_with(piece, keep) }
            }),
            None => parser.finish_with(|event| keep(&mut step.events, &event, room)),
        };
        step.error = fed.err().map(|error| error.to_string()).filter(|error| room.take(written(error)));
        step.snapshot =
            parser.snapshot().map(|value| value.to_string()).filter(|snapshot| room.take(written(snapshot)));
        if !room.is_full() {
            // Refused only if another parser had given the revision.
            let patch = parser.patch_since(*seen).into_iter().flatten().map(|op| op.to_string());
            step.patch = patch.take_while(|op| room.take_item(written(op))).collect();
        }
        *seen = parser.revision();
        step
    }
}

/// Keeps an event, if there is room. A chunk's text of a string is one delta, as the library's iterator has it.
fn keep(events: &mut Vec<OwnedEvent>, event: &Event<'_>, room: &mut Room) {
    if room.is_full() {
        return;
    }
    if let EventKind::Delta(more) = event.kind {
        // Behind a string's delta for one pattern come those for the others, and nothing else before its end.
        let told = events.iter_mut().rev().take(MAX_PATTERNS).map_while(|event| match &mut event.kind {
            OwnedEventKind::Delta(text) => Some((event.match_id, text)),
            _ => None,
        });
        if let Some((_, text)) = told.into_iter().find(|(match_id, _)| *match_id == event.match_id) {
            if room.take(written(more)) {
                text.push_str(more);
            }
            return;
        }
    }
    let text = match event.kind {
        EventKind::Delta(text) => written(text),
        EventKind::End(Some(value)) => written(value.text()),
        _ => 0,
    };
    if room.take_item(EVENT + written(&event.path.to_string()) + text) {
        events.push(event.to_owned());
    }
}

/// Values as text, not as JSON: a page that parsed them would not see how their numbers are spelt.
fn with_spelt_values<S: Serializer>(events: &[OwnedEvent], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Line<'a> {
        event: &'a str,
        pattern: usize,
        path: &'a str,
        #[serde(flatten)]
        news: News<'a>,
        r#match: u64,
        offset: u64,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum News<'a> {
        Kind(&'a str),
        Text(&'a str),
        Value(Option<&'a str>),
    }

    let lines = events.iter().filter_map(|event| {
        let (name, news) = match &event.kind {
            OwnedEventKind::Begin(kind) => ("begin", News::Kind(kind.name())),
            OwnedEventKind::Delta(text) => ("delta", News::Text(text)),
            OwnedEventKind::End(value) => ("end", News::Value(value.as_deref())),
            _ => return None,
        };
        let OwnedEvent { pattern, match_id, path, offset, .. } = event;
        Some(Line { event: name, pattern: pattern.index(), path, news, r#match: *match_id, offset: *offset })
    });
    serializer.collect_seq(lines)
}
