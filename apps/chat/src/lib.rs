//! A streaming chat server: the whole road from a provider's bytes to a client's events, on `jsonspigot`.

pub mod assistant;
pub mod config;
pub mod conversation;
pub mod hub;
pub mod instructor;
pub mod page;
pub mod provider;
pub mod scripted;
pub mod server;
pub mod store;
pub mod wire;
