//! Shows a shopping assistant's tool call to the user while the model is still writing it.
//!
//! The questions, their options and the reply grow in the terminal as they arrive, below the raw text. The model's
//! internal fields (`reasoning`, `route`, `data_strategy`, …) are used only when the whole input is valid, as one typed
//! value. Pipes and terminals with `NO_COLOR` get plain text.
//!
//! ```text
//! cargo run --example ask_slots               # at the speed of a provider
//! cargo run --example ask_slots -- --fast     # without pauses
//! cargo run --example ask_slots -- --cut 250  # the stream breaks off after 250 pieces: an error, exit status 1
//! cargo run --example ask_slots -- - < FILE   # another tool call, from standard input
//! ```

#[path = "terminal/screen.rs"]
mod screen;
mod terminal;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use jsonspigot::{DuplicateKeys, Event, EventKind, Parser, PatternSet};
use screen::Screen;
use serde::Deserialize;
use serde_json::Value;

/// The patterns of the text that the user sees before the end, each with a prefix.
const SHOWN: [(&str, &str); 3] =
    [("ask_slots[*].message", "\n? "), ("ask_slots[*].options[*]", "  - "), ("simple_response.message", "\n> ")];

fn run(pieces: terminal::Pieces) -> Result<(), Box<dyn Error>> {
    let patterns = PatternSet::new(SHOWN.map(|(pattern, _)| pattern))?;
    // Shown text cannot be withdrawn, so a second `message` of a slot is an error.
    let mut parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject).patterns(&patterns).build();
    let mut screen = Screen::if_wanted();
    for piece in pieces {
        let piece = piece?;
        for event in parser.feed(&piece) {
            show(&event?, screen.as_mut())?;
        }
        if let Some(screen) = &mut screen {
            screen.raw(&piece);
            screen.draw()?;
        }
    }
    for event in parser.finish() {
        show(&event?, screen.as_mut())?;
    }
    let assessment: Assessment = parser.deserialize()?;
    match screen {
        Some(mut screen) => {
            let Assessment { route, domain, category, .. } = &assessment;
            let value = format!("now it is valid: route {route:?}, domain {domain}, category {category}, …");
            screen.end(&value, kept_back(&parser.deserialize()?))?;
        }
        None => writeln!(io::stdout(), "\n{assessment:#?}")?,
    }
    Ok(())
}

/// Prints new text.
fn show(event: &Event<'_>, screen: Option<&mut Screen>) -> io::Result<()> {
    let new = match &event.kind {
        EventKind::Begin(_) => SHOWN[event.pattern.index()].1.to_owned(),
        // A model's text must not send control sequences to the terminal.
        EventKind::Delta(text) => text.replace(|c: char| c.is_control() && c != '\n', "").replace('\n', "\n  "),
        EventKind::End(_) => "\n".to_owned(),
        _ => return Ok(()),
    };
    let mut out = io::stdout().lock();
    match screen {
        Some(screen) => screen.show(&new),
        None => out.write_all(new.as_bytes()).and_then(|()| out.flush())?,
    }
    Ok(())
}

/// Counts the fields that were not shown while they arrived.
fn kept_back(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let hidden = fields.iter().filter(|(name, _)| !["message", "options"].contains(&name.as_str()));
            hidden.map(|(_, value)| kept_back(value).max(1)).sum()
        }
        Value::Array(elements) => elements.iter().map(kept_back).sum(),
        _ => 0,
    }
}

/// The complete arguments of the tool call.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read by its `Debug`, which is not counted")]
struct Assessment {
    reasoning: String,
    route: Route,
    data_strategy: String,
    is_follow_up: bool,
    follow_up_confidence: f64,
    domain: String,
    category: String,
    subcategories: Vec<String>,
    product_intent: String,
    ask_slots: Vec<Slot>,
    fetch_functions: Vec<String>,
    simple_response: SimpleResponse,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Route {
    AskSlots,
    FetchData,
    SimpleResponse,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read by its `Debug`, which is not counted")]
struct Slot {
    slot_name: String,
    message: String,
    options: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read by its `Debug`, which is not counted")]
struct SimpleResponse {
    message: String,
    response_type: String,
}

/// The model's output.
const TOOL_CALL: &[u8] = include_bytes!("classify_and_assess.json");

fn main() -> ExitCode {
    terminal::main("ask_slots", TOOL_CALL, Duration::from_millis(15), run)
}
