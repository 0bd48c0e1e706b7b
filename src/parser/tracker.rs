//! The tracker: the parser's place in the document, and the patterns that select what is open there.
//!
//! One frame per open container that is followed, one automaton row per frame, the selecting patterns of all open
//! values on one stack. A path node is made only for a value that a pattern selects or may select something in.
//!
//! A string that is read inside has a frame too, as if it were a container with one child, the root of its text. So the
//! values of that text are on the same stacks, above the string, and come through the same functions. The document is
//! the text of level 0, and the text in a string of level n has level n + 1: the number of open strings that are read
//! inside is the level of the text whose tokens come.

mod innermost;
mod open;
mod paths;
mod raw;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

pub(crate) use self::innermost::OpenValues;
pub(crate) use self::open::OpenContainer;
use self::raw::RawDeltas;
use super::output::{Kept, Output, Selected};
use crate::error::Error;
use crate::event::{Event, EventKind};
use crate::path::{NodeId, PathStore, ROOT};
use crate::pattern::PatternId;
use crate::pattern::PatternSet;
use crate::pattern::Row;
use crate::tokenizer::{KeyFilter, ValueKind};

#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    patterns: PatternSet,
    paths: PathStore,
    frames: Vec<Frame>,
    /// The rows of the frames, one after the other.
    rows: Vec<u64>,
    /// The row and the node of the value that begins next, or of the open string or atom.
    row: Row,
    node: NodeId,
    /// The open string or atom, if a pattern selects it.
    leaf: Option<OpenValue>,
    /// The patterns that select the open values, outermost first.
    selecting: Vec<PatternId>,
    /// The open strings that are read inside, outermost first.
    entered: Vec<EnteredString>,
    next_match: u64,
    /// If a pattern is raw.
    raw: Option<Box<RawDeltas>>,
}

/// An open container, or an open string that is read inside.
#[derive(Clone, Copy, Debug)]
struct Frame {
    value: OpenValue,
    /// True if a pattern may select something inside.
    is_live: bool,
    node: NodeId,
    /// The index of the next element.
    next_index: u64,
}

/// An open string that is read inside.
#[derive(Clone, Copy, Debug)]
struct EnteredString {
    /// The place of its frame.
    frame: usize,
    /// The end of its patterns in `selecting`.
    selecting_to: usize,
}

/// The beginning of a value, as far as its end needs it.
#[derive(Clone, Copy, Debug)]
struct OpenValue {
    kind: ValueKind,
    start: u64,
    first_match: u64,
    /// The beginning of its patterns in `selecting`.
    selecting_from: usize,
    is_selected: bool,
}

impl Tracker {
    pub(super) fn new(patterns: PatternSet) -> Self {
        let mut row = patterns.automaton().empty_row();
        patterns.automaton().enter_root(&mut row);
        Self {
            raw: RawDeltas::of(&patterns),
            patterns,
            paths: PathStore::default(),
            frames: Vec::new(),
            rows: Vec::new(),
            row,
            node: ROOT,
            leaf: None,
            selecting: Vec::new(),
            entered: Vec::new(),
            next_match: 0,
        }
    }

    pub(super) fn reset(&mut self) {
        self.paths.clear();
        self.frames.clear();
        self.rows.clear();
        self.patterns.automaton().enter_root(&mut self.row);
        self.node = ROOT;
        self.leaf = None;
        self.selecting.clear();
        self.entered.clear();
        self.next_match = 0;
        self.raw.iter_mut().for_each(|raw| raw.clear());
    }

    pub(super) fn paths(&self) -> &PathStore {
        &self.paths
    }

    pub(crate) fn patterns(&self) -> &PatternSet {
        &self.patterns
    }

    /// Returns true if a value is open that a pattern selects.
    pub(super) fn has_open_match(&self) -> bool {
        !self.selecting.is_empty()
    }

    /// Returns true if a value of the text of a level is open that a pattern selects.
    pub(crate) fn has_open_match_in(&self, level: usize) -> bool {
        let to = |level: usize| self.entered.get(level).map_or(self.selecting.len(), |string| string.selecting_to);
        level <= self.level() && to(level) > level.checked_sub(1).map_or(0, to)
    }

