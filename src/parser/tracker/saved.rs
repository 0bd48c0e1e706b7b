//! Saved state: the open containers and strings, with what leads from each to the next.
//!
//! What follows from the patterns is not saved. It is found again by going the same way once more, from the root down,
//! through the functions that a text goes through. So whatever the bytes say, the tracker is one that a text leads to.

use core::ops::Range;

use super::{EnteredString, Frame, OpenValue, Tracker, is_dead};
use crate::error::Error;
use crate::event::{Event, EventKind};
use crate::parser::output::{LeveledOutput, Output, Selected};
use crate::path::Segment;
use crate::saved::{FARTHEST, Impossible, Reader, Writer};
use crate::tokenizer::{Position, Skipped, Tokenizer, ValueKind};

/// What is open in the innermost text, of which a tracker knows only a part.
#[derive(Clone, Copy)]
pub(in crate::parser) struct Innermost {
    pub(in crate::parser) position: Position,
    /// How many containers are open.
    pub(in crate::parser) depth: usize,
    /// Whether tokens are told even where no pattern can select anything.
    pub(in crate::parser) follows_all: bool,
}

/// How the open containers and strings are written.
const ARRAY: u8 = 0;
const OBJECT: u8 = 1;
const STRING: u8 = 2;
const SELECTED: u8 = 4;

/// Where the events of a second way down go: they have been told.
struct Told;

impl Output for Told {
    fn reads_later(&self) -> bool {
        false
    }

