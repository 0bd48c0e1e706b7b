//! The envelope against a splitter of whole texts: every cut, by hand and by chance.

use jsonspigot_check::envelope::{properties, recorder, splitter};
use jsonspigot_check::{effort, forged, fuzz_inputs};

mod any_text;
mod between;
mod cases;
mod delimiters;
mod laws;
mod limits;
mod owned;
mod promptness;
mod regression;
mod saved;
