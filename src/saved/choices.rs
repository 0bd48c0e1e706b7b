//! The owner of a state: a digest of the choices of whoever saved it, the same on machines of any word size.

use super::{Digest, Kind, Owner};
use crate::parser::{Engine, Parser, Retain};
use crate::tokenizer::Limits;

impl Parser {
    /// Returns the owner of a state of this parser, or of something around it.
    pub(crate) fn owner(&self, kind: Kind) -> Owner {
        Owner { kind, patterns: self.patterns().digest(), choices: self.choices() }
    }

    /// Returns the digest of the choices, also where parsers are only a part of what is saved.
    pub(crate) fn choices(&self) -> Digest {
        let Engine { tokenizer, followers, retained, translator, stops_at_root, .. } = &self.engine;
        let Limits { depth, key, string, number, total } = *tokenizer.limits();
        let policy = match retained.policy() {
            Retain::All => 0,
            Retain::Matches => 1,
            Retain::Nothing => 2,
        };
        let snapshots = followers.tree.as_ref().map_or(0, |tree| 1 + u64::from(tree.shows_open_atoms()));
        let (leniency, accepts) = translator
            .as_deref()
            .map_or((0, false), |translator| (translator.allowed().bits(), translator.deviations().are_accepted()));
        // Each of the small ones has bits of its own.
        let small = policy
            | u64::from(followers.open_keys.is_some()) << 2
            | snapshots << 3
            | u64::from(accepts) << 5
            | u64::from(*stops_at_root) << 6
            | leniency << 8;
        [key, string, number, total, small].into_iter().fold(Digest::new().with_size(depth), Digest::with)
    }
}
