//! The policy: decides for each member of an event whether the rules apply, whether it passes unchanged, or whether it is
//! redacted. If a rule redacts, everything that is not known is redacted.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::internal::string_len;

use super::places::{Holds, Key, kind_of};
use super::{CallRewriter, Edits};
use crate::calls::digest_of;
use crate::json::Json;

/// The text in place of what is redacted.
pub(super) const REDACTED: &str = "[redacted]";

/// The state of a visit: the facts about a call that the objects around a member have.
#[derive(Clone, Debug, Default)]
pub(super) struct At<'a> {
    pub(super) key: Key<'a>,
    /// True if an object had the name of the call.
    pub(super) is_named: bool,
    /// True if arguments are complete here, not pieces.
    is_whole: bool,
    is_in_call: bool,
}

impl At<'_> {
    /// Returns true if the call in the same place may be this one, though its id is another.
    fn may_be(&self, call: &Key<'_>) -> bool {
        self.key.index.is_some() || self.key.id.is_empty() || call.id.is_empty() || self.key.id == call.id
    }
}

impl CallRewriter {
    /// Decides what becomes of each member of an object.
    pub(super) fn visit<'e>(&mut self, object: &str, json: Json<'e>, mut at: At<'e>, edits: &mut Edits<'_>) {
        let kind = kind_of(json);
        let members: Vec<_> =
            json.members().map(|(name, value)| (self.wire.holds(object, &kind, &name.word()), value)).collect();
        for (holds, value) in members.iter().rev() {
            match holds {
                Some(Holds::Choice) if value.is_nothing() => {}
                Some(Holds::Choice) => at.key.choice = value.index().unwrap_or_else(|| digest_of(&value.word())),
                Some(Holds::Index) => at.key.index = value.index(),
                Some(Holds::Id) => at.key.id = value.word(),
                Some(Holds::Name) => at.is_named |= !value.word().is_empty(),
                _ => {}
            }
        }
        match self.wire.holds(object, &kind, "") {
            // The id does not count: some gateways send another one with each event.
            Some(Holds::End) => self.open.retain(|open| !(at.key.is_at(&open.key) && at.may_be(&open.key))),
            Some(Holds::EndOfAll) => self.open.retain(|open| open.key.choice != at.key.choice),
            _ => {}
        }
        for (holds, value) in members {
            let is_container = value.spelt().starts_with(['{', '[']);
            match holds {
                Some(Holds::Other) => {}
                Some(Holds::Word | Holds::Choice | Holds::Index | Holds::Id | Holds::Name | Holds::TextOr(_))
                    if !is_container => {}
                Some(Holds::Input(_)) if !self.redacts() => self.rewrite_whole(value, edits),
                Some(Holds::Objects(next) | Holds::TextOr(next)) => self.visit_all(next, value, &at, edits),
                Some(Holds::Wholes(next)) => self.visit_all(next, value, &At { is_whole: true, ..at.clone() }, edits),
                Some(Holds::Calls(next) | Holds::Input(next)) => {
                    self.visit_all(next, value, &At { is_in_call: true, ..at.clone() }, edits);
                }
                Some(Holds::OnlyCall(next)) => {
                    let key = Key { index: Some(u64::MAX), ..at.key.clone() };
                    self.visit_all(next, value, &At { key, is_in_call: true, ..at.clone() }, edits);
                }
                Some(Holds::Piece) if !at.is_whole && value.is_string() => self.rewrite_piece(&at, value, false, edits),
                Some(Holds::Piece | Holds::Arguments) => self.rewrite_whole(value, edits),
                Some(Holds::RawPiece) if !at.is_whole && value.is_string() => {
                    self.rewrite_piece(&at, value, true, edits);
                }
                Some(Holds::Tokens) if self.redacts() => edits.replace(value.spelt(), "null".to_owned(), None),
                _ => self.hide(value, at.is_in_call, edits),
            }
        }
    }

    /// Visits an object, or each of a list of them.
    fn visit_all<'e>(&mut self, object: &str, value: Json<'e>, at: &At<'e>, edits: &mut Edits<'_>) {
        for value in value.elements().chain(Some(value).filter(|value| value.inside('[').is_none())) {
            if value.is_object() {
                self.visit(object, value, at.clone(), edits);
            } else {
                self.hide(value, at.is_in_call, edits);
            }
        }
    }

    /// Redacts an unknown value. A number passes unless it is in a call.
    pub(super) fn hide(&self, value: Json<'_>, is_in_call: bool, edits: &mut Edits<'_>) {
        let text = value.spelt();
        if self.redacts() && (is_in_call || text.starts_with(['"', '{', '['])) {
            edits.replace(text, redacted(text), None);
        }
    }
}

/// Redacts each number, string and name of a member in a JSON text. Empty strings stay.
fn redacted(json: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(start) = rest.find(|first: char| matches!(first, '"' | '-' | '0'..='9')) {
        let (before, value) = rest.split_at(start);
        let len = if value.starts_with('"') {
            string_len(value.as_bytes())
        } else {
            value.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(value.len())
        };
        let (value, behind) = value.split_at(len);
        out.push_str(before);
        out.extend(if value == "\"\"" { ["", "", value] } else { ["\"", REDACTED, "\""] });
        rest = behind;
    }
    out + rest
}
