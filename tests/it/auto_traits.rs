//! What threads and channels ask of the public types.

use jsonspigot::{Deviation, Error, OwnedEvent, Parser, ParserBuilder, Pattern, PatternError, PatternSet};

fn is_send_sync_clone<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}

#[test]
fn public_types_are_send_sync_clone_debug() {
    is_send_sync_clone::<Parser>();
    is_send_sync_clone::<ParserBuilder>();
    is_send_sync_clone::<PatternSet>();
    is_send_sync_clone::<Pattern>();
    is_send_sync_clone::<PatternError>();
    is_send_sync_clone::<Error>();
    is_send_sync_clone::<Deviation>();
    is_send_sync_clone::<OwnedEvent>();
}
