//! Rewrites the arguments of a provider's calls while its events pass. This file finds the call that a piece belongs to,
//! and rewrites its text; `places.rs` lists the members of events, and `policy.rs` decides which of them pass.
//!
//! A piece of arguments is the inside of a string, and what is rewritten is that inside as it is spelt: all pieces of a
//! call, one after the other, are the text of one string that a pattern `$ | …` leads into. So nothing is unescaped and
//! escaped again, an escape that two pieces share is held back as anywhere, and text that turns out not to be JSON is
//! cut or passed as in any string.

mod error;
mod places;
mod policy;
mod saved;

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::mem;
use core::ops::Range;

use jsonspigot::internal::{Interrupted, inside_root, unless_interrupted};
use jsonspigot::{Parser, ParserBuilder, Pattern, PatternError, RewriteError, Rewriter, Rule};
use serde::de::IgnoredAny;

pub use self::error::{BadEvent, BadEventReason, CallRulesError};
use self::places::{Key, Wire};
use self::policy::{At, REDACTED};
use crate::json::Json;
use crate::saved::History;
use crate::stream::Provider;

/// The number of calls that are remembered. Of those that are whole, the one that has waited longest is forgotten for
/// another. If all are open, nothing of more calls passes: to forget one would be to let the rest of it pass as the
/// beginning of another.
const MOST_CALLS: usize = 256;

