//! The words of each part of an answer, to be compared with what a wire repeats: [`Said`].
//!
//! A wire that repeats its pieces as a whole may say more in the whole than in the pieces: the rest is then what was
//! lost, and has to be spoken. Nothing is kept of a text but its length and a digest of its bytes, from which it can be
//! seen whether another text begins with it. Of inputs, which are compared with their repetitions as long as a call is
//! open, a digest is kept once it has ended. (Whoever makes two texts of one digest on purpose only gets a wrong tail
//! of a text of their own.)

use alloc::collections::VecDeque;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::mem;

use super::blocks::{At, Place};
use crate::calls::digest_of;
use crate::event::MismatchKind;

/// A part of an answer that is said in pieces and repeated as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) kind: MismatchKind,
    pub(crate) choice: u64,
    pub(crate) at: At<'a>,
}

/// The places in which a whole may have been said before, if not in its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nowhere: it is as much as has begun.
    Place,
    /// In the item that the place is in.
    Item,
    /// Anywhere: the wire lists everything once more, and may count otherwise there.
    Anywhere,
}

/// The part of a whole that goes beyond what was said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News<'t> {
    /// Nothing.
    Nothing,
    /// All of it.
    All,
    /// This, of the answer with this number.
    Rest(u64, &'t str),
    /// It is not what was said, of the answer with this number.
    Mismatch(u64),
}

/// All that was said of one message and may be repeated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    parts: Vec<Spoken>,
    /// True if any part was not to be remembered, or is no longer.
    is_blind: bool,
    has_forgotten: bool,
    /// True if that was so before the list of everything began: what is forgotten because of it can't have been said
    /// before.
    had_forgotten: bool,
    /// True if the inputs of ended calls are to be remembered.
    watches_inputs: bool,
    /// Calls with digests of their input and of their name, oldest first.
    inputs: VecDeque<(u64, u64, u64)>,
    /// Inputs that are said once more, of calls that have ended or by events of another kind, as far as they have come.
    again: Vec<(u64, String)>,
}

/// The number of ended calls whose inputs are remembered at once. The oldest is forgotten for one more.
const MOST_INPUTS: usize = 256;

/// The length and the digest of what was said of a part.
#[derive(Clone, Debug)]
struct Spoken {
    kind: MismatchKind,
    choice: u64,
    /// `None` for a run, and for an item that another one has taken the place of.
    place: Option<Place>,
    text: Text,
    /// The last piece, and the text before it.
    last: Text,
    before: Text,
    /// True if the list of everything has had it.
    is_listed: bool,
}

/// A text's length and digest, the same however it was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Text {
    len: u64,
    digest: u64,
}

impl Text {
    fn with(self, text: &str) -> Self {
        text.bytes().fold(self, |Self { len, digest }, byte| Self {
            len: len + 1,
            // FNV-1a, with its basis in place of 0 at the start.
            digest: (digest ^ 0xCBF2_9CE4_8422_2325 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3),
        })
    }

    fn key(self) -> String {
        [" text ", &self.len.to_string(), " ", &self.digest.to_string()].concat()
    }
}

impl Spoken {
    fn new(kind: MismatchKind, choice: u64, place: Option<Place>) -> Self {
        let [text, last, before] = [Text::default(); 3];
        Self { kind, choice, place, text, last, before, is_listed: false }
    }

    fn is(&self, part: &Part<'_>) -> bool {
        self.kind == part.kind
            && match (&self.place, part.at) {
                (None, At::Run) => self.choice == part.choice,
                (Some(place), at) => place.is(at),
                (None, _) => false,
            }
    }

    fn is_in_item_of(&self, at: At<'_>) -> bool {
        matches!((&self.place, at), (Some(Place::Index(outer, _)), At::Index(index, _)) if *outer == index)
    }
}

