//! The envelope against a splitter of whole texts: every cut, by hand and by chance.

mod any_text;
mod cases;
mod delimiters;
#[path = "../it/fuzz_inputs.rs"]
mod fuzz_inputs;
mod limits;
mod owned;
mod payload;
mod promptness;
mod properties;
mod recorder;
mod regression;
mod saved;
#[path = "../it/sealed.rs"]
mod sealed;
mod splitter;
