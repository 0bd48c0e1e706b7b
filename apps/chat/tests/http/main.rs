//! The real server and the scripted provider, over HTTP, all in one process.

mod binary;
mod faults;
mod form;
mod hosts;
mod live;
#[path = "../shared/merge.rs"]
mod merge;
mod provider;
#[path = "../shared/redis.rs"]
mod redis;
mod requests;
mod restaurant;
mod servers;
mod shopping;
#[path = "../shared/sse.rs"]
mod sse;
mod streams;
mod stub;
mod tools;
mod world;
