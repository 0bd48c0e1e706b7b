//! The lasting verdict on a text: its error, and its deviations. No text leads to these, as the bytes are not kept
//! that they are about.

use alloc::vec::Vec;

use super::{Impossible, Reader, Writer};
use crate::error::{Deviation, DeviationKind, Deviations, Error, ErrorKind};
use crate::parser::Translator;

pub fn save_error(error: &Error, out: &mut Writer<'_>) {
    out.byte(ErrorKind::ALL.iter().position(|known| *known == error.kind()).unwrap_or_default() as u8);
    [error.offset(), error.line(), error.column()].into_iter().for_each(|number| out.number(number));
    // No path is spelt so.
    out.text(error.path().unwrap_or_default());
    out.text(error.expected());
}

pub fn restore_error(reader: &mut Reader<'_>) -> Result<Error, Impossible> {
    let kind = reader.choice(ErrorKind::ALL)?;
    let (offset, line, column) = (reader.place()?, reader.place()?, reader.place()?);
    let path = Some(reader.text()?).filter(|path| !path.is_empty());
    Ok(Error::at(kind, (offset, line, column), path, reader.text()?))
}

pub(super) fn save_deviations(deviations: &Deviations, out: &mut Writer<'_>) {
    out.number(deviations.count());
    if deviations.is_empty() {
        return;
    }
    for Deviation { kind, offset, line, column } in deviations.listed() {
        out.byte(*kind as u8);
        [offset, line, column].into_iter().for_each(|number| out.number(*number));
    }
    out.number(deviations.newest());
    if let Some(first) = deviations.first() {
        save_error(first, out);
    }
}

/// A text's deviations.
#[derive(Default)]
pub(super) struct Listed {
    listed: Vec<Deviation>,
    pub(super) count: u64,
    newest: u64,
    pub(super) first: Option<Error>,
}

impl Listed {
    pub(super) fn restore(reader: &mut Reader<'_>, translator: &dyn Translator) -> Result<Self, Impossible> {
        let mut read = Self { listed: Vec::new(), count: reader.place()?, newest: 0, first: None };
        if read.count == 0 {
            return Ok(read);
        }
        for _ in 0..read.count.min(Deviation::LIST_LIMIT as u64) {
            let kind = reader.choice(DeviationKind::ALL)?;
            let (offset, line, column) = (reader.place()?, reader.place()?, reader.place()?);
            Impossible::unless(offset >= read.newest && translator.allowed().allows(kind))?;
            read.newest = offset;
            read.listed.push(Deviation { kind, offset, line, column });
        }
        let newest = read.newest;
        read.newest = reader.place()?;
        Impossible::unless(read.newest >= newest)?;
        if !translator.deviations().are_accepted() {
            let first = restore_error(reader)?;
            Impossible::unless(read.listed.first().is_some_and(|listed| listed.offset == first.offset()))?;
            read.first = Some(first);
        }
        Ok(read)
    }

    pub(super) fn apply(&self, deviations: &mut Deviations) {
        deviations.relist(&self.listed, self.count, self.newest, self.first.clone());
    }
}
