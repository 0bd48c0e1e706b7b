//! Values by path, which some wire formats send instead of text.
//!
//! Each value is written as JSON text, which is then read like any other fragment. So patterns, limits, snapshots and
//! the verdict apply as usual, without a second parser. This file owns the order of the values: which containers are
//! open, and what may follow.

use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::internal::write_escaped;
use jsonspigot::internal::{ConcreteStep, concrete_steps};
use jsonspigot::{Parser, Retain};

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

/// The position in the text that has been written so far.
///
/// Values arrive in document order. A container opens when a path enters it and closes when a path leaves it, and a
/// closed container can't be entered again. The elements of an array arrive in order, from index 0. No other value may
/// arrive between the pieces of a string.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueWriter {
    /// The path of the newest value, whose containers are open; `None` before the first value.
    newest: Option<Vec<Step>>,
    /// True if the newest value is an open string.
    has_open_string: bool,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(String),
    Index(u64),
}

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
        let steps = steps(path)?;
        let is_piece = matches!(value, PathValue::Text { .. });
        let goes_on = self.has_open_string && is_piece && self.newest.as_ref() == Some(&steps);
        if !goes_on {
            self.begin(steps, out)?;
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
        if let (Some(newest), false) = (&self.newest, self.has_open_string) {
            close(newest, out);
        }
    }

    /// Moves to a path that has no value yet, closing and opening containers on the way. Fails if it is out of order.
    fn begin(&mut self, steps: Vec<Step>, out: &mut String) -> Result<(), Disorder> {
        if self.has_open_string {
            return Err("expected the open string to end first");
        }
        let newest = self.newest.as_deref().unwrap_or_default();
        let shared = newest.iter().zip(&steps).take_while(|(newest, step)| newest == step).count();
        let next = newest.get(shared).zip(steps.get(shared));
        if self.newest.is_some() && next.is_none() {
            return Err("expected a path that has no value yet");
        }
        let inside = &steps[shared + usize::from(next.is_some())..];
        if inside.iter().any(|step| matches!(step, Step::Index(1..))) {
            return Err("expected an array to begin with index 0");
        }
        match next {
            None | Some((Step::Name(_), Step::Name(_))) => {}
            Some((Step::Index(newest), Step::Index(index))) if newest + 1 == *index => {}
            Some((Step::Index(_), Step::Index(_))) => return Err("expected the next index of an array"),
            Some(_) => return Err("expected an index in an array, or a name in an object"),
        }
        if let Some((_, step)) = next {
            close(&newest[shared + 1..], out);
            out.push(',');
            step.write_name(out);
        }
        for step in inside {
            out.push(if matches!(step, Step::Index(_)) { '[' } else { '{' });
            step.write_name(out);
        }
        self.newest = Some(steps);
        Ok(())
    }
}

impl Step {
    /// Writes the name of a member, and the colon after it.
    fn write_name(&self, out: &mut String) {
        if let Self::Name(name) = self {
            out.push('"');
            // Writing to a string cannot fail.
            let _ = write_escaped(out, name);
            out.push_str("\":");
        }
    }
}

/// Closes the containers that these steps lead into.
fn close(steps: &[Step], out: &mut String) {
    out.extend(steps.iter().rev().map(|step| if matches!(step, Step::Index(_)) { ']' } else { '}' }));
}

fn is_number(text: &str) -> bool {
    let mut parser = Parser::builder().retain(Retain::Nothing).build();
    let is_read = parser.feed_dyn(text.as_bytes(), &mut |_| {}).is_ok() && parser.is_in_root_number();
    is_read && parser.finish_with(|_| {}).is_ok() && !text.starts_with([' ', '\t', '\n', '\r'])
}

fn steps(path: &str) -> Result<Vec<Step>, Disorder> {
    let owned = |step: ConcreteStep<'_>| match step {
        ConcreteStep::Index(index) => Some(Step::Index(index)),
        ConcreteStep::Inside => None,
        ConcreteStep::Name(_) | ConcreteStep::Quoted(_) => Some(Step::Name(step.name())),
    };
    let steps = concrete_steps(path).map(|step| step.and_then(owned));
    steps.collect::<Option<_>>().ok_or("expected a concrete path, such as $.a[0]")
}
