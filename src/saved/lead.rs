//! The shortest text that brings a parser to the saved state, if the parser does not retain all its text.
//!
//! The text consists of the open values with their keys; of the partial document, or of the keys of open objects if
//! duplicates are rejected; and of the text of open matches if it is retained. Where parts are left out, the text alone
//! gives wrong counters, and a *jump* sets them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Writer;
use super::access::{FAILED, Level};
use crate::parser::{DOCUMENT, OpenContainer, Parser};
use crate::path::Segment;
use crate::tokenizer::{Place, ValueKind};
use crate::tree::{PartialValue, Tree, write_escaped};

/// The text, and the jumps at positions in it: the numbers that are saved, the first of which is the level and the kind.
#[derive(Debug, Default)]
pub(super) struct Lead {
    text: Vec<u8>,
    jumps: Vec<(usize, Vec<u64>)>,
}

/// The kinds of jumps, in the bits below the level. A jump sets state that does not follow from the text before it.
///
/// This one sets the offset of the next byte in the text of a level.
pub(super) const OFFSET: u64 = 1;
/// Sets the same offset, and the id of the match that begins there.
pub(super) const MATCH: u64 = 3;
/// Sets the index of the next element.
pub(super) const NEXT_INDEX: u64 = 4;
/// Retained text follows, to which the limits apply.
pub(super) const KEPT: u64 = 8;
pub(super) const LEVEL: u32 = 4;

impl Lead {
    fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn push_escaped(&mut self, text: &str) {
        let mut escaped = String::with_capacity(text.len());
        // Writing to a string cannot fail.
        let _ = write_escaped(&mut escaped, text);
        self.push(&escaped);
    }

    fn push_string(&mut self, text: &str) {
        self.push("\"");
        self.push_escaped(text);
        self.push("\"");
    }

    /// Appends a complete text.
    fn push_root(&mut self, shown: Option<&Tree>) {
        self.push(&shown.and_then(Tree::view).map_or_else(|| "0".to_string(), |root| root.to_string()));
        self.push(" ");
    }

    fn jump(&mut self, level: usize, kind: u64, numbers: &[u64]) {
        self.jumps.push((self.text.len(), [&[(level as u64) << LEVEL | kind], numbers].concat()));
    }

    /// Appends `inner` as the content of a string.
    fn push_inside(&mut self, inner: &Self) {
        let mut from = 0;
        for (place, jump) in &inner.jumps {
            self.push_escaped(&String::from_utf8_lossy(&inner.text[from..*place]));
            from = *place;
            self.jumps.push((self.text.len(), jump.clone()));
        }
        self.push_escaped(&String::from_utf8_lossy(&inner.text[from..]));
    }

    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.bytes(&self.text);
        out.number(self.jumps.len() as u64);
        let mut from = 0;
        for (place, jump) in &self.jumps {
            out.number((place - from) as u64);
            from = *place;
            jump.iter().for_each(|number| out.number(*number));
        }
    }
}

/// Returns the text that leads to the state of an open parser, or to the snapshot of one that has finished or failed.
pub(super) fn to(parser: &Parser) -> Lead {
    let mut lead = Lead::default();
    if parser.is_open() {
        parser.level(DOCUMENT).write(&mut lead);
        return lead;
    }
    let (tree, has_failed) = (parser.tree(), parser.outcome().0 == FAILED);
    let is_closed = |tree: &Tree| !tree.has_open_container() && tree.open_leaf().is_none();
    let shown = tree.and_then(Tree::view);
    if !has_failed || shown.is_some() && tree.is_some_and(is_closed) {
        lead.push_root(tree);
        if !has_failed {
            lead.jump(DOCUMENT, OFFSET, &[parser.position()]);
        }
        return lead;
    }
    let Some(root) = shown else { return lead };
    lead.push(&root.to_string());
    // The printed text closes all open containers at its end.
    let (mut open, mut len) = (shown, lead.text.len());
    while let Some(container) = open.filter(|value| matches!(value.kind(), ValueKind::Array | ValueKind::Object)) {
        len -= 1;
        open = open_child(container);
    }
    // A string or literal stays open if its last byte is missing, a number in any case.
    len -= usize::from(open.is_some_and(|leaf| leaf.kind() != ValueKind::Number));
    lead.text.truncate(len);
    // No string or atom is open, so the last number has ended.
    lead.push(if open.is_none() { " " } else { "" });
    lead
}

/// Writes the complete children. Returns true if there are any.
fn write_children(container: PartialValue<'_>, lead: &mut Lead) -> bool {
    let mut has_children = false;
    for child in container.children().filter(|child| child.is_complete()) {
        lead.push(if has_children { "," } else { "" });
        if let Some(Segment::Key(key)) = child.segment() {
            lead.push_string(key);
            lead.push(":");
        }
        lead.push(&child.to_string());
        has_children = true;
    }
    has_children
}

/// Returns the last child if it is open.
fn open_child(container: PartialValue<'_>) -> Option<PartialValue<'_>> {
    container.children().last().filter(|child| !child.is_complete())
}

/// An open container: its place, and its entries in the tracker and the document.
struct Open<'a> {
    place: Place,
    container: Option<OpenContainer<'a>>,
    shown: Option<PartialValue<'a>>,
}

