//! Open values, as they can be looked at from outside; and the counters, which do not come from what is open.

use super::{EnteredString, Frame, OpenValue, Tracker};
use crate::event::{Event, EventKind};
use crate::path::Segment;
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// An open container, or an open string that is read inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenContainer<'a> {
    /// Its beginning and its first match, if a pattern selects it.
    pub(crate) selected: Option<(u64, u64)>,
    /// True if a pattern may select something inside.
    pub(crate) is_live: bool,
    pub(crate) next_index: u64,
    /// The key that leads on, if one does.
    pub(crate) key: Option<&'a str>,
}

/// The first of a value's matches, which are open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstMatch {
    pub(crate) pattern: PatternId,
    pub(crate) match_id: u64,
    pub(crate) kind: ValueKind,
    pub(crate) level: usize,
    /// The number of open containers around it, of all levels.
    pub(crate) containers: usize,
}

impl OpenValue {
    fn as_selected(&self) -> Option<(u64, u64)> {
        self.is_selected.then_some((self.start, self.first_match))
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

    /// The selected values that are open, outermost first, each with the number of frames around it and its patterns.
    fn selected_values(&self) -> impl Iterator<Item = (usize, &OpenValue, &[PatternId])> {
        let values = self.frames.iter().map(|frame| &frame.value).chain(&self.leaf);
        let next = values.clone().skip(1).map(|next| next.selecting_from).chain([self.selecting.len()]);
        values.zip(next).enumerate().filter(|(_, (value, _))| value.is_selected).map(|(place, (value, to))| {
            (place, value, self.selecting.get(value.selecting_from..to).unwrap_or_default())
        })
    }

    /// The first match of each selected value that is open, outermost first.
    pub(crate) fn first_matches(&self) -> impl Iterator<Item = FirstMatch> {
        self.selected_values().filter_map(|(place, value, patterns)| {
            let level = self.entered.partition_point(|string| string.frame < place);
            let (match_id, kind) = (value.first_match, value.kind);
            Some(FirstMatch { pattern: *patterns.first()?, match_id, kind, level, containers: place - level })
        })
    }

    /// The open containers of all levels that are followed, outermost first: whether a pattern may select something inside.
    pub(crate) fn live_containers(&self) -> impl Iterator<Item = bool> {
        self.frames.iter().filter(|frame| frame.value.kind != ValueKind::String).map(|frame| frame.is_live)
    }

    /// The open strings that are read inside, outermost first: the number of open containers around each, of all levels.
    pub(crate) fn containers_around_strings(&self) -> impl Iterator<Item = usize> {
        self.entered.iter().enumerate().map(|(level, string)| string.frame - level)
    }

    /// The open containers of a level's text that are followed, outermost first. The last one's key is of use only where
    /// it has led on.
    pub(crate) fn open_containers(&self, level: usize) -> impl DoubleEndedIterator<Item = OpenContainer<'_>> {
        let from = self.first_frame(level);
        let to = self.entered.get(level).map_or(self.frames.len(), |string| string.frame);
        (from..to).filter_map(|place| self.open_container(place))
    }

    /// The place of the first frame of a level's text.
    fn first_frame(&self, level: usize) -> usize {
        level.checked_sub(1).map_or(0, |outer| self.entered.get(outer).map_or(0, |string| string.frame + 1))
    }

    /// The open string of a level's text, if it is read inside.
    pub(crate) fn entered_string(&self, level: usize) -> Option<OpenContainer<'_>> {
        let EnteredString { frame, .. } = self.entered.get(level)?;
        self.open_container(*frame)
    }

    fn open_container(&self, place: usize) -> Option<OpenContainer<'_>> {
        let Frame { value, is_live, node, next_index } = self.frames.get(place)?;
        let next = self.frames.get(place + 1).map_or(self.node, |next| next.node);
        let segment = if next == *node { None } else { self.paths.path(next).last() };
        let key = if let Some(Segment::Key(key)) = segment { Some(key) } else { None };
        let key = key.filter(|_| value.kind == ValueKind::Object);
        Some(OpenContainer { selected: value.as_selected(), is_live: *is_live, next_index: *next_index, key })
    }

    /// Returns the beginning of the open string or atom that is not read inside, and its first match, if a pattern
    /// selects it.
    pub(crate) fn open_leaf(&self) -> Option<(u64, u64)> {
        self.leaf.as_ref().and_then(OpenValue::as_selected)
    }

    pub(crate) fn next_match(&self) -> u64 {
        self.next_match
    }

    /// Numbers the next match. Returns whether none has a higher number.
    pub(crate) fn set_next_match(&mut self, next_match: u64) -> bool {
        let is_later = next_match >= self.next_match;
        self.next_match = next_match;
        is_later
    }

    /// Gives the next element of the innermost container its index, in a text of this level. Returns whether it may have it.
    pub(crate) fn set_next_index(&mut self, next_index: u64) -> bool {
        let array = self.frames.last_mut().filter(|frame| frame.value.kind == ValueKind::Array);
        let array = array.filter(|array| array.next_index <= next_index);
        let is_one = array.is_some();
        array.into_iter().for_each(|array| array.next_index = next_index);
        is_one
    }

    /// Returns the beginning of the outermost selected value of a level's text that is open.
    pub(crate) fn outermost_start(&self, level: usize) -> Option<u64> {
        if !self.has_open_match_in(level) {
            return None;
        }
        let (from, to) = self.frames_of(level);
        let before = level.checked_sub(1).map_or(0, |outer| self.entered[outer].selecting_to);
        // The patterns of the frames ascend: those up to the outermost selected one begin where the level does.
        let frames = self.frames.get(from..to)?;
        let outermost = frames.partition_point(|frame| frame.value.selecting_from <= before).checked_sub(1);
        let value = outermost.map(|place| &frames[place].value).filter(|value| value.is_selected);
        value.or(self.leaf.as_ref()).map(|value| value.start)
    }

    /// Returns the beginnings of the selected values of a level's text that are open, outermost first.
    pub(crate) fn selected_starts(&self, level: usize) -> impl Iterator<Item = u64> {
        let (from, to) = self.frames_of(level);
        let frames = self.frames[from..to].iter().map(|frame| &frame.value);
        let leaf = self.leaf.iter().filter(move |_| level == self.level());
        frames.chain(leaf).filter_map(|value| value.as_selected().map(|(start, _)| start))
    }

    /// The places of the frames of a level's text, that of the string which is read inside included.
    fn frames_of(&self, level: usize) -> (usize, usize) {
        (self.first_frame(level), self.entered.get(level).map_or(self.frames.len(), |string| string.frame + 1))
    }

    /// Returns the beginning of the newest selected value of a level's text that is open. Its starts ascend, so it is
    /// the last.
    pub(crate) fn newest_start(&self, level: usize) -> Option<u64> {
        let leaf = self.leaf.as_ref().filter(|_| level == self.level());
        if let Some(leaf) = leaf {
            return Some(leaf.start);
        }
        let (from, to) = self.frames_of(level);
        // Where the patterns begin of what is open inside. Those of the frames ascend, so that the search is short.
        let inside = self.frames.get(to).map(|frame| &frame.value).or(self.leaf.as_ref());
        let end = inside.map_or(self.selecting.len(), |value| value.selecting_from);
        let frames = self.frames.get(from..to)?;
        let selected = frames.partition_point(|frame| frame.value.selecting_from < end).checked_sub(1)?;
        Some(frames.get(selected)?.value.start)
    }
}
