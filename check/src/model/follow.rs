//! The progress of each pattern at each open value: the set of its segments that have been matched.
//!
//! State `n` at a value means: the first `n` segments lead here. All `n` at once are kept as bits, so that a value
//! that is reached in two ways is still one value.

use super::log::PathElement;
use super::pattern::{ModelPattern, Selector};

/// The states of one pattern at one value, bit `n` for "`n` segments are met".
pub type States = u64;

pub const AT_ROOT: States = 1;

/// The properties of a value that decide what may be below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Object,
    Array,
    Leaf,
}

/// Returns the states at a child, given those at its parent.
pub fn step(pattern: &ModelPattern, parent: States, element: &PathElement) -> States {
    assert!(pattern.segments.len() < 64, "a model pattern has one bit per segment");
    let mut child = 0;
    for (n, segment) in pattern.segments.iter().enumerate() {
        if parent & (1 << n) == 0 {
            continue;
        }
        if segment.descendant {
            child |= 1 << n;
        }
        if segment.selectors.iter().any(|selector| selects(selector, element)) {
            child |= 1 << (n + 1);
        }
    }
    child
}

pub fn is_selected(pattern: &ModelPattern, states: States) -> bool {
    states & (1 << pattern.segments.len()) != 0
}

fn selects(selector: &Selector, element: &PathElement) -> bool {
    match (selector, element) {
        (Selector::Name(name), PathElement::Key(key)) => name == key,
        (Selector::Index(wanted), PathElement::Index(index)) => wanted == index,
        (Selector::Slice { start, end, step }, PathElement::Index(index)) => {
            let (start, step) = (start.unwrap_or(0), step.unwrap_or(1));
            step > 0 && *index >= start && end.is_none_or(|end| *index < end) && (index - start) % step == 0
        }
        (Selector::Wildcard, _) => true,
        _ => false,
    }
}
