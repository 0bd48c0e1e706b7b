//! The page in a real browser, against the real server and the scripted provider: `.ci/browser` brings what this needs.

mod accessibility;
mod answers;
mod faults;
mod hidden;
mod looks;
mod playground;
mod return_to;
mod speed;
mod stage;
