//! The parser output that edits the text: it passes bytes on, leaves them out, or writes replacements.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::RewriteError;
use super::rule::{self, Rule, RuleKind};
use super::state::{Choices, Container, OpenRule, State, escaped};
use crate::parser::{Output, Report, Selected};
use crate::tokenizer::unescaped;

/// The state while a chunk is read.
pub(super) struct Writer<'a> {
    pub(super) state: &'a mut State,
    pub(super) rules: &'a mut [Rule],
    pub(super) choices: Choices,
    pub(super) chunk: &'a [u8],
    pub(super) chunk_at: u64,
    pub(super) sink: &'a mut dyn FnMut(&[u8]),
}

impl Writer<'_> {
    /// Passes the text on up to `end`.
    pub(super) fn pass(&mut self, end: u64) {
        self.advance(end, true);
    }

    /// Leaves the text out up to `end`, or captures it for a closure.
    pub(super) fn leave_out(&mut self, end: u64) {
        self.advance(end, false);
    }

    fn advance(&mut self, end: u64, passes: bool) {
        let state = &mut *self.state;
        if end <= state.passed || state.stopped_by.is_some() {
            return;
        }
        let mut captured = state.open.as_mut().and_then(|open| Some((open.captured.as_mut()?, open.start)));
        if let Some((text, start)) = captured.as_ref().filter(|_| !passes)
            && text.len() as u64 + (end - state.passed) > self.choices.held_limit
        {
            // However the text is cut, the bytes up to the limit count as captured.
            state.passed = start + self.choices.held_limit;
            state.stopped_by = Some(RewriteError::HeldLimit { offset: state.passed });
            state.held = Vec::new();
            return;
        }
        let mut take = |bytes: &[u8]| match &mut captured {
            _ if bytes.is_empty() => {}
            _ if passes => (self.sink)(bytes),
            Some((text, _)) => text.extend_from_slice(bytes),
            None => {}
        };
        let from_held = (end - state.passed).min(state.held.len() as u64) as usize;
        if from_held > 0 {
            take(&state.held[..from_held]);
            state.held.drain(..from_held);
        }
        if end > self.chunk_at {
            let place = |offset: u64| offset.saturating_sub(self.chunk_at) as usize;
            take(&self.chunk[place(state.passed)..place(end)]);
        }
        state.passed = end;
    }

    /// Writes text that is inside `level` nested strings.
    fn write(&mut self, text: String, level: usize) {
        let text = escaped(text, level);
        if self.state.stopped_by.is_none() && !text.is_empty() {
            (self.sink)(text.as_bytes());
        }
    }

    /// Stops the rewriter if the undecided text up to `end` exceeds the held limit.
    pub(super) fn check_held(&mut self, end: u64) {
        if let Some(from) = self.state.undecided
            && end.saturating_sub(from) > self.choices.held_limit
            && self.state.stopped_by.is_none()
        {
            self.pass(from);
            let offset = from + self.choices.held_limit;
            self.state.stopped_by = Some(RewriteError::HeldLimit { offset });
            self.state.held = Vec::new();
        }
    }

    /// Ends a chunk, at its end or at its first bad byte.
    pub(super) fn end_chunk(&mut self, end: u64, is_over: bool) {
        // An escape may be cut, so bytes are decided only up to the end of the innermost text.
        let innermost = self.state.texts.iter().rev().find(|text| !text.has_failed);
        let decided = innermost.map_or(end, |text| text.raw.end.min(end));
        self.check_held(decided);
        if self.state.open.is_some() {
            self.leave_out(decided);
        } else {
            self.pass(self.state.undecided.map_or(decided, |from| from.min(decided)));
        }
        if is_over || self.state.stopped_by.is_some() {
            self.state.held = Vec::new();
        } else {
            let from = self.state.passed.max(self.chunk_at) - self.chunk_at;
            self.state.held.extend_from_slice(&self.chunk[from as usize..]);
        }
    }

    /// Passes the next piece of a string to its closure, if there is one.
    pub(super) fn map_text(&mut self, piece: &str) {
        let Some(OpenRule { is_text: true, rule, level, .. }) = self.state.open else { return };
        self.call_with_text(rule, level, Some(piece));
    }

    fn call_with_text(&mut self, rule: usize, level: usize, piece: Option<&str>) {
        if self.state.stopped_by.is_some() {
            return;
        }
        if let Some(Rule { kind: RuleKind::MapText(map), .. }) = self.rules.get_mut(rule) {
            let mut out = String::new();
            map(piece, &mut out);
            self.write(out, level + 1);
        }
    }

    fn begin_rule(&mut self, selected: &Selected<'_>, at: u64) {
        let Some((pattern, match_id)) = selected.first() else { return };
        let (at, level, rule) = (self.state.raw(at), self.state.texts.len(), pattern.index());
        self.check_held(at);
        if self.state.stopped_by.is_some() {
            return;
        }
        for (pattern, _) in selected.matches() {
            if let Some(count) = self.state.matches.get_mut(pattern.index()) {
                *count += 1;
            }
        }
        let Some(Rule { kind, .. }) = self.rules.get_mut(rule).filter(|rule| rule.concerns(selected.kind())) else {
            return;
        };
        let mut open = OpenRule { match_id: Some(match_id), rule, start: at, level, ..OpenRule::default() };
        match kind {
            RuleKind::Remove => self.pass(self.state.undecided.unwrap_or(at)),
            RuleKind::Replace(json) => {
                let json = json.clone();
                self.keep_until(at);
                self.write(json, level);
            }
            RuleKind::Map(_) => {
                self.keep_until(at);
                open.captured = Some(Vec::new());
            }
            RuleKind::MapText(_) => {
                self.keep_until(at);
                self.write("\"".to_owned(), level);
                open.is_text = true;
            }
        }
        self.state.undecided = None;
        self.state.open = Some(open);
    }

    fn end_rule(&mut self, selected: &Selected<'_>, end: u64) {
        let match_id = selected.first().map(|(_, match_id)| match_id);
        if self.state.open.as_ref().is_none_or(|open| open.match_id != match_id) {
            return;
        }
        self.leave_out(self.state.raw_in(selected.level, end));
        let Some(OpenRule { rule, start, level, captured, is_text, .. }) = self.state.open.take() else { return };
        if is_text {
            self.call_with_text(rule, level, None);
            self.write("\"".to_owned(), level);
        }
        if let Some(text) = captured
            && self.state.stopped_by.is_none()
            && let Some(Rule { kind: RuleKind::Map(map), .. }) = self.rules.get_mut(rule)
        {
            // It was part of a valid text, so it is UTF-8 with valid escapes.
            let text = String::from_utf8(text).unwrap_or_default();
            let text = (0..level).fold(text, |text, _| unescaped(&text).unwrap_or_default());
            let is_json = |text: &str| rule::check(text).is_ok();
            match (!self.state.is_restored || is_json(&text)).then(|| map(&text)).filter(|json| is_json(json)) {
                Some(json) => self.write(json.trim_ascii().to_owned(), level),
                None => self.state.stopped_by = Some(RewriteError::NotJson { offset: start }),
            }
        }
    }

    /// Decides that the value at `at` stays in its container, and passes the text before it on.
    fn keep_until(&mut self, at: u64) {
        self.let_through();
        self.pass(at);
    }

    /// Decides that the next value stays in its container.
    pub(super) fn let_through(&mut self) {
        if self.state.undecided.take().is_some()
            && let Some(container) = self.state.containers.last_mut()
        {
            *container = Container::HasMember;
        }
    }

    /// Returns true if commas and brackets matter here, because a value may be removed.
    pub(super) fn follows_containers(&self) -> bool {
        self.choices.removes && self.state.open.is_none()
    }
}

impl Output for Writer<'_> {
    #[inline]
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) -> bool {
        match what {
            Report::Begin { at } => {
                if self.state.open.is_none() {
                    self.begin_rule(value, at);
                }
            }
            Report::Delta { text, .. } => {
                let match_id = value.first().map(|(_, match_id)| match_id);
                if self.state.open.as_ref().is_some_and(|open| open.match_id == match_id) {
                    self.map_text(text);
                }
            }
            Report::EndAtom { end, .. } | Report::EndSpan { end, .. } => self.end_rule(value, end),
            // Handled where the inner text is read.
            Report::InnerError(_) => {}
        }
        false
    }
}
