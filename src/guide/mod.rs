//! The guide: how to use the library, one page per subject. Documentation only; there is no code here.
//!
//! | page | what it explains |
//! |---|---|
//! | [`events`] | what a parser reports, the two ways to receive it, errors, and how much of the text is kept |
//! | [`patterns`] | how to say which values you want |
//! | [`partial`] | the document so far, types read from it, what *complete* means, and copies kept elsewhere |
//! | [`typed`] | typed partials: what of a type is shown when, and how to model enums, ids and dates |
//! | [`documents`] | many texts in one stream: JSON Lines, concatenated values, sequences |
//! | [`limits`] | hostile input: limits, policies, memory, display of invalid strings |
//! | [`gateway`] | text that is passed on: values as they came, and editing on the way |
//! | [`saved`] | streams that outlive their process: saving a parser's state and going on elsewhere |
//! | [`lenient`] | trailing commas, comments and other named deviations from JSON |
//! | [`migrating`] | coming from jiter, partial-json-fixer, jsonmodem, `StreamDeserializer`, ijson, or a regular expression |
//!
//! # Words
//!
//! A few words are used here, in the documentation of every item, and in the code, always with the same meaning:
//!
//! - A *chunk* is what is fed at once: any bytes, of any length, also none.
//! - A *pattern* is a path with wildcards; a *match* is one value that one pattern selects.
//! - An *event* reports something that has become known about a match; a *delta* is new decoded text of an open string,
//!   or, where it was asked for, of any open value as it came.
//! - An *atom* is a number, a boolean or null: a value without parts, which is reported whole.
//! - What is *partial* may still change; what is *complete* was received whole.
//! - A *snapshot* is the document as far as it is known.
//! - An *offset* is a byte's place in the whole text, from 0.

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
