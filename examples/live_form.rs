//! A form that fills in while the model still writes it: typed partials of a ticket, redrawn as its text arrives.
//!
//! Each field shows what is known and a mark: `·` nothing yet, `…` growing, `✓` complete, `-` left out. The typed ticket
//! itself is to be had only from the whole, valid input.
//!
//! ```text
//! cargo run --example live_form               # at the speed of a provider
//! cargo run --example live_form -- --fast     # without pauses
//! cargo run --example live_form -- --cut 40   # the stream breaks off after 40 pieces: an error, exit status 1
//! cargo run --example live_form -- - < FILE   # another ticket, from standard input
//! ```

mod terminal;

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use jsonspigot::{DuplicateKeys, Parser, PatternSet, Revision, Settled, ValueState};
use serde::Deserialize;

/// What of a ticket can be seen while it is written: every field may still be missing or half there.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Draft {
    title: String,
    /// Half a priority is none: it shows once it is whole.
    priority: Settled<Priority>,
    assignee: Option<String>,
    hours: Option<f64>,
    steps: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Priority {
    Low,
    High,
}

/// The same, whole: nothing may be missing but what is optional.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read by its `Debug`, which is not counted")]
struct Ticket {
    title: String,
    priority: Priority,
    assignee: Option<String>,
    hours: f64,
    steps: Vec<String>,
}

fn run(pieces: terminal::Pieces) -> Result<(), Box<dyn Error>> {
    // What is marked complete must stay so, hence a second `title` is an error.
    let builder = Parser::builder().snapshots().duplicate_keys(DuplicateKeys::Reject);
    let mut parser = builder.build(&PatternSet::empty());
    let mut drawn = Revision::default();
    for piece in pieces {
        let fed = parser.feed(piece?).check();
        // A field that has closed prints the same, but gets another mark.
        if parser.revision() != drawn {
            draw(&parser, drawn == Revision::default())?;
            drawn = parser.revision();
        }
        fed?;
    }
    parser.finish().check()?;
    let ticket: Ticket = parser.deserialize()?;
    writeln!(io::stdout(), "{ticket:#?}")?;
    Ok(())
}

/// Draws the form: in a terminal over the one before, else below it.
fn draw(parser: &Parser, is_first: bool) -> Result<(), Box<dyn Error>> {
    let Some(root) = parser.snapshot() else { return Ok(()) };
    let partial = root.deserialize::<Draft>()?;
    let Draft { title, priority, assignee, hours, steps } = partial.get();
    let fields = [
        ("title", title.clone()),
        ("priority", priority.get().map(|priority| format!("{priority:?}")).unwrap_or_default()),
        ("assignee", assignee.clone().unwrap_or_default()),
        ("hours", hours.map(|hours| hours.to_string()).unwrap_or_default()),
        ("steps", steps.join(" / ")),
    ];
    let mut out = io::stdout().lock();
    if io::stdout().is_terminal() && !is_first {
        // Up to the form's first line, and clear from there.
        write!(out, "\x1b[{}A\x1b[J", fields.len() + 1)?;
    }
    for (name, text) in fields {
        let mark = match root.state_of(name)? {
            ValueState::Pending => '·',
            ValueState::Partial => '…',
            ValueState::Complete => '✓',
            ValueState::Absent => '-',
        };
        writeln!(out, "{}", format!("{name:>8} {mark} {}", one_line(&text)).trim_end())?;
    }
    writeln!(out)?;
    Ok(out.flush()?)
}

/// How many characters of a field are shown.
const MOST_SHOWN: usize = 32;

/// The end of a text, without control characters and short enough for one line of a terminal.
fn one_line(text: &str) -> String {
    let plain: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.len().checked_sub(MOST_SHOWN) {
        None | Some(0) => plain.iter().collect(),
        Some(left_out) => format!("…{}", plain[left_out + 1..].iter().collect::<String>()),
    }
}

/// What the model writes.
const TICKET: &str = r#"{
  "title": "Login fails on slow networks \ud83d\udc0c",
  "priority": "high",
  "assignee": "Ana (mobile)",
  "hours": 6.5,
  "steps": ["Throttle to 2G", "Open the app", "Tap \"Log in\" twice"]
}
"#;

fn main() -> ExitCode {
    terminal::main("live_form", TICKET.as_bytes(), Duration::from_millis(60), run)
}
