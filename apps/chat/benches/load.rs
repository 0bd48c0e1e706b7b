//! 500 conversations at once, each with its own random text, compared byte for byte: `cargo bench -p chat --bench load`.
//!
//! The server and the scripted provider are processes of their own, so that the memory that is measured is the server's.
//! It ends with a failure if a text is lost or mixed, if a stream costs more than 128 KiB, or after 60 seconds.

use std::error::Error;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chat::scripted::random_text;
use chat::wire::Envelope;
use reqwest::Client;
use serde_json::json;
use sse_core::{SseDecoder, SseEvent};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

const CONVERSATIONS: u64 = 500;
const CHARACTERS: usize = 1_500;
/// Between two fragments of a stream: 20 tokens a second, which is a slow model, times 500.
const PAUSE_MS: &str = "50";
const MOST_TIME: Duration = Duration::from_secs(60);
const MOST_KIB: u64 = 128;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    tokio::time::timeout(MOST_TIME, load()).await?
}

async fn load() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let (server, base_url) = start(folder.path()).await?;
    let pid = server.id().ok_or("the server has ended")?;
    let client = Client::builder().no_proxy().pool_max_idle_per_host(0).build()?;
    // What the first conversation sets up once is no stream's.
    converse(client.clone(), base_url.clone(), CONVERSATIONS, Arc::default()).await?;
    let idle = resident_kib(pid)?;

    let begun = Instant::now();
    let open = Arc::new(AtomicUsize::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let watch = tokio::spawn(peak(pid, open.clone(), is_over.clone()));
    let mut streams = JoinSet::new();
    for seed in 0..CONVERSATIONS {
        streams.spawn(converse(client.clone(), base_url.clone(), seed, open.clone()));
    }
    let mut bytes = 0;
    while let Some(read) = streams.join_next().await {
        bytes += read??;
    }
    is_over.store(true, Ordering::Relaxed);
    let (peak, most_open) = watch.await??;
    let each = peak.saturating_sub(idle) / CONVERSATIONS;
    println!(
        "{CONVERSATIONS} conversations, {most_open} open at once, {bytes} bytes of text compared in {:.1} s; \
         resident {idle} KiB idle, {peak} KiB at most: {each} KiB a stream",
        begun.elapsed().as_secs_f64()
    );
    if each > MOST_KIB {
        return Err(format!("a stream costs {each} KiB, more than {MOST_KIB}").into());
    }
    Ok(())
}

/// The server, with the scripted provider that it starts itself.
async fn start(folder: &std::path::Path) -> Result<(Child, String), Failure> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_chat"))
        .args(["--port", "0", "--pause-ms", PAUSE_MS, "--database"])
        .arg(folder.join("chat.sqlite3"))
        .env_clear()
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let stdout = server.stdout.take().ok_or("the server has no output")?;
    let base_url = BufReader::new(stdout).lines().next_line().await?.ok_or("the server did not start")?;
    Ok((server, base_url))
}

/// One conversation: its text has to arrive as it is. Gives how many bytes it has.
async fn converse(client: Client, base_url: String, seed: u64, open: Arc<AtomicUsize>) -> Result<usize, Failure> {
    let body = json!({
        "conversationId": format!("load-{seed}"), "assistant": "finance",
        "message": format!("#random:{seed}:{CHARACTERS}"),
    });
    let request = client.post(format!("{base_url}/api/chat/send")).header("content-type", "application/json");
    let mut response = request.body(body.to_string()).send().await?.error_for_status()?;
    open.fetch_add(1, Ordering::Relaxed);
    let (mut decoder, mut text, mut is_done) = (SseDecoder::new(), String::new(), false);
    while let Some(mut chunk) = response.chunk().await? {
        while let Some(event) = decoder.next(&mut chunk) {
            let SseEvent::Message(message) = event? else { continue };
            is_done |= message.event == "done";
            if message.event == "text" {
                let envelope: Envelope = serde_json::from_str(&message.data)?;
                text.push_str(envelope.props.as_str().unwrap_or_default());
            }
        }
    }
    open.fetch_sub(1, Ordering::Relaxed);
    if !is_done || text != random_text(seed, CHARACTERS) {
        return Err(format!("conversation {seed} is not what was sent: {} bytes, done: {is_done}", text.len()).into());
    }
    Ok(text.len())
}

/// The most memory that was resident, and the most streams that were open at once.
async fn peak(pid: u32, open: Arc<AtomicUsize>, is_over: Arc<AtomicBool>) -> Result<(u64, usize), Failure> {
    let (mut peak, mut most_open) = (0, 0);
    while !is_over.load(Ordering::Relaxed) {
        peak = peak.max(resident_kib(pid)?);
        most_open = most_open.max(open.load(Ordering::Relaxed));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok((peak, most_open))
}

fn resident_kib(pid: u32) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
