//! Typed readers of whole texts, serde_json and sonic-rs: a struct with only the strings at the path, borrowed if they
//! have no escapes. The chunks are joined and read once at the end.

use std::borrow::Cow;
use std::hint::black_box;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::Sink;
use crate::payload::Kind;

/// The library that reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Typed {
    SerdeJson,
    SonicRs,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    ask_slots: Vec<Slot<'a>>,
}

#[derive(Deserialize)]
struct Slot<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

#[derive(Deserialize)]
struct StatusTexts<'a> {
    #[serde(borrow)]
    statuses: Vec<LongText<'a>>,
}

#[derive(Deserialize)]
struct LongText<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Product<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct ShortCall<'a> {
    #[serde(borrow)]
    city: Cow<'a, str>,
}

impl Typed {
    fn read<'a, T: Deserialize<'a>>(self, text: &'a [u8]) -> Option<T> {
        match self {
            Self::SerdeJson => serde_json::from_slice(text).ok(),
            Self::SonicRs => sonic_rs::from_slice(text).ok(),
        }
    }
}

impl Contender for Typed {
    fn name(&self) -> &'static str {
        match self {
            Self::SerdeJson => "serde_json, typed",
            Self::SonicRs => "sonic-rs, typed",
        }
    }

    fn manner(&self) -> Manner {
        Manner::AtTheEnd
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let text = input.gathered();
        match input.kind {
            // The first input of the check.
            _ if *text == *b"{}" => {}
            Kind::ToolCall => {
                self.read::<ToolCall<'_>>(&text)?.ask_slots.iter().for_each(|slot| sink.delta(&slot.message));
            }
            Kind::LongText => sink.delta(&self.read::<LongText<'_>>(&text)?.text),
            Kind::Records => {
                self.read::<StatusTexts<'_>>(&text)?.statuses.iter().for_each(|status| sink.delta(&status.text));
            }
            Kind::Wide => self.read::<Vec<Product<'_>>>(&text)?.iter().for_each(|product| sink.delta(&product.name)),
            Kind::ShortCall => sink.delta(&self.read::<ShortCall<'_>>(&text)?.city),
            Kind::Numbers | Kind::Deep => return None,
        }
        Some(())
    }

    fn validate(&mut self, input: &Input) -> Done {
        black_box(self.read::<IgnoredAny>(&input.gathered())?);
        Some(())
    }
}
