//! A long answer on a slow machine: the page keeps up, and keeps nothing.

use std::time::Instant;

use serde_json::{Value, json};

use crate::stage::{Setup, on_stage};

/// At four characters a delta, well over 5,000.
const CHARACTERS: usize = 24_000;

/// The page's own share of a frame, at most.
const MOST_MS: f64 = 100.0;

/// How often it is measured. Whatever else the machine does can only make a frame longer, so the best run counts.
const RUNS: usize = 5;

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
            let longest = shares.as_array().unwrap().iter().filter_map(Value::as_f64).fold(0.0, f64::max);
            println!("run {run}: {count} events in {took:.1?}, the page's longest share of a frame {longest:.0} ms");
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
