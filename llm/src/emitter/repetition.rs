//! A record of the reported parts of a message, for comparison with repetitions: [`Said`].
//!
//! A provider that repeats a text as a whole may send more than its pieces contained. The rest was lost in the pieces
//! and has to be reported. Only the length and a digest of a text are kept, which suffice to check whether another text
//! begins with it. The digest is not cryptographic: a provider that constructs a collision only corrupts its own text.
//! An input is compared with its repetitions while its call is open; after that, its digest is kept.

use alloc::collections::VecDeque;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::mem;

use super::blocks::{At, Place};
use crate::calls::digest_of;
use crate::event::MismatchKind;

/// A part of an answer that is sent in pieces and repeated as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) kind: MismatchKind,
    pub(crate) choice: u64,
    pub(crate) at: At<'a>,
}

/// The other places in which a whole may have been reported before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// No other place.
    Place,
    /// Places in the same item.
    Item,
    /// All places: the provider lists everything again, and its indices may differ there.
    Anywhere,
}

/// The part of a whole that was not reported before, perhaps all or nothing of it; with the index of the answer, if the
/// part before it was reported. If the whole contradicts what was reported, the error is the index of the answer.
pub(crate) type News<'t> = Result<(Option<u64>, &'t str), u64>;

/// The reported parts of one message that may be repeated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    parts: Vec<Spoken>,
    /// True if a part was not recorded because `most` was 0.
    is_blind: bool,
    /// True if a part was dropped to make room for another.
    has_forgotten: bool,
    /// The value of `has_forgotten` when the list of everything began. Parts that the list itself displaces do not
    /// count.
    had_forgotten: bool,
    /// Calls with the digests of their input and name, oldest first.
    pub(crate) inputs: VecDeque<(u64, u64, u64)>,
    /// Inputs that are being repeated, of calls that have ended or by a second kind of event, as received so far.
    again: Vec<(u64, String)>,
}

/// The number of ended calls whose inputs are remembered; the oldest is dropped to make room.
const MOST_INPUTS: usize = 256;

/// The length and digest of what was reported of a part.
#[derive(Clone, Debug)]
struct Spoken {
    kind: MismatchKind,
    choice: u64,
    /// A run if the part's item was replaced by another.
    place: Place,
    text: Text,
    /// The last piece, and the text before it.
    last: Text,
    before: Text,
    /// True if the list of everything has repeated this part.
    is_listed: bool,
}

/// The length and digest of a text, independent of its chunking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Text {
    len: u64,
    digest: u64,
}

impl Text {
    fn with(self, text: &str) -> Self {
        text.bytes().fold(self, |Self { len, digest }, byte| Self {
            len: len + 1,
            // FNV-1a. The offset basis is mixed in at each step, so the digest of an empty text is 0.
            digest: (digest ^ 0xCBF2_9CE4_8422_2325 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3),
        })
    }

    fn key(self) -> String {
        [" text ", &self.len.to_string(), " ", &self.digest.to_string()].concat()
    }
}

impl Spoken {
    fn new(Part { kind, choice, at }: Part<'_>) -> Self {
        let [text, last, before] = [Text::default(); 3];
        Self { kind, choice, place: Place::of(choice, at), text, last, before, is_listed: false }
    }

    fn is(&self, part: &Part<'_>) -> bool {
        self.kind == part.kind && self.place.is(part.choice, part.at)
    }

    /// Returns the rest of a text that begins with this part; `None` if it does not.
    fn rest_of<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (begin, rest) = text.split_at_checked(usize::try_from(self.text.len).ok()?)?;
        (Text::default().with(begin) == self.text).then_some(rest)
    }

    /// Returns what a whole adds to this part, given whether it begins with the part. Remembers the whole, so the same
    /// difference is reported once.
    fn compare<'t>(&mut self, whole: &'t str, is_beginning: bool) -> News<'t> {
        let len = usize::try_from(self.text.len).unwrap_or(usize::MAX);
        match whole.get(len..).filter(|_| is_beginning) {
            Some("") => Ok((None, "")),
            Some(rest) => {
                self.text = self.text.with(rest);
                Ok((Some(self.choice), rest))
            }
            None => {
                self.text = Text::default().with(whole);
                Err(self.choice)
            }
        }
    }

    fn is_in_item_of(&self, at: At<'_>) -> bool {
        matches!((&self.place, at), (Place::Index(outer, _), At::Index(index, _)) if *outer == index)
    }
}

impl Said {
    /// Records a reported piece. At most `most` parts are remembered; the oldest is dropped to make room.
    pub(crate) fn add(&mut self, part: Part<'_>, piece: &str, most: usize) {
        if piece.is_empty() {
            return;
        }
        if most == 0 {
            self.is_blind = true;
            return;
        }
        let place = self.parts.iter().rposition(|spoken| spoken.is(&part)).unwrap_or_else(|| {
            if self.parts.len() >= most {
                self.has_forgotten = true;
                self.parts.remove(0);
            }
            self.parts.push(Spoken::new(part));
            self.parts.len() - 1
        });
        if let Some(spoken) = self.parts.get_mut(place) {
            (spoken.before, spoken.last) = (spoken.text, Text::default().with(piece));
            spoken.text = spoken.text.with(piece);
        }
    }

