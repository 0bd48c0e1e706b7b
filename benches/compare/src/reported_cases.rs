//! Reported cases: long tool calls in small deltas, for which parsing the prefix again at each delta took seconds or
//! minutes. One row per case, with the times of all contenders.

use std::time::Duration;

use crate::chunks::{Chunking, Input};
use crate::contenders::{self, Contender, FEED_WITH, Task, latency};
use crate::measure::{Cost, Measured, measure};
use crate::payload::Kind;
use crate::rows::{Goal, Row};
use crate::table::time;

/// A reported case: one long string of `size` bytes in deltas of `delta` bytes.
struct Case {
    what: &'static str,
    report: &'static str,
    took: &'static str,
    size: usize,
    delta: usize,
}

const CASES: [Case; 5] = [
    Case {
        what: "116,667 one-character deltas",
        report: "earendil-works/pi#9062",
        took: "1.48 s for the first 16,000",
        size: 116_667,
        delta: 1,
    },
    Case {
        what: "600 KB in 40-byte deltas",
        report: "earendil-works/pi#7698",
        took: "83.4 s",
        size: 600_000,
        delta: 40,
    },
    Case {
        what: "64 KB in 20-byte deltas",
        report: "openclaw/openclaw#113124",
        took: "6.7 s",
        size: 64_000,
        delta: 20,
    },
    Case { what: "4,000 one-character deltas", report: "vercel/ai#17113", took: "13.6 s", size: 4_000, delta: 1 },
    Case {
        what: "2 MB in 64-character deltas",
        report: "eclipse-theia/theia#17975",
        took: "27 s",
        size: 2_000_000,
        delta: 64,
    },
];

/// Measures all cases for about `seconds` and prints them as a table.
pub fn print(seconds: f64) {
    let mut contenders = contenders::all();
    let budget = Duration::from_secs_f64(seconds / (2 * CASES.len()) as f64);
    println!(
        "| case | reported, reparse | jiter, reparse, here | jsonspigot, snapshot after every delta | \
         jsonspigot, deltas | first delta | worst single feed |\n|---|---|---|---|---|---|---|"
    );
    for case in &CASES {
        eprintln!("{}", case.what);
        let chunking = Chunking::Bytes(case.delta);
        let row = |task| Row { task, kind: Kind::LongText, size: case.size, chunking, goal: Goal::None };
        let snapshots = measure(&row(Task::Snapshots), &mut contenders, budget);
        let deltas = measure(&row(Task::Deltas), &mut contenders, budget);
        let (first, worst) = latency(&Input::new(Kind::LongText, case.size, chunking));
        println!(
            "| {} ({}) | {} | {} | {} | {} | {} | {} |",
            case.what,
            case.report,
            case.took,
            took(&contenders, &snapshots, "jiter"),
            took(&contenders, &snapshots, FEED_WITH),
            took(&contenders, &deltas, FEED_WITH),
            time(first),
            time(worst),
        );
    }
}

fn took(contenders: &[Box<dyn Contender>], measured: &Measured, name: &str) -> String {
    let found = contenders.iter().zip(&measured.costs).find(|(contender, _)| contender.name() == name);
    match found.map(|(_, cost)| cost) {
        Some(Cost::Measured { minimum, .. }) => time(*minimum),
        Some(Cost::Estimated(cost)) => format!("~{}", time(*cost)),
        Some(Cost::Wrong(_)) => "wrong".into(),
        Some(Cost::Unable) | None => "–".into(),
    }
}
