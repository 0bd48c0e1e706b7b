//! The rewriting of a call's input: of all its JSON text, or of pieces of it.
//!
//! A piece is the inside of a string, and what is rewritten is that inside as it is spelt: all pieces of a text, one
//! after the other, are the text of one string that a pattern `$ | …` leads into. So nothing is unescaped and escaped
//! again, an escape that two pieces share is held back as anywhere, and text that turns out not to be JSON is cut or
//! passed as in any string.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::whole_escape;
use jsonspigot::{RewriteError, Rewriter};

use super::edits::Edits;
use super::error::BadEventReason;
use crate::json::{Node, Text, inside};

/// The text in place of a redacted value.
pub(super) const REDACTED: &str = "[redacted]";

/// The number of inputs that are rewritten at once for one agent.
const MOST_TEXTS: usize = 256;

/// The rewriters that are cloned for each input.
pub(super) struct Texts {
    /// For inputs that are objects.
    pub(super) objects: Rewriter,
    /// For inputs that are strings.
    pub(super) strings: Rewriter,
}

/// The input of a call that arrives in pieces.
pub(super) struct OpenText {
    text: Text,
    rewriter: Rewriter,
    /// True if it can't be rewritten further, which has been reported.
    has_failed: bool,
    /// True if the rest of it is dropped, because it does not begin as arguments do.
    is_lost: bool,
}

impl Texts {
    pub(super) fn redacts(&self) -> bool {
        self.objects.redacts()
    }

    /// Rewrites a piece of a call's JSON text.
    pub(super) fn rewrite_piece(&self, open: &mut Vec<OpenText>, text: Text, piece: &str, edits: &mut Edits<'_>) {
        let inside = inside(piece, '"').unwrap_or_default();
        if inside.is_empty() {
            return;
        }
        if text.is_stray() && self.redacts() {
            // It could be the middle of any value.
            return edits.replace(inside, String::new(), None);
        }
        let Some(open) = self.text_of(open, text) else {
            return edits.replace(inside, String::new(), Some(BadEventReason::TooManyCalls));
        };
        // Text after a complete value repeats it.
        if open.rewriter.has_whole_inner_text() && !inside.trim_ascii().is_empty() {
            *open = self.new_text(text);
        }
        let (rewritten, error) = rewrite_inside(&mut open.rewriter, &mut open.is_lost, inside);
        let is_news = !mem::replace(&mut open.has_failed, error.is_some());
        edits.replace(inside, rewritten, error.filter(|_| is_news).map(BadEventReason::Arguments));
    }

    /// Rewrites all of a call's JSON text so far. Pieces that follow continue it.
    pub(super) fn rewrite_so_far(&self, open: &mut Vec<OpenText>, text: Text, whole: &str, edits: &mut Edits<'_>) {
        if let Some(open) = self.text_of(open, text) {
            *open = OpenText { has_failed: open.has_failed, ..self.new_text(text) };
        }
        self.rewrite_piece(open, text, whole, edits);
    }

    /// Redacts a piece of an input that is not JSON: the first one of a call becomes [`REDACTED`], the others nothing.
    pub(super) fn redact_piece(&self, open: &mut Vec<OpenText>, text: Text, piece: &str, edits: &mut Edits<'_>) {
        let inside = inside(piece, '"').unwrap_or_default();
        if self.redacts() && !inside.is_empty() {
            let is_first = self.text_of(open, text).is_some_and(|open| !mem::replace(&mut open.is_lost, true));
            edits.replace(inside, if is_first { REDACTED } else { "" }.to_owned(), None);
        }
    }

    /// Rewrites an input that is complete, as its pieces would have been. An empty object may be a placeholder for them.
    pub(super) fn rewrite_whole(&self, whole: Node<'_>, edits: &mut Edits<'_>) {
        let text = whole.spelt();
        if whole.is_nothing() || (whole.is_object() && whole.children().next().is_none()) {
            return;
        }
        if let Some(inside) = inside(text, '"') {
            let (rewritten, error) = rewrite_inside(&mut self.inside(), &mut false, inside);
            edits.replace(inside, rewritten, error.map(BadEventReason::Arguments));
        } else if text.starts_with(['{', '[']) {
            let mut objects = self.objects.clone();
            let (mut rewritten, error) = rewrite(&mut objects, text);
            let error = error.or_else(|| objects.finish(|bytes| rewritten.push_str(&lossy(bytes))).err());
            // An event stays JSON.
            let rewritten = if error.is_some() { "null".to_owned() } else { rewritten };
            edits.replace(text, rewritten, error.map(BadEventReason::Arguments));
        } else if self.redacts() {
            edits.replace(text, ["\"", REDACTED, "\""].concat(), None);
        }
    }

    /// Returns a rewriter of the text inside the string that an input is.
    fn inside(&self) -> Rewriter {
        let mut rewriter = self.strings.clone();
        // Nothing is wrong with a quote, which comes out as it is.
        let _ = rewriter.write("\"", |_| {});
        rewriter
    }

    fn new_text(&self, text: Text) -> OpenText {
        OpenText { text, rewriter: self.inside(), has_failed: false, is_lost: false }
    }

    /// Returns the text that a call's piece continues; `None` if there are too many.
    fn text_of<'o>(&self, open: &'o mut Vec<OpenText>, text: Text) -> Option<&'o mut OpenText> {
        if let Some(place) = open.iter().position(|open| open.text == text) {
            return open.get_mut(place);
        }
        if open.len() >= MOST_TEXTS {
            return None;
        }
        open.push(self.new_text(text));
        open.last_mut()
    }
}

impl OpenText {
    /// Returns true if more of the text may follow, though the call has no more to come.
    pub(super) fn is_stray(&self) -> bool {
        self.text.call().is_none() && !self.rewriter.has_whole_inner_text()
    }

    /// Returns the call that the text is the input of.
    pub(super) fn call(&self) -> Option<u64> {
        self.text.call()
    }
}

/// Rewrites the inside of a string, of which nothing passes once it is lost.
fn rewrite_inside(rewriter: &mut Rewriter, is_lost: &mut bool, inside: &str) -> (String, Option<RewriteError>) {
    if rewriter.redacts() && rewriter.is_before_inner_text() {
        *is_lost |= !begins_as_arguments(inside);
    }
    if *is_lost { (String::new(), None) } else { rewrite(rewriter, inside) }
}

/// Returns true for the beginning of an object or array, as it may be spelt in a string, or white space before it.
fn begins_as_arguments(inside: &str) -> bool {
    let (mut rest, mut buffer) = (inside.as_bytes(), [0; 4]);
    while let [byte, ..] = rest {
        let (first, len) = match whole_escape(rest, &mut buffer) {
            Some((character, len)) if *byte == b'\\' => (character.as_bytes()[0], len),
            _ => (*byte, 1),
        };
        match first {
            b'{' | b'[' => return true,
            b' ' | b'\n' | b'\r' | b'\t' => rest = rest.get(len..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

/// Returns what a text becomes, and the error that ended the rewriting.
fn rewrite(rewriter: &mut Rewriter, text: &str) -> (String, Option<RewriteError>) {
    let mut rewritten = String::with_capacity(text.len());
    let written = rewriter.write(text, |bytes| rewritten.push_str(&lossy(bytes)));
    (rewritten, written.err())
}

/// Whole characters come in, and whole ones come out.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
