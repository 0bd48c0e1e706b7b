//! Reads one text of many, whose end the caller determines. Such a text can end after its root, and fail for a reason
//! outside the text.

use super::engine::Engine;
use super::output::Callback;
use super::{Parser, TokenOutput, Translator};
use crate::error::{DeviationKind, Error, ErrorKind, Fault, Interrupted, unless_interrupted};
use crate::event::Event;
use crate::tokenizer::Stops;

impl Parser {
    /// Disables stopping at the root, because the caller determines where the text ends.
    pub(crate) fn read_on_after_root(&mut self) {
        self.engine.stop_at_root(false);
    }

    /// Returns true if the root value has closed, whatever deviations it has.
    #[doc(hidden)]
    #[must_use]
    pub fn has_root_ended(&self) -> bool {
        self.engine.has_root_ended()
    }

    /// Returns true if the text has neither ended nor failed.
    pub(crate) fn is_open(&self) -> bool {
        self.engine.outcome.is_open()
    }

    /// Returns true if only white space has been read.
    pub(crate) fn is_before_root(&self) -> bool {
        let is_idle = self.engine.translator.as_deref().is_none_or(Translator::is_idle);
        self.is_open() && is_idle && self.engine.document.tokenizer.is_before_root()
    }

    /// Returns true if the root value is a number that may continue.
    #[doc(hidden)]
    #[must_use]
    pub fn is_in_root_number(&self) -> bool {
        self.engine.document.tokenizer.is_in_root_number()
    }

    /// Returns true if a string or key is open.
    #[doc(hidden)]
    #[must_use]
    pub fn is_in_string(&self) -> bool {
        self.engine.document.tokenizer.is_in_string()
    }

    /// Returns true if the parser may tolerate deviations.
    #[doc(hidden)]
    #[must_use]
    pub fn is_lenient(&self) -> bool {
        self.engine.translator.is_some()
    }

    /// Returns true if comments are tolerated wherever white space is allowed.
    pub(crate) fn goes_past_comments(&self) -> bool {
        let goes_past = |translator: &dyn Translator| translator.allowed().allows(DeviationKind::Comments);
        self.engine.translator.as_deref().is_some_and(goes_past)
    }

    /// Parses a chunk like [`feed_with`](Self::feed_with), without a fast path for pieces of strings.
    #[doc(hidden)]
    pub fn feed_dyn(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        let chunk = &mut Stops::of(chunk);
        unless_interrupted(&mut self.engine, |engine| engine.feed_any(chunk, &mut Callback::new(on_event).as_dyn()))
    }

    /// Parses a chunk up to the end of the root value. Returns the number of bytes read.
    #[doc(hidden)]
    pub fn feed_value_with(&mut self, chunk: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<usize, Error> {
        unless_interrupted(&mut self.engine, |engine| {
            let piece = &Stops::of(chunk);
            // To keep the module small, the fast path is compiled once, for parsers of a single text.
            let is_wasm = cfg!(target_arch = "wasm32");
            let taken = if is_wasm { None } else { engine.pass_string_piece(piece, Callback::new(&mut on_event)) };
            match taken {
                Some(fed) => fed.map(|()| chunk.len()),
                None => engine.feed_value(chunk, &mut Callback::<dyn FnMut(Event<'_>)>::new(&mut on_event).as_dyn()),
            }
        })
    }

    /// Fails the text after its last byte, for a reason that only the caller knows.
    #[doc(hidden)]
    pub fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        let fault = Fault::new(kind, self.engine.document.tokenizer.offset(), expected);
        self.engine.fail(&fault);
    }

    pub(crate) fn error_of_call(&self, kind: ErrorKind, expected: &'static str) -> Error {
        self.engine.error_of_call(kind, expected)
    }
}

impl Interrupted for Engine {
    fn interrupt(&mut self) {
        let offset = self.document.tokenizer.offset();
        let (line, column) = self.document.tokenizer.line_and_column(offset);
        // The path is omitted, because a follower may have been interrupted halfway.
        let expected = "expected callbacks that return";
        self.document.tokenizer.stop_after_root(self.stops_at_root);
        self.fail_again(Error::at(ErrorKind::Panicked, (offset, line, column), None, expected));
    }
}
