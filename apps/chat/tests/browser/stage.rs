//! The setup of every test: a scripted provider, a server, and the page in a browser.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use chat::assistant::Assistants;
use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::{Journal, ScriptedProvider};
use chat::server::Server;
use futures::FutureExt;
use serde_json::{Value, json};
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, TypingData};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// How long anything on the page may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The text of the last answer.
pub(crate) const SAID: &str = "all('#chat .theirs').at(-1)?.querySelector('.said:not(details *)')?.textContent ?? ''";

/// Helpers for scripts.
const HELPERS: &str = "const one = (selector) => document.querySelector(selector);
    const all = (selector) => [...document.querySelectorAll(selector)];
    const texts = (selector) => all(selector).map((it) => it.textContent);
    const state = () => one('#chat').dataset.state;";

/// How a stage is set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Between two fragments of the provider.
    pub(crate) pause: Duration,
    pub(crate) limits: Limits,
    /// Changes the assistants, for example their tools.
    pub(crate) change: fn(Assistants) -> Assistants,
}

impl Default for Setup {
    fn default() -> Self {
        Self { pause: Duration::ZERO, limits: Limits::default(), change: |assistants| assistants }
    }
}

impl Setup {
    /// Sends at a model's pace.
    pub(crate) fn slowly() -> Self {
        Self { pause: Duration::from_millis(25), ..Self::default() }
    }
}

/// Sets the day of all tests.
fn on_a_day(assistants: Assistants) -> Assistants {
    assistants.with_clock(|| chrono::NaiveDate::from_ymd_opt(2026, 10, 31).unwrap(), &Limits::default())
}

/// The running programs.
pub(crate) struct Stage {
    pub(crate) driver: WebDriver,
    pub(crate) line: Line,
    provider: ScriptedProvider,
    server: Mutex<Option<Server>>,
    config: Config,
    _folder: tempfile::TempDir,
}

