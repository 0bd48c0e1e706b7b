//! Access to the open values, and to the counters, which cannot be derived from the open values.

use super::{EnteredString, Frame, OpenValue, Tracker};
use crate::error::Impossible;
use crate::event::{Event, EventKind};
use crate::path::Segment;
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// An open container, or an open string that is read inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenContainer<'a> {
    /// Its start and its first match id, if a pattern selects it.
    pub(crate) selected: Option<(u64, u64)>,
    /// True if a pattern may select something inside.
    pub(crate) is_live: bool,
    pub(crate) next_index: u64,
    /// The key of the open member, if a pattern follows it.
    pub(crate) key: Option<&'a str>,
}

/// The first match of an open value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstMatch {
    pub(crate) pattern: PatternId,
    pub(crate) match_id: u64,
    pub(crate) kind: ValueKind,
    pub(crate) level: usize,
    /// The number of open containers around it, over all levels.
    pub(crate) containers: usize,
}

impl OpenValue {
    /// Returns its start and its first match id.
    fn beginning(&self) -> (u64, u64) {
        (self.start, self.first_match)
    }
}

impl Tracker {
    /// Reports the begin of each open match again, outermost first.
    pub(in crate::parser) fn report_open(&self, mut on_event: impl FnMut(Event<'_>)) {
        for (place, value, patterns) in self.selected_values() {
            let node = self.frames.get(place).map_or(self.node, |frame| frame.node);
            for (pattern, match_id) in patterns.iter().zip(value.first_match..) {
                let (path, kind) = (self.paths.path(node), EventKind::Begin(value.kind));
                on_event(Event { pattern: *pattern, match_id, path, kind, offset: value.start });
            }
        }
    }

    /// Returns the open selected values, outermost first, each with the number of frames around it and its patterns.
    fn selected_values(&self) -> impl Iterator<Item = (usize, &OpenValue, &[PatternId])> {
        let frames = self.frames.iter().enumerate().filter(|(_, frame)| frame.is_selected).map(|(place, _)| place);
        let values = self.selected.iter().chain(&self.leaf);
        let mut to = 0;
        frames.chain([self.frames.len()]).zip(values).map(move |(place, value)| {
            to += if value.patterns > 1 { value.patterns as usize } else { 0 };
            (place, value, value.patterns_in(&self.selecting[..to]))
        })
    }

    /// Returns the open selected values of a level's text, outermost first.
    pub(super) fn selected_in(&self, level: usize) -> impl DoubleEndedIterator<Item = &OpenValue> {
        let to = |level: usize| self.entered.get(level).map_or(self.selected.len(), |string| string.selected_to);
        let from = level.checked_sub(1).map_or(0, to);
        self.selected[from..to(level)].iter().chain(self.leaf.iter().filter(move |_| level == self.level()))
    }

    /// Returns the first match of each open selected value, outermost first.
    pub(crate) fn first_matches(&self) -> impl Iterator<Item = FirstMatch> {
        self.selected_values().filter_map(|(place, value, patterns)| {
            let level = self.entered.partition_point(|string| string.frame < place);
            let (match_id, kind) = (value.first_match, value.kind);
            Some(FirstMatch { pattern: *patterns.first()?, match_id, kind, level, containers: place - level })
        })
    }

    /// Returns whether a pattern may select something inside, for each open container that is followed, over all
    /// levels, outermost first.
    pub(crate) fn live_containers(&self) -> impl Iterator<Item = bool> {
        self.frames.iter().filter(|frame| frame.kind != ValueKind::String).map(|frame| frame.is_live)
    }

    /// Returns the number of open containers around each open string that is read inside, over all levels, outermost
    /// first.
    pub(crate) fn containers_around_strings(&self) -> impl Iterator<Item = usize> {
        self.entered.iter().enumerate().map(|(level, string)| string.frame - level)
    }

    /// Returns the open containers of a level's text that are followed, outermost first. The last one's key is
    /// meaningful only if a pattern follows it.
    pub(crate) fn open_containers(&self, level: usize) -> impl Iterator<Item = OpenContainer<'_>> {
        let from = self.first_frame(level);
        let to = self.entered.get(level).map_or(self.frames.len(), |string| string.frame);
        let mut selected = self.selected_in(level);
        (from..to).filter_map(move |place| {
            let value = if self.frames.get(place)?.is_selected { selected.next() } else { None };
            self.open_container(place, value)
        })
    }

    /// Returns the index of the first frame of a level's text.
    fn first_frame(&self, level: usize) -> usize {
        level.checked_sub(1).map_or(0, |outer| self.entered.get(outer).map_or(0, |string| string.frame + 1))
    }

    /// Returns the open string of a level's text, if it is read inside.
    pub(crate) fn entered_string(&self, level: usize) -> Option<OpenContainer<'_>> {
        let EnteredString { frame, selected_to, .. } = *self.entered.get(level)?;
        let value = self.selected[..selected_to].last().filter(|_| self.frames[frame].is_selected);
        self.open_container(frame, value)
    }

    fn open_container(&self, place: usize, value: Option<&OpenValue>) -> Option<OpenContainer<'_>> {
        let Frame { kind, is_live, node, next_index, .. } = *self.frames.get(place)?;
        let next = self.frames.get(place + 1).map_or(self.node, |next| next.node);
        let segment = if next == node { None } else { self.paths.last(next) };
        let key = if let Some(Segment::Key(key)) = segment { Some(key) } else { None };
        let key = key.filter(|_| kind == ValueKind::Object);
        // Only arrays have a meaningful index.
        let next_index = if kind == ValueKind::Array { next_index } else { 0 };
        Some(OpenContainer { selected: value.map(OpenValue::beginning), is_live, next_index, key })
    }

    /// Returns the start and the first match id of the open string or atom, if a pattern selects it and it is not read
    /// inside.
    pub(crate) fn open_leaf(&self) -> Option<(u64, u64)> {
        self.leaf.as_ref().map(OpenValue::beginning)
    }

    pub(crate) fn next_match(&self) -> u64 {
        self.next_match
    }

    /// Sets the id of the next match. Fails if a higher one was used.
    pub(crate) fn set_next_match(&mut self, next_match: u64) -> Result<(), Impossible> {
        Impossible::ensure(next_match >= self.next_match)?;
        self.next_match = next_match;
        Ok(())
    }

    /// Sets the index of the innermost container's next element. Fails unless the container is an array whose index is
    /// not higher than that.
    pub(crate) fn set_next_index(&mut self, next_index: u64) -> Result<(), Impossible> {
        let array = self.frames.last_mut().filter(|frame| frame.kind == ValueKind::Array);
        let array = array.filter(|array| array.next_index <= next_index).ok_or(Impossible)?;
        array.next_index = next_index;
        Ok(())
    }

    /// Returns the position of the outermost open selected value of a level's text in the kept text.
    pub(in crate::parser) fn outermost_position(&self, level: usize) -> Option<u64> {
        self.selected_in(level).next().map(|value| value.position)
    }

    /// Returns the start of the newest open selected value of a level's text.
    pub(crate) fn newest_start(&self, level: usize) -> Option<u64> {
        self.selected_in(level).next_back().map(|value| value.start)
    }
}
