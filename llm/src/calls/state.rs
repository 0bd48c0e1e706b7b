//! The state of a stream's calls from one signal to the next.

use alloc::boxed::Box;

use super::call_index::CallIndex;
use super::limits::CallLimits;
use super::numbered::Numbered;
use super::open_call::OpenCall;
use super::options::Options;

/// The options, the open calls and the index that finds calls.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(super) options: Options,
    pub(super) index: CallIndex,
    pub(super) open: Numbered<Box<OpenCall>>,
    pub(super) next: u64,
    /// The newest call if its start may not have been reported yet, since some servers send the id and the name
    /// separately.
    pub(super) unreported: Option<u64>,
}

impl State {
    pub(super) fn new(options: Options) -> Self {
        Self { options, index: CallIndex::default(), open: Numbered::default(), next: 0, unreported: None }
    }

    /// Records that a part of the stream was left out, so that no open call can be complete.
    pub(super) fn leave_out(&mut self, reason: &'static str) {
        self.open.values_mut().for_each(|call| call.leave_out(reason));
    }

    /// Returns an open call by its number.
    pub(crate) fn open_call(&self, number: u64) -> Option<&OpenCall> {
        self.open.get(number).map(|call| &**call)
    }

    /// Returns the number of open calls.
    pub(crate) fn open_count(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn limits(&self) -> &CallLimits {
        &self.options.limits
    }

    /// Returns true if each delta holds all of the input so far.
    pub(crate) fn is_cumulative(&self) -> bool {
        self.options.is_cumulative
    }
}
