//! The arguments that edit the text, and the rules that they stand for.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, ValueHint};
use jsonspigot::{Pattern, PatternSet, Rule};

use crate::report::Failure;

#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct Edits {
    /// Write the input itself, without the members and elements that PATTERN selects; may be repeated
    ///
    /// May be mixed with --replace and --redact: if several select a value, the first one applies. With --documents
    /// each text is edited; with --provider the JSON arguments of each call, in their events. A string's text or an
    /// event that turns out not to be JSON passes unchanged, unless --redact is among the options: use it for secrets.
    #[arg(long, value_name = "PATTERN", value_hint = ValueHint::Other, group = "rule")]
    remove: Vec<String>,

    /// Write the input itself, with this JSON text in place of each value that PATTERN selects; may be repeated
    #[arg(long, value_names = ["PATTERN", "JSON"], num_args = 2, allow_negative_numbers = true, value_hint = ValueHint::Other, group = "rule")]
    replace: Vec<String>,

    /// Like --replace with the string "[redacted]"; a string whose text turns out not to be JSON is cut off there
    ///
    /// With --provider, events that can't be parsed or are not the provider's are left out and reported. Inputs of
    /// calls that are not JSON, and all unknown members, are redacted too.
    #[arg(long, value_name = "PATTERN", value_hint = ValueHint::Other, group = "rule")]
    redact: Vec<String>,

    /// The order of these options among the arguments: the position of the first value of each use.
    #[arg(skip)]
    places: [Vec<usize>; 3],
}

impl Edits {
    /// Records the order of the options, which only `matches` has.
    pub(crate) fn keep_order(&mut self, matches: &ArgMatches) {
        let places = |name: &str| matches.indices_of(name).into_iter().flatten();
        self.places = [places("remove").collect(), places("replace").step_by(2).collect(), places("redact").collect()];
    }

    /// Returns true if no edit is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.iter().all(Vec::is_empty)
    }

    /// Returns the rules in order, with their patterns.
    pub(crate) fn rules(&self, command: &mut Command) -> Result<Vec<(Pattern, Rule)>, Failure> {
        let [removed, replaced, redacted] = &self.places;
        let mut rules = Vec::new();
        rules.extend(removed.iter().zip(&self.remove).map(|(place, pattern)| (*place, pattern, Rule::remove())));
        rules.extend(redacted.iter().zip(&self.redact).map(|(place, pattern)| (*place, pattern, Rule::redact())));
        for (place, pair) in replaced.iter().zip(self.replace.chunks_exact(2)) {
            let rule = Rule::replace(&pair[1]).map_err(|error| command.error(ErrorKind::ValueValidation, error))?;
            rules.push((*place, &pair[0], rule));
        }
        rules.sort_by_key(|(place, ..)| *place);
        let patterns = PatternSet::new(rules.iter().map(|(_, pattern, _)| *pattern))?;
        let rules = rules.into_iter().map(|(.., rule)| rule);
        Ok(patterns.as_slice().iter().cloned().zip(rules).collect())
    }
}
