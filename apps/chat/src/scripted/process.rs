//! The scripted provider as a process of its own: its flags, its main function, and how the app starts and ends it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};

use super::{Options, ScriptedProvider};

/// The scripted provider's flags.
#[derive(Clone, Debug, clap::Args)]
pub struct Flags {
    /// The port on loopback; 0 is any free one.
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Milliseconds between two fragments.
    #[arg(long, default_value_t = 25)]
    pub pause_ms: u64,
    /// The folder with recorded streams, for `#replay:FILE`.
    #[arg(long)]
    pub recordings: Option<PathBuf>,
    /// End when standard input does: whoever started this process holds it open.
    #[arg(long)]
    pub end_with_stdin: bool,
}

/// Runs the provider until it is told to end. Its first line on standard output is its base URL.
///
/// # Errors
///
/// The port can't be had.
pub async fn run(flags: Flags) -> io::Result<()> {
    let options = Options { pause: Duration::from_millis(flags.pause_ms), recordings: flags.recordings };
    let provider = ScriptedProvider::start(flags.port, options).await?;
    writeln!(io::stdout(), "{}", provider.base_url())?;
    let mut rest = Vec::new();
    let mut stdin = tokio::io::stdin();
    tokio::select! {
        _ = stdin.read_to_end(&mut rest), if flags.end_with_stdin => Ok(()),
        ended = tokio::signal::ctrl_c() => ended,
    }
}

/// The provider's process, which ends when this is dropped, and also when this process ends in whatever way.
#[derive(Debug)]
pub struct ScriptedProcess {
    base_url: String,
    _child: Child,
    _stdin: ChildStdin,
}

impl ScriptedProcess {
    /// Starts this executable once more, as the provider.
    ///
    /// # Errors
    ///
    /// It can't be started, or does not say where it listens.
    pub async fn start(pause_ms: u64) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["scripted-provider", "--end-with-stdin", "--pause-ms", &pause_ms.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the scripted provider has no pipes"));
        };
        let line = BufReader::new(stdout).lines().next_line().await?;
        let base_url = line.ok_or_else(|| io::Error::other("the scripted provider did not start"))?;
        Ok(Self { base_url, _child: child, _stdin: stdin })
    }

    /// Where it listens.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }
}