    /// Returns the key of a text, which differs from every id.
    pub(crate) fn key_of(text: &str) -> String {
        Text::default().with(text).key()
    }

    /// Returns the key of the text that was reported of a part; `None` if none is remembered.
    pub(crate) fn key(&self, part: &Part<'_>) -> Option<String> {
        self.parts.iter().rfind(|spoken| spoken.is(part)).map(|spoken| spoken.text.key())
    }

    /// Begins the list of everything.
    pub(crate) fn begin_list(&mut self) {
        self.had_forgotten = self.has_forgotten;
    }

    /// Detaches the parts of the previous item at an index, where another item begins.
    pub(crate) fn retire(&mut self, index: u64) {
        for spoken in &mut self.parts {
            if spoken.is_in_item_of(At::Index(index, 0)) {
                spoken.place = Place::Run(spoken.choice);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Records that the list of everything has repeated a part.
    pub(crate) fn list(&mut self, part: Part<'_>) {
        self.parts.iter_mut().filter(|spoken| spoken.is(&part)).for_each(|spoken| spoken.is_listed = true);
    }

    /// Returns true if nothing is recorded of a message, except for the inputs of ended calls.
    pub(crate) fn is_forgotten(&self) -> bool {
        let Self { parts, is_blind, has_forgotten, had_forgotten, inputs: _, again } = self;
        parts.is_empty() && !(*is_blind || *has_forgotten || *had_forgotten) && again.is_empty()
    }

    /// Forgets the message, except for the inputs of ended calls, which may be repeated after its end.
    pub(crate) fn forget(&mut self) {
        *self = Self { inputs: mem::take(&mut self.inputs), ..Self::default() };
    }

    /// Records the name and input of a call that has ended.
    pub(crate) fn end_input(&mut self, call: u64, name: &str, input: &str) {
        if self.inputs.len() >= MOST_INPUTS {
            self.inputs.pop_front();
        }
        self.inputs.push_back((call, Self::digest_of(input), digest_of(name)));
    }

    /// Returns the digests of the input and name of a call that is remembered to have ended.
    fn ended(&self, call: u64) -> Option<(u64, u64)> {
        let ended = self.inputs.iter().rev().find(|(number, ..)| *number == call);
        ended.map(|(_, input, name)| (*input, *name))
    }

    /// Begins the repetition of a call that has ended and starts again. At most `most` repetitions are tracked at once.
    pub(crate) fn begin_again(&mut self, call: u64, most: usize) {
        self.again.retain(|(number, _)| *number != call);
        if self.ended(call).is_some() && self.again.len() < most {
            self.again.push((call, String::new()));
        }
    }

    /// Returns true if a call's input is being repeated.
    pub(crate) fn is_again(&self, call: u64) -> bool {
        self.again.iter().any(|(number, _)| *number == call)
    }

    /// Appends a piece of a repetition, unless that is already longer than `most_bytes`. Begins the repetition of an open
    /// call's input by a second kind of event. At most `most` repetitions are tracked at once.
    pub(crate) fn add_again(&mut self, call: u64, piece: &str, most: usize, most_bytes: usize) {
        if !self.is_again(call) && self.again.len() < most {
            self.again.push((call, String::new()));
        }
        if let Some((_, input)) = self.again.iter_mut().find(|(number, _)| *number == call)
            && input.len() <= most_bytes
        {
            input.push_str(piece);
        }
    }

    /// Ends the repetition of this call's input, or any for `None`, and returns it, if it began, with
    /// the call's number.
    pub(crate) fn end_again(&mut self, call: Option<u64>) -> Option<(u64, String)> {
        let place = self.again.iter().position(|(number, _)| call.is_none_or(|call| call == *number))?;
        Some(self.again.remove(place))
    }

    /// Returns true if a call is remembered to have ended with this input.
    pub(crate) fn had_input(&self, call: u64, input: &str) -> bool {
        self.ended(call).is_some_and(|(known, _)| known == Self::digest_of(input))
    }

    /// Returns true if a call is remembered to have ended with another name. A missing name matches every other.
    pub(crate) fn was_called_otherwise(&self, call: u64, name: &str) -> bool {
        self.ended(call).is_some_and(|(_, known)| known != digest_of("")) && !self.was_called(call, name)
    }

    /// Returns true unless a call is remembered to have ended without this name. A missing name matches every other.
    pub(crate) fn was_called(&self, call: u64, name: &str) -> bool {
        name.is_empty() || self.ended(call).is_none_or(|(_, known)| known == digest_of(name))
    }

    /// Returns true if a call is remembered to have ended with this name and input.
    pub(crate) fn was(&self, call: u64, name: &str, input: &str) -> bool {
        self.had_input(call, input) && !self.was_called_otherwise(call, name)
    }

    /// Compares a whole input with the one that the call ended with, and remembers it instead. An empty input equals
    /// any. Returns `None` if the call has not ended or is not remembered.
    pub(crate) fn is_input(&mut self, call: u64, whole: &str) -> Option<bool> {
        let (_, digest, _) = self.inputs.iter_mut().rev().find(|(number, ..)| *number == call)?;
        if whole.is_empty() {
            return Some(true);
        }
        // Remembered, so the same difference is reported once.
        let whole = Self::digest_of(whole);
        Some(mem::replace(digest, whole) == whole)
    }

    /// Returns the digest of an input. An empty input equals an empty object.
    fn digest_of(input: &str) -> u64 {
        digest_of(if input.trim_ascii().is_empty() { "{}" } else { input })
    }

    /// Returns true if a text is empty, or equals the last piece of a part, or everything before that piece.
    pub(crate) fn is_late(&self, part: &Part<'_>, text: &str) -> bool {
        if text.is_empty() {
            return true;
        }
        let text = Text::default().with(text);
        self.parts.iter().rfind(|spoken| spoken.is(part)).is_some_and(|it| [it.last, it.before].contains(&text))
    }

    /// Returns the rest of a text that begins with everything that was reported of its part; `None` if it does not.
    pub(crate) fn rest_of<'t>(&self, part: &Part<'_>, text: &'t str) -> Option<&'t str> {
        self.parts.iter().rfind(|spoken| spoken.is(part))?.rest_of(text)
    }

    /// Does the same as [`news`](Self::news) for a provider that repeats each part once, in the order in which the
    /// parts began, without its place. Also returns the place.
    pub(crate) fn news_of_next<'t>(&mut self, kind: MismatchKind, whole: &'t str) -> (At<'static>, News<'t>) {
        let is_blind = self.is_blind || self.has_forgotten;
        let Some(spoken) = self.parts.iter_mut().find(|spoken| spoken.kind == kind && !spoken.is_listed) else {
            return (At::Run, Ok((None, if is_blind { "" } else { whole })));
        };
        spoken.is_listed = true;
        let at = match spoken.place {
            Place::Index(outer, inner) => At::Index(outer, inner),
            _ => At::Run,
        };
        let is_beginning = spoken.rest_of(whole).is_some();
        (at, spoken.compare(whole, is_beginning))
    }

    /// Returns the part of a whole that was not reported before. If that is all of it, the caller has to
    /// [`add`](Self::add) the whole.
    pub(crate) fn news<'t>(&mut self, part: Part<'_>, whole: &'t str, scope: Scope) -> News<'t> {
        let own = self.parts.iter().rposition(|spoken| spoken.is(&part));
        let beginnings = self.beginnings(&part, whole, scope);
        let is_all = |place: &usize| self.parts.get(*place).is_some_and(|part| part.text.len == whole.len() as u64);
        let longest = beginnings.iter().copied().max_by_key(|place| self.parts.get(*place).map(|part| part.text.len));
        let found = own.filter(|own| beginnings.contains(own));
        let found = found.or_else(|| beginnings.iter().copied().find(|place| is_all(place)));
        // If the whole has a part of its own, a longer text that begins with another part is not taken for a repetition
        // of that part: it would be a guess.
        let found = found.or(longest.filter(|_| own.is_none()));
        let Some(spoken) = found.or(own).and_then(|place| self.parts.get_mut(place)) else {
            let may_be_old =
                (self.is_blind && scope != Scope::Place) || (scope == Scope::Anywhere && self.had_forgotten);
            return Ok((None, if may_be_old { "" } else { whole }));
        };
        spoken.is_listed |= scope == Scope::Anywhere;
        spoken.compare(whole, found.is_some())
    }

    /// Returns the indices of the parts that a whole begins with and may repeat. Reads the whole once, however many
    /// parts there are.
    fn beginnings(&self, part: &Part<'_>, whole: &str, scope: Scope) -> Vec<usize> {
        let may_be = |spoken: &Spoken| match scope {
            _ if spoken.kind != part.kind => false,
            _ if spoken.is(part) => true,
            Scope::Place => false,
            Scope::Item => spoken.is_in_item_of(part.at),
            Scope::Anywhere => !spoken.is_listed,
        };
        let mut parts: Vec<_> = self.parts.iter().enumerate().filter(|(_, spoken)| may_be(spoken)).collect();
        parts.sort_by_key(|(_, spoken)| spoken.text.len);
        let (mut text, mut read) = (Text::default(), 0);
        let mut beginnings = Vec::new();
        for (place, spoken) in parts {
            let Some(next) = usize::try_from(spoken.text.len).ok().and_then(|len| whole.get(read..len)) else {
                continue;
            };
            (text, read) = (text.with(next), read + next.len());
            if text == spoken.text {
                beginnings.push(place);
            }
        }
        beginnings
    }
}
