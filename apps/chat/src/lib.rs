//! A streaming chat server: the whole road from a provider's bytes to a client's events, on `jsonspigot`.

pub mod instructor;
pub mod page;
pub mod wire;
