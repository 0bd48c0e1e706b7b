//! A long answer on a slow machine: the page keeps up, and memory does not grow afterwards.

use serde_json::{Value, json};

use crate::stage::{SAID, Setup, on_stage};

/// At four characters a delta, well over 5,000 deltas.
const CHARACTERS: usize = 24_000;

/// The page's own share of a frame, at most, in milliseconds.
const MOST_MS: f64 = 100.0;

/// The runs that are measured at most. Other programs can only make a frame longer, so the best run counts.
const RUNS: usize = 10;

/// The longer frames of a run that are ignored: a script that another program interrupts counts as long as it stood.
const FORGIVEN: usize = 3;

/// Keeps the page's own share of each long frame: its scripts, with the layout that they forced.
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
            stage.run(WATCH_FRAMES).await;
            stage.ask(&format!("#random:3:{CHARACTERS}")).await;
            stage.expect(SAID, chat::scripted::random_text(3, CHARACTERS)).await;
            let count: usize = stage.text("one('#event-count').textContent").await.parse().unwrap();
            assert!(count >= 5000, "{count} events");
            let mut shares: Vec<f64> = serde_json::from_value(stage.eval("window.shares").await).unwrap();
            shares.sort_by(|one, other| other.total_cmp(one));
            println!("run {run}: {count} events, the page's longest shares of a frame {shares:.0?} ms");
            best = best.min(shares.get(FORGIVEN).copied().unwrap_or(0.0));
            if best <= MOST_MS {
                break;
            }
        }
        assert!(best <= MOST_MS, "{best} ms");

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
        let frames = "let left = 100; const next = () => (left-- > 0 ? requestAnimationFrame(next) : arguments[0](true)); next()";
        stage.driver.execute_async(frames, Vec::new()).await.unwrap();
        let (heap_later, nodes_later) = used().await;
        println!("heap {heap} then {heap_later}, nodes {nodes} then {nodes_later}");
        assert!(heap_later <= heap * 1.02 + 65_536.0, "{heap} became {heap_later}");
        assert!(nodes_later <= nodes + 50.0 && nodes < 5000.0, "{nodes} became {nodes_later}");
    })
    .await;
}

/// The longest time without a sign of life, in milliseconds.
const MOST_GAP: f64 = 300.0;

/// Measures in the next turn when the first character can be seen, and the longest time in which nothing changed or moved.
const WATCH_LIFE: &str = "
    const life = (window.life = { sent: undefined, first: undefined, gap: 0 });
    let before = '', changed;
    const look = (now) => {
      if (life.sent !== undefined && state() === 'idle') return;
      requestAnimationFrame(look);
      if (state() !== 'streaming') return;
      const turn = all('#conversation .theirs').at(-1);
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
    on_stage(Setup::slowly(), async |stage| {
        for (assistant, message) in [
            ("shopping", "I want chips for a party"),
            ("finance", "Compare my spending this month to last month"),
            ("restaurant", "I like Thai food"),
            ("form", "Four days around the Øresund"),
        ] {
            let mut best = (f64::INFINITY, f64::INFINITY);
            for _ in 0..RUNS {
                stage.open(assistant).await;
                stage.run(WATCH_LIFE).await;
                stage.ask(message).await;
                let life: Value = stage.eval("window.life").await;
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
