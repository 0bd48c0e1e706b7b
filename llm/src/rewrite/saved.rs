//! Saved state: the open calls, with what each one's arguments have come to.

use alloc::borrow::{Cow, ToOwned};
use alloc::vec::Vec;

use jsonspigot::internal::saved::{self, Impossible, Kind, Owner, Reader};
use jsonspigot::{Error, RestoreError};

use super::places::Key;
use super::{CallRewriter, MOST_CALLS, OpenText};

impl CallRewriter {
    /// Returns the state as bytes, between two events; see [`Rewriter::save`](jsonspigot::Rewriter::save).
    ///
    /// # Errors
    ///
    /// None: after a panic, the state says that there was one. The type is that of the other `save` methods.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(), |out| {
            out.flag(self.has_panicked);
            out.number(self.open.len() as u64);
            for OpenText { key: Key { choice, index, id }, rewriter, has_failed, is_lost } in &self.open {
                out.number(*choice);
                out.option(*index, saved::Writer::number);
                out.text(id);
                out.flag(*has_failed);
                out.flag(*is_lost);
                rewriter.save_body(out)?;
            }
            Ok(())
        })
    }

    /// Resumes where a [saved](Self::save) one was. This one is new, for the same provider, with the same patterns,
    /// rules and choices; what it has read is forgotten.
    ///
    /// ```
    /// use jsonspigot::Rule;
    /// use jsonspigot_llm::{CallRewriter, Provider};
    ///
    /// let new = || CallRewriter::new(Provider::Anthropic, [("password", Rule::redact())]);
    /// let event = |json: &str| format!(r#"{{"type":"content_block_delta","delta":{{"partial_json":"{json}"}}}}"#);
    /// let mut calls = new()?;
    /// calls.push(&event(r#"{\"password\": \"hun"#))?;
    ///
    /// let mut calls = new()?.restore(&calls.save()?)?;
    /// assert_eq!(calls.push(&event(r#"ter2\"}"#))?, event("}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Rewriter::restore`](jsonspigot::Rewriter::restore); another provider is another choice.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(), bytes, |reader| self.restore_body(reader))?;
        Ok(self)
    }

    fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.has_panicked = reader.flag()?;
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_CALLS)?;
        for _ in 0..count {
            let (choice, index) = (reader.number()?, reader.option(Reader::number)?);
            let key = Key { choice, index, id: Cow::Owned(reader.text()?.to_owned()) };
            let (has_failed, is_lost) = (reader.flag()?, reader.flag()?);
            let mut rewriter = self.strings.clone();
            rewriter.restore_body(reader)?;
            Impossible::ensure(rewriter.is_in_root_string())?;
            self.open.push(OpenText { key, rewriter, has_failed, is_lost });
        }
        Ok(())
    }

    fn owner(&self) -> Owner {
        self.strings.owner(Kind::CallRewriter).with_choice(self.wire as u64)
    }
}
