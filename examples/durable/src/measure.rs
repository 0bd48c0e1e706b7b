//! `measure`: what a worker carries, what a stream takes in Redis, and what more workers bring, on a Redis of its own.
//!
//! Besides the time that passed it prints the time that the processes had of a processor, which does not depend as much on
//! what else the machine does.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use redis::cmd;

use crate::produce::{Source, produce};
use crate::server::Server;
use crate::step::Chunk;
use crate::store::Store;

const PREFIX: &str = "measure";

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many streams there are.
    pub streams: u64,
    /// About how many chunks each of them has.
    pub chunks: usize,
}

/// A worker process, which ends with its owner.
struct Worker(Child);

impl Worker {
    fn start(program: &Path, url: &str, more: &[&str]) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        command.args(["work", "--redis", url, "--prefix", PREFIX]).args(more).stdin(Stdio::null());
        command.spawn().map(Self)
    }

    /// Seconds that it had of a processor, where the system tells.
    fn cpu(&self) -> Option<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).ok()?;
        // The fields after the name, which is in parentheses; times are in hundredths of a second.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
        let mut time = || fields.next()?.parse::<f64>().ok();
        Some((time()? + time()?) / 100.0)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures, and prints. `program` is the one that works.
///
/// # Errors
///
/// There is no Redis, or it or a worker fails.
pub fn measure(program: &Path, options: Options) -> Result<(), Box<dyn Error>> {
    let server = Server::start()?;
    let mut store = Store::connect(&server.url(), PREFIX)?;
    let sources: Vec<_> = (0..options.streams).map(|seed| Source::made(seed, options.chunks)).collect();
    let chunks: usize = sources.iter().map(|source| source.chunks.len()).sum();
    let bytes: usize = sources.iter().flat_map(|source| &source.chunks).map(Chunk::bytes).sum();
    println!("{} streams, {chunks} chunks, {} bytes a chunk", sources.len(), bytes / chunks.max(1));
    println!("\nall chunks are there before the workers start; up to 256 chunks of a stream in a turn");
    for workers in [1, 2, 4] {
        backlog(program, &server, &mut store, &sources, workers, "256")?;
    }
    println!("\nthe same, but each chunk is a turn and a commit of its own");
    let fewer = &sources[..sources.len().div_ceil(4)];
    for workers in [1, 2, 4] {
        backlog(program, &server, &mut store, fewer, workers, "1")?;
    }
    println!("\none worker, chunks as they come: 20 a second in each stream");
    for share in [8, 4, 2, 1] {
        live(program, &server, &mut store, &sources[..sources.len().div_ceil(share)])?;
    }
    println!("\nbytes in Redis a stream, in its middle (MEMORY USAGE; \"all\": growth of used_memory)");
    for trim in [false, true] {
        memory(program, &server, &mut store, &sources, trim)?;
    }
    Ok(())
}

fn clear(store: &mut Store, server: &Server) -> redis::RedisResult<()> {
    cmd("FLUSHALL").exec(store.connection())?;
    // The group was there too.
    *store = Store::connect(&server.url(), PREFIX)?;
    Ok(())
}

