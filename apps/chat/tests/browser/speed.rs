//! A long answer on a slow machine: the page keeps up, and keeps nothing.

use std::time::Instant;

use serde_json::{Value, json};

use crate::stage::{Setup, on_stage};

/// At four characters a delta, well over 5,000.
const CHARACTERS: usize = 24_000;

/// The page's own share of a frame, at most.
const MOST_MS: f64 = 100.0;

/// How often it is measured at most. Whatever else the machine does can only make a frame longer, so the best run counts, and
/// the first that is good enough is the last.
const RUNS: usize = 10;

/// How many longer frames of a run are another program's doing: a script that is interrupted counts as long as it stood. What
/// the page does too slowly, it does in every frame.
const FORGIVEN: usize = 3;

/// Keeps the page's own share of each long frame, in milliseconds: what its scripts took, with layout that they forced.
const WATCH_FRAMES: &str = "
    window.shares = [];
    window.watching = new PerformanceObserver((list) => {
      for (const { scripts } of list.getEntries()) {
        const own = scripts.filter(({ sourceURL }) => sourceURL.startsWith(location.origin));
        window.shares.push(own.reduce((sum, { duration }) => sum + duration, 0));
      }
    });
    window.watching.observe({ type: 'long-animation-frame' });";

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_deltas_at_a_sixth_of_the_speed() {
    on_stage(Setup::default(), async |stage| {
        stage.devtools("Emulation.setCPUThrottlingRate", json!({"rate": 6})).await;
        let mut best = f64::INFINITY;
        for run in 1..=RUNS {
            stage.open("finance").await;
            stage.eval(WATCH_FRAMES).await;
            let began = Instant::now();
            stage.ask(&format!("#random:3:{CHARACTERS}")).await;
            let took = began.elapsed();
            assert_eq!(stage.answer().await, chat::scripted::random_text(3, CHARACTERS));
            let count: usize = stage.text("#event-count").await.parse().unwrap();
            assert!(count >= 5000, "{count} events");
            let shares = stage.eval("return window.shares").await;
            let mut shares: Vec<f64> = shares.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            shares.sort_by(|one, other| other.total_cmp(one));
            let longest = shares.get(FORGIVEN).copied().unwrap_or(0.0);
            println!("run {run}: {count} events in {took:.1?}, the page's longest shares of a frame {shares:.0?} ms");
            best = best.min(longest);
            if best <= MOST_MS {
                break;
            }
        }
        assert!(best <= MOST_MS, "{best} ms");

        // What is left when it is over stays as it is: nothing goes on growing.
        let used = || async {
            stage.devtools("HeapProfiler.collectGarbage", json!({})).await;
            stage.devtools("Performance.enable", json!({})).await;
            let metrics = stage.devtools("Performance.getMetrics", json!({})).await;
            let metric = |name: &str| {
                let all = metrics["metrics"].as_array().unwrap();
                all.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
            };
            (metric("JSHeapUsedSize"), metric("Nodes"))
        };
        let (heap, nodes) = used().await;
        // A hundred frames.
        let frames = "let left = 100; \
                      const next = () => (left-- > 0 ? requestAnimationFrame(next) : arguments[0](true)); \
                      next();";
        stage.driver.execute_async(frames, Vec::new()).await.unwrap();
        let (heap_later, nodes_later) = used().await;
        println!("heap {heap} then {heap_later}, nodes {nodes} then {nodes_later}");
        assert!(heap_later <= heap * 1.02 + 65_536.0, "{heap} became {heap_later}");
        assert!(nodes_later <= nodes + 50.0 && nodes < 3000.0, "{nodes} became {nodes_later}");
    })
    .await;
}

/// How long a person may see no sign of life, in milliseconds.
const MOST_GAP: f64 = 300.0;