    /// Notes a member's key, which leads to the value that begins next. Returns whether a pattern may select that, or
    /// something inside.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(super) fn key(&mut self, key: &str) -> bool {
        let Some(frame) = self.frames.last().filter(|frame| frame.is_live) else { return false };
        let automaton = self.patterns.automaton();
        let from = &self.rows[self.rows.len() - automaton.words()..];
        automaton.step_key(from, key, &mut self.row);
        self.node = frame.node;
        let leads_on = !is_dead(&self.row);
        if leads_on {
            self.paths.release_after(frame.node);
            self.node = self.paths.push_key(frame.node, key);
        }
        leads_on
    }

    /// The keys of the innermost object from which a pattern may lead on.
    pub(super) fn wanted_keys(&self) -> KeyFilter {
        let automaton = self.patterns.automaton();
        self.rows
            .len()
            .checked_sub(automaton.words())
            .map_or(KeyFilter::ALL, |from| automaton.wanted_keys(&self.rows[from..]))
    }

    /// Notes a member's key that is not one of these.
    pub(super) fn skip_key(&mut self) {
        self.row.fill(0);
        if let Some(frame) = self.frames.last() {
            self.node = frame.node;
        }
    }

    /// Finds the patterns that select the value that begins, and reports it for each.
    #[inline]
    fn begin_value<O: Output + ?Sized>(&mut self, kind: ValueKind, start: u64, out: &mut O) -> OpenValue {
        let automaton = self.patterns.automaton();
        if let Some(frame) = self.frames.last_mut()
            && frame.value.kind == ValueKind::Array
        {
            let index = frame.next_index;
            frame.next_index += 1;
            if frame.is_live {
                let from = &self.rows[self.rows.len() - automaton.words()..];
                automaton.step_index(from, index, &mut self.row);
                self.node = frame.node;
                if !is_dead(&self.row) {
                    self.paths.release_after(frame.node);
                    self.node = self.paths.push_index(frame.node, index);
                }
            }
        }
        let selecting_from = self.selecting.len();
        automaton.push_selected(&self.row, &mut self.selecting);
        let is_selected = self.selecting.len() > selecting_from;
        let value = OpenValue { kind, start, first_match: self.next_match, selecting_from, is_selected };
        if is_selected {
            out.begin(&self.selected(&value), start);
            self.next_match += (self.selecting.len() - selecting_from) as u64;
            self.keep_path(out);
            self.begin_raw(&value, out);
        }
        value
    }

    #[inline]
    fn selected(&self, value: &OpenValue) -> Selected<'_> {
        Selected {
            patterns: &self.selecting[value.selecting_from..],
            first_match: value.first_match,
            kind: value.kind,
            node: self.node,
            paths: &self.paths,
            level: self.entered.len(),
        }
    }

    /// A container begins. Returns whether a pattern may select something inside.
    #[inline]
    pub(super) fn begin_container<O: Output + ?Sized>(&mut self, kind: ValueKind, start: u64, out: &mut O) -> bool {
        let value = self.begin_value(kind, start, out);
        let automaton = self.patterns.automaton();
        let is_live = match kind {
            ValueKind::Object => automaton.enters_object(&self.row),
            _ => automaton.enters_array(&self.row),
        };
        self.push_frame(value, is_live);
        if !is_live {
            // Nothing inside is selected by any pattern, so nothing below looks at the row again.
            self.row.fill(0);
        }
        is_live
    }

    #[inline]
    fn push_frame(&mut self, value: OpenValue, is_live: bool) {
        self.frames.push(Frame { value, is_live, node: self.node, next_index: 0 });
        self.rows.extend_from_slice(&self.row);
    }

    #[inline]
    pub(super) fn end_container<'r, O: Output + ?Sized>(
        &mut self,
        end: u64,
        kept: impl FnOnce(Range<u64>) -> Kept<'r>,
        out: &mut O,
    ) {
        let Some(Frame { value, node, .. }) = self.frames.pop() else { return };
        self.rows.truncate(self.rows.len() - self.patterns.automaton().words());
        self.node = node;
        if value.is_selected {
            self.end_raw(end, out);
            out.end_span(&self.selected(&value), end, kept(value.start..end));
            self.selecting.truncate(value.selecting_from);
            self.keep_path(out);
        }
    }

    /// A string or atom begins. Returns whether a pattern needs its text, or its end.
    #[inline]
    pub(super) fn begin_leaf<O: Output + ?Sized>(&mut self, kind: ValueKind, start: u64, out: &mut O) -> bool {
        let value = self.begin_value(kind, start, out);
        self.leaf = value.is_selected.then_some(value);
        value.is_selected && (kind != ValueKind::String || self.needs_text())
    }

    #[inline]
    pub(super) fn delta<O: Output + ?Sized>(&mut self, text: &str, at: u64, out: &mut O) {
        if let Some(value) = &self.leaf {
            out.delta(&self.selected(value), text, at);
            self.keep_path(out);
        } else {
            self.pass_raw(text, at, out);
        }
    }

    /// The patterns that select the open string or atom.
    #[inline]
    pub(super) fn selecting_leaf(&self) -> &[PatternId] {
        self.leaf.as_ref().map_or(&[], |leaf| &self.selecting[leaf.selecting_from..])
    }

    /// Reports a delta to an output, for one pattern at a time.
    // Always inlined: in a caller's loop over many single characters, a call would be half of the cost.
    #[inline(always)]
    pub(super) fn delta_event<'a>(&'a self, place: usize, text: &'a str, offset: u64) -> Option<Event<'a>> {
        let leaf = self.leaf.as_ref()?;
        let pattern = *self.selecting.get(leaf.selecting_from + place)?;
        let match_id = leaf.first_match + place as u64;
        Some(Event { pattern, match_id, path: self.paths.path(self.node), kind: EventKind::Delta(text), offset })
    }

    /// The number that has begun is one that stands for null.
    pub(crate) fn leaf_is_null(&mut self) {
        if let Some(leaf) = &mut self.leaf {
            leaf.kind = ValueKind::Null;
        }
    }

    #[inline]
    pub(super) fn end_atom<O: Output + ?Sized>(&mut self, text: &str, end: u64, out: &mut O) {
        if let Some(value) = self.leaf.take() {
            self.end_raw(end, out);
            out.end_atom(&self.selected(&value), text, end);
            self.selecting.truncate(value.selecting_from);
            self.keep_path(out);
        }
    }

    #[inline]
    pub(super) fn end_string<'r, O: Output + ?Sized>(
        &mut self,
        end: u64,
        kept: impl FnOnce(Range<u64>) -> Kept<'r>,
        out: &mut O,
    ) {
        if let Some(value) = self.leaf.take() {
            self.end_raw(end, out);
            out.end_span(&self.selected(&value), end, kept(value.start..end));
            self.selecting.truncate(value.selecting_from);
            self.keep_path(out);
        }
    }
}

