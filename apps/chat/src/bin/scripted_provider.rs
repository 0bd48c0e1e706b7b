//! The scripted provider's own binary.

use std::io;

use chat::scripted::{Flags, run};
use clap::Parser;

/// A provider without a model: Anthropic Messages over HTTP, answers by script.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    flags: Flags,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    run(Arguments::parse().flags).await
}
