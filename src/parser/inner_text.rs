//! A JSON text inside a string: its own tokenizer, whose tokens go to the tracker of the document.
//!
//! The decoded text of the string is the input. While a string of this text is read inside, that text's tokens come
//! from within this one's, and so on: as deep as strings in strings go, which no pattern without as many `|` asks for,
//! and which doubles the length of the document's text with each level, since each escapes the one before. One
//! [`InnerText`] a level is made when it is first needed, and serves all texts of that level.

use alloc::boxed::Box;
use core::ops::Range;

use super::duplicate_keys::OpenKeys;
use super::kept_text::KeptText;
use super::output::{InnerOutput, LeveledOutput, Output};
use super::tracker::{OpenValues, Tracker};
use super::{DuplicateKeys, Retain};
use crate::error::{Deviation, Error, ErrorKind, Fault, Leniency};
use crate::tokenizer::{Interest, Limits, Sink, Tokenizer, ValueKind};

/// The parser's choices, as far as they apply to texts inside strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnerChoices {
    pub(super) limits: Limits,
    pub(super) retain: Retain,
    pub(super) duplicate_keys: DuplicateKeys,
}

/// The texts inside strings of the document.
#[derive(Clone, Debug)]
pub(crate) struct InnerTexts {
    choices: InnerChoices,
    /// The text of level 1, once there has been one.
    first: Option<Box<InnerText>>,
}

impl InnerTexts {
    pub(super) fn new(choices: InnerChoices) -> Self {
        Self { choices, first: None }
    }

    /// A string of the document begins that is read inside.
    pub(super) fn begin(&mut self) {
        begin(&mut self.first, self.choices);
    }

    /// The text of level 1.
    pub(super) fn first(&mut self) -> Option<&mut InnerText> {
        self.first.as_deref_mut()
    }

    /// A new chunk begins: what no open match needs any more is dropped.
    pub(super) fn release_kept(&mut self, open_levels: usize) {
        let mut next = self.first.as_deref_mut();
        let mut level = 1;
        while let Some(text) = next {
            if level <= open_levels && !text.has_failed {
                text.kept.release(text.tokenizer.offset());
            } else {
                text.kept.clear();
            }
            next = text.deeper.as_deref_mut();
            level += 1;
        }
    }

    /// What a level has kept at a place.
    pub(super) fn kept(&self, level: usize, place: Range<usize>) -> Option<&[u8]> {
        let mut text = self.first.as_deref()?;
        for _ in 1..level {
            text = text.deeper.as_deref()?;
        }
        text.kept.at(place)
    }
}

/// The texts of one level, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct InnerText {
    tokenizer: Tokenizer,
    open_keys: Option<OpenKeys>,
    kept: KeptText,
    has_failed: bool,
    choices: InnerChoices,
    /// The text in a string of this one, once there has been one.
    deeper: Option<Box<InnerText>>,
}

/// A string begins that is read inside.
fn begin(place: &mut Option<Box<InnerText>>, choices: InnerChoices) {
    let text = place.get_or_insert_with(|| Box::new(InnerText::new(choices)));
    text.tokenizer.reset();
    if let Some(keys) = &mut text.open_keys {
        keys.clear();
    }
    text.kept.begin();
    text.has_failed = false;
}

/// Where the tokens of a text go, and which text it is.
pub(super) struct Place<'a> {
    pub(super) level: usize,
    pub(super) tracker: &'a mut Tracker,
    pub(super) out: &'a mut dyn LeveledOutput,
    /// Whether the document has deviated from JSON and that is not accepted, so that no text is kept any more.
    pub(super) has_deviated: bool,
}

impl InnerText {
    fn new(choices: InnerChoices) -> Self {
        Self {
            tokenizer: Tokenizer::new(choices.limits, Leniency::NONE),
            open_keys: (choices.duplicate_keys == DuplicateKeys::Reject).then(OpenKeys::default),
            kept: KeptText::new(choices.retain != Retain::Nothing),
            has_failed: false,
            choices,
            deeper: None,
        }
    }

    /// The next decoded piece of the string.
    pub(super) fn read(&mut self, piece: &str, place: Place<'_>) {
        if self.has_failed {
            return;
        }
        if !place.has_deviated {
            self.kept.append(piece);
        }
        self.run(Some(piece), place);
    }

    /// The end of the string.
    pub(super) fn finish(&mut self, place: Place<'_>) {
        if !self.has_failed {
            self.run(None, place);
        }
    }

    /// Reads a piece, or the end.
    fn run(&mut self, piece: Option<&str>, place: Place<'_>) {
        let Place { level, tracker, out, has_deviated } = place;
        let Self { tokenizer, open_keys, kept, deeper, choices, .. } = self;
        let place = Place { level, tracker: &mut *tracker, out: &mut *out, has_deviated };
        let mut sink = InnerSink { place, open_keys, kept, deeper, choices: *choices };
        let sink = &mut (&mut sink as &mut dyn Sink);
        let read = match piece {
            Some(piece) => tokenizer.feed(piece.as_bytes(), sink),
            None => tokenizer.finish(sink),
        };
        if let Err(fault) = read {
            self.has_failed = true;
            self.kept.fail();
            let (line, column) = self.tokenizer.line_and_column(fault.offset);
            let path = tracker.known_path(level, Some(OpenValues::of(&self.tokenizer, &fault)));
            let error = Error::new(&fault, line, column, path.as_deref());
            tracker.fail_inside(level, &error, out);
        }
    }
}

