//! Rewrites the arguments of a provider's calls while its events pass.
//!
//! The events are read by the tables of their wire, which mark each value: as known, as a call's input, or as a piece of
//! one. `reader.rs` reads them, `policy.rs` decides by the marks what becomes of each value, `texts.rs` rewrites the
//! inputs, and `edits.rs` puts the new values in place of the old ones.

mod edits;
mod error;
mod policy;
mod reader;
mod saved;
mod texts;

use alloc::borrow::{Cow, ToOwned};
use alloc::vec;
use alloc::vec::Vec;
use core::{fmt, mem};

use jsonspigot::internal::{Interrupted, inside_root, unless_interrupted};
use jsonspigot::{Parser, ParserBuilder, Pattern, PatternError, Rewriter, Rule, RuleError};
use serde::de::IgnoredAny;

use self::edits::Edits;
pub use self::error::{BadEvent, BadEventReason};
use self::policy::{Page, hide_all, hide_in_error};
use self::reader::{Found, Readers};
use self::texts::Texts;
use crate::json::{Node, Tree};
use crate::saved::History;
use crate::stream::Provider;

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
/// let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"f"}}"#;
/// assert_eq!(calls.push(start)?, start);
/// assert_eq!(calls.push(&event(r#"{"password": "hun"#))?, event(r#"{"password": "[redacted]""#));
/// assert_eq!(calls.push(&event(r#"ter2", "n": 1}"#))?, event(r#", "n": 1}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It rewrites the events of every provider. A piece that no open call takes is rewritten by itself. An event with a
/// sequence number that is sent again while a call is open is left out. The rules do not apply to arguments that Gemini
/// sends as values by path.
///
/// # Redaction
///
/// If a rule [redacts](Rule::redact), nothing passes that is not known:
///
/// - Texts that are not JSON, events that can't be read, and events of another wire are [refused](BadEvent).
///   [`passing_unknown`](Self::passing_unknown) lets events of other wires pass.
/// - The rules apply to inputs that are JSON, such as those of functions and of tools of MCP servers. They must begin as
///   an object or an array. A piece that no open call takes could be the middle of any value, so it becomes empty.
/// - Patterns do not apply to other inputs: text for custom tools, code, patches, shell commands, queries of the
///   provider's own tools. Each string and number in them becomes `"[redacted]"`.
/// - In an unknown member, of a call or of any other part of an event, and in data of the application, each string,
///   number and name of a member becomes `"[redacted]"`. `true`, `false`, `null` and empty strings pass. So do, outside
///   of calls, numbers, ids and plain values that have no information about the answer, such as `created`; and in a call
///   its `type` and place.
/// - Log probabilities become `null`, since they may repeat a call's arguments.
///
/// Text, reasoning, usage, messages of errors and results of tools pass. Without a rule that redacts, everything passes
/// that is not rewritten.
pub struct CallRewriter {
    texts: Texts,
    readers: Readers,
    /// True once a closure of the rules has panicked, so that the state of open calls is lost.
    has_panicked: bool,
    passes_unknown: bool,
    history: History,
}

impl Interrupted for CallRewriter {
    fn interrupt(&mut self) {
        self.readers.clear();
        self.has_panicked = true;
        self.history.interrupt();
    }
}

impl fmt::Debug for CallRewriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("CallRewriter");
        shown.field("provider", &self.readers.provider).field("rules", &self.texts.objects).finish_non_exhaustive()
    }
}

