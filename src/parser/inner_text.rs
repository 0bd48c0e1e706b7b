//! Where the tokens of a text go; and the texts inside strings.
//!
//! A JSON text inside a string: its own tokenizer, whose tokens go to the tracker of the document.
//!
//! The decoded text of the string is the input. While a string of this text is read inside, that text's tokens come
//! from within this one's, and so on: as deep as strings in strings go, which no pattern without as many `|` asks for,
//! and which doubles the length of the document's text with each level, since each escapes the one before. One
//! [`InnerText`] a level serves all texts of that level, and they share what is kept: events that are read later name
//! places in it, so nothing is dropped before the next chunk.

use alloc::vec::Vec;
use core::ops::Range;

use super::duplicate_keys::OpenKeys;
use super::followers::Followers;
use super::output::Output;
use super::retention::Retained;
use super::tracker::{OpenValues, Tracker};
use super::{DuplicateKeys, Retain};
use crate::document::Document;
use crate::error::{Error, ErrorKind, Fault};
use crate::tokenizer::{Interest, Limits, Sink, Tokenizer, ValueKind};

/// The texts inside strings of the document, one for each level that a pattern leads to.
#[derive(Clone, Debug)]
pub(crate) struct InnerTexts(Vec<InnerText>);

impl InnerTexts {
    /// Those of a parser with these choices.
    pub(super) fn new(levels: usize, limits: Limits, retain: Retain, duplicate_keys: DuplicateKeys) -> Self {
        let retain = if retain == Retain::Nothing { retain } else { Retain::Matches };
        let text = |_| InnerText {
            tokenizer: Tokenizer::new(limits),
            open_keys: (duplicate_keys == DuplicateKeys::Reject).then(OpenKeys::default),
            kept: Retained::new(retain),
            has_failed: false,
        };
        Self((0..levels).map(text).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn texts(&mut self) -> &mut [InnerText] {
        &mut self.0
    }

    /// A new chunk begins: what no open match needs any more is dropped.
    pub(crate) fn release_kept(&mut self, tracker: &Tracker) {
        for (text, level) in self.0.iter_mut().zip(1..) {
            let is_open = level <= tracker.level() && !text.has_failed;
            let outermost = if is_open { tracker.outermost_start(level) } else { None };
            text.kept.release(outermost, text.tokenizer.offset());
        }
    }

    /// Another document begins.
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(|text| text.kept.clear());
    }

    /// Keeps nothing that comes later.
    pub(crate) fn freeze(&mut self) {
        self.0.iter_mut().for_each(|text| text.kept.freeze());
    }

    /// What a level has kept at a place.
    pub(super) fn kept(&self, level: usize, place: Range<usize>) -> Option<&[u8]> {
        self.0.get(level.checked_sub(1)?)?.kept.at(place)
    }
}

/// The texts of one level, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct InnerText {
    tokenizer: Tokenizer,
    open_keys: Option<OpenKeys>,
    kept: Retained,
    has_failed: bool,
}

impl InnerText {
    /// A string begins that is read inside.
    pub(super) fn begin(&mut self) {
        self.tokenizer.reset();
        if let Some(keys) = &mut self.open_keys {
            keys.clear();
        }
        self.kept.begin_text();
        self.has_failed = false;
    }

    /// The next decoded piece of the string, or its end.
    pub(super) fn read(
        &mut self,
        piece: Option<&str>,
        level: usize,
        followers: &mut Followers,
        out: &mut dyn Output,
        deeper: &mut [InnerText],
    ) {
        if self.has_failed {
            return;
        }
        let Self { tokenizer, open_keys, kept, .. } = self;
        kept.keep(piece.unwrap_or_default().as_bytes());
        let mut sink =
            TokenSink { followers, retained: kept, out, strings: Inside { level, deeper, open_keys: Some(open_keys) } };
        let mut sink: &mut dyn Sink = &mut sink;
        let read = match piece {
            Some(piece) => tokenizer.feed_dyn(piece.as_bytes(), sink),
            None => tokenizer.finish(&mut sink),
        };
        if let Err(fault) = read {
            self.has_failed = true;
            let (line, column) = self.tokenizer.line_and_column(fault.offset);
            let path = followers.tracker.known_path(level, Some(OpenValues::of(&self.tokenizer, &fault)));
            let error = Error::new(&fault, line, column, path.as_deref());
            followers.tracker.fail_inside(level, &error, out);
        }
    }
}

