//! A form that fills in while the model still writes it: typed partials of a ticket, redrawn as its text arrives.
//!
//! Each field shows what is known and a mark: `·` nothing yet, `…` growing, `✓` complete, `-` left out. The typed ticket
//! itself is to be had only from the whole, valid input.
//!
//! ```text
//! cargo run --example live_form               # at the speed of a provider
//! cargo run --example live_form -- --fast     # without pauses
//! cargo run --example live_form -- --cut 40   # the stream breaks off behind 40 pieces: an error, exit status 1
//! cargo run --example live_form -- - < FILE   # another ticket, from standard input
//! ```

use std::error::Error;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, iter, thread};

use jsonspigot::{DuplicateKeys, Mark, Parser, PatternSet, Settled, ValueState};
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

fn run(pieces: impl Iterator<Item = io::Result<Vec<u8>>>) -> Result<(), Box<dyn Error>> {
    // What is marked complete must stay so, hence a second `title` is an error.
    let builder = Parser::builder().snapshots().duplicate_keys(DuplicateKeys::Reject);
    let mut parser = builder.build(&PatternSet::empty());
    let mut drawn = Mark::default();
    for piece in pieces {
        let fed = parser.feed_with(piece?, |_| {});
        if parser.has_changed_since(drawn) {
            draw(&parser, drawn == Mark::default())?;
            drawn = parser.mark();
        }
        fed?;
    }
    parser.finish_with(|_| {})?;
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
        let mark = match root.state_of(name) {
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

/// The end of a text, without control characters and short enough for one line of a terminal.
fn one_line(text: &str) -> String {
    let plain: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain[plain.len().saturating_sub(32)..].iter().collect()
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

/// The ticket in pieces of a token's size, cut at any byte, as a network does it.
fn ticket_pieces(pause: Duration) -> impl Iterator<Item = Vec<u8>> {
    let mut sizes = [4, 2, 5, 3, 7, 1, 6].into_iter().cycle();
    let mut rest = TICKET.as_bytes();
    iter::from_fn(move || {
        let (piece, behind) = rest.split_at(sizes.next()?.min(rest.len()));
        rest = behind;
        thread::sleep(pause);
        (!piece.is_empty()).then(|| piece.to_vec())
    })
}

/// Standard input, in pieces as they come.
fn stdin_pieces() -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut buffer = [0; 4096];
    iter::from_fn(move || match io::stdin().read(&mut buffer) {
        Ok(0) => None,
        read => Some(read.map(|len| buffer[..len].to_vec())),
    })
}

fn main() -> ExitCode {
    let (mut pause, mut pieces_left, mut reads_stdin) = (Duration::from_millis(60), usize::MAX, false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--fast" => pause = Duration::ZERO,
            "--cut" => match arguments.next().and_then(|number| number.parse().ok()) {
                Some(number) => pieces_left = number,
                None => return usage(),
            },
            "-" => reads_stdin = true,
            _ => return usage(),
        }
    }
    let ended = if reads_stdin {
        run(stdin_pieces().take(pieces_left))
    } else {
        run(ticket_pieces(pause).take(pieces_left).map(Ok))
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: live_form [--fast] [--cut N] [-]");
    ExitCode::from(2)
}
