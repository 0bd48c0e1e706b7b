//! The tracker: the parser's position in the document and the patterns that select the open values.
//!
//! It has one frame and one automaton row for each open container that is followed. Most containers are not selected,
//! so the data that only the end of a selected value needs has its own stack, and so have the selecting patterns of all
//! open values. A path node is created only for a value that a pattern selects or may select something in.
//!
//! A string that is read inside also has a frame, like a container with one child, the root of its text. So the values
//! of that text are on the same stacks, above the string, and use the same functions. The document is the text of level
//! 0, and the text in a string of level n has level n + 1: the level of the text being read is the number of open
//! strings that are read inside.

mod innermost;
mod inside;
mod open;
mod rows;

use alloc::vec::Vec;
use core::slice;

pub(crate) use self::innermost::{OpenValues, is_in_leaf};
pub(crate) use self::open::{FirstMatch, OpenContainer};
use self::rows::Rows;
use super::output::{Kept, Output, Report, Selected};
use crate::event::{Event, EventKind};
use crate::path::{NodeId, PathStore, ROOT};
use crate::pattern::PatternId;
use crate::pattern::PatternSet;
use crate::tokenizer::{KeyFilter, ValueKind};

#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    patterns: PatternSet,
    paths: PathStore,
    frames: Vec<Frame>,
    rows: Rows,
    /// The node of the value that begins next, or of the open string or atom.
    node: NodeId,
    /// The selected values that have a frame, outermost first.
    selected: Vec<OpenValue>,
    /// The open string or atom, if a pattern selects it.
    leaf: Option<OpenValue>,
    /// The patterns of the open values that more than one selects, outermost first.
    selecting: Vec<PatternId>,
    /// The open strings that are read inside, outermost first.
    entered: Vec<EnteredString>,
    next_match: u64,
    /// True if a pattern is raw.
    has_raw: bool,
    /// True if a reader may take an object for the value whose text it contains as a string.
    has_disguises: bool,
}

/// An open container, or an open string that is read inside.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: ValueKind,
    is_selected: bool,
    /// True if a pattern may select something inside.
    is_live: bool,
    node: NodeId,
    /// The index of the next element, which is the number of values that have begun in it.
    next_index: u64,
}

/// An open string that is read inside.
#[derive(Clone, Copy, Debug)]
struct EnteredString {
    /// The index of its frame.
    frame: usize,
    /// The indices after it in `selected` and after its patterns in `selecting`.
    selected_to: usize,
    selecting_to: usize,
}

/// The data of an open selected value that its end needs.
#[derive(Clone, Copy, Debug)]
struct OpenValue {
    kind: ValueKind,
    /// The first of the patterns that select it, and their number. If there are several, `selecting` holds all of them.
    pattern: PatternId,
    patterns: u32,
    /// The offset of its first byte, and the position of this byte in the kept text.
    start: u64,
    position: u64,
    first_match: u64,
}

impl OpenValue {
    /// Returns its patterns. If there are several, they are the last ones in `selecting`.
    #[inline]
    fn patterns_in<'a>(&'a self, selecting: &'a [PatternId]) -> &'a [PatternId] {
        match self.patterns {
            1 => slice::from_ref(&self.pattern),
            patterns => &selecting[selecting.len() - patterns as usize..],
        }
    }
}

impl Tracker {
    pub(super) fn new(patterns: PatternSet) -> Self {
        Self {
            has_raw: patterns.as_slice().iter().any(|pattern| pattern.is_raw),
            rows: Rows::of_root(patterns.automaton()),
            patterns,
            paths: PathStore::default(),
            frames: Vec::new(),
            node: ROOT,
            selected: Vec::new(),
            leaf: None,
            selecting: Vec::new(),
            entered: Vec::new(),
            next_match: 0,
            has_disguises: false,
        }
    }

    /// Makes the tracker also follow objects where it would follow an array or a string.
    pub(crate) fn follow_disguises(&mut self) {
        self.has_disguises = true;
    }

    pub(super) fn reset(&mut self) {
        self.paths.clear();
        self.frames.clear();
        self.rows.reset(self.patterns.automaton());
        self.node = ROOT;
        self.selected.clear();
        self.leaf = None;
        self.selecting.clear();
        self.entered.clear();
        self.next_match = 0;
    }

    pub(super) fn paths(&self) -> &PathStore {
        &self.paths
    }

    pub(crate) fn patterns(&self) -> &PatternSet {
        &self.patterns
    }

    /// Returns true if a selected value is open.
    pub(super) fn has_open_match(&self) -> bool {
        self.leaf.is_some() || !self.selected.is_empty()
    }

    /// Returns true if a selected value of a level's text is open.
    pub(crate) fn has_open_match_in(&self, level: usize) -> bool {
        self.selected_in(level).next().is_some()
    }

