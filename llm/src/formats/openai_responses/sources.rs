//! The sources of a response's words: annotations of its text, and what its searches have found.

use crate::calls::present;
use crate::emitter::Emitter;
use crate::event::Source;
use crate::json::{Json, Text, objects};

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

impl Annotation<'_> {
    pub(super) fn report(&self, json: Json<'_>, choice: u64, block: Option<u64>, emit: &mut Emitter<'_>) {
        emit.source(Source {
            choice,
            block,
            url: present(&self.url),
            title: present(&self.title).or(present(&self.filename)),
            quote: None,
            span: self.start_index.zip(self.end_index),
            json: json.spelt(),
        });
    }
}

/// Reports what the action of a search for pages, or the results of one for files, have found.
pub(super) fn of_searches(action: Json<'_>, results: Json<'_>, emit: &mut Emitter<'_>) {
    // What it was told to do is a call's input, and told as that.
    let action: Action<'_> = action.aside().object().unwrap_or_default();
    for json in action.sources.elements().chain(results.elements()) {
        let Found { url, title, filename, text } = json.object().unwrap_or_default();
        if !(url.is_empty() && filename.is_empty()) {
            emit.source(Source {
                choice: 0,
                block: None,
                url: present(&url),
                title: present(&title).or(present(&filename)),
                quote: present(&text),
                span: None,
                json: json.spelt(),
            });
        }
    }
}
