//! [`TokenSink`], the receiver of a text's tokens. It passes them to the tracker, the document and the text in a
//! string.

use alloc::boxed::Box;
use core::mem;
use core::ops::Range;

use super::duplicate_keys::OpenKeys;
use super::followers::Followers;
use super::inner_text::{DOCUMENT, InnerText};
use super::output::{Callback, Output, Queue, Report, Selected};
use super::retention::Retained;
use super::tracker::OpenValues;
use crate::error::{Error, ErrorKind, Fault};
use crate::event::Event;
use crate::tokenizer::{Interest, KeyFilter, Sink, Tokenizer, ValueKind};
use crate::tree::Tree;

/// The inner texts that read the strings of a text.
pub(crate) struct Strings<'a> {
    /// The level of the text.
    pub(crate) level: usize,
    pub(crate) deeper: &'a mut [InnerText],
}

/// The receiver of a text's tokens.
pub(crate) struct TokenSink<'a, O> {
    pub(crate) followers: &'a mut Followers,
    /// The retained text, this chunk included.
    pub(crate) retained: &'a Retained,
    pub(crate) out: &'a mut O,
    /// `None` if the text is the document and no pattern leads into a string.
    pub(crate) strings: Option<Strings<'a>>,
}

/// An output for the tokens of whole texts.
pub(crate) trait TokenOutput: Output {
    /// Returns this output as a trait object.
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_);

    /// Returns the receiver of a text's tokens. An output that needs more than reports, such as the places of brackets,
    /// wraps `sink` in its own receiver.
    fn sink<'a>(sink: TokenSink<'a, Self>) -> impl Sink
    where
        Self: Sized + 'a,
    {
        sink
    }

    /// Reads a piece of a text with the receiver that [`sink`](Self::sink) returns.
    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault>;
}

impl TokenOutput for Queue {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        piece.read_plainly(self)
    }
}

impl<F: FnMut(Event<'_>) + ?Sized> TokenOutput for Callback<'_, F> {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        piece.read_plainly(self)
    }
}

impl TokenOutput for &mut (dyn TokenOutput + '_) {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        &mut **self
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        (**self).read(piece)
    }
}

impl Output for &mut (dyn TokenOutput + '_) {
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) {
        (**self).report(value, what);
    }

    fn reads_later(&self) -> bool {
        (**self).reads_later()
    }
}

/// A piece of a text, with everything that reads it.
pub(crate) struct TextPiece<'a> {
    /// `None` at the end of the text.
    pub(super) bytes: Option<&'a [u8]>,
    /// The range of the piece in the outer text, if the text is inside a string.
    pub(crate) raw: Range<u64>,
    pub(super) tokenizer: &'a mut Tokenizer,
    pub(super) followers: &'a mut Followers,
    pub(super) retained: &'a Retained,
    pub(super) strings: Option<Strings<'a>>,
}

impl<'a> TextPiece<'a> {
    /// Returns the level of the text.
    pub(crate) fn level(&self) -> usize {
        self.strings.as_ref().map_or(DOCUMENT, |strings| strings.level)
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes.unwrap_or_default()
    }

    /// Returns the offset in the text.
    pub(crate) fn at(&self) -> u64 {
        self.tokenizer.offset()
    }

    /// Reads the piece for an output that has no receiver of its own.
    fn read_plainly<O: TokenOutput>(&mut self, out: &mut O) -> Result<(), Fault> {
        // To keep the module small, the tokenizer and its followers are compiled once for all outputs.
        if cfg!(target_arch = "wasm32") { self.read(&mut out.as_dyn()) } else { self.read(out) }
    }

    /// Reads the piece with the receiver that reports to `out`.
    pub(crate) fn read<O: TokenOutput>(&mut self, out: &mut O) -> Result<(), Fault> {
        let Self { bytes, tokenizer, followers, retained, strings, .. } = self;
        let strings = strings.as_mut().map(|Strings { level, deeper }| Strings { level: *level, deeper });
        let mut sink = O::sink(TokenSink { followers, retained, out, strings });
        match bytes {
            Some(bytes) => tokenizer.feed_dyn(bytes, &mut sink),
            None => tokenizer.finish(&mut sink),
        }
    }
}

