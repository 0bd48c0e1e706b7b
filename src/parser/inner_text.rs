//! The receiver of a text's tokens, [`TokenSink`], and the JSON texts inside strings, [`InnerText`].
//!
//! A text inside a string has its own tokenizer, whose tokens go to the tracker of the document.
//!
//! The decoded text of the string is the input. While a string of this text is read inside, that text's tokens come
//! from within this one's, and so on: as deep as strings in strings go, which no pattern without as many `|` asks for,
//! and which doubles the length of the document's text with each level, since each escapes the one before. One
//! [`InnerText`] a level serves all texts of that level, and they share what is kept: events that are read later name
//! places in it, so nothing is dropped before the next chunk.

use alloc::boxed::Box;
use core::mem;
use core::ops::Range;

use super::duplicate_keys::OpenKeys;
use super::followers::Followers;
use super::output::Output;
use super::rare_list::RareList;
use super::retention::Retained;
use super::tracker::{OpenValues, Tracker};
use super::{DuplicateKeys, Retain};
use crate::error::{Error, ErrorKind, Fault};
use crate::tokenizer::{Interest, KeyFilter, Limits, Sink, Tokenizer, ValueKind};
use crate::tree::Tree;

/// The texts inside strings of the document, one for each level that a pattern leads to.
#[derive(Clone, Debug)]
pub(crate) struct InnerTexts(RareList<InnerText>);

impl InnerTexts {
    /// Those of a parser with these choices.
    pub(super) fn new(levels: usize, limits: Limits, retain: Retain, duplicate_keys: DuplicateKeys) -> Self {
        let retain = if retain == Retain::Nothing { retain } else { Retain::Matches };
        let text = |_| InnerText {
            tokenizer: Tokenizer::new(limits),
            open_keys: (duplicate_keys == DuplicateKeys::Reject).then(Box::default),
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

    /// Returns the text that a level has kept at a place.
    pub(super) fn kept(&self, level: usize, place: Range<usize>) -> Option<&[u8]> {
        self.0.get(level.checked_sub(1)?)?.kept.at(place)
    }
}

/// The texts of one level, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct InnerText {
    tokenizer: Tokenizer,
    open_keys: Option<Box<OpenKeys>>,
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
    fn read<O: Output + ?Sized>(
        &mut self,
        piece: Option<&str>,
        raw: Range<u64>,
        level: usize,
        followers: &mut Followers,
        out: &mut O,
        deeper: &mut [InnerText],
    ) {
        if self.has_failed {
            return;
        }
        let Self { tokenizer, kept, open_keys, .. } = self;
        let start = tokenizer.offset();
        kept.keep(piece.unwrap_or_default().as_bytes());
        let read = {
            let inside = Inside::new(followers, open_keys);
            let followers = &mut *inside.followers;
            if let Some(piece) = piece {
                out.piece(level, start..start + piece.len() as u64, raw);
            }
            followers.tracker.begin_raw_piece(level, piece.unwrap_or_default(), start);
            let mut sink = TokenSink { followers, retained: kept, out, strings: Some(&mut Strings { level, deeper }) };
            let read = match piece {
                Some(piece) => tokenizer.feed_dyn(piece.as_bytes(), &mut sink),
                None => tokenizer.finish(&mut (&mut sink as &mut dyn Sink)),
            };
            if followers.tracker.has_raw() {
                followers.tracker.end_raw_piece(level, read.as_ref().err().map(|fault| fault.offset), out.as_dyn());
            }
            read
        };
        if let Err(fault) = read {
            self.has_failed = true;
            let (line, column) = self.tokenizer.line_and_column(fault.offset);
            let path = followers.tracker.known_path(level, OpenValues::of(&self.tokenizer, &fault));
            let error = Error::new(&fault, line, column, path.as_deref());
            let may_be_json = matches!(
                fault.kind,
                ErrorKind::DuplicateKey
                    | ErrorKind::DepthLimit
                    | ErrorKind::KeyLimit
                    | ErrorKind::StringLimit
                    | ErrorKind::NumberLimit
                    | ErrorKind::TotalLimit
            );
            // A limit may be passed in the middle of a character, which goes as a whole.
            let mut at = fault.offset;
            while piece.is_some_and(|piece| !piece.is_char_boundary((at - start) as usize)) {
                at -= 1;
            }
            out.failed_inside(level, at, may_be_json);
            followers.tracker.fail_inside(level, &error, out);
        }
    }
}

/// The followers while a text inside a string is read: the tracker follows all texts, the document only its own, and
/// each text has its own keys. The document is put back even if a callback panics.
struct Inside<'a> {
    followers: &'a mut Followers,
    open_keys: &'a mut Option<Box<OpenKeys>>,
    tree: Option<Box<Tree>>,
}

impl<'a> Inside<'a> {
    fn new(followers: &'a mut Followers, open_keys: &'a mut Option<Box<OpenKeys>>) -> Self {
        mem::swap(&mut followers.open_keys, open_keys);
        let tree = followers.tree.take();
        Self { followers, open_keys, tree }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.followers.tree = self.tree.take();
        mem::swap(&mut self.followers.open_keys, self.open_keys);
    }
}

/// The level of the document; the texts in its strings have level 1.
pub(crate) const DOCUMENT: usize = 0;

/// The strings of a text that are read inside: by the texts of the levels below.
pub(crate) struct Strings<'a> {
    /// The level of the text.
    pub(crate) level: usize,
    pub(crate) deeper: &'a mut [InnerText],
}

