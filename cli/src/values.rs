//! The values of arguments: which ones are allowed, and their meaning.

use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jsonspigot::{DeviationKind, DuplicateKeys, Framing, Leniency, Retain};
use jsonspigot_llm::{Loss, Provider, StreamWriter};

/// Parses the number of `--chunk` and `--checkpoint`. Fails if it is 0.
pub(crate) fn one_or_more(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::Zero => "it must be 1 or more".to_owned(),
        _ => error.to_string(),
    })
}

pub(crate) fn retain() -> impl TypedValueParser<Value = Retain> {
    let names = [PossibleValue::new("all").alias("text"), PossibleValue::new("matches"), PossibleValue::new("nothing")];
    PossibleValuesParser::new(names).map(|name| match &*name {
        "matches" => Retain::Matches,
        "nothing" => Retain::Nothing,
        _ => Retain::All,
    })
}

pub(crate) fn duplicate_keys() -> impl TypedValueParser<Value = DuplicateKeys> {
    let policy = |name: String| if name == "reject" { DuplicateKeys::Reject } else { DuplicateKeys::LastWins };
    PossibleValuesParser::new(["last-wins", "reject"]).map(policy)
}

/// The provider of the input; `None` if it has to be detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire(pub(crate) Option<Provider>);

pub(crate) fn wire() -> impl TypedValueParser<Value = Wire> {
    let names = Provider::ALL.iter().map(|provider| provider.name()).chain(["auto"]);
    // `auto` is not the name of a provider.
    PossibleValuesParser::new(names).map(|name| Wire(name.parse().ok()))
}

/// The providers whose streams can be written.
pub(crate) fn target() -> impl TypedValueParser<Value = Provider> {
    PossibleValuesParser::new(StreamWriter::targets().into_iter().map(Provider::name))
        .map(|name| name.parse().unwrap_or_else(|_| unreachable!("the parser allows no other names")))
}

pub(crate) fn loss() -> impl TypedValueParser<Value = Loss> {
    PossibleValuesParser::new(Loss::ALL.iter().map(|loss| loss.name()))
        .map(|name| name.parse().unwrap_or_else(|_| unreachable!("the parser allows no other names")))
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

/// The files that can be generated, named as in ripgrep.
#[cfg(feature = "generate")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Generated {
    /// The man page, in roff
    Man,
    /// Completions for Bash
    CompleteBash,
    /// Completions for Zsh
    CompleteZsh,
    /// Completions for fish
    CompleteFish,
    /// Completions for PowerShell
    #[value(name = "complete-powershell")]
    CompletePowerShell,
}
