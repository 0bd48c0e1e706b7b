//! Reads the text that leads to where a parser was, and sets the counters that it can't lead to.

use alloc::vec::Vec;

use super::jumps::Jump;
use super::{Impossible, Reader, Writer};
use crate::error::Leniency;
use crate::parser::{DOCUMENT, Engine, InnerText, Parser, Retain};
use crate::tokenizer::{Limits, Place, Progress, Tokenizer};

/// The bits of a jump's fields.
const OFFSET: u64 = 1;
const MATCH: u64 = 2;
const INDEX: u64 = 4;
const KEPT: u64 = 8;
const LEVEL: u32 = 4;

pub(super) fn save_jumps(jumps: &[Jump], out: &mut Writer<'_>) {
    out.number(jumps.len() as u64);
    let mut from = 0;
    for Jump { place, offset, next_match, next_index, is_kept } in jumps {
        out.number((place - from) as u64);
        from = *place;
        let level = offset.map_or(0, |(level, _)| level as u64);
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let sets =
            flag(offset.is_some(), OFFSET) | flag(next_match.is_some(), MATCH) | flag(next_index.is_some(), INDEX);
        let sets = sets | flag(*is_kept, KEPT);
        out.number(level << LEVEL | sets);
        let numbers = [offset.map(|(_, offset)| offset), *next_match, *next_index];
        numbers.into_iter().flatten().for_each(|number| out.number(number));
    }
}

fn restore_jumps(reader: &mut Reader<'_>, len: usize) -> Result<Vec<Jump>, Impossible> {
    let count = reader.count()?;
    let (mut jumps, mut from) = (Vec::new(), 0);
    for _ in 0..count {
        from += reader.at_most((len - from) as u64)? as usize;
        let sets = reader.number()?;
        let level = usize::try_from(sets >> LEVEL).map_err(|_| Impossible)?;
        let mut number = |flag| if sets & flag == 0 { Ok(None) } else { reader.place().map(Some) };
        let offset = number(OFFSET)?.map(|offset| (level, offset));
        let (next_match, next_index) = (number(MATCH)?, number(INDEX)?);
        jumps.push(Jump { place: from, offset, next_match, next_index, is_kept: sets & KEPT != 0 });
    }
    Ok(jumps)
}

fn save_progress(progress: Progress, out: &mut Writer<'_>) {
    let Progress { offset, lines, line_start, token_start } = progress;
    out.number(lines);
    out.number(offset.saturating_sub(line_start));
    out.number(token_start.map_or(0, |start| offset.saturating_sub(start)));
}

pub(super) fn save_counters(engine: &Engine, out: &mut Writer<'_>) {
    out.number(engine.followers.tracker.next_match());
    for level in 0..=engine.followers.tracker.level() {
        if let Some(tokenizer) = tokenizer(engine, level) {
            save_progress(tokenizer.progress(), out);
        }
    }
}

fn restore_progress(reader: &mut Reader<'_>, offset: u64) -> Result<Progress, Impossible> {
    let (lines, column, token) = (reader.place()?, reader.at_most(offset)?, reader.at_most(offset)?);
    let token_start = (token > 0).then(|| offset - token);
    Ok(Progress { offset, lines, line_start: offset - column, token_start })
}

/// Returns the tokenizer of a level's text, unless that has failed.
fn tokenizer(engine: &Engine, level: usize) -> Option<&Tokenizer> {
    if level == DOCUMENT {
        return Some(&engine.tokenizer);
    }
    engine.inner.level(level).filter(|text| !text.has_failed()).map(InnerText::tokenizer)
}

fn tokenizer_mut(engine: &mut Engine, level: usize) -> Option<&mut Tokenizer> {
    if level == DOCUMENT {
        return Some(&mut engine.tokenizer);
    }
    engine.inner.level_mut(level).filter(|text| !text.has_failed()).map(InnerText::tokenizer_mut)
}

