//! Workers that are killed, paused and cut off from Redis, and streams that are bad: what comes out must be what a single
//! reading without an interruption tells, once and in order.
//!
//! Each test has a Redis of its own. Where there is no `redis-server`, they say so and check nothing, unless
//! `DURABLE_NEEDS_REDIS` is set.

mod chunks;
mod kills;
mod programs;
mod recorded;
mod steps;
mod support;
mod turns;
