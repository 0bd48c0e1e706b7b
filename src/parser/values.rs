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
use crate::error::{ErrorKind, Fault};
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
    parser: Parser,
    /// The open containers, outermost first, each with its newest child.
    open: Vec<OpenContainer>,
    /// Whether the newest child of the innermost container, or the root, is an open string.
    has_open_string: bool,
    has_root: bool,
    /// The JSON text of the last operation.
    written: String,
}

#[derive(Clone, Debug)]
enum OpenContainer {
    Object { newest: String },
    Array { newest: u64 },
}

impl OpenContainer {
    fn newest_is(&self, step: ConcreteStep<'_>) -> bool {
        step.is(match self {
            Self::Object { newest } => Segment::Key(newest),
            Self::Array { newest } => Segment::Index(*newest),
        })
    }
}

/// The JSON text of an operation, and the result of feeding it.
pub(crate) struct Written<'a> {
    /// All of it, including what a limit cut off; empty if the operation was out of order.
    #[cfg_attr(not(feature = "tool-calls"), expect(dead_code, reason = "tool calls tell it"))]
    pub(crate) text: &'a str,
    pub(crate) events: Events<'a>,
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
        self.write_atom(path, atom).events
    }

    /// Appends text to the string at a concrete path, which it begins if it is new.
    pub fn append(&mut self, path: &str, text: &str) -> Events<'_> {
        self.write_text(path, text).events
    }

    /// Closes the string or container at a concrete path, and what is open inside it.
    pub fn close(&mut self, path: &str) -> Events<'_> {
        self.write_close(path).events
    }

    /// The end of input: closes the open containers and finishes the parser.
    ///
    /// An open string is not closed: then the text is incomplete. It is also incomplete if there were no values.
    pub fn finish(&mut self) -> Events<'_> {
        self.write_end().events
    }

    /// What the last operation has written.
    #[cfg(feature = "tool-calls")]
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// [`set`](Self::set), with what it has written.
    pub(crate) fn write_atom(&mut self, path: &str, atom: Atom<'_>) -> Written<'_> {
        self.written.clear();
        let step = self.begin(path).and_then(|()| {
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
        });
        self.feed_written(step)
    }

    /// [`append`](Self::append), with what it has written.
    pub(crate) fn write_text(&mut self, path: &str, text: &str) -> Written<'_> {
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
        self.feed_written(step)
    }

    /// [`close`](Self::close), with what it has written.
    pub(crate) fn write_close(&mut self, path: &str) -> Written<'_> {
        self.written.clear();
        let step = if self.has_open_string && self.is_newest(path) {
            self.has_open_string = false;
            self.written.push('"');
            Ok(())
        } else if self.has_open_string {
            Err("expected the open string to be closed first")
        } else {
            self.close_container(path)
        };
        self.feed_written(step)
    }

    /// [`finish`](Self::finish), with what it has written.
    pub(crate) fn write_end(&mut self) -> Written<'_> {
        self.written.clear();
        if !self.has_open_string {
            self.close_containers_above(0);
        }
        let Self { parser: Parser { engine, queue }, written, .. } = self;
        queue.clear();
        let fed = engine.feed_any(written.as_bytes(), queue).and_then(|()| engine.finish(queue));
        Written { text: written, events: Events::new(&self.parser, fed.err()) }
    }

    /// Feeds what the operation has written, or fails for good. After the end, nothing is written or fed.
    fn feed_written(&mut self, step: Result<(), Disorder>) -> Written<'_> {
        let engine = &mut self.parser.engine;
        if let Err(expected) = step {
            // A part of it may have been written.
            self.written.clear();
            if let Outcome::Open = &engine.outcome {
                let fault = Fault::new(ErrorKind::OutOfOrder, engine.tokenizer.offset(), expected);
                engine.fail(&fault);
            }
        }
        if matches!(engine.outcome, Outcome::Finished) {
            // What the operation has written and opened is undone.
            self.written.clear();
            self.open.clear();
            self.has_open_string = false;
            let error = engine.error_of_call(ErrorKind::Finished, "expected no values after the end");
            self.parser.queue.clear();
            return Written { text: "", events: Events::new(&self.parser, Some(error)) };
        }
        Written { text: &self.written, events: self.parser.feed(&self.written) }
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
            (Some(OpenContainer::Array { newest }), ConcreteStep::Index(index)) => {
                if *newest + 1 != index {
                    return Err("expected the next index of an array");
                }
                *newest = index;
            }
            (Some(OpenContainer::Object { newest }), ConcreteStep::Name(_) | ConcreteStep::Quoted(_)) => {
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
                self.open.push(OpenContainer::Array { newest: 0 });
            }
            ConcreteStep::Index(_) => return Err("expected an array to begin with index 0"),
            ConcreteStep::Name(_) | ConcreteStep::Quoted(_) => {
                self.written.push('{');
                self.open.push(OpenContainer::Object { newest: step.name() });
                self.write_newest_key();
            }
        }
        Ok(())
    }

    fn write_newest_key(&mut self) {
        if let Some(OpenContainer::Object { newest }) = self.open.last() {
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
            self.written.push(if matches!(container, OpenContainer::Object { .. }) { '}' } else { ']' });
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

fn steps(path: &str) -> Result<Steps<'_>, Disorder> {
    concrete_steps(path).collect::<Option<_>>().ok_or("expected a concrete path, such as $.a[0]")
}
