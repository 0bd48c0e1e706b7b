//! jsonspigot for Python: the module `jsonspigot._native`. `python/jsonspigot/__init__.py` re-exports its public names.
//!
//! The library's meaning stays as it is; here text becomes `str`, and values become dicts and lists. Nothing in here is
//! called while a parser is locked but Python's own constructors.
#![allow(non_upper_case_globals, reason = "`__match_args__` is Python's name")]

mod chunk;
mod documents;
mod envelope;
mod error;
mod event;
mod keys;
mod lock;
mod make;
mod mirror;
mod options;
mod parser;
mod provider;
mod reader;
mod rewriter;
mod typed;
mod value;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::documents::{DocumentEnd, Documents};
    #[pymodule_export]
    use super::envelope::Envelope;
    #[pymodule_export]
    use super::event::{Begin, Data, Delta, End, InnerError};
    #[pymodule_export]
    use super::parser::{Parser, Revision};
    #[pymodule_export]
    use super::provider::ProviderStream;
    #[pymodule_export]
    use super::rewriter::Rewriter;
    #[pymodule_export]
    use super::typed::{Level, Place, Shape, Typed};
    #[pymodule_export]
    use super::values::Values;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::envelope::add_events(module)?;
        super::provider::add_events(module)
    }
}