    /// Returns true if a pattern is raw.
    pub(super) fn has_raw(&self) -> bool {
        self.has_raw
    }

    /// Returns true if the open string's decoded text is reported.
    fn needs_text(&self) -> bool {
        let is_raw = |pattern: &PatternId| self.patterns.get(*pattern).is_some_and(|pattern| pattern.is_raw);
        !self.has_raw || !self.selecting_leaf().iter().all(is_raw)
    }

    /// Returns the node of the open value with `depth` frames around it.
    pub(super) fn node_at(&self, depth: usize) -> NodeId {
        self.frames.get(depth).map_or(self.node, |frame| frame.node)
    }

    /// Records a member's key, which leads to the next value. Returns true if a pattern may select that value or
    /// something inside.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(super) fn key(&mut self, key: &str) -> bool {
        let Some(frame) = self.frames.last().filter(|frame| frame.is_live) else { return false };
        let automaton = self.patterns.automaton();
        let (from, row) = self.rows.step(automaton);
        automaton.step_key(from, key, row);
        self.node = frame.node;
        let leads_on = !is_dead(row);
        if leads_on {
            self.paths.release_after(frame.node);
            self.node = self.paths.push_key(frame.node, key);
        }
        leads_on
    }

    /// Returns true if a pattern may select the value of the last key or something inside.
    pub(crate) fn leads_on(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.node != self.node)
    }

    /// Returns a filter for the keys of the innermost object that a pattern may match.
    pub(super) fn wanted_keys(&self) -> KeyFilter {
        let automaton = self.patterns.automaton();
        let innermost = self.frames.len().checked_sub(1);
        innermost.map_or(KeyFilter::ALL, |frame| automaton.wanted_keys(self.rows.at(frame, automaton)))
    }

    /// Records a member's key that is not wanted.
    pub(super) fn skip_key(&mut self) {
        self.rows.top_mut(self.patterns.automaton()).fill(0);
        if let Some(frame) = self.frames.last() {
            self.node = frame.node;
        }
    }

    /// Finds the patterns that select the new value, and reports its begin for each.
    #[inline]
    fn begin_value<O: Output + ?Sized>(
        &mut self,
        kind: ValueKind,
        start: u64,
        shift: u64,
        out: &mut O,
    ) -> Option<OpenValue> {
        let automaton = self.patterns.automaton();
        if let Some(frame) = self.frames.last_mut() {
            let index = frame.next_index;
            frame.next_index += 1;
            if !frame.is_live {
                return None;
            }
            if frame.kind == ValueKind::Array {
                let (from, row) = self.rows.step(automaton);
                automaton.step_index(from, index, row);
                self.node = frame.node;
                if !is_dead(row) {
                    self.paths.release_after(frame.node);
                    self.node = self.paths.push_index(frame.node, index);
                }
            }
        }
        let row = self.rows.top(automaton);
        let (pattern, patterns) = automaton.selected(row)?;
        if patterns > 1 {
            automaton.push_selected(row, &mut self.selecting);
        }
        let (position, first_match) = (start.wrapping_sub(shift), self.next_match);
        let value = OpenValue { kind, pattern, patterns, start, position, first_match };
        let is_read_later = out.report(&self.innermost(&value), Report::Begin { at: start });
        self.next_match += u64::from(patterns);
        self.keep_path(is_read_later);
        Some(value)
    }

    /// Returns the innermost selected value in the form in which it is reported.
    #[inline]
    fn innermost<'a>(&'a self, value: &'a OpenValue) -> Selected<'a> {
        Selected {
            patterns: self.patterns_of(value),
            first_match: value.first_match,
            kind: value.kind,
            node: self.node,
            paths: &self.paths,
            level: self.entered.len(),
            depth: self.frames.len(),
        }
    }

    /// Returns the patterns that select the innermost selected value.
    #[inline]
    fn patterns_of<'a>(&'a self, value: &'a OpenValue) -> &'a [PatternId] {
        value.patterns_in(&self.selecting)
    }

    /// Removes the innermost selected value after its end has been reported.
    #[inline]
    fn forget(&mut self, value: &OpenValue, is_read_later: bool) {
        if value.patterns > 1 {
            self.selecting.truncate(self.selecting.len() - value.patterns as usize);
        }
        self.keep_path(is_read_later);
    }

    /// Begins a container. Returns true if a pattern may select something inside.
    #[inline]
    pub(super) fn begin_container<O: Output + ?Sized>(
        &mut self,
        kind: ValueKind,
        start: u64,
        shift: u64,
        out: &mut O,
    ) -> bool {
        let value = self.begin_value(kind, start, shift, out);
        let automaton = self.patterns.automaton();
        let row = self.rows.top(automaton);
        let is_live = match kind {
            ValueKind::Object if self.has_disguises => {
                automaton.enters_object(row) || automaton.enters_array(row) || automaton.enters_string(row)
            }
            ValueKind::Object => automaton.enters_object(row),
            _ => automaton.enters_array(row),
        };
        self.push_frame(kind, value, is_live);
        if !is_live {
            // No pattern selects anything inside, so the row is not read again.
            self.rows.top_mut(self.patterns.automaton()).fill(0);
        }
        is_live
    }

    /// Returns true if a pattern may select something in the innermost container.
    pub(crate) fn is_in_live_container(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_live)
    }

    #[inline]
    fn push_frame(&mut self, kind: ValueKind, value: Option<OpenValue>, is_live: bool) {
        if self.frames.capacity() == 0 {
            self.frames.reserve_exact(3);
        }
        self.frames.push(Frame { kind, is_selected: value.is_some(), is_live, node: self.node, next_index: 0 });
        if let Some(value) = value {
            self.selected.push(value);
        }
        self.rows.push(self.patterns.automaton());
    }

    #[inline]
    pub(super) fn end_container<'r, O: Output + ?Sized>(
        &mut self,
        end: u64,
        kept: impl FnOnce(u64) -> Kept<'r>,
        out: &mut O,
    ) {
        let Some(Frame { is_selected, node, .. }) = self.frames.pop() else { return };
        self.rows.pop(self.patterns.automaton());
        self.node = node;
        if is_selected && let Some(value) = self.selected.pop() {
            let kept = kept(value.position);
            let is_read_later = out.report(&self.innermost(&value), Report::EndSpan { kept, end });
            self.forget(&value, is_read_later);
        }
    }

    /// Begins a string or atom. Returns true if a pattern needs its text or its end.
    #[inline]
    pub(super) fn begin_leaf<O: Output + ?Sized>(
        &mut self,
        kind: ValueKind,
        start: u64,
        shift: u64,
        out: &mut O,
    ) -> bool {
        self.leaf = self.begin_value(kind, start, shift, out);
        self.leaf.is_some() && (kind != ValueKind::String || self.needs_text())
    }

    #[inline]
    pub(super) fn delta<O: Output + ?Sized>(&mut self, text: &str, at: u64, out: &mut O) {
        if let Some(value) = &self.leaf {
            let is_read_later = out.report(&self.innermost(value), Report::Delta { text, at });
            self.keep_path(is_read_later);
        }
    }

    /// Returns the patterns that select the open string or atom.
    #[inline]
    pub(super) fn selecting_leaf(&self) -> &[PatternId] {
        self.leaf.as_ref().map_or(&[], |leaf| self.patterns_of(leaf))
    }

    /// Returns the delta event of the open string for one of its patterns.
    // Always inlined: in a caller's loop over many single characters, a call would be half of the cost.
    #[inline(always)]
    pub(super) fn delta_event<'a>(&'a self, place: usize, text: &'a str, offset: u64) -> Option<Event<'a>> {
        let leaf = self.leaf.as_ref()?;
        let pattern = *self.patterns_of(leaf).get(place)?;
        let match_id = leaf.first_match + place as u64;
        Some(Event { pattern, match_id, path: self.paths.path(self.node), kind: EventKind::Delta(text.into()), offset })
    }

    /// Turns the open number into a `null`.
    pub(crate) fn leaf_is_null(&mut self) {
        if let Some(leaf) = &mut self.leaf {
            leaf.kind = ValueKind::Null;
        }
    }

    #[inline]
    pub(super) fn end_atom<O: Output + ?Sized>(&mut self, text: &str, end: u64, out: &mut O) {
        if let Some(value) = self.leaf.take() {
            let is_read_later = out.report(&self.innermost(&value), Report::EndAtom { text, end });
            self.forget(&value, is_read_later);
        }
    }

    #[inline]
    pub(super) fn end_string<'r, O: Output + ?Sized>(
        &mut self,
        end: u64,
        kept: impl FnOnce(u64) -> Kept<'r>,
        out: &mut O,
    ) {
        if let Some(value) = self.leaf.take() {
            let kept = kept(value.position);
            let is_read_later = out.report(&self.innermost(&value), Report::EndSpan { kept, end });
            self.forget(&value, is_read_later);
        }
    }

    /// Keeps the path of the event just reported until the event has been read, if it is read later.
    #[inline]
    pub(super) fn keep_path(&mut self, is_read_later: bool) {
        if is_read_later {
            self.paths.pin(self.node);
        }
    }

    /// Releases the paths of events, which have been read, and drops those of values that are no longer open, if there
    /// are many.
    #[inline]
    pub(super) fn release_event_paths(&mut self) {
        if self.paths.unpin() && self.paths.len() > 2 * self.frames.len() + 64 {
            self.compact_paths();
        }
    }

    #[inline(never)]
    fn compact_paths(&mut self) {
        self.paths.compact(self.frames.iter_mut().map(|frame| &mut frame.node).chain([&mut self.node]));
    }
}

#[inline]
fn is_dead(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}
