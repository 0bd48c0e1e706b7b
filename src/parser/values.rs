//! The parser's second input: values by path, for streams that carry no JSON text.
//!
//! Each operation is checked for order, and the JSON text that it stands for is written into the same engine. So
//! patterns, limits, snapshots, retention and the strict value work in the same way, and there is no second parser.

use alloc::string::String;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::engine::Outcome;
use super::{DuplicateKeys, Events, Parser, ParserBuilder};
use crate::document::write_escaped;
use crate::error::{Error, ErrorKind, Fault};
#[cfg(feature = "tool-calls")]
use crate::event::Event;
use crate::path::{ConcreteStep, Segment, concrete_steps};
use crate::pattern::PatternSet;

/// A value without parts, for [`ValueFeed::set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as JSON spells it.
    Number(&'a str),
}

/// A parser that is fed values by path instead of JSON text.
///
/// Values come in document order. Containers open as paths need them and close when a path leaves them; what has
/// closed can't be entered again. An array's elements come one after the other, from 0. A string grows by
/// [`append`](Self::append) until [`close`](Self::close), and nothing else may come in between. An operation out of
/// order is an [`ErrorKind::OutOfOrder`], and a repeated key an [`ErrorKind::DuplicateKey`]; both stick.
///
/// Events are those of the JSON text that the values make, and offsets count in that text. [`parser`](Self::parser)
/// gives the text, the snapshot and, after [`finish`](Self::finish), the complete value.
///
/// ```
/// use jsonspigot::{Atom, EventKind, Parser, PatternSet, ValueFeed};
///
/// let patterns = PatternSet::new(["steps[*]"])?;
/// let mut feed = ValueFeed::new(Parser::builder().snapshots(), &patterns);
/// feed.set("$.servings", Atom::Number("4")).check()?;
/// let last = feed.append("$.steps[0]", "Cook ").last().unwrap()?;
/// assert!(matches!(last.kind, EventKind::Delta("Cook ")));
/// feed.append("$.steps[0]", "lasagna").check()?;
/// feed.close("$.steps[0]").check()?;
/// assert_eq!(feed.parser().snapshot().unwrap().to_string(), r#"{"servings":4,"steps":["Cook lasagna"]}"#);
/// feed.finish().check()?;
/// let value: serde_json::Value = feed.parser().deserialize()?;
/// assert_eq!(value["steps"][0], "Cook lasagna");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ValueFeed {
    pub(crate) parser: Parser,
    /// The open containers, outermost first, each with its newest child.
    pub(crate) open: Vec<OpenedByPath>,
    /// Whether the newest child of the innermost container, or the root, is an open string.
    pub(crate) has_open_string: bool,
    pub(crate) has_root: bool,
    /// The JSON text of the last operation.
    written: String,
}

#[derive(Clone, Debug)]
pub(crate) enum OpenedByPath {
    Object { newest: String },
    Array { newest: u64 },
}

impl OpenedByPath {
    fn newest_is(&self, step: ConcreteStep<'_>) -> bool {
        step.is(match self {
            Self::Object { newest } => Segment::Key(newest),
            Self::Array { newest } => Segment::Index(*newest),
        })
    }
}

/// The steps of a path: usually few enough to need no allocation.
type Steps<'a> = SmallVec<[ConcreteStep<'a>; 8]>;

/// Why an operation can't follow those before it.
type Disorder = &'static str;

impl ValueFeed {
    /// A feed into a parser with these choices. Duplicate keys are always rejected.
    #[must_use]
    pub fn new(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let parser = builder.duplicate_keys(DuplicateKeys::Reject).build(patterns);
        Self { parser, open: Vec::new(), has_open_string: false, has_root: false, written: String::new() }
    }

    /// The parser behind the feed: its snapshot, its text, and after [`finish`](Self::finish) its value.
    #[must_use]
    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Sets the value at a concrete path (`$.a[0]`, `a[0]`) to an atom.
    pub fn set(&mut self, path: &str, atom: Atom<'_>) -> Events<'_> {
        let step = self.write_atom(path, atom);
        self.feed_written(step)
    }

    /// Appends text to the string at a concrete path, which it begins if it is new.
    pub fn append(&mut self, path: &str, text: &str) -> Events<'_> {
        let step = self.write_text(path, text);
        self.feed_written(step)
    }

