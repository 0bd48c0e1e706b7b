//! Patterns: the RFC 9535 queries that can be evaluated while a text streams.
//!
//! `syntax.rs` owns the syntax tree and prints it, `parser.rs` parses it, `automaton.rs` advances all patterns of a set
//! together, and `set.rs` is the set that users compile and share.

mod automaton;
mod parser;
mod set;
mod syntax;

pub(crate) use self::automaton::Automaton;
pub use self::set::PatternSet;
pub use self::syntax::{Pattern, PatternError, PatternId};
// For the envelope, which builds its own pattern.
pub(crate) use self::syntax::{PatternSegment, Selector};