    fn begin(&mut self, _: &Selected<'_>, _: u64) {}
    fn delta(&mut self, _: &Selected<'_>, _: &str, _: u64) {}
    fn end_atom(&mut self, _: &Selected<'_>, _: &str, _: u64) {}
    fn end_span(&mut self, _: &Selected<'_>, _: u64, _: u64, _: Option<&[u8]>) {}
}

impl LeveledOutput for Told {
    fn begin_chunk(&mut self) {}
    fn delta_among_others(&mut self, _: usize, _: &Selected<'_>, _: &str, _: u64) {}
    fn end_inner_atom(&mut self, _: usize, _: &Selected<'_>, _: &str, _: u64) {}
    fn end_inner_span(&mut self, _: usize, _: &Selected<'_>, _: u64, _: Option<(Range<usize>, &[u8])>) {}
    fn inner_error(&mut self, _: &Selected<'_>, _: &Error) {}
}

impl Tracker {
    pub(in crate::parser) fn save(&self, innermost: Innermost, out: &mut Writer<'_>) {
        out.number(self.frames.len() as u64);
        let has_leaf = self.has_leaf(innermost);
        for (place, frame) in self.frames.iter().enumerate() {
            let tag = match frame.value.kind {
                ValueKind::Array => ARRAY,
                ValueKind::String => STRING,
                _ => OBJECT,
            };
            out.byte(tag | if frame.value.is_selected { SELECTED } else { 0 });
            save_value(&frame.value, out);
            let next = self.frames.get(place + 1).map(|next| next.node);
            let next = next.or(self.is_within_value(innermost).then_some(self.node));
            if tag == ARRAY {
                out.number(frame.next_index);
            } else if let Some(next) = next.filter(|_| tag == OBJECT && frame.is_live) {
                let key = (next != frame.node).then(|| self.paths.path(next).last()).flatten();
                let key = key.and_then(|segment| if let Segment::Key(key) = segment { Some(key) } else { None });
                out.option(key, Writer::text);
            }
        }
        if has_leaf {
            out.byte(self.leaf.map_or(0, |leaf| leaf.kind as u8 + 1));
            if let Some(leaf) = &self.leaf {
                save_value(leaf, out);
            }
        }
        out.number(self.next_match);
    }

    /// Tells once more of the begin of each match that is open, outermost first.
    pub(in crate::parser) fn tell_open(&self, mut on_event: impl FnMut(Event<'_>)) {
        let leaf = self.leaf.iter().map(|leaf| (leaf, self.node));
        let mut values = self.frames.iter().map(|frame| (&frame.value, frame.node)).chain(leaf).peekable();
        while let Some((value, node)) = values.next() {
            if !value.is_selected {
                continue;
            }
            let to = values.peek().map_or(self.selecting.len(), |(next, _)| next.selecting_from);
            let patterns = self.selecting.get(value.selecting_from..to).unwrap_or_default();
            for (pattern, match_id) in patterns.iter().zip(value.first_match..) {
                let (path, kind) = (self.paths.path(node), EventKind::Begin(value.kind));
                on_event(Event { pattern: *pattern, match_id, path, kind, offset: value.start });
            }
        }
    }

    /// Reads what was saved of a text whose innermost part is known, into a tracker that is new. So many containers and
    /// strings may be open at most: each takes memory by the size of the patterns.
    pub(in crate::parser) fn restore(
        &mut self,
        reader: &mut Reader<'_>,
        innermost: Innermost,
        most: usize,
    ) -> Result<(), Impossible> {
        let read = self;
        // The functions of an output that exists in any case.
        let told: &mut dyn LeveledOutput = &mut Told;
        let frames = reader.count()?;
        Impossible::unless(frames <= most)?;
        read.frames.reserve(frames);
        // A bound on the keys that come, and mostly near it.
        read.paths.reserve_keys(reader.rest_len().min(256));
        let mut newest = None;
        for place in 0..frames {
            let tag = reader.byte()?;
            let is_selected = tag & SELECTED != 0;
            let start = read.restore_value(reader, is_selected, &mut newest)?;
            read.restore_index()?;
            match tag & !SELECTED {
                kind @ (ARRAY | OBJECT) => {
                    let kind = if kind == ARRAY { ValueKind::Array } else { ValueKind::Object };
                    read.begin_container(kind, start, told);
                }
                STRING => {
                    read.begin_leaf(ValueKind::String, start, told);
                    Impossible::unless(read.enter_string(start))?;
                    // What follows has offsets of its own.
                    newest = None;
                }
                _ => return Err(Impossible),
            }
            let leads_on = read.is_within_value(innermost);
            let frame = read.frames.last_mut().ok_or(Impossible)?;
            Impossible::unless(frame.value.is_selected == is_selected)?;
            match frame.value.kind {
                ValueKind::Array => frame.next_index = reader.place()?,
                ValueKind::Object if frame.is_live && (place + 1 < frames || leads_on) => read.restore_key(reader)?,
                _ => {}
            }
        }
        if read.has_leaf(innermost) {
            let kind = match reader.byte()? {
                0 => None,
                kind => Some(*ValueKind::ALL.get(usize::from(kind) - 1).ok_or(Impossible)?),
            };
            let start = read.restore_value(reader, kind.is_some(), &mut newest)?;
            read.restore_index()?;
            let is_selected = read.begin_leaf(kind.unwrap_or(ValueKind::Null), start, told);
            let enters = innermost.position == Position::String && read.patterns.automaton().enters_string(&read.row);
            Impossible::unless(is_selected == kind.is_some() && !enters)?;
        }
        let next_match = reader.at_most(FARTHEST)?;
        Impossible::unless(next_match >= read.next_match)?;
        read.next_match = next_match;
        Ok(())
    }

    /// Whether a string or atom is open whose beginning was told, and that is not read inside.
    fn has_leaf(&self, innermost: Innermost) -> bool {
        matches!(innermost.position, Position::String | Position::Atom(_))
            && self.skipped(innermost) == Skipped::NOTHING
    }

    /// Whether a key has led on from the innermost container that was told, or a value in it is open.
    fn is_within_value(&self, innermost: Innermost) -> bool {
        let is_token = matches!(innermost.position, Position::AfterKey | Position::String | Position::Atom(_));
        is_token || innermost.depth > self.frames_of(self.level()).len()
    }

    /// What is skipped in the innermost text.
    fn skipped(&self, innermost: Innermost) -> Skipped {
        let frames = self.frames_of(self.level());
        match frames.last() {
            _ if innermost.follows_all => Skipped::NOTHING,
            Some(frame) if !frame.is_live => Skipped::container(frames.len() - 1),
            Some(frame)
                if frame.value.kind == ValueKind::Object && self.is_within_value(innermost) && is_dead(&self.row) =>
            {
                Skipped::member(frames.len())
            }
            _ => Skipped::NOTHING,
        }
    }

    /// The place and the first match of the value that begins next, if it is selected.
    fn restore_value(
        &mut self,
        reader: &mut Reader<'_>,
        is_selected: bool,
        newest: &mut Option<u64>,
    ) -> Result<u64, Impossible> {
        if !is_selected {
            return Ok(0);
        }
        let (start, first_match) = (reader.place()?, reader.place()?);
        Impossible::unless(newest.is_none_or(|newest| newest < start) && first_match >= self.next_match)?;
        *newest = Some(start);
        self.next_match = first_match;
        Ok(start)
    }

    /// The index of an element that has begun is the next one once more.
    fn restore_index(&mut self) -> Result<(), Impossible> {
        if let Some(frame) = self.frames.last_mut()
            && frame.value.kind == ValueKind::Array
        {
            frame.next_index = frame.next_index.checked_sub(1).ok_or(Impossible)?;
        }
        Ok(())
    }

    fn restore_key(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        if reader.flag()? {
            let leads_on = self.key(reader.text()?);
            return Impossible::unless(leads_on);
        }
        // A key that leads nowhere.
        let automaton = self.patterns.automaton();
        let from = self.rows.len() - automaton.words();
        Impossible::unless(!automaton.takes_any_key(&self.rows[from..]))?;
        self.row.fill(0);
        self.node = self.frames.last().ok_or(Impossible)?.node;
        Ok(())
    }

    /// The frames of a level.
    fn frames_of(&self, level: usize) -> &[Frame] {
        let from = level.checked_sub(1).map_or(Some(0), |outer| self.entered.get(outer).map(|string| string.frame + 1));
        let to = self.entered.get(level).map_or(self.frames.len(), |string| string.frame);
        from.and_then(|from| self.frames.get(from..to)).unwrap_or_default()
    }

    /// Holds a level against its tokenizer, and tells that one what is followed.
    pub(in crate::parser) fn settle_level(
        &self,
        level: usize,
        tokenizer: &mut Tokenizer,
        follows_all: bool,
        has_document: bool,
    ) -> Result<(), Impossible> {
        let frames = self.frames_of(level);
        let nest = tokenizer.nest();
        let fits = |(depth, frame): (usize, &Frame)| {
            let is_last = depth + 1 == frames.len();
            nest.is_object(depth) == Some(frame.value.kind == ValueKind::Object)
                && frame.next_index <= tokenizer.offset()
                && frame.value.start < tokenizer.offset()
                && (is_last || frame.is_live || follows_all)
        };
        Impossible::unless(frames.iter().enumerate().all(fits))?;
        let innermost = Innermost { position: tokenizer.position(), depth: nest.depth(), follows_all };
        let skipped = if level < self.level() { Skipped::NOTHING } else { self.skipped(innermost) };
        let is_skipped = skipped != Skipped::NOTHING;
        Impossible::unless(is_skipped && nest.depth() >= frames.len() || nest.depth() == frames.len())?;
        let follows_value = if level < self.level() {
            let is_live = frames.last().is_none_or(|frame| frame.is_live || follows_all);
            let has_begun = self.entered_at(level).is_some_and(|string| string.value.start < tokenizer.offset());
            Impossible::unless(is_live && has_begun && tokenizer.position() == Position::String)?;
            true
        } else {
            let fits = |leaf: &OpenValue| tokenizer.may_be_told_as(leaf.kind) && leaf.start < tokenizer.offset();
            Impossible::unless(self.leaf.as_ref().is_none_or(fits))?;
            self.leaf.is_some() || has_document
        };
        tokenizer.follow(skipped, follows_value)
    }

    /// The text of the innermost level has failed: nothing is open in it.
    pub(in crate::parser) fn settle_failed(&self) -> Result<(), Impossible> {
        Impossible::unless(self.frames_of(self.level()).is_empty() && self.leaf.is_none())
    }

    /// The string of a level that the next level is read in.
    fn entered_at(&self, level: usize) -> Option<&Frame> {
        self.entered.get(level).and_then(|EnteredString { frame, .. }| self.frames.get(*frame))
    }

    /// Where the selected values of a level begin that are open, outermost first, each with how many containers of the
    /// level are around it.
    pub(in crate::parser) fn selected_starts(&self, level: usize) -> impl Iterator<Item = (usize, u64)> + Clone {
        let leaf = if level == self.level() { self.leaf.as_ref() } else { None };
        let values = self.frames_of(level).iter().chain(self.entered_at(level)).map(|frame| &frame.value).chain(leaf);
        values.enumerate().filter(|(_, value)| value.is_selected).map(|(depth, value)| (depth, value.start))
    }

    /// The same for the values of the document whose text is looked at when they end; an atom's comes with its end.
    pub(in crate::parser) fn selected_spans(&self) -> impl Iterator<Item = (usize, u64)> + Clone {
        let atom = self.leaf.as_ref().filter(|leaf| leaf.kind != ValueKind::String && self.entered.is_empty());
        let atom = atom.map(|leaf| leaf.start);
        self.selected_starts(0).filter(move |(_, start)| Some(*start) != atom)
    }

    /// How many containers of its level are around the outermost selected value that is open there.
    pub(in crate::parser) fn depth_of_outermost(&self, level: usize) -> usize {
        let frames = self.frames_of(level);
        frames.iter().position(|frame| frame.value.is_selected).unwrap_or(frames.len())
    }

    /// The index or key that leads on from each open container of the document: nothing where a key leads nowhere, and
    /// where nothing has begun in the innermost one.
    pub(in crate::parser) fn steps(&self, innermost: Innermost) -> impl Iterator<Item = (u64, Option<Segment<'_>>)> {
        let last = self.is_within_value(innermost).then_some(self.node);
        let nodes = self.frames.iter().skip(1).map(|frame| Some(frame.node)).chain([last]);
        self.frames.iter().zip(nodes).map(|(frame, next)| {
            let segment = next.filter(|next| *next != frame.node).and_then(|next| self.paths.path(next).last());
            (frame.next_index, segment)
        })
    }
}

fn save_value(value: &OpenValue, out: &mut Writer<'_>) {
    if value.is_selected {
        out.number(value.start);
        out.number(value.first_match);
    }
}
