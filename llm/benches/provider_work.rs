//! Streams for an instruction counter: `provider_work SCENARIO OPERATIONS`, as `.ci/work providers` runs it under
//! callgrind. Each scenario repeats one path through calls, providers and envelopes; `list` prints their names.
//!
//! The cost of an operation may depend on its own input, and on nothing before it.

// Each scenario is one expression, as short as it can be.
#![allow(clippy::semicolon_if_nothing_returned)]

use std::env;
use std::hint::black_box;

use jsonspigot::{Limits, Parser, PatternSet};
use jsonspigot_llm::{
    CallEvent, CallLimits, CallStart, Delimiter, Envelope, EnvelopeEvent, Provider, ProviderStream, StreamEvent,
    ToolCalls, ToolCallsBuilder,
};
use serde_json::{Value, json};

/// Text that is there before anything is measured: what must not be looked at again.
const KEPT: usize = 1 << 16;

type Scenario = (&'static str, fn(usize));

const SCENARIOS: [Scenario; 33] = [
    ("complete", |n| neutral(builder(), |calls| deltas(calls, n, "1,", "]"))),
    ("truncated", |n| neutral(builder(), |calls| deltas(calls, n, "1,", ""))),
    ("malformed", |n| neutral(builder(), |calls| deltas(calls, n, "é}", ""))),
    ("trailing", |n| neutral(builder(), |calls| deltas(calls, n, "]", ""))),
    ("limited", |n| neutral(builder().limits(CallLimits::new().input_bytes(KEPT)), |calls| deltas(calls, n, "1,", ""))),
    ("string-limited", |n| {
        neutral(builder().parser(Parser::builder().limits(Limits::new().string(9))), |calls| {
            deltas(calls, n, "\"ééééé", "")
        })
    }),
    ("deviating", |n| {
        neutral(builder().parser(Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT)), |calls| {
            deltas(calls, n, "\"\\x\",", "")
        })
    }),
    ("raw", |n| {
        neutral(builder(), |calls| {
            calls.start_with(0, CallStart::new("patch").raw(), ignore);
            (0..n).for_each(|_| calls.delta_with(0, "+ text\n", ignore));
        })
    }),
    ("empty", |n| {
        neutral(builder(), |calls| {
            (0..n as u64).for_each(|slot| {
                calls.start_with(slot, CallStart::new("tool"), ignore);
                calls.stop_with(slot, ignore);
                calls.end_message_with(None, ignore);
            })
        })
    }),
    ("started-again", |n| {
        neutral(builder(), |calls| (0..n).for_each(|_| calls.start_with(0, CallStart::new("tool").id("a"), ignore)))
    }),
    ("superseded", |n| {
        neutral(builder(), |calls| {
            (0..n).for_each(|_| {
                calls.start_with(0, CallStart::new("tool").id("a").input("{}"), ignore);
                calls.begin_message_with(ignore);
            })
        })
    }),
    ("refused", |n| {
        neutral(builder(), |calls| {
            (0..n as u64).for_each(|slot| calls.start_with(slot, CallStart::new("tool"), ignore))
        })
    }),
    ("unplaced", |n| {
        neutral(builder(), |calls| {
            keep(calls);
            (0..n as u64).for_each(|slot| calls.delta_with(1 + slot, "1", ignore));
        })
    }),
    ("late", |n| {
        neutral(builder(), |calls| {
            calls.start_with(1, CallStart::new("tool").input("{}"), ignore);
            calls.stop_with(1, ignore);
            calls.end_message_with(None, ignore);
            keep(calls);
            (0..n).for_each(|_| calls.delta_with(1, "1", ignore));
        })
    }),
    ("contradicted", |n| {
        neutral(builder(), |calls| {
            keep(calls);
            (0..n).for_each(|_| calls.whole_with(0, "1", ignore));
        })
    }),
    ("repeated", |n| {
        neutral(builder(), |calls| {
            calls.start_with(0, CallStart::new("tool"), ignore);
            calls.delta_with(0, &format!("{}1", " ".repeat(KEPT)), ignore);
            (0..n).for_each(|turn| calls.whole_with(0, &format!("{}1", " ".repeat(turn % 64)), ignore));
        })
    }),
    ("several-values", |n| {
        neutral(builder(), |calls| {
            calls.start_with(0, CallStart::new("tool"), ignore);
            calls.delta_with(0, &format!("1.{}{}", "0".repeat(n), " 1.0".repeat(n)), ignore);
            calls.end_message_with(None, |event| {
                if let CallEvent::End { input, .. } = event {
                    black_box(input.is_repeated());
                }
            });
        })
    }),
    ("cumulative", |n| {
        neutral(builder().cumulative(), |calls| {
            calls.start_with(0, CallStart::new("tool"), ignore);
            let text = format!("[{}", "1,".repeat(512));
            (0..n).for_each(|_| calls.delta_with(0, &text, ignore));
        })
    }),
    ("not-cumulative", |n| {
        neutral(builder().cumulative(), |calls| {
            keep(calls);
            (0..n).for_each(|_| calls.delta_with(0, "[2", ignore));
        })
    }),
    ("values", |n| {
        values(n, |_| json!({"jsonPath": "$.a", "stringValue": "eight é", "willContinue": true}), Limits::default())
    }),
    ("elements", |n| values(n, |at| json!({"jsonPath": format!("$.a[{at}]"), "numberValue": 1}), Limits::default())),
    ("values-out-of-order", |n| values(n, |_| json!({"jsonPath": "$.a[7]", "numberValue": 1}), Limits::default())),
    ("values-limited", |n| {
        values(n, |_| json!({"jsonPath": "$.a", "stringValue": "é", "willContinue": true}), Limits::new().string(9))
    }),
    ("mixed", |n| {
        stream(
            Provider::Gemini,
            [json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "t", "willContinue": true,
        "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}}]}}]})]
            .into_iter()
            .chain((0..n).map(|_| json!({"event_type": "step.delta", "delta": {"arguments": "{}"}}))),
        )
    }),
    ("bad-frames", |n| stream(Provider::Anthropic, (0..n).map(|_| json!([1])))),
    ("calls", |n| {
        stream(Provider::OpenaiChat, (0..n).map(|at| json!({"choices": [{"delta": {"tool_calls": [
        {"index": at, "id": format!("call_{at}"), "function": {"name": "tool", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}]})))
    }),
    // A connection or a run that never ends, with a call in each answer, or ever more in one.
    ("realtime-responses", |n| {
        stream(
            Provider::OpenaiResponses,
            (0..n).flat_map(|at| {
                let item = json!({"type": "function_call", "id": format!("item_{at}"), "call_id": format!("call_{at}"),
                    "name": "tool", "arguments": "{}"});
                let output = json!([item]);
                [
                    json!({"type": "response.output_item.done", "event_id": "e", "response_id": "r", "item": item}),
                    json!({"type": "response.done", "event_id": "e", "response": {"id": "r", "output": output}}),
                ]
            }),
        )
    }),
    ("realtime-items", |n| {
        stream(
            Provider::OpenaiResponses,
            (0..n).map(|at| {
                let item = format!("item_{at}");
                json!({"type": "response.output_text.delta", "event_id": "e", "response_id": "r", "item_id": item, "delta": "x"})
            }),
        )
    }),
    ("live-calls", |n| {
        stream(
            Provider::Gemini,
            (0..n).map(
                |at| json!({"toolCall": {"functionCalls": [{"id": format!("c{at}"), "name": "tool", "args": {}}]}}),
            ),
        )
    }),
    ("cohere-v1-calls", |n| {
        stream(
            Provider::Cohere,
            (0..n).map(|at| {
                json!({"event_type": "tool-calls-chunk",
                    "tool_call_delta": {"index": at, "name": "tool", "parameters": "{}"}})
            }),
        )
    }),
    ("mcp-calls", |n| {
        stream(
            Provider::Mcp,
            (0..n).flat_map(|at| {
                let call = json!({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": "tool"}});
                // Every other call is never answered.
                let answered = at - at % 2;
                [call, json!({"jsonrpc": "2.0", "id": answered, "result": {"content": []}})]
            }),
        )
    }),
    ("envelope", envelope),
    ("closing-run", closing_run),
];

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    // Without arguments, as `cargo bench` calls it, all of them once: that they run is all that is to be seen.
    let name = arguments.next().unwrap_or_default();
    let operations = arguments.next().map_or(8, |number| number.parse().expect("a number of operations"));
    for (scenario, run) in SCENARIOS {
        if name == "list" {
            println!("{scenario}");
        } else if name.is_empty() || name == scenario {
            run(operations);
        }
    }
}

fn ignore(event: CallEvent<'_>) {
    drop(black_box(event));
}

fn ignore_event(event: StreamEvent<'_>) {
    drop(black_box(event));
}

fn builder() -> ToolCallsBuilder {
    ToolCalls::builder().patterns(&PatternSet::new(["$..*"]).expect("the pattern is valid"))
}

fn neutral(builder: ToolCallsBuilder, act: impl FnOnce(&mut ToolCalls)) {
    let mut calls = builder.build();
    act(&mut calls);
    calls.end_message_with("stop", ignore);
}

/// Keeps a call with text.
fn keep(calls: &mut ToolCalls) {
    calls.start_with(0, CallStart::new("tool").id("a"), ignore);
    calls.delta_with(0, &format!("[{}", "1,".repeat(KEPT / 2)), ignore);
}

fn deltas(calls: &mut ToolCalls, n: usize, delta: &str, last: &str) {
    keep(calls);
    (0..n).for_each(|_| calls.delta_with(0, delta, ignore));
    calls.delta_with(0, last, ignore);
}

fn stream(provider: Provider, events: impl Iterator<Item = Value>) {
    let mut calls = ProviderStream::new(provider, builder().build());
    events.for_each(|event| calls.push_with(&event.to_string(), ignore_event));
    calls.finish_with(ignore_event);
}

fn values(n: usize, arg: impl Fn(usize) -> Value, limits: Limits) {
    let call = |call: Value| json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}).to_string();
    let mut calls = ProviderStream::new(Provider::Gemini, builder().parser(Parser::builder().limits(limits)).build());
    calls.push_with(&call(json!({"name": "tool", "willContinue": true})), ignore_event);
    (0..n).for_each(|at| calls.push_with(&call(json!({"partialArgs": [arg(at)], "willContinue": true})), ignore_event));
    calls.finish_with(ignore_event);
}

/// Reads one payload whose JSON is truncated, and its text after that.
fn envelope(n: usize) {
    let delimiter = Delimiter::comment("context").expect("a name");
    let mut envelope = Envelope::new([delimiter], &PatternSet::default());
    let on_event = |event: EnvelopeEvent<'_>| {
        black_box(&event);
    };
    envelope.feed_with("<!--context {\"a\":", on_event);
    (0..n).for_each(|_| envelope.feed_with("oops -- ", on_event));
    envelope.finish_with(on_event);
}

/// Reads a run of backticks, which may close the payload, one by one.
fn closing_run(n: usize) {
    let delimiter = Delimiter::fence("json").expect("a name");
    let mut envelope = Envelope::builder().hold_limit(usize::MAX).build([delimiter], &PatternSet::default());
    let on_event = |event: EnvelopeEvent<'_>| {
        black_box(&event);
    };
    envelope.feed_with("```json\n{}\n", on_event);
    (0..n).for_each(|_| envelope.feed_with("`", on_event));
    envelope.finish_with(on_event);
}