/// The followers while a text inside a string is read. The tracker follows all texts, the snapshot only the document,
/// and each text has its own keys. The snapshot is put back even if a callback panics.
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

impl InnerText {
    /// Reads the next decoded piece of the string, or its end.
    fn read(
        &mut self,
        piece: Option<&str>,
        raw: Range<u64>,
        level: usize,
        followers: &mut Followers,
        out: &mut dyn TokenOutput,
        deeper: &mut [InnerText],
    ) {
        if self.has_failed {
            return;
        }
        let Self { tokenizer, kept, open_keys, .. } = self;
        kept.keep(piece.unwrap_or_default().as_bytes());
        let read = {
            let inside = Inside::new(followers, open_keys);
            let (followers, strings) = (&mut *inside.followers, Some(Strings { level, deeper }));
            let bytes = piece.map(str::as_bytes);
            out.read(&mut TextPiece { bytes, raw, tokenizer, followers, retained: kept, strings })
        };
        if let Err(fault) = read {
            self.has_failed = true;
            let (line, column) = self.tokenizer.line_and_column(fault.offset);
            let path = followers.tracker.known_path(level, OpenValues::of(&self.tokenizer, &fault));
            let error = Error::new(&fault, line, column, path.as_deref());
            followers.tracker.fail_inside(level, &error, out);
        }
    }
}

impl<O: TokenOutput> TokenSink<'_, O> {
    /// Returns true if the open string is read inside.
    #[inline]
    fn is_inside(&self) -> bool {
        self.strings.as_ref().is_some_and(|strings| self.followers.tracker.level() > strings.level)
    }

    #[inline]
    fn follows_all(&self) -> bool {
        self.followers.open_keys.is_some() || self.followers.tree.is_some()
    }

    /// Returns `Follow` for a container or a member's value if a follower needs its contents.
    #[inline]
    fn interest(&self, is_live: bool) -> Interest {
        if is_live || self.follows_all() { Interest::Follow } else { Interest::Skip }
    }

    /// Returns `Follow` for a string or atom if a follower needs its text.
    #[inline]
    fn leaf_interest(&self, is_selected: bool) -> Interest {
        if is_selected || self.followers.tree.is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// Reads more of the text in the open string, or its end.
    #[cold]
    fn read_inside(&mut self, piece: Option<&str>, raw: Range<u64>) {
        if let Some(Strings { level, deeper }) = &mut self.strings
            && let Some((text, deeper)) = deeper.split_first_mut()
        {
            text.read(piece, raw, *level + 1, self.followers, self.out.as_dyn(), deeper);
        }
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: TokenOutput> Sink for TokenSink<'_, O> {
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
        self.followers.tracker.end_container(end, |range| retained.find(range), self.out);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        if let Some(keys) = &mut self.followers.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        let leads_on = self.followers.tracker.key(key);
        if let Some(tree) = &mut self.followers.tree {
            tree.key(key, quote)?;
        }
        Ok(self.interest(leads_on))
    }

    fn wanted_keys(&self) -> KeyFilter {
        if self.follows_all() { KeyFilter::ALL } else { self.followers.tracker.wanted_keys() }
    }

    fn skip_keys(&mut self, _first_quote: u64, _comma: Option<u64>) {
        self.followers.tracker.skip_key();
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_string(at)?;
        }
        let is_selected = self.followers.tracker.begin_leaf(ValueKind::String, at, self.out);
        if let Some(Strings { deeper: [text, ..], .. }) = &mut self.strings
            && self.followers.tracker.enter_string()
        {
            text.begin();
            return Ok(Interest::Follow);
        }
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault> {
        let at = raw.start;
        let Some(Strings { level, .. }) = self.strings else {
            self.followers.tracker.delta(text, at, self.out);
            return self.followers.grow(text, at);
        };
        // The string's own delta precedes the reports of its text.
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
        // The text ends before the string does.
        if is_inside {
            self.read_inside(None, end..end);
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
