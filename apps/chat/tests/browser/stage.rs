//! What every test stands on: a scripted provider, a server, a browser, and the page open in it.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use chat::assistant::Assistants;
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

/// What the last answer says so far.
pub(crate) const SAID: &str =
    "[...document.querySelectorAll('#chat .theirs')].at(-1)?.querySelector('.said:not(details *)')?.textContent ?? ''";

/// How a stage is set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Between two fragments of the provider.
    pub(crate) pause: Duration,
    /// Answers for `#replay:FILE`.
    pub(crate) recordings: Vec<(String, String)>,
    /// What the model is called: `scripted` is the scripted one, any other for a live one.
    pub(crate) model: &'static str,
    /// What the server bears.
    pub(crate) limits: Limits,
    /// Other tools, say.
    pub(crate) change: fn(Assistants) -> Assistants,
}

impl Default for Setup {
    fn default() -> Self {
        let (pause, recordings, limits) = Default::default();
        Self { pause, recordings, model: "scripted", limits, change: |assistants| assistants }
    }
}

impl Setup {
    /// At a model's pace.
    pub(crate) fn slowly() -> Self {
        Self { pause: Duration::from_millis(25), ..Self::default() }
    }
}

/// The day that it is in all tests.
fn on_a_day(assistants: Assistants) -> Assistants {
    assistants.with_clock(|| chrono::NaiveDate::from_ymd_opt(2026, 10, 31).unwrap(), &Limits::default())
}

/// Everything, running.
pub(crate) struct Stage {
    pub(crate) driver: WebDriver,
    pub(crate) line: Line,
    provider: ScriptedProvider,
    server: Mutex<Option<Server>>,
    /// What it is started with, and once more.
    config: Config,
    _folder: tempfile::TempDir,
}

/// Runs a test on a stage and takes the stage down, whatever the test comes to.
pub(crate) async fn on_stage<F: Future<Output = ()>>(setup: Setup, test: impl FnOnce(std::sync::Arc<Stage>) -> F) {
    let (mut chromedriver, address) = start_chromedriver().await;
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &setup.recordings {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let options = Options { pause: setup.pause, recordings: Some(folder.path().to_owned()) };
    let provider = ScriptedProvider::start(0, options).await.unwrap();
    let asked = ProviderConfig {
        protocol: Protocol::Anthropic,
        base_url: provider.base_url(),
        api_key: "scripted".into(),
        model: setup.model.into(),
    };
    let database = Some(folder.path().join("chat.sqlite3"));
    let config = Config { provider: asked, database, redis: None, hosts: Vec::new(), limits: setup.limits };
    let change = |assistants| (setup.change)(on_a_day(assistants));
    let server = Server::start_with(([127, 0, 0, 1], 0).into(), config.clone(), change).unwrap();
    let line = Line::to(&server.base_url()).await;
    let driver = WebDriver::new(&address, capabilities()).await.unwrap();
    driver.set_script_timeout(PATIENCE).await.unwrap();
    let server = Mutex::new(Some(server));
    let stage = Stage { driver: driver.clone(), line, provider, server, config, _folder: folder };
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

    /// Drops the server where it is, as if it had been killed, and starts another one on its database at the same address.
    pub(crate) fn kill_and_restart(&self) {
        let mut server = self.server.lock().unwrap();
        drop(server.take());
        let next = Server::start_with(([127, 0, 0, 1], 0).into(), self.config.clone(), on_a_day).unwrap();
        self.line.lead_to(&next.base_url());
        *server = Some(next);
    }

    /// Opens the page in a new conversation with an assistant.
    pub(crate) async fn open(&self, assistant: &str) {
        self.driver.goto("about:blank").await.unwrap();
        self.driver.goto(format!("{}/#{assistant}", self.line.address)).await.unwrap();
        self.until_idle().await;
        self.until("return document.activeElement.id === 'message'").await;
    }

    /// Writes a message as a person does, and sends it.
    pub(crate) async fn say(&self, text: &str) {
        let field = self.driver.find(By::Id("message")).await.unwrap();
        if text.chars().all(|character| character <= '\u{FFFF}') {
            field.send_keys(text).await.unwrap();
        } else {
            // A keyboard has no emoji, and nor have the driver's keys.
            field.click().await.unwrap();
            self.devtools("Input.insertText", json!({"text": text})).await;
        }
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
             const look = () => {{
               const value = holds();
               if (value) {{
                 observer?.disconnect();
                 done(value);
               }}
               return value;
             }};
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

    /// The texts of all elements that a selector selects.
    pub(crate) async fn texts(&self, selector: &str) -> Vec<String> {
        let script = format!("return [...document.querySelectorAll({})].map((it) => it.textContent)", json!(selector));
        serde_json::from_value(self.eval(&script).await).unwrap()
    }

    /// Presses what a selector selects first.
    pub(crate) async fn press(&self, selector: &str) {
        // The page draws rows and panels in its next frame.
        self.until(&format!("return document.querySelector({}) !== null", json!(selector))).await;
        self.eval(&format!("document.querySelector({}).click()", json!(selector))).await;
    }

    /// The text of the last bubble, as the document has it.
    pub(crate) async fn answer(&self) -> String {
        self.eval(&format!("return {SAID}")).await.as_str().unwrap_or_default().to_owned()
    }

    /// From now on keeps what an expression gives after each change of the document, if it is new.
    pub(crate) async fn watch(&self, expression: &str) {
        let script = format!(
            "window.seen = [];
             const look = () => {{
               const value = {expression};
               if (value !== window.seen.at(-1)) window.seen.push(value);
             }};
             const all = {{ subtree: true, childList: true, characterData: true, attributes: true }};
             new MutationObserver(look).observe(document, all);
             look();"
        );
        self.eval(&script).await;
    }

    /// What has been kept.
    pub(crate) async fn seen(&self) -> Vec<Value> {
        self.eval("return window.seen").await.as_array().unwrap().clone()
    }

    /// The distinct texts of what has been kept, the empty one aside.
    pub(crate) async fn texts_seen(&self) -> Vec<String> {
        let seen = self.seen().await;
        seen.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
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

#[derive(Clone, Debug, PartialEq, Eq)]
struct LineState {
    is_up: bool,
    cuts: u32,
    server: String,
}

impl Line {
    async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = watch::Sender::new(LineState { is_up: true, cuts: 0, server: server.to_owned() });
        let watched = state.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, watched.clone()));
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
        self.state.send_modify(|state| (state.is_up, state.cuts) = (false, state.cuts + 1));
    }

    pub(crate) fn mend(&self) {
        self.state.send_modify(|state| state.is_up = true);
    }

    /// Leads to another server from now on, and breaks every connection to the one before.
    fn lead_to(&self, server: &str) {
        self.state.send_modify(|state| (state.cuts, state.server) = (state.cuts + 1, server.to_owned()));
    }
}

async fn pass_on(mut client: TcpStream, mut state: watch::Receiver<LineState>) {
    let before = state.borrow_and_update().clone();
    if !before.is_up {
        return;
    }
    let server = before.server.trim_start_matches("http://");
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
