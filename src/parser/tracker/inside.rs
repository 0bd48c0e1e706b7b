//! Strings that are read inside. They are entered like containers. If the text in one fails, its open values are
//! dropped.

use super::{EnteredString, Frame, Tracker};
use crate::error::Error;
use crate::parser::output::{Kept, Output, Report, Selected};
use crate::tokenizer::ValueKind;

impl Tracker {
    /// Returns the level of the text being read, which is the number of open strings that are read inside.
    pub(crate) fn level(&self) -> usize {
        self.entered.len()
    }

    /// Enters the string that has just begun if a pattern leads into it. Returns true if so: the root of its text is
    /// next.
    pub(in crate::parser) fn enter_string(&mut self) -> bool {
        let automaton = self.patterns.automaton();
        if !automaton.enters_string(self.rows.top(automaton)) {
            return false;
        }
        let (frame, value) = (self.frames.len(), self.leaf.take());
        self.push_frame(ValueKind::String, value, true);
        let (selected_to, selecting_to) = (self.selected.len(), self.selecting.len());
        self.entered.push(EnteredString { frame, selected_to, selecting_to });
        let automaton = self.patterns.automaton();
        let (from, row) = self.rows.step(automaton);
        automaton.step_inside(from, row);
        self.paths.release_after(self.node);
        self.node = self.paths.push_inside(self.node);
        true
    }

    /// Reports new text of a level's open string, which may be read inside.
    #[inline]
    pub(in crate::parser) fn delta_in<O: Output + ?Sized>(&mut self, level: usize, text: &str, at: u64, out: &mut O) {
        let Some(string) = self.entered.get(level) else { return self.delta(text, at, out) };
        let Frame { is_selected, node, .. } = self.frames[string.frame];
        let value = self.selected[..string.selected_to].last().filter(|_| is_selected);
        if let Some(value) = value {
            let selected = Selected {
                patterns: value.patterns_in(&self.selecting[..string.selecting_to]),
                first_match: value.first_match,
                kind: value.kind,
                node,
                paths: &self.paths,
                level,
                depth: string.frame,
            };
            if out.report(&selected, Report::Delta { text, at }) {
                self.paths.pin(node);
            }
        }
    }

    /// Ends the string that is read inside, after its text has ended or failed.
    pub(in crate::parser) fn end_entered<'r, O: Output + ?Sized>(
        &mut self,
        end: u64,
        kept: impl FnOnce(u64) -> Kept<'r>,
        out: &mut O,
    ) {
        self.entered.pop();
        self.end_container(end, kept, out);
    }

    /// Drops the open values of a level's text that has failed, and reports the error for each pattern that passes
    /// through its string.
    pub(in crate::parser) fn fail_inside<O: Output + ?Sized>(&mut self, level: usize, error: &Error, out: &mut O) {
        let Some(&EnteredString { frame, selected_to, selecting_to }) =
            level.checked_sub(1).and_then(|outer| self.entered.get(outer))
        else {
            return;
        };
        let automaton = self.patterns.automaton();
        self.entered.truncate(level);
        self.frames.truncate(frame + 1);
        self.rows.truncate(frame + 1, automaton);
        self.selected.truncate(selected_to);
        self.selecting.truncate(selecting_to);
        self.leaf = None;
        self.node = self.frames[frame].node;
        automaton.push_through(self.rows.at(frame, automaton), &mut self.selecting);
        let selected = Selected {
            patterns: &self.selecting[selecting_to..],
            first_match: self.next_match,
            kind: ValueKind::String,
            node: self.node,
            paths: &self.paths,
            level,
            depth: frame,
        };
        let is_read_later = out.report(&selected, Report::InnerError(error));
        self.next_match += (self.selecting.len() - selecting_to) as u64;
        self.selecting.truncate(selecting_to);
        self.keep_path(is_read_later);
    }
}
