//! The text of each part of a response, and what its repetitions add to it.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;

use super::{connection, sources, state};
use crate::wire::{Part as Said, *};

/// The place of an item.
#[derive(Clone)]
pub(super) struct Home<'a> {
    /// The place of the item's call.
    pub(super) call: Here<'a>,
    /// The item's index in the output; `None` in Realtime, where parts are found by the item's id.
    pub(super) index: Option<u64>,
    pub(super) id: &'a str,
}

/// A part of an item: text, reasoning or a refusal.
pub(super) struct Part<'a> {
    pub(super) home: Home<'a>,
    inner: u64,
    /// In Realtime, the part's key. The key of an item's first part is the item's id.
    key: Cow<'a, str>,
}

/// The number of the first part of reasoning itself. Lower numbers are parts of its summary.
pub(super) const THOUGHTS: u64 = 1 << 32;

/// The types of parts whose members are known.
const KNOWN: &str = "|audio|input_audio|input_text|output_audio|output_text|reasoning_text|refusal|summary_text|text";

impl<'a> Home<'a> {
    /// Returns the place of an item of Realtime: its own id, or its call's id.
    pub(super) fn by_id(item: Node<'a>, choice: u64) -> Self {
        let call = Here { choice, place: At::Id(item.word_at("id|call_id")), ..Here::default() };
        Self { call, index: None, id: item.word_at("id") }
    }

    /// Returns the place of an item at an index in the output.
    pub(super) fn at(index: u64) -> Self {
        let call = Here { place: At::Index(index, 0), ..Here::default() };
        Home { call, index: Some(index), id: "" }
    }

    /// Returns the place of the item or call that an event is about. If its index and its ids name different calls,
    /// reports the event as unplaced and returns `None`.
    pub(super) fn of(event: Node<'a>, emit: &mut Emitter<'_>) -> Option<Self> {
        let item = event.get("item");
        let ids = [(item, "id"), (item, "call_id"), (event, "item_id"), (event, "call_id")];
        let [own, own_call, id, call_id] = ids.map(|(of, name)| of.word_at(name));
        let (id, call_id) = if item.is_object() { (own, own_call) } else { (id, call_id) };
        let index = event.get("output_index").index();
        let is_realtime = state(emit).is_realtime;
        let choice = if is_realtime { connection::enter(event, emit) } else { 0 };
        let known = |id: &str| if id.is_empty() { None } else { emit.known().find_id(choice, id) };
        let (by_id, by_call) = (known(id), known(call_id));
        let (place, other) = match index {
            _ if is_realtime && (id.is_empty() || by_id.is_none() && by_call.is_some()) => (At::Id(call_id), by_id),
            _ if is_realtime => (At::Id(id), by_call),
            Some(_) if !state(emit).shares_places => (At::from(index), by_id.filter(|_| !item.is_object())),
            // The output index is missing or means nothing.
            _ if by_call.is_some() || index.is_none() && !call_id.is_empty() => (At::Id(call_id), None),
            _ if by_id.is_some() || index.is_none() && item.is_object() => (At::Id(id), None),
            // A call that starts, or the last one at this index.
            _ => (At::from(index), None),
        };
        let call = Here { choice, place, ..Here::default() };
        let found = emit.calls().find(call.slot());
        if other.is_some_and(|other| found.is_some_and(|found| found != other)) {
            emit.calls().unplaced(Slot::NOWHERE);
            return None;
        }
        let index = if is_realtime { None } else { Some(index.unwrap_or(0)) };
        Some(Self { call, index, id })
    }

    pub(super) fn slot(&self) -> Slot<'_> {
        self.call.slot()
    }

    pub(super) fn part(&self, inner: u64) -> Part<'a> {
        let is_first = inner == 0 || self.index.is_some();
        let key = if is_first { Cow::Borrowed(self.id) } else { Cow::Owned(format!("{}/{inner}", self.id)) };
        Part { home: self.clone(), inner, key }
    }
}

impl<'a> Part<'a> {
    /// Returns the part that an event is about; `None` if [`Home::of`] returns `None`. The parts of reasoning itself
    /// are numbered apart from its summary's.
    pub(super) fn of(event: Node<'a>, emit: &mut Emitter<'_>) -> Option<Self> {
        let inner = event.get("content_index|summary_index").index().unwrap_or(0);
        let is_thought =
            event.word_at("type").contains(".reasoning_text.") || event.word_at("part.type") == "reasoning_text";
        let first = if is_thought { THOUGHTS } else { 0 };
        Some(Home::of(event, emit)?.part(inner.saturating_add(first)))
    }
}

