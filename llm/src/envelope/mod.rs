//! JSON inside text: a push filter that separates visible text from payloads between delimiters.
//!
//! This file handles the text outside payloads, and holds back the part of it that may become a delimiter.
//! `delimiter.rs` defines the delimiters. `opening.rs` finds an opening one, with `any_fence.rs` for `fence:*`.
//! `payload.rs` reads the payload, with `brackets.rs` and `closing.rs` to find its end. `event.rs` defines the events,
//! and `saved.rs` saves the input since the text was last outside payloads.
//!
//! Nothing looks ahead of the chunk: if its end is undecided, a state is kept and text that may be visible is held.

mod any_fence;
mod brackets;
mod builder;
mod closing;
mod delimiter;
mod event;
mod opening;
mod payload;
mod saved;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Parser, PatternSet};

use any_fence::Fences;
pub use builder::EnvelopeBuilder;
use closing::Closing;
use delimiter::Shape;
pub use delimiter::{Delimiter, DelimiterError};
pub use event::{EnvelopeEvent, EnvelopeEvents};
use opening::{Opening, Verdict, certain_text};
use payload::OpenPayload;

use crate::saved::History;
use crate::verbs::verbs;

/// JSON's white space.
const SPACE: [u8; 4] = *b" \t\n\r";

/// A callback that receives events.
type Report<'t> = dyn FnMut(EnvelopeEvent<'_>) + 't;

/// A push filter over text that reports visible text at once, and parses the payloads between [`Delimiter`]s.
///
/// Text may be cut into chunks anywhere. Text that cannot be part of an opening delimiter is reported by the same call.
/// Text that may still become a delimiter is held back, and reported later if it does not. Once a delimiter has opened,
/// its payload is never visible text: JSON is fed to a [`Parser`] as it arrives, plain text is reported in pieces, and
/// the end of the payload reports its status and its text.
///
/// ```
/// use jsonspigot_llm::{Envelope, EnvelopeEvent, Delimiter};
/// use jsonspigot::PatternSet;
///
/// let delimiters = [Delimiter::comment("context")?, Delimiter::tag("think")?];
/// let mut envelope = Envelope::new(delimiters, &PatternSet::new(["slots[*]"])?);
/// let (mut shown, mut slots, mut thoughts) = (String::new(), String::new(), String::new());
/// let mut on_event = |event: EnvelopeEvent<'_>| match event {
///     EnvelopeEvent::Text(text) => shown.push_str(&text),
///     EnvelopeEvent::Fragment { text, .. } => thoughts.push_str(&text),
///     EnvelopeEvent::Match { event, .. } => {
///         if let Some(text) = event.delta() {
///             slots.push_str(text);
///         }
///     }
///     EnvelopeEvent::End { delimiter, payload, .. } => println!("{delimiter}: {}", payload.status().name()),
///     _ => {}
/// };
/// for chunk in ["<thi", "nk>1 < 2</th", "ink>Yes. <!-", "-context {\"slots\": [\"a --> b", "\"]} -", "-> Bye!"] {
///     envelope.feed_with(chunk, &mut on_event);
/// }
/// envelope.finish_with(&mut on_event);
/// assert_eq!((shown.as_str(), slots.as_str(), thoughts.as_str()), ("Yes.  Bye!", "a --> b", "1 < 2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Where a payload ends
///
/// A JSON payload ends with its JSON: a closing delimiter inside a string is part of the string. Only white space may
/// separate the JSON from the closing delimiter. Anything else makes the payload
/// [trailing](crate::PayloadStatus::Trailing) or [malformed](crate::PayloadStatus::Malformed); after a payload
/// [between](Delimiter::between) two texts, it is text again. After the first invalid byte, the end of the JSON is
/// unknown, so the next closing delimiter ends the payload, as it would in a browser or a Markdown viewer. Plain text
/// ends at the first closing delimiter. Payloads do not nest: an opening delimiter inside a payload is part of the
/// payload.
///
/// # Cost
///
/// Linear in the text, whatever the size of the chunks. Memory is needed for the text that is held back, up to the
/// [hold limit](EnvelopeBuilder::hold_limit), for one payload, up to the [payload
/// limit](EnvelopeBuilder::payload_limit), and for the text that the parser retains.
#[derive(Clone, Debug)]
pub struct Envelope {
    delimiters: Vec<Delimiter>,
    /// The first bytes of the delimiters.
    first_bytes: Vec<u8>,
    /// True if the input starts inside a payload of the first delimiter.
    starts_inside: bool,
    state: State,
    /// Text that is held back because it may become a delimiter: the end of the input so far.
    held: String,
    /// Visible text that has not been reported yet, while a chunk is read. Most of it was held before.
    shown: String,
    opening: Opening,
    /// The fences of text, if one of the delimiters is `fence:*`.
    fences: Option<Fences>,
    payload: OpenPayload,
    /// The number of bytes that have been reported.
    offset: u64,
    hold_limit: usize,
    history: History,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Inside a payload that began before the input.
    Inside,
    Text,
    Opening,
    Payload,
    /// A callback has panicked, so it is unknown what the following text is.
    Interrupted,
}

