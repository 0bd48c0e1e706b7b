//! Reading one text of many, where somebody else says where it ends: to stop after the
//! root, and to fail for a reason that is not in the text.

use super::engine::Engine;
use super::output::Callback;
use super::{Parser, Translator};
use crate::error::{DeviationKind, Error, ErrorKind, Fault, Interrupted, unless_interrupted};
use crate::event::Event;
use crate::tokenizer::Stops;

impl Parser {
    /// Somebody else says where the text ends, so it does not stop at the root.
    pub(crate) fn read_on_after_root(&mut self) {
        self.engine.stop_at_root(false);
    }

    /// Returns true if the root value has closed, whatever deviations it has.
    pub(crate) fn has_root_ended(&self) -> bool {
        self.engine.has_root_ended()
    }

    /// Returns true if the end has not come, nor an error.
    pub(crate) fn is_open(&self) -> bool {
        self.engine.outcome.is_open()
    }

    /// Returns true if nothing but white space has come.
    pub(crate) fn is_before_root(&self) -> bool {
        let is_idle = self.engine.translator.as_deref().is_none_or(Translator::is_idle);
        self.is_open() && is_idle && self.engine.tokenizer.is_before_root()
    }

    /// Returns true if the root value is a number that may go on.
    pub(crate) fn is_in_root_number(&self) -> bool {
        self.engine.tokenizer.is_in_root_number()
    }

    /// Returns true if it may go past deviations.
    pub(crate) fn is_lenient(&self) -> bool {
        self.engine.translator.is_some()
    }

    /// Returns true if comments may stand where white space may.
    pub(crate) fn goes_past_comments(&self) -> bool {
        let goes_past = |translator: &dyn Translator| translator.allowed().allows(DeviationKind::Comments);
        self.engine.translator.as_deref().is_some_and(goes_past)
    }

    /// The same as [`feed_with`](Self::feed_with), where a string's piece is no likelier than anything else.
    pub(crate) fn feed_dyn(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        let chunk = &mut Stops::of(chunk);
        unless_interrupted(&mut self.engine, |engine| engine.feed_any(chunk, &mut Callback::new(on_event)))
    }

    /// The same for a chunk of one of many texts.
    pub(crate) fn feed_text_with(&mut self, chunk: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<(), Error> {
        let chunk = &mut Stops::of(chunk);
        match self.take_string_piece(chunk, &mut on_event) {
            Some(fed) => fed,
            None => unless_interrupted(&mut self.engine, |engine| {
                engine.feed_any(chunk, &mut Callback::<dyn FnMut(Event<'_>)>::new(&mut on_event))
            }),
        }
    }

    /// The same up to the end of the root value; returns how many bytes that took.
    pub(crate) fn feed_value_with(
        &mut self,
        chunk: &[u8],
        mut on_event: impl FnMut(Event<'_>),
    ) -> Result<usize, Error> {
        match self.take_string_piece(&Stops::of(chunk), &mut on_event) {
            Some(fed) => fed.map(|()| chunk.len()),
            None => unless_interrupted(&mut self.engine, |engine| {
                engine.feed_value(chunk, &mut Callback::<dyn FnMut(Event<'_>)>::new(&mut on_event))
            }),
        }
    }

    #[inline]
    fn take_string_piece(
        &mut self,
        chunk: &Stops<'_>,
        on_event: &mut impl FnMut(Event<'_>),
    ) -> Option<Result<(), Error>> {
        // A small module has the fast path once, for parsers of a single text.
        if cfg!(target_arch = "wasm32") {
            return None;
        }
        unless_interrupted(&mut self.engine, |engine| {
            engine.take_string_piece(chunk, |tracker, text, at| {
                tracker.delta(text, at, &mut Callback::new(on_event));
            })
        })
    }

    /// The text fails after its last byte, for a reason that only the caller knows.
    pub(crate) fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        let fault = Fault::new(kind, self.engine.tokenizer.offset(), expected);
        self.engine.fail(&fault);
    }

    pub(crate) fn error_of_call(&self, kind: ErrorKind, expected: &'static str) -> Error {
        self.engine.error_of_call(kind, expected)
    }
}

impl Interrupted for Engine {
    fn interrupt(&mut self) {
        let offset = self.tokenizer.offset();
        let (line, column) = self.tokenizer.line_and_column(offset);
        // The path is not asked for: whoever follows it may have got half as far.
        let expected = "expected callbacks that return";
        self.tokenizer.stop_after_root(self.stops_at_root);
        self.fail_again(Error::at(ErrorKind::Panicked, (offset, line, column), None, expected));
    }
}
