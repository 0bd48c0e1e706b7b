//! The text that leads to where a parser is: the shortest one that can be had.
//!
//! If all text is kept, that is it. Otherwise it has what is open, with its keys; what is shown of a partial document,
//! or the keys of open objects, if somebody has to know them; and the text of the open matches, if that is kept. Where
//! the counters can't come from such a text, as something has been left out, there is a [`Jump`] to what they were.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::jumps::Lead;
use crate::parser::{DOCUMENT, DuplicateKeySets, Engine, InnerText, OpenContainer, Outcome, Retain, Translator};
use crate::path::Segment;
use crate::tokenizer::{Place, Tokenizer, ValueKind};
use crate::tree::{PartialValue, Tree};

/// The text that leads to where an open text is.
pub(super) fn to_open(engine: &Engine) -> Lead {
    let mut lead = Lead::default();
    if engine.retained.policy() == Retain::All && engine.deviation().is_none() {
        push_kept(engine, 0, &mut lead);
        return lead;
    }
    let shown = engine.followers.tree.as_deref().map_or(0, Tree::text_len);
    lead.text.reserve(64 + shown);
    Level::new(engine, DOCUMENT).write(&mut lead);
    lead
}

/// One that leads to what is shown of a text that has ended or failed.
pub(super) fn to_shown(engine: &Engine) -> Lead {
    let mut lead = Lead::default();
    if engine.retained.policy() == Retain::All && engine.error().is_none() {
        push_kept(engine, 0, &mut lead);
        return lead;
    }
    let Some(tree) = engine.followers.tree.as_deref() else {
        lead.push("0 ");
        lead.jump_to(DOCUMENT, engine.tokenizer.offset());
        return lead;
    };
    let mut shown = tree.view();
    if is_finished(engine) || !tree.has_open_container() && tree.open_leaf().is_none() {
        lead.push(&shown.map_or_else(String::new, |root| root.to_string()));
        lead.push(" ");
        lead.jump_to(DOCUMENT, engine.tokenizer.offset());
        return lead;
    }
    while let Some(value) = shown.filter(|value| is_container(*value)) {
        lead.push(if value.kind() == ValueKind::Object { "{" } else { "[" });
        let has_children = write_children(value, &mut lead);
        shown = open_child(value);
        if let Some(child) = shown {
            lead.push(if has_children { "," } else { "" });
            write_key(child, &mut lead);
        } else {
            // A number that has ended.
            lead.push(" ");
        }
    }
    if let Some(leaf) = shown {
        let text = leaf.to_string();
        // Not all of it, so that it stays open.
        let len = if leaf.kind() == ValueKind::Number { text.len() } else { text.len() - 1 };
        lead.push(&text[..len]);
    }
    lead
}

/// Adds the retained text of the document from a place in the strict text on, while a translator reads: all up to the
/// open token, with the offset of each open match, and the token.
fn push_kept(engine: &Engine, from: u64, lead: &mut Lead) {
    let Engine { tokenizer, followers, retained, translator, .. } = engine;
    let Some(translator) = translator.as_deref() else { return };
    let kept = retained.text_from(from).unwrap_or_default();
    let kept = &kept[..kept.len().saturating_sub(translator.held().len())];
    let mut tail = Vec::new();
    tokenizer.push_tail(&mut tail);
    let is_of_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let is_number = tokenizer.place() == Place::Atom && tail.first().is_some_and(|byte| is_of_number(&byte));
    // Nobody may have followed the number, but it is kept.
    let tail = if is_number { kept.iter().rev().take_while(is_of_number).count() } else { tail.len() };
    let cut = kept.len().saturating_sub(tail);
    lead.jump().is_kept = true;
    let mut written = 0;
    for (mark, start) in translator.marks().iter().zip(followers.tracker.selected_starts(DOCUMENT)) {
        let Some(place) = mark.checked_sub(from) else { continue };
        let place = cut.min(usize::try_from(place).unwrap_or(usize::MAX));
        lead.text.extend_from_slice(&kept[written..place]);
        written = place;
        lead.jump_to(DOCUMENT, start);
    }
    lead.text.extend_from_slice(&kept[written..cut]);
    lead.ends_number = matches!(tokenizer.place(), Place::AfterValue | Place::Done | Place::Closed)
        && kept.last().is_some_and(u8::is_ascii_digit);
    lead.push(if lead.ends_number { " " } else { "" });
    lead.jump_to(DOCUMENT, tokenizer.offset() - tail as u64 - translator.ahead());
    lead.text.extend_from_slice(&kept[cut..]);
}