impl Interrupted for Envelope {
    fn interrupt(&mut self) {
        self.state = State::Interrupted;
        self.held.clear();
        self.shown.clear();
        self.history.interrupt();
    }
}

impl Envelope {
    /// Creates an envelope with default options. If two delimiters open at once, the first one wins.
    #[must_use]
    pub fn new(delimiters: impl IntoIterator<Item = Delimiter>, patterns: &PatternSet) -> Self {
        Self::builder().build(delimiters, patterns)
    }

    /// Returns a builder, to set how payloads are parsed and the limits.
    pub fn builder() -> EnvelopeBuilder {
        EnvelopeBuilder::default()
    }
}

verbs! {
    Envelope, EnvelopeEvent in EnvelopeEvents;

    /// Reads a chunk. Payloads with errors are events too. The whole chunk is read at once, even if not all events are
    /// used.
    ///
    /// If a callback panics and the panic is caught, nothing more is reported until [`reset`](Self::reset) or
    /// [`finish`](Self::finish).
    feed, feed_with(chunk: impl AsRef<str>) => Some(chunk.as_ref());

    /// Signals the end of input: reports held text, or ends the open payload. After that, the envelope is as if new.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, PayloadStatus};
    /// use jsonspigot::PatternSet;
    ///
    /// let mut envelope = Envelope::new([Delimiter::fence("json")?], &PatternSet::default());
    /// envelope.feed("Use ```js").check()?; // it may become ```json
    /// assert_eq!(envelope.finish().next(), Some(EnvelopeEvent::Text("```js".into())));
    ///
    /// envelope.feed("```json\n[1, 2").check()?;
    /// for event in envelope.finish() {
    ///     let EnvelopeEvent::End { payload, .. } = event else { panic!("one payload is open") };
    ///     assert_eq!(payload.status(), PayloadStatus::Truncated { reason: "end-of-input" });
    ///     assert_eq!((payload.raw(), payload.error().unwrap().offset()), ("\n[1, 2", 6));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    finish, finish_with() => None;
}

impl Envelope {
    /// Returns the events of a chunk, or of the end of input.
    fn events_of(&mut self, chunk: Option<&str>) -> EnvelopeEvents {
        let mut events = Vec::new();
        self.take(chunk, &mut |event| events.push(event.into_owned()));
        EnvelopeEvents::new(events)
    }

    /// Reads a chunk, or the end of input.
    fn take(&mut self, chunk: Option<&str>, report: &mut Report<'_>) {
        let Some(chunk) = chunk else {
            return unless_interrupted(self, |envelope| envelope.finish_to(report));
        };
        self.history.add(|out| out.text(chunk));
        unless_interrupted(self, |envelope| envelope.feed_to(chunk, report));
        if self.state == State::Text {
            self.restart_history();
        }
    }

    fn feed_to(&mut self, chunk: &str, report: &mut Report<'_>) {
        if self.state == State::Text && !chunk.bytes().any(|byte| self.first_bytes.contains(&byte)) {
            // The chunk is reported without being copied.
            return self.report_text(chunk, report);
        }
        if self.held.is_empty() {
            let used = self.scan(chunk, 0, report);
            self.held.push_str(&chunk[used..]);
        } else {
            let mut text = mem::take(&mut self.held);
            let held = text.len();
            text.push_str(chunk);
            let used = self.scan(&text, held, report);
            // The chunk's memory is not kept.
            self.held = if used == 0 { text } else { text[used..].into() };
        }
        self.report_shown(report);
    }

    fn finish_to(&mut self, report: &mut Report<'_>) {
        while self.state == State::Opening {
            let held = mem::take(&mut self.held);
            let (text, rest) = held.split_at(certain_text(&self.delimiters, &held, held.len()));
            self.show_false_opening(text);
            let used = self.scan(rest, 0, report);
            self.held.push_str(&rest[used..]);
        }
        if self.state == State::Payload {
            self.payload.finish(&self.delimiters, &self.held, report);
        }
        self.report_shown(report);
        self.reset();
    }

    /// Discards held text and the open payload. The envelope is then as if new, with the same delimiters and options.
    pub fn reset(&mut self) {
        self.state = if self.starts_inside { State::Inside } else { State::Text };
        self.held.clear();
        self.offset = 0;
        self.fences = self.delimiters.iter().any(|delimiter| delimiter.shape == Shape::AnyFence).then(Fences::default);
        self.history = self.history.emptied();
    }

