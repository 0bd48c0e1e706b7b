//! Provider streams that outlive their process: many at once, over Redis Streams, by several workers.
//!
//! `README.md` explains the whole. [`step`] is the library's part: saved bytes and new chunks in, what is told and new
//! bytes out. [`store`] is Redis's part: which keys there are, and what happens to them at once. [`worker`] goes back and
//! forth between the two. [`produce`] and [`made`] feed them, [`measure`] measures them on a [`server`] of their own.

pub mod made;
pub mod measure;
pub mod produce;
pub mod server;
pub mod step;
pub mod store;
pub mod worker;
