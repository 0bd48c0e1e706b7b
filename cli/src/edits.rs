//! The arguments that edit the text, and the rules that they ask for.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, ValueHint};
use jsonspigot::{Pattern, PatternSet, Rule};

use crate::report::Failure;

#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct Edits {
    /// Write the text itself, as it came, without the members and elements that PATTERN selects; may be repeated
    ///
    /// This, --replace and --redact may be mixed: of several that select a value, the first one counts. With
    /// --documents each text is edited; with --provider the JSON arguments of each call, in the events that have them.
    /// What turns out not to be JSON, a string's text or an event, passes as it is, unless --redact is among these: use
    /// that for secrets.
    #[arg(long, value_name = "PATTERN", value_hint = ValueHint::Other, group = "rule")]
    remove: Vec<String>,

    /// Write the text itself, as it came, with this JSON text in the place of each value that PATTERN selects; may be
    /// repeated
    #[arg(long, value_names = ["PATTERN", "JSON"], num_args = 2, allow_negative_numbers = true, value_hint = ValueHint::Other, group = "rule")]
    replace: Vec<String>,

    /// The same with the string "[redacted]"; a string whose text turns out not to be JSON is cut off there
    ///
    /// With --provider, what can't be parsed or is not the provider's is left out and reported, and inputs of calls that
    /// are not JSON and all unknown members are redacted too.
    #[arg(long, value_name = "PATTERN", value_hint = ValueHint::Other, group = "rule")]
    redact: Vec<String>,

    /// The order of these among the arguments: the places of each one's first values.
    #[arg(skip)]
    places: [Vec<usize>; 3],
}

impl Edits {
    /// Which of the arguments came first, which only the matches know.
    pub(crate) fn keep_order(&mut self, matches: &ArgMatches) {
        let places = |name: &str| matches.indices_of(name).into_iter().flatten();
        self.places = [places("remove").collect(), places("replace").step_by(2).collect(), places("redact").collect()];
    }

    /// Returns the rules in order, with their patterns; empty if no edit is asked for.
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