/// Returns true if the text of a level, or of one around it, is kept for an open match: then nothing of it is left out.
/// What a translator keeps has other places, so the offset may change in it.
fn is_kept(engine: &Engine, level: usize) -> bool {
    let Engine { followers, retained, inner, .. } = engine;
    let has_open_match = |level| followers.tracker.has_open_match_in(level);
    let is_kept_inside =
        |level| inner.level(level).is_some_and(|text| text.kept().keeps_text()) && has_open_match(level);
    let is_document_kept = retained.keeps_text() && has_open_match(DOCUMENT) && !engine.is_translated();
    is_document_kept || (1..=level).any(is_kept_inside)
}

/// Returns true if all that leads to what comes next is kept: all text, or that of an open match. Then match ids and
/// indices come of the text, and no other.
fn counts_by_text(engine: &Engine) -> bool {
    let Engine { followers, retained, .. } = engine;
    let keeps_document =
        retained.keeps_text() && (retained.policy() == Retain::All || followers.tracker.has_open_match_in(DOCUMENT));
    keeps_document || is_kept(engine, followers.tracker.level())
}

impl Parser {
    /// Reads a text that has been read before.
    pub(super) fn replay(&mut self, text: &[u8]) -> Result<(), Impossible> {
        if text.is_empty() {
            return Ok(());
        }
        self.feed_dyn(text, &mut |_| {}).map_err(|_| Impossible)
    }

    /// The same with jumps.
    pub(super) fn replay_jumping(
        &mut self,
        text: &[u8],
        reader: &mut Reader<'_>,
        ends_number: bool,
    ) -> Result<(), Impossible> {
        let jumps = restore_jumps(reader, text.len())?;
        let limits = *self.engine.tokenizer.limits();
        // What is within the limits was so before; and not each text here is the shortest.
        self.set_limits(Limits::new().depth(limits.depth));
        // It is strict JSON: nothing in it deviates.
        let allowed = self.allow(Leniency::NONE);
        let replayed = self.replay_between(text, &jumps, ends_number, limits);
        self.allow(allowed);
        self.set_limits(limits);
        replayed
    }

    /// Sets the deviations that a translator may pass from now on; returns the former ones.
    fn allow(&mut self, leniency: Leniency) -> Leniency {
        self.engine.translator.as_deref_mut().map_or(leniency, |translator| translator.allow(leniency))
    }

    /// The number at the end of the text has ended, if there is one, and not only a digit of a key. What ended it was
    /// not kept.
    pub(super) fn end_number(&mut self) -> Result<(), Impossible> {
        if self.engine.tokenizer.place() != Place::Atom {
            return Ok(());
        }
        let offset = self.engine.tokenizer.offset();
        self.replay_unkept(b" ")?;
        Impossible::unless(self.engine.tokenizer.jump(offset))
    }

    /// Reads what ends a number, and keeps none of it. A parser that stops at the root has not kept it anyway.
    fn replay_unkept(&mut self, blank: &[u8]) -> Result<usize, Impossible> {
        let kept = self.engine.retained.bytes().len();
        self.replay(blank)?;
        let more = self.engine.retained.bytes().len().saturating_sub(kept);
        self.engine.retained.take_back(more);
        Ok(more)
    }

    /// The counters at the end of such a text, which say nothing of one that has failed.
    pub(super) fn restore_counters(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let limits = *self.engine.tokenizer.limits();
        let next = reader.place()?;
        let counted = self.engine.followers.tracker.next_match();
        Impossible::unless(next == counted || !counts_by_text(&self.engine))?;
        Impossible::unless(self.engine.followers.tracker.set_next_match(next))?;
        for level in 0..=self.engine.followers.tracker.level() {
            let Some(tokenizer) = tokenizer_mut(&mut self.engine, level) else { continue };
            let progress = restore_progress(reader, tokenizer.offset())?;
            Impossible::unless(tokenizer.go_on(limits, progress))?;
            Impossible::unless(self.has_begun_before(level, progress.offset))?;
        }
        Ok(())
    }

