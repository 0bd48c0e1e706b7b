//! Input that comes as values by path, which only some wire formats have: [`ReadsValues`].

use alloc::boxed::Box;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use serde_json::Value;

use super::input::InputEvent;
use crate::error::Error;
use crate::parser::{Atom, Parser, ValueFeed, Written};

/// A value, or a piece of one, for a path.
#[derive(Clone, Copy)]
pub(crate) enum PathValue<'a> {
    Atom(Atom<'a>),
    Text { text: &'a str, has_ended: bool },
}

/// A [`ValueFeed`], out of sight: whoever never makes one does not carry its code, a tenth of what tool calls take.
pub(super) trait ReadsValues: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    fn parser(&self) -> &Parser;

    /// The text that the last operation came to.
    fn written(&self) -> &str;

    fn write(&mut self, path: &str, value: PathValue<'_>, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error>;

    fn close(&mut self, path: &str, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error>;

    fn end(&mut self, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error>;

    /// What the values lack, were they to end here, with what is open left open.
    fn why_incomplete(&self) -> Option<Error>;

    /// The value, were it to end here.
    fn value(&self) -> Option<Value>;

    fn clone_boxed(&self) -> Box<dyn ReadsValues>;
}

impl Clone for Box<dyn ReadsValues> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}

impl ReadsValues for ValueFeed {
    fn parser(&self) -> &Parser {
        self.parser()
    }

    fn written(&self) -> &str {
        self.written()
    }

    fn write(&mut self, path: &str, value: PathValue<'_>, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        let written = match value {
            PathValue::Atom(atom) => self.write_atom(path, atom),
            PathValue::Text { text, .. } => self.write_text(path, text),
        };
        tell_written(written, tell)
    }

    fn close(&mut self, path: &str, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        tell_written(self.write_close(path), tell)
    }

    fn end(&mut self, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        tell_written(self.write_end(), tell)
    }

    fn why_incomplete(&self) -> Option<Error> {
        self.parser().clone().finish_with(|_| {}).err()
    }

    fn value(&self) -> Option<Value> {
        let mut feed = self.clone();
        feed.finish().find_map(Result::err).is_none().then(|| feed.parser().deserialize().ok())?
    }

    fn clone_boxed(&self) -> Box<dyn ReadsValues> {
        Box::new(self.clone())
    }
}

/// Tells what an operation has written, then the events, and gives the error.
fn tell_written(written: Written<'_>, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
    if !written.text.is_empty() {
        tell(InputEvent::Fragment(written.text));
    }
    for event in written.events {
        tell(InputEvent::Match(event?));
    }
    Ok(())
}