/// Runs a test on a stage, and takes the stage down also if the test panics.
pub(crate) async fn on_stage<F: Future<Output = ()>>(setup: Setup, test: impl FnOnce(std::sync::Arc<Stage>) -> F) {
    let (mut chromedriver, address) = start_chromedriver().await;
    let folder = tempfile::tempdir().unwrap();
    let provider = ScriptedProvider::start(setup.pause).await.unwrap();
    let asked = ProviderConfig {
        protocol: Protocol::Anthropic,
        base_url: provider.base_url(),
        api_key: "scripted".into(),
        model: "scripted".into(),
    };
    let database = Some(folder.path().join("chat.sqlite3"));
    let config = Config { provider: asked, database, redis: None, hosts: Vec::new(), limits: setup.limits };
    let change = |assistants| (setup.change)(on_a_day(assistants));
    let server = Server::start(([127, 0, 0, 1], 0).into(), config.clone(), change).unwrap();
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
    /// Returns the provider's journal.
    pub(crate) fn journal(&self) -> &Journal {
        self.provider.journal()
    }

    /// Drops the server as if it had been killed, and starts another one on its database at the same address.
    pub(crate) fn kill_and_restart(&self) {
        let mut server = self.server.lock().unwrap();
        drop(server.take());
        let next = Server::start(([127, 0, 0, 1], 0).into(), self.config.clone(), on_a_day).unwrap();
        self.line.lead_to(&next.base_url());
        *server = Some(next);
    }

    /// Opens the page in a new conversation with an assistant.
    pub(crate) async fn open(&self, assistant: &str) {
        self.driver.goto("about:blank").await.unwrap();
        self.driver.goto(format!("{}/#{assistant}", self.line.address)).await.unwrap();
        self.until_idle().await;
        self.until("document.activeElement.id === 'message'").await;
    }

    /// Loads the page again.
    pub(crate) async fn reload(&self) {
        self.driver.refresh().await.unwrap();
        self.until("one('#chat') !== null && state() !== 'starting'").await;
    }

    /// Writes a message as a person does, and sends it.
    pub(crate) async fn say(&self, text: &str) {
        let field = self.driver.find(By::Id("message")).await.unwrap();
        field.send_keys(text).await.unwrap();
        field.send_keys(Key::Enter + "").await.unwrap();
    }

    /// Says something, and waits for the end of the turn.
    pub(crate) async fn ask(&self, text: &str) {
        self.say(text).await;
        self.until_idle().await;
    }

    /// Says something of which the provider holds the last fragment back, and waits for that.
    pub(crate) async fn ask_held(&self, text: &str) {
        let held = self.journal().seen().held;
        self.say(&format!("{text} #hold")).await;
        self.journal().wait_for(|seen| seen.held > held).await;
    }

    /// Waits until the turn is over and drawn.
    pub(crate) async fn until_idle(&self) {
        self.until("one('#chat')?.dataset.state === 'idle'").await;
    }

    /// Waits until an expression is true: it is evaluated whenever the document changes.
    pub(crate) async fn until(&self, expression: &str) -> Value {
        let wait = format!(
            "{HELPERS} const done = arguments[0]; const holds = () => ({expression});
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
        match self.driver.execute_async(wait, Vec::new()).await {
            Ok(value) => value.json().clone(),
            Err(error) => {
                panic!("waited in vain for `{expression}`: {error}\n{}", self.eval("one('body').innerText").await)
            }
        }
    }

    /// Evaluates an expression.
    pub(crate) async fn eval(&self, expression: &str) -> Value {
        self.run(&format!("return ({expression})")).await
    }

    /// Runs statements.
    pub(crate) async fn run(&self, statements: &str) -> Value {
        let script = format!("{HELPERS} {statements}");
        self.driver.execute(script, Vec::new()).await.unwrap().json().clone()
    }

    /// Checks the value of an expression.
    pub(crate) async fn expect(&self, expression: &str, expected: impl serde::Serialize) {
        assert_eq!(self.eval(expression).await, json!(expected), "{expression}");
    }

    /// Returns the text of an expression's value.
    pub(crate) async fn text(&self, expression: &str) -> String {
        self.eval(expression).await.as_str().unwrap_or_default().to_owned()
    }

    /// Clicks the first element of a selector, once it is there.
    pub(crate) async fn press(&self, selector: &str) {
        self.until(&format!("one(`{selector}`)")).await;
        self.run(&format!("one(`{selector}`).click()")).await;
    }

    /// Puts the focus on the first element of a selector, and types keys there.
    pub(crate) async fn key(&self, selector: &str, keys: impl Into<TypingData>) {
        self.until(&format!("one(`{selector}`)?.getClientRects().length > 0")).await;
        self.run(&format!("one(`{selector}`).focus()")).await;
        self.expect(&format!("document.activeElement.matches(`{selector}`)"), true).await;
        self.driver.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// Keeps the values of an expression from now on, each time that it changes.
    pub(crate) async fn watch(&self, expression: &str) {
        self.run(&format!(
            "window.seen = [];
             const look = () => {{
               const value = {expression};
               if (value !== window.seen.at(-1)) window.seen.push(value);
             }};
             const everything = {{ subtree: true, childList: true, characterData: true, attributes: true }};
             new MutationObserver(look).observe(document, everything);
             look();"
        ))
        .await;
    }

    /// Returns the texts that were kept, without empty ones.
    pub(crate) async fn seen(&self) -> Vec<String> {
        let seen: Vec<Value> = serde_json::from_value(self.eval("window.seen").await).unwrap();
        seen.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }

    /// Sends a command of the devtools' protocol.
    pub(crate) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(command, parameters).await.unwrap()
    }

    /// Sets the window's size and its colour scheme.
    pub(crate) async fn look_as(&self, width: u32, height: u32, scheme: &str) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}
        ]});
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }
}

/// The connection between browser and server, which can be cut.
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

    /// Breaks every connection.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Breaks every connection, and accepts none until it is mended.
    pub(crate) fn take_down(&self) {
        self.state.send_modify(|state| (state.is_up, state.cuts) = (false, state.cuts + 1));
    }

    pub(crate) fn mend(&self) {
        self.state.send_modify(|state| state.is_up = true);
    }

    /// Leads to another server, and breaks every connection to the one before.
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
