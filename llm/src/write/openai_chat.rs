//! OpenAI Chat Completions: chunks, and `[DONE]` at the end.
//!
//! Reasoning is `reasoning_content`, as `DeepSeek` and most servers send it; signatures, encrypted reasoning and images are
//! in the members that OpenRouter and Google add. A refusal without text is `content_filter`.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use super::Loss;
use super::out::{Object, Out, list, openai_usage};
use super::stops::{Words, word_for};
use super::target::{Called, Ended, Fault, Started, Stopped, Target};
use crate::calls::Executor;
use crate::event::{BlockKind, Media, Opaque, OpaqueKind, Source, StopKind, StreamEvent};
use crate::json::Tree;

const WORDS: Words = &[
    (StopKind::Finished, "stop"),
    (StopKind::StopSequence, "stop"),
    (StopKind::ToolUse, "tool_calls|function_call"),
    (StopKind::Length, "length"),
    (StopKind::ContentFilter, "content_filter"),
];

/// A chat completion.
#[derive(Clone, Debug, Default)]
struct Chat {
    id: String,
    model: String,
    /// The answers that have begun.
    choices: BTreeMap<u64, Choice>,
    /// The choices and indices of the message's calls, by their numbers.
    calls: BTreeMap<u64, (u64, u64)>,
}

#[derive(Clone, Debug, Default)]
struct Choice {
    has_refusal: bool,
    /// The block that the last piece belongs to, unless a call was written since.
    last: Option<(BlockKind, u64)>,
}

pub(super) fn new() -> Box<dyn Target> {
    Box::new(Chat::default())
}

impl Chat {
    /// Returns the state of an answer, and begins it if it is new.
    fn choice(&mut self, choice: u64, out: &mut Out<'_>) -> &mut Choice {
        if !self.choices.contains_key(&choice) {
            let role = Object::new().text("role", "assistant").text("content", "");
            self.write_choice(Self::delta(choice, role, None), out);
        }
        self.choices.entry(choice).or_default()
    }

    /// Returns an answer with a delta.
    fn delta(choice: u64, delta: Object, reason: Option<&str>) -> Object {
        let object = Object::new().number("index", choice).json("delta", delta);
        match reason {
            Some(reason) => object.text("finish_reason", reason),
            None => object.json("finish_reason", "null"),
        }
    }

    /// Returns a chunk up to its answers.
    fn chunk(&self, out: &Out<'_>) -> Object {
        let object = Object::new().text("id", &self.id).text("object", "chat.completion.chunk");
        object.number("created", out.created).text("model", &self.model)
    }

    fn write_choice(&self, choice: Object, out: &mut Out<'_>) {
        out.data(self.chunk(out).json("choices", list([choice.into()])));
    }

    fn write_delta(&mut self, choice: u64, delta: Object, out: &mut Out<'_>) {
        self.choice(choice, out);
        self.write_choice(Self::delta(choice, delta, None), out);
    }

    /// Writes a piece of a block. If the last piece belongs to another block of the same kind, the boundary is lost.
    fn piece(&mut self, choice: u64, (kind, block): (BlockKind, u64), delta: Object, out: &mut Out<'_>) {
        let last = self.choice(choice, out).last.replace((kind, block));
        if last.is_some_and(|last| last.0 == kind && last.1 != block) {
            out.lose(Loss::Block);
        }
        self.write_delta(choice, delta, out);
    }

    fn write_call(&mut self, choice: u64, entry: Object, out: &mut Out<'_>) {
        self.write_delta(choice, Object::new().json("tool_calls", list([entry.into()])), out);
    }

    /// Returns the delta for an opaque value; `None` if it cannot be expressed.
    fn opaque(opaque: &Opaque<'_>) -> Option<Object> {
        let json = &*opaque.json;
        let detail = match opaque.kind {
            OpaqueKind::Signature if json.starts_with('"') => {
                Object::new().text("type", "reasoning.text").given("signature", json)
            }
            OpaqueKind::Encrypted if json.starts_with('"') => {
                Object::new().text("type", "reasoning.encrypted").given("data", json)
            }
            // An entry of this wire.
            OpaqueKind::Encrypted if Tree::new(json).root().get("type").peek() == "reasoning.encrypted" => {
                return Some(Object::new().json("reasoning_details", list([super::out::given(json)])));
            }
            _ => return None,
        };
        Some(Object::new().json("reasoning_details", list([detail.into()])))
    }
}

impl Target for Chat {
    fn has_choices(&self) -> bool {
        true
    }

