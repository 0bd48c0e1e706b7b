//! [`TokenSink`], the receiver of a text's tokens. It passes them to the tracker, the document and the text in a
//! string.

use core::ops::Range;

use super::duplicate_keys::OpenKeys;
use super::output::{Callback, Output, Queue, Report, Selected};
use super::retention::Retained;
use super::text::{DOCUMENT, Text};
use super::tracker::{OpenValues, Tracker};
use crate::error::{Error, ErrorKind, Fault};
use crate::event::Event;
use crate::tokenizer::{Interest, KeyFilter, Sink, Stops, Tokenizer, ValueKind};
use crate::tree::Tree;

/// The receivers of a text's tokens while a piece of the text is read.
pub(crate) struct Followers<'a> {
    pub(crate) tracker: &'a mut Tracker,
    /// The partial document, if there is one. It has only the document's own values.
    pub(super) tree: Option<&'a mut Tree>,
    /// The keys of the text's open objects, if duplicates are rejected.
    keys: Option<&'a mut OpenKeys>,
    kept: &'a mut Retained,
    piece: &'a [u8],
    /// The piece's offset minus its position in the kept text: 0 unless a translator has changed the text before it.
    shift: u64,
    level: usize,
    /// The texts that read the strings of this text inside, if a pattern leads there.
    deeper: &'a mut [Text],
}

impl<'a> Followers<'a> {
    fn reborrow(&mut self) -> Followers<'_> {
        let Self { piece, shift, level, .. } = *self;
        let (tree, keys) = (self.tree.as_deref_mut(), self.keys.as_deref_mut());
        let Self { tracker, kept, deeper, .. } = self;
        Followers { tracker, tree, keys, kept, piece, shift, level, deeper }
    }
}

/// The receiver of a text's tokens.
pub(crate) struct TokenSink<'a, O> {
    pub(crate) followers: Followers<'a>,
    pub(crate) out: &'a mut O,
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
    // The parser is compiled once for all outputs that have no receiver of their own.
    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        piece.read(&mut self.as_dyn())
    }
}

impl TokenOutput for Queue {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }
}

impl<F: FnMut(Event<'_>) + ?Sized> TokenOutput for Callback<'_, F> {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
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
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) -> bool {
        (**self).report(value, what)
    }
}

/// A piece of a text, with everything that reads it.
pub(crate) struct TextPiece<'a> {
    /// `None` at the end of the text.
    pub(super) bytes: Option<&'a [u8]>,
    /// True if the piece is strict JSON that a translator has put in place of other text.
    pub(super) is_replacement: bool,
    /// The range of the piece in the outer text, if the text is inside a string.
    pub(crate) raw: Range<u64>,
    pub(super) tokenizer: &'a mut Tokenizer,
    pub(super) followers: Followers<'a>,
}

impl<'a> TextPiece<'a> {
    /// Returns the level of the text.
    pub(crate) fn level(&self) -> usize {
        self.followers.level
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.followers.piece
    }

    /// Returns the offset in the text.
    pub(crate) fn at(&self) -> u64 {
        self.tokenizer.offset()
    }

    /// Reads the piece with the receiver that reports to `out`, and keeps what was read.
    pub(crate) fn read<O: TokenOutput>(&mut self, out: &mut O) -> Result<(), Fault> {
        let mut sink = O::sink(TokenSink { followers: self.followers.reborrow(), out });
        let read = self.tokenizer.read_piece(self.bytes, self.is_replacement, &mut sink);
        drop(sink);
        self.keep(&read);
        read
    }

    /// Keeps the part of the piece that was read.
    #[inline]
    fn keep(&mut self, read: &Result<(), Fault>) {
        let Followers { kept, piece, shift, .. } = &mut self.followers;
        kept.end_piece(end_of(read, self.tokenizer).wrapping_sub(*shift), piece);
    }
}

/// Returns the offset up to which a piece was read.
#[inline]
fn end_of(read: &Result<(), Fault>, tokenizer: &Tokenizer) -> u64 {
    read.as_ref().map_or_else(|fault| fault.offset, |()| tokenizer.offset())
}

impl Text {
    /// Reads a chunk of a document that is kept as it arrives and of which no string is read inside.
    // Always inlined, without the steps of other texts: it has one caller, which reads most chunks.
    #[inline(always)]
    pub(super) fn feed<O: TokenOutput>(
        &mut self,
        chunk: &mut Stops<'_>,
        tracker: &mut Tracker,
        tree: Option<&mut Tree>,
        out: &mut O,
    ) -> Result<(), Fault> {
        let Self { tokenizer, open_keys, kept } = self;
        let (piece, keys, level, deeper) = (chunk.chunk(), open_keys.as_deref_mut(), DOCUMENT, &mut [][..]);
        let followers = Followers { tracker, tree, keys, kept, piece, shift: 0, level, deeper };
        let read = tokenizer.feed(chunk, &mut O::sink(TokenSink { followers, out }));
        if kept.retains() {
            kept.end_piece(end_of(&read, tokenizer), piece);
        }
        read
    }

