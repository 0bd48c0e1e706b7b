//! Interleaved timing: every contender runs once per round, so that a slow moment of the machine affects all of them.
//!
//! A sample contains as many rotations as fill [`SAMPLE`]. A rotation runs each of the row's documents once, so that
//! all samples do the same work and branch prediction for one document does not distort the times. A contender that
//! would exceed its share of the row's time is not run. Its cost is extrapolated from two smaller documents of the same
//! kind, with the exponent between them, and marked.

use std::time::{Duration, Instant};

use crate::check::{Verdict, check};
use crate::chunks::Input;
use crate::contenders::{Contender, run, yardstick};
use crate::rows::Row;

const SAMPLE: Duration = Duration::from_micros(300);
/// The first trial document has this fraction of the row's size; each further one is four times as large.
const TRIAL: usize = 256;
/// All contenders run documents of fewer bytes.
const SMALL: usize = 10_000;
const LEAST_ROUNDS: usize = 9;

/// The time of one contender for one document of a row, in seconds, as the mean of a rotation.
#[derive(Clone, Debug)]
pub enum Cost {
    Measured {
        minimum: f64,
        median: f64,
    },
    /// Too slow to run, extrapolated.
    Estimated(f64),
    Unable,
    Wrong(String),
}

impl Cost {
    /// Returns the minimum and the median, or the estimate twice.
    pub fn figures(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Measured { minimum, median } => Some((minimum, median)),
            Self::Estimated(cost) => Some((cost, cost)),
            Self::Unable | Self::Wrong(_) => None,
        }
    }
}

/// A measured row.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The yardstick's minimum and median.
    pub yardstick: (f64, f64),
    /// The cost of each contender, in their order.
    pub costs: Vec<Cost>,
    pub rounds: usize,
}

/// Returns the seconds per document.
fn timed(rotations: u32, inputs: &[Input], mut run: impl FnMut(&Input)) -> f64 {
    let start = Instant::now();
    for _ in 0..rotations {
        inputs.iter().for_each(&mut run);
    }
    start.elapsed().as_secs_f64() / (f64::from(rotations) * inputs.len() as f64)
}

/// Returns the number of rotations in a sample.
fn rotations(once: f64, inputs: &[Input]) -> u32 {
    (SAMPLE.as_secs_f64() / (once.max(1e-9) * inputs.len() as f64)).clamp(1.0, 10_000.0) as u32
}

/// Returns the minimum time of three runs, or of as many as fit into a tenth of a second.
fn least(input: &Input, mut run: impl FnMut(&Input)) -> f64 {
    let mut least = f64::INFINITY;
    let start = Instant::now();
    for _ in 0..3 {
        least = least.min(timed(1, std::slice::from_ref(input), &mut run));
        if start.elapsed() > Duration::from_millis(100) {
            break;
        }
    }
    least
}

/// Adapts the input to the contender.
fn suited(contender: &dyn Contender, input: Input) -> Input {
    if contender.takes_pairs() { input } else { input.without_pairs() }
}

/// Estimates the time for the whole input from runs on larger and larger parts. A part is run only if it would stay
/// within `patience` seconds at quadratic cost.
fn foresee(contender: &mut dyn Contender, row: &Row, input: &Input, patience: f64) -> f64 {
    let mut last: Option<(f64, f64)> = None;
    let mut part = if input.bytes() < SMALL { 1 } else { TRIAL };
    loop {
        let trial = suited(contender, Input::new(row.kind, row.size / part, row.chunking));
        let size = trial.bytes() as f64;
        let cost = least(&trial, |trial| {
            run(contender, row.task, trial);
        });
        if part == 1 {
            return cost;
        }
        if cost * 16.0 > patience {
            let exponent = last.map_or(2.0, |(smaller, less)| (cost / less).ln() / (size / smaller).ln());
            return cost * (input.bytes() as f64 / size).powf(exponent.clamp(1.0, 2.0));
        }
        last = Some((size, cost));
        part /= 4;
    }
}

enum Standing {
    Runs { inputs: Vec<Input>, rotations: u32, samples: Vec<f64> },
    Out(Cost),
}

/// Checks a contender, on a small document first, and decides whether it is fast enough to run.
fn admit(contender: &mut dyn Contender, row: &Row, inputs: &[Input], share: f64) -> Standing {
    let inputs: Vec<Input> = inputs.iter().map(|input| suited(contender, input.clone())).collect();
    let is_small = row.size < SMALL;
    if !is_small {
        let small = suited(contender, Input::new(row.kind, row.size / TRIAL, row.chunking));
        match check(contender, row.task, &small) {
            Verdict::Unable => return Standing::Out(Cost::Unable),
            Verdict::Wrong(reason) => return Standing::Out(Cost::Wrong(reason)),
            Verdict::Right => {}
        }
    }
    let once = foresee(contender, row, &inputs[0], share * 6.0);
    if once * inputs.len() as f64 > share && !is_small {
        return Standing::Out(Cost::Estimated(once));
    }
    for input in &inputs {
        match check(contender, row.task, input) {
            Verdict::Unable => return Standing::Out(Cost::Unable),
            Verdict::Wrong(reason) => return Standing::Out(Cost::Wrong(reason)),
            Verdict::Right => {}
        }
    }
    let rotations = rotations(once, &inputs);
    Standing::Runs { inputs, rotations, samples: Vec::new() }
}

/// Checks and times all contenders of a row, for about `budget` in total.
pub fn measure(row: &Row, contenders: &mut [Box<dyn Contender>], budget: Duration) -> Measured {
    let start = Instant::now();
    let inputs = Input::rotation(row.kind, row.size, row.chunking);
    let share = budget.as_secs_f64() / 40.0;
    let mut standings: Vec<Standing> =
        contenders.iter_mut().map(|contender| admit(contender.as_mut(), row, &inputs, share)).collect();
    let yardstick_rotations = rotations(least(&inputs[0], yardstick), &inputs);
    let mut yardsticks = Vec::new();
    while start.elapsed() < budget || yardsticks.len() < LEAST_ROUNDS {
        yardsticks.push(timed(yardstick_rotations, &inputs, yardstick));
        // Each round begins with the next contender, so that none always follows the same one.
        for nth in 0..standings.len() {
            let turn = (nth + yardsticks.len()) % standings.len();
            if let Standing::Runs { inputs, rotations, samples } = &mut standings[turn] {
                samples.push(timed(*rotations, inputs, |input| {
                    run(contenders[turn].as_mut(), row.task, input);
                }));
            }
        }
    }
    let rounds = yardsticks.len();
    let costs = standings.into_iter().map(|standing| match standing {
        Standing::Out(cost) => cost,
        Standing::Runs { samples, .. } => {
            let (minimum, median) = least_and_median(samples);
            Cost::Measured { minimum, median }
        }
    });
    Measured { costs: costs.collect(), yardstick: least_and_median(yardsticks), rounds }
}

fn least_and_median(mut samples: Vec<f64>) -> (f64, f64) {
    samples.sort_by(f64::total_cmp);
    (samples[0], samples[samples.len() / 2])
}
