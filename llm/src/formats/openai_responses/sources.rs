//! The sources of a response's words: annotations of its text, and what its searches have found.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use crate::calls::{digest_of, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::Scope;
use crate::event::Source;
use crate::json::{Json, Spelt, Text, objects};

objects! {
    /// Of a page, a file, or a file in a container.
    pub(super) struct Annotation<'a> {
        url: Text<'a>,
        title: Text<'a>,
        filename: Text<'a>,
        start_index: Option<u64>,
        end_index: Option<u64>,
    }

    struct Action<'a> {
        sources: Json<'a>,
    }

    /// A page or a file that a search has found.
    struct Found<'a> {
        url: Text<'a>,
        title: Text<'a>,
        filename: Text<'a>,
        text: Text<'a>,
    }
}

/// Reports the annotations of a part, each unless it was before. A response says everything up to three times, the last
/// time in a list without places.
pub(super) fn of_part(
    annotations: &[Spelt<'_, Annotation<'_>>],
    choice: u64,
    place: (u64, u64),
    scope: Scope,
    emit: &mut Emitter<'_>,
) {
    // Some servers cite a page several times without a place in the text.
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for Spelt { json, object: annotation } in annotations {
        let digest = annotation.digest(*json);
        let count = counts.entry(digest).or_default();
        let is_new_here = emit.is_new_source(0, &key_at(place, digest, *count));
        let is_new_anywhere = emit.is_new_source(0, &key_of(digest, *count));
        *count += 1;
        if if scope == Scope::Anywhere { is_new_anywhere } else { is_new_here } {
            annotation.report(*json, choice, place, emit);
        }
    }
}

fn key_of(digest: u64, count: u64) -> String {
    format!("{digest:x} {count}")
}

fn key_at((outer, inner): (u64, u64), digest: u64, count: u64) -> String {
    format!("{outer} {inner} {digest:x} {count}")
}

impl Annotation<'_> {
    fn digest(&self, json: Json<'_>) -> u64 {
        let Self { start_index, end_index, .. } = self;
        let [url, title, filename] = [&self.url, &self.title, &self.filename].map(Text::as_str);
        let [file, index] = ["file_id", "index"].map(|name| json.member(name).word());
        digest_of(&format!("{url:?} {title:?} {filename:?} {file:?} {index:?} {start_index:?} {end_index:?}"))
    }

    /// Reports it, as an event of its own has it.
    pub(super) fn add(&self, json: Json<'_>, choice: u64, place: (u64, u64), emit: &mut Emitter<'_>) {
        let digest = self.digest(json);
        // What the lists say once more is this one, after those that were as this one.
        if let Some(count) = (0..).find(|count| emit.is_new_source(0, &key_at(place, digest, *count))) {
            emit.is_new_source(0, &key_of(digest, count));
        }
        self.report(json, choice, place, emit);
    }

    fn report(&self, json: Json<'_>, choice: u64, place: (u64, u64), emit: &mut Emitter<'_>) {
        let block = emit.find_block(0, At::Index(place.0, place.1));
        emit.source(Source {
            choice,
            block,
            url: present(&self.url),
            title: present(&self.title).or(present(&self.filename)),
            quote: None,
            span: self.start_index.zip(self.end_index),
            json: json.spelt().into(),
        });
    }
}

/// Reports what the action of a search for pages, or the results of one for files, have found, each once for a search.
pub(super) fn of_searches(search: &str, action: Json<'_>, results: Json<'_>, emit: &mut Emitter<'_>) {
    // What it was asked to do is a call's input, and reported as that.
    let action: Action<'_> = action.aside().object().unwrap_or_default();
    for json in action.sources.elements().chain(results.elements()) {
        let Found { url, title, filename, text } = json.object().unwrap_or_default();
        let is_source = !(url.is_empty() && filename.is_empty());
        if is_source && emit.is_new_source(0, &format!("{search} {:x}", digest_of(json.spelt()))) {
            emit.source(Source {
                choice: 0,
                block: None,
                url: present(&url),
                title: present(&title).or(present(&filename)),
                quote: present(&text),
                span: None,
                json: json.spelt().into(),
            });
        }
    }
}
