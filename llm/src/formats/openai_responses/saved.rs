//! Saved state of what is known from one event of Responses to the next.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::composed::AllComposed;
use super::{State, realtime};
use crate::calls::{Key, Places};

impl State {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { part, choice, composed, kinds, item, is_xai_s, shares_places, plain, over, said, realtime } = self;
        out.option(*part, |out, (output, content)| {
            out.number(output);
            out.number(content);
        });
        out.number(*choice);
        composed.save(out);
        kinds.save(out);
        let (place, id, phase) = item;
        out.number(*place);
        out.text(id);
        out.text(phase);
        out.flag(*is_xai_s);
        out.flag(*shares_places);
        out.option(*plain, Writer::flag);
        out.number(*over);
        out.number(*said);
        realtime.save(out);
    }

    /// Reads what was saved, where `next` calls have been numbered.
    pub(crate) fn restore(reader: &mut Reader<'_>, next: u64) -> Result<Self, Impossible> {
        let part = reader.option(|reader| Ok((reader.number()?, reader.number()?)))?;
        let choice = reader.place()?;
        let composed = AllComposed::restore(reader, next)?;
        let kinds =
            Places::restore(reader, |call, key, number| call < next && matches!(key, Key::Index(0..4)) && number == 0)?;
        let item = (reader.number()?, reader.string()?, reader.string()?);
        let (is_xai_s, shares_places) = (reader.flag()?, reader.flag()?);
        let (plain, over, said) = (reader.option(Reader::flag)?, reader.number()?, reader.number()?);
        let realtime = realtime::State::restore(reader)?;
        Ok(Self { part, choice, composed, kinds, item, is_xai_s, shares_places, plain, over, said, realtime })
    }
}
