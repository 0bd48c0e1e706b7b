//! What many streams need: counters, and pieces that are collected.

use std::time::Duration;

use chat::wire::EventName;

use super::{Servers, last_id, seen};

impl Servers {
    /// A server's counters, by their names.
    async fn metric(&self, server: usize, name: &str) -> u64 {
        let response = self.client.get(self.url(server, "/metrics")).send().await.unwrap();
        let kind = response.headers()["content-type"].to_str().unwrap();
        assert_eq!(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8");
        let text = response.text().await.unwrap();
        assert!(text.ends_with("\n# EOF\n"), "{text}");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }

    /// Commands that a Redis has run, and how many of them were these.
    fn calls(&self, command: &str) -> u64 {
        let stats = self.redis.ask(&["INFO", "commandstats"]);
        let (_, stat) = stats.split_once(&format!("cmdstat_{command}:calls=")).unwrap_or(("", "0,"));
        stat.split(',').next().unwrap().parse().unwrap()
    }
}

#[tokio::test]
async fn each_server_counts_what_it_does() {
    let Some(mut world) = Servers::start(2).await else { return };
    let mut stream = world.send(0, "a", "finance", "Good morning #hold").await;
    let mut told = stream.until(|event| event.event == EventName::Text && event.data.delta).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    assert_eq!((world.metric(0, "chat_open_turns").await, world.metric(0, "chat_open_streams").await), (1, 1));
    assert_eq!((world.metric(0, "chat_turns_total").await, world.metric(1, "chat_turns_total").await), (1, 0));
    assert!(world.metric(0, "chat_stored_bytes_total").await > world.metric(0, "chat_sent_bytes_total").await);
    world.kill(0);
    let other = world.resume(1, "a", last_id(&told)).await;
    world.provider.journal().wait_for(|seen| seen.count == 2).await;
    world.provider.journal().release();
    world.provider.journal().release();
    told.extend(crate::world::Stream::of(other).rest().await);
    assert_eq!(told.last().unwrap().event, EventName::Done);
    assert_eq!(
        (world.metric(1, "chat_claims_total").await, world.metric(1, "chat_refused_commits_total").await),
        (1, 0)
    );
    assert!(world.metric(1, "chat_sent_bytes_total").await > 0);
    // The client's connection may still be on its way out.
    while world.metric(1, "chat_open_turns").await + world.metric(1, "chat_open_streams").await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(world.metric(1, "chat_lag_events").await, 0);
}

/// Collected, what a provider says takes fewer writes, and comes to the same; another server goes on with it likewise.
#[tokio::test]
async fn collected_pieces_come_to_the_same_with_fewer_writes() {
    let Some(mut world) = Servers::start_with(1, Duration::from_millis(5), |assistants| assistants).await else {
        return;
    };
    let message = "#random:7:2000";
    let before = world.calls("evalsha");
    let expected = seen(&world.send(0, "a", "finance", message).await.rest().await);
    let each = world.calls("evalsha") - before;
    world.config.limits.collect = Duration::from_millis(200);
    world.servers = vec![Some(world.server()), Some(world.server())];
    let before = world.calls("evalsha");
    assert_eq!(seen(&world.send(0, "b", "finance", message).await.rest().await), expected);
    let collected = world.calls("evalsha") - before;
    assert!(collected * 4 < each, "{collected} writes, {each} without");
    let mut stream = world.send(0, "c", "finance", message).await;
    let mut told = stream.until(|event| event.event == EventName::Text && event.data.delta).await;
    world.kill(0);
    told.extend(world.rest(1, "c", last_id(&told)).await);
    assert_eq!(seen(&told), expected);
}
