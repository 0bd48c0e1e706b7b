//! When a request that fails to open is tried again: how often, after which pause. No clock, no I/O.

use std::time::Duration;

use super::error::ProviderError;

/// The attempts of one request.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    made: u32,
    most: u32,
    pause: Duration,
}

impl Retry {
    /// `most` attempts in all; the first pause is `pause`, each further one twice the one before.
    pub(super) fn new(most: u32, pause: Duration) -> Self {
        Self { made: 0, most, pause }
    }

    /// How long to wait before the next attempt, if there is to be one after this failure.
    #[must_use]
    pub fn after(&mut self, error: &ProviderError) -> Option<Duration> {
        self.made += 1;
        (self.made < self.most && error.may_pass()).then(|| self.pause * 2_u32.pow(self.made - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_more_with_growing_pauses_and_only_for_what_may_pass() {
        let overloaded = ProviderError::Status { status: 529, message: String::new() };
        let mut retry = Retry::new(3, Duration::from_millis(5));
        let pauses = [retry.after(&overloaded), retry.after(&overloaded), retry.after(&overloaded)];
        assert_eq!(pauses, [Some(Duration::from_millis(5)), Some(Duration::from_millis(10)), None]);

        let refused = ProviderError::Status { status: 400, message: String::new() };
        assert_eq!(Retry::new(3, Duration::ZERO).after(&refused), None);
    }
}
