//! Errors of restoring a saved state.

use core::fmt;

use crate::names::named;

/// The reason why a saved state was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes do not begin like a saved state.
    NotSavedState,
    /// The state was saved in another version of the format. The text has to be read again from the start.
    OtherVersion,
    /// The end of the state is missing, or the input is empty.
    Cut,
    /// The bytes were changed after saving: the checksum does not match.
    Changed,
    /// The state is of another type: of [`Documents`](crate::Documents), for example, instead of a
    /// [`Parser`](crate::Parser).
    OtherKind,
    /// The state was saved with different patterns.
    OtherPatterns,
    /// The state was saved with different options: limits, retention, snapshots and so on.
    OtherChoices,
    /// The checksum matches, but no text leads to such a state. Only forged bytes cause this error.
    Impossible,
}

named!(RestoreError {
    NotSavedState => "not-saved-state",
    OtherVersion => "other-version",
    Cut => "cut",
    Changed => "changed",
    OtherKind => "other-kind",
    OtherPatterns => "other-patterns",
    OtherChoices => "other-choices",
    Impossible => "impossible",
});

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotSavedState => "not a saved state: the bytes do not begin like one",
            Self::OtherVersion => "other version: the state was saved in another version of the format",
            Self::Cut => "cut: the end of the saved state is missing",
            Self::Changed => "changed: the bytes are not those that were saved",
            Self::OtherKind => "other kind: the state was saved by another type",
            Self::OtherPatterns => "other patterns: the state was saved with different patterns",
            Self::OtherChoices => "other choices: the state was saved with different options",
            Self::Impossible => "impossible: no text leads to such a state",
        })
    }
}

impl core::error::Error for RestoreError {}