    /// Returns true if an array that has no elements counts none.
    pub(super) fn has_counted_elements(&self) -> bool {
        let tracker = &self.engine.followers.tracker;
        (0..=tracker.level()).all(|level| {
            let is_first = tokenizer(&self.engine, level).is_some_and(|tokenizer| tokenizer.place() == Place::First);
            !is_first || tracker.open_containers(level).last().is_none_or(|container| container.next_index == 0)
        })
    }

    /// Reads a text with jumps. If it ends with a number that has ended, the last byte is what ended it.
    fn replay_between(
        &mut self,
        text: &[u8],
        jumps: &[Jump],
        ends_number: bool,
        limits: Limits,
    ) -> Result<(), Impossible> {
        let (text, blank) = text.split_at(text.len() - usize::from(ends_number && text.ends_with(b" ")));
        Impossible::unless(
            ends_number != blank.is_empty() && (!ends_number || text.last().is_some_and(u8::is_ascii_digit)),
        )?;
        let mut from = 0;
        let (before, after) = jumps.split_at(jumps.partition_point(|jump| jump.place <= text.len()));
        for jump in before {
            self.replay(&text[from..jump.place])?;
            from = jump.place;
            self.jump(*jump, limits)?;
        }
        self.replay(&text[from..])?;
        // Nothing but a number is ended by what is not kept.
        Impossible::unless(!ends_number || self.engine.tokenizer.place() == Place::Atom)?;
        let more = self.replay_unkept(blank)?;
        if let Some(translator) = self.engine.translator.as_deref_mut().filter(|translator| translator.is_awake()) {
            translator.jump(more as u64);
        }
        after.iter().try_for_each(|jump| self.jump(*jump, limits))
    }

    /// Returns true if all selected values of a level's text that are open began before an offset.
    fn has_begun_before(&self, level: usize, offset: u64) -> bool {
        self.engine.followers.tracker.newest_start(level).is_none_or(|start| start < offset)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.engine.tokenizer.set_limits(limits);
        // A text in a string that is shown is all there, and may have failed at a limit.
        if self.engine.followers.tree.is_none() {
            self.engine.inner.set_limits(limits);
        }
    }

    fn jump(&mut self, jump: Jump, limits: Limits) -> Result<(), Impossible> {
        let Jump { offset, next_match, next_index, is_kept: has_all, .. } = jump;
        if let Some((level, offset)) = offset {
            Impossible::unless(offset <= limits.total)?;
            Impossible::unless(level <= self.engine.followers.tracker.level() && !is_kept(&self.engine, level))?;
            Impossible::unless(self.has_begun_before(level, offset))?;
            // Where nothing is kept before it, the place in the strict text jumps too.
            let Engine { followers, retained, .. } = &self.engine;
            let is_kept = retained.policy() == Retain::All || followers.tracker.has_open_match_in(DOCUMENT);
            let is_translated = is_kept && self.engine.is_translated();
            let tokenizer = tokenizer_mut(&mut self.engine, level).ok_or(Impossible)?;
            let by = offset.wrapping_sub(tokenizer.offset());
            Impossible::unless(tokenizer.jump(offset))?;
            if level == DOCUMENT && !is_kept {
                // What is read next is kept from here on.
                self.engine.retained.release(None, offset);
            }
            if level == DOCUMENT
                && is_translated
                && let Some(translator) = &mut self.engine.translator
            {
                translator.jump(by);
            }
        }
        Impossible::unless(next_match.or(next_index).is_none() || !counts_by_text(&self.engine))?;
        let tracker = &mut self.engine.followers.tracker;
        Impossible::unless(next_match.is_none_or(|next| tracker.set_next_match(next)))?;
        Impossible::unless(next_index.is_none_or(|next| tracker.set_next_index(next)))?;
        if has_all {
            self.engine.inner.set_limits(limits);
        }
        Ok(())
    }
}
