//! The scripts, one for each assistant: what the model would say to what the user says.

pub(super) mod finance;
pub(super) mod form;
pub(super) mod restaurant;
pub(super) mod shopping;
