//! What is stored of a turn is enough at each of its writes: another server goes on from there, to the same end.
//!
//! Beside `crash.rs`, where servers die at a few writes: what is in Redis before each write is copied to a conversation of its
//! own, and another server takes all of these over at once. All are tried for the turn that has most kinds of things in it;
//! for the others, unless `JSONSPIGOT_LAWS=all`, some.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use chat::store::{Redis as Shared, Stored};
use chat::wire::EventName;
use futures::StreamExt;

use super::hooked::{Hook, Hooked};
use super::{Servers, cuts, last_id, seen};

/// Copies a conversation with its first turn, unless that is over.
const COPY: &str = "\
    local function key(name, kind) return 'chat:{' .. name .. '}:' .. kind end \
    if redis.call('EXISTS', key(ARGV[1], 'turn')) == 0 then return -1 end \
    for _, kind in ipairs({'conversation', 'turn', 'turns', 'told', 'befores', 'messages', 'inputs', 'live:1'}) do \
        redis.call('COPY', key(ARGV[1], kind), key(ARGV[2], kind)) \
    end \
    return redis.call('XLEN', key(ARGV[1], 'live:1'))";

/// What is stored before each write, and how many events had been told.
#[derive(Debug)]
struct Copies {
    redis: redis::Client,
    told: Mutex<Vec<usize>>,
}

impl Hook for Copies {
    fn write<'a, T: Send + 'a>(&'a self, id: &str, write: Stored<'a, T>) -> Stored<'a, T> {
        let mut copy = redis::cmd("EVAL");
        {
            let mut told = self.told.lock().unwrap();
            copy.arg(COPY).arg(0).arg(id).arg(name(id, told.len()));
            let length: i64 = copy.query(&mut self.redis.get_connection().unwrap()).unwrap();
            told.extend(usize::try_from(length));
        }
        write
    }
}

fn name(id: &str, copy: usize) -> String {
    format!("{id}-{copy}")
}

/// Each piece of the provider's body is a write, so this is each of them too. Tries one of so many, the last in any case.
async fn at_each_write(assistant: &str, message: &str, of: usize) {
    let Some(mut world) = Servers::start_with(0, Duration::from_millis(1), |assistants| assistants).await else {
        return;
    };
    let long = Duration::from_secs(120);
    (world.config.limits.grace, world.config.limits.unread) = (long, long);
    let store = Shared::open(&world.redis.url(), world.config.limits.lease).unwrap();
    let redis = redis::Client::open(world.redis.url()).unwrap();
    let copying = Arc::new(Hooked { store, hook: Copies { redis, told: Mutex::default() } });
    world.servers = vec![Some(world.server_over(copying.clone()))];
    let expected = world.send(0, "a", assistant, message).await.rest().await;
    assert_eq!(expected.last().unwrap().event, EventName::Done);
    let told = copying.hook.told.lock().unwrap().clone();
    world.kill(0);
    assert!(told.len() > 40, "{}", told.len());

    let of = if std::env::var("JSONSPIGOT_LAWS").is_ok_and(|laws| laws == "all") { 1 } else { of };
    let last = told.len() - 1;
    let offset = fastrand::usize(..of);
    let is_tried = |copy| copy == last || copy % of == offset;
    let tried: Vec<_> = told.into_iter().enumerate().filter(|(copy, _)| is_tried(*copy)).collect();
    tried.iter().for_each(|(copy, _)| {
        world.redis.ask(&["HSET", &format!("chat:{{{}}}:turn", name("a", *copy)), "lease", "0"]);
        world.redis.ask(&["ZADD", "chat:running", "0", &name("a", *copy)]);
    });
    world.servers[0] = Some(world.server());
    let (world, expected) = (&world, &expected);
    let one = |(copy, before): (usize, usize)| async move {
        // A client that had been told as much, and comes back after it; and one that had been told nothing.
        let mut told = expected[..before].to_vec();
        told.extend(world.rest(0, &name("a", copy), last_id(&told)).await);
        assert_eq!(seen(&told), seen(expected), "{copy}");
        assert_eq!(seen(&world.rest(0, &name("a", copy), 0).await), seen(expected), "{copy}: told again");
        assert!(cuts(&told) <= 1, "{copy}: it is said once");
        if copy == last {
            assert_eq!(&told, expected, "nothing is asked for again: the same events, with the same numbers");
        }
        assert_eq!(told.last().unwrap().data.props, expected.last().unwrap().data.props, "{copy}");
        cuts(&told)
    };
    let count = tried.len();
    let all = futures::stream::iter(tried).map(one).buffer_unordered(128).collect::<Vec<_>>();
    let cuts: usize = all.await.into_iter().sum();
    println!("{assistant}: {count} of {} writes, {cuts} of them within an answer", last + 1);
    assert!(0 < cuts && cuts < count, "{cuts} of {count}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_each_chunk_of_text_tools_side_by_side_and_nested_text() {
    at_each_write("finance", "Compare travel and get advice", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_each_chunk_of_a_classification() {
    at_each_write("shopping", "I want chips for a party", 16).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_each_chunk_of_steps() {
    at_each_write("restaurant", "Find an Italian place and book it", 16).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_each_chunk_of_a_form() {
    at_each_write("form", "Wrong at first: four days around the Øresund", 16).await;
}

/// While a turn runs, all that it has told is there for whoever comes back; afterwards it is with the conversation.
#[tokio::test]
async fn what_a_turn_needs_goes_with_its_end_and_all_that_was_told_can_be_read_without_it() {
    let Some(world) = Servers::start(2).await else { return };
    let mut stream = world.send(0, "a", "finance", "Good morning #hold").await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    let mut told = stream.until(|event| event.event == EventName::Text && event.data.delta).await;
    // Another reader has taken all of that; it is no reason to trim it.
    let mut other = crate::world::Stream::of(world.resume(1, "a", 0).await);
    let taken = other.until(|event| event.data.chunk_id == last_id(&told)).await;
    assert_eq!(taken, told);
    let ids = world.redis.ask(&["XRANGE", "chat:{a}:live:1", "-", "+"]);
    assert!(told.iter().all(|event| ids.contains(&format!("\"{}-0\"", event.data.chunk_id))), "{ids}");
    assert_eq!(world.redis.ask(&["TTL", "chat:{a}:live:1"]), "int(-1)");
    world.provider.journal().release();
    told.extend(stream.rest().await);
    assert_eq!(told.last().unwrap().event, EventName::Done);

    for kind in ["turn", "inputs"] {
        assert_eq!(world.redis.ask(&["EXISTS", &format!("chat:{{a}}:{kind}")]), "int(0)", "{kind}");
    }
    let left = world.redis.ask(&["PTTL", "chat:{a}:live:1"]);
    let left: i64 = left.trim_start_matches("int(").trim_end_matches(')').parse().unwrap();
    assert!((1..=60_000).contains(&left), "{left}");
    // As it will be in a minute, for servers that know nothing of it.
    world.redis.ask(&["DEL", "chat:{a}:live:1"]);
    let fresh = world.server();
    for last in 0..told.len() {
        let url = format!("{}/api/chat/stream?conversationId=a&lastChunkId={last}", fresh.base_url());
        let response = world.client.get(url).send().await.unwrap();
        assert_eq!(crate::world::Stream::of(response).rest().await, told[last..], "after {last}");
    }
}
