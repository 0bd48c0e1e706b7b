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

/// The longest pause that a provider can ask for. After a longer one, the request fails at once.
const LONGEST: Duration = Duration::from_secs(60);

impl Retry {
    /// `most` attempts in all; the first pause is `pause`, each further one twice the one before.
    pub(super) fn new(most: u32, pause: Duration) -> Self {
        Self { made: 0, most, pause }
    }

    /// Returns the pause before the next attempt, if there is to be one after this failure.
    #[must_use]
    pub fn after(&mut self, error: &ProviderError) -> Option<Duration> {
        self.made += 1;
        let asked = error.retry_after().unwrap_or_default();
        let is_to_be = self.made < self.most && error.may_pass() && asked <= LONGEST;
        is_to_be.then(|| asked.max(self.pause * 2_u32.pow(self.made - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_more_with_growing_pauses_and_only_for_what_may_pass() {
        let status = |status, seconds: Option<u64>| ProviderError::Status {
            status,
            message: String::new(),
            retry_after: seconds.map(Duration::from_secs),
        };
        let overloaded = status(529, None);
        let mut retry = Retry::new(3, Duration::from_millis(5));
        let pauses = [retry.after(&overloaded), retry.after(&overloaded), retry.after(&overloaded)];
        assert_eq!(pauses, [Some(Duration::from_millis(5)), Some(Duration::from_millis(10)), None]);

        let after = |error: &ProviderError| Retry::new(3, Duration::from_millis(5)).after(error);
        assert_eq!(after(&status(400, None)), None);
        assert_eq!(after(&status(400, Some(1))), None);
        assert_eq!(after(&status(429, Some(2))), Some(Duration::from_secs(2)), "as long as it asks for");
        assert_eq!(after(&status(429, Some(0))), Some(Duration::from_millis(5)), "but not less than otherwise");
        assert_eq!(after(&status(429, Some(3600))), None, "nobody waits for so long");
    }
}
