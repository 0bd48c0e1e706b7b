//! The search for an opening delimiter: the states between its first byte and the byte that decides.
//!
//! The envelope holds the undecided bytes, and reports them as text if the [`Verdict`] is text.
//!
//! The envelope calls `begin` at the first byte of some delimiter, and then `advance` with each further piece of the
//! input until there is a verdict. The delimiters that begin with the same byte are matched together, as *rivals*. Each
//! byte removes the rivals that it does not match. The first complete rival wins. If no rival is left, the bytes were
//! text. Two kinds of delimiters are matched in different ways:
//!
//! - *A named delimiter* is matched by a small state machine ([`Stage`]).
//! - *A bare payload* can be distinguished from prose only by reading it as JSON: `[1]` may be a citation, and `{` may
//!   be a brace. So a parser reads along, and the payload is certain as soon as it has something that is rare in prose:
//!   the value of a member, or a comma or bracket after an element.
//!
//! `fence:*` is recognized by its content, which `any_fence.rs` reads. A fence that another delimiter names belongs to
//! that delimiter.
//!
//! A delimiter is often certain only some bytes after its end: `<!--context {` opens at the `{`, which belongs to the
//! payload. `after` is the number of examined bytes that follow the delimiter.
//!
//! When an opening turns out to be text, only part of the held bytes is released, since another opening may begin
//! inside the rest: in `<<think>`, the second `<` opens. [`certain_text`] returns how much. A run of backticks or
//! brackets is released at once, so that a long run is not searched again from each of its bytes. This stops at a place
//! where a `between` text that begins with a bracket may open.

use alloc::boxed::Box;
use alloc::vec::Vec;

use jsonspigot::internal::children;
use jsonspigot::{EventKind, Parser, Retain, Segment};

use super::SPACE;
use super::any_fence::{AnyFence, Fences, Step, is_blank};
use super::delimiter::{Content, Delimiter, Shape};

/// A place in the text where a delimiter may open.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// The delimiters that are still possible, in the order in which they were given.
    rivals: Vec<Rival>,
    bare: Bare,
    /// The number of backticks of the fence of text that the examined bytes open; 0 if they close one.
    pub(super) fence: Option<usize>,
    /// The number of examined bytes.
    looked: usize,
    /// The maximum number of examined bytes.
    limit: usize,
}

/// The verdict on an opening so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Undecided,
    /// This delimiter has opened, with this length. Examined bytes after it belong to the payload.
    Delimiter {
        delimiter: usize,
        length: usize,
    },
    /// This many bytes are text. Another delimiter may begin in the examined bytes after them.
    Text(usize),
}

#[derive(Clone, Copy, Debug)]
struct Rival {
    delimiter: usize,
    stage: Stage,
}

/// The part of a delimiter that has been read.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// This many bytes of the text before the name.
    Front(usize),
    /// The white space before the name.
    Space,
    /// This many bytes of the name.
    Name(usize),
    /// After the name: this many bytes of a comment's `-->`, or blanks after a fence's name.
    Edge(usize),
    /// After the opening text of a `led` delimiter, before the JSON object. The last bytes repeat this many bytes of
    /// the opening text.
    Lead(usize),
    /// A fence with any info string.
    AnyFence(AnyFence),
    /// A bare payload.
    Bare,
}

/// The bare payload that may have begun, recognized by the events of its children.
#[derive(Clone, Debug)]
struct Bare {
    parser: Box<Parser>,
    /// The end of the first element, once it has ended.
    element_end: Option<u64>,
}

impl Opening {
    pub(super) fn new(limit: usize) -> Self {
        // `$..*`, because children distinguish JSON from prose.
        let parser = Box::new(Parser::builder().retain(Retain::Nothing).patterns(&children()).build());
        Self { rivals: Vec::new(), bare: Bare { parser, element_end: None }, fence: None, looked: 0, limit }
    }