/// The level of the document; the texts in its strings have level 1.
pub(crate) const DOCUMENT: usize = 0;

/// Whether strings are read inside: of a document in which none is, nothing has to be known, and so nothing costs.
pub(crate) trait Strings {
    const ARE_READ: bool;

    /// The level of the text whose tokens come.
    fn level(&self) -> usize;

    /// The texts of the levels below.
    fn deeper(&mut self) -> &mut [InnerText];

    /// The keys of the text's open objects, if duplicates are rejected, by those of the document's.
    fn open_keys<'k>(&'k mut self, document: &'k mut Option<OpenKeys>) -> &'k mut Option<OpenKeys>;
}

/// The tokens are those of a document none of whose strings is read inside.
pub(crate) struct NoStrings;

impl Strings for NoStrings {
    const ARE_READ: bool = false;

    fn level(&self) -> usize {
        DOCUMENT
    }

    fn deeper(&mut self) -> &mut [InnerText] {
        &mut []
    }

    #[inline]
    fn open_keys<'k>(&'k mut self, document: &'k mut Option<OpenKeys>) -> &'k mut Option<OpenKeys> {
        document
    }
}

/// The tokens are those of a text of any level.
pub(crate) struct Inside<'a> {
    pub(crate) level: usize,
    pub(crate) deeper: &'a mut [InnerText],
    /// Those of the text, unless it is the document.
    pub(crate) open_keys: Option<&'a mut Option<OpenKeys>>,
}

impl Strings for Inside<'_> {
    const ARE_READ: bool = true;

    fn level(&self) -> usize {
        self.level
    }

    fn deeper(&mut self) -> &mut [InnerText] {
        self.deeper
    }

    fn open_keys<'k>(&'k mut self, document: &'k mut Option<OpenKeys>) -> &'k mut Option<OpenKeys> {
        self.open_keys.as_deref_mut().unwrap_or(document)
    }
}

/// Where the tokens of a text go.
pub(crate) struct TokenSink<'a, O: ?Sized, S> {
    pub(crate) followers: &'a mut Followers,
    /// What is kept of the text, this chunk included.
    pub(crate) retained: &'a Retained,
    pub(crate) out: &'a mut O,
    pub(crate) strings: S,
}

/// Everything that reads a text, while a translator drives it.
pub(crate) struct Parts<'a> {
    pub(crate) tokenizer: &'a mut Tokenizer,
    pub(crate) followers: &'a mut Followers,
    pub(crate) retained: &'a mut Retained,
    pub(crate) inner: &'a mut InnerTexts,
}

