//! Saved state of a Realtime connection: which responses are open, and which were done last.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::{MOST_ITEMS, MOST_RESPONSES, State};

/// Saved state.
impl State {
    pub(in crate::formats::openai_responses) fn save(&self, out: &mut Writer<'_>) {
        let Self { open, over, model, items } = self;
        out.number(open.len() as u64);
        for (id, choice) in open {
            out.text(id);
            out.number(*choice);
        }
        out.number(over.len() as u64);
        over.iter().for_each(|id| out.text(id));
        out.text(model);
        out.number(items.len() as u64);
        for (id, choice) in items {
            out.text(id);
            out.option(*choice, Writer::number);
        }
    }

    pub(in crate::formats::openai_responses) fn restore(reader: &mut Reader<'_>) -> Result<Self, Impossible> {
        let mut state = Self::default();
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_RESPONSES)?;
        for _ in 0..count {
            let (id, choice) = (reader.string()?, reader.number()?);
            // Each has the first number that is free.
            let is_free = state.open.iter().all(|(_, open)| *open != choice);
            Impossible::ensure(is_free && choice < MOST_RESPONSES as u64)?;
            state.open.push((id, choice));
        }
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_RESPONSES)?;
        state.over = (0..count).map(|_| reader.string()).collect::<Result<_, _>>()?;
        state.model = reader.string()?;
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_ITEMS)?;
        for _ in 0..count {
            let (id, choice) = (reader.string()?, reader.option(Reader::number)?);
            Impossible::ensure(choice.is_none_or(|choice| state.open.iter().any(|(_, open)| *open == choice)))?;
            state.items.push_back((id, choice));
        }
        Ok(state)
    }
}
