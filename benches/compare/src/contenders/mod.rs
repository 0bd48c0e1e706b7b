//! The contenders: one trait, one small file each. Each is used according to its documentation.
//!
//! A task that a library does not support returns `None`, printed as `–`. [`Manner`] marks libraries in the table that
//! report only whole strings, parse the prefix again after each chunk, or block the thread.

mod actson;
mod floors;
mod jiter;
mod json_event_parser;
mod jsonmodem;
mod jsonspigot;
mod partial_json_fixer;
mod picojson;
#[cfg(feature = "rama")]
mod rama_json;
mod struson;
mod typed;

use std::hint::black_box;

use serde_json::Value;

pub use self::jsonspigot::latency;

use crate::chunks::Input;
use crate::output::{Look, Sink};

/// The names of the library's two methods, which have goals, and of its default retention.
pub const FEED_WITH: &str = "jsonspigot `feed_with`";
pub const FEED: &str = "jsonspigot `feed`";
pub const KEEPING: &str = "jsonspigot, text kept";

/// How a contender reads a stream, for the footnotes of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Reads chunks and reports text as it becomes known.
    Live,
    /// Reads chunks but reports only whole strings.
    Whole,
    /// Parses the prefix again after each chunk.
    Reparse,
    /// Reads from a blocking `Read`: the thread waits inside the parser.
    Blocking,
    /// Reads the whole text once at the end.
    AtTheEnd,
    /// Does less than the task: a lower bound.
    Floor,
}

/// A task of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Deltas,
    Validate,
    Snapshots,
    Value,
    /// Deltas, with the parser of the previous run.
    Again,
}

/// The result of a run: `None` if the contender does not support the task.
pub type Done = Option<()>;

/// A library that does the tasks of the tables. A run reads a whole input with a new parser.
pub trait Contender {
    fn name(&self) -> &'static str;
    fn manner(&self) -> Manner;
    /// Returns true if it accepts escaped surrogate pairs. If not, its input has two other escapes instead.
    fn takes_pairs(&self) -> bool {
        true
    }

    /// Reports the text at the input's path.
    fn deltas(&mut self, _input: &Input, _sink: &mut Sink) -> Done {
        None
    }
    /// Validates the input.
    fn validate(&mut self, _input: &Input) -> Done {
        None
    }
    /// Shows the document so far after each chunk.
    fn snapshots(&mut self, _input: &Input, _look: &mut Look<'_>) -> Done {
        None
    }
    /// Shows the finished document.
    fn value(&mut self, _input: &Input, _look: &mut Look<'_>) -> Done {
        None
    }
    /// Reports deltas like [`Contender::deltas`], with the parser of the previous run.
    fn again(&mut self, _input: &Input, _sink: &mut Sink) -> Done {
        None
    }
}

/// Runs a task once and discards its output.
pub fn run(contender: &mut dyn Contender, task: Task, input: &Input) -> Done {
    match task {
        Task::Deltas => contender.deltas(input, &mut Sink::default()),
        Task::Validate => contender.validate(input),
        Task::Snapshots => contender.snapshots(input, &mut Look::default()),
        Task::Value => contender.value(input, &mut Look::default()),
        Task::Again => contender.again(input, &mut Sink::default()),
    }
}

/// Returns all contenders in the order of the tables' columns.
pub fn all() -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(floors::Memcpy::default()),
        Box::new(floors::Table),
        Box::new(floors::TableSkip),
        Box::new(jsonspigot::Spigot::new(jsonspigot::Method::FeedWith)),
        Box::new(jsonspigot::Spigot::new(jsonspigot::Method::Feed)),
        Box::new(jsonspigot::Spigot::new(jsonspigot::Method::Keeping)),
        Box::new(typed::Typed::SerdeJson),
        Box::new(typed::Typed::SonicRs),
        Box::new(jsonmodem::JsonModem),
        Box::new(jiter::Jiter),
        Box::new(actson::Actson),
        Box::new(json_event_parser::JsonEventParser),
        Box::new(struson::Struson),
        Box::new(picojson::PicoJson::default()),
        #[cfg(feature = "rama")]
        Box::new(rama_json::RamaJson::default()),
        Box::new(partial_json_fixer::PartialJsonFixer),
    ]
}

/// Runs the yardstick: parses the whole document into a `Value`.
pub fn yardstick(input: &Input) {
    let value: Value = serde_json::from_slice(input.document.as_bytes()).expect("payloads are JSON");
    black_box(value);
}