/// The receiver of a text's tokens.
pub(crate) struct TokenSink<'a, O: ?Sized> {
    pub(crate) followers: &'a mut Followers,
    /// The retained text, this chunk included.
    pub(crate) retained: &'a Retained,
    pub(crate) out: &'a mut O,
    /// Nothing if the text is the document, and no pattern leads into a string.
    pub(crate) strings: Option<&'a mut Strings<'a>>,
}

/// Everything that reads a text, while a translator drives it.
pub(crate) struct Parts<'a> {
    pub(crate) tokenizer: &'a mut Tokenizer,
    pub(crate) followers: &'a mut Followers,
    pub(crate) retained: &'a mut Retained,
    pub(crate) inner: &'a mut InnerTexts,
}

impl<O: Output + ?Sized> TokenSink<'_, O> {
    /// Returns true if the open string is read inside.
    #[inline]
    fn is_inside(&self) -> bool {
        self.strings.as_ref().is_some_and(|strings| self.followers.tracker.level() > strings.level)
    }

    #[inline]
    fn follows_all(&self) -> bool {
        self.followers.open_keys.is_some() || self.followers.tree.is_some()
    }

    /// A container, or a member's value, is followed if anything needs to know what is inside.
    #[inline]
    fn interest(&self, is_live: bool) -> Interest {
        if is_live || self.follows_all() { Interest::Follow } else { Interest::Skip }
    }

    /// A string or atom is followed if anything needs its text.
    #[inline]
    fn leaf_interest(&self, is_selected: bool) -> Interest {
        if is_selected || self.followers.tree.is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// More of the text in the open string, or its end.
    #[cold]
    fn read_inside(&mut self, piece: Option<&str>, raw: Range<u64>) {
        if let Some(Strings { level, deeper }) = self.strings.as_deref_mut()
            && let Some((text, deeper)) = deeper.split_first_mut()
        {
            text.read(piece, raw, *level + 1, self.followers, self.out, deeper);
        }
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: Output + ?Sized> Sink for TokenSink<'_, O> {
    #[inline(never)]
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(keys) = &mut self.followers.open_keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_container(kind, at)?;
        }
        let is_live = self.followers.tracker.begin_container(kind, at, self.out);
        self.out.decided(at);
        self.out.opened(at, is_live);
        Ok(self.interest(is_live))
    }

    #[inline(never)]
    fn end_container(&mut self, kind: ValueKind, end: u64) {
        if let Some(keys) = &mut self.followers.open_keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.end_container();
        }
        let retained = self.retained;
        self.out.closed(end);
        self.followers.tracker.end_container(end, |range| retained.find(range), self.out);
    }

    #[inline]
    fn comma(&mut self, at: u64) {
        self.out.comma(at);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        if let Some(keys) = &mut self.followers.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        if self.out.refused_key() == Some(key) && self.followers.tracker.is_in_live_container() {
            return Err(Fault::new(
                ErrorKind::PrivateKey,
                quote,
                "expected no key that serde_json may take for its own",
            ));
        }
        let leads_on = self.followers.tracker.key(key);
        if !leads_on {
            self.out.decided(quote);
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.key(key, quote)?;
        }
        Ok(self.interest(leads_on))
    }

    fn skips(&self) -> bool {
        !self.follows_all()
    }

    fn wanted_keys(&self) -> KeyFilter {
        if self.out.needs_each_key() {
            return KeyFilter::ALL;
        }
        let wanted = self.followers.tracker.wanted_keys();
        self.out.refused_key().map_or(wanted, |key| wanted.and(key))
    }

    fn skip_keys(&mut self, first_quote: u64, comma: Option<u64>) {
        self.followers.tracker.skip_key();
        self.out.decided(first_quote);
        if let Some(comma) = comma {
            self.out.comma(comma);
        }
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_string(at)?;
        }
        let is_selected = self.followers.tracker.begin_leaf(ValueKind::String, at, self.out);
        self.out.decided(at);
        if let Some(Strings { deeper: [text, ..], .. }) = self.strings.as_deref_mut()
            && self.followers.tracker.enter_string()
        {
            text.begin();
            self.out.entered(at);
            return Ok(Interest::Follow);
        }
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault> {
        let at = raw.start;
        let Some(&mut Strings { level, .. }) = self.strings.as_deref_mut() else {
            if self.followers.tracker.has_raw() {
                self.followers.tracker.delta_in(DOCUMENT, text, at, self.out.as_dyn());
            } else {
                self.followers.tracker.delta(text, at, self.out);
            }
            return self.followers.grow(text, at);
        };
        // The string's own delta comes before what its text reports.
        self.followers.tracker.delta_in(level, text, at, self.out);
        self.followers.grow(text, at)?;
        if self.is_inside() {
            self.read_inside(Some(text), raw);
        }
        Ok(())
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        let is_inside = self.is_inside();
        // The end of the text comes before that of the string.
        if is_inside {
            self.read_inside(None, end..end);
            self.out.left(end);
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.end_string();
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
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_atom();
        }
        let is_selected = self.followers.tracker.begin_leaf(kind, at, self.out);
        self.out.decided(at);
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.followers.tracker.end_atom(text, end, self.out);
        match &mut self.followers.tree {
            Some(tree) => tree.end_atom(text, end),
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
        self.open_keys.as_deref()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub(crate) fn kept(&self) -> &Retained {
        &self.kept
    }
}
