//! The error of a part of a saved state.

/// The error of a part of a saved state that no text leads to.
#[derive(Debug, PartialEq, Eq)]
pub struct Impossible;

impl Impossible {
    /// Fails unless a condition holds.
    #[inline]
    pub fn unless(is_possible: bool) -> Result<(), Self> {
        if is_possible { Ok(()) } else { Err(Self) }
    }
}
