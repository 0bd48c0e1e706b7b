//! The guide to the library, one page per subject. It contains only documentation.
//!
//! # The first minute
//!
//! [`PartialJson`](crate::PartialJson) keeps one `serde_json::Value` up to date ([more](partial)):
//!
//! ```
//! let mut partial = jsonspigot::PartialJson::new();
//! for delta in [r#"{"city": "Os"#, r#"lo", "days": [3"#, "1]}"] {
//!     println!("{}", partial.push(delta)?); // {"city":"Os"}, {"city":"Oslo","days":[]}, {"city":"Oslo","days":[31]}
//! }
//! let value = partial.finish()?; // an error unless all of it was one valid JSON text
//! assert_eq!(value["days"][0], 31);
//! # Ok::<(), jsonspigot::Error>(())
//! ```
//!
//! A [`Parser`](crate::Parser) reports the values that patterns select, as they arrive ([more](events)):
//!
//! ```
//! use jsonspigot::{Parser, PatternSet};
//!
//! let mut parser = Parser::new(&PatternSet::new(["ask_slots[*].message"])?); // keeps the text; `Retain::Nothing` keeps none
//! for chunk in [r#"{"route": 7, "ask_slots": [{"mess"#, r#"age": "Which si"#, r#"ze\u003f"}]}"#] {
//!     for event in parser.feed(chunk) {
//!         if let Some(text) = event?.delta() {
//!             println!("{text}"); // `Which si`, then `ze?`
//!         }
//!     }
//! }
//! parser.finish().check()?;
//! let whole: serde_json::Value = parser.deserialize()?; // strict, from that text
//! assert_eq!(whole["route"], 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The streams of model providers, with tool calls, are read by the crate
//! [`jsonspigot-llm`](https://docs.rs/jsonspigot-llm), whose guide is about them. The bodies that they arrive in are read
//! by [`jsonspigot-framing`](https://docs.rs/jsonspigot-framing). The [front page](crate#provider-streams) has an example
//! of both, with a response of `reqwest`.
//!
//! # Pages
//!
//! | page | subject |
//! |---|---|
//! | [`events`] | events, the two ways to receive them, errors, and how much text is retained |
//! | [`patterns`] | selecting values |
//! | [`partial`] | snapshots of the document so far, what *complete* means, and copies elsewhere |
//! | [`typed`] | your own type after every chunk, and how to model enums, ids and dates |
//! | [`documents`] | many texts in one stream: JSON Lines, concatenated values, sequences |
//! | [`limits`] | hostile input: limits, memory and policies |
//! | [`gateway`] | forwarding JSON text, unchanged or edited |
//! | [`saved`] | saving a parser's state and resuming it in another process |
//! | [`lenient`] | trailing commas, comments and other deviations from JSON |
//! | [`migrating`] | coming from jiter, jsonmodem, partial-json-fixer, `StreamDeserializer`, ijson and regexes |
//!
//! # Terms
//!
//! The documentation and the code use these terms:
//!
//! - A *chunk* is the input of one call: bytes of any length, possibly empty.
//! - A *pattern* is a path with wildcards. A *match* is one value that one pattern selects.
//! - An *event* reports progress of a match. A *delta* is new text of an open match: decoded text of a string or, for a
//!   `raw:` pattern, the unchanged JSON text of any value.
//! - An *atom* is a number, a boolean or null. It is reported whole.
//! - A *partial* value may still change. A *complete* value has been received whole.
//! - A *snapshot* is the part of the document that is known so far.
//! - An *offset* is a byte's position in the whole text, from 0.

#[doc = include_str!("events.md")]
pub mod events {}

#[doc = include_str!("patterns.md")]
pub mod patterns {}

#[doc = include_str!("partial.md")]
pub mod partial {}

#[doc = include_str!("typed.md")]
pub mod typed {}

#[doc = include_str!("documents.md")]
pub mod documents {}

#[doc = include_str!("limits.md")]
pub mod limits {}

#[doc = include_str!("gateway.md")]
pub mod gateway {}

#[doc = include_str!("saved.md")]
pub mod saved {}

#[doc = include_str!("lenient.md")]
pub mod lenient {}

#[doc = include_str!("migrating.md")]
pub mod migrating {}
