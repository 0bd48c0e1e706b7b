//! The words for the reasons to stop. Each target has a list; [`StopKind`] is the meaning that all share.

use alloc::borrow::Cow;

use super::target::Stopped;
use crate::event::StopKind;
use crate::words::matches;

/// A target's words for the meanings it has, separated by `|`. The first word is used, unless the source's own word is
/// one of them.
pub(super) type Words = &'static [(StopKind, &'static str)];

/// Returns the target's word. A meaning without a word keeps the source's word, which every reader understands, so that
/// no answer seems finished that was paused, cancelled or stopped for an unknown reason.
pub(super) fn word_for<'s>(stopped: &'s Stopped, words: Words) -> Cow<'s, str> {
    let reason = &*stopped.reason;
    match words.iter().find(|(kind, _)| *kind == stopped.kind) {
        Some((_, words)) if matches(words, reason) => reason.into(),
        Some((_, words)) => words.split('|').next().unwrap_or_default().into(),
        None if StopKind::of(reason) == stopped.kind => reason.into(),
        None => stopped.kind.name().into(),
    }
}
