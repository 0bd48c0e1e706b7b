//! Signals about tool calls in, their events out, as lines of JSON: what other implementations of `ToolCalls` are compared
//! with. A line with `new` begins anew with other options; the events of each other line are one line, an array.

use std::error::Error;
use std::io::{self, BufRead as _, BufWriter, Write as _};

use jsonspigot::{DuplicateKeys, Leniency, Parser, PatternSet};
use jsonspigot_llm::{CallEvents, CallLimits, CallStart, Executor, Slot, ToolCalls, ToolCallsBuilder};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut calls = ToolCalls::builder().build();
    for line in io::stdin().lock().lines() {
        let signal: Value = serde_json::from_str(&line?)?;
        let (name, given) = signal.as_object().and_then(|signal| signal.iter().next()).ok_or("expected a signal")?;
        if name == "new" {
            calls = new(given)?.build();
            continue;
        }
        let events = events_of(&mut calls, name, given)?;
        let mut lines = Vec::new();
        for event in events {
            let mut line = String::new();
            event.write_json(&mut line)?;
            lines.push(line);
        }
        writeln!(out, "[{}]", lines.join(","))?;
    }
    Ok(out.flush()?)
}

fn new(options: &Value) -> Result<ToolCallsBuilder, Box<dyn Error>> {
    let patterns = |of: &Value| {
        let spelt = of.as_array().into_iter().flatten().filter_map(Value::as_str);
        PatternSet::new(spelt)
    };
    let is = |name| options[name] == true;
    let mut parser = Parser::builder();
    if is("lastWins") {
        parser = parser.duplicate_keys(DuplicateKeys::LastWins);
    }
    if is("lenient") {
        parser = parser.lenient(Leniency::ALL);
    }
    if is("accept") {
        parser = parser.accept_deviations();
    }
    let limit = |name: &str, limit: usize| options[name].as_u64().map_or(limit, |limit| limit as usize);
    let limits = CallLimits::new();
    let limits = limits.open_calls(limit("openCalls", 256)).input_bytes(limit("inputBytes", 16 << 20));
    let mut builder = ToolCalls::builder().patterns(&patterns(&options["patterns"])?).parser(parser);
    builder = builder.limits(limits.name_bytes(limit("nameBytes", 16 << 10)));
    for (name, own) in options["tools"].as_object().into_iter().flatten() {
        builder = builder.patterns_for(name, &patterns(own)?);
    }
    Ok(if is("cumulative") { builder.cumulative() } else { builder })
}

fn events_of(calls: &mut ToolCalls, name: &str, given: &Value) -> Result<CallEvents, Box<dyn Error>> {
    let text = |at: usize| given[at].as_str();
    Ok(match name {
        "start" => {
            let start = &given[1];
            let mut call =
                CallStart::new(start["name"].as_str()).id(start["id"].as_str()).input(start["input"].as_str());
            if start["raw"] == true {
                call = call.raw();
            }
            if start["executed"] == "provider" {
                call = call.executor(Executor::Provider);
            }
            calls.start(slot(&given[0])?, call)
        }
        "delta" => calls.delta(slot(&given[0])?, text(1).unwrap_or_default()),
        "whole" => calls.whole(slot(&given[0])?, text(1).unwrap_or_default()),
        "stop" => calls.stop(slot(&given[0])?),
        "finish" => calls.end_message(text(0)),
        "finishChoice" => calls.end_choice(given[0].as_u64().unwrap_or_default(), text(1)),
        "cut" => calls.cut(text(0).unwrap_or_default()),
        "cutCall" => calls.cut_call(slot(&given[0])?, text(1).unwrap_or_default()),
        "beginMessage" => calls.begin_message(),
        _ => return Err(format!("no such signal: {name}").into()),
    })
}

/// An index, a choice with an index, or an id.
fn slot(given: &Value) -> Result<Slot<'_>, &'static str> {
    let pair = given[0].as_u64().zip(given[1].as_u64());
    let place = given.as_u64().map(Slot::from).or(given.as_str().map(Slot::from));
    place.or(pair.map(Slot::from)).ok_or("expected a slot")
}
