//! The page in a real browser, against the real server and the scripted provider: `.ci/browser` brings what this needs.

mod answers;
mod controls;
mod faults;
mod looks;
mod return_to;
mod stage;
