//! Whether what begins here is an opening delimiter: the states between its first byte and the byte that decides.
//!
//! Owns no text: the bytes that are undecided are the envelope's. A named delimiter is followed by a small state machine,
//! all delimiters at once; a bare payload by a parser, until it is JSON without doubt.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::SPACE;
use super::delimiter::{Delimiter, Shape};
use crate::error::ErrorKind;
use crate::event::EventKind;
use crate::parser::{Parser, Retain};
use crate::path::Segment;
use crate::pattern::PatternSet;
use crate::pattern::{Pattern, PatternSegment, Selector};

/// A place in the text where a delimiter may be about to open.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// The named delimiters that it may still be.
    rivals: Vec<Rival>,
    bare: Bare,
    /// How many bytes have been looked at.
    looked: usize,
    /// How many may be.
    limit: usize,
}

/// What is known about an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Undecided,
    /// It is this delimiter, and so many bytes long; what was looked at behind them is payload.
    Delimiter {
        delimiter: usize,
        length: usize,
    },
    /// It is text, so many bytes of it; what was looked at behind them may be a delimiter again.
    Text(usize),
}

#[derive(Clone, Copy, Debug)]
struct Rival {
    delimiter: usize,
    stage: Stage,
}

/// How far a named delimiter has been read.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// So many bytes of what stands before the name.
    Front(usize),
    /// The white space before the name.
    Space,
    /// So many bytes of the name.
    Name(usize),
    /// Behind the name: of a comment, so many bytes of `-->`; of a fence, so many blanks.
    Edge(usize),
}

/// The bare payload that may have begun, told by the events of its children.
#[derive(Clone, Debug)]
struct Bare {
    delimiter: Option<usize>,
    parser: Box<Parser>,
    /// Where the first element has ended.
    element_end: Option<u64>,
}

impl Opening {
    pub(super) fn new(limit: usize) -> Self {
        // `$..*`: a child is what tells JSON from prose.
        let children = PatternSegment { is_descendant: true, selectors: vec![Selector::Wildcard] };
        let children = PatternSet::from(vec![Pattern { segments: vec![children] }]);
        let parser = Box::new(Parser::builder().retain(Retain::Nothing).build(&children));
        Self { rivals: Vec::new(), bare: Bare { delimiter: None, parser, element_end: None }, looked: 0, limit }
    }

    /// Begins at a byte with which a delimiter may begin.
    pub(super) fn begin(&mut self, delimiters: &[Delimiter], first: u8) {
        self.looked = 0;
        self.bare.delimiter = None;
        self.rivals.clear();
        if matches!(first, b'{' | b'[') {
            self.bare.delimiter = delimiters.iter().position(|delimiter| first_bytes(delimiter).contains(&first));
            self.bare.parser.reset();
            self.bare.element_end = None;
        } else {
            let rivals = delimiters.iter().enumerate().filter(|(_, delimiter)| first_bytes(delimiter).contains(&first));
            self.rivals.extend(rivals.map(|(delimiter, _)| Rival { delimiter, stage: Stage::Front(0) }));
        }
    }

    /// Reads on in `input`, of which `held` has been looked at before.
    pub(super) fn advance(&mut self, delimiters: &[Delimiter], held: &str, input: &str) -> Verdict {
        let fits = input.len().min(self.limit - self.looked);
        let bytes = &input.as_bytes()[..fits];
        let failed_at = match self.bare.delimiter {
            Some(delimiter) => match self.bare.advance(bytes) {
                Ok(true) => return Verdict::Delimiter { delimiter, length: 0 },
                Ok(false) => None,
                Err(offset) => Some(offset as usize),
            },
            None => match self.advance_rivals(delimiters, bytes) {
                Ok(Some((delimiter, length))) => return Verdict::Delimiter { delimiter, length },
                Ok(None) => None,
                Err(offset) => Some(offset),
            },
        };
        match failed_at {
            Some(failed_at) => Verdict::Text(resume(held, input, failed_at)),
            None => {
                self.looked += fits;
                if fits < input.len() { Verdict::Text(resume(held, input, self.looked)) } else { Verdict::Undecided }
            }
        }
    }

    /// At the end of input: how much of what is held is text, before the search goes on.
    pub(super) fn give_up(&self, held: &str) -> usize {
        resume(held, "", held.len())
    }

    /// The delimiter that has been read with its length; or, as an error, where the last rival failed.
    fn advance_rivals(&mut self, delimiters: &[Delimiter], bytes: &[u8]) -> Result<Option<(usize, usize)>, usize> {
        for (offset, &byte) in (self.looked..).zip(bytes) {
            let mut opened = None;
            self.rivals.retain_mut(|rival| match rival.step(&delimiters[rival.delimiter], byte) {
                Step::More => true,
                Step::No => false,
                Step::Opened { behind } => {
                    // Of two delimiters that open at once, the first declared is meant.
                    opened = opened.or(Some((rival.delimiter, offset + 1 - behind)));
                    false
                }
            });
            if opened.is_some() {
                return Ok(opened);
            }
            if self.rivals.is_empty() {
                return Err(offset);
            }
        }
        Ok(None)
    }
}

