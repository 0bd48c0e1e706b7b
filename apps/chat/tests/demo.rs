//! `chat demo-durable` as it is run: its last line, and that nothing of it is left however it ends.

use std::env;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

fn demo(conversations: usize) -> Command {
    let mut demo = Command::new(env!("CARGO_BIN_EXE_chat"));
    demo.args(["demo-durable", "--conversations", &conversations.to_string()]).stdin(Stdio::null()).kill_on_drop(true);
    demo
}

/// Whether it could not run as there is no Redis; then the test is left out, and says so.
fn is_left_out(ended: &Output) -> bool {
    let is_missing = ended.status.code() == Some(1) && text(&ended.stderr).contains("there is no redis-server");
    if is_missing && env::var_os("CHAT_NEEDS_REDIS").is_none() {
        println!("left out: no redis-server here");
        return true;
    }
    false
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn a_server_is_killed_each_second_and_no_answer_differs() {
    let ended = tokio::time::timeout(Duration::from_secs(240), demo(20).output()).await.unwrap().unwrap();
    if is_left_out(&ended) {
        return;
    }
    let told = text(&ended.stdout);
    assert_eq!(told.lines().last(), Some("0 of 20 answers differ, 0 tools ran twice"), "{}", text(&ended.stderr));
    assert!(ended.status.success() && told.contains(" kills, "), "{told}");
}

#[tokio::test]
async fn without_a_redis_server_it_says_so() {
    let ended = demo(1).env("REDIS_SERVER", "/no/such/redis-server").output().await.unwrap();
    let error = text(&ended.stderr);
    let last = error.lines().last().unwrap_or_default();
    assert!(last.starts_with("chat: Redis is needed, and there is no redis-server in PATH"), "{error}");
    assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0));
}

/// Told to end, or killed itself: its servers and its Redis end too, and the folder is gone.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_of_it_however_it_ends() {
    for signal in ["TERM", "KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let mut running = demo(40)
            .env("TMPDIR", folder.path())
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let group = running.id().unwrap();
        let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
        loop {
            match lines.next_line().await.unwrap() {
                Some(line) if line.contains(" 2 kills, ") => break,
                Some(_) => {}
                None => {
                    assert!(is_left_out(&running.wait_with_output().await.unwrap()));
                    return;
                }
            }
        }
        // Itself, the shell, the Redis, and servers, of which one may just be on its way.
        assert!(members(group) >= 5, "{}", members(group));
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        Command::new("kill").args([&format!("-{signal}"), &group.to_string()]).status().await.unwrap();
        assert_ne!(running.wait().await.unwrap().code(), Some(0));
        let gone = async {
            while members(group) > 0 || folder.path().read_dir().unwrap().count() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("all have ended");
    }
}

/// How many processes of a group are running.
#[cfg(target_os = "linux")]
fn members(group: u32) -> usize {
    let stats = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
        let fields: Vec<String> = stat.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect();
        Some((fields[0].clone(), fields[2].clone()))
    });
    stats.filter(|(state, of)| state != "Z" && *of == group.to_string()).count()
}
