//! What every test stands on: a scripted provider, a server, a browser, and the page open in it.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::{Journal, Options, ScriptedProvider};
use chat::server::Server;
use futures::FutureExt;
use serde_json::{Value, json};
use thirtyfour::ChromeCapabilities;
use thirtyfour::prelude::*;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// How long anything on the page may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a stage is set up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// Between two fragments of the provider.
    pub(crate) pause: Duration,
    /// Answers for `#replay:FILE`.
    pub(crate) recordings: Vec<(String, String)>,
    /// What the server bears.
    pub(crate) limits: Limits,
}

/// Everything, running.
pub(crate) struct Stage {
    pub(crate) driver: WebDriver,
    pub(crate) line: Line,
    provider: ScriptedProvider,
    _server: Server,
    _recordings: tempfile::TempDir,
}

/// Runs a test on a stage and takes the stage down, whatever the test comes to.
pub(crate) async fn on_stage<F: Future<Output = ()>>(setup: Setup, test: impl FnOnce(std::sync::Arc<Stage>) -> F) {
    let (mut chromedriver, address) = start_chromedriver().await;
    let recordings = tempfile::tempdir().unwrap();
    for (name, text) in &setup.recordings {
        std::fs::write(recordings.path().join(name), text).unwrap();
    }
    let options = Options { pause: setup.pause, recordings: Some(recordings.path().to_owned()) };
    let provider = ScriptedProvider::start(0, options).await.unwrap();
    let asked = ProviderConfig {
        protocol: Protocol::Anthropic,
        base_url: provider.base_url(),
        api_key: "scripted".into(),
        model: "scripted".into(),
    };
    let config = Config { provider: asked, database: None, limits: setup.limits };
    let server = Server::start(([127, 0, 0, 1], 0).into(), config).unwrap();
    let line = Line::to(&server.base_url()).await;
    let driver = WebDriver::new(&address, capabilities()).await.unwrap();
    driver.set_script_timeout(PATIENCE).await.unwrap();
    let stage = Stage { driver: driver.clone(), line, provider, _server: server, _recordings: recordings };
    let outcome = AssertUnwindSafe(test(std::sync::Arc::new(stage))).catch_unwind().await;
    // The browser goes with its session, chromedriver with its process.
    let _ = driver.quit().await;
    let _ = chromedriver.kill().await;
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

async fn start_chromedriver() -> (Child, String) {
    let mut child = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("chromedriver is needed: `.ci/browser` installs it");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if let Some((_, port)) = line.rsplit_once("started successfully on port ") {
            return (child, format!("http://127.0.0.1:{}", port.trim_end_matches('.')));
        }
    }
    panic!("chromedriver did not say where it listens");
}

fn capabilities() -> ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    for argument in [
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--window-size=1280,800",
        "--hide-scrollbars",
        "--enable-precise-memory-info",
    ] {
        capabilities.add_arg(argument).unwrap();
    }
    capabilities
}

impl Stage {
    /// What the provider has seen and sent.
    pub(crate) fn journal(&self) -> &Journal {
        self.provider.journal()
    }

    /// Opens the page in a new conversation with an assistant.
    pub(crate) async fn open(&self, assistant: &str) {
        self.driver.goto("about:blank").await.unwrap();
        self.driver.goto(format!("{}/#{assistant}", self.line.address)).await.unwrap();
        self.until("return document.querySelector('#chat').dataset.state === 'idle' && document.activeElement.id === 'message'")
            .await;
    }

    /// Writes a message as a person does, and sends it.
    pub(crate) async fn say(&self, text: &str) {
        let field = self.driver.find(By::Id("message")).await.unwrap();
        field.send_keys(text).await.unwrap();
        field.send_keys(Key::Enter + "").await.unwrap();
    }

    /// Says something, and waits for the end of what comes of it.
    pub(crate) async fn ask(&self, text: &str) {
        self.say(text).await;
        self.until_idle().await;
    }

    /// Waits until the turn is over and drawn.
    pub(crate) async fn until_idle(&self) {
        self.until("return document.querySelector('#chat').dataset.state === 'idle'").await;
    }

