//! Rewriting the arguments of a provider's calls while its events pass: which call a piece belongs to, and what becomes
//! of the event. Where in an event arguments are is in `places.rs`.
//!
//! A piece of arguments is the inside of a string, and what is rewritten is that inside as it is spelt: all pieces of a
//! call, one after the other, are the text of one string that a pattern `$ | …` leads into. So nothing is unescaped and
//! escaped again, an escape that two pieces share is held back as anywhere, and text that turns out not to be JSON is
//! cut or passed as in any string.

mod error;
mod places;
mod saved;

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::mem;
use core::ops::Range;

use jsonspigot::internal::{Interrupted, inside_root, unless_interrupted};
use jsonspigot::{Parser, ParserBuilder, Pattern, PatternError, RewriteError, Rewriter, Rule};

pub use self::error::{BadEvent, BadEventReason, CallRulesError};
use self::places::{Found, Key, Wire, find};
use crate::json::Json;
use crate::saved::History;
use crate::stream::Provider;

/// The number of calls that are remembered. Of those that are whole, the one that has waited longest is forgotten for
/// another. If all are open, nothing of more calls passes: to forget one would be to let the rest of it pass as the
/// beginning of another.
const MOST_CALLS: usize = 256;

/// Rewrites the arguments of a provider's calls, one event at a time, by the rules of a [`Rewriter`]; all else of an event
/// comes out as it came in.
///
/// A piece of a call's arguments becomes a piece of the rewritten arguments in the same event: an empty one, where a
/// value is left out or what comes cannot be decided yet. Events that repeat the arguments as a whole are rewritten
/// alike. So a client reads the same calls, with other values.
///
/// ```
/// use jsonspigot::Rule;
/// use jsonspigot_llm::{CallRewriter, Provider};
///
/// let mut calls = CallRewriter::new(Provider::Anthropic, [("..password", Rule::redact())])?;
/// let event = |json: &str| {
///     let inside = json.replace('"', "\\\"");
///     format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":"{inside}"}}}}"#)
/// };
/// assert_eq!(calls.push(&event(r#"{"password": "hun"#))?, event(r#"{"password": "[redacted]""#));
/// assert_eq!(calls.push(&event(r#"ter2", "n": 1}"#))?, event(r#", "n": 1}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where a rule [redacts](Rule::redact), arguments that begin as neither an object nor an array do not pass: a piece
/// that has lost its call could be the middle of any value.
///
/// It knows the wires of [Anthropic](Provider::Anthropic), [OpenAI chat](Provider::OpenaiChat) and
/// [OpenAI Responses](Provider::OpenaiResponses), and of these the arguments that are JSON: those of functions and of
/// tools of MCP servers, and objects that are a call's whole input. What custom tools, code and shells get as text of
/// their own, and the patches and commands of Responses' own tools, pass as they are. So do all events of another wire
/// than the one that was named, secrets included; a [`ProviderStream`](crate::ProviderStream) of the same provider that
/// reads them too says in its [verdict](crate::ProviderStream::verdict) that they mean nothing to it.
pub struct CallRewriter {
    wire: Wire,
    /// The rewriter of arguments that are an object. Each call's arguments are rewritten by a clone of this or the next.
    objects: Rewriter,
    /// The rewriter of arguments that are a string.
    strings: Rewriter,
    /// The open calls; the one that has got something last is the last.
    open: Vec<OpenText>,
    /// True once a closure of the rules has panicked. What was open is lost, so nothing more can be read rightly.
    has_panicked: bool,
    history: History,
}

impl Interrupted for CallRewriter {
    fn interrupt(&mut self) {
        self.open.clear();
        self.has_panicked = true;
        self.history.interrupt();
    }
}

/// The arguments of a call that come in pieces.
struct OpenText {
    key: Key<'static>,
    rewriter: Rewriter,
    /// True if it can't be rewritten further, which has been reported.
    has_failed: bool,
    /// True if nothing of it passes, as it does not begin as arguments do.
    is_lost: bool,
}

impl fmt::Debug for CallRewriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRewriter").field("wire", &self.wire).field("rules", &self.objects).finish_non_exhaustive()
    }
}

impl CallRewriter {
    /// Creates a rewriter with rules and their patterns, as [`Rewriter::new`](jsonspigot::Rewriter::new) takes them. Each
    /// call has its own clone of the rules.
    ///
    /// # Errors
    ///
    /// Fails if the provider's wire is not one of those that are known here, and like
    /// [`Rewriter::with_parser`](jsonspigot::Rewriter::with_parser).
    pub fn new<P>(provider: Provider, rules: impl IntoIterator<Item = (P, Rule)>) -> Result<Self, CallRulesError>
    where
        P: TryInto<Pattern, Error: Into<PatternError>>,
    {
        Self::with_parser(provider, Parser::builder(), rules)
    }

