//! Each name is printed and read back, and nothing else is a name.

use jsonspigot::{DeviationKind, DuplicateKeys, ErrorKind, Framing, Retain, ValueKind, ValueState};
use jsonspigot_check::names::check;

#[test]
fn names_are_read_back() {
    check(ErrorKind::ALL, ErrorKind::name);
    check(DeviationKind::ALL, DeviationKind::name);
    check(ValueKind::ALL, ValueKind::name);
    check(ValueState::ALL, ValueState::name);
    check(Retain::ALL, Retain::name);
    check(DuplicateKeys::ALL, DuplicateKeys::name);
    check(Framing::ALL, Framing::name);
}
