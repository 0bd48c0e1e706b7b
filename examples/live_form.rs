//! Shows a form while the model is still writing it, with typed partial values.
//!
//! `Form` is an ordinary type with a date, an enum and tagged blocks. It is deserialized after every piece, and once
//! more from the whole valid input. A date or a tag appears once it is complete; the text of a block grows. Each line
//! has a mark: `·` nothing yet, `…` growing, `✓` complete, `-` absent.
//!
//! ```text
//! cargo run --example live_form               # at the speed of a provider
//! cargo run --example live_form -- --fast     # without pauses
//! cargo run --example live_form -- --cut 40   # the stream breaks off after 40 pieces: an error, exit status 1
//! cargo run --example live_form -- - < FILE   # another form, from standard input
//! ```

mod terminal;

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use jsonspigot::{DuplicateKeys, Parser, PartialValue, Revision, ValueState};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Form {
    /// Required, so the form appears once the title has begun.
    title: String,
    date: Option<Date>,
    priority: Option<Priority>,
    #[serde(default)]
    blocks: Vec<Block>,
}

/// A type that is parsed from a string, like the date types of many crates.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Date(String);

impl TryFrom<String> for Date {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parts: Vec<_> = text.split('-').map(|part| (part.len(), part.parse())).collect();
        match parts[..] {
            [(4, Ok(_)), (2, Ok(1..=12)), (2, Ok(1_u16..=31))] => Ok(Self(text)),
            _ => Err("no date"),
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Priority {
    Low,
    High,
}

/// A block, which appears once its tag is complete and its required fields have begun.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[rustfmt::skip]
enum Block {
    Text { text: String },
    TextBox { label: String, #[serde(default)] text: String },
    Choice { question: String, #[serde(default)] options: Vec<String> },
    Code { language: Language, code: String },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Language {
    Rust,
    Shell,
}

fn run(pieces: terminal::Pieces) -> Result<(), Box<dyn Error>> {
    // A value that was marked complete must not change, so a second `title` is an error.
    let mut parser = Parser::builder().snapshots().duplicate_keys(DuplicateKeys::Reject).build();
    let (mut drawn, mut height) = (Revision::default(), 0);
    for piece in pieces {
        let fed = parser.feed(piece?).check();
        // A field that has ended prints the same but gets another mark.
        if parser.revision() != drawn
            && let Some(root) = parser.snapshot()
        {
            if let Some(form) = root.deserialize::<Form>()? {
                height = draw(root, form.get(), height)?;
            }
            drawn = parser.revision();
        }
        fed?;
    }
    parser.finish().check()?;
    let form: Form = parser.deserialize()?;
    Ok(writeln!(io::stdout(), "{form:#?}")?)
}

/// Draws the form and returns its height. In a terminal it replaces the previous drawing, whose height is `last`.
fn draw(root: PartialValue<'_>, form: &Form, last: usize) -> Result<usize, Box<dyn Error>> {
    let mut lines = vec![
        line(root, "title", "title", &form.title)?,
        line(root, "date", "date", form.date.as_ref().map_or("", |Date(date)| date))?,
        line(root, "priority", "priority", &form.priority.map(|it| format!("{it:?}")).unwrap_or_default())?,
        line(root, "blocks", "blocks", "")?,
    ];
    for (index, block) in form.blocks.iter().enumerate() {
        let (name, text) = match block {
            Block::Text { text } => ("text", text.clone()),
            Block::TextBox { label, text } => ("text_box", format!("{label}: {text}")),
            Block::Choice { question, options } => ("choice", format!("{question} {}", options.join(" / "))),
            Block::Code { language, code } => ("code", format!("{language:?}: {code}")),
        };
        lines.push(line(root, &format!("blocks[{index}]"), name, &text)?);
    }
    let mut out = io::stdout().lock();
    if io::stdout().is_terminal() && last > 0 {
        // Move up to the form's first line and clear from there.
        write!(out, "\x1b[{last}A\x1b[J")?;
    }
    writeln!(out, "{}\n", lines.join("\n"))?;
    out.flush()?;
    Ok(lines.len() + 1)
}

/// Formats the line of the value at this path, with its mark.
fn line(root: PartialValue<'_>, path: &str, name: &str, text: &str) -> Result<String, jsonspigot::Error> {
    let mark = match root.state_of(path)? {
        ValueState::Pending => '·',
        ValueState::Partial => '…',
        ValueState::Complete => '✓',
        ValueState::Absent => '-',
    };
    Ok(format!("{name:>8} {mark} {}", one_line(text)).trim_end().to_string())
}

/// The number of characters shown of a field.
const MOST_SHOWN: usize = 32;

/// Returns the end of a text, without control characters and short enough for one line of a terminal.
fn one_line(text: &str) -> String {
    let plain: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.len().checked_sub(MOST_SHOWN) {
        None | Some(0) => plain.iter().collect(),
        Some(left_out) => format!("…{}", plain[left_out + 1..].iter().collect::<String>()),
    }
}

/// The model's output.
const FORM: &str = r#"{
  "title": "Login fails on slow networks \ud83d\udc0c",
  "date": "2026-07-01",
  "priority": "high",
  "blocks": [
    {"type": "text", "text": "Tap \"Log in\" twice"},
    {"type": "text_box", "label": "Your phone", "text": "Pixel 9"},
    {"type": "choice", "question": "How often?", "options": ["always", "once"]},
    {"type": "code", "language": "shell", "code": "tc qdisc add dev lo netem"}
  ]}
"#;

fn main() -> ExitCode {
    terminal::main("live_form", FORM.as_bytes(), Duration::from_millis(60), run)
}
