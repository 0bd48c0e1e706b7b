//! The binary as it is started: it works at once, and takes its scripted provider with it when it ends.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The app, on a free port, in an environment that names no provider.
async fn start(folder: &std::path::Path) -> (Child, String) {
    start_logging(folder, &[], Stdio::null()).await
}

/// Says something, and gives what comes of it.
async fn say(base_url: &str, assistant: &str, message: &str) -> String {
    let body = serde_json::json!({"conversationId": assistant, "assistant": assistant, "message": message}).to_string();
    let request = reqwest::Client::new().post(format!("{base_url}/api/chat/send"));
    let request = request.header("content-type", "application/json").body(body);
    request.send().await.unwrap().text().await.unwrap()
}

/// The app in an environment with these variables, and with its log here.
async fn start_logging(folder: &std::path::Path, variables: &[(&str, &str)], log: Stdio) -> (Child, String) {
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
    let base_url = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.unwrap().unwrap().unwrap();
    (app, base_url)
}

#[tokio::test]
async fn it_works_without_a_key_and_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let (_app, base_url) = start(folder.path()).await;
    let told = say(&base_url, "finance", "My accounts?").await;
    assert!(told.contains("event: tool_result\n") && told.contains("event: done\n"), "{told}");
    let page = reqwest::get(&base_url).await.unwrap();
    assert_eq!(
        (page.status().as_u16(), page.headers()["content-type"].to_str().unwrap()),
        (200, "text/html; charset=utf-8")
    );
}

/// What stands in the way of a start is told in words.
#[tokio::test]
async fn a_port_that_is_taken_and_a_bad_path_are_told_in_words() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (arguments, words) in [
        (
            ["--port", &port, "--database", "unused.sqlite3"],
            "something listens there already; `--port` names another port",
        ),
        (
            ["--port", "0", "--database", "/no/such/folder/a.sqlite3"],
            "can't open the database /no/such/folder/a.sqlite3: ",
        ),
        (["--port", "0", "--store", "redis://127.0.0.1:1"], "can't use the store: Redis: "),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut app = Command::new(env!("CARGO_BIN_EXE_chat"));
        let ended = app.args(arguments).env_clear().current_dir(folder.path()).output().await.unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        let last = told.lines().last().unwrap();
        assert!(!ended.status.success() && last.starts_with("chat: can't ") && last.contains(words), "{told}");
    }
}

/// A database has one server, by whatever name it goes; whoever only looks is let in.
#[cfg(unix)]
#[tokio::test]
async fn a_second_server_on_the_same_database_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let (mut app, _) = start(folder.path()).await;
    let database = folder.path().join("chat.sqlite3");
    let link = folder.path().join("link.sqlite3");
    std::os::unix::fs::symlink(&database, &link).unwrap();
    let second = |database: std::path::PathBuf| {
        let mut app = Command::new(env!("CARGO_BIN_EXE_chat"));
        app.args(["--port", "0", "--database"]).arg(database).env_clear().output()
    };
    for path in [&database, &link] {
        let ended = second(path.clone()).await.unwrap();
        let error = String::from_utf8_lossy(&ended.stderr);
        assert!(error.contains("another server uses it; `--database` names another file"), "{error}");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0));
    }
    let tables = "SELECT COUNT(*) FROM told";
    rusqlite::Connection::open(&database).unwrap().query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap();
    // Killed, it leaves nothing that another would have to wait for.
    app.kill().await.unwrap();
    start(folder.path()).await;
}

/// A key of another app's, without an address to use it at, is nobody's business.
#[tokio::test]
async fn a_key_without_an_address_is_not_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (_app, base_url) = start_logging(folder.path(), &[("OPENAI_API_KEY", "sk-elsewhere")], Stdio::null()).await;
    assert!(base_url.starts_with("http://127.0.0.1:"), "{base_url}");
}

/// A log that can't be written stops nothing.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_behind_the_log_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let (mut app, base_url) = start_logging(folder.path(), &[], full.into()).await;
    for message in ["Hi #status:500", "My accounts?"] {
        let told = say(&base_url, "finance", message).await;
        assert!(told.contains(if message.contains('#') { "provider_failed" } else { "event: done\n" }), "{told}");
    }
    assert_eq!(app.try_wait().unwrap(), None, "it runs");
}

/// What a provider says in its errors is no line of the log.
#[tokio::test]
async fn a_providers_words_stay_in_their_line_of_the_log() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let provider = format!("http://{}", listener.local_addr().unwrap());
    let refusing = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            let mut request = [0; 64 << 10];
            let _ = stream.read(&mut request).await;
            let body = r#"{"error": {"message": "first\u001b[31m\nsecond\r\u202ethird"}}"#;
            let head = format!("HTTP/1.1 500 No\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let file = std::fs::File::create(&log).unwrap();
    let (app, base_url) = start_logging(folder.path(), &[("ANTHROPIC_BASE_URL", &provider)], file.into()).await;
    for assistant in ["finance", "form"] {
        assert!(say(&base_url, assistant, "Hi").await.contains("provider_failed"));
    }
    drop(app);
    refusing.abort();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.lines().any(|line| line.contains("first") && line.contains("second")), "{log}");
    assert!(log.lines().all(|line| line.starts_with("20") && !line.contains(['\u{1b}', '\r', '\u{202e}'])), "{log:?}");
}

/// Killed, it has no chance to clean up: the provider notices that nobody holds its standard input.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_scripted_provider_ends_with_the_app_even_if_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut app, _) = start(folder.path()).await;
    let pid = app.id().unwrap();
    // A child stands in the list of the thread that started it.
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let children: String =
        threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("children")).unwrap()).collect();
    let provider = format!("/proc/{}", children.trim());
    let command = std::fs::read(format!("{provider}/cmdline")).unwrap();
    assert!(String::from_utf8_lossy(&command).contains("scripted-provider"), "{children}");
    app.kill().await.unwrap();
    let is_running = || {
        let stat = std::fs::read_to_string(format!("{provider}/stat")).unwrap_or_default();
        // A zombie has ended; who inherits it may be slow to notice.
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let gone = async {
        while is_running() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.expect("the provider has ended");
}