    /// Starts at a byte with which a delimiter may begin.
    pub(super) fn begin(&mut self, delimiters: &[Delimiter], fences: Fences, first: u8) {
        self.looked = 0;
        self.fence = None;
        self.rivals.clear();
        let mut has_bare = false;
        for (place, delimiter) in delimiters.iter().enumerate() {
            // Two bare payloads open at the same byte, so the first one wins.
            if !first_bytes(delimiter).contains(&first) || has_bare && delimiter.is_bare() {
                continue;
            }
            has_bare |= delimiter.is_bare();
            let stage = match delimiter.shape {
                Shape::Bare | Shape::BareObject => Stage::Bare,
                Shape::AnyFence => Stage::AnyFence(AnyFence::new(fences)),
                Shape::Comment | Shape::Fence | Shape::Tag | Shape::Between => Stage::Front(0),
            };
            self.rivals.push(Rival { delimiter: place, stage });
        }
        if has_bare {
            self.bare.parser.reset();
            self.bare.element_end = None;
        }
    }

    /// Examines more of a text, which begins with the bytes that were examined before.
    pub(super) fn advance(&mut self, delimiters: &[Delimiter], text: &str) -> Verdict {
        let Self { rivals, bare, fence, looked, limit } = self;
        for &byte in text.as_bytes().iter().take(*limit).skip(*looked) {
            let mut opened = None;
            rivals.retain_mut(|rival| match rival.step(&delimiters[rival.delimiter], byte, bare) {
                Step::More => true,
                Step::No => false,
                Step::TextFence(found) => {
                    *fence = Some(found);
                    false
                }
                Step::Opened { after } => {
                    // If two delimiters open at once, the first one given wins.
                    opened = opened.or(Some((rival.delimiter, *looked + 1 - after)));
                    false
                }
            });
            if let Some((delimiter, length)) = opened {
                return Verdict::Delimiter { delimiter, length };
            }
            if rivals.is_empty() {
                return Verdict::Text(certain_text(delimiters, text, *looked));
            }
            *looked += 1;
        }
        if *looked < text.len() { Verdict::Text(certain_text(delimiters, text, *looked)) } else { Verdict::Undecided }
    }
}

/// Returns the bytes with which a delimiter may begin.
pub(super) fn first_bytes(delimiter: &Delimiter) -> &[u8] {
    match delimiter.shape {
        Shape::Between => &delimiter.name.as_bytes()[..1],
        Shape::Comment | Shape::Tag => b"<",
        Shape::Fence | Shape::AnyFence => b"`",
        Shape::Bare => b"{[",
        Shape::BareObject => b"{",
    }
}

/// Returns how many bytes of a false opening, which failed at this byte, are certainly text.
///
/// A run of backticks is taken as a whole. Nested opening brackets fail together, so that no byte is examined more than
/// a few times. But a string after them may contain another opening, and a `between` text may open among them.
pub(super) fn certain_text(delimiters: &[Delimiter], text: &str, failed_at: usize) -> usize {
    let bytes = &text.as_bytes()[..failed_at];
    let may_open = |from: usize| {
        let mut marks = delimiters.iter().filter(|delimiter| delimiter.shape == Shape::Between);
        marks.any(|mark| mark.name.bytes().zip(&bytes[from..]).all(|(one, other)| one == *other))
    };
    match text.chars().next() {
        Some('`') => bytes.iter().take_while(|byte| **byte == b'`').count().max(1),
        Some('{' | '[') => {
            let is_of_run = |byte: &&u8| matches!(byte, b'{' | b'[') || SPACE.contains(byte);
            let run = bytes.iter().take_while(is_of_run).count();
            (1..run).find(|from| may_open(*from)).unwrap_or(run.max(1))
        }
        first => first.map_or(1, char::len_utf8),
    }
}