    /// Creates a rewriter with the limits and the policy on duplicate keys of a parser, for each call's arguments. As
    /// these mostly are in a string, the limit for strings has to allow for all of them.
    ///
    /// # Errors
    ///
    /// Fails like [`new`](Self::new).
    pub fn with_parser<P>(
        provider: Provider,
        parser: ParserBuilder,
        rules: impl IntoIterator<Item = (P, Rule)>,
    ) -> Result<Self, CallRulesError>
    where
        P: TryInto<Pattern, Error: Into<PatternError>>,
    {
        let wire = Wire::of(provider).ok_or(CallRulesError::Provider(provider))?;
        let (patterns, rules): (Vec<P>, Vec<Rule>) = rules.into_iter().unzip();
        let objects = Rewriter::with_parser(parser.clone(), patterns.into_iter().zip(rules.clone()))?;
        let inside = objects.patterns().as_slice().iter().cloned().map(inside_root);
        let strings = Rewriter::with_parser(parser, inside.zip(rules))?;
        Ok(Self { wire, objects, strings, open: Vec::new(), has_panicked: false, history: History::default() })
    }

    /// Reads an event's JSON text, and returns it with the arguments in it rewritten. What is no object or list, such
    /// as `[DONE]`, is returned as it is.
    ///
    /// # Errors
    ///
    /// If the event is not JSON, so that nobody knows what is in it; and if the arguments of a call can't be rewritten:
    /// then they end there. The [error](BadEvent) has the event as it may be passed on. If a closure of the rules
    /// panics and the panic is caught, every later call returns [`BadEventReason::Panicked`] and passes nothing.
    pub fn push<'e>(&mut self, event: &'e str) -> Result<Cow<'e, str>, BadEvent> {
        if self.has_panicked {
            return Err(BadEvent { instead: String::new(), reason: BadEventReason::Panicked });
        }
        let text = event.trim_ascii();
        if text == "[DONE]" || !text.starts_with(['{', '[']) {
            return Ok(event.into());
        }
        let Some(json) = Json::new(event) else {
            let instead = if self.objects.redacts() { String::new() } else { event.to_owned() };
            return Err(BadEvent { instead, reason: BadEventReason::NotJson });
        };
        let mut edits = Edits { event, made: Vec::new(), reason: None };
        self.history.add(|out| out.text(event));
        unless_interrupted(self, |calls| {
            let mut edit = |event| find(calls.wire, event, &mut |found| calls.edit(found, &mut edits));
            if json.is_object() {
                edit(json);
            } else {
                json.elements().for_each(edit);
            }
        });
        if self.open.is_empty() {
            self.history.restart(|_| {});
        }
        edits.finish()
    }

    /// Begins another stream, with the same rules.
    pub fn reset(&mut self) {
        self.open.clear();
        self.has_panicked = false;
        self.history = self.history.emptied();
    }

    /// Returns a rewriter of the text inside the string that a call's arguments are.
    fn inside(&self) -> Rewriter {
        let mut rewriter = self.strings.clone();
        // Nothing is wrong with a quote, which comes out as it is.
        let _ = rewriter.write("\"", |_| {});
        rewriter
    }

    fn edit(&mut self, found: Found<'_>, edits: &mut Edits<'_>) {
        match found {
            Found::Piece(key, piece) => match piece.inside('"') {
                Some("") => {}
                Some(inside) => match self.text_of(&key, inside) {
                    Ok(open) => {
                        let (rewritten, error) = rewrite_inside(&mut open.rewriter, &mut open.is_lost, inside);
                        let is_news = !mem::replace(&mut open.has_failed, error.is_some());
                        edits.replace(inside, rewritten, error.filter(|_| is_news).map(BadEventReason::Arguments));
                    }
                    Err(reason) => edits.replace(inside, String::new(), Some(reason)),
                },
                None => self.rewrite_whole(piece, edits),
            },
            Found::Whole(whole) => self.rewrite_whole(whole, edits),
            Found::End(key) => self.open.retain(|open| !key.means(&open.key)),
        }
    }

    /// Rewrites arguments that are all there, as they would have been in pieces.
    fn rewrite_whole(&self, whole: Json<'_>, edits: &mut Edits<'_>) {
        let (text, (rewritten, error)) = match whole.inside('"') {
            Some("") => return,
            None if whole.is_nothing() || !whole.is_given() => return,
            Some(inside) => (inside, rewrite_inside(&mut self.inside(), &mut false, inside)),
            None => {
                let mut objects = self.objects.clone();
                let (mut rewritten, error) = rewrite(&mut objects, whole.spelt());
                let error = error.or_else(|| objects.finish(|bytes| rewritten.push_str(&lossy(bytes))).err());
                // An event stays JSON.
                (whole.spelt(), (if error.is_some() { "null".to_owned() } else { rewritten }, error))
            }
        };
        edits.replace(text, rewritten, error.map(BadEventReason::Arguments));
    }

    /// The text that a piece goes on with.
    fn text_of(&mut self, key: &Key<'_>, piece: &str) -> Result<&mut OpenText, BadEventReason> {
        // One that has the very id comes before one whose id has not come.
        let has_id = |open: &OpenText| !key.id.is_empty() && key.means(&open.key) && open.key.id == key.id;
        let known = self.open.iter().rposition(has_id);
        let known = known.or_else(|| self.open.iter().rposition(|open| key.means(&open.key)));
        let mut open = match known {
            Some(place) => self.open.remove(place),
            None => {
                let is_whole = |open: &OpenText| open.rewriter.has_whole_inner_text();
                match self.open.iter().position(is_whole) {
                    _ if self.open.len() < MOST_CALLS => {}
                    Some(place) => drop(self.open.remove(place)),
                    None => return Err(BadEventReason::TooManyCalls),
                }
                OpenText { key: key.to_owned(), rewriter: self.inside(), has_failed: false, is_lost: false }
            }
        };
        if open.key.id.is_empty() {
            open.key.id = key.to_owned().id;
        }
        // What follows a whole value is another call's, of a server that does not count, or all of it once more.
        if open.rewriter.has_whole_inner_text() && !piece.trim_ascii().is_empty() {
            open.rewriter = self.inside();
            (open.has_failed, open.is_lost) = (false, false);
        }
        self.open.push(open);
        let last = self.open.len() - 1;
        Ok(&mut self.open[last])
    }
}

