//! A long answer on a slow machine: the page keeps up, and keeps nothing.

use serde_json::{Value, json};

use crate::stage::{Setup, on_stage};

/// At four characters a delta, well over 5,000.
const CHARACTERS: usize = 24_000;

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_deltas_at_a_sixth_of_the_speed() {
    on_stage(Setup::default(), async |stage| {
        stage.open("finance").await;
        stage.devtools("Emulation.setCPUThrottlingRate", json!({"rate": 6})).await;
        stage.eval(
            "window.frames = [];
             new PerformanceObserver((list) => {
               for (const frame of list.getEntries()) {
                 const own = frame.scripts.filter(({ sourceURL }) => sourceURL.startsWith(location.origin));
                 window.frames.push([frame.duration, own.reduce((sum, { duration }) => sum + duration, 0),
                                     own.map(({ duration, invoker, sourceURL, sourceFunctionName, forcedStyleAndLayoutDuration }) =>
                                       [duration, invoker, sourceURL, sourceFunctionName, forcedStyleAndLayoutDuration])]);
               }
             }).observe({ type: 'long-animation-frame', buffered: true });",
        )
        .await;
        let began = std::time::Instant::now();
        stage.ask(&format!("#random:3:{CHARACTERS}")).await;
        let took = began.elapsed();
        assert_eq!(stage.answer().await, chat::scripted::random_text(3, CHARACTERS));
        let count: usize = stage.text("#event-count").await.parse().unwrap();
        assert!(count >= 5000, "{count} events");
        let frames = stage.eval("return window.frames").await;
        let frames: Vec<&Value> = frames.as_array().unwrap().iter().collect();
        let longest = frames.iter().max_by(|one, other| one[1].as_f64().unwrap().total_cmp(&other[1].as_f64().unwrap()));
        println!("{count} events in {took:?}, {} long frames, the page's longest share of one: {longest:?}", frames.len());
        assert!(longest.is_none_or(|frame| frame[1].as_f64().unwrap() <= 100.0), "{longest:?}");

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
        let frames = "const done = arguments[0]; let left = 100; const next = () => (left-- > 0 ? requestAnimationFrame(next) : done(true)); next();";
        stage.driver.execute_async(frames, Vec::new()).await.unwrap();
        let (heap_later, nodes_later) = used().await;
        println!("heap {heap} then {heap_later}, nodes {nodes} then {nodes_later}");
        assert!(heap_later <= heap * 1.02 + 65_536.0, "{heap} became {heap_later}");
        assert!(nodes_later <= nodes + 50.0 && nodes < 3000.0, "{nodes} became {nodes_later}");
    })
    .await;
}