impl Said {
    /// Another piece was reported. At most `most` parts are remembered: the oldest is forgotten for one more.
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
            let Part { kind, choice, at } = part;
            self.parts.push(Spoken::new(kind, choice, Place::of(at)));
            self.parts.len() - 1
        });
        if let Some(spoken) = self.parts.get_mut(place) {
            (spoken.before, spoken.last) = (spoken.text, Text::default().with(piece));
            spoken.text = spoken.text.with(piece);
        }
    }

    /// A key of a text, which is no id.
    pub(crate) fn key_of(text: &str) -> String {
        Text::default().with(text).key()
    }

    /// The key of what was said of a part.
    pub(crate) fn key(&self, part: &Part<'_>) -> Option<String> {
        self.parts.iter().rfind(|spoken| spoken.is(part)).map(|spoken| spoken.text.key())
    }

    /// The list of everything begins.
    pub(crate) fn begin_list(&mut self) {
        self.had_forgotten = self.has_forgotten;
    }

    /// Another item begins at an index: what was said there before is an older one's.
    pub(crate) fn retire(&mut self, index: u64) {
        for spoken in &mut self.parts {
            if spoken.is_in_item_of(At::Index(index, 0)) {
                spoken.place = None;
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The list of everything has had this part.
    pub(crate) fn list(&mut self, part: Part<'_>) {
        self.parts.iter_mut().filter(|spoken| spoken.is(&part)).for_each(|spoken| spoken.is_listed = true);
    }

    /// Returns true if nothing is known of the message, but what its calls came to.
    pub(crate) fn is_forgotten(&self) -> bool {
        let Self { parts, is_blind, has_forgotten, had_forgotten, watches_inputs: _, inputs: _, again } = self;
        parts.is_empty() && !(*is_blind || *has_forgotten || *had_forgotten) && again.is_empty()
    }

    /// Returns true if any call is known that has ended.
    pub(crate) fn knows_inputs(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// The calls that have ended are not found any more.
    pub(crate) fn forget_inputs(&mut self) {
        self.inputs.clear();
    }

    /// Nothing more is known of the message, but what its calls came to: they may be said once more after its end.
    pub(crate) fn forget(&mut self) {
        let inputs = mem::take(&mut self.inputs);
        *self = Self { watches_inputs: self.watches_inputs, inputs, ..Self::default() };
    }

    pub(crate) fn watch_inputs(&mut self) {
        self.watches_inputs = true;
    }

    /// A call of this name has ended with this input.
    pub(crate) fn end_input(&mut self, call: u64, name: &str, input: &str) {
        if self.watches_inputs {
            if self.inputs.len() >= MOST_INPUTS {
                self.inputs.pop_front();
            }
            self.inputs.push_back((call, Self::digest_of(input), digest_of(name)));
        }
    }

    /// A call that has ended starts once more. At most `most` are followed at once.
    pub(crate) fn begin_again(&mut self, call: u64, most: usize) {
        self.again.retain(|(number, _)| *number != call);
        if self.inputs.iter().any(|(number, ..)| *number == call) {
            self.begin_otherwise(call, most);
        }
    }

    /// The input of a call that is open is said by events of another kind too. At most `most` are followed at once.
    pub(crate) fn begin_otherwise(&mut self, call: u64, most: usize) {
        if !self.is_again(call) && self.again.len() < most {
            self.again.push((call, String::new()));
        }
    }

    /// Returns true if a call's input is being said once more.
    pub(crate) fn is_again(&self, call: u64) -> bool {
        self.again.iter().any(|(number, _)| *number == call)
    }

    /// A piece of what is said once more, of which at most `most` bytes are kept.
    pub(crate) fn add_again(&mut self, call: u64, piece: &str, most: usize) {
        if let Some((_, input)) = self.again.iter_mut().find(|(number, _)| *number == call)
            && input.len() <= most
        {
            input.push_str(piece);
        }
    }

    /// Ends the repetition of this call, or of any, as it has ended again.
    pub(crate) fn end_again(&mut self, call: Option<u64>) -> Option<(u64, String)> {
        let place = self.again.iter().position(|(number, _)| call.is_none_or(|call| call == *number))?;
        Some(self.again.remove(place))
    }

    /// Returns true if a call has ended with this input, as far as that is remembered.
    pub(crate) fn had_input(&self, call: u64, input: &str) -> bool {
        let ended = self.inputs.iter().rev().find(|(number, ..)| *number == call);
        ended.is_some_and(|(_, digest, _)| *digest == Self::digest_of(input))
    }

    /// Returns true if a call has ended, as far as that is remembered, and was known by another name than this one.
    pub(crate) fn was_called_otherwise(&self, call: u64, name: &str) -> bool {
        let ended = self.inputs.iter().rev().find(|(number, ..)| *number == call);
        ended.is_some_and(|(_, _, known)| !name.is_empty() && *known != digest_of("") && *known != digest_of(name))
    }

    /// Compares a call's input with the one that it ended with, and remembers it instead; an empty one is equal to any.
    /// `None` if the call has not ended or is no longer remembered.
    pub(crate) fn is_input(&mut self, call: u64, whole: &str) -> Option<bool> {
        let (_, digest, _) = self.inputs.iter_mut().rev().find(|(number, ..)| *number == call)?;
        if whole.is_empty() {
            return Some(true);
        }
        // It is reported once.
        let whole = Self::digest_of(whole);
        Some(mem::replace(digest, whole) == whole)
    }

    /// Nothing is an object without members.
    fn digest_of(input: &str) -> u64 {
        digest_of(if input.trim_ascii().is_empty() { "{}" } else { input })
    }

    /// Returns true if a text is the last piece of a part, or what was said before that piece.
    pub(crate) fn is_late(&self, part: &Part<'_>, text: &str) -> bool {
        let text = Text::default().with(text);
        self.parts.iter().rfind(|spoken| spoken.is(part)).is_some_and(|it| [it.last, it.before].contains(&text))
    }

    /// Returns the part of a text that goes beyond all that was said in its place; `None` if it does not begin with
    /// that.
    pub(crate) fn rest_of<'t>(&self, part: &Part<'_>, text: &'t str) -> Option<&'t str> {
        let spoken = self.parts.iter().rfind(|spoken| spoken.is(part))?;
        let (begin, rest) = text.split_at_checked(usize::try_from(spoken.text.len).ok()?)?;
        (Text::default().with(begin) == spoken.text).then_some(rest)
    }

    /// The same for a wire that repeats each part in the order in which they began, without its place: that is returned
    /// too, and each part is repeated once.
    pub(crate) fn news_of_next<'t>(&mut self, kind: MismatchKind, whole: &'t str) -> (At<'static>, News<'t>) {
        let is_blind = self.is_blind || self.has_forgotten;
        let Some(spoken) = self.parts.iter_mut().find(|spoken| spoken.kind == kind && !spoken.is_listed) else {
            return (At::Run, if is_blind { News::Nothing } else { News::All });
        };
        spoken.is_listed = true;
        let at = match spoken.place {
            Some(Place::Index(outer, inner)) => At::Index(outer, inner),
            _ => At::Run,
        };
        let len = usize::try_from(spoken.text.len).unwrap_or(usize::MAX);
        let cut = whole.split_at_checked(len).filter(|(begin, _)| Text::default().with(begin) == spoken.text);
        let news = match cut {
            Some((_, "")) => News::Nothing,
            Some((_, rest)) => {
                spoken.text = spoken.text.with(rest);
                News::Rest(spoken.choice, rest)
            }
            None => News::Mismatch(spoken.choice),
        };
        (at, news)
    }

    /// Returns the part of a whole that goes beyond what was said. A whole that is new is still to be noted as said.
    pub(crate) fn news<'t>(&mut self, part: Part<'_>, whole: &'t str, scope: Scope) -> News<'t> {
        let own = self.parts.iter().rposition(|spoken| spoken.is(&part));
        let beginnings = self.beginnings(&part, whole, scope);
        let is_all = |place: &usize| self.parts.get(*place).is_some_and(|part| part.text.len == whole.len() as u64);
        let longest = beginnings.iter().copied().max_by_key(|place| self.parts.get(*place).map(|part| part.text.len));
        let found = own.filter(|own| beginnings.contains(own));
        let found = found.or_else(|| beginnings.iter().copied().find(|place| is_all(place)));
        // In another place than its own, a part that is longer than what it repeats would be a guess if there is its
        // own.
        let found = found.or(longest.filter(|_| own.is_none()));
        let Some(spoken) = found.or(own).and_then(|place| self.parts.get_mut(place)) else {
            let may_be_old =
                (self.is_blind && scope != Scope::Place) || (scope == Scope::Anywhere && self.had_forgotten);
            return if may_be_old { News::Nothing } else { News::All };
        };
        spoken.is_listed |= scope == Scope::Anywhere;
        let len = usize::try_from(spoken.text.len).unwrap_or(usize::MAX);
        match whole.get(len..).filter(|_| found.is_some()) {
            Some("") => News::Nothing,
            Some(rest) => {
                spoken.text = spoken.text.with(rest);
                News::Rest(spoken.choice, rest)
            }
            None => {
                // It is reported once.
                spoken.text = Text::default().with(whole);
                News::Mismatch(spoken.choice)
            }
        }
    }

    /// The parts that a whole may repeat, and begins with: read once, however many they are.
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
