//! Saved state of the index: what each call is found by, once, and what is remembered besides.

use alloc::vec::Vec;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::{CallIndex, MOST_STRAYS, Reasons, Strays};
use crate::calls::numbered::Numbered;
use crate::calls::places::{Key, Places};

/// Returns true if a call is the only one that has such a key, so that `known` has it too.
fn is_one_s_own(key: Key<'_>) -> bool {
    matches!(key, Key::Index(_) | Key::Id(_))
}

impl CallIndex {
    pub(in crate::calls) fn save(&self, out: &mut Writer<'_>) {
        // `last` only says sooner what `calls` says.
        let Self {
            calls,
            last: _,
            known,
            ended,
            has_forgotten,
            refused,
            has_refused_latest,
            orphaned,
            has_unplaced,
            has_lost,
            noted,
        } = self;
        known.save(out);
        calls.save_those(|key| !is_one_s_own(key), out);
        out.number(ended.len() as u64);
        ended.iter().for_each(|call| out.number(*call));
        [has_forgotten, has_refused_latest, has_unplaced, has_lost].into_iter().for_each(|flag| out.flag(*flag));
        refused.save(out);
        orphaned.save(out);
        noted.0.save(out);
    }

    /// Reads what was saved: `next` calls have been numbered, these are open, and `most` ended ones are remembered.
    pub(in crate::calls) fn restore<T>(
        reader: &mut Reader<'_>,
        next: u64,
        open: &Numbered<T>,
        most: usize,
    ) -> Result<Self, Impossible> {
        let known = restore_known(reader, next)?;
        let mut calls = Places::default();
        for (call, key, choice) in known.iter().filter(|(_, key, _)| is_one_s_own(key.get())) {
            // No two calls share a key.
            Impossible::ensure(calls.insert(choice, key.clone(), call).is_none())?;
        }
        let rest = Places::restore(reader, |choice, key, call| match key {
            Key::Own => call < next,
            Key::Content | Key::Latest => known.get(call, Key::Own) == Some(choice),
            Key::Index(_) | Key::Id(_) => false,
        })?;
        for (choice, key, call) in rest.iter() {
            calls.insert(choice, key.clone(), call);
        }
        Impossible::ensure(calls.iter().all(|(choice, _, _)| calls.get(choice, Key::Own).is_some()))?;

        let count = reader.count()?;
        let ended: Vec<u64> = (0..count).map(|_| reader.number()).collect::<Result<_, _>>()?;
        let is_known = |call: u64| known.get(call, Key::Own).is_some();
        Impossible::ensure(
            ended.len() <= most
                && ended.iter().all(|call| is_known(*call) && !open.contains(*call))
                && open.iter().all(|(call, _)| is_known(call))
                && known.owners().count() == ended.len() + open.len(),
        )?;
        let mut sorted = ended.clone();
        sorted.sort_unstable();
        Impossible::ensure(sorted.is_sorted_by(|one, other| one < other))?;

        let [has_forgotten, has_refused_latest] = [reader.flag()?, reader.flag()?];
        let [has_unplaced, has_lost] = [reader.flag()?, reader.flag()?];
        let (refused, orphaned) = (Strays::restore(reader)?, Strays::restore(reader)?);
        let mut last = None;
        let noted = Reasons(Places::restore(reader, |choice, key, number| {
            // One reason for a choice.
            let is_next = last.replace(choice) != Some(choice);
            is_next && matches!(key, Key::Id(_)) && number == 0 && calls.get(choice, Key::Own).is_some()
        })?);
        Ok(Self {
            calls,
            last: None,
            known,
            ended: ended.into(),
            has_forgotten,
            refused,
            has_refused_latest,
            orphaned,
            has_unplaced,
            has_lost,
            noted,
        })
    }
}

/// Reads the calls that are known: of each first its choice, and then the keys that it has there.
fn restore_known(reader: &mut Reader<'_>, next: u64) -> Result<Places, Impossible> {
    let mut current = None;
    Places::restore(reader, |call, key, choice| match key {
        Key::Own => {
            current = Some((call, choice));
            call < next
        }
        key => is_one_s_own(key) && current == Some((call, choice)),
    })
}

impl Strays {
    fn save(&self, out: &mut Writer<'_>) {
        self.keys.save(out);
        out.flag(self.has_more);
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, Impossible> {
        let keys = Places::restore(reader, |_, key, number| is_one_s_own(key) && number == 0)?;
        Impossible::ensure(keys.len() <= MOST_STRAYS)?;
        Ok(Self { keys, has_more: reader.flag()? })
    }
}
