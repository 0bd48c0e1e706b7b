//! Text that is kept rewritten, as deviations were accepted: strict JSON up to the open token, which may be one of its own.

use alloc::vec::Vec;

use super::jumps::{DOCUMENT, Lead};
use crate::parser::Engine;
use crate::tokenizer::{Place, Tokenizer};

/// The text that has been kept rewritten from an offset on, as strict JSON up to the open token.
pub(super) fn push_rewritten(engine: &Engine, from: u64, lead: &mut Lead) {
    let Engine { tokenizer, followers, retained, .. } = engine;
    let tracker = &followers.tracker;
    let kept = retained.text_from(from).unwrap_or_default();
    let place_of = |offset| retained.distance(from, offset).map_or(0, |distance| distance as usize);
    let kept_at = lead.text.len();
    lead.jump().is_kept = true;
    let mut tail = Vec::new();
    tokenizer.push_tail(&mut tail);
    let (place, quote) = (tokenizer.place(), tokenizer.open_quote());
    let in_token = matches!(place, Place::Key | Place::String | Place::Atom);
    if place == Place::Key && quote.is_empty() {
        // Nobody may have followed it, but it is kept.
        tail = kept[opening_quote(kept) + 1..].to_vec();
    }
    if place == Place::Atom && tail.iter().all(is_of_number) {
        // The same holds for a number.
        let len = kept.iter().rev().take_while(|byte| is_of_number(byte)).count();
        tail = kept[kept.len() - len..].to_vec();
    }
    let end = kept.len() - if in_token || !is_comment(&tail) { tail.len() } else { 0 };
    let is_respelt = in_token && place != Place::Atom && quote != "\"";
    let cut = if is_respelt { opening_quote(kept) } else { end };
    let entered = tracker.entered_string(DOCUMENT);
    let leaf = entered.map_or_else(|| tracker.open_leaf(), |string| string.selected);
    let selected = tracker.open_containers(DOCUMENT).filter_map(|open| open.selected).chain(leaf);
    let mut written = 0;
    for (start, _) in selected.filter(|(start, _)| *start >= from) {
        let place = place_of(start).min(cut);
        lead.text.extend_from_slice(&kept[written..place]);
        written = place;
        lead.jump_to(DOCUMENT, start);
    }
    lead.text.extend_from_slice(&kept[written..cut]);
    lead.rewritten = Some((kept_at, lead.text.len()));
    if is_respelt {
        lead.push(quote);
        let content = kept.get(cut + 1..end).unwrap_or_default();
        for &byte in content.iter().filter(|_| quote == "'") {
            lead.push(if byte == b'\'' { "\\" } else { "" });
            lead.text.push(byte);
        }
    } else if matches!(place, Place::AfterValue | Place::Done) && kept[..cut].last().is_some_and(u8::is_ascii_digit) {
        // What ended the number is not kept.
        lead.push(" ");
    }
    lead.jump_to(DOCUMENT, tokenizer.offset() - tail.len() as u64);
    let is_spelt = in_token || !is_comment(&tail);
    lead.text.extend_from_slice(if is_spelt { &kept[end..] } else { &tail });
}

fn is_comment(tail: &[u8]) -> bool {
    matches!(tail, b"#" | b"/*" | b"/**")
}

/// The last quote that is not escaped.
fn opening_quote(kept: &[u8]) -> usize {
    let is_opening = |place: &usize| {
        let escapes = kept[..*place].iter().rev().take_while(|byte| **byte == b'\\').count();
        kept[*place] == b'"' && escapes % 2 == 0
    };
    (0..kept.len()).rev().find(is_opening).unwrap_or_default()
}

/// How the open token is spelt where it is kept rewritten. It has so many deviations: if they are not its own, it can't be
/// kept.
pub(super) fn respelt(tokenizer: &Tokenizer, token: &[u8], deviations: u64) -> Option<Vec<u8>> {
    let mut tail = Vec::new();
    tokenizer.push_tail(&mut tail);
    let (place, quote) = (tokenizer.place(), tokenizer.open_quote());
    let is_word = matches!(tail[..], [b'T' | b'F' | b'N' | b'I', ..] | [b'-', b'I', ..]);
    let is_lone = matches!(tail[..], [b'\\', b'u', b'D', ..]);
    let (spelt, expected) = match place {
        Place::Key | Place::String if quote == "'" && !token.starts_with(b"'") => return None,
        Place::Key if quote.is_empty() && !token.iter().all(is_of_name) => return None,
        Place::Key | Place::String if quote == "'" => {
            let (mut spelt, mut bytes) = (b"\"".to_vec(), token.iter().copied().skip(1).peekable());
            while let Some(byte) = bytes.next() {
                match (byte, bytes.peek()) {
                    (b'\\', Some(b'\'')) => {}
                    (b'\\', Some(escaped)) => {
                        spelt.extend([byte, *escaped]);
                        bytes.next();
                    }
                    _ => spelt.push(byte),
                }
            }
            (spelt, 1)
        }
        Place::Key if quote.is_empty() => ([b"\"", token].concat(), 1),
        Place::Key | Place::String => (token.to_vec(), 0),
        Place::Atom if token.iter().all(is_of_number) || token == tail => (token.to_vec(), u64::from(is_word)),
        Place::Atom => return None,
        _ => {
            let token = token.strip_prefix(b" ").unwrap_or(token);
            let is_comment = is_comment(token);
            if token != tail {
                return None;
            }
            (if is_comment { Vec::new() } else { token.to_vec() }, u64::from(is_comment))
        }
    };
    let is_own = deviations == expected + u64::from(is_lone && place != Place::Atom);
    is_own.then_some(spelt)
}

fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

fn is_of_number(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}
