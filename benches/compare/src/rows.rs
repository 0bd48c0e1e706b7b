//! The rows of the tables: task, payload, chunking and goal.

use crate::chunks::Chunking;
use crate::contenders::Task;
use crate::payload::Kind;

/// The goal of the library in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    None,
    /// At most this many times the yardstick, through `feed_with` and through `feed`.
    Yardstick(f64, f64),
    /// At most this many times the table loop with skip, by either method.
    Floor(f64),
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub task: Task,
    pub kind: Kind,
    pub size: usize,
    pub chunking: Chunking,
    pub goal: Goal,
}

/// The size of a typical tool call, and below of the large payloads.
pub const CALL: usize = 2_300;
pub const LARGE: usize = 1_000_000;

impl Row {
    pub fn name(&self) -> String {
        let what = match self.task {
            Task::Deltas => "deltas of",
            Task::Validate => "validate",
            Task::Snapshots => "snapshot after every chunk,",
            Task::Value => "final value,",
            Task::Again => "`reset()` + deltas of",
        };
        let path = self.kind.pattern().trim_start_matches("$.");
        let shown = if matches!(self.task, Task::Deltas | Task::Again) { format!(" `{path}`,") } else { String::new() };
        let size = match self.size {
            0 => "120 B".into(),
            size if size < 10_000 => format!("{:.1} KB", size as f64 / 1000.0),
            size => format!("{} MB", size / 1_000_000),
        };
        format!("{what}{shown} {size} {}", self.kind.name())
    }
}

/// Returns all rows in the order of printing.
pub fn rows() -> Vec<Row> {
    use Chunking::{Bytes, Token, Whole};
    use Goal::{Floor, Yardstick};
    let row = |task, kind, size, chunking, goal| Row { task, kind, size, chunking, goal };
    let both = |goal| Yardstick(goal, goal);
    vec![
        row(Task::Deltas, Kind::ToolCall, CALL, Bytes(1), both(3.0)),
        row(Task::Deltas, Kind::ToolCall, CALL, Token, both(1.5)),
        row(Task::Deltas, Kind::ToolCall, CALL, Bytes(12), Goal::None),
        row(Task::Deltas, Kind::ToolCall, CALL, Bytes(64), both(0.6)),
        row(Task::Deltas, Kind::ToolCall, CALL, Whole, both(0.5)),
        row(Task::Deltas, Kind::LongText, LARGE, Bytes(1), Goal::None),
        row(Task::Deltas, Kind::LongText, LARGE, Token, both(6.0)),
        row(Task::Deltas, Kind::LongText, LARGE, Bytes(64), Floor(1.5)),
        row(Task::Deltas, Kind::LongText, LARGE, Bytes(4096), Goal::None),
        row(Task::Deltas, Kind::LongText, LARGE, Whole, both(0.9)),
        row(Task::Deltas, Kind::Records, LARGE, Bytes(1), Goal::None),
        row(Task::Deltas, Kind::Records, LARGE, Token, both(0.8)),
        row(Task::Deltas, Kind::Records, LARGE, Bytes(64), Goal::None),
        row(Task::Deltas, Kind::Records, LARGE, Bytes(4096), Goal::None),
        row(Task::Deltas, Kind::Records, LARGE, Whole, both(0.18)),
        row(Task::Deltas, Kind::Wide, LARGE, Whole, both(0.17)),
        row(Task::Validate, Kind::ToolCall, CALL, Token, both(1.25)),
        row(Task::Validate, Kind::ToolCall, CALL, Whole, both(0.22)),
        row(Task::Validate, Kind::Wide, LARGE, Whole, both(0.12)),
        row(Task::Validate, Kind::Records, LARGE, Token, Goal::None),
        row(Task::Validate, Kind::Records, LARGE, Whole, both(0.15)),
        row(Task::Validate, Kind::Numbers, LARGE, Token, Goal::None),
        row(Task::Validate, Kind::Numbers, LARGE, Whole, Goal::None),
        row(Task::Validate, Kind::Deep, LARGE, Token, Goal::None),
        row(Task::Validate, Kind::Deep, LARGE, Whole, Goal::None),
        row(Task::Snapshots, Kind::ToolCall, CALL, Token, both(2.0)),
        row(Task::Snapshots, Kind::ToolCall, CALL, Bytes(64), both(0.9)),
        row(Task::Snapshots, Kind::Numbers, LARGE, Bytes(1), both(3.5)),
        row(Task::Snapshots, Kind::Numbers, LARGE, Bytes(64), both(1.2)),
        row(Task::Snapshots, Kind::LongText, LARGE, Token, Floor(1.8)),
        row(Task::Value, Kind::ToolCall, CALL, Token, Goal::None),
        row(Task::Value, Kind::ToolCall, CALL, Whole, Goal::None),
        row(Task::Value, Kind::Records, LARGE, Whole, Goal::None),
        row(Task::Deltas, Kind::ShortCall, 0, Whole, both(1.0)),
        row(Task::Again, Kind::ShortCall, 0, Whole, both(0.7)),
    ]
}
