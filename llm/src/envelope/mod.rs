//! JSON inside text: a push filter that separates what a person should see from payloads between delimiters.
//!
//! Owns the text outside payloads, and what of it is held back because it may become a delimiter. `delimiter.rs` says
//! what delimiters there are, `opening.rs` finds where one opens, with the help of `any_fence.rs`, `payload.rs` reads
//! what follows it, with the help of `extent.rs` and `closing.rs`, and `event.rs` is what is reported. `saved.rs` saves
//! what has been read since the text was last outside payloads.
//!
//! Nothing looks ahead of the chunk: what is undecided at its end is a state and, if it may be visible, held text.

mod any_fence;
mod builder;
mod closing;
mod delimiter;
mod event;
mod extent;
mod opening;
mod payload;
mod saved;
mod serialize;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Parser, PatternSet};

use any_fence::Fences;
pub use builder::EnvelopeBuilder;
use closing::Closing;
pub use delimiter::{Delimiter, DelimiterError};
pub use event::{EnvelopeEvent, EnvelopeEvents};
use opening::{Opening, Verdict};
use payload::OpenPayload;

use crate::saved::History;

/// JSON's white space.
const SPACE: [u8; 4] = *b" \t\n\r";

/// The receiver of events.
type Report<'t> = dyn FnMut(EnvelopeEvent<'_>) + 't;

/// A push filter over text: what a person should see comes out at once, payloads between [`Delimiter`]s come out
/// parsed.
///
/// Text is fed at any cut. What can no longer be part of an opening delimiter is reported by the same call; what may
/// still become one is held back, and given back as text if it does not. Once a delimiter has opened, its payload is
/// never text: JSON is fed to a [`Parser`] as it comes, plain text is reported in pieces, and at its end there is a
/// verdict with the payload's own text.
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
/// JSON ends at its own end: a closing delimiter inside one of its strings is part of the string. Only white space may
/// be between it and the closing delimiter; anything else makes the payload [trailing](crate::PayloadStatus::Trailing)
/// or [malformed](crate::PayloadStatus::Malformed), or, [between](Delimiter::between) two texts, is text again. After
/// the first bad byte the JSON no longer shows where it ends, so the next closing delimiter ends the payload, which is
/// also where a browser or a Markdown viewer would end it. Plain text ends at the first closing delimiter. Payloads do
/// not nest: an opening delimiter inside one is part of it.
///
/// # Cost
///
/// Linear in the text, whatever the chunks' size. What is kept is the text that is held back, up to the
/// [hold limit](EnvelopeBuilder::hold_limit), one payload, up to the [payload limit](EnvelopeBuilder::payload_limit),
/// and what the parser retains.
#[derive(Clone, Debug)]
pub struct Envelope {
    delimiters: Vec<Delimiter>,
    /// The bytes with which delimiters begin that are looked for.
    first_bytes: Vec<u8>,
    /// True if the text begins inside a payload of the first delimiter.
    starts_inside: bool,
    state: State,
    /// The held text: it may become an opening delimiter.
    held: String,
    /// Text that is visible and has yet to be reported, while a chunk is read: what was held before it, mostly.
    shown: String,
    opening: Opening,
    /// The fences of text, if a delimiter is a fence with any info string.
    fences: Option<Fences>,
    payload: OpenPayload,
    /// The number of bytes that have been reported.
    offset: u64,
    hold_limit: usize,
    history: History,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Inside a payload that began before the text.
    Inside,
    Text,
    Opening,
    Payload,
    /// A callback has panicked: what the text after its event is, is not known.
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
    /// An envelope with default choices. If two delimiters open at once, the first one wins.
    #[must_use]
    pub fn new(delimiters: impl IntoIterator<Item = Delimiter>, patterns: &PatternSet) -> Self {
        Self::builder().build(delimiters, patterns)
    }

    /// A builder, to set options: how payloads are parsed, and the limits.
    pub fn builder() -> EnvelopeBuilder {
        EnvelopeBuilder::default()
    }

    /// Reads a chunk, and returns its events as values of their own. Payloads with errors are events too.
    ///
    /// The chunk is read at once, even if you leave the loop early. [`feed_with`](Self::feed_with) copies nothing.
    pub fn feed(&mut self, chunk: impl AsRef<str>) -> EnvelopeEvents {
        let mut events = Vec::new();
        self.feed_with(chunk, |event| events.push(event.into_owned()));
        EnvelopeEvents::new(events)
    }

