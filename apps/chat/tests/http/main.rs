//! The real server and the scripted provider, over HTTP, all in one process.

mod bad_luck;
mod context;
mod form;
mod growing;
mod provider;
mod reconnect;
mod requests;
mod shopping;
mod tools;
mod world;