    /// Closes the string or container at a concrete path, and what is open inside it.
    pub fn close(&mut self, path: &str) -> Events<'_> {
        let step = self.write_close(path);
        self.feed_written(step)
    }

    /// The end of input: closes the open containers and finishes the parser.
    ///
    /// An open string is not closed: then the text is incomplete. It is also incomplete if there were no values.
    pub fn finish(&mut self) -> Events<'_> {
        self.write_end();
        let Self { parser: Parser { engine, queue }, written, .. } = self;
        queue.clear();
        let fed = engine.feed_any(written.as_bytes(), queue).and_then(|()| engine.finish(queue));
        Events::new(&self.parser, None, fed.err())
    }

    fn write_atom(&mut self, path: &str, atom: Atom<'_>) -> Result<(), Disorder> {
        self.written.clear();
        self.begin(path).and_then(|()| {
            match atom {
                Atom::Null => self.written.push_str("null"),
                Atom::Bool(true) => self.written.push_str("true"),
                Atom::Bool(false) => self.written.push_str("false"),
                Atom::Number(text) => {
                    let is_one_number = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
                    if text.is_empty() || !is_one_number {
                        return Err("expected a number");
                    }
                    // The blank ends the number, so that it is told at once.
                    self.written.push_str(text);
                    self.written.push(' ');
                }
            }
            Ok(())
        })
    }

    fn write_text(&mut self, path: &str, text: &str) -> Result<(), Disorder> {
        self.written.clear();
        let step = if self.has_open_string && self.is_newest(path) {
            Ok(())
        } else {
            self.begin(path).map(|()| {
                self.has_open_string = true;
                self.written.push('"');
            })
        };
        // Writing to a string cannot fail.
        let _ = write_escaped(&mut self.written, text);
        step
    }

    fn write_close(&mut self, path: &str) -> Result<(), Disorder> {
        self.written.clear();
        if self.has_open_string && self.is_newest(path) {
            self.has_open_string = false;
            self.written.push('"');
            Ok(())
        } else if self.has_open_string {
            Err("expected the open string to be closed first")
        } else {
            self.close_container(path)
        }
    }

    fn write_end(&mut self) {
        self.written.clear();
        if !self.has_open_string {
            self.close_containers_above(0);
        }
    }

    /// Feeds what the operation has written, or fails for good. After the end, nothing is written or fed.
    fn feed_written(&mut self, step: Result<(), Disorder>) -> Events<'_> {
        match self.settle(step) {
            Ok(()) => self.parser.feed(&self.written),
            Err(error) => {
                self.parser.queue.clear();
                Events::new(&self.parser, None, Some(error))
            }
        }
    }

    /// Undoes what was written out of order, which fails for good, or after the end, which is this operation's error.
    fn settle(&mut self, step: Result<(), Disorder>) -> Result<(), Error> {
        let engine = &mut self.parser.engine;
        if let Err(expected) = step {
            // A part of it may have been written.
            self.written.clear();
            if engine.outcome.is_open() {
                let fault = Fault::new(ErrorKind::OutOfOrder, engine.tokenizer.offset(), expected);
                engine.fail(&fault);
            }
        }
        if matches!(engine.outcome, Outcome::Finished) {
            // What the operation has written and opened is undone.
            self.written.clear();
            self.open.clear();
            self.has_open_string = false;
            return Err(engine.error_of_call(ErrorKind::Finished, "expected no values after the end"));
        }
        Ok(())
    }

    /// Goes to a path that has no value yet, closing and opening containers on the way.
    fn begin(&mut self, path: &str) -> Result<(), Disorder> {
        let steps = steps(path)?;
        if self.has_open_string {
            return Err("expected the open string to be closed first");
        }
        let shared = self.open.iter().zip(&steps).take_while(|(open, step)| open.newest_is(**step)).count();
        if !self.has_root {
            self.has_root = true;
        } else if shared == steps.len() || shared == self.open.len() {
            return Err("expected a path that has no value yet");
        } else {
            self.close_containers_above(shared + 1);
            self.next_child(steps[shared])?;
        }
        let is_new = usize::from(!self.open.is_empty());
        for step in &steps[(shared + is_new).min(steps.len())..] {
            self.open_with(*step)?;
        }
        Ok(())
    }

    /// Moves the innermost container on to a new child.
    fn next_child(&mut self, step: ConcreteStep<'_>) -> Result<(), Disorder> {
        self.written.push(',');
        match (self.open.last_mut(), step) {
            (Some(OpenedByPath::Array { newest }), ConcreteStep::Index(index)) => {
                if *newest + 1 != index {
                    return Err("expected the next index of an array");
                }
                *newest = index;
            }
            (Some(OpenedByPath::Object { newest }), ConcreteStep::Name(_) | ConcreteStep::Quoted(_)) => {
                *newest = step.name();
                self.write_newest_key();
            }
            _ => return Err("expected the kind of container that is open"),
        }
        Ok(())
    }

    /// Opens the container that the step is the first child of.
    fn open_with(&mut self, step: ConcreteStep<'_>) -> Result<(), Disorder> {
        match step {
            ConcreteStep::Index(0) => {
                self.written.push('[');
                self.open.push(OpenedByPath::Array { newest: 0 });
            }
            ConcreteStep::Index(_) => return Err("expected an array to begin with index 0"),
            ConcreteStep::Inside => return Err("expected a path that does not lead into a string"),
            ConcreteStep::Name(_) | ConcreteStep::Quoted(_) => {
                self.written.push('{');
                self.open.push(OpenedByPath::Object { newest: step.name() });
                self.write_newest_key();
            }
        }
        Ok(())
    }

    fn write_newest_key(&mut self) {
        if let Some(OpenedByPath::Object { newest }) = self.open.last() {
            self.written.push('"');
            // Writing to a string cannot fail.
            let _ = write_escaped(&mut self.written, newest);
            self.written.push_str("\":");
        }
    }

    fn close_container(&mut self, path: &str) -> Result<(), Disorder> {
        let steps = steps(path)?;
        if steps.len() < self.open.len() && self.is_open(&steps) {
            self.close_containers_above(steps.len());
            Ok(())
        } else {
            Err("expected the path of an open value")
        }
    }

    fn close_containers_above(&mut self, depth: usize) {
        for container in self.open.drain(depth.min(self.open.len())..).rev() {
            self.written.push(if matches!(container, OpenedByPath::Object { .. }) { '}' } else { ']' });
        }
    }

    /// Whether a path leads to the newest value.
    fn is_newest(&self, path: &str) -> bool {
        steps(path).is_ok_and(|steps| steps.len() == self.open.len() && self.is_open(&steps))
    }

    /// Whether the steps lead along the newest children, as far as both go.
    fn is_open(&self, steps: &[ConcreteStep<'_>]) -> bool {
        self.open.iter().zip(steps).all(|(open, step)| open.newest_is(*step))
    }
}

