//! Reports the tool calls in the text of open models: the name first, the arguments as they arrive and by path, and the
//! text around the calls.
//!
//! ```text
//! $ printf 'Hm. <tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>' | model_text hermes city
//! ```
//!
//! A row of [`DIALECTS`] describes how a family of models writes calls: the delimiters, and the positions of name and
//! arguments. Copy and adapt this example. It is not part of the library, because dialects change with the models.

#[cfg(test)]
mod tests;

use std::env;
use std::error::Error;
use std::io::{Read, stdin};

use jsonspigot::{EventKind, PatternSet};
use jsonspigot_framing::Utf8;
use jsonspigot_llm::{CallEvent, CallStart, Delimiter, Envelope, EnvelopeEvent, ToolCalls};

/// The syntax of calls in the text of a family of models.
struct Dialect {
    name: &'static str,
    /// The delimiters of calls, and delimiters of text to hide.
    marks: &'static [&'static str],
    called: Called,
}

/// The positions of a call's name and arguments.
enum Called {
    /// Both are in the JSON, at these patterns.
    Inside { name: &'static str, arguments: &'static str },
    /// The JSON is the arguments. The name is in the text before it, after the first of these texts and before the
    /// first of the others that occurs.
    Before(&'static str, &'static [&'static str]),
}

const DIALECTS: [Dialect; 7] = [
    // <tool_call>{"name": "f", "arguments": {…}}</tool_call>: Hermes, Qwen 2.5 and 3.
    Dialect {
        name: "hermes",
        marks: &["between:<tool_call>:</tool_call>"],
        called: Called::Inside { name: "name", arguments: "raw:arguments" },
    },
    // [TOOL_CALLS]f[CALL_ID]id[ARGS]{…}: Mistral since its tokenizer v11.
    Dialect {
        name: "mistral",
        marks: &["between:[TOOL_CALLS]::led"],
        called: Called::Before("[TOOL_CALLS]", &["[CALL_ID]", "[ARGS]"]),
    },
    // [TOOL_CALLS] [{"name": "f", "arguments": {…}}, …]: Mistral before.
    Dialect {
        name: "mistral-list",
        marks: &["between:[TOOL_CALLS]:"],
        called: Called::Inside { name: "[*].name", arguments: "raw:[*].arguments" },
    },
    // {"name": "f", "parameters": {…}}, with <|python_tag|> before it or not: Llama 3.
    Dialect {
        name: "llama3",
        marks: &["between:<|python_tag|>:", "between:<|eom_id|>:", "between:<|eot_id|>:", "bare:object"],
        called: Called::Inside { name: "name", arguments: "raw:parameters" },
    },
    // …<｜tool▁sep｜>f, and a fence with the arguments: DeepSeek V3.
    Dialect {
        name: "deepseek-v3",
        marks: &[
            "between:<｜tool▁call▁begin｜>:```<｜tool▁call▁end｜>:led",
            "between:<｜tool▁calls▁begin｜>:",
            "between:<｜tool▁calls▁end｜>:",
        ],
        called: Called::Before("<｜tool▁sep｜>", &["\n"]),
    },
    // Like DeepSeek V3 but without a fence: DeepSeek V3.1.
    Dialect {
        name: "deepseek-v3.1",
        marks: &[
            "between:<｜tool▁call▁begin｜>:<｜tool▁call▁end｜>:led",
            "between:<｜tool▁calls▁begin｜>:",
            "between:<｜tool▁calls▁end｜>:",
        ],
        called: Called::Before("<｜tool▁call▁begin｜>", &["<｜tool▁sep｜>"]),
    },
    // <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{…}<|tool_call_end|>: Kimi K2.
    Dialect {
        name: "kimi-k2",
        marks: &[
            "between:<|tool_call_begin|>:<|tool_call_end|>:led",
            "between:<|tool_calls_section_begin|>:",
            "between:<|tool_calls_section_end|>:",
        ],
        called: Called::Before("functions.", &[":", "<|tool_call_argument_begin|>"]),
    },
];

/// An event of a model's text.
#[expect(clippy::large_enum_variant, reason = "events are passed to a closure and never kept")]
enum ModelEvent<'a> {
    /// Text that is not part of a call.
    Text(&'a str),
    Call(CallEvent<'a>),
}

/// A reader of a model's text and the calls in it.
struct ModelText {
    dialect: &'static Dialect,
    envelope: Envelope,
    calls: Calls,
}

/// A reader of the calls, which do not overlap.
struct Calls {
    calls: ToolCalls,
    /// The number of the open or next call.
    number: u64,
    is_started: bool,
    name: String,
    /// Arguments that arrived before the name.
    waiting: String,
}

impl ModelText {
    fn new(dialect: &'static Dialect, calls: ToolCalls) -> Result<Self, Box<dyn Error>> {
        let marks = dialect.marks.iter().map(|mark| mark.parse()).collect::<Result<Vec<Delimiter>, _>>()?;
        let patterns = match dialect.called {
            Called::Inside { name, arguments } => vec![name, arguments],
            Called::Before(..) => vec!["raw:$"],
        };
        let envelope = Envelope::new(marks, &PatternSet::new(patterns)?);
        let calls = Calls { calls, number: 0, is_started: false, name: String::new(), waiting: String::new() };
        Ok(Self { dialect, envelope, calls })
    }

    fn feed(&mut self, text: &str, mut on_event: impl FnMut(ModelEvent<'_>)) {
        let Self { dialect, envelope, calls } = self;
        envelope.feed_with(text, |event| calls.hear(dialect, &event, &mut on_event));
    }

    fn finish(&mut self, mut on_event: impl FnMut(ModelEvent<'_>)) {
        let Self { dialect, envelope, calls } = self;
        envelope.finish_with(|event| calls.hear(dialect, &event, &mut on_event));
        calls.calls.end_message_with(None, |event| on_event(ModelEvent::Call(event)));
    }
}

impl Calls {
    fn hear(&mut self, dialect: &Dialect, event: &EnvelopeEvent<'_>, on_event: &mut dyn FnMut(ModelEvent<'_>)) {
        let is_inside = matches!(dialect.called, Called::Inside { .. });
        match event {
            EnvelopeEvent::Text(text) => on_event(ModelEvent::Text(text)),
            EnvelopeEvent::Begin { open, .. } => {
                if let Called::Before(before, after) = dialect.called
                    && let Some((_, name)) = open.split_once(before)
                {
                    let end = after.iter().find_map(|after| name.find(after)).unwrap_or(name.len());
                    self.name = name[..end].trim().to_owned();
                    self.start(on_event);
                }
            }
            EnvelopeEvent::Match { event, .. } if is_inside && event.pattern == 0 => match &event.kind {
                EventKind::Delta(text) => self.name.push_str(text),
                EventKind::End(_) => self.start(on_event),
                _ => {}
            },
            EnvelopeEvent::Match { event, .. } => match &event.kind {
                EventKind::Delta(text) if self.is_started => {
                    self.calls.delta_with(self.number, text, |event| on_event(ModelEvent::Call(event)));
                }
                EventKind::Delta(text) => self.waiting.push_str(text),
                // In a list, another call may follow.
                EventKind::End(_) if self.is_started => self.end(on_event),
                _ => {}
            },
            EnvelopeEvent::End { .. } => {
                if self.is_started {
                    self.end(on_event);
                }
                self.name.clear();
                self.waiting.clear();
            }
            _ => {}
        }
    }

    /// Starts the call once its name is known.
    fn start(&mut self, on_event: &mut dyn FnMut(ModelEvent<'_>)) {
        if self.name.is_empty() || self.is_started {
            return;
        }
        let mut report = |event: CallEvent<'_>| on_event(ModelEvent::Call(event));
        self.is_started = true;
        self.calls.start_with(self.number, CallStart::new(&*self.name), &mut report);
        if !self.waiting.is_empty() {
            self.calls.delta_with(self.number, &self.waiting, &mut report);
            self.end(on_event);
        }
    }

    fn end(&mut self, on_event: &mut dyn FnMut(ModelEvent<'_>)) {
        self.calls.stop_with(self.number, |event| on_event(ModelEvent::Call(event)));
        self.number += 1;
        self.is_started = false;
        self.name.clear();
        self.waiting.clear();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let wanted = arguments.first().map_or("hermes", String::as_str);
    let dialect = DIALECTS.iter().find(|dialect| dialect.name == wanted).ok_or("no such dialect")?;
    let patterns = PatternSet::new(arguments.iter().skip(1))?;
    let mut model = ModelText::new(dialect, ToolCalls::new(&patterns))?;
    let (mut text, mut chunk) = (Utf8::default(), [0; 4096]);
    let mut show = |event: ModelEvent<'_>| match event {
        ModelEvent::Text(text) => println!("text: {text}"),
        ModelEvent::Call(CallEvent::Start { call }) => println!("call: {}", call.name.unwrap_or_default()),
        ModelEvent::Call(CallEvent::Fragment { text, .. }) => println!("arguments: {text}"),
        ModelEvent::Call(CallEvent::Match { event, .. }) => println!("{}: {:?}", event.path, event.kind),
        ModelEvent::Call(CallEvent::End { input, .. }) => println!("end: {}", input.status().name()),
        ModelEvent::Call(_) => {}
    };
    loop {
        let len = stdin().read(&mut chunk)?;
        if len == 0 {
            break;
        }
        text.feed_with(&chunk[..len], |text| model.feed(text, &mut show))?;
    }
    model.finish(show);
    Ok(())
}