impl Rival {
    fn step(&mut self, delimiter: &Delimiter, byte: u8, bare: &mut Bare) -> Step {
        match &mut self.stage {
            Stage::AnyFence(fence) => return fence.step(byte),
            Stage::Bare => return bare.step(byte),
            _ => {}
        }
        let name = delimiter.name.as_bytes();
        let next = match (delimiter.shape, self.stage) {
            (Shape::Comment, Stage::Front(read)) => follow(b"<!--", read, byte, Stage::Front, Stage::Space),
            (Shape::Comment, Stage::Space) if SPACE.contains(&byte) => Some(Stage::Space),
            (Shape::Comment, Stage::Edge(0)) if SPACE.contains(&byte) || matches!(byte, b'{' | b'[') => {
                return Step::Opened { after: 1 };
            }
            (Shape::Comment, Stage::Edge(2)) if byte == b'>' => return Step::Opened { after: 3 },
            (Shape::Comment, Stage::Edge(read @ (0 | 1))) if byte == b'-' => Some(Stage::Edge(read + 1)),
            (Shape::Fence, Stage::Front(read)) if byte == b'`' => Some(Stage::Front(read + 1)),
            (Shape::Fence, Stage::Front(3..) | Stage::Space) if is_blank(byte) => Some(Stage::Space),
            (Shape::Fence, Stage::Front(3..)) => follow(name, 0, byte, Stage::Name, Stage::Edge(0)),
            (Shape::Fence, Stage::Edge(blanks)) if is_blank(byte) => Some(Stage::Edge(blanks + 1)),
            (Shape::Fence, Stage::Edge(blanks)) if matches!(byte, b'\n' | b'\r' | b'{' | b'[') => {
                return Step::Opened { after: blanks + 1 };
            }
            (Shape::Between, Stage::Front(read)) if name.get(read) == Some(&byte) => {
                match (read + 1 == name.len(), delimiter.content) {
                    (false, _) => Some(Stage::Front(read + 1)),
                    (true, Content::Led) => Some(Stage::Lead(0)),
                    (true, _) => return Step::Opened { after: 0 },
                }
            }
            (_, Stage::Lead(_)) if byte == b'{' => return Step::Opened { after: 1 },
            // If the whole opening text is repeated, this opening fails, and another one begins at the repetition.
            (_, Stage::Lead(read)) => Some(again(name, read, byte)).filter(|read| *read < name.len()).map(Stage::Lead),
            (Shape::Tag, Stage::Front(_)) => Some(Stage::Name(0)),
            (Shape::Tag, Stage::Edge(0)) if byte == b'>' => return Step::Opened { after: 0 },
            (_, Stage::Space) => follow(name, 0, byte, Stage::Name, Stage::Edge(0)),
            (_, Stage::Name(read)) => follow(name, read, byte, Stage::Name, Stage::Edge(0)),
            _ => None,
        };
        match next {
            Some(stage) => {
                self.stage = stage;
                Step::More
            }
            None => Step::No,
        }
    }
}

/// Advances by one byte in a fixed text of which `read` bytes have been read; `None` if the byte does not match.
fn follow(text: &[u8], read: usize, byte: u8, inside: fn(usize) -> Stage, after: Stage) -> Option<Stage> {
    (text[read] == byte).then(|| if read + 1 == text.len() { after } else { inside(read + 1) })
}

/// Returns how many of the first bytes of `mark` a text ends with after `byte`, if it ended with `read` of them before.
fn again(mark: &[u8], read: usize, byte: u8) -> usize {
    let ends_with = |len: &usize| {
        let before = &mark[..len - 1];
        mark[len - 1] == byte && mark[..read].ends_with(before)
    };
    (1..=read + 1).rev().find(ends_with).unwrap_or(0)
}

impl Bare {
    /// Reads a byte. The bytes so far are certainly a payload once a member's value has begun, more follows the first
    /// element, or the whole value has ended.
    fn step(&mut self, byte: u8) -> Step {
        let (mut has_member, element_end) = (false, &mut self.element_end);
        let fed = self.parser.feed_dyn(&[byte], &mut |event| match event.kind {
            EventKind::Begin(_) => has_member |= matches!(event.path.last(), Some(Segment::Key(_))),
            EventKind::End(_) => *element_end = element_end.or(Some(event.offset)),
            _ => {}
        });
        let is_behind = self.element_end.is_some_and(|end| end < self.parser.offset()) && !SPACE.contains(&byte);
        match fed {
            Err(_) => Step::No,
            Ok(()) if has_member || is_behind || self.parser.is_complete() => {
                Step::Opened { after: self.parser.offset() as usize }
            }
            Ok(()) => Step::More,
        }
    }
}
