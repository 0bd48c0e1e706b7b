//! The values of arguments: which ones are allowed, and their meaning.

use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jsonspigot::{DeviationKind, Framing, Leniency};
use jsonspigot_llm::Provider;

/// Parses the number of `--chunk` and `--checkpoint`. Fails if it is 0.
pub(crate) fn one_or_more(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::Zero => "it must be 1 or more".to_owned(),
        _ => error.to_string(),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Retain {
    #[value(alias = "text")]
    All,
    Matches,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicateKeys {
    LastWins,
    Reject,
}

/// The provider of the input; `None` if it has to be detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire(pub(crate) Option<Provider>);

pub(crate) fn wire() -> impl TypedValueParser<Value = Wire> {
    let names = Provider::ALL.iter().map(|provider| provider.name()).chain(["auto"]);
    // `auto` is not the name of a provider.
    PossibleValuesParser::new(names).map(|name| Wire(name.parse().ok()))
}

/// The error for rules with `--provider auto`: the editor does not buffer events until the provider is detected.
#[derive(Debug)]
pub(crate) struct NoProvider;

impl std::fmt::Display for NoProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("to edit the calls of a provider, name it: `--provider auto` is not enough")
    }
}

impl std::error::Error for NoProvider {}

pub(crate) fn framing() -> impl TypedValueParser<Value = Framing> {
    let names = Framing::ALL.iter().map(|framing| framing.name());
    PossibleValuesParser::new(names).map(|name| name.parse().unwrap_or(Framing::Lines))
}

pub(crate) fn leniency() -> impl TypedValueParser<Value = Leniency> {
    let names = DeviationKind::ALL.iter().map(|kind| kind.name()).chain(["model-output"]);
    PossibleValuesParser::new(names).map(|name| Leniency::from_name(&name).unwrap_or_default())
}
