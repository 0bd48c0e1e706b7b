//! The envelope against a splitter of whole texts: every cut, by hand and by chance.

mod cases;
mod delimiters;
#[path = "../it/inputs.rs"]
mod inputs;
mod laws;
mod limits;
mod payload;
mod promptness;
mod properties;
mod regression;
mod splitter;
mod told;