/// The changes of an event.
struct Edits<'e> {
    event: &'e str,
    made: Vec<(Range<usize>, String)>,
    /// The first thing that went wrong.
    reason: Option<BadEventReason>,
}

impl<'e> Edits<'e> {
    fn replace(&mut self, text: &str, by: String, reason: Option<BadEventReason>) {
        let start = (text.as_ptr() as usize).saturating_sub(self.event.as_ptr() as usize);
        if by != text {
            self.made.push((start..start + text.len(), by));
        }
        self.reason = self.reason.take().or(reason);
    }

    fn finish(mut self) -> Result<Cow<'e, str>, BadEvent> {
        self.made.sort_unstable_by_key(|(place, _)| place.start);
        let (mut rewritten, mut from) = (String::new(), 0);
        for (place, by) in &self.made {
            rewritten.push_str(self.event.get(from..place.start).unwrap_or_default());
            rewritten.push_str(by);
            from = place.end;
        }
        let rest = self.event.get(from..).unwrap_or_default();
        let event = if from == 0 { Cow::Borrowed(rest) } else { Cow::Owned(rewritten + rest) };
        match self.reason {
            None => Ok(event),
            Some(reason) => Err(BadEvent { instead: event.into_owned(), reason }),
        }
    }
}

/// The same for the inside of a string, of which nothing may come out once it is lost.
fn rewrite_inside(rewriter: &mut Rewriter, is_lost: &mut bool, inside: &str) -> (String, Option<RewriteError>) {
    if rewriter.redacts() && rewriter.is_before_inner_text() {
        *is_lost |= !begins_as_arguments(inside);
    }
    if *is_lost { (String::new(), None) } else { rewrite(rewriter, inside) }
}

/// Returns true for the beginning of an object or array, as it may be spelt in a string, or white space before it.
fn begins_as_arguments(inside: &str) -> bool {
    let mut rest = inside;
    loop {
        let (first, len) = match rest.as_bytes() {
            [] => return true,
            [b'\\', b'u', ..] => {
                let digits = rest.get(2..6).unwrap_or_default();
                (u8::from_str_radix(digits, 16).unwrap_or_default(), 6)
            }
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b'r', ..] => (b'\r', 2),
            [b'\\', b't', ..] => (b'\t', 2),
            [first, ..] => (*first, 1),
        };
        match first {
            b'{' | b'[' => return true,
            b' ' | b'\n' | b'\r' | b'\t' => rest = rest.get(len..).unwrap_or_default(),
            _ => return false,
        }
    }
}

/// What comes out for a text, and the error that stops it there.
fn rewrite(rewriter: &mut Rewriter, text: &str) -> (String, Option<RewriteError>) {
    let mut rewritten = String::with_capacity(text.len());
    let written = rewriter.write(text, |bytes| rewritten.push_str(&lossy(bytes)));
    (rewritten, written.err())
}

/// Whole characters come in, and whole ones come out.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
