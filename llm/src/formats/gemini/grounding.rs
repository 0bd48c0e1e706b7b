//! The sources of Gemini's answers: grounding, citations, and the pages that it was given to read.

use alloc::vec::Vec;

use crate::calls::present;
use crate::emitter::Emitter;
use crate::event::Source;
use crate::json::{Json, Spelt, Text, objects};

objects! {
    pub(crate) struct Grounding<'a> {
        chunks: Vec<Spelt<'a, Chunk<'a>>> = "groundingChunks",
        supports: Vec<Spelt<'a, Support<'a>>> = "groundingSupports",
        /// The thing that an application has to show, and what was searched for.
        entry_point: Json<'a> = "searchEntryPoint",
        queries: Json<'a> = "webSearchQueries",
    }

    /// A finding on the web, in your own documents, or on a map.
    struct Chunk<'a> {
        web: Option<Found<'a>>,
        retrieved_context: Option<Found<'a>> = "retrievedContext",
        maps: Option<Found<'a>>,
    }

    struct Found<'a> {
        uri: Text<'a>,
        title: Text<'a>,
        text: Text<'a>,
    }

    /// The part of the answer that comes from a finding.
    struct Support<'a> {
        segment: Option<Segment<'a>>,
        chunks: Json<'a> = "groundingChunkIndices",
    }

    struct Segment<'a> {
        /// Left out where it is 0.
        start: Json<'a> = "startIndex",
        end: Json<'a> = "endIndex",
    }

    pub(crate) struct Citations<'a> {
        sources: Vec<Spelt<'a, Citation<'a>>> = "citationSources",
        citations: Vec<Spelt<'a, Citation<'a>>>,
    }

    struct Citation<'a> {
        start: Json<'a> = "startIndex",
        end: Json<'a> = "endIndex",
        uri: Text<'a>,
        title: Text<'a>,
    }

    pub(crate) struct Contexts<'a> {
        pages: Vec<Spelt<'a, Page<'a>>> = "urlMetadata",
    }

    struct Page<'a> {
        url: Text<'a> = "retrievedUrl",
    }
}

/// Reports each source once, as some of them come again with every event.
pub(crate) fn report(
    choice: u64,
    grounding: Option<Grounding<'_>>,
    citations: Option<Citations<'_>>,
    contexts: Option<Contexts<'_>>,
    emit: &mut Emitter<'_>,
) {
    let source = |json: Json<'_>, emit: &mut Emitter<'_>, url: &str, title: &str, quote: &str, span| {
        let (url, title, quote, json) = (present(url), present(title), present(quote), json.spelt());
        emit.source_once(json, Source { choice, block: None, url, title, quote, span, json: json.into() });
    };
    let Grounding { chunks, supports, entry_point, queries } = grounding.unwrap_or_default();
    for (kind, json) in [("searchEntryPoint", entry_point), ("webSearchQueries", queries)] {
        if json.says_something() {
            emit.data(kind, json);
        }
    }
    let empty = Found::default();
    for Spelt { json, object: chunk } in &chunks {
        let Found { uri, title, text } = chunk.found_or(&empty);
        source(*json, emit, uri, title, text, None);
    }
    for Spelt { json, object: Support { segment, chunks: indices } } in &supports {
        let first = indices.elements().next().and_then(Json::whole).and_then(|index| usize::try_from(index).ok());
        let chunk = first.and_then(|index| chunks.get(index));
        let Found { uri, title, .. } = chunk.map_or(&empty, |chunk| chunk.object.found_or(&empty));
        let span = segment.as_ref().and_then(|segment| span(segment.start, segment.end));
        source(*json, emit, uri, title, "", span);
    }
    let Citations { sources, citations } = citations.unwrap_or_default();
    for Spelt { json, object: Citation { start, end, uri, title } } in sources.iter().chain(&citations) {
        source(*json, emit, uri, title, "", span(*start, *end));
    }
    for Spelt { json, object: Page { url } } in &contexts.unwrap_or_default().pages {
        source(*json, emit, url, "", "", None);
    }
}

/// Returns a span, of which a missing start is 0.
fn span(start: Json<'_>, end: Json<'_>) -> Option<(u64, u64)> {
    Some((start.whole().unwrap_or(0), end.whole()?))
}

impl<'a> Chunk<'a> {
    fn found_or<'s>(&'s self, empty: &'s Found<'a>) -> &'s Found<'a> {
        [&self.web, &self.retrieved_context, &self.maps].into_iter().flatten().next().unwrap_or(empty)
    }
}
