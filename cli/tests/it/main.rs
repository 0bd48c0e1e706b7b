//! The command line, run as its users run it: arguments and bytes in, lines and an exit status out.

mod arguments;
mod cases;
mod checkpoint;
mod chunks;
mod command;
mod documents;
mod envelope;
mod errors;
mod framings;
mod full;
#[cfg(feature = "generate")]
mod generate;
mod lenient;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod nested;
mod pipes;
mod prose;
mod provider;
mod raw;
#[cfg(unix)]
mod readme;
mod rewrite;
mod selectors;
mod snapshots;
#[cfg(unix)]
mod terminal;

use jsonspigot_check::model::{closer, torture};

/// The recorded streams, as the command's own tests find them.
#[path = "../../src/recorded.rs"]
mod recorded;
