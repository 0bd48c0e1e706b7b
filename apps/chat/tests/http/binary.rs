//! The binary as it is started: it works at once, and says in one sentence why it does not start.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::stub::{Answer, Stub};
use crate::world::Site;

/// Starts the binary on a free port, with a database in this folder, only these variables, and its log here.
async fn start(folder: &Path, variables: &[(&str, &str)], log: Stdio) -> (Child, Site) {
    let mut app = Command::new(env!("CARGO_BIN_EXE_chat"))
        .args(["--port", "0", "--pause-ms", "0", "--database"])
        .arg(folder.join("chat.sqlite3"))
        .env_clear()
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(app.stdout.take().unwrap()).lines();
    (app, Site::at(lines.next_line().await.unwrap().unwrap()))
}

/// Needs no key and no network, ignores other providers' keys, and runs even if its log can't be written. Told to end, it
/// ends in order.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_works_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let (mut app, site) = start(folder.path(), &[("OPENAI_API_KEY", "sk-elsewhere")], full.into()).await;
    let page = reqwest::get(&site.base_url).await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(site.turn("a", "finance", "Hi #status:500").await.error(), "provider_failed");
    assert!(site.done("a", "finance", "My accounts?").await.names().contains(&"tool_result"));
    assert_eq!(app.try_wait().unwrap(), None, "it runs");
    let end = Command::new("kill").args(["-TERM", &app.id().unwrap().to_string()]).status();
    assert!(end.await.unwrap().success() && app.wait().await.unwrap().success());
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let old = rusqlite::Connection::open(folder.path().join("old.sqlite3")).unwrap();
    old.pragma_update(None, "user_version", 3).unwrap();
    for (arguments, words) in [
        (
            ["--port", &port, "--database", "unused.sqlite3"],
            "something listens there already; `--port` names another port",
        ),
        (
            ["--port", "0", "--database", "/no/such/folder/a.sqlite3"],
            "can't open the database /no/such/folder/a.sqlite3: ",
        ),
        (["--port", "0", "--database", "old.sqlite3"], "another version of the app has written it"),
        (["--port", "0", "--store", "redis://127.0.0.1:1"], "can't use the store: Redis: "),
        (["--port", "0", "--store", "redis+cluster://127.0.0.1:1"], "can't use the store: Redis: "),
    ] {
        let mut app = Command::new(env!("CARGO_BIN_EXE_chat"));
        let ended = app.args(arguments).env_clear().current_dir(folder.path()).output().await.unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        let last = told.lines().last().unwrap();
        assert!(last.starts_with("chat: can't ") && last.contains(words), "{told}");
        assert_eq!(ended.status.code(), Some(1));
    }
}

/// Locks a database for one server, whatever link leads to it. Programs that only read it are not shut out.
#[cfg(unix)]
#[tokio::test]
async fn a_second_server_on_the_same_database_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let (mut app, _) = start(folder.path(), &[], Stdio::null()).await;
    let (database, link) = (folder.path().join("chat.sqlite3"), folder.path().join("link.sqlite3"));
    std::os::unix::fs::symlink(&database, &link).unwrap();
    for path in [&database, &link] {
        let mut second = Command::new(env!("CARGO_BIN_EXE_chat"));
        let ended = second.args(["--port", "0", "--database"]).arg(path).env_clear().output().await.unwrap();
        let error = String::from_utf8_lossy(&ended.stderr);
        assert!(error.contains("another server uses it; `--database` names another file"), "{error}");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0));
    }
    let events = "SELECT COUNT(*) FROM events";
    rusqlite::Connection::open(&database).unwrap().query_row(events, [], |row| row.get::<_, i64>(0)).unwrap();
    // Killed, it leaves nothing that another would have to wait for.
    app.kill().await.unwrap();
    start(folder.path(), &[], Stdio::null()).await;
}

/// Line breaks and control sequences in a provider's error do not reach the log.
#[tokio::test]
async fn a_providers_words_stay_in_their_line_of_the_log() {
    let provider = Stub::start([Answer::refusing(500, "first\u{1b}[31m\nsecond\r\u{202e}third")]).await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let file = std::fs::File::create(&log).unwrap();
    let variables = [("ANTHROPIC_BASE_URL", provider.base_url.as_str()), ("ANTHROPIC_API_KEY", "key")];
    let (app, site) = start(folder.path(), &variables, file.into()).await;
    for assistant in ["finance", "form"] {
        assert_eq!(site.turn(assistant, assistant, "Hi").await.error(), "provider_failed");
    }
    drop(app);
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.lines().any(|line| line.contains("first") && line.contains("second")), "{log}");
    assert!(log.lines().all(|line| line.starts_with("20") && !line.contains(['\u{1b}', '\r', '\u{202e}'])), "{log:?}");
}
