//! Shards, in one Redis or in several.

use std::collections::BTreeMap;
use std::time::Duration;

use chat::server::Server;
use chat::wire::{Event, EventName};
use serde_json::Value;

use super::redis::Redis;
use super::{LEASE, Servers, cuts, last_id, seen};

const QUESTION: &str = "What did I spend on groceries?";

/// A world over these Redis, in this order, without servers yet.
async fn world(of: impl FnOnce(&Redis) -> Vec<String>, pause: Duration) -> Option<Servers> {
    let mut world = Servers::start_with(0, pause, |assistants| assistants).await?;
    world.config.redis = of(&world.redis).into_iter().map(Into::into).collect();
    Some(world)
}

/// How many conversations each shard has in a Redis.
fn spread(redis: &Redis) -> BTreeMap<char, usize> {
    let keys = redis.ask(&["KEYS", "*:conversation:*"]);
    let mut spread = BTreeMap::new();
    for (at, _) in keys.match_indices("{chat:") {
        *spread.entry(keys[at + "{chat:".len()..].chars().next().unwrap()).or_default() += 1;
    }
    spread
}

/// Has conversations whose server is killed in the middle, and another one goes on with them.
async fn converse(world: &mut Servers) {
    world.servers = vec![Some(world.server()), Some(world.server())];
    let mut streams = Vec::new();
    for number in 0..12 {
        let mut stream = world.send(0, &format!("c{number}"), "finance", QUESTION).await;
        streams.push(stream.until(|event| event.event == EventName::Text).await);
    }
    world.kill(0);
    for (number, told) in streams.iter_mut().enumerate() {
        told.extend(world.rest(1, &format!("c{number}"), last_id(told)).await);
        assert_eq!(told.last().unwrap().event, EventName::Done, "{number}");
        assert_eq!(seen(&world.rest(1, &format!("c{number}"), 0).await), seen(&*told), "{number}");
    }
}

#[tokio::test]
async fn conversations_are_spread_over_several_redis() {
    let Some(other) = Redis::start() else { return };
    let Some(mut world) = world(|one| vec![one.url(), other.url()], Duration::from_millis(20)).await else { return };
    converse(&mut world).await;
    let (one, other) = (spread(&world.redis), spread(&other));
    assert!(one.keys().eq(&['0']) && other.keys().eq(&['1']), "{one:?}, {other:?}");
    assert_eq!(one[&'0'] + other[&'1'], 12);
}

#[tokio::test]
async fn conversations_are_spread_over_the_shards_of_one_redis() {
    let Some(mut world) = world(|one| vec![one.url(); 3], Duration::from_millis(20)).await else { return };
    converse(&mut world).await;
    let spread = spread(&world.redis);
    assert!(spread.keys().eq(&['0', '1', '2']) && spread.values().sum::<usize>() == 12, "{spread:?}");
}

fn refusal(world: &Servers, redis: Vec<String>) -> Option<String> {
    let mut config = world.config.clone();
    config.redis = redis.into_iter().map(Into::into).collect();
    Server::start(([127, 0, 0, 1], 0).into(), config).err().map(|error| error.to_string())
}

/// A conversation would be looked for where it is not.
#[tokio::test]
async fn another_number_or_order_of_shards_is_refused() {
    let Some(other) = Redis::start() else { return };
    let Some(empty) = Redis::start() else { return };
    let Some(world) = world(|one| vec![one.url(), other.url()], Duration::ZERO).await else { return };
    let (one, other) = (world.redis.url(), other.url());
    let first = [one.clone(), other.clone()];
    assert_eq!(refusal(&world, first.to_vec()), None);
    let number = |named| {
        format!(
            "can't use the store: its conversations are in 2 shards, and {named} are named: start every server with as many \
             as before"
        )
    };
    for shards in [vec![one.clone()], vec![other.clone()]] {
        assert_eq!(refusal(&world, shards), Some(number(1)));
    }
    assert_eq!(refusal(&world, vec![one.clone(); 3]), Some(number(3)));
    // Nothing is noted of what is refused, where nothing was before either.
    assert_eq!(refusal(&world, vec![empty.url(), one.clone(), other.clone()]), Some(number(3)));
    assert_eq!(empty.ask(&["KEYS", "*"]), "array([])");
    let order = |shard| {
        format!(
            "can't use the store: shard {shard} is not in its Redis: name the same `--store`s as before, in the same order"
        )
    };
    assert_eq!(refusal(&world, vec![other.clone(), one.clone()]), Some(order(1)));
    assert_eq!(refusal(&world, vec![one.clone(), one]), Some(order(2)));
    // Nor may the place of a Redis be taken by one that has nothing, or has lost it.
    let both = Redis::start().unwrap();
    assert_eq!(refusal(&world, vec![both.url(); 2]), None);
    assert_eq!(refusal(&world, vec![both.url(), empty.url()]), Some(order(2)));
    assert_eq!(refusal(&world, vec![both.url(), format!("{}/1", both.url().trim_end_matches('/'))]), Some(order(2)));
    assert_eq!(empty.ask(&["KEYS", "*"]), "array([])");
    assert_eq!(refusal(&world, first.to_vec()), None, "as before");
    // One Redis under two names is one.
    empty.ask(&["FLUSHALL"]);
    let named = empty.url().replace("127.0.0.1", "localhost");
    assert_ne!(named, empty.url());
    assert_eq!(refusal(&world, vec![empty.url(), named]), None);
    assert_eq!(refusal(&world, vec![empty.url(); 2]), None);
    // A note that is none.
    empty.ask(&["SET", "chat:shards", "two"]);
    assert_eq!(
        refusal(&world, vec![empty.url()]).as_deref(),
        Some("can't use the store: Redis holds what can't be read")
    );
}