/// The bytes with which a delimiter may begin.
pub(super) fn first_bytes(delimiter: &Delimiter) -> &'static [u8] {
    match delimiter.shape {
        Shape::Comment | Shape::Tag => b"<",
        Shape::Fence => b"`",
        Shape::Bare => b"{[",
        Shape::BareObject => b"{",
    }
}

/// How much of a false opening is text for good, if it failed at this byte.
///
/// A run of backticks is one thing. Brackets that open one another fail together, so that no byte is looked at more
/// than a few times; but in the string behind them another opening may stand.
fn resume(held: &str, input: &str, failed_at: usize) -> usize {
    let bytes = || held.bytes().chain(input.bytes()).take(failed_at);
    let run = match bytes().next() {
        Some(b'`') => bytes().take_while(|byte| *byte == b'`').count(),
        Some(b'{' | b'[') => bytes().take_while(|byte| matches!(byte, b'{' | b'[') || SPACE.contains(byte)).count(),
        _ => 1,
    };
    run.max(1)
}

/// What a byte does to a rival.
enum Step {
    More,
    No,
    /// The delimiter is whole; so many of the bytes looked at stand behind it.
    Opened {
        behind: usize,
    },
}

impl Rival {
    fn step(&mut self, delimiter: &Delimiter, byte: u8) -> Step {
        let name = delimiter.name.as_bytes();
        let next = match (delimiter.shape, self.stage) {
            (Shape::Comment, Stage::Front(read)) => follow(b"<!--", read, byte, Stage::Front, Stage::Space),
            (Shape::Comment, Stage::Space) if SPACE.contains(&byte) => Some(Stage::Space),
            (Shape::Comment, Stage::Edge(0)) if SPACE.contains(&byte) || matches!(byte, b'{' | b'[') => {
                return Step::Opened { behind: 1 };
            }
            (Shape::Comment, Stage::Edge(2)) if byte == b'>' => return Step::Opened { behind: 3 },
            (Shape::Comment, Stage::Edge(read @ (0 | 1))) if byte == b'-' => Some(Stage::Edge(read + 1)),
            (Shape::Fence, Stage::Front(read)) if byte == b'`' => Some(Stage::Front(read + 1)),
            (Shape::Fence, Stage::Front(3..) | Stage::Space) if is_blank(byte) => Some(Stage::Space),
            (Shape::Fence, Stage::Front(3..)) => follow(name, 0, byte, Stage::Name, Stage::Edge(0)),
            (Shape::Fence, Stage::Edge(blanks)) if is_blank(byte) => Some(Stage::Edge(blanks + 1)),
            (Shape::Fence, Stage::Edge(blanks)) if matches!(byte, b'\n' | b'\r' | b'{' | b'[') => {
                return Step::Opened { behind: blanks + 1 };
            }
            (Shape::Tag, Stage::Front(_)) => Some(Stage::Name(0)),
            (Shape::Tag, Stage::Edge(0)) if byte == b'>' => return Step::Opened { behind: 0 },
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

/// One byte on in a fixed text, of which `read` bytes have been read.
fn follow(text: &[u8], read: usize, byte: u8, inside: fn(usize) -> Stage, behind: Stage) -> Option<Stage> {
    (text[read] == byte).then(|| if read + 1 == text.len() { behind } else { inside(read + 1) })
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl Bare {
    /// Whether the bytes so far are a payload without doubt; or, as an error, where the JSON broke before that.
    fn advance(&mut self, bytes: &[u8]) -> Result<bool, u64> {
        let start = self.parser.offset();
        let (mut has_member, element_end) = (false, &mut self.element_end);
        let fed = self.parser.feed_with(bytes, |event| match event.kind {
            EventKind::Begin(_) => has_member |= matches!(event.path.last(), Some(Segment::Key(_))),
            EventKind::Delta(_) => {}
            EventKind::End(_) => *element_end = element_end.or(Some(event.offset)),
        });
        // In `[2 of them]` an element has ended, but what follows it says that it is none.
        let accepted = &bytes[..(self.parser.offset() - start) as usize];
        let has_element = self.element_end.is_some_and(|end| {
            let behind = &accepted[(end.saturating_sub(start) as usize).min(accepted.len())..];
            behind.iter().any(|byte| !SPACE.contains(byte))
        });
        match fed {
            Ok(()) => Ok(has_member || has_element || self.parser.is_complete()),
            // Behind a whole value comes more text.
            Err(error) if has_member || has_element || error.kind() == ErrorKind::TrailingBytes => Ok(true),
            Err(error) => Err(error.offset()),
        }
    }
}