/// The followers of the tokens of a text inside a string.
struct InnerSink<'a> {
    place: Place<'a>,
    open_keys: &'a mut Option<OpenKeys>,
    kept: &'a mut KeptText,
    deeper: &'a mut Option<Box<InnerText>>,
    choices: InnerChoices,
}

impl InnerSink<'_> {
    /// Calls with the tracker and the output for this text's values.
    fn tell<T>(&mut self, tell: impl FnOnce(&mut Tracker, &mut dyn Output) -> T) -> T {
        let Place { level, tracker, out, .. } = &mut self.place;
        tell(tracker, &mut InnerOutput { out: &mut **out, level: *level, kept: &mut *self.kept })
    }

    /// Whether the open string is read inside.
    fn is_in_deeper(&self) -> bool {
        self.place.tracker.level() > self.place.level
    }

    /// The text in the open string, and the place of its tokens.
    fn deeper(&mut self) -> Option<(&mut InnerText, Place<'_>)> {
        let Place { level, tracker, out, has_deviated } = &mut self.place;
        let place = Place { level: *level + 1, tracker, out: &mut **out, has_deviated: *has_deviated };
        Some((self.deeper.as_deref_mut()?, place))
    }
}

impl Sink for InnerSink<'_> {
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(keys) = self.open_keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        let is_live = self.tell(|tracker, out| tracker.begin_container(kind, at, out));
        Ok(if is_live || self.open_keys.is_some() { Interest::Follow } else { Interest::Skip })
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        if let Some(keys) = self.open_keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        self.tell(|tracker, out| tracker.end_container(end, |_| None, out));
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        if let Some(keys) = self.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        let leads_on = self.place.tracker.key(key);
        Ok(if leads_on || self.open_keys.is_some() { Interest::Follow } else { Interest::Skip })
    }

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        let is_selected = self.tell(|tracker, out| tracker.begin_leaf(ValueKind::String, at, out));
        if self.place.tracker.enter_string(at) {
            begin(self.deeper, self.choices);
            return Ok(Interest::Follow);
        }
        Ok(if is_selected { Interest::Follow } else { Interest::Skip })
    }

    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        if self.is_in_deeper() {
            let Place { level, tracker, out, .. } = &mut self.place;
            tracker.delta_of_entered(*level, text, at, *out);
            if let Some((deeper, place)) = self.deeper() {
                deeper.read(text, place);
            }
        } else {
            self.tell(|tracker, out| tracker.delta(text, at, out));
        }
        Ok(())
    }

    // None of these comes: this text is strict.
    fn deviation(&mut self, _fault: &Fault, _deviation: Deviation) {}
    fn rewrite(&mut self, _range: Range<u64>, _with: &str, _chunk_at: u64) {}
    fn drop_comma(&mut self, _bracket: u64, _chunk_at: u64) {}
    fn number_is_null(&mut self) {}

    fn end_string(&mut self, end: u64) {
        if self.is_in_deeper() {
            if let Some((deeper, place)) = self.deeper() {
                deeper.finish(place);
            }
            self.tell(|tracker, out| tracker.end_entered(end, |_| None, out));
        } else {
            self.tell(|tracker, out| tracker.end_string(end, |_| None, out));
        }
    }

    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let is_selected = self.tell(|tracker, out| tracker.begin_leaf(kind, at, out));
        Ok(if is_selected { Interest::Follow } else { Interest::Skip })
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.tell(|tracker, out| tracker.end_atom(text, end, out));
        Ok(())
    }
}

/// The open texts, as they can be looked at from outside.
impl InnerTexts {
    /// The text of a level, from 1.
    pub(crate) fn level(&self, level: usize) -> Option<&InnerText> {
        core::iter::successors(self.first.as_deref(), |text| text.deeper.as_deref()).nth(level.checked_sub(1)?)
    }

    pub(crate) fn level_mut(&mut self, level: usize) -> Option<&mut InnerText> {
        let mut text = self.first.as_deref_mut()?;
        for _ in 1..level {
            text = text.deeper.as_deref_mut()?;
        }
        Some(text)
    }

    /// The limits of texts that begin from now on.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.choices.limits = limits;
        let mut next = self.first.as_deref_mut();
        while let Some(text) = next {
            text.choices.limits = limits;
            text.tokenizer.set_limits(limits);
            next = text.deeper.as_deref_mut();
        }
    }
}

impl InnerText {
    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    pub(crate) fn tokenizer_mut(&mut self) -> &mut Tokenizer {
        &mut self.tokenizer
    }

    pub(crate) fn open_keys(&self) -> Option<&OpenKeys> {
        self.open_keys.as_ref()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Whether an open match needs the text.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_needed()
    }

    /// The text of the open matches, and where it begins.
    pub(crate) fn kept(&self) -> Option<(u64, &[u8])> {
        self.kept.of_open_matches(self.tokenizer.offset())
    }
}