impl Part<'_> {
    pub(super) fn at(&self) -> At<'_> {
        self.home.index.map_or_else(|| At::Id(&self.key), |outer| At::Index(outer, self.inner))
    }

    /// Returns the number of the answer that reports belong to now. In Responses, each part with text is an answer.
    pub(super) fn answer(&self, emit: &mut Emitter<'_>) -> u64 {
        if self.home.index.is_some() { state(emit).choice } else { self.home.call.choice }
    }

    /// Returns true if the text that was reported last belongs to this part.
    pub(super) fn is_last(&self, emit: &mut Emitter<'_>) -> bool {
        self.home.index.is_some_and(|outer| state(emit).part == Some((outer, self.inner)))
    }

    /// Returns the number of the answer that text of this part belongs to: the next one if the last text was another
    /// part's.
    fn answer_of_text(&self, emit: &mut Emitter<'_>) -> u64 {
        let is_next = self.home.index.is_some() && state(emit).part.is_some() && !self.is_last(emit);
        self.answer(emit) + u64::from(is_next)
    }

    fn enter(&self, emit: &mut Emitter<'_>) {
        let choice = self.answer_of_text(emit);
        if let Some(outer) = self.home.index {
            let state = state(emit);
            (state.choice, state.part) = (choice, Some((outer, self.inner)));
        }
    }

    /// Reports a delta.
    pub(super) fn piece(&self, kind: MismatchKind, piece: &str, emit: &mut Emitter<'_>) {
        if kind == MismatchKind::Text {
            self.enter(emit);
        }
        let choice = self.answer(emit);
        self.say(kind, choice, piece, Form::Noted, emit);
    }

    /// Reports what a whole part, or a prefix of it, adds to its deltas.
    pub(super) fn whole(&self, kind: MismatchKind, whole: &str, scope: Scope, emit: &mut Emitter<'_>) {
        let is_text = kind == MismatchKind::Text;
        let choice = if is_text { self.answer_of_text(emit) } else { self.answer(emit) };
        let (known, news) = emit.news_of(Said { kind, choice, at: self.at() }, whole, scope);
        if news.is_empty() {
            return;
        }
        if known.is_none() && is_text {
            self.enter(emit);
        }
        let choice = known.unwrap_or_else(|| self.answer(emit));
        self.say(kind, choice, news, Form::Piece, emit);
    }

    /// Reports what the object of a part adds to earlier events.
    pub(super) fn object(&self, object: Node<'_>, kind: MismatchKind, scope: Scope, emit: &mut Emitter<'_>) {
        if object.as_object().is_none() {
            return;
        }
        let name = object.word_at("type");
        if !matches(KNOWN, name) && !emit.note_reported(&format!("part {:?}", self.at())) {
            emit.unknown_part(name, object.shown());
        }
        self.whole(kind, object.get("text|transcript").said(), scope, emit);
        self.whole(MismatchKind::Refusal, object.get("refusal").said(), scope, emit);
        let answer = self.answer(emit);
        sources::of_part(object, (answer, self.at()), scope, emit);
        // An object in place of a list of parts, without any member of a part.
        if object.is_member() && object.is_untouched() && object.says_something() {
            object.torn();
        }
    }

    fn say(&self, kind: MismatchKind, choice: u64, text: &str, form: Form, emit: &mut Emitter<'_>) {
        match kind {
            _ if text.is_empty() => return,
            MismatchKind::Refusal => {}
            MismatchKind::Reasoning => drop(self.start(BlockKind::Reasoning, choice, emit)),
            _ => drop(self.start(BlockKind::Text, choice, emit)),
        }
        say(kind, text, &Here { choice, place: self.at(), form }, emit);
    }

    /// Returns the part's block. If it has not started, starts it; a block of reasoning ends that of the part before.
    pub(super) fn start(&self, kind: BlockKind, choice: u64, emit: &mut Emitter<'_>) -> u64 {
        emit.find_block(Which::At(choice, self.at())).unwrap_or_else(|| {
            let (id, phase) = self.item(emit);
            if let (BlockKind::Reasoning, Some(outer)) = (kind, self.home.index) {
                emit.end_blocks(Which::Item(outer));
            }
            emit.start_block(choice, self.at(), kind, &id, &phase)
        })
    }

    /// Returns the id and the phase of the item, each empty if it is unknown.
    fn item(&self, emit: &mut Emitter<'_>) -> (String, String) {
        let (at, id, phase) = &state(emit).item;
        match self.home.index {
            None => (self.home.id.to_owned(), String::new()),
            Some(outer) if outer == *at => (id.to_owned(), phase.to_owned()),
            Some(_) => <_>::default(),
        }
    }
}