fn is_finished(engine: &Engine) -> bool {
    !matches!(engine.outcome, Outcome::Failed(_))
}

fn is_container(value: PartialValue<'_>) -> bool {
    matches!(value.kind(), ValueKind::Array | ValueKind::Object)
}

/// Writes the children that have ended; returns whether there are any.
fn write_children(container: PartialValue<'_>, lead: &mut Lead) -> bool {
    let mut has_children = false;
    for child in container.children().filter(|child| child.is_complete()) {
        lead.push(if has_children { "," } else { "" });
        write_key(child, lead);
        lead.push_value(child);
        has_children = true;
    }
    has_children
}

/// The child that is shown and has not ended: the last one.
fn open_child(container: PartialValue<'_>) -> Option<PartialValue<'_>> {
    container.children().last().filter(|child| !child.is_complete())
}

fn write_key(child: PartialValue<'_>, lead: &mut Lead) {
    if let Some(Segment::Key(key)) = child.segment() {
        lead.push_string(key);
        lead.push(":");
    }
}

/// The text of a level, which is open.
struct Level<'a> {
    engine: &'a Engine,
    level: usize,
    tokenizer: &'a Tokenizer,
    tree: Option<&'a Tree>,
    keys: Option<&'a DuplicateKeySets>,
    has_failed: bool,
}

impl<'a> Level<'a> {
    fn new(engine: &'a Engine, level: usize) -> Self {
        let followers = &engine.followers;
        match engine.inner.level(level) {
            Some(text) => Self {
                engine,
                level,
                tokenizer: text.tokenizer(),
                tree: None,
                keys: text.open_keys(),
                has_failed: text.has_failed(),
            },
            None => Self {
                engine,
                level,
                tokenizer: &engine.tokenizer,
                tree: followers.tree.as_deref(),
                keys: followers.open_keys.as_deref(),
                has_failed: false,
            },
        }
    }

