//! What an answer cites: pages with more about each, or their addresses alone.

use crate::calls::present;
use crate::emitter::Emitter;
use crate::event::Source;
use crate::json::{Json, Spelt, Text, objects};

objects! {
    /// A page that was found or is cited.
    pub(super) struct Page<'a> {
        url: Text<'a>,
        title: Text<'a>,
        snippet: Text<'a>,
        content: Text<'a>,
        start_index: Option<u64>,
        end_index: Option<u64>,
    }
}

/// Reports the pages of a chunk, which each chunk repeats.
pub(super) fn of_chunk(search_results: &[Spelt<'_, Page<'_>>], citations: Json<'_>, emit: &mut Emitter<'_>) {
    for Spelt { json, object: page } in search_results {
        emit.source_once(&page.url, page.source(0, *json));
    }
    for json in citations.elements() {
        let url = json.word();
        emit.source_once(&url, Page::default().at(&url).source(0, json));
    }
}

impl<'a> Page<'a> {
    pub(super) fn at(self, url: &'a str) -> Self {
        Self { url: url.into(), ..self }
    }

    pub(super) fn source<'s>(&'s self, choice: u64, json: Json<'s>) -> Source<'s> {
        Source {
            choice,
            block: None,
            url: present(&self.url),
            title: present(&self.title),
            quote: present(&self.content).or(present(&self.snippet)),
            span: self.start_index.zip(self.end_index),
            json: json.spelt(),
        }
    }
}