    /// Waits until the script, a function's body, gives a true value: looked at whenever the document changes.
    pub(crate) async fn until(&self, script: &str) -> Value {
        let wait = format!(
            "const done = arguments[0]; const holds = () => {{ {script} }};
             let observer;
             const look = () => {{ const value = holds(); if (value) {{ observer?.disconnect(); done(value); }} return value; }};
             if (!look()) {{
               observer = new MutationObserver(look);
               observer.observe(document, {{ subtree: true, childList: true, characterData: true, attributes: true }});
             }}"
        );
        let waited = self.driver.execute_async(wait, Vec::new()).await;
        match waited {
            Ok(value) => value.json().clone(),
            Err(error) => panic!("waited in vain for `{script}`: {error}\n{}", self.text("body").await),
        }
    }

    /// What a script, a function's body, returns.
    pub(crate) async fn eval(&self, script: &str) -> Value {
        self.driver.execute(script, Vec::new()).await.unwrap().json().clone()
    }

    /// The visible text of an element.
    pub(crate) async fn text(&self, selector: &str) -> String {
        let text = self.eval(&format!("return document.querySelector({})?.innerText ?? ''", json!(selector))).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The text of the last bubble, as the document has it.
    pub(crate) async fn answer(&self) -> String {
        let script = "return [...document.querySelectorAll('.theirs')].at(-1).querySelector('.said:not(details *)')?.textContent ?? ''";
        self.eval(script).await.as_str().unwrap_or_default().to_owned()
    }

    /// From now on keeps what an expression gives after each change of the document, if it is new.
    pub(crate) async fn watch(&self, expression: &str) {
        let script = format!(
            "window.seen = [];
             const look = () => {{ const value = {expression}; if (value !== window.seen.at(-1)) window.seen.push(value); }};
             new MutationObserver(look).observe(document, {{ subtree: true, childList: true, characterData: true, attributes: true }});
             look();"
        );
        self.eval(&script).await;
    }

    /// What has been kept.
    pub(crate) async fn seen(&self) -> Vec<Value> {
        self.eval("return window.seen").await.as_array().unwrap().clone()
    }

    /// A command of the devtools' protocol.
    pub(crate) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(command, parameters).await.unwrap()
    }

    /// Makes the window a phone's or a desktop's, light or dark.
    pub(crate) async fn look_as(&self, width: u32, height: u32, scheme: &str) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}
        ]});
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }
}

/// The line between browser and server: passes everything on, and can be cut.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) address: String,
    state: watch::Sender<LineState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LineState {
    is_up: bool,
    cuts: u32,
}

impl Line {
    async fn to(server: &str) -> Self {
        let server = server.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = watch::Sender::new(LineState { is_up: true, cuts: 0 });
        let watched = state.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, server.clone(), watched.clone()));
            }
        });
        Self { address, state }
    }

    /// Breaks every connection that there is.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Breaks every connection, and takes none until it is mended.
    pub(crate) fn take_down(&self) {
        self.state.send_modify(|state| *state = LineState { is_up: false, cuts: state.cuts + 1 });
    }

    pub(crate) fn mend(&self) {
        self.state.send_modify(|state| state.is_up = true);
    }
}

async fn pass_on(mut client: TcpStream, server: String, mut state: watch::Receiver<LineState>) {
    let before = *state.borrow_and_update();
    if !before.is_up {
        return;
    }
    let Ok(mut upstream) = TcpStream::connect(server).await else { return };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut client, &mut upstream) => {}
        _ = state.wait_for(|now| now.cuts != before.cuts) => {}
    }
}

/// A recorded answer in the provider's protocol: pieces of text, or of a forced call's input.
pub(crate) fn recording(pieces: &[&str], tool: Option<&str>, has_end: bool) -> String {
    let block = match tool {
        None => json!({"type": "text", "text": ""}),
        Some(name) => json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}),
    };
    let delta = |piece: &&str| match tool {
        None => json!({"type": "text_delta", "text": piece}),
        Some(_) => json!({"type": "input_json_delta", "partial_json": piece}),
    };
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "recorded", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
    let mut events = vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ];
    let piece = |piece| json!({"type": "content_block_delta", "index": 0, "delta": delta(piece)});
    events.extend(pieces.iter().map(piece));
    if has_end {
        let reason = if tool.is_some() { "tool_use" } else { "end_turn" };
        events.push(json!({"type": "content_block_stop", "index": 0}));
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}));
        events.push(json!({"type": "message_stop"}));
    }
    let frame = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(frame).collect()
}

/// Where pictures go that a test takes: a folder for people to look at, if one is named.
pub(crate) fn pictures() -> Option<PathBuf> {
    std::env::var_os("CHAT_PICTURES").map(PathBuf::from)
}
