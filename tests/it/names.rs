//! Each name is printed and read back, and nothing else is a name.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use jsonspigot::{
    DeviationKind, DuplicateKeys, ErrorKind, Framing, RestoreErrorKind, Retain, UnknownName, ValueKind, ValueState,
};

fn check<T>(all: &[T], name: fn(T) -> &'static str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = UnknownName>,
{
    for &one in all {
        assert_eq!(name(one).parse(), Ok(one));
        assert_eq!(one.to_string(), name(one));
        assert_eq!(format!("{one:>30}"), format!("{:>30}", name(one)));
        for unknown in [name(one).to_uppercase(), format!("{one} "), format!("{one:?}?"), String::new()] {
            let error = unknown.parse::<T>().unwrap_err().to_string();
            assert!(error.starts_with("expected one of `") && error.contains(&format!("`{one}`")), "{error}");
        }
    }
    let mut names: Vec<_> = all.iter().map(|&one| name(one)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "each has a name of its own");
}

#[test]
fn names_are_read_back() {
    check(ErrorKind::ALL, ErrorKind::name);
    check(DeviationKind::ALL, DeviationKind::name);
    check(ValueKind::ALL, ValueKind::name);
    check(ValueState::ALL, ValueState::name);
    check(Retain::ALL, Retain::name);
    check(DuplicateKeys::ALL, DuplicateKeys::name);
    check(Framing::ALL, Framing::name);
    check(RestoreErrorKind::ALL, RestoreErrorKind::name);
}

#[cfg(feature = "tool-calls")]
#[test]
fn names_of_calls_are_read_back() {
    use jsonspigot::PayloadStatus;
    use jsonspigot::tool_calls::{CallErrorKind, Executor};

    check(CallErrorKind::ALL, CallErrorKind::name);
    check(Executor::ALL, Executor::name);
    assert_eq!(PayloadStatus::Truncated { reason: "length" }.to_string(), "truncated");
}

#[cfg(feature = "providers")]
#[test]
fn names_of_streams_are_read_back() {
    use jsonspigot::providers::{BlockKind, OpaqueKind, Provider, StopKind};

    check(BlockKind::ALL, BlockKind::name);
    check(OpaqueKind::ALL, OpaqueKind::name);
    check(StopKind::ALL, StopKind::name);
    check(Provider::ALL, Provider::name);
}
