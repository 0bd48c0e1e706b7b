//! The listening socket.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// What the system may hold of a stream that its client does not read. More would only hide that it has stopped.
const SEND_BUFFER: u32 = 64 << 10;

/// How many clients may wait to be accepted.
pub(super) const BACKLOG: u32 = 1024;

/// Listens at an address.
///
/// # Errors
///
/// The address can't be had.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Accepted connections inherit both.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
