//! The closing of a call's values while the call is open, for agents that start work early: [`Closing`].
//!
//! The fields and the root are patterns of the call's own parser, after the user's patterns, so the parser finds where
//! each value closes.

use alloc::vec::Vec;

use jsonspigot::{Event, EventKind, Pattern, PatternSet};

use super::event::{CallEvent, ToolCall};

/// The values of a call whose closing is still to be reported.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    /// The number of the user's patterns, whose events are reported as they are.
    own: usize,
    /// The patterns of the fields that have not closed.
    open: Vec<usize>,
    /// The root's pattern, which is the last one.
    root: usize,
    /// True while the call may lack a part, so that nothing of it is known to be whole.
    pub(super) is_unproven: bool,
}

impl Closing {
    /// Returns the values of a new call, and the patterns that its parser needs.
    pub(super) fn new(patterns: &PatternSet, fields: &PatternSet) -> (Self, PatternSet) {
        let (own, root) = (patterns.len(), patterns.len() + fields.len());
        let all = [patterns.as_slice(), fields.as_slice(), &[Pattern::root()]].concat();
        (Self { own, open: (own..root).collect(), root, is_unproven: false }, all.into())
    }

    /// Returns true if an event is about one of the user's patterns.
    pub(super) fn is_users(&self, event: &Event<'_>) -> bool {
        event.pattern.index() < self.own
    }

    /// Takes an event about another pattern, and returns what it means for the call.
    pub(super) fn take<'c>(&mut self, event: &Event<'_>, call: &'c ToolCall<'_>) -> Option<CallEvent<'c>> {
        let EventKind::End(_) = event.kind else { return None };
        let pattern = event.pattern.index();
        let is_root = pattern == self.root;
        let has_opened = !self.open.is_empty();
        self.open.retain(|open| *open != pattern);
        let call = call.borrowed();
        match () {
            () if self.is_unproven => None,
            () if is_root => Some(CallEvent::Closed { call }),
            () if has_opened && self.open.is_empty() => Some(CallEvent::FieldsClosed { call }),
            () => None,
        }
    }
}