/// Rewrites the arguments of a provider's calls, one event at a time, by the rules of a [`Rewriter`]. The rest of an event
/// does not change.
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
/// It rewrites the events of [Anthropic](Provider::Anthropic), [OpenAI chat](Provider::OpenaiChat) and
/// [OpenAI Responses](Provider::OpenaiResponses).
///
/// # Redaction
///
/// If a rule [redacts](Rule::redact), nothing passes that is not known:
///
/// - Texts that are not JSON and events of another wire are [refused](BadEvent).
///   [`passing_unknown`](Self::passing_unknown) lets events of other wires pass.
/// - The rules apply to arguments that are JSON: those of functions, and of tools of MCP servers. Arguments must begin as
///   an object or an array, since a piece that has lost its call could be the middle of any value.
/// - Patterns do not apply to other inputs: text for custom tools, code, patches, shell commands, queries of the provider's
///   own tools. Each string and number in them becomes `"[redacted]"`.
/// - In an unknown member, of a call or of any other part of an event, each string, number and name of a member becomes
///   `"[redacted]"`. `true`, `false`, `null`, empty strings, and numbers directly in an object that is not a call's pass.
/// - The log probabilities of OpenAI chat become `null`, since they may repeat a call's arguments.
///
/// Text, reasoning, usage, messages of errors and results of tools pass. Without a rule that redacts, everything passes
/// that is not rewritten.
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
    passes_unknown: bool,
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
        let (open, history) = (Vec::new(), History::default());
        Ok(Self { wire, objects, strings, open, has_panicked: false, passes_unknown: false, history })
    }

    /// Passes events of other wires as they are, also if a rule redacts.
    ///
    /// ```
    /// use jsonspigot::Rule;
    /// use jsonspigot_llm::{BadEventReason, CallRewriter, Provider};
    ///
    /// let new = || CallRewriter::new(Provider::Anthropic, [("..password", Rule::redact())]);
    /// let event = r#"{"choices":[{"delta":{"content":"Hi"}}]}"#;
    /// assert_eq!(new()?.push(event).unwrap_err().reason(), &BadEventReason::OtherWire);
    /// assert_eq!(new()?.passing_unknown().push(event)?, event);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn passing_unknown(mut self) -> Self {
        self.passes_unknown = true;
        self
    }

    /// Reads an event's JSON text, and returns it with the arguments in it rewritten. `[DONE]` is returned as it is; so
    /// is any text that is no object or list, unless a rule redacts. Several JSON texts are several events.
    ///
    /// # Errors
    ///
    /// Fails if the event is not JSON; if a rule redacts, and the event is of another wire; and if the arguments of a
    /// call can't be rewritten: then they end there. The [error](BadEvent) has the event as it may be passed on. If a
    /// closure of the rules panics and the panic is caught, every later call returns [`BadEventReason::Panicked`] and
    /// passes nothing.
    pub fn push<'e>(&mut self, event: &'e str) -> Result<Cow<'e, str>, BadEvent> {
        let refuse = |instead: &str, reason| Err(BadEvent { instead: instead.to_owned(), reason });
        if self.has_panicked {
            return refuse("", BadEventReason::Panicked);
        }
        let (text, redacts) = (event.trim_ascii(), self.objects.redacts());
        if matches!(text, "" | "[DONE]") || (!redacts && !text.starts_with(['{', '['])) {
            return Ok(event.into());
        }
        let Some(events) = events(event) else {
            return refuse(if redacts { "" } else { event }, BadEventReason::NotJson);
        };
        let roots: Vec<_> = events.iter().map(|event| self.wire.root(*event)).collect();
        if redacts && !self.passes_unknown && roots.contains(&None) {
            return refuse("", BadEventReason::OtherWire);
        }
        let mut edits = Edits { event, made: Vec::new(), reason: None };
        self.history.add(|out| out.text(event));
        unless_interrupted(self, |calls| {
            for (event, root) in events.into_iter().zip(roots) {
                if let Some(root) = root.or(Some("event").filter(|_| !redacts)) {
                    calls.visit(root, event, At::default(), &mut edits);
                }
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

    fn redacts(&self) -> bool {
        self.objects.redacts()
    }

    /// Rewrites a piece of an input, which is JSON or raw.
    fn rewrite_piece(&mut self, at: &At<'_>, piece: Json<'_>, is_raw: bool, edits: &mut Edits<'_>) {
        let inside = piece.inside('"').unwrap_or_default();
        if inside.is_empty() || (is_raw && !self.redacts()) {
            return;
        }
        match self.text_of(at, inside) {
            Ok(open) if is_raw => {
                let is_first = !mem::replace(&mut open.is_lost, true);
                edits.replace(inside, if is_first { REDACTED } else { "" }.to_owned(), None);
            }
            Ok(open) => {
                let (rewritten, error) = rewrite_inside(&mut open.rewriter, &mut open.is_lost, inside);
                let is_news = !mem::replace(&mut open.has_failed, error.is_some());
                edits.replace(inside, rewritten, error.filter(|_| is_news).map(BadEventReason::Arguments));
            }
            Err(reason) => edits.replace(inside, String::new(), Some(reason)),
        }
    }

    /// Rewrites arguments that are all there, as they would have been in pieces. An empty object may be the placeholder
    /// of those.
    fn rewrite_whole(&mut self, whole: Json<'_>, edits: &mut Edits<'_>) {
        let text = whole.spelt();
        if whole.is_nothing() || (whole.is_object() && whole.members().next().is_none()) {
            return;
        }
        if let Some(inside) = whole.inside('"') {
            let (rewritten, error) = rewrite_inside(&mut self.inside(), &mut false, inside);
            edits.replace(inside, rewritten, error.map(BadEventReason::Arguments));
        } else if self.redacts() && !text.starts_with(['{', '[']) {
            self.hide(whole, true, edits);
        } else {
            let mut objects = self.objects.clone();
            let (mut rewritten, error) = rewrite(&mut objects, text);
            let error = error.or_else(|| objects.finish(|bytes| rewritten.push_str(&lossy(bytes))).err());
            // An event stays JSON.
            let rewritten = if error.is_some() { "null".to_owned() } else { rewritten };
            edits.replace(text, rewritten, error.map(BadEventReason::Arguments));
        }
    }

    /// Returns the text that a piece continues.
    fn text_of(&mut self, at: &At<'_>, piece: &str) -> Result<&mut OpenText, BadEventReason> {
        let key = &at.key;
        let find =
            |fits: &dyn Fn(&OpenText) -> bool| self.open.iter().rposition(|open| key.is_at(&open.key) && fits(open));
        // First the call with this id, then a call without an id. A piece with another id begins a call only if it has a
        // name, or if the call in its place is complete.
        let known = find(&|open| !key.id.is_empty() && open.key.id == key.id)
            .or_else(|| find(&|open| key.id.is_empty() || open.key.id.is_empty()))
            .or_else(|| find(&|open| key.index.is_some() && !at.is_named && !open.rewriter.has_whole_inner_text()));
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

/// Returns the values of a text, and the elements of its lists; `None` if it is not JSON. Leaves out `null` and the
/// string `[DONE]`, which some servers send at the end.
fn events(text: &str) -> Option<Vec<Json<'_>>> {
    let mut texts = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let (mut events, mut start) = (Vec::new(), 0);
    while let Some(read) = texts.next() {
        read.ok()?;
        let json = Json::of(text.get(start..texts.byte_offset())?.trim_ascii());
        start = texts.byte_offset();
        match json.inside('[') {
            Some(_) => events.extend(json.elements()),
            None if matches!(json.spelt(), "null" | "\"[DONE]\"") => {}
            None => events.push(json),
        }
    }
    Some(events)
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
