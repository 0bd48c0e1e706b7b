//! The display in a terminal: the raw text as it arrives, below it the text for the user, and a clock.
//!
//! It fits a terminal of 24 lines of 80 characters. Each part has a fixed number of lines and scrolls.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use std::{env, iter};

const COLUMNS: usize = 80;
/// The lines for the raw text, and below for the user's text. The other lines are two titles and the summary.
const RAW: usize = 6;
const SHOWN: usize = 13;
/// The part of a text that may fill its lines, in bytes.
const TAIL: usize = 4 * COLUMNS * SHOWN;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

pub(crate) struct Screen {
    start: Instant,
    first_word: Option<Duration>,
    raw: Vec<u8>,
    shown: String,
    /// The number of lines above the cursor.
    height: usize,
}

impl Screen {
    /// Returns `None` if plain text is wanted: in pipes and files, and with `NO_COLOR`. `CLICOLOR_FORCE` overrides
    /// this.
    pub(crate) fn if_wanted() -> Option<Self> {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        let draws = is_set("CLICOLOR_FORCE") || io::stdout().is_terminal() && !is_dumb;
        (draws && !is_set("NO_COLOR")).then(|| Self {
            start: Instant::now(),
            first_word: None,
            raw: Vec::new(),
            shown: String::new(),
            height: 0,
        })
    }

    /// Appends raw text that has arrived.
    pub(crate) fn raw(&mut self, piece: &[u8]) {
        self.raw.extend_from_slice(piece);
        let surplus = self.raw.len().saturating_sub(TAIL);
        self.raw.drain(..surplus);
    }

    /// Appends text for the user.
    pub(crate) fn show(&mut self, text: &str) {
        self.shown.push_str(text);
        if text.chars().any(char::is_alphanumeric) {
            self.first_word.get_or_insert_with(|| self.start.elapsed());
        }
    }

    pub(crate) fn draw(&mut self) -> io::Result<()> {
        self.draw_above(["", ""])
    }

    /// Draws the last picture, with the complete value and the measured times.
    pub(crate) fn end(&mut self, value: &str, kept_back: usize) -> io::Result<()> {
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        let whole = seconds(self.start.elapsed());
        let first = self.first_word.map_or("never".to_owned(), seconds);
        let figures = format!("first word {first} · whole call {whole} · {kept_back} fields kept back until valid");
        self.draw_above([value, &figures])
    }

    fn draw_above(&mut self, [value, figures]: [&str; 2]) -> io::Result<()> {
        let clock = format!("{:.1} s", self.start.elapsed().as_secs_f64());
        let title = "the model writes";
        let blanks = " ".repeat(COLUMNS - title.len() - clock.len());
        let mut picture = vec![format!("{title}{blanks}{BOLD}{clock}{PLAIN}")];
        let raw = String::from_utf8_lossy(&self.raw);
        let raw = wrapped(raw.trim_end_matches('\u{fffd}').lines());
        picture.extend(last(raw, RAW).map(|line| format!("{DIM}{line}{PLAIN}")));
        picture.push(format!("the user sees {DIM}{}{PLAIN}", "─".repeat(COLUMNS - 14)));
        picture.extend(last(self.shown_lines(), SHOWN));
        picture.push(format!("{DIM}{}{PLAIN}", wrapped([value].into_iter()).next().unwrap_or_default()));
        picture.push(format!("{BOLD}{figures}{PLAIN}"));

        let mut out = io::stdout().lock();
        if self.height > 0 {
            write!(out, "\x1b[{}A", self.height)?;
        }
        self.height = picture.len();
        // Overwrites each line in place, so that the display does not flicker.
        picture.iter().try_for_each(|line| writeln!(out, "\r{line}\x1b[K"))?;
        out.flush()
    }

    /// Returns the user's lines: questions in bold, and the options of each on as few lines as possible.
    fn shown_lines(&self) -> Vec<String> {
        let mut start = self.shown.len().saturating_sub(TAIL);
        while !self.shown.is_char_boundary(start) {
            start += 1;
        }
        let mut lines: Vec<(String, bool)> = Vec::new();
        let (mut is_question, mut are_options) = (false, false);
        for line in self.shown[start..].trim_start().lines() {
            let option = line.strip_prefix("  - ");
            is_question = line.starts_with("? ") || is_question && option.is_none() && !line.is_empty();
            match (option, lines.last_mut()) {
                (Some(option), Some((options, _))) if are_options => *options += &format!("  - {option}"),
                _ => lines.push((line.to_owned(), is_question)),
            }
            are_options = option.is_some();
        }
        let styled = |(line, is_bold): &(String, bool)| {
            let lines = wrapped(iter::once(line.as_str()));
            lines.map(|line| if *is_bold { format!("{BOLD}{line}{PLAIN}") } else { line }).collect::<Vec<_>>()
        };
        lines.iter().flat_map(styled).collect()
    }
}

/// Returns the last `count` lines, filled up with empty ones.
fn last(lines: impl IntoIterator<Item = String>, count: usize) -> impl Iterator<Item = String> {
    let lines: Vec<_> = lines.into_iter().collect();
    let surplus = lines.len().saturating_sub(count);
    lines.into_iter().skip(surplus).chain(iter::repeat_with(String::new)).take(count)
}

/// Wraps lines like the terminal and removes control characters.
fn wrapped<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    lines.flat_map(|line| {
        let mut cut = vec![String::new()];
        let mut width = 0;
        for c in line.chars().filter(|c| !c.is_control()) {
            // East Asian letters and emoji are two columns wide. Counting two for a mark without width does no harm.
            let wide = matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{ffef}' | '\u{1f000}'..);
            width += 1 + usize::from(wide);
            if width > COLUMNS {
                cut.push(String::new());
                width = 1 + usize::from(wide);
            }
            cut.last_mut().expect("one is there from the start").push(c);
        }
        cut
    })
}