    /// Returns the delimiters in the order in which they were given.
    #[must_use]
    pub fn delimiters(&self) -> &[Delimiter] {
        &self.delimiters
    }

    /// Returns the delimiter of the open payload; `None` if no payload is open.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{Delimiter, Envelope};
    ///
    /// let mut envelope = Envelope::new([Delimiter::fence("json")?], &PatternSet::default());
    /// envelope.feed("Here:\n```json\n[1").check()?;
    /// assert_eq!(envelope.open_payload(), Some(&Delimiter::fence("json")?));
    /// envelope.feed("]\n```\n").check()?;
    /// assert_eq!(envelope.open_payload(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn open_payload(&self) -> Option<&Delimiter> {
        (self.state == State::Payload).then(|| &self.delimiters[self.payload.delimiter])
    }

    /// Returns the parser of the open payload, to inspect what has arrived; `None` if no payload is open or it is plain
    /// text.
    #[must_use]
    pub fn parser(&self) -> Option<&Parser> {
        (self.state == State::Payload && !self.payload.is_text()).then_some(&self.payload.parser)
    }

    /// Returns true if no payload is open and no text is held back.
    #[cfg(feature = "providers")]
    pub(crate) fn is_in_text(&self) -> bool {
        self.state == State::Text
    }

    /// Returns the patterns that apply to payloads.
    #[must_use]
    pub fn patterns(&self) -> &PatternSet {
        self.payload.parser.patterns()
    }

    /// Reads a text, which begins with `held` bytes of earlier chunks. Returns how much of it was decided. The rest is
    /// held, and read again with the next chunk.
    fn scan(&mut self, input: &str, held: usize, report: &mut Report<'_>) -> usize {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            match self.state {
                State::Inside => self.begin_payload(0, "", report),
                State::Text => {
                    let is_first = |byte: u8| self.first_bytes.contains(&byte);
                    let text = rest.bytes().position(is_first).unwrap_or(rest.len());
                    self.show(&rest[..text]);
                    at += text;
                    if let Some(&first) = rest.as_bytes().get(text) {
                        self.opening.begin(&self.delimiters, self.fences.unwrap_or_default(), first);
                        self.state = State::Opening;
                    }
                }
                State::Opening => match self.opening.advance(&self.delimiters, rest) {
                    Verdict::Undecided => break,
                    Verdict::Text(length) => {
                        self.show_false_opening(&rest[..length]);
                        at += length;
                    }
                    Verdict::Delimiter { delimiter, length } => {
                        self.begin_payload(delimiter, &rest[..length], report);
                        at += length;
                    }
                },
                State::Payload => {
                    let (used, ended) = self.payload.feed(&self.delimiters, rest, held.saturating_sub(at), report);
                    at += used;
                    let Some(length) = ended else { break };
                    self.state = State::Text;
                    self.offset += length;
                }
                State::Interrupted => return input.len(),
            }
        }
        at
    }

    /// Shows text that began like an opening delimiter.
    fn show_false_opening(&mut self, text: &str) {
        self.state = State::Text;
        self.show(text);
        if let (Some(fences), Some(found)) = (&mut self.fences, self.opening.fence.take()) {
            fences.open = found;
        }
    }

    fn begin_payload(&mut self, place: usize, open: &str, report: &mut Report<'_>) {
        self.report_shown(report);
        let delimiter = &self.delimiters[place];
        report(EnvelopeEvent::Begin { delimiter: delimiter.into(), open: open.into(), offset: self.offset });
        self.offset += open.len() as u64;
        if let Some(fences) = &mut self.fences {
            fences.pass_payload();
        }
        self.payload.begin(place, delimiter, Closing::of(delimiter, open, self.hold_limit));
        self.state = State::Payload;
    }

    /// Adds visible text, which is reported in one piece with the visible text that follows it in the chunk.
    fn show(&mut self, text: &str) {
        self.shown.push_str(text);
        if let Some(fences) = &mut self.fences {
            fences.pass(text);
        }
    }

    /// Reports the visible text that has not been reported yet.
    fn report_shown(&mut self, report: &mut Report<'_>) {
        if !self.shown.is_empty() {
            report(EnvelopeEvent::Text((&*self.shown).into()));
            self.offset += self.shown.len() as u64;
            self.shown.clear();
        }
    }

    /// Reports a chunk that has only visible text.
    fn report_text(&mut self, text: &str, report: &mut Report<'_>) {
        if !text.is_empty() {
            report(EnvelopeEvent::Text(text.into()));
            self.offset += text.len() as u64;
        }
        if let Some(fences) = &mut self.fences {
            fences.pass(text);
        }
    }
}
