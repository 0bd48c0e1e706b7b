//! The command line, run as its users run it: arguments and bytes in, lines and an exit status out.

mod arguments;
mod chunks;
mod command;
mod errors;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod pipes;
mod prose;
mod selectors;