/// Strings that are read inside.
impl Tracker {
    /// The level of the text whose tokens come next: how many open strings are read inside.
    pub(crate) fn level(&self) -> usize {
        self.entered.len()
    }

    /// Returns true if the string that has just begun is read inside. If it is, the root of its text comes next.
    pub(super) fn enter_string(&mut self, start: u64) -> bool {
        if !self.patterns.automaton().enters_string(&self.row) {
            return false;
        }
        let unselected = OpenValue {
            kind: ValueKind::String,
            start,
            first_match: self.next_match,
            selecting_from: self.selecting.len(),
            is_selected: false,
        };
        let value = self.leaf.take().unwrap_or(unselected);
        self.entered.push(EnteredString { frame: self.frames.len(), selecting_to: self.selecting.len() });
        let from = self.rows.len();
        self.push_frame(value, true);
        self.patterns.automaton().step_inside(&self.rows[from..], &mut self.row);
        self.paths.release_after(self.node);
        self.node = self.paths.push_inside(self.node);
        true
    }

    /// New text of the open string of a level, which may be read inside.
    #[inline]
    pub(super) fn delta_in<O: Output + ?Sized>(&mut self, level: usize, text: &str, at: u64, out: &mut O) {
        if self.raw.is_some() && self.delta_beside_raw(level, text, at, out.as_dyn()) {
            return;
        }
        let entered = self.entered.get(level);
        let (value, node, to) = match (entered.and_then(|string| self.frames.get(string.frame)), &self.leaf) {
            (Some(Frame { value, node, .. }), _) => (value, *node, entered.map_or(0, |string| string.selecting_to)),
            (None, Some(leaf)) => (leaf, self.node, self.selecting.len()),
            (None, None) => return,
        };
        if value.is_selected {
            let selected = Selected {
                patterns: &self.selecting[value.selecting_from..to],
                first_match: value.first_match,
                kind: value.kind,
                node,
                paths: &self.paths,
                level,
            };
            out.delta_among_others(&selected, text, at);
            if out.reads_later() {
                self.paths.pin(node);
            }
        }
    }

    /// The end of the string that is read inside, once its text has ended or failed.
    pub(super) fn end_entered<'r, O: Output + ?Sized>(
        &mut self,
        end: u64,
        kept: impl FnOnce(Range<u64>) -> Kept<'r>,
        out: &mut O,
    ) {
        self.entered.pop();
        self.end_container(end, kept, out);
    }

    /// The text of a level has failed: what is open in it is forgotten, and each pattern that goes through its string
    /// is reported.
    pub(super) fn fail_inside<O: Output + ?Sized>(&mut self, level: usize, error: &Error, out: &mut O) {
        let Some(&EnteredString { frame, selecting_to }) =
            level.checked_sub(1).and_then(|outer| self.entered.get(outer))
        else {
            return;
        };
        self.forget_raw(frame);
        let automaton = self.patterns.automaton();
        self.entered.truncate(level);
        self.frames.truncate(frame + 1);
        self.rows.truncate((frame + 1) * automaton.words());
        self.selecting.truncate(selecting_to);
        self.leaf = None;
        self.node = self.frames[frame].node;
        automaton.push_through(&self.rows[frame * automaton.words()..], &mut self.selecting);
        let selected = Selected {
            patterns: &self.selecting[selecting_to..],
            first_match: self.next_match,
            kind: ValueKind::String,
            node: self.node,
            paths: &self.paths,
            level,
        };
        out.inner_error(&selected, error);
        self.next_match += (self.selecting.len() - selecting_to) as u64;
        self.selecting.truncate(selecting_to);
        self.keep_path(out);
    }
}

#[inline]
fn is_dead(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}
