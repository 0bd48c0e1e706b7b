//! Input that comes as values by path, which only some wire formats have: [`ReadsValues`].

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::event::InputEvent;
use crate::error::Error;
use crate::parser::{Atom, Parser, Told, ValueFeed};

/// A value, or a piece of one, for a path.
#[derive(Clone, Copy)]
pub(crate) enum PathValue<'a> {
    Atom(Atom<'a>),
    Text { text: &'a str, has_ended: bool },
}

/// A [`ValueFeed`] behind a pointer, so that a program whose wire formats send no values by path does not carry its code,
/// which would be a tenth of what tool calls take.
pub(super) trait ReadsValues: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn parser(&self) -> &Parser;

    /// The text that the last operation came to.
    fn written(&self) -> &str;

    fn write(&mut self, path: &str, value: PathValue<'_>, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error>;

    fn close(&mut self, path: &str, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error>;

    fn end(&mut self, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error>;

    /// What the values lack, were they to end here, with what is open left open.
    fn why_incomplete(&self) -> Option<Error>;

    /// The text, were it to end here.
    fn ended(&self) -> Option<String>;

    /// The feed itself, for whoever saves it.
    fn feed(&self) -> &ValueFeed;

    fn clone_boxed(&self) -> Box<dyn ReadsValues>;
}

// Its text is what there is to see; all else would bring in the printing of whatever a parser consists of.
impl fmt::Debug for dyn ReadsValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReadsValues").field(&self.parser().text()).finish()
    }
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
        match value {
            PathValue::Atom(atom) => self.set_with(path, atom, &mut forward(tell)),
            PathValue::Text { text, .. } => self.append_with(path, text, &mut forward(tell)),
        }
    }

    fn close(&mut self, path: &str, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        self.close_with(path, &mut forward(tell))
    }

    fn end(&mut self, tell: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        self.finish_with(&mut forward(tell))
    }

    fn why_incomplete(&self) -> Option<Error> {
        self.parser().clone().finish_with(|_| {}).err()
    }

    fn ended(&self) -> Option<String> {
        let mut feed = self.clone();
        feed.finish_with(&mut |_| {}).ok()?;
        feed.parser().complete().ok().map(|value| value.text().to_owned())
    }

    fn feed(&self) -> &ValueFeed {
        self
    }

    fn clone_boxed(&self) -> Box<dyn ReadsValues> {
        Box::new(self.clone())
    }
}

fn forward<'t>(tell: &'t mut dyn FnMut(InputEvent<'_>)) -> impl FnMut(Told<'_>) + use<'t> {
    move |told| {
        tell(match told {
            Told::Text(text) => InputEvent::Fragment(text),
            Told::Event(event) => InputEvent::Match(event),
        });
    }
}