impl Level<'_> {
    /// Begins the match of a selected value and appends its text if retained. Returns true if the text is then
    /// complete.
    fn begin(self, selected: Option<(u64, u64)>, may_be_retained: bool, lead: &mut Lead) -> bool {
        let Some((start, first_match)) = selected else { return false };
        lead.jump(self.number, MATCH, &[start, first_match]);
        let Some(retained) = self.retained_from(start).filter(|_| may_be_retained) else { return false };
        lead.jump(DOCUMENT, KEPT, &[]);
        lead.text.extend_from_slice(retained);
        true
    }

    /// Writes the text of this level, which must be open.
    fn write(self, lead: &mut Lead) {
        if self.has_failed {
            // No JSON text begins like this.
            return lead.push("x");
        }
        let place = self.tokenizer().place();
        if place == Place::Done {
            lead.push_root(self.tree);
        } else if self.write_open(place, lead) {
            return;
        }
        let mut tail = Vec::new();
        self.tokenizer().push_tail(&mut tail);
        lead.jump(self.number, OFFSET, &[self.tokenizer().offset() - tail.len() as u64]);
        lead.text.extend(tail);
    }

    /// Writes the open values. Returns true if the text is then complete.
    fn write_open(self, place: Place, lead: &mut Lead) -> bool {
        let nest = self.tokenizer().nest();
        let mut containers = self.tracker.open_containers(self.number);
        let mut shown = self.tree.and_then(Tree::view);
        let mut objects = 0;
        for depth in 0..nest.depth() {
            let container = containers.next();
            if self.begin(container.and_then(|container| container.selected), true, lead) {
                return true;
            }
            let is_object = nest.is_object(depth) == Some(true);
            lead.push(if is_object { "{" } else { "[" });
            // In every container except the last one a value is open.
            let place = if depth + 1 == nest.depth() { place } else { Place::Atom };
            if is_object {
                self.write_members(Open { place, container, shown }, objects, lead);
                objects += 1;
            } else {
                self.write_elements(Open { place, container, shown }, lead);
            }
            shown = shown.and_then(open_child);
        }
        match place {
            Place::Key => {
                lead.push("\"");
                lead.push_escaped(self.tokenizer().open_key());
            }
            Place::String => {
                let entered = self.tracker.entered_string(self.number);
                let selected = entered.map_or_else(|| self.tracker.open_leaf(), |string| string.selected);
                if self.begin(selected, true, lead) {
                    return true;
                }
                lead.push("\"");
                if let Some(tree) = self.tree {
                    lead.push_escaped(tree.open_leaf().and_then(PartialValue::as_str).unwrap_or_default());
                } else if entered.is_some() {
                    let mut inner = Lead::default();
                    self.parser.level(self.number + 1).write(&mut inner);
                    lead.push_inside(&inner);
                }
            }
            // The text of an atom is appended as the tail.
            Place::Atom => return self.begin(self.tracker.open_leaf(), self.number > DOCUMENT, lead),
            _ => {}
        }
        false
    }

    fn write_members(self, Open { place, container, shown }: Open<'_>, object: usize, lead: &mut Lead) {
        let has_key = !matches!(place, Place::First | Place::NextKey | Place::AfterValue | Place::Key);
        let (mut has_members, mut key) = (false, container.and_then(|container| container.key));
        if let (Some(value), Some(tree)) = (shown, self.tree) {
            has_members = write_children(value, lead);
            key = match open_child(value).and_then(PartialValue::segment) {
                Some(Segment::Key(key)) => Some(key),
                _ => Some(tree.pending_key()),
            };
        } else if let Some(keys) = self.keys() {
            let mut keys: Vec<&str> = keys.of(object).collect();
            key = if has_key { keys.pop() } else { key };
            for earlier in keys {
                lead.push(if has_members { "," } else { "" });
                lead.push_string(earlier);
                lead.push(":0");
                has_members = true;
            }
        }
        if !has_members && matches!(place, Place::NextKey | Place::AfterValue) {
            lead.push_string(&self.unused_key());
            lead.push(":0");
        }
        let comma = if has_members { "," } else { "" };
        match place {
            Place::First => {}
            Place::NextKey => lead.push(","),
            // Ends a number.
            Place::AfterValue => lead.push(" "),
            Place::Key => lead.push(comma),
            _ => {
                lead.push(comma);
                lead.push_string(&key.map_or_else(|| self.unused_key(), String::from));
                lead.push(if place == Place::Colon { "" } else { ":" });
            }
        }
    }

    fn write_elements(self, Open { place, container, shown }: Open<'_>, lead: &mut Lead) {
        let newest = container.filter(|array| array.is_live).and_then(|array| array.next_index.checked_sub(1));
        let has_elements = shown.is_some_and(|array| write_children(array, lead));
        let is_between = matches!(place, Place::Value | Place::AfterValue);
        if self.tree.is_none() && place != Place::First {
            if let Some(newest) = newest.filter(|newest| *newest > 0) {
                lead.jump(DOCUMENT, NEXT_INDEX, &[newest]);
            }
            lead.push(if is_between { "0" } else { "" });
        }
        match place {
            Place::First => {}
            Place::Value => lead.push(","),
            Place::AfterValue => lead.push(" "),
            _ => lead.push(if has_elements { "," } else { "" }),
        }
    }

    /// Returns a key that no pattern contains.
    pub(super) fn unused_key(self) -> String {
        let mut key = String::new();
        while self.tracker.patterns().automaton().names(&key) {
            key.push(' ');
        }
        key
    }
}