/// The same operations for tool calls, which also tell the text that each comes to, before its events.
#[cfg(feature = "tool-calls")]
impl ValueFeed {
    /// What the last operation has written: all of it, including what a limit cut off; empty if it was out of order.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    pub(crate) fn set_with(&mut self, path: &str, atom: Atom<'_>, tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Error> {
        let step = self.write_atom(path, atom);
        self.settle(step)?;
        self.feed_with(tell)
    }

    pub(crate) fn append_with(&mut self, path: &str, text: &str, tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Error> {
        let step = self.write_text(path, text);
        self.settle(step)?;
        self.feed_with(tell)
    }

    pub(crate) fn close_with(&mut self, path: &str, tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Error> {
        let step = self.write_close(path);
        self.settle(step)?;
        self.feed_with(tell)
    }

    pub(crate) fn finish_with(&mut self, tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Error> {
        self.write_end();
        self.feed_with(tell)?;
        self.parser.finish_with(|event| tell(Told::Event(event)))
    }

    fn feed_with(&mut self, tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Error> {
        if !self.written.is_empty() {
            tell(Told::Text(&self.written));
        }
        self.parser.feed_text_with(self.written.as_bytes(), |event| tell(Told::Event(event)))
    }
}

/// What an operation is told as.
#[cfg(feature = "tool-calls")]
pub(crate) enum Told<'a> {
    Text(&'a str),
    Event(Event<'a>),
}

fn steps(path: &str) -> Result<Steps<'_>, Disorder> {
    let in_document = |step: &ConcreteStep<'_>| !step.is_inside();
    let steps = concrete_steps(path).map(|step| step.filter(in_document));
    steps.collect::<Option<_>>().ok_or("expected a concrete path, such as $.a[0]")
}
