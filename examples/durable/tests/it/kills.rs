//! Many streams, and processes that die at any moment: workers, connections, Redis.

use std::thread;
use std::time::{Duration, Instant};

use durable::produce::{Source, produce};
use durable::store::Store;
use redis::cmd;

use super::support::{PREFIX, Worker, check, check_nothing_is_left, made, pending, server, store, wait_for_the_end};

/// Appends again and again until no error comes in between: what a producer does that is cut off from Redis.
fn produce_all(url: &str, sources: &[Source], period: Duration) {
    let start = Instant::now();
    let append = || produce(&mut Store::connect(url, PREFIX)?, sources, period);
    while let Err(error) = append() {
        assert!(start.elapsed() < Duration::from_secs(60), "not within a minute: {error}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn workers_are_killed_under_200_streams() {
    const KILLS: usize = 30;
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..200, 120);
    let mut rng = fastrand::Rng::with_seed(20);
    let mut names = (0..).map(|number| format!("worker-{number}"));
    let mut start = || Worker::start(&server, &names.next().unwrap(), &[]);
    let mut workers: Vec<_> = (0..4).map(|_| start()).collect();
    let (mut kills, mut kills_in_work, mut left_behind) = (0, 0, 0);
    thread::scope(|scope| {
        let producer = scope.spawn(|| produce_all(&server.url(), &sources, Duration::from_millis(25)));
        // Beyond the last chunk, if the producer was faster: the last turns are worth a kill too.
        while kills < KILLS || !producer.is_finished() {
            thread::sleep(Duration::from_millis(rng.u64(5..150)));
            let worker = &mut workers[rng.usize(..4)];
            worker.kill();
            kills += 1;
            let left = pending(&mut store, &worker.name);
            kills_in_work += usize::from(left > 0);
            left_behind += left;
            *worker = start();
        }
        producer.join().unwrap();
    });
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
    println!("{kills} kills, {kills_in_work} of them in the middle of {left_behind} turns");
    assert!(kills >= 20 && left_behind > 0, "{kills} kills that left {left_behind} turns behind");
}

/// The connection is lost at any moment, also between a commit and its answer.
#[test]
fn connections_are_cut() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..50, 80);
    let mut rng = fastrand::Rng::with_seed(4);
    let _workers: Vec<_> = ["a", "b", "c"].map(|name| Worker::start(&server, name, &[])).into();
    thread::scope(|scope| {
        let producer = scope.spawn(|| produce_all(&server.url(), &sources, Duration::from_millis(10)));
        for _ in 0..25 {
            thread::sleep(Duration::from_millis(rng.u64(5..60)));
            let mut call = cmd("CLIENT");
            call.arg("KILL").arg("TYPE").arg("normal").arg("SKIPME").arg("yes").exec(store.connection()).unwrap();
            // What a new Redis in the old one's place does not know either.
            cmd("SCRIPT").arg("FLUSH").exec(store.connection()).unwrap();
        }
        producer.join().unwrap();
    });
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}

/// A Redis without room refuses scripts as a whole, and all goes on when there is room again.
#[test]
fn redis_has_no_room() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..40, 80);
    let mut room = |bytes: &str| {
        cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes).exec(store.connection()).unwrap();
    };
    let _workers: Vec<_> = ["a", "b", "c"].map(|name| Worker::start(&server, name, &[])).into();
    thread::scope(|scope| {
        let producer = scope.spawn(|| produce_all(&server.url(), &sources, Duration::from_millis(5)));
        for _ in 0..6 {
            thread::sleep(Duration::from_millis(60));
            room("1");
            thread::sleep(Duration::from_millis(60));
            room("0");
        }
        producer.join().unwrap();
        // Workers that are refused again and again wait longer each time.
        room("1");
        thread::sleep(Duration::from_millis(200));
        room("0");
    });
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}

/// With each write on disk before it is acknowledged, Redis itself may be killed.
#[test]
fn redis_is_killed() {
    let Some(mut server) = server(true) else { return };
    let sources = made(0..20, 60);
    let mut rng = fastrand::Rng::with_seed(7);
    let url = server.url();
    let _workers: Vec<_> = ["a", "b", "c"].map(|name| Worker::start(&server, name, &[])).into();
    thread::scope(|scope| {
        let producer = scope.spawn(|| produce_all(&url, &sources, Duration::from_millis(10)));
        for _ in 0..5 {
            thread::sleep(Duration::from_millis(rng.u64(50..300)));
            server.kill_and_restart().unwrap();
        }
        producer.join().unwrap();
    });
    let mut store = store(&server);
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}