    /// Returns the retained text from the beginning of the outermost open match on.
    fn kept(&self, outermost: u64) -> Option<&'a [u8]> {
        let Engine { retained, inner, .. } = self.engine;
        if self.engine.deviation().is_some() {
            return None;
        }
        let retained = inner.level(self.level).map_or(retained, InnerText::kept);
        (retained.policy() == Retain::Matches).then(|| retained.text_from(outermost)).flatten()
    }

    /// A value begins. Returns whether its text is kept, and all is said.
    fn begin(&self, selected: Option<(u64, u64)>, is_kept: bool, lead: &mut Lead) -> bool {
        let Some((start, first_match)) = selected else { return false };
        lead.jump_to(self.level, start);
        lead.jump().next_match = Some(first_match);
        let translator = self.engine.translator.as_deref().filter(|_| is_kept && self.level == DOCUMENT);
        if let Some(mark) = translator.and_then(|translator| translator.marks().first())
            && self.engine.is_translated()
            && self.engine.retained.policy() == Retain::Matches
            && self.engine.deviation().is_none()
        {
            push_kept(self.engine, *mark, lead);
            return true;
        }
        let kept = self.kept(start).filter(|_| is_kept);
        lead.jump().is_kept = kept.is_some();
        lead.text.extend_from_slice(kept.unwrap_or_default());
        kept.is_some()
    }

    fn write(&self, lead: &mut Lead) {
        if self.has_failed {
            // No JSON text begins like this.
            return lead.push("x");
        }
        let place = self.tokenizer.place();
        if place == Place::Done {
            let root = self.tree.and_then(Tree::view);
            lead.push(&root.map_or_else(|| "0".to_string(), |root| root.to_string()));
            lead.push(" ");
        } else if self.write_open(place, lead) {
            return;
        }
        let mut tail = Vec::new();
        self.tokenizer.push_tail(&mut tail);
        let translator = self.engine.translator.as_deref().filter(|_| self.level == DOCUMENT);
        let ahead = translator.map_or(0, Translator::ahead);
        lead.jump_to(self.level, self.tokenizer.offset() - tail.len() as u64 - ahead);
        lead.text.extend(tail);
    }

    /// Returns whether all is said.
    fn write_open(&self, place: Place, lead: &mut Lead) -> bool {
        let (tracker, nest) = (&self.engine.followers.tracker, self.tokenizer.nest());
        let mut containers = tracker.open_containers(self.level);
        let mut shown = self.tree.and_then(Tree::view);
        let mut objects = 0;
        for depth in 0..nest.depth() {
            let container = containers.next();
            if self.begin(container.and_then(|container| container.selected), true, lead) {
                return true;
            }
            let is_object = nest.is_object(depth) == Some(true);
            lead.push(if is_object { "{" } else { "[" });
            // Inside all but the last one a value is open.
            let place = if depth + 1 == nest.depth() { place } else { Place::Atom };
            if is_object {
                self.write_members(place, container, shown, objects, lead);
                objects += 1;
            } else {
                self.write_elements(place, container, shown, lead);
            }
            shown = shown.and_then(open_child);
        }
        match place {
            Place::Key => {
                lead.push("\"");
                lead.push_escaped(self.tokenizer.open_key());
            }
            Place::String => {
                let entered = tracker.entered_string(self.level);
                let selected = entered.map_or_else(|| tracker.open_leaf(), |string| string.selected);
                if self.begin(selected, true, lead) {
                    return true;
                }
                lead.push("\"");
                if let Some(tree) = self.tree {
                    let text = tree.open_leaf().and_then(PartialValue::as_str).unwrap_or_default();
                    lead.push_escaped(text);
                } else if entered.is_some() {
                    let mut inner = Lead::default();
                    Self::new(self.engine, self.level + 1).write(&mut inner);
                    lead.push_inside(&inner);
                }
            }
            // An atom's text comes with its end.
            Place::Atom => return self.begin(tracker.open_leaf(), self.level > DOCUMENT, lead),
            _ => {}
        }
        false
    }

    fn write_members(
        &self,
        place: Place,
        container: Option<OpenContainer<'_>>,
        shown: Option<PartialValue<'_>>,
        object: usize,
        lead: &mut Lead,
    ) {
        let has_key = !matches!(place, Place::First | Place::NextKey | Place::AfterValue | Place::Key);
        let stranger = || self.stranger();
        let (mut has_members, mut key) = (false, container.and_then(|container| container.key));
        if let (Some(value), Some(tree)) = (shown, self.tree) {
            has_members = write_children(value, lead);
            key = match open_child(value).and_then(PartialValue::segment) {
                Some(Segment::Key(key)) => Some(key),
                _ => Some(tree.pending_key()),
            };
        } else if let Some(keys) = self.keys {
            let mut keys = keys.of(object).peekable();
            while let Some(earlier) = keys.next() {
                if has_key && keys.peek().is_none() {
                    key = Some(earlier);
                } else {
                    lead.push(if has_members { "," } else { "" });
                    lead.push_string(earlier);
                    lead.push(":0");
                    has_members = true;
                }
            }
        }
        if !has_members && matches!(place, Place::NextKey | Place::AfterValue) {
            lead.push_string(&stranger());
            lead.push(":0");
        }
        match place {
            Place::First => {}
            Place::NextKey => lead.push(","),
            // A number ends here.
            Place::AfterValue => lead.push(" "),
            Place::Key => lead.push(if has_members { "," } else { "" }),
            _ => {
                lead.push(if has_members { "," } else { "" });
                match key {
                    Some(key) => lead.push_string(key),
                    None => lead.push_string(&stranger()),
                }
                lead.push(if place == Place::Colon { "" } else { ":" });
            }
        }
    }

    fn write_elements(
        &self,
        place: Place,
        container: Option<OpenContainer<'_>>,
        shown: Option<PartialValue<'_>>,
        lead: &mut Lead,
    ) {
        let newest = container.filter(|array| array.is_live).and_then(|array| array.next_index.checked_sub(1));
        let has_elements = shown.is_some_and(|array| write_children(array, lead));
        let is_between = matches!(place, Place::Value | Place::AfterValue);
        if self.tree.is_none() && place != Place::First {
            if let Some(newest) = newest.filter(|newest| *newest > 0) {
                lead.jump().next_index = Some(newest);
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

    /// A key that no pattern names: the shortest, and of those the first.
    fn stranger(&self) -> String {
        let automaton = self.engine.followers.tracker.patterns().automaton();
        let letters: Vec<char> = (' '..='\u{7F}').filter(|letter| !matches!(letter, '"' | '\\')).collect();
        let mut number = 0;
        loop {
            let (mut key, mut rest) = (String::new(), number);
            while rest > 0 {
                key.push(letters[(rest - 1) % letters.len()]);
                rest = (rest - 1) / letters.len();
            }
            if !automaton.names(&key) {
                return key;
            }
            number += 1;
        }
    }
}
