//! The commands: `produce`, `work`, `read` and `measure`.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser};
use durable::made::PATTERNS;
use durable::measure::{self, measure};
use durable::produce::{Source, produce};
use durable::step::Program;
use durable::store::{Store, address};
use durable::worker::{self, work_forever};
use jsonspigot::PatternSet;

/// Provider streams that outlive their process: many at once, over Redis Streams, by several workers.
#[derive(Parser)]
#[command(version, args_override_self = true)]
enum Command {
    /// Appends made-up streams, one chunk of each at a time
    Produce(Produce),
    /// Works until it is killed
    Work(Work),
    /// Prints what a stream tells, until its end; waits for one that has not begun
    Read(Read),
    /// Starts a Redis of its own, and prints what a worker carries there
    Measure(Measure),
}

/// Where the streams are.
#[derive(Args)]
struct Place {
    /// Where Redis is
    #[arg(long, value_name = "URL", default_value = "redis://127.0.0.1:6379/", value_parser = redis_url)]
    redis: String,
    /// All keys begin with this, in braces
    #[arg(long, default_value = "durable")]
    prefix: String,
}

impl Place {
    fn connect(&self) -> Result<Store, String> {
        Store::connect(&self.redis, &self.prefix).map_err(|error| format!("Redis at {}: {error}", address(&self.redis)))
    }
}

/// A URL that can be tried. A worker would otherwise try a misspelt one for ever.
fn redis_url(url: &str) -> Result<String, String> {
    redis::Client::open(url).map(|_| url.to_owned()).map_err(|error| error.to_string())
}

#[derive(Args)]
struct Produce {
    #[command(flatten)]
    place: Place,
    /// How many streams
    #[arg(long, default_value_t = 100)]
    streams: u64,
    /// About how many chunks each of them has
    #[arg(long, default_value_t = 200)]
    chunks: usize,
    /// Of the first stream; the others follow
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Milliseconds between two chunks of a stream
    #[arg(long, default_value_t = 50)]
    period: u64,
}

#[derive(Args)]
struct Work {
    #[command(flatten)]
    place: Place,
    /// Its name, which no other worker may have; by default its process id and a random number
    #[arg(long)]
    name: Option<String>,
    /// Milliseconds after which another worker claims what this one has not committed
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    claim_after: u64,
    /// At most how many streams are read at once
    #[arg(long, default_value_t = 64)]
    streams: usize,
    /// At most how many chunks of a stream are read at once
    #[arg(long, default_value_t = 256)]
    chunks: usize,
    /// How often a turn is tried before its stream ends with an error
    #[arg(long, default_value_t = 16)]
    deliveries: u64,
    /// Seconds for which an ended stream's output is kept
    #[arg(long, default_value_t = 3600)]
    keep: u64,
    /// Drops chunks as soon as they are processed; then no program with other patterns can read them again
    #[arg(long)]
    trim: bool,
    /// A pattern to follow in the arguments of calls; may be repeated
    #[arg(long = "pattern", default_values = PATTERNS)]
    patterns: Vec<String>,
}

#[derive(Args)]
struct Read {
    #[command(flatten)]
    place: Place,
    /// The stream's name, such as made-0
    name: String,
    /// Begins after this chunk
    #[arg(long, default_value_t = 0)]
    after: u64,
}

#[derive(Args)]
struct Measure {
    /// How many streams
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(8..=100_000))]
    streams: u64,
    /// About how many chunks each of them has
    #[arg(long, default_value_t = 200)]
    chunks: usize,
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Produce(options) => run_produce(&options),
        Command::Work(options) => run_work(options),
        Command::Read(options) => run_read(&options),
        Command::Measure(Measure { streams, chunks }) => env::current_exe()
            .map_err(Into::into)
            .and_then(|program| measure(&program, measure::Options { streams, chunks })),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("durable: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_produce(options: &Produce) -> Result<(), Box<dyn Error>> {
    let mut store = options.place.connect()?;
    let seeds = options.seed..options.seed.saturating_add(options.streams);
    let sources: Vec<_> = seeds.map(|seed| Source::made(seed, options.chunks)).collect();
    let new = produce(&mut store, &sources, Duration::from_millis(options.period))?;
    println!("{new} chunks of {} streams", sources.len());
    Ok(())
}

fn run_work(options: Work) -> Result<(), Box<dyn Error>> {
    let program = Program::new(PatternSet::new(&options.patterns)?);
    let name = options.name.unwrap_or_else(|| format!("{}-{:08x}", std::process::id(), fastrand::u32(..)));
    let place = options.place;
    let options = worker::Options {
        name,
        claim_after: Duration::from_millis(options.claim_after),
        streams: options.streams.max(1),
        chunks: options.chunks.max(1),
        deliveries: options.deliveries,
        keep: Duration::from_secs(options.keep),
        trim: options.trim,
    };
    work_forever(&place.redis, &place.prefix, &program, &options)
}

fn run_read(options: &Read) -> Result<(), Box<dyn Error>> {
    let mut store = options.place.connect()?;
    let mut after = format!("{}-{}", options.after, u64::MAX);
    let mut out = io::stdout().lock();
    loop {
        for (id, lines) in store.read(options.name.as_bytes(), &after, Duration::from_secs(1))? {
            match writeln!(out, "{lines}").and_then(|()| out.flush()) {
                // Whoever reads this has had enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
            if durable::step::is_last(&lines) {
                return Ok(());
            }
            after = id;
        }
    }
}