impl CallRewriter {
    /// Creates a rewriter with rules and their patterns, as [`Rewriter::new`](jsonspigot::Rewriter::new) takes them. Each
    /// call has its own clone of the rules.
    ///
    /// # Errors
    ///
    /// Fails like [`Rewriter::with_parser`](jsonspigot::Rewriter::with_parser).
    pub fn new<P>(provider: Provider, rules: impl IntoIterator<Item = (P, Rule)>) -> Result<Self, RuleError>
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
    ) -> Result<Self, RuleError>
    where
        P: TryInto<Pattern, Error: Into<PatternError>>,
    {
        let (patterns, rules): (Vec<P>, Vec<Rule>) = rules.into_iter().unzip();
        let objects = Rewriter::with_parser(parser.clone(), patterns.into_iter().zip(rules.clone()))?;
        let inside = objects.patterns().as_slice().iter().cloned().map(inside_root);
        let strings = Rewriter::with_parser(parser, inside.zip(rules))?;
        Ok(Self {
            texts: Texts { objects, strings },
            readers: Readers::new(provider),
            has_panicked: false,
            passes_unknown: false,
            history: History::default(),
        })
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
    /// Fails if the event is not JSON; if a rule redacts, and the event can't be read or is of another wire; and if the
    /// arguments of a call can't be rewritten: then they end there. The [error](BadEvent) has the event as it may be passed
    /// on. If a closure of the rules panics and the panic is caught, every later call returns
    /// [`BadEventReason::Panicked`] and passes nothing.
    pub fn push<'e>(&mut self, event: &'e str) -> Result<Cow<'e, str>, BadEvent> {
        let refuse = |instead: &str, reason| Err(BadEvent { instead: instead.to_owned(), reason });
        if self.has_panicked {
            return refuse("", BadEventReason::Panicked);
        }
        let (text, redacts) = (event.trim_ascii(), self.texts.redacts());
        if text == "[DONE]" {
            self.readers.clear();
            self.history.restart(|_| {});
        }
        if matches!(text, "" | "[DONE]") || (!redacts && !text.starts_with(['{', '['])) {
            return Ok(event.into());
        }
        let Some(events) = events(event) else {
            return refuse(if redacts { "" } else { event }, BadEventReason::NotJson);
        };
        let (mut edits, mut refused) = (Edits::new(event), None);
        self.history.add(|out| out.text(event));
        unless_interrupted(self, |calls| {
            for event in events {
                let list = event.starts_with('[').then(|| Tree::new(event));
                let elements = list.as_ref().map(|list| list.root().children().map(Node::spelt).collect());
                for event in elements.unwrap_or_else(|| vec![event]) {
                    refused = refused.take().or(calls.rewrite(event, &mut edits));
                }
            }
        });
        self.readers.settle();
        if self.readers.open.is_empty() {
            self.history.restart(|_| {});
        }
        match refused {
            Some(reason) => refuse("", reason),
            None => edits.finish(),
        }
    }

    /// Decides whether a text that was not whole, or not UTF-8, may be passed on.
    ///
    /// # Errors
    ///
    /// Fails if a rule redacts, or if the text begins as an event does, with nothing or the text itself to pass on.
    pub fn pass_unreadable(&self, text: &str) -> Result<(), BadEvent> {
        let redacts = self.texts.redacts();
        if redacts || text.trim_start().starts_with(['{', '[']) {
            let instead = if redacts { "" } else { text };
            return Err(BadEvent { instead: instead.to_owned(), reason: BadEventReason::NotJson });
        }
        Ok(())
    }

    /// Begins another stream, with the same rules.
    pub fn reset(&mut self) {
        self.readers.clear();
        self.has_panicked = false;
        self.history = self.history.emptied();
    }

    /// Rewrites one event. Returns the reason why nothing of it may pass, if there is one.
    fn rewrite(&mut self, event: &str, edits: &mut Edits<'_>) -> Option<BadEventReason> {
        let tree = Tree::new(event);
        let event = tree.root();
        let Self { texts, readers, passes_unknown, .. } = self;
        let (provider, redacts) = (readers.provider, texts.redacts());
        if readers.is_repeated(event) {
            edits.leave_out(event.spelt());
            return None;
        }
        let Some(reader) = readers.of(event) else {
            edits.fail(BadEventReason::TooManyCalls);
            return redacts.then_some(BadEventReason::TooManyCalls);
        };
        let mut page = Page { texts, open: mem::take(&mut reader.texts), edits, wrapped: None };
        let found = reader.read(provider, event, &mut |tree| page.rewrite(tree));
        let Page { open, edits, .. } = page;
        reader.texts = open;
        match found {
            Found::Known => {}
            Found::TooManyCalls => edits.fail(BadEventReason::TooManyCalls),
            _ if !redacts => {}
            Found::Failure => hide_in_error(event, edits),
            Found::NewKind => hide_all(event, edits),
            Found::OtherWire if *passes_unknown => {}
            Found::OtherWire => return Some(BadEventReason::OtherWire),
            Found::Unreadable => return Some(BadEventReason::Unreadable),
        }
        None
    }
}

/// Returns the values of a text; `None` if it is not JSON. Leaves out `null` and the string `[DONE]`, which some servers
/// send at the end.
fn events(text: &str) -> Option<Vec<&str>> {
    let mut texts = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let (mut events, mut start) = (Vec::new(), 0);
    while let Some(read) = texts.next() {
        read.ok()?;
        let json = text.get(start..texts.byte_offset())?.trim_ascii();
        start = texts.byte_offset();
        events.extend(Some(json).filter(|json| !matches!(*json, "null" | "\"[DONE]\"")));
    }
    Some(events)
}
