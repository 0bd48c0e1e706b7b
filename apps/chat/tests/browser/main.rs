//! The page in a real browser, against the real server and the scripted provider: `.ci/browser` brings what this needs.

mod accessibility;
mod answers;
mod controls;
mod faults;
mod focus;
mod form;
mod hidden;
mod inspector;
mod landing;
mod looks;
mod questions;
mod return_to;
mod speed;
mod stage;
