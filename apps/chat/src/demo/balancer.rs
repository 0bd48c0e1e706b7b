//! A small balancer: each connection goes to the next server that takes it.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

/// Where the servers are, as far as they are there.
pub(super) type Addresses = Arc<Mutex<Vec<Option<SocketAddr>>>>;

/// How often, and after which pauses, a connection is offered to the servers.
const OFFERS: usize = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// Starts one, which ends with the runtime.
///
/// # Errors
///
/// It can't listen.
pub(super) fn start(servers: Addresses) -> io::Result<SocketAddr> {
    let listener = crate::server::listen(([127, 0, 0, 1], 0).into())?;
    let address = listener.local_addr()?;
    tokio::spawn(balance(listener, servers));
    Ok(address)
}

async fn balance(listener: TcpListener, servers: Addresses) {
    let mut next = 0;
    loop {
        let Ok((mut client, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (servers, first) = (servers.clone(), next);
        next += 1;
        tokio::spawn(async move {
            // If there is none, or the server dies, the client's connection ends with this.
            if let Some(mut server) = connect(&servers, first).await {
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            }
        });
    }
}

async fn connect(servers: &Addresses, first: usize) -> Option<TcpStream> {
    for offer in first..first + OFFERS {
        let address = {
            let servers = servers.lock().unwrap_or_else(PoisonError::into_inner);
            servers[offer % servers.len()]
        };
        if let Some(address) = address
            && let Ok(server) = TcpStream::connect(address).await
        {
            return Some(server);
        }
        tokio::time::sleep(PAUSE).await;
    }
    None
}