/// From the next message on: when the model's first character could be seen, and the longest time in which nothing of the
/// answer changed and nothing moved that says it is on its way.
const WATCH_LIFE: &str = "
    const life = (window.life = { sent: undefined, first: undefined, gap: 0 });
    let before = '', changed;
    const look = (now) => {
      const state = document.querySelector('#chat').dataset.state;
      if (life.sent !== undefined && state === 'idle') return;
      requestAnimationFrame(look);
      if (state !== 'streaming') return;
      const turn = [...document.querySelectorAll('#conversation .theirs')].at(-1);
      const text = [...(turn?.querySelectorAll('.said, .value') ?? [])].map((it) => it.value ?? it.textContent).join();
      const moves = turn?.getAnimations({ subtree: true }).some((it) => it.playState === 'running');
      life.sent ??= now;
      changed ??= now;
      if (text.replaceAll(',', '') !== '') life.first ??= now - life.sent;
      if (text !== before || moves) {
        life.gap = Math.max(life.gap, now - changed);
        changed = now;
      }
      before = text;
    };
    requestAnimationFrame(look);";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_character_and_every_sign_of_life_come_in_time() {
    let pause = std::time::Duration::from_millis(25);
    on_stage(Setup { pause, ..Setup::default() }, async |stage| {
        for (assistant, message) in [
            ("shopping", "I want chips for a party"),
            ("finance", "Compare my spending this month to last month"),
            ("restaurant", "Find dinner, thai please"),
            ("form", "Four days around the Øresund"),
        ] {
            let mut best = (f64::INFINITY, f64::INFINITY);
            for _ in 0..RUNS {
                stage.open(assistant).await;
                stage.eval(WATCH_LIFE).await;
                stage.ask(message).await;
                let life = stage.eval("return window.life").await;
                let (first, gap) = (life["first"].as_f64().unwrap(), life["gap"].as_f64().unwrap());
                println!("{assistant}: the first character after {first:.0} ms, the largest gap {gap:.0} ms");
                best = (best.0.min(first), best.1.min(gap));
                if best.0 < MOST_GAP && best.1 < MOST_GAP {
                    break;
                }
            }
            assert!(best.0 < MOST_GAP && best.1 < MOST_GAP, "{assistant}: {best:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_scrolls_at_a_quarter_of_the_speed() {
    on_stage(Setup::default(), async |stage| {
        let client = reqwest::Client::new();
        for number in 0..100 {
            let body = json!({"conversationId": "long", "assistant": "finance", "message": format!("Hello {number}")});
            let request = client.post(format!("{}/api/chat/send", stage.line.address));
            let request = request.header("content-type", "application/json").body(body.to_string());
            request.send().await.unwrap().text().await.unwrap();
        }
        stage.open("finance").await;
        stage.eval("location.hash = '#finance/long'").await;
        stage.until("return document.querySelectorAll('#conversation .bubble').length === 200").await;
        stage.until_idle().await;
        stage.devtools("Emulation.setCPUThrottlingRate", json!({"rate": 4})).await;
        let scroll = "const done = arguments[0], scroller = document.querySelector('#scroller'), frames = [];
            let before, step = 0;
            const next = (now) => {
              if (before !== undefined) frames.push(now - before);
              before = now;
              step += 1;
              scroller.scrollTop -= (step <= 60 ? 1 : -1) * 150;
              if (step < 120) requestAnimationFrame(next); else done(Math.max(...frames));
            };
            requestAnimationFrame(next);";
        let mut best = f64::INFINITY;
        // The longest of 120 frames: any other program's turn on a core makes it longer.
        for _ in 0..4 * RUNS {
            let longest = stage.driver.execute_async(scroll, Vec::new()).await.unwrap().json().as_f64().unwrap();
            println!("the longest frame took {longest:.0} ms");
            best = best.min(longest);
            if best <= 50.0 {
                break;
            }
        }
        assert!(best <= 50.0, "{best} ms");
    })
    .await;
}

/// How far things may jump in a turn, as browsers count it.
const MOST_SHIFT: f64 = 0.1;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_jumps_in_any_turn() {
    on_stage(Setup::slowly(), async |stage| {
        for (width, height) in [(1440, 900), (390, 844)] {
            stage.look_as(width, height, "light").await;
            for (assistant, lines) in [
                ("shopping", ["I want chips for a party", "Spicy, please"]),
                ("finance", ["Compare my spending this month to last month", "Which account did I spend most from?"]),
                ("restaurant", ["Find an Italian place and book it", "I like Thai food"]),
                ("form", ["Wrong at first: four days around the Øresund", "Four days around the Øresund"]),
            ] {
                stage.open(assistant).await;
                for (turn, line) in lines.iter().enumerate() {
                    // The page's load is counted with the first turn.
                    let watch = format!(
                        "window.shifts?.disconnect(); window.shift = 0; \
                        window.shifts = new PerformanceObserver((list) => {{ for (const {{ value, hadRecentInput }} \
                        of list.getEntries()) if (!hadRecentInput) window.shift += value; }}); \
                        window.shifts.observe({{ type: 'layout-shift', buffered: {} }})",
                        turn == 0
                    );
                    stage.eval(&watch).await;
                    stage.ask(line).await;
                    let shift = stage.eval("return window.shift").await.as_f64().unwrap();
                    println!("{assistant} at {width}, {line}: a shift of {shift:.3}");
                    assert!(shift < MOST_SHIFT, "{assistant} at {width}, {line}: {shift}");
                }
            }
        }
    })
    .await;
}
