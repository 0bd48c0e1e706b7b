//! Compares jsonspigot with its peers, for the tables and pictures of the README and of PERFORMANCE.md.
//!
//! `compare [--seconds N] [--rows TEXT]` prints the tables. Instead, `--reported` prints the reported cases, `--streams`
//! many concurrent streams, and `--rewrite` rewriters; `--svg DIR` draws the pictures.

mod check;
mod chunks;
mod contenders;
mod many_streams;
mod measure;
mod output;
#[allow(dead_code, reason = "the other benchmarks use the rest")]
#[path = "../../payload/mod.rs"]
mod payload;
mod pictures;
mod reported_cases;
mod rewrite;
mod rows;
mod table;
mod track;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use measure::Cost;
use table::Figure;

const USAGE: &str = "usage: compare [--seconds N] [--rows TEXT | --reported | --streams | --rewrite | --svg DIR]
  --seconds N  about how long to measure, all in all (default 120)
  --rows TEXT  only the rows whose `task, payload | chunk` contains TEXT
  --reported   the reported cases instead of the tables
  --streams    many streams at once, fed a token in turn, instead of the tables
  --rewrite    rewriting, and values as they came, instead of the tables
  --svg DIR    draw the pictures into DIR instead";

struct Arguments {
    seconds: f64,
    rows: String,
    reported: bool,
    streams: bool,
    rewrite: bool,
    /// The contender whose memory is measured; `--streams` starts a process with this option for each.
    streams_memory: Option<String>,
    svg: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments {
        seconds: 120.0,
        rows: String::new(),
        reported: false,
        streams: false,
        rewrite: false,
        streams_memory: None,
        svg: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seconds" => parsed.seconds = value()?.parse().map_err(|_| "--seconds needs a number")?,
            "--rows" => parsed.rows = value()?,
            "--reported" => parsed.reported = true,
            "--streams" => parsed.streams = true,
            "--rewrite" => parsed.rewrite = true,
            "--streams-memory" => parsed.streams_memory = Some(value()?),
            "--svg" => parsed.svg = Some(value()?.into()),
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    if !(parsed.seconds > 0.0 && parsed.seconds < 1e6) {
        return Err("--seconds needs a positive number".into());
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("error: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(directory) = &arguments.svg {
        return match pictures::draw(directory, arguments.seconds) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if let Some(name) = &arguments.streams_memory {
        return match many_streams::print_memory(name) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if arguments.streams {
        many_streams::print(arguments.seconds);
        return ExitCode::SUCCESS;
    }
    if arguments.rewrite {
        rewrite::print(arguments.seconds);
        return ExitCode::SUCCESS;
    }
    if arguments.reported {
        reported_cases::print(arguments.seconds);
        return ExitCode::SUCCESS;
    }
    tables(&arguments)
}

fn tables(arguments: &Arguments) -> ExitCode {
    let mut rows = rows::rows();
    rows.retain(|row| format!("{} | {}", row.name(), row.chunking.name()).contains(&arguments.rows));
    if rows.is_empty() {
        eprintln!("error: no row contains {:?}", arguments.rows);
        return ExitCode::from(2);
    }
    let mut contenders = contenders::all();
    let budget = Duration::from_secs_f64(arguments.seconds / rows.len() as f64);
    let mut measured = Vec::new();
    for row in rows {
        eprintln!("{} | {}", row.name(), row.chunking.name());
        let result = measure::measure(&row, &mut contenders, budget);
        measured.push((row, result));
    }
    table::print(Figure::Minimum, &contenders, &measured);
    table::print(Figure::Median, &contenders, &measured);
    table::print_notes(&contenders, &measured);
    let wrong = measured.iter().flat_map(|(_, row)| &row.costs).any(|cost| matches!(cost, Cost::Wrong(_)));
    if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
