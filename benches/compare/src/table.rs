//! Prints the measured rows as Markdown: a table of minima and one of medians, as ratios to the yardstick of the run.

use crate::contenders::{Contender, FEED, FEED_WITH, KEEPING, Manner, Task};
use crate::measure::{Cost, Measured};
use crate::rows::{Goal, Row};

/// The statistic that a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    Minimum,
    Median,
}

impl Figure {
    fn of(self, (minimum, median): (f64, f64)) -> f64 {
        if self == Self::Minimum { minimum } else { median }
    }
}

pub fn print(figure: Figure, contenders: &[Box<dyn Contender>], rows: &[(Row, Measured)]) {
    println!("**{figure:?} of the rounds**\n");
    let mark = |contender: &dyn Contender| match contender.manner() {
        _ if !contender.takes_pairs() => " ⁵",
        Manner::Live => "",
        Manner::Whole => " ¹",
        Manner::Reparse => " ²",
        Manner::Blocking => " ³",
        Manner::Floor => " ⁴",
        Manner::AtTheEnd => " ⁶",
    };
    let names: Vec<String> = contenders.iter().map(|c| format!("{}{}", c.name(), mark(c.as_ref()))).collect();
    println!("| task, payload | chunk | rounds | `from_slice` | {} | goal |", names.join(" | "));
    println!("|---|---|---|---|{}---|", "---|".repeat(names.len()));
    for (row, measured) in rows {
        let yardstick = figure.of(measured.yardstick);
        let cells: Vec<String> = measured.costs.iter().map(|cost| cell(figure, cost, yardstick)).collect();
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            row.name(),
            row.chunking.name(),
            measured.rounds,
            time(yardstick),
            cells.join(" | "),
            goal(figure, row, contenders, measured),
        );
    }
    println!();
}

/// Prints the meaning of the marks, the disturbed rows, and the contenders with wrong output.
pub fn print_notes(contenders: &[Box<dyn Contender>], rows: &[(Row, Measured)]) {
    println!(
        "Ratios to one `serde_json::from_slice::<Value>` of the whole payload in the same rounds, whose time is given. `~`: too slow \
         to run, extrapolated from smaller documents. `–`: can't do it. \
         ¹ strings only whole, at their end. ² reads the prefix again after each chunk; \
         to validate and for the final value, gathers the chunks and reads once at the end. ³ blocking: the thread waits inside. \
         ⁴ floor: reports nothing, checks no UTF-8. \
         ⁵ refuses escaped surrogate pairs: given other escapes in their place. \
         ⁶ gathers the chunks and reads once, at the end.\n"
    );
    for (row, measured) in rows {
        let (minimum, median) = measured.yardstick;
        if median > 1.3 * minimum {
            let times = median / minimum;
            println!(
                "- unsteady: {}, {}: the yardstick's median is {times:.1} × its minimum",
                row.name(),
                row.chunking.name()
            );
        }
        for (contender, cost) in contenders.iter().zip(&measured.costs) {
            if let Cost::Wrong(reason) = cost {
                println!("- wrong: {}, {}, {}: {reason}", contender.name(), row.name(), row.chunking.name());
            }
        }
    }
}

fn cell(figure: Figure, cost: &Cost, yardstick: f64) -> String {
    match cost {
        Cost::Measured { minimum, median } => ratio(figure.of((*minimum, *median)) / yardstick),
        Cost::Estimated(cost) => format!("~{}", ratio(cost / yardstick)),
        Cost::Unable => "–".into(),
        Cost::Wrong(_) => "wrong".into(),
    }
}

fn ratio(ratio: f64) -> String {
    match ratio {
        r if r < 1.0 => format!("{r:.3}"),
        r if r < 10.0 => format!("{r:.2}"),
        r if r < 100.0 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}

/// Formats a time in a suitable unit.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// Formats the goal, whether each method meets it, and the cost of the default retention.
fn goal(figure: Figure, row: &Row, contenders: &[Box<dyn Contender>], measured: &Measured) -> String {
    let of = |name: &str| {
        let at = contenders.iter().position(|contender| contender.name() == name)?;
        Some(figure.of(measured.costs[at].figures()?))
    };
    let yardstick = figure.of(measured.yardstick);
    let (text, with, feed) = match row.goal {
        Goal::None => return String::new(),
        Goal::Yardstick(with, feed) if with == feed => (format!("≤ {with}"), with * yardstick, feed * yardstick),
        Goal::Yardstick(with, feed) => (format!("≤ {with}, ≤ {feed}"), with * yardstick, feed * yardstick),
        Goal::Floor(times) => {
            let Some(floor) = of("table + skip") else { return String::new() };
            (format!("≤ {times} × floor = {}", ratio(times * floor / yardstick)), times * floor, times * floor)
        }
    };
    let met = |method: &str, limit: f64| match of(method) {
        Some(cost) if cost <= limit => "met",
        Some(_) => "missed",
        None => "–",
    };
    let methods = format!("{text}: {}, {}", met(FEED_WITH, with), met(FEED, feed));
    match (of(KEEPING), of(FEED_WITH), of("memcpy")) {
        (Some(keeping), Some(nothing), Some(memcpy)) if row.task == Task::Deltas => {
            format!("{methods}; keeping text adds {:.1} × memcpy", (keeping - nothing) / memcpy)
        }
        _ => methods,
    }
}