/// The reason for shards in one Redis: the number of them can't grow, but a replica takes some of them along.
#[tokio::test]
async fn a_shard_moves_to_another_redis_as_it_is() {
    let Some(mut world) = world(|one| vec![one.url(); 2], Duration::ZERO).await else { return };
    let Some(replica) = Redis::start() else { return };
    world.servers = vec![Some(world.server())];
    let mut told = Vec::new();
    for number in 0..6 {
        told.push(world.send(0, &format!("c{number}"), "finance", "Good morning").await.rest().await);
    }
    world.kill(0);
    let url = world.redis.url();
    let (host, port) = url.trim_start_matches("redis://").trim_end_matches('/').split_once(':').unwrap();
    replica.ask(&["REPLICAOF", host, port]);
    while !replica.ask(&["INFO", "replication"]).contains("master_link_status:up") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    replica.ask(&["REPLICAOF", "NO", "ONE"]);
    world.config.redis = vec![url.as_str().into(), replica.url().into()];
    world.servers = vec![Some(world.server())];
    for (number, told) in told.iter().enumerate() {
        assert_eq!(&world.rest(0, &format!("c{number}"), 0).await, told, "{number}");
        let next = world.send(0, &format!("c{number}"), "finance", "And now?").await.rest().await;
        assert_eq!(next.last().unwrap().event, EventName::Done, "{number}");
    }
    assert!(
        refusal(&world, vec![url; 2]).is_some_and(|error| error.contains("shard 2 is not in its Redis")),
        "it has moved"
    );
    // Each has written in its own shard only.
    let lengths = |redis: &Redis, shard: char| {
        let keys = redis.ask(&["KEYS", &format!("{{chat:{shard}}}:messages:*")]);
        let names = keys.split('"').filter(|name| name.starts_with("{chat:")).map(str::to_owned);
        names.map(|name| redis.ask(&["LLEN", &name])).collect::<Vec<_>>()
    };
    for (shard, old, new) in [('0', &replica, &world.redis), ('1', &world.redis, &replica)] {
        let (old, new) = (lengths(old, shard), lengths(new, shard));
        assert!(!old.is_empty() && old.len() == new.len(), "{old:?}, {new:?}");
        assert!(old.iter().all(|length| !new.contains(length)), "{old:?}, {new:?}");
    }
}

/// Neither the turns of another shard, which have to be held, nor the readers of these, wherever they are.
#[tokio::test]
async fn a_shard_that_is_away_stops_no_other() {
    let Some(other) = Redis::start() else { return };
    let Some(mut world) = world(|one| vec![one.url(), other.url()], Duration::ZERO).await else { return };
    world.servers = vec![Some(world.server()), Some(world.server())];
    // One in each shard.
    let (mut readers, mut names) = (Vec::new(), Vec::new());
    for number in 0.. {
        let name = format!("c{number}");
        let mut first = world.send(0, &name, "finance", "Good morning #hold").await;
        first.until(|event| event.event == EventName::Text && event.data.delta).await;
        readers.push((first, crate::world::Stream::of(world.resume(1, &name, 0).await)));
        names.push(name);
        world.provider.journal().wait_for(|seen| seen.held == names.len()).await;
        if !spread(&world.redis).is_empty() && !spread(&other).is_empty() {
            break;
        }
    }
    world.redis.ask(&["CLIENT", "PAUSE", "600000", "ALL"]);
    tokio::time::sleep(LEASE * 3).await;
    let mut away: Vec<bool> = Vec::new();
    let keys = other.ask(&["KEYS", "*:turn:*"]);
    names.iter().for_each(|name| away.push(!keys.contains(&format!(":{name}\""))));
    assert!(away.contains(&true) && away.contains(&false), "{away:?}");
    names.iter().for_each(|_| world.provider.journal().release());
    for ((mut first, mut elsewhere), _) in readers.into_iter().zip(away).filter(|(_, is_away)| !is_away) {
        // The server goes on to say that it is there: without this, it would be waited for for ever.
        let told: Vec<Event> =
            tokio::time::timeout(Duration::from_secs(30), elsewhere.rest()).await.expect("it is told elsewhere, too");
        assert_eq!((told.last().unwrap().event, cuts(&told)), (EventName::Done, 0), "it was held all the time");
        let texts = |told: &[Event]| seen(told).into_iter().filter(|it: &Value| it["type"] == "text").count();
        assert_eq!(texts(&told), 1);
        assert_eq!(first.rest().await.last(), told.last());
    }
}
