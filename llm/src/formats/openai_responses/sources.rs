//! The sources of a response: the annotations of its text, and the findings of its searches.

use alloc::collections::BTreeMap;
use alloc::format;

use crate::wire::*;

/// Reports the annotations of a part that were not reported before. A response repeats everything up to three times,
/// the last time in a list without places.
pub(super) fn of_part(object: Node<'_>, (choice, at): (u64, At<'_>), scope: Scope, emit: &mut Emitter<'_>) {
    // Some servers cite a page several times without a place in the text.
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    object.each("annotations[]", &mut |annotation| {
        if annotation.as_object().is_none() {
            return;
        }
        let digest = digest(annotation);
        let count = counts.entry(digest).or_default();
        let is_new_here = emit.is_new_source(0, &format!("{at:?} {digest:x} {count}"));
        let is_new_anywhere = emit.is_new_source(0, &format!("{digest:x} {count}"));
        *count += 1;
        if if scope == Scope::Anywhere { is_new_anywhere } else { is_new_here } {
            report(annotation, (choice, at), emit);
        }
    });
}

/// Reports an annotation that has an event of its own.
pub(super) fn add(annotation: Node<'_>, (choice, at): (u64, At<'_>), emit: &mut Emitter<'_>) {
    let digest = digest(annotation);
    // The lists repeat equal annotations in order, so this one has the next number.
    if let Some(count) = (0_u64..).find(|count| emit.is_new_source(0, &format!("{at:?} {digest:x} {count}"))) {
        emit.is_new_source(0, &format!("{digest:x} {count}"));
    }
    report(annotation, (choice, at), emit);
}

fn digest(annotation: Node<'_>) -> u64 {
    let of = ["url", "title", "filename", "file_id", "index", "start_index", "end_index"];
    digest_of(&format!("{:?}", of.map(|name| annotation.word_at(name))))
}

fn report(annotation: Node<'_>, (choice, at): (u64, At<'_>), emit: &mut Emitter<'_>) {
    let block = emit.find_block(Which::At(choice, at));
    cite(&ANNOTATION, annotation, annotation, (choice, block), emit);
}

const ANNOTATION: Cited =
    Cited { url: "url", title: "title|filename", spans: &[("start_index", "end_index")], ..Cited::NEW };

/// A page or a file.
const FOUND: Cited = Cited {
    url: "url",
    title: "title|filename",
    quote: "text",
    is_source: |found| !found.word_at("url").is_empty() || found.get("filename").is_given(),
    ..Cited::NEW
};

/// Reports the pages or files that a search found, each once per search.
pub(super) fn of_search(item: Node<'_>, search: &str, emit: &mut Emitter<'_>) {
    for path in ["action.sources[]", "results[]"] {
        item.each(path, &mut |found| {
            let key = format!("{search} {:x}", digest_of(found.spelt()));
            if (FOUND.is_source)(found) && emit.is_new_source(0, &key) {
                cite(&FOUND, found, found, (0, None), emit);
            }
        });
    }
}
