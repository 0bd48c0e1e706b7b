//! Reads the text that leads to where a parser was, and sets the counters that it can't lead to.

use alloc::vec::Vec;

use super::jumps::{DOCUMENT, Jump};
use super::rewritten::respelt;
use super::{Impossible, Reader, Writer};
use crate::parser::{Engine, InnerText, Parser, Retain, Retained};
use crate::tokenizer::{Limits, Progress, Tokenizer};

/// What a jump sets.
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

/// What reads the text of a level, unless that has failed.
fn tokenizer(engine: &Engine, level: usize) -> Option<&Tokenizer> {
    if level == DOCUMENT {
        return Some(&engine.tokenizer);
    }
    engine.inner.as_ref()?.level(level).filter(|text| !text.has_failed()).map(InnerText::tokenizer)
}

fn tokenizer_mut(engine: &mut Engine, level: usize) -> Option<&mut Tokenizer> {
    if level == DOCUMENT {
        return Some(&mut engine.tokenizer);
    }
    engine.inner.as_mut()?.level_mut(level).filter(|text| !text.has_failed()).map(InnerText::tokenizer_mut)
}

/// Whether the text of a level, or of one around it, is kept for an open match: then nothing of it is left out.
fn is_kept(engine: &Engine, level: usize) -> bool {
    let Engine { followers, retained, inner, .. } = engine;
    let is_kept_inside = |level| inner.as_ref().and_then(|inner| inner.level(level)).is_some_and(InnerText::is_kept);
    let is_document_kept = retained.keeps_text() && followers.tracker.has_open_match_in_document();
    followers.deviations.first().is_none() && (is_document_kept || (1..=level).any(is_kept_inside))
}

impl Parser {
    /// Reads a text that has been read before.
    pub(super) fn replay(&mut self, text: &[u8]) -> Result<(), Impossible> {
        if text.is_empty() {
            return Ok(());
        }
        self.feed_dyn(text, &mut |_| {}).map_err(|_| Impossible)
    }

    /// The same with jumps, and the counters at its end, which tell nothing of a text that has failed.
    pub(super) fn replay_jumping(
        &mut self,
        text: &[u8],
        reader: &mut Reader<'_>,
        has_failed: bool,
    ) -> Result<(), Impossible> {
        let jumps = restore_jumps(reader, text.len())?;
        let limits = *self.engine.tokenizer.limits();
        // What is within the limits was so before; and not each text here is the shortest.
        self.set_limits(Limits::new().depth(limits.depth));
        let replayed = self.replay_between(text, &jumps, None, limits);
        self.set_limits(limits);
        replayed?;
        if has_failed { Ok(()) } else { self.restore_counters(reader) }
    }