impl<O: Output + ?Sized, S: Strings> TokenSink<'_, O, S> {
    /// The partial document, if this is the document.
    #[inline]
    fn document(&mut self) -> Option<&mut Document> {
        if self.strings.level() > DOCUMENT { None } else { self.followers.document.as_deref_mut() }
    }

    /// Whether the open string is read inside.
    #[inline]
    fn is_inside(&self) -> bool {
        S::ARE_READ && self.followers.tracker.level() > self.strings.level()
    }

    #[inline]
    fn open_keys(&mut self) -> &mut Option<OpenKeys> {
        self.strings.open_keys(&mut self.followers.open_keys)
    }

    #[inline]
    fn follows_all(&mut self) -> bool {
        self.open_keys().is_some() || self.document().is_some()
    }

    /// A container, or a member's value, is followed if anything needs to know what is inside.
    #[inline]
    fn interest(&mut self, is_live: bool) -> Interest {
        if is_live || self.follows_all() { Interest::Follow } else { Interest::Skip }
    }

    /// A string or atom is followed if anything needs its text.
    #[inline]
    fn leaf_interest(&mut self, is_selected: bool) -> Interest {
        if is_selected || self.document().is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// More of the text in the open string, or its end. The text is always read through one kind of sink.
    #[inline(never)]
    fn read_inside(&mut self, piece: Option<&str>) {
        let level = self.strings.level() + 1;
        if let Some((text, deeper)) = self.strings.deeper().split_first_mut() {
            text.read(piece, level, self.followers, self.out.as_dyn(), deeper);
        }
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: Output + ?Sized, S: Strings> Sink for TokenSink<'_, O, S> {
    #[inline(never)]
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(keys) = self.open_keys()
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(document) = self.document() {
            document.begin_container(kind, at)?;
        }
        let is_live = self.followers.tracker.begin_container(kind, at, self.out);
        Ok(self.interest(is_live))
    }

    #[inline(never)]
    fn end_container(&mut self, kind: ValueKind, end: u64) {
        if let Some(keys) = self.open_keys()
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(document) = self.document() {
            document.end_container();
        }
        let retained = self.retained;
        self.followers.tracker.end_container(end, |range| retained.find(range), self.out);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        if let Some(keys) = self.open_keys()
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        let leads_on = self.followers.tracker.key(key);
        if let Some(document) = self.document() {
            document.key(key, quote)?;
        }
        Ok(self.interest(leads_on))
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        if let Some(document) = self.document() {
            document.begin_string(at)?;
        }
        let is_selected = self.followers.tracker.begin_leaf(ValueKind::String, at, self.out);
        if S::ARE_READ && self.followers.tracker.enter_string(at) {
            if let Some(text) = self.strings.deeper().first_mut() {
                text.begin();
            }
            return Ok(Interest::Follow);
        }
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        if !S::ARE_READ {
            self.followers.tracker.delta(text, at, self.out);
            return self.followers.grow(text, at);
        }
        // The string's own delta comes before what its text tells.
        self.followers.tracker.delta_in(self.strings.level(), text, at, self.out);
        if let Some(document) = self.document() {
            document.append(text, at)?;
        }
        if self.is_inside() {
            self.read_inside(Some(text));
        }
        Ok(())
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        let is_inside = self.is_inside();
        // The end of the text comes before that of the string.
        if is_inside {
            self.read_inside(None);
        }
        if let Some(document) = self.document() {
            document.end_string();
        }
        let (tracker, retained) = (&mut self.followers.tracker, self.retained);
        if is_inside {
            tracker.end_entered(end, |range| retained.find(range), self.out);
        } else {
            tracker.end_string(end, |range| retained.find(range), self.out);
        }
    }

    #[inline(never)]
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(document) = self.document() {
            document.begin_atom();
        }
        let is_selected = self.followers.tracker.begin_leaf(kind, at, self.out);
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.followers.tracker.end_atom(text, end, self.out);
        match self.document() {
            Some(document) => document.end_atom(text, end),
            None => Ok(()),
        }
    }
}

/// The open texts, as they can be looked at from outside.
impl InnerTexts {
    /// The text of a level, from 1.
    pub(crate) fn level(&self, level: usize) -> Option<&InnerText> {
        self.0.get(level.checked_sub(1)?)
    }

    pub(crate) fn level_mut(&mut self, level: usize) -> Option<&mut InnerText> {
        self.0.get_mut(level.checked_sub(1)?)
    }

    /// The limits of the texts from now on.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.0.iter_mut().for_each(|text| text.tokenizer.set_limits(limits));
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

    pub(crate) fn kept(&self) -> &Retained {
        &self.kept
    }
}
