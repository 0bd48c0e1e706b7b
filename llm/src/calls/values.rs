//! Values by path, which some wire formats send instead of text.
//!
//! Each value is written as JSON text, which is then read like any other fragment. So patterns, limits, snapshots and
//! the verdict apply as usual, without a second parser. This file owns the order of the values: which containers are
//! open, and what may follow.

use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::internal::write_escaped;
use jsonspigot::internal::{ConcreteStep, concrete_steps};
use jsonspigot::{Parser, Retain, Segment};
use smallvec::SmallVec;

/// A value, or a piece of a string, that is sent for a path.
#[derive(Clone, Copy)]
pub(crate) enum PathValue<'a> {
    Null,
    Bool(bool),
    /// A number in JSON's spelling.
    Number(&'a str),
    /// The next piece of a string; the last piece ends it.
    Text {
        text: &'a str,
        has_ended: bool,
    },
}

/// The open part of the text that has been written so far.
///
/// Values arrive in document order. A container opens when a path enters it and closes when a path leaves it, and a
/// closed container can't be entered again. The elements of an array arrive in order, from index 0. No other value may
/// arrive between the pieces of a string.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueWriter {
    /// The open containers, outermost first, each with its newest child.
    open: Vec<OpenContainer>,
    /// True if the newest child of the innermost container, or the root, is an open string.
    has_open_string: bool,
    has_root: bool,
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

    /// Fails if `step` can't be the next child of this container.
    fn check_next(&self, step: ConcreteStep<'_>) -> Result<(), Disorder> {
        match (self, step) {
            (Self::Array { newest }, ConcreteStep::Index(index)) if *newest + 1 == index => Ok(()),
            (Self::Array { .. }, ConcreteStep::Index(_)) => Err("expected the next index of an array"),
            (Self::Object { .. }, ConcreteStep::Name(_) | ConcreteStep::Quoted(_)) => Ok(()),
            _ => Err("expected an index in an array, or a name in an object"),
        }
    }

    /// Begins a child that may come next, and writes its key if it is a member.
    fn begin_child(&mut self, step: ConcreteStep<'_>, out: &mut String) {
        match (self, step) {
            (Self::Array { newest }, ConcreteStep::Index(index)) => *newest = index,
            (Self::Array { .. }, _) => {}
            (Self::Object { newest }, step) => {
                *newest = step.name();
                out.push('"');
                // Writing to a string cannot fail.
                let _ = write_escaped(out, newest);
                out.push_str("\":");
            }
        }
    }
}

/// The steps of a path. Most paths are short enough to need no allocation.
type Steps<'a> = SmallVec<[ConcreteStep<'a>; 8]>;

/// The error message for a value out of order: what was expected instead.
pub(super) type Disorder = &'static str;

impl ValueWriter {
    /// Writes the text that a value at a concrete path (`$.a[0]`, `a[0]`) adds. Fails and writes nothing if the value
    /// is out of order.
    pub(super) fn write(&mut self, path: &str, value: PathValue<'_>, out: &mut String) -> Result<(), Disorder> {
        if let PathValue::Number(text) = value
            && !is_number(text)
        {
            return Err("expected a number");
        }
        let goes_on = self.has_open_string && self.is_newest(path);
        if !(goes_on && matches!(value, PathValue::Text { .. })) {
            self.begin(path, out)?;
        }
        match value {
            PathValue::Null => out.push_str("null"),
            PathValue::Bool(is_true) => out.push_str(if is_true { "true" } else { "false" }),
            // The space ends the number, so that it is reported at once.
            PathValue::Number(text) => {
                out.push_str(text);
                out.push(' ');
            }
            PathValue::Text { text, has_ended } => {
                if !goes_on {
                    out.push('"');
                }
                // Writing to a string cannot fail.
                let _ = write_escaped(out, text);
                if has_ended {
                    out.push('"');
                }
                self.has_open_string = !has_ended;
            }
        }
        Ok(())
    }

    /// Writes the ends of the open containers. Writes nothing while a string is open, which leaves the text incomplete.
    pub(super) fn end(&self, out: &mut String) {
        if !self.has_open_string {
            self.close_above(0, out);
        }
    }

    /// Moves to a path that has no value yet, closing and opening containers on the way. Fails if it is out of order.
    fn begin(&mut self, path: &str, out: &mut String) -> Result<(), Disorder> {
        let steps = steps(path)?;
        if self.has_open_string {
            return Err("expected the open string to end first");
        }
        let shared = self.open.iter().zip(&steps).take_while(|(open, step)| open.newest_is(**step)).count();
        let is_within = self.has_root && shared < steps.len() && shared < self.open.len();
        if self.has_root && !is_within {
            return Err("expected a path that has no value yet");
        }
        let inside = &steps[shared + usize::from(is_within)..];
        if inside.iter().any(|step| matches!(step, ConcreteStep::Index(1..))) {
            return Err("expected an array to begin with index 0");
        }
        if is_within {
            self.open[shared].check_next(steps[shared])?;
            self.close_above(shared + 1, out);
            self.open.truncate(shared + 1);
            out.push(',');
            self.open[shared].begin_child(steps[shared], out);
        }
        for step in inside {
            let is_index = matches!(step, ConcreteStep::Index(_));
            out.push(if is_index { '[' } else { '{' });
            let mut container = if is_index {
                OpenContainer::Array { newest: 0 }
            } else {
                OpenContainer::Object { newest: String::new() }
            };
            container.begin_child(*step, out);
            self.open.push(container);
        }
        self.has_root = true;
        Ok(())
    }

    fn close_above(&self, depth: usize, out: &mut String) {
        for container in self.open.iter().skip(depth).rev() {
            out.push(if matches!(container, OpenContainer::Object { .. }) { '}' } else { ']' });
        }
    }

    /// Returns true if the path is that of the newest value.
    fn is_newest(&self, path: &str) -> bool {
        let is_open = |steps: &Steps<'_>| self.open.iter().zip(steps).all(|(open, step)| open.newest_is(*step));
        steps(path).is_ok_and(|steps| steps.len() == self.open.len() && is_open(&steps))
    }
}

fn is_number(text: &str) -> bool {
    let mut parser = Parser::builder().retain(Retain::Nothing).build();
    let is_read = parser.feed_dyn(text.as_bytes(), &mut |_| {}).is_ok() && parser.is_in_root_number();
    is_read && parser.finish_with(|_| {}).is_ok() && !text.starts_with([' ', '\t', '\n', '\r'])
}

fn steps(path: &str) -> Result<Steps<'_>, Disorder> {
    let in_document = |step: &ConcreteStep<'_>| !matches!(step, ConcreteStep::Inside);
    let steps = concrete_steps(path).map(|step| step.filter(in_document));
    steps.collect::<Option<_>>().ok_or("expected a concrete path, such as $.a[0]")
}
