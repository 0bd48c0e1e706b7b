//! The policy: decides from the mark of each value of an event whether the rules apply to it, whether it passes unchanged,
//! or whether it is redacted. If a rule redacts, everything that no reader knows is redacted.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot::internal::string_len;

use super::edits::Edits;
use super::texts::{OpenText, REDACTED, Texts};
use crate::emitter::failure::{BASE_RESP, Failure, is_cause, passes};
use crate::emitter::unknown::is_silent;
use crate::json::{Around, Mark, Node, Tree, inside};

/// The tokens of the answer, which may repeat a call's arguments.
const TOKENS: [&str; 4] = ["logprobs", "prompt_logprobs", "prompt_token_ids", "token_ids"];

/// The members that say where something stands, if they are numbers.
const PLACES: [&str; 3] = ["index", "output_index", "sequence_number"];

/// The members of calls, and of unknown events, that name the event and its kind.
const OF_A_CALL: [&str; 2] = ["event_id", "type"];

/// The values of one event while they are rewritten.
pub(super) struct Page<'p, 'e> {
    pub(super) texts: &'p Texts,
    pub(super) open: Vec<OpenText>,
    pub(super) edits: &'p mut Edits<'e>,
    /// The event that was wrapped in this one, rewritten.
    pub(super) wrapped: Option<String>,
}

impl Page<'_, '_> {
    /// Rewrites the values of an event, or of the event that it wraps.
    pub(super) fn rewrite(&mut self, tree: &Tree<'_>) {
        if self.edits.is_part(tree.text()) {
            return edit(tree, self.texts, &mut self.open, &mut self.wrapped, self.edits);
        }
        let mut inner = Edits::new(tree.text());
        edit(tree, self.texts, &mut self.open, &mut None, &mut inner);
        let text = match inner.finish() {
            Ok(text) => text.into_owned(),
            Err(bad) => {
                self.edits.fail(bad.reason);
                bad.instead
            }
        };
        self.wrapped = Some(text);
    }
}

fn edit(tree: &Tree<'_>, texts: &Texts, open: &mut Vec<OpenText>, wrapped: &mut Option<String>, edits: &mut Edits<'_>) {
    tree.visit(&mut |node, mark, Around { is_read, is_call }| {
        let (value, redacts) = (node.spelt(), texts.redacts());
        let is_container = node.is_object() || node.is_list();
        match mark {
            Mark::Input => texts.rewrite_whole(node, edits),
            Mark::Piece(call) => texts.rewrite_piece(open, call, value, edits),
            Mark::SoFar(call) => texts.rewrite_so_far(open, call, value, edits),
            Mark::Raw(Some(call)) => texts.redact_piece(open, call, value, edits),
            Mark::Raw(None) if redacts && (is_read || !is_container) => {
                edits.replace(value, redacted(value), None);
            }
            Mark::Wrapped => rewrap(value, wrapped.take(), redacts, edits),
            _ if is_read => return true,
            Mark::Read => return is_container,
            Mark::Raw(None) | Mark::Shown | Mark::Entered if is_container => return true,
            Mark::Failed if redacts => hide_in_error(node, edits),
            _ if redacts => hide(node, is_call, edits),
            // Something in it may be a call's input all the same.
            _ => return is_container,
        }
        false
    });
}

/// Replaces the event that a value wraps with its rewritten form.
fn rewrap(value: &str, rewritten: Option<String>, redacts: bool, edits: &mut Edits<'_>) {
    let inside = inside(value, '"').unwrap_or_default();
    let is_same = |text: &str| BASE64_STANDARD.decode(inside).is_ok_and(|bytes| bytes == text.as_bytes());
    match rewritten {
        Some(text) if is_same(&text) => {}
        Some(text) => edits.replace(inside, BASE64_STANDARD.encode(text), None),
        None if redacts => edits.replace(value, redacted(value), None),
        None => {}
    }
}

/// Redacts an unknown value. A plain value passes if its name is that of an id or another member without information
/// about the answer; inside of a call only if it says what the event is, or if it is a number that says where it stands.
/// Numbers outside of calls pass.
fn hide(value: Node<'_>, is_in_call: bool, edits: &mut Edits<'_>) {
    let (name, text) = (value.key(), value.spelt());
    let is_container = value.is_object() || value.is_list();
    if TOKENS.contains(&name) {
        if value.says_something() {
            edits.replace(text, "null".to_owned(), None);
        }
    } else if name == BASE_RESP || Failure::in_member(name, value).is_some() {
        hide_in_error(value, edits);
    } else if is_container || value.is_string() || is_in_call {
        let is_place = !value.is_string() && PLACES.contains(&name);
        let is_silent = is_place || if is_in_call { OF_A_CALL.contains(&name) } else { is_silent(name) };
        if is_container || !is_silent {
            edits.replace(text, redacted(text), None);
        }
    }
}

/// Redacts what errors do not have.
pub(super) fn hide_in_error(error: Node<'_>, edits: &mut Edits<'_>) {
    let mut values = alloc::vec![error];
    while let Some(value) = values.pop() {
        for member in value.children() {
            let (name, text) = (member.key(), member.spelt());
            let is_container = member.is_object() || member.is_list();
            if is_container && (!member.is_member() || is_cause(name)) {
                values.push(member);
            } else if is_container || member.is_string() && !passes(name) {
                edits.replace(text, redacted(text), None);
            }
        }
    }
}

/// Redacts the members of an event of an unknown type.
pub(super) fn hide_all(event: Node<'_>, edits: &mut Edits<'_>) {
    event.members().for_each(|member| hide(member, true, edits));
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
