//! The real server and the scripted provider, over HTTP, all in one process.

mod bad_luck;
mod binary;
mod context;
mod form;
mod growing;
mod hosts;
mod killed;
mod live;
#[path = "../shared/merge.rs"]
mod merge;
mod provider;
mod reconnect;
#[path = "../shared/redis.rs"]
mod redis;
mod requests;
mod servers;
mod shopping;
#[path = "../shared/sse.rs"]
mod sse;
mod stalled;
mod steps;
mod stopped;
mod store;
mod stub;
mod tools;
mod world;