    /// Reads a chunk and calls `on_event` for each event at once. Payloads with errors are events too.
    ///
    /// If `on_event` panics and the panic is caught, nothing more is reported until [`reset`](Self::reset) or
    /// [`finish`](Self::finish).
    pub fn feed_with(&mut self, chunk: impl AsRef<str>, mut on_event: impl FnMut(EnvelopeEvent<'_>)) {
        let chunk = chunk.as_ref();
        self.history.add(|out| out.text(chunk));
        unless_interrupted(self, |envelope| envelope.feed_to(chunk, &mut on_event));
        if self.state == State::Text {
            self.restart_history();
        }
    }

    fn feed_to(&mut self, chunk: &str, report: &mut Report<'_>) {
        if self.state == State::Text && !chunk.bytes().any(|byte| self.first_bytes.contains(&byte)) {
            // Nothing is copied.
            return self.report_text(chunk, report);
        }
        self.scan(chunk, report);
        self.report_shown(report);
    }

    /// The end of input; returns its events, as [`feed`](Self::feed) does. See [`finish_with`](Self::finish_with).
    pub fn finish(&mut self) -> EnvelopeEvents {
        let mut events = Vec::new();
        self.finish_with(|event| events.push(event.into_owned()));
        EnvelopeEvents::new(events)
    }

    /// The end of input: gives back what was held, or ends the open payload. After that, the envelope is as good as
    /// new.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, PayloadStatus};
    /// use jsonspigot::PatternSet;
    ///
    /// let mut envelope = Envelope::new([Delimiter::fence("json")?], &PatternSet::default());
    /// let mut shown = String::new();
    /// let mut show = |event: EnvelopeEvent<'_>| {
    ///     if let EnvelopeEvent::Text(text) = event {
    ///         shown.push_str(&text);
    ///     }
    /// };
    /// envelope.feed_with("Use ```js", &mut show); // it may become ```json
    /// envelope.finish_with(&mut show);
    /// assert_eq!(shown, "Use ```js");
    ///
    /// let mut ended = 0;
    /// let mut check = |event: EnvelopeEvent<'_>| {
    ///     if let EnvelopeEvent::End { payload, .. } = event {
    ///         assert_eq!(payload.status(), PayloadStatus::Truncated { reason: "end-of-input" });
    ///         assert_eq!((payload.raw(), payload.error().unwrap().offset()), ("\n[1, 2", 6));
    ///         ended += 1;
    ///     }
    /// };
    /// envelope.feed_with("```json\n[1, 2", &mut check);
    /// envelope.finish_with(&mut check);
    /// assert_eq!(ended, 1);
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    pub fn finish_with(&mut self, mut on_event: impl FnMut(EnvelopeEvent<'_>)) {
        unless_interrupted(self, |envelope| envelope.finish_to(&mut on_event));
    }

    fn finish_to(&mut self, report: &mut Report<'_>) {
        while self.state == State::Opening {
            let length = self.opening.give_up(&self.delimiters, &self.held);
            self.decide(Verdict::Text(length), "", report);
        }
        if self.state == State::Payload {
            self.payload.finish(&self.delimiters, report);
        }
        self.report_shown(report);
        self.reset();
    }

    /// Drops what is held back or open, and makes the envelope as good as new, with the same delimiters and choices.
    pub fn reset(&mut self) {
        self.state = if self.starts_inside { State::Inside } else { State::Text };
        self.held.clear();
        self.offset = 0;
        self.fences = self.delimiters.iter().any(Delimiter::is_any_fence).then(Fences::default);
        self.history = self.history.emptied();
    }

    /// The delimiters, in the order in which they were given.
    #[must_use]
    pub fn delimiters(&self) -> &[Delimiter] {
        &self.delimiters
    }

    /// The delimiter of the payload that is open.
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
        (self.state == State::Payload).then(|| &self.delimiters[self.payload.place()])
    }

    /// The parser of the payload that is open, to look at what is known so far; `None` also if that is plain text.
    #[must_use]
    pub fn parser(&self) -> Option<&Parser> {
        (self.state == State::Payload && !self.payload.is_text()).then(|| self.payload.parser())
    }

    /// Returns true if neither a payload is open nor what may become an opening delimiter is held back.
    #[cfg(feature = "_provider-streams")]
    pub(crate) fn is_in_text(&self) -> bool {
        self.state == State::Text
    }

    /// The patterns that select in payloads.
    #[must_use]
    pub fn patterns(&self) -> &PatternSet {
        self.payload.parser().patterns()
    }

    fn scan(&mut self, input: &str, report: &mut Report<'_>) {
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
                State::Opening => match self.opening.advance(&self.delimiters, &self.held, rest) {
                    Verdict::Undecided => {
                        self.held.push_str(rest);
                        return;
                    }
                    verdict => at += self.decide(verdict, rest, report),
                },
                State::Payload => match self.payload.feed(&self.delimiters, rest, report) {
                    Some(ended) => {
                        at += ended.used;
                        self.state = State::Text;
                        self.offset += ended.length;
                        // It is not longer than the delimiter, and no payload is open now.
                        self.scan(&ended.given_back, report);
                    }
                    None => return,
                },
                State::Interrupted => return,
            }
        }
    }

    /// Acts on a verdict about what is held and what follows in `rest`; returns how much of `rest` was dealt with.
    fn decide(&mut self, verdict: Verdict, rest: &str, report: &mut Report<'_>) -> usize {
        let (Verdict::Delimiter { length, .. } | Verdict::Text(length)) = verdict else { return 0 };
        let mut decided = mem::take(&mut self.held);
        let used = length.saturating_sub(decided.len());
        let after = decided.split_off(length.min(decided.len()));
        decided.push_str(&rest[..used]);
        if let Verdict::Delimiter { delimiter: place, .. } = verdict {
            self.begin_payload(place, &decided, report);
        } else {
            self.state = State::Text;
            self.show(&decided);
            if let (Some(fences), Some(found)) = (&mut self.fences, self.opening.take_fence()) {
                fences.note(found);
            }
        }
        // Nothing is held now, so this does not recurse any further.
        self.scan(&after, report);
        used
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

    /// Visible text, which is reported in one piece with what follows it in the chunk.
    fn show(&mut self, text: &str) {
        self.shown.push_str(text);
        if let Some(fences) = &mut self.fences {
            fences.pass(text);
        }
    }

    /// Reports what is visible and was not reported.
    fn report_shown(&mut self, report: &mut Report<'_>) {
        if !self.shown.is_empty() {
            report(EnvelopeEvent::Text((&*self.shown).into()));
            self.offset += self.shown.len() as u64;
            self.shown.clear();
        }
    }

    /// Reports a chunk that is nothing but visible text.
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