/// Waits until all streams have ended: what is left of each is its state and its output.
fn wait_for_the_end(store: &mut Store, streams: usize) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    while cmd("DBSIZE").query::<usize>(store.connection())? != 1 + 2 * streams || queued(store)? > 0 {
        if start.elapsed() > Duration::from_secs(300) {
            return Err("the streams do not end".into());
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn queued(store: &mut Store) -> redis::RedisResult<usize> {
    cmd("XLEN").arg(format!("{{{PREFIX}}}:queue")).query(store.connection())
}

/// A number in what Redis tells about itself.
fn info(store: &mut Store, section: &str, field: &str) -> Result<f64, Box<dyn Error>> {
    let text: String = cmd("INFO").arg(section).query(store.connection())?;
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    Ok(value.ok_or("INFO has no such field")?.trim().parse()?)
}

fn redis_cpu(store: &mut Store) -> Result<f64, Box<dyn Error>> {
    Ok(info(store, "cpu", "used_cpu_user")? + info(store, "cpu", "used_cpu_sys")?)
}

fn backlog(
    program: &Path,
    server: &Server,
    store: &mut Store,
    sources: &[Source],
    workers: usize,
    most: &str,
) -> Result<(), Box<dyn Error>> {
    clear(store, server)?;
    let before = redis_cpu(store)?;
    let chunks = produce(store, sources, Duration::ZERO)? as f64;
    let appended = redis_cpu(store)?;
    let start = Instant::now();
    let workers = (0..workers)
        .map(|_| Worker::start(program, &server.url(), &["--chunks", most]))
        .collect::<Result<Vec<_>, _>>()?;
    wait_for_the_end(store, sources.len())?;
    let time = start.elapsed().as_secs_f64();
    let cpu: f64 = workers.iter().filter_map(Worker::cpu).sum();
    let redis = redis_cpu(store)? - appended;
    println!(
        "{} workers: {:>7.0} chunks a second in {time:.2} s; microseconds of processor a chunk: worker {:.1}, Redis {:.1} (and {:.1} to append it)",
        workers.len(),
        chunks / time,
        cpu * 1e6 / chunks,
        redis * 1e6 / chunks,
        (appended - before) * 1e6 / chunks,
    );
    Ok(())
}

fn live(program: &Path, server: &Server, store: &mut Store, sources: &[Source]) -> Result<(), Box<dyn Error>> {
    clear(store, server)?;
    // A hundred chunks of each are five seconds.
    let sources: Vec<_> = sources.iter().map(|source| source.cut(100).ended()).collect();
    let worker = Worker::start(program, &server.url(), &[])?;
    let start = Instant::now();
    let before = redis_cpu(store)?;
    let chunks = produce(store, &sources, Duration::from_millis(50))?;
    let produced = start.elapsed();
    wait_for_the_end(store, sources.len())?;
    let behind = start.elapsed() - produced;
    println!(
        "{:>5} streams: {:>6.0} chunks a second; the last output came {:>3} ms after the last chunk; busy: worker {:>3.0} %, Redis {:>3.0} %",
        sources.len(),
        chunks as f64 / produced.as_secs_f64(),
        behind.as_millis(),
        worker.cpu().unwrap_or_default() * 100.0 / start.elapsed().as_secs_f64(),
        (redis_cpu(store)? - before) * 100.0 / start.elapsed().as_secs_f64(),
    );
    Ok(())
}

fn memory(
    program: &Path,
    server: &Server,
    store: &mut Store,
    sources: &[Source],
    trim: bool,
) -> Result<(), Box<dyn Error>> {
    clear(store, server)?;
    let before = info(store, "memory", "used_memory")?;
    let halves: Vec<_> = sources.iter().map(|source| source.cut(source.chunks.len() / 2)).collect();
    produce(store, &halves, Duration::ZERO)?;
    let worker = Worker::start(program, &server.url(), if trim { &["--trim"] } else { &[] })?;
    while queued(store)? > 0 {
        thread::sleep(Duration::from_millis(20));
    }
    drop(worker);
    let all = info(store, "memory", "used_memory")? - before;
    let mut sums = [0_u64; 3];
    let (mut saved, mut longest) = (0, 0);
    for source in &halves {
        for (sum, kind) in sums.iter_mut().zip(["state", "in", "out"]) {
            let mut call = cmd("MEMORY");
            call.arg("USAGE").arg(store.key(kind, &source.name)).arg("SAMPLES").arg(0);
            *sum += call.query::<Option<u64>>(store.connection())?.unwrap_or_default();
        }
        let len: u64 = cmd("HSTRLEN").arg(store.key("state", &source.name)).arg("saved").query(store.connection())?;
        (saved, longest) = (saved + len, longest.max(len));
    }
    let streams = halves.len() as u64;
    let [state, input, out] = sums.map(|sum| sum / streams);
    println!(
        "{}: state {state} (saved {}, at most {longest}), input {input}, output {out}; all {:.0}",
        if trim { "chunks dropped when processed" } else { "chunks kept for reading again" },
        saved / streams,
        all / streams as f64,
    );
    Ok(())
}
