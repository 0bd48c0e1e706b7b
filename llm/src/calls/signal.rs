//! A signal to [`ToolCalls`] as a value, as it is written to saved states.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::executor::Executor;
use super::signals::Signals;
use super::slot::{Place, Slot};
use super::start::{CallStart, InputFormat};

/// A signal to [`ToolCalls`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal<'a> {
    Start(Slot<'a>, CallStart<'a>),
    Delta(Slot<'a>, &'a str),
    Whole(Slot<'a>, &'a str),
    Stop(Slot<'a>),
    CutCall(Slot<'a>, &'a str),
    Finish(Option<&'a str>),
    FinishChoice(u64, Option<&'a str>),
    Cut(&'a str),
    BeginMessage,
}

impl Signal<'_> {
    pub(super) fn give(self, calls: &mut Signals<'_>) {
        match self {
            Self::Start(slot, start) => calls.start(slot, start),
            Self::Delta(slot, text) => calls.delta(slot, text),
            Self::Whole(slot, text) => calls.whole(slot, text),
            Self::Stop(slot) => calls.stop(slot),
            Self::CutCall(slot, reason) => calls.cut_call(slot, reason),
            Self::Finish(reason) => calls.finish(reason),
            Self::FinishChoice(choice, reason) => calls.finish_choice(choice, reason),
            Self::Cut(reason) => calls.cut(reason),
            Self::BeginMessage => calls.begin_message(),
        }
    }
}

/// The input formats and the executors. Saved states contain their indices.
const FORMATS: [InputFormat; 2] = [InputFormat::Json, InputFormat::Text];
const EXECUTORS: [Executor; 2] = [Executor::Client, Executor::Provider];

/// Saved state.
impl<'a> Signal<'a> {
    pub(super) fn save(self, out: &mut Writer<'_>) {
        let kind = match self {
            Self::Start(..) => 0,
            Self::Delta(..) => 1,
            Self::Whole(..) => 2,
            Self::Stop(..) => 3,
            Self::CutCall(..) => 4,
            Self::Finish(..) => 5,
            Self::FinishChoice(..) => 6,
            Self::Cut(..) => 7,
            Self::BeginMessage => 8,
        };
        out.byte(kind);
        match self {
            Self::Start(slot, CallStart { id, name, input, format, executor }) => {
                save_slot(slot, out);
                [id, name, input].into_iter().for_each(|text| out.text(text.unwrap_or_default()));
                [format as u8, executor as u8].into_iter().for_each(|place| out.byte(place));
            }
            Self::Delta(slot, text) | Self::Whole(slot, text) | Self::CutCall(slot, text) => {
                save_slot(slot, out);
                out.text(text);
            }
            Self::Stop(slot) => save_slot(slot, out),
            Self::Finish(reason) => out.option(reason, Writer::text),
            Self::FinishChoice(choice, reason) => {
                out.number(choice);
                out.option(reason, Writer::text);
            }
            Self::Cut(reason) => out.text(reason),
            Self::BeginMessage => {}
        }
    }

    pub(super) fn restore(reader: &mut Reader<'a>) -> Result<Self, Impossible> {
        Ok(match reader.byte()? {
            0 => {
                let slot = restore_slot(reader)?;
                let [id, name, input] = [reader.text()?, reader.text()?, reader.text()?];
                let start = CallStart::new(name).id(id).input(input);
                let (format, executor) = (reader.choice(&FORMATS)?, reader.choice(&EXECUTORS)?);
                Self::Start(slot, CallStart { format, executor, ..start })
            }
            1 => Self::Delta(restore_slot(reader)?, reader.text()?),
            2 => Self::Whole(restore_slot(reader)?, reader.text()?),
            3 => Self::Stop(restore_slot(reader)?),
            4 => Self::CutCall(restore_slot(reader)?, reader.text()?),
            5 => Self::Finish(reader.option(Reader::text)?),
            6 => Self::FinishChoice(reader.number()?, reader.option(Reader::text)?),
            7 => Self::Cut(reader.text()?),
            8 => Self::BeginMessage,
            _ => return Err(Impossible),
        })
    }
}

/// Writes the slot of a public function, which is always an index or an id.
fn save_slot(Slot { choice, place }: Slot<'_>, out: &mut Writer<'_>) {
    out.number(choice);
    match place {
        Place::Index(index) => {
            out.flag(false);
            out.number(index);
        }
        Place::Id(id) => {
            out.flag(true);
            out.text(id);
        }
        Place::Content | Place::Latest | Place::Nowhere => {}
    }
}

fn restore_slot<'a>(reader: &mut Reader<'a>) -> Result<Slot<'a>, Impossible> {
    let choice = reader.number()?;
    let place = if reader.flag()? { Place::Id(reader.text()?) } else { Place::Index(reader.number()?) };
    Ok(Slot::new(choice, place))
}
