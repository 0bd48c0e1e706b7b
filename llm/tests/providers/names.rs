//! Each name is printed and read back, and nothing else is a name.

use jsonspigot_check::names::check;
use jsonspigot_llm::{BlockKind, CallErrorKind, Executor, OpaqueKind, PayloadStatus, Provider, StopKind};

#[test]
fn names_of_calls_are_read_back() {
    check(CallErrorKind::ALL, CallErrorKind::name);
    check(Executor::ALL, Executor::name);
    assert_eq!(PayloadStatus::Truncated { reason: "length" }.to_string(), "truncated");
}

#[test]
fn names_of_streams_are_read_back() {
    check(BlockKind::ALL, BlockKind::name);
    check(OpaqueKind::ALL, OpaqueKind::name);
    check(StopKind::ALL, StopKind::name);
    check(Provider::ALL, Provider::name);
}