    /// The same for a text that is kept from some place on, as strict JSON up to its last token.
    pub(super) fn replay_rewritten(&mut self, text: &[u8], reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let policy = self.engine.retained.policy();
        let kept_at = reader.at_most(text.len() as u64)? as usize;
        let token_at = kept_at + reader.at_most((text.len() - kept_at) as u64)? as usize;
        let jumps = restore_jumps(reader, text.len())?;
        // A blank before the token, which ends a number, is not kept.
        let strict_to = token_at + usize::from(text.get(token_at) == Some(&b' '));
        let is_document = |jump: &&Jump| {
            (kept_at..=strict_to).contains(&jump.place) && jump.offset.is_some_and(|(level, _)| level == DOCUMENT)
        };
        let mut places = Vec::new();
        for jump in jumps.iter().filter(is_document) {
            places.extend(jump.offset.map(|(_, offset)| (offset, jump.place.min(token_at) - kept_at)));
        }
        let start = places.first().filter(|(_, place)| *place == 0 && policy != Retain::All).map(|(start, _)| *start);
        Impossible::unless(start.is_some() || policy == Retain::All && kept_at == 0)?;
        let start = start.unwrap_or(0);
        self.engine.retained = Retained::new(Retain::Nothing);
        // Those of the open token are counted.
        self.engine.followers.deviations.relist(&[], 0, 0, None);
        let limits = *self.engine.tokenizer.limits();
        self.set_limits(Limits::new().depth(limits.depth));
        let replayed = self.replay_between(text, &jumps, Some(token_at), limits);
        self.set_limits(limits);
        self.engine.retained = Retained::new(policy);
        replayed?;
        self.restore_counters(reader)?;
        let tokenizer = &self.engine.tokenizer;
        let deviations = self.engine.followers.deviations.count();
        let rest = respelt(tokenizer, &text[token_at..], deviations).ok_or(Impossible)?;
        let offsets = jumps.iter().filter_map(|jump| jump.offset.filter(|(level, _)| *level == DOCUMENT));
        Impossible::unless(offsets.is_sorted_by(|one, next| one.1 < next.1))?;
        let kept = [&text[kept_at..token_at], &rest].concat();
        places.push((tokenizer.offset(), kept.len()));
        places.dedup_by_key(|(offset, _)| *offset);
        Impossible::unless(places.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1))?;
        Impossible::unless(places.first().is_none_or(|(first, _)| *first >= start))?;
        self.engine.retained.set_rewritten(start, kept, tokenizer.offset(), &places);
        Ok(())
    }

    fn restore_counters(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let limits = *self.engine.tokenizer.limits();
        Impossible::unless(self.engine.followers.tracker.set_next_match(reader.place()?))?;
        for level in 0..=self.engine.followers.tracker.level() {
            let Some(tokenizer) = tokenizer_mut(&mut self.engine, level) else { continue };
            let progress = restore_progress(reader, tokenizer.offset())?;
            Impossible::unless(tokenizer.go_on(limits, progress))?;
            Impossible::unless(self.has_begun_before(level, progress.offset))?;
        }
        Ok(())
    }

    /// Reads a text with jumps, of which no token is a deviation before a place.
    fn replay_between(
        &mut self,
        text: &[u8],
        jumps: &[Jump],
        strict_to: Option<usize>,
        limits: Limits,
    ) -> Result<(), Impossible> {
        let count = self.engine.followers.deviations.count();
        let mut from = 0;
        let places = jumps.iter().map(|jump| (jump.place, Some(*jump)));
        let mut places: Vec<_> = places.chain(strict_to.map(|place| (place, None))).collect();
        places.sort_by_key(|(place, _)| *place);
        for (place, jump) in places {
            self.replay(&text[from..place])?;
            from = place;
            match jump {
                Some(jump) => self.jump(jump, limits)?,
                None => Impossible::unless(self.engine.followers.deviations.count() == count)?,
            }
        }
        self.replay(&text[from..])
    }

    /// Whether all selected values of a level's text that are open began before an offset.
    fn has_begun_before(&self, level: usize, offset: u64) -> bool {
        self.engine.followers.tracker.newest_start(level).is_none_or(|start| start < offset)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.engine.tokenizer.set_limits(limits);
        // A text in a string that is shown is all there, and may have failed at a limit.
        let inner = self.engine.inner.iter_mut().filter(|_| self.engine.followers.document.is_none());
        inner.for_each(|inner| inner.set_limits(limits));
    }

    fn jump(&mut self, jump: Jump, limits: Limits) -> Result<(), Impossible> {
        let Jump { offset, next_match, next_index, is_kept: has_all, .. } = jump;
        if let Some((level, offset)) = offset {
            Impossible::unless(level <= self.engine.followers.tracker.level() && !is_kept(&self.engine, level))?;
            Impossible::unless(self.has_begun_before(level, offset))?;
            let tokenizer = tokenizer_mut(&mut self.engine, level).ok_or(Impossible)?;
            Impossible::unless(tokenizer.jump(offset))?;
        }
        let tracker = &mut self.engine.followers.tracker;
        Impossible::unless(next_match.is_none_or(|next| tracker.set_next_match(next)))?;
        Impossible::unless(next_index.is_none_or(|next| tracker.set_next_index(next)))?;
        if let Some(inner) = self.engine.inner.as_mut().filter(|_| has_all) {
            inner.set_limits(limits);
        }
        Ok(())
    }
}
