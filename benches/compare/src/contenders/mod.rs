//! The contenders: one trait, one small file each, every one used the way its documentation says.
//!
//! A task that a library can't do is `None`, printed as `–`. Where a library tells strings only whole, where it
//! reads the prefix again after each chunk, or where it holds the thread, its [`Manner`] says so in the table.

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

/// The names of the library's two methods that feed, for which the goals are, and of its default retention.
pub const FEED_WITH: &str = "jsonspigot `feed_with`";
pub const FEED: &str = "jsonspigot `feed`";
pub const KEEPING: &str = "jsonspigot, text kept";

/// How a contender goes about a stream; the table's footnotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Chunks in, text out as it becomes known.
    Live,
    /// Chunks in, but a string comes out only whole, at its end.
    Whole,
    /// The prefix is read again after each chunk.
    Reparse,
    /// Reads from a blocking `Read`: the thread waits inside the parser.
    Blocking,
    /// Reads once, when the whole text has come: no stream.
    AtTheEnd,
    /// Does less than the task: a lower bound, not a rival.
    Floor,
}

/// What a contender is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Deltas,
    Validate,
    Snapshots,
    Value,
    /// Deltas, with the parser of the run before.
    Again,
}

/// The outcome of one run: `None` if the contender can't do the task.
pub type Done = Option<()>;

/// One library at the tasks of the tables. A run covers a whole input, with a new parser.
pub trait Contender {
    fn name(&self) -> &'static str;
    fn manner(&self) -> Manner;
    /// Whether it takes escaped surrogate pairs; if not, it is given two other escapes in their place.
    fn takes_pairs(&self) -> bool {
        true
    }

    /// Tells the text at the input's path.
    fn deltas(&mut self, _input: &Input, _sink: &mut Sink) -> Done {
        None
    }
    /// Only says whether the input is JSON.
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
    /// As [`Contender::deltas`], with the parser of the run before.
    fn again(&mut self, _input: &Input, _sink: &mut Sink) -> Done {
        None
    }
}

/// Runs a task once; nothing is kept of what it tells.
pub fn run(contender: &mut dyn Contender, task: Task, input: &Input) -> Done {
    match task {
        Task::Deltas => contender.deltas(input, &mut Sink::default()),
        Task::Validate => contender.validate(input),
        Task::Snapshots => contender.snapshots(input, &mut Look::default()),
        Task::Value => contender.value(input, &mut Look::default()),
        Task::Again => contender.again(input, &mut Sink::default()),
    }
}

/// All contenders, in the order of the tables' columns.
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

/// The yardstick: the whole document at once, into a tree.
pub fn yardstick(input: &Input) {
    let value: Value = serde_json::from_slice(input.document.as_bytes()).expect("payloads are JSON");
    black_box(value);
}
