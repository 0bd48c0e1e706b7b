//! Patterns: RFC 9535 queries, the part that a forward stream can decide.
//!
//! `syntax.rs` owns the syntax tree and its spelling, `parser.rs` reads it, `automaton.rs` advances many patterns
//! together, and `set.rs` is what users compile and share.

mod automaton;
mod parser;
mod set;
mod syntax;

pub(crate) use self::automaton::Automaton;
pub use self::set::PatternSet;
pub use self::syntax::{Pattern, PatternError, PatternId};
// For the envelope, which makes a pattern of its own.
pub(crate) use self::syntax::{PatternSegment, Selector};
