//! The effort of the tests: a sample by default, everything with `JSONSPIGOT_LAWS=all`.

use proptest::test_runner::Config;

/// Returns true if the tests try every case instead of a sample.
pub fn is_full() -> bool {
    std::env::var("JSONSPIGOT_LAWS").is_ok_and(|laws| laws == "all")
}

/// Returns a size for a test: `quick` by default, `full` in a full run.
pub fn size(quick: usize, full: usize) -> usize {
    if is_full() { full } else { quick }
}

/// Returns proptest's configuration for a slow property: one of 256 cases in `part`, or as many as usual in a full run.
pub fn cases(part: u32) -> Config {
    cases_of(256_u32.div_ceil(part), Config::default().cases)
}

/// Returns proptest's configuration with `quick` cases, or `full` in a full run.
pub fn cases_of(quick: u32, full: u32) -> Config {
    Config { cases: if is_full() { full } else { quick }, ..Config::default() }
}

/// Selects about one case in `one_in`, the same ones in every run; every case in a full run.
///
/// The selected cases are spread irregularly, so that nested loops don't always select the same inner case.
pub struct Sample {
    one_in: u64,
    state: u64,
}

impl Sample {
    pub fn one_in(one_in: u64) -> Self {
        Self { one_in: if is_full() { 1 } else { one_in }, state: 1 }
    }

    /// Returns true if the next case is selected. The first one always is.
    pub fn takes(&mut self) -> bool {
        let is_taken = (self.state >> 33).is_multiple_of(self.one_in);
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        is_taken
    }
}
