//! OpenAI Responses: named events about the items of a response's output.
//!
//! Each block of text is a part of a message, and each block of reasoning a part of a summary. Calls that the provider
//! executes are items that no client executes: `mcp_call`, or `code_interpreter_call` if the input is not JSON. An item
//! repeats its parts when it is done, and the response repeats all items, so the answer is kept until then.

mod item;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use self::item::{CODE, CUSTOM, FUNCTION, Form, Item, Part, REFUSAL, REMOTE, SUMMARY, TEXT, own};
use super::Loss;
use super::out::{Object, Out, given, list, openai_usage};
use super::stops::{Words, word_for};
use super::target::{Called, Ended, Fault, Started, Target};
use crate::calls::Executor;
use crate::event::{
    Block, BlockKind, Media, Opaque, OpaqueKind, Source, StopKind, StreamEvent, TokenUsage, ToolResult,
};
use crate::json::{Tree, quoted};
use crate::words::matches;

/// The reasons why a response is incomplete.
const WORDS: Words = &[
    (StopKind::Length, "max_output_tokens"),
    (StopKind::ContentFilter, "content_filter"),
    (StopKind::Refusal, "content_filter"),
];

/// The index of an item in the output, and of a part in the item.
type Place = (usize, usize);

/// An open block of the source, and its place if it has content.
type OpenBlock = (Option<Block<'static>>, Option<Place>);

/// A response.
#[derive(Clone, Debug, Default)]
struct Responses {
    /// The number of the next event, over the whole stream.
    sequence: u64,
    /// True if the source's first block belongs to an item. Then its answers are the parts of one response.
    has_items: Option<bool>,
    id: String,
    model: String,
    items: Vec<Item>,
    /// The source's open blocks and the places of those with content, by the types of their parts and their numbers.
    blocks: BTreeMap<(&'static str, u64), OpenBlock>,
    /// The indices of the calls whose inputs or results are awaited, by their numbers.
    calls: BTreeMap<u64, usize>,
    /// The ids of all calls. An item with the id of another call would repeat it.
    ids: BTreeSet<String>,
}

pub(super) fn new() -> Box<dyn Target> {
    Box::new(Responses::default())
}

fn key_of(block: &Block<'_>) -> (&'static str, u64) {
    (if block.kind == BlockKind::Reasoning { SUMMARY.0 } else { TEXT.0 }, block.number)
}

impl Responses {
    fn event(&mut self, kind: &str) -> Object {
        self.sequence += 1;
        Object::new().text("type", kind).number("sequence_number", self.sequence - 1)
    }

    fn write_item(&mut self, kind: &'static str, index: usize, out: &mut Out<'_>) {
        let event = self.event(kind).number("output_index", index as u64);
        out.event(kind, event.json("item", self.items[index].json()));
    }

    /// Returns an event about a part.
    fn part_event(&mut self, kind: &'static str, at: Place) -> Object {
        let event = self.event(kind).text("item_id", &self.items[at.0].id).number("output_index", at.0 as u64);
        match self.items[at.0].list {
            "" => event,
            "summary" => event.number("summary_index", at.1 as u64),
            _ => event.number("content_index", at.1 as u64),
        }
    }

    fn write_part(&mut self, kind: &'static str, at: Place, (name, json): (&str, String), out: &mut Out<'_>) {
        let event = self.part_event(kind, at).json(name, json);
        out.event(kind, event);
    }

    /// Starts an item. The one before is done, unless it has an open part or is a call.
    fn start(&mut self, item: Item, out: &mut Out<'_>) -> usize {
        let index = self.items.len();
        if self.items.last().is_some_and(|last| !last.list.is_empty() && !last.is_busy()) {
            self.end_item(index - 1, "completed", out);
        }
        self.items.push(item);
        self.write_item("response.output_item.added", index, out);
        index
    }

    fn end_item(&mut self, index: usize, status: &'static str, out: &mut Out<'_>) {
        if self.items[index].status == "in_progress" {
            self.items[index].status = status;
            self.write_item("response.output_item.done", index, out);
        }
    }

    fn next_id(&self, prefix: &str) -> String {
        [prefix, "_", &self.id, "_", &self.items.len().to_string()].concat()
    }

    /// Returns the index of the item for a part of a block: the last one if it has the block's id, or a new one.
    fn item(&mut self, form: &Form, block: Option<&Block<'_>>, out: &mut Out<'_>) -> usize {
        let is_summary = form == SUMMARY;
        let (kind, list, prefix) =
            if is_summary { ("reasoning", "summary", "rs") } else { ("message", "content", "msg") };
        let id = block.and_then(|block| block.id.as_deref()).unwrap_or_default();
        let is_same = |item: &&Item| item.id == id && item.list == list && item.status == "in_progress";
        if self.items.last().filter(is_same).is_some() {
            return self.items.len() - 1;
        }
        let is_taken = id.is_empty() || self.items.iter().any(|item| item.id == id);
        let id = if is_taken { self.next_id(prefix) } else { id.into() };
        let head = Object::new().text("type", kind).text("id", &id);
        let head = if is_summary { head } else { head.text("role", "assistant") };
        let head = head.some_text("phase", block.and_then(|block| block.phase.as_deref()));
        self.start(Item::new(id, head, list), out)
    }

    /// Returns the place of a block's part, and starts it if the block is empty.
    fn part(&mut self, form: &'static Form, number: u64, out: &mut Out<'_>) -> Place {
        let key = (form.0, number);
        let (block, place) = self.blocks.entry(key).or_default().clone();
        place.unwrap_or_else(|| {
            let index = self.item(form, block.as_ref(), out);
            let at = (index, self.items[index].parts.len());
            let part = Part::new(form);
            let json = part.json();
            self.items[index].parts.push(part);
            self.blocks.insert(key, (block, Some(at)));
            let is_summary = form == SUMMARY;
            let kind = if is_summary { "response.reasoning_summary_part.added" } else { "response.content_part.added" };
            self.write_part(kind, at, ("part", json), out);
            at
        })
    }

    fn piece(&mut self, form: &'static Form, number: u64, text: &str, out: &mut Out<'_>) {
        let at = self.part(form, number, out);
        self.add(at, text, out);
    }

    fn add(&mut self, at: Place, text: &str, out: &mut Out<'_>) {
        let part = &mut self.items[at.0].parts[at.1];
        part.text.push_str(text);
        let kind = part.form.2;
        self.write_part(kind, at, ("delta", quoted(text)), out);
    }

    fn end_part(&mut self, at: Place, out: &mut Out<'_>) {
        let item = &mut self.items[at.0];
        let part = &mut item.parts[at.1];
        part.is_open = false;
        let (form, list, text, json) = (part.form, item.list, quoted(&part.text), part.json());
        self.write_part(form.3, at, (form.1, text), out);
        match list {
            "" => return,
            "summary" => self.write_part("response.reasoning_summary_part.done", at, ("part", json), out),
            _ => self.write_part("response.content_part.done", at, ("part", json), out),
        }
        if at.0 + 1 < self.items.len() && !self.items[at.0].is_busy() {
            self.end_item(at.0, "completed", out);
        }
    }

    /// Ends a call's item if its result is known. Only calls that the provider executes have results here.
    fn end_executed(&mut self, call: u64, out: &mut Out<'_>) {
        if let Some(index) = self.calls.get(&call).copied()
            && (self.items[index].rest.is_some() || self.items[index].own.is_some())
            && !self.items[index].is_busy()
        {
            self.calls.remove(&call);
            self.end_item(index, "completed", out);
        }
    }

    /// Writes an item of this wire, if it is one of these types.
    fn own_item(&mut self, json: &str, types: &str, out: &mut Out<'_>) -> Option<()> {
        let own = Some(own(json, types)?);
        let index = self.start(Item { own, ..Item::new(String::new(), Object::new(), "") }, out);
        self.end_item(index, "completed", out);
        Some(())
    }

    /// Returns the index of the call whose result an event is, unless the result is known.
    fn awaiting(&self, call: Option<u64>) -> Option<usize> {
        let index = *self.calls.get(&call?)?;
        (self.items[index].rest.is_none() && self.items[index].own.is_none()).then_some(index)
    }

    fn result(&mut self, result: &ToolResult<'_>, out: &mut Out<'_>) -> Option<()> {
        let tree = Tree::new(&result.json);
        let said = tree.root().get("output|error|outputs");
        let text = match tree.root() {
            root if root.is_string() => root.peek(),
            root if root.get("type").peek() == REMOTE.0 && said.is_string() => said.peek(),
            _ => &result.json,
        };
        let Some(index) = self.awaiting(result.call) else {
            // A result of this wire that is an item of its own.
            return self.own_item(&result.json, "*_output", out);
        };
        let is_code = self.items[index].parts.first().is_some_and(|part| part.form == CODE);
        let logs = || String::from(Object::new().text("type", "logs").text("logs", text));
        self.items[index].rest = Some(match said {
            said if is_code && said.is_list() => ("outputs", given(said.spelt())),
            _ if is_code => ("outputs", list([logs()])),
            _ => (if result.is_error { "error" } else { "output" }, quoted(text)),
        });
        self.end_executed(result.call?, out);
        Some(())
    }

    fn source(&mut self, source: &Source<'_>, out: &mut Out<'_>) -> Option<()> {
        // A search's source, which its call or result has.
        let json = given(&source.json);
        let is_in = |item: &Item| {
            let rest = item.rest.as_ref().is_some_and(|(_, rest)| rest.contains(quoted(&json).trim_matches('"')));
            item.list.is_empty() && (rest || item.parts.iter().any(|part| part.text.contains(&source.json[..])))
        };
        if source.block.is_none() && self.items.last().is_some_and(is_in) {
            return Some(());
        }
        let is_text = |number: &u64| self.blocks.contains_key(&(TEXT.0, *number));
        let at = match source.block.filter(is_text) {
            Some(number) => self.part(TEXT, number, out),
            None => self.blocks.iter().rev().find_map(|((kind, _), block)| block.1.filter(|_| *kind == TEXT.0))?,
        };
        let annotation = own(&source.json, "url_citation|file_citation|container_file_citation|file_path")
            // Chats put the members into one of this name.
            .filter(|json| !json.contains("\"url_citation\":"))
            .or_else(|| {
                let cited = Object::new().text("type", "url_citation").text("url", source.url.as_deref()?);
                let (start, end) = source.span.unwrap_or_default();
                let cited = cited.text("title", source.title.as_deref().unwrap_or_default());
                Some(cited.number("start_index", start).number("end_index", end).into())
            })?;
        let kind = "response.output_text.annotation.added";
        let known = &mut self.items[at.0].parts[at.1].annotations;
        known.push(annotation.clone());
        let index = known.len() as u64 - 1;
        let event = self.part_event(kind, at).number("annotation_index", index);
        out.event(kind, event.json("annotation", annotation));
        Some(())
    }

    fn opaque(&mut self, opaque: &Opaque<'_>, out: &mut Out<'_>) -> Option<()> {
        match opaque.kind {
            OpaqueKind::Encrypted if opaque.json.starts_with('"') => {
                let block = opaque.block.and_then(|number| self.blocks.get(&(SUMMARY.0, number)).cloned());
                let (block, place) = block.unwrap_or_default();
                let index = place.map_or_else(|| self.item(SUMMARY, block.as_ref(), out), |at| at.0);
                if self.items[index].rest.is_some() {
                    return None;
                }
                self.items[index].rest = Some(("encrypted_content", given(&opaque.json)));
            }
            OpaqueKind::Compaction => return self.own_item(&opaque.json, "compaction", out),
            _ => return None,
        }
        Some(())
    }

    fn media(&mut self, media: &Media<'_>, out: &mut Out<'_>) -> Option<()> {
        let data = media.data.as_deref()?;
        match media.media_type.as_deref().unwrap_or_default() {
            "" => {
                let event = self.event("response.audio.delta");
                out.event("response.audio.delta", event.text("delta", data));
            }
            media_type => {
                let kind = "response.image_generation_call.partial_image";
                let format = media_type.strip_prefix("image/")?;
                let event = self.event(kind).text("item_id", &self.next_id("ig"));
                let event = event.number("output_index", self.items.len() as u64).number("partial_image_index", 0);
                out.event(kind, event.text("partial_image_b64", data).text("output_format", format));
            }
        }
        Some(())
    }

    /// Returns the response with everything so far.
    fn response(&self, status: &str, reason: Option<&str>, usage: Option<&TokenUsage>, out: &Out<'_>) -> Object {
        let details = |reason: &str| -> String { Object::new().text("reason", reason).into() };
        let object = Object::new().text("id", &self.id).text("object", "response").number("created_at", out.created);
        let object = object
            .text("status", status)
            .json("error", "null")
            .json("incomplete_details", reason.map_or("null".into(), details));
        let object = object.json("instructions", "null").json("metadata", "{}").text("model", &self.model);
        let object = object.json("output", list(self.items.iter().map(Item::json))).json("parallel_tool_calls", "true");
        let object = object.json("temperature", "null").text("tool_choice", "auto").json("tools", "[]");
        object.json("top_p", "null").json(
            "usage",
            usage.map_or_else(|| String::from("null"), |usage| openai_usage(usage, "input", "output").into()),
        )
    }
}

impl Target for Responses {
    fn has_choices(&self) -> bool {
        self.has_items == Some(true)
    }

    fn prefix(&self) -> &'static str {
        "resp_"
    }

    fn begin(&mut self, id: &str, model: &str, out: &mut Out<'_>) {
        let (sequence, has_items) = (self.sequence, self.has_items);
        *self = Self { sequence, has_items, id: id.into(), model: model.into(), ..Self::default() };
        let event = self.event("response.created");
        out.event("response.created", event.json("response", self.response("in_progress", None, None, out)));
    }

    fn write(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>) {
        let written = match event {
            StreamEvent::BlockStart(block) => {
                self.has_items.get_or_insert(block.id.is_some());
                self.blocks.insert(key_of(block), (Some(block.clone().into_owned()), None));
                return;
            }
            StreamEvent::BlockEnd(block) => {
                if let Some((_, Some(at))) = self.blocks.remove(&key_of(block)) {
                    self.end_part(at, out);
                }
                return;
            }
            StreamEvent::Text { text, block, choice } => {
                let of = |(block, _): &(Option<Block<'_>>, _)| block.as_ref().map(|block| block.choice);
                // Text without a block of its own.
                if *choice > 0 && self.blocks.get(&(TEXT.0, *block)).and_then(of) != Some(*choice) {
                    return out.lose(Loss::Choice);
                }
                return self.piece(TEXT, *block, text, out);
            }
            StreamEvent::Reasoning { text, block, .. } => return self.piece(SUMMARY, *block, text, out),
            StreamEvent::Refusal { text, choice } => return self.piece(REFUSAL, *choice, text, out),
            StreamEvent::ToolResult(result) => self.result(result, out),
            StreamEvent::ApprovalRequest { call, json, .. } => {
                own(json, "mcp_approval_request").zip(self.awaiting(*call)).map(|(own, index)| {
                    self.items[index].own = Some(own);
                    self.end_executed(call.unwrap_or_default(), out);
                })
            }
            StreamEvent::Source(source) => self.source(source, out),
            StreamEvent::Opaque(opaque) => self.opaque(opaque, out),
            StreamEvent::Media(media) => self.media(media, out),
            _ => None,
        };
        if written.is_none() {
            out.lose(Loss::of(event));
        }
    }

    fn start_call(&mut self, call: &Called, out: &mut Out<'_>) -> Started {
        let is_client = call.executor == Executor::Client;
        let form = match (is_client, call.is_raw) {
            (true, false) => FUNCTION,
            (true, true) => CUSTOM,
            (false, false) => REMOTE,
            (false, true) if call.name == "code_interpreter" => CODE,
            (false, true) => return Started::Lost(Loss::ServerTool),
        };
        if !self.ids.insert(call.id.clone()) {
            return Started::Impossible;
        }
        let id = if is_client { self.next_id("fc") } else { call.id.clone() };
        let head = Object::new().text("type", form.0).text("id", &id).text("name", &call.name);
        let head = match form {
            form if form == REMOTE => head.text("server_label", ""),
            form if form == CODE => head.text("container_id", ""),
            _ => head.text("call_id", &call.id),
        };
        let index = self.start(Item { parts: [Part::new(form)].into(), ..Item::new(id, head, "") }, out);
        self.calls.insert(call.number, index);
        Started::Written
    }

    fn fragment(&mut self, call: &Called, text: &str, out: &mut Out<'_>) {
        if let Some(index) = self.calls.get(&call.number).copied() {
            self.add((index, 0), text, out);
        }
    }

    fn end_call(&mut self, call: &Called, out: &mut Out<'_>) {
        let Some(index) = self.calls.get(&call.number).copied() else { return };
        self.end_part((index, 0), out);
        if call.executor == Executor::Client {
            self.calls.remove(&call.number);
            self.end_item(index, "completed", out);
        }
        self.end_executed(call.number, out);
    }

    fn end(&mut self, ended: &Ended, out: &mut Out<'_>) {
        let has_refusal = self.items.iter().flat_map(|item| &item.parts).any(|part| part.form == REFUSAL);
        let is_cut = self.calls.values().any(|index| self.items[*index].is_busy());
        let is_incomplete = |kind| match kind {
            StopKind::Finished | StopKind::ToolUse | StopKind::StopSequence => is_cut,
            StopKind::Refusal => is_cut || !has_refusal,
            _ => true,
        };
        let stop = ended.stops.first().filter(|stop| is_incomplete(stop.kind));
        if stop.is_some_and(|stop| stop.kind == StopKind::Refusal) {
            out.lose(Loss::Refusal);
        }
        let (status, kind) = match stop {
            Some(_) => ("incomplete", "response.incomplete"),
            None => ("completed", "response.completed"),
        };
        for index in 0..self.items.len() {
            let is_call = self.items[index].list.is_empty();
            let is_cut = is_call && self.items[index].is_busy();
            for part in 0..self.items[index].parts.len() {
                if !is_call && self.items[index].parts[part].is_open {
                    self.end_part((index, part), out);
                }
            }
            self.end_item(index, if is_call && !is_cut { "completed" } else { status }, out);
        }
        let reason = stop.map(|stop| word_for(stop, WORDS));
        let event = self.event(kind);
        let response = self.response(status, reason.as_deref(), ended.usage.as_ref(), out);
        out.event(kind, event.json("response", response));
    }

    fn fail(&mut self, fault: &Fault<'_>, out: &mut Out<'_>) {
        let event = self.event("error").some_text("code", fault.code.or(fault.kind));
        out.event("error", event.text("message", fault.message).json("param", "null"));
    }

    fn boxed_clone(&self) -> Box<dyn Target> {
        Box::new(self.clone())
    }
}