    fn prefix(&self) -> &'static str {
        "chatcmpl-"
    }

    fn begin(&mut self, id: &str, model: &str, out: &mut Out<'_>) {
        *self = Self { id: id.to_owned(), model: model.to_owned(), ..Self::default() };
        self.choice(0, out);
    }

    fn write(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>) {
        match event {
            StreamEvent::Text { text, choice, block } => {
                self.piece(*choice, (BlockKind::Text, *block), Object::new().text("content", text), out);
            }
            StreamEvent::Reasoning { text, choice, block } => {
                let delta = Object::new().text("reasoning_content", text);
                self.piece(*choice, (BlockKind::Reasoning, *block), delta, out);
            }
            StreamEvent::Refusal { text, choice } => {
                self.choice(*choice, out).has_refusal = true;
                self.write_delta(*choice, Object::new().text("refusal", text), out);
            }
            StreamEvent::Opaque(Opaque { kind: OpaqueKind::Signature, call: Some(call), json, .. }) => {
                let Some((choice, index)) = self.calls.get(call).copied() else { return out.lose(Loss::Signature) };
                let signature = Object::new().given("thought_signature", json);
                let extra = Object::new().json("google", signature);
                self.write_call(choice, Object::new().number("index", index).json("extra_content", extra), out);
            }
            StreamEvent::Opaque(opaque) => match Self::opaque(opaque) {
                Some(delta) => self.write_delta(opaque.choice, delta, out),
                None => out.lose(Loss::of(event)),
            },
            StreamEvent::Source(Source { url: Some(url), title, quote, span, choice, .. }) => {
                let cited = Object::new().text("url", url).some_text("title", title.as_deref());
                let cited = cited.some_text("content", quote.as_deref());
                let cited = cited.some_number("start_index", span.map(|span| span.0));
                let cited = cited.some_number("end_index", span.map(|span| span.1));
                let annotation = Object::new().text("type", "url_citation").json("url_citation", cited);
                self.write_delta(*choice, Object::new().json("annotations", list([annotation.into()])), out);
            }
            StreamEvent::Media(Media { media_type, data, url, choice, .. }) => {
                let kind = media_type.as_deref().unwrap_or_default();
                let url = match (url, data) {
                    _ if !kind.starts_with("image") => return out.lose(Loss::Media),
                    (Some(url), _) => url.clone().into_owned(),
                    (None, data) => format!("data:{kind};base64,{}", data.as_deref().unwrap_or_default()),
                };
                let image = Object::new().text("type", "image_url").json("image_url", Object::new().text("url", &url));
                self.write_delta(*choice, Object::new().json("images", list([image.into()])), out);
            }
            event => out.lose(Loss::of(event)),
        }
    }

    fn start_call(&mut self, call: &Called, out: &mut Out<'_>) -> Started {
        if call.executor != Executor::Client {
            return Started::Lost(Loss::ServerTool);
        }
        self.choice(call.choice, out).last = None;
        self.calls.insert(call.number, (call.choice, call.index));
        let (kind, input) = form(call);
        let called = Object::new().text("name", &call.name).text(input, "");
        let entry = Object::new().number("index", call.index).text("id", &call.id).text("type", kind);
        self.write_call(call.choice, entry.json(kind, called), out);
        Started::Written
    }

    fn fragment(&mut self, call: &Called, text: &str, out: &mut Out<'_>) {
        let (kind, input) = form(call);
        let entry = Object::new().number("index", call.index).json(kind, Object::new().text(input, text));
        self.write_call(call.choice, entry, out);
    }

    fn end_call(&mut self, _: &Called, _: &mut Out<'_>) {}

    fn end(&mut self, ended: &Ended, out: &mut Out<'_>) {
        for stop in &ended.stops {
            self.stop(stop, out);
        }
        if let Some(usage) = &ended.usage {
            out.data(self.chunk(out).json("choices", "[]").json("usage", openai_usage(usage, "prompt", "completion")));
        }
    }

    fn fail(&mut self, fault: &Fault<'_>, out: &mut Out<'_>) {
        let error = Object::new().text("message", fault.message).text("type", fault.kind.unwrap_or("server_error"));
        out.data(Object::new().json("error", error.some_text("code", fault.code)));
    }

    fn close(&mut self, out: &mut Out<'_>) {
        out.data("[DONE]");
    }

    fn boxed_clone(&self) -> Box<dyn Target> {
        Box::new(self.clone())
    }
}

impl Chat {
    fn stop(&mut self, stop: &Stopped, out: &mut Out<'_>) {
        let has_refusal = self.choice(stop.choice, out).has_refusal;
        let reason = match stop.kind {
            StopKind::Refusal if has_refusal => "stop".into(),
            StopKind::Refusal => {
                out.lose(Loss::Refusal);
                "content_filter".into()
            }
            _ => word_for(stop, WORDS),
        };
        let choice = Self::delta(stop.choice, Object::new(), Some(&reason));
        // Where vLLM and others name the sequence.
        self.write_choice(choice.some_text("stop_reason", stop.stop_sequence.as_deref()), out);
    }
}

/// Returns the type of a call, and the name of its input.
fn form(call: &Called) -> (&'static str, &'static str) {
    if call.is_raw { ("custom", "input") } else { ("function", "arguments") }
}
