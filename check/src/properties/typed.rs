//! Typed partials of any text that nearly fits a type. Whole texts read as with serde_json. Before that, looks show the
//! known values as they grow, fail only if nothing can fit, and settled values are whole in the document and stay the
//! same.

use jsonspigot::{Parser, PartialValue, ValueKind};

use super::looks::{self, Looks, Rules, TypeReader};
use super::snapshots::plain;
use super::subject_types::{Claim, Claims, HasClaims, Subject};
use crate::laws::Law;
use crate::model::{fitting_text, tree_reader};

/// Checks that a whole text reads into the type as serde_json reads it.
pub fn is_serde_jsons<S: Subject>(text: &str) {
    let mut parser = plain();
    // serde_json reads some invalid texts into some types: a string with raw control characters into bytes.
    if parser.feed(text).check().and_then(|()| parser.finish().check()).is_err() {
        return;
    }
    let expected = serde_json::from_str::<S::Read<'_>>(text);
    let own = parser.snapshot().unwrap().deserialize::<S::Read<'_>>();
    match (own, expected) {
        (Ok(Some(own)), Ok(expected)) => {
            assert!(own.is_complete());
            assert_eq!(format!("{:?}", own.get()), format!("{expected:?}"), "{text}");
            Law::Types.mark_compared();
        }
        (Err(_), Err(_)) => {}
        (Ok(_), Err(_)) if S::READS_ESCAPES && text.contains('\\') => {}
        (own, expected) => panic!("{text}: {own:?}, but serde_json says {expected:?}"),
    }
}

/// Checks that after every prefix, each value that the type claims to be whole is, and is the whole text's value there.
pub fn settles_only_what_is_whole<S: Subject>(text: &str) {
    // If a key is repeated, a path does not name its occurrence.
    if !tree_reader::tree(text.as_bytes()).is_some_and(|tree| tree.has_distinct_keys()) {
        return;
    }
    let mut parser = plain();
    let mut earlier: Vec<Claim> = Vec::new();
    let mut letters = 0;
    for byte in text.bytes() {
        if parser.feed([byte]).check().is_err() {
            return;
        }
        // Inside a word, number or literal one more letter is like the one before.
        letters = if byte.is_ascii_alphanumeric() { letters + 1 } else { 0 };
        if letters > 4 {
            continue;
        }
        let Some(claims) = claims::<S>(&parser) else { continue };
        let root = parser.snapshot().unwrap();
        for claim in &claims {
            let is_open = at(root, &claim.path)
                .is_some_and(|value| !value.is_complete() && (value.kind() == ValueKind::String || !claim.is_name));
            assert!(!is_open, "{root}: {claim:?}");
        }
        if !S::MAY_LOSE {
            let lost = earlier.iter().find(|claim| !claims.contains(claim));
            assert!(lost.is_none(), "{root}: no longer {lost:?}");
        }
        earlier = claims;
    }
    parser.finish().check().unwrap();
    let Some(last) = claims::<S>(&parser) else { return };
    for claim in earlier {
        let differs = last.iter().any(|other| other.path == claim.path && other.of != claim.of);
        assert!(!differs || S::MAY_CHANGE, "{text}: {claim:?}");
        Law::Types.mark_compared();
    }
}

/// Returns the claims of the value that can be read now, if there is one.
fn claims<S: Subject>(parser: &Parser) -> Option<Vec<Claim>> {
    let partial = parser.snapshot()?.deserialize::<S::Read<'_>>().ok()??;
    let mut claims = Claims::default();
    partial.get().claim(&mut claims);
    Some(claims.all)
}

/// Returns the value at a path, if it exists: a struct may have been read from a list.
fn at<'a>(root: PartialValue<'a>, path: &[String]) -> Option<PartialValue<'a>> {
    path.iter().try_fold(root, |value, step| match value.kind() {
        ValueKind::Array => value.index(step.parse().ok()?),
        _ => value.get(step),
    })
}

/// Returns the text that these bytes choose for the type: a shape's choices, or the text itself.
pub fn text<S: Subject>(bytes: &[u8]) -> Option<String> {
    match bytes.split_first() {
        Some((0, text)) => str::from_utf8(text).ok().map(str::to_owned),
        _ => Some(fitting_text::text(&S::FITS, bytes)),
    }
}

/// Checks that no look fails early, that looks only grow, and that a value that may be taken is serde_json's.
pub fn looks_grow_as_far_as_is_known<S: Subject>(text: &str, bytes: &[u8]) {
    let reader = TypeReader { look: looks::look_at::<S>, whole: looks::whole_of::<S> };
    let Some(looks) = Looks::at(&reader, text) else { return };
    let rules = Rules {
        absent: S::ABSENT,
        may_vanish: S::MAY_VANISH,
        waits: true,
        may_change: S::MAY_CHANGE.then_some("a variant that fits later"),
    };
    // If a key is repeated, the later one replaces the earlier one, whether that one fitted or not.
    let is_plain = tree_reader::tree(text.as_bytes()).is_some_and(|tree| tree.has_distinct_keys());
    let held = match (reader.whole)(text) {
        Err(_) if S::READS_ESCAPES && text.contains('\\') => Ok(()),
        Err(_) if !is_plain => looks.fail_in_the_end(),
        Err(_) => looks.fail().and_then(|first| looks.nothing_fits_after(first, &reader, others::<S>(bytes))),
        Ok(expected) => looks.reach(&expected).and_then(|()| if is_plain { looks.only_grow(&rules) } else { Ok(()) }),
    };
    let place = bytes.len() % text.len().max(1);
    let held = held.and_then(|()| looks.do_not_depend_on_earlier_ones(&reader, place));
    held.unwrap_or_else(|what| panic!("{text}: {what}"));
    Law::TypedLooks.mark_compared();
}

/// Returns texts that begin like the text of these bytes: all choices up to a point are equal.
fn others<S: Subject>(bytes: &[u8]) -> impl Iterator<Item = String> {
    let ends = 1..bytes.len();
    ends.flat_map(move |end| {
        let plainest = text::<S>(&bytes[..end]);
        let another = [&bytes[..end], &[bytes[end].wrapping_add(1)], &bytes[end + 1..]].concat();
        plainest.into_iter().chain(text::<S>(&another))
    })
}

/// Checks all laws of the text that these bytes choose.
pub fn holds<S: Subject>(bytes: &[u8]) {
    let Some(text) = text::<S>(bytes) else { return };
    looks_grow_as_far_as_is_known::<S>(&text, bytes);
    is_serde_jsons::<S>(&text);
    settles_only_what_is_whole::<S>(&text);
}
