//! Several servers with a Redis Cluster of three nodes.

use chat::wire::EventName;

use super::{Servers, cuts, last_id, seen};
use crate::redis::Cluster;
use crate::world::Stream;

impl Servers {
    async fn on_a_cluster(count: usize) -> Option<(Cluster, Self)> {
        let (cluster, mut new) = (Cluster::start()?, Self::start(0).await?);
        new.config.redis = Some(cluster.url().into());
        for _ in 0..count {
            let server = new.server();
            new.servers.push(Some(server));
        }
        Some((cluster, new))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_holds_the_conversations_and_any_server_serves_them() {
    let Some((cluster, world)) = Servers::on_a_cluster(2).await else { return };
    for (number, assistant) in ["shopping", "finance", "restaurant", "form", "finance", "shopping"].iter().enumerate() {
        let line = match *assistant {
            "shopping" => "I want chips for a party",
            "finance" => "Compare travel and get advice",
            "restaurant" => "Find an Italian place and book it",
            _ => "Wrong at first: four days around the Øresund",
        };
        let id = format!("c{number}");
        let told = world.send(number % 2, &id, assistant, line).await.rest().await;
        assert_eq!(told.last().unwrap().event, EventName::Done, "{line}");
        assert_eq!(world.rest((number + 1) % 2, &id, 0).await, told, "{line}");
    }
    let sizes: Vec<String> = cluster.nodes.iter().map(|node| node.ask(&["DBSIZE"])).collect();
    assert!(sizes.iter().filter(|size| *size != "int(0)").count() >= 2, "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_cluster_a_killed_servers_answers_go_on_elsewhere() {
    let Some((_cluster, mut world)) = Servers::on_a_cluster(2).await else { return };
    let expected = world.send(1, "x", "finance", "Good morning").await.rest().await;
    let mut open = Vec::new();
    for id in ["a", "b", "c", "d"] {
        let mut stream = world.send(0, id, "finance", "Good morning #hold").await;
        open.push((id, stream.until(|event| event.event == EventName::Text && event.data.delta).await));
    }
    world.provider.journal().wait_for(|seen| seen.held == 4).await;
    world.kill(0);
    // Those that hold nobody, and those that are asked for again.
    (0..8).for_each(|_| world.provider.journal().release());
    for (id, mut told) in open {
        told.extend(Stream::of(world.resume(1, id, last_id(&told)).await).rest().await);
        assert_eq!((cuts(&told), told.last().unwrap().event), (1, EventName::Done), "{id}");
        let without_user = |messages: Vec<serde_json::Value>| messages[1..].to_vec();
        assert_eq!(without_user(seen(&told)).len(), without_user(seen(&expected)).len(), "{id}");
    }
}