    /// Returns the next piece of the text with what follows it, or its end if `bytes` is `None`.
    pub(super) fn piece<'a>(
        &'a mut self,
        bytes: Option<&'a [u8]>,
        tracker: &'a mut Tracker,
        tree: Option<&'a mut Tree>,
        level: usize,
        deeper: &'a mut [Text],
    ) -> TextPiece<'a> {
        let Self { tokenizer, open_keys, kept } = self;
        let (piece, keys, position) = (bytes.unwrap_or_default(), open_keys.as_deref_mut(), kept.end());
        let shift = tokenizer.offset().wrapping_sub(position);
        let followers = Followers { tracker, tree, keys, kept, piece, shift, level, deeper };
        TextPiece { bytes, is_replacement: false, raw: 0..0, tokenizer, followers }
    }

    /// Reads the next decoded piece of the string that this text is in, or its end.
    fn read_inside(
        &mut self,
        bytes: Option<&[u8]>,
        raw: Range<u64>,
        level: usize,
        tracker: &mut Tracker,
        out: &mut dyn TokenOutput,
        deeper: &mut [Text],
    ) {
        if self.has_failed() {
            return;
        }
        let mut piece = TextPiece { raw, ..self.piece(bytes, tracker, None, level, deeper) };
        if let Err(fault) = out.read(&mut piece) {
            let (line, column) = self.tokenizer.line_and_column(fault.offset);
            let path = tracker.known_path(level, OpenValues::of(&self.tokenizer, &fault));
            let error = Error::new(&fault, line, column, path.as_deref());
            self.tokenizer.close();
            tracker.fail_inside(level, &error, out);
        }
    }
}

impl<O: TokenOutput> TokenSink<'_, O> {
    /// Returns true if the open string is read inside.
    #[inline]
    fn is_inside(&self) -> bool {
        self.followers.tracker.level() > self.followers.level
    }

    #[inline]
    fn follows_all(&self) -> bool {
        self.followers.keys.is_some() || self.followers.tree.is_some()
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
        let Followers { tracker, level, deeper, .. } = &mut self.followers;
        if let Some((text, deeper)) = deeper.split_first_mut() {
            text.read_inside(piece.map(str::as_bytes), raw, *level + 1, tracker, self.out.as_dyn(), deeper);
        }
    }

    /// Appends new text of the open string to the partial document.
    #[inline]
    fn grow(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        self.followers.tree.as_mut().map_or(Ok(()), |tree| tree.append(text, at))
    }
}

impl<O: TokenOutput> Sink for TokenSink<'_, O> {
    fn as_dyn(&mut self) -> &mut (dyn Sink + '_) {
        self
    }

    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(keys) = &mut self.followers.keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_container(kind, at)?;
        }
        let is_live = self.followers.tracker.begin_container(kind, at, self.followers.shift, self.out);
        Ok(self.interest(is_live))
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        if let Some(keys) = &mut self.followers.keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.end_container();
        }
        let Followers { tracker, kept, piece, shift, .. } = &mut self.followers;
        tracker.end_container(end, |start| kept.find(start..end.wrapping_sub(*shift), piece), self.out);
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        if let Some(keys) = &mut self.followers.keys
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

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_string(at)?;
        }
        let is_selected = self.followers.tracker.begin_leaf(ValueKind::String, at, self.followers.shift, self.out);
        let Followers { tracker, deeper, .. } = &mut self.followers;
        if let [text, ..] = deeper
            && tracker.enter_string()
        {
            text.begin();
            return Ok(Interest::Follow);
        }
        Ok(self.leaf_interest(is_selected))
    }

    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault> {
        let at = raw.start;
        if !self.is_inside() {
            self.followers.tracker.delta(text, at, self.out);
            return self.grow(text, at);
        }
        // The string's own delta precedes the reports of its text.
        self.followers.tracker.delta_in(self.followers.level, text, at, self.out);
        self.grow(text, at)?;
        self.read_inside(Some(text), raw);
        Ok(())
    }

    fn end_string(&mut self, end: u64) {
        let is_inside = self.is_inside();
        // The text ends before the string does.
        if is_inside {
            self.read_inside(None, end..end);
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.end_string();
        }
        let Followers { tracker, kept, piece, shift, .. } = &mut self.followers;
        let end_position = end.wrapping_sub(*shift);
        if is_inside {
            tracker.end_entered(end, |start| kept.find(start..end_position, piece), self.out);
        } else {
            tracker.end_string(end, |start| kept.find(start..end_position, piece), self.out);
        }
    }

    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(tree) = &mut self.followers.tree {
            tree.begin_atom();
        }
        let is_selected = self.followers.tracker.begin_leaf(kind, at, self.followers.shift, self.out);
        Ok(self.leaf_interest(is_selected))
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.followers.tracker.end_atom(text, end, self.out);
        match &mut self.followers.tree {
            Some(tree) => tree.end_atom(text, end),
            None => Ok(()),
        }
    }
}
