//! Saved state of an open call.

use alloc::string::String;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::{Identity, OpenCall, Phase};
use crate::calls::executor::Executor;
use crate::calls::input::Input;
use crate::calls::options::Options;
use crate::calls::start::InputFormat;

/// The phases as they are written: by their places.
const PHASES: [Phase; 3] = [Phase::Open, Phase::Sealed, Phase::Stopped];
const FORMATS: [InputFormat; 2] = [InputFormat::Json, InputFormat::Text];
const EXECUTORS: [Executor; 2] = [Executor::Client, Executor::Provider];

/// All reasons for which something may have been left out.
const LEFT_OUT: [&str; 7] = ["unplaced", "limit", "mixed", "mismatch", "bad-frame", "unknown-part", "panicked"];

impl OpenCall {
    pub(in crate::calls) fn save(&self, options: &Options, out: &mut Writer<'_>) {
        let Self {
            identity: Identity { number: _, choice, id, name, executor },
            is_content,
            format,
            phase,
            is_reported,
            left_out,
            is_incomplete,
            start_input,
            len,
            is_full,
            input,
            repetition,
        } = self;
        debug_assert_eq!(*len, input.raw_len(), "how long it is can be seen");
        out.number(*choice);
        out.text(id);
        out.text(name);
        [*executor as u8, *format as u8, *phase as u8].into_iter().for_each(|byte| out.byte(byte));
        [is_content, is_reported, is_incomplete, is_full].into_iter().for_each(|flag| out.flag(*flag));
        let reason = left_out.map(|left_out| LEFT_OUT.iter().position(|reason| *reason == left_out));
        debug_assert_ne!(reason, Some(None), "{left_out:?} is listed");
        out.option(reason, |out, place| out.byte(place.unwrap_or_default() as u8));
        out.text(start_input);
        out.option(repetition.as_deref(), Writer::text);
        input.save(options, name, out);
    }

    /// Reads what was saved of the call with this number.
    pub(in crate::calls) fn restore(
        reader: &mut Reader<'_>,
        number: u64,
        options: &Options,
    ) -> Result<Self, Impossible> {
        let choice = reader.number()?;
        let (id, name) = (reader.string()?, reader.string()?);
        let executor = reader.choice(&EXECUTORS)?;
        let (format, phase) = (reader.choice(&FORMATS)?, reader.choice(&PHASES)?);
        let [is_content, is_reported, is_incomplete] = [reader.flag()?, reader.flag()?, reader.flag()?];
        let is_full = reader.flag()?;
        let left_out = reader.option(|reader| reader.choice(&LEFT_OUT))?;
        let start_input = reader.string()?;
        let repetition: Option<String> = reader.option(Reader::string)?;
        let input = Input::restore(reader, options, &name)?;
        let len = input.raw_len();
        let call = Self {
            identity: Identity { number, choice, id, name, executor },
            is_content,
            format,
            phase,
            is_reported,
            left_out,
            is_incomplete,
            start_input,
            len,
            is_full,
            input,
            repetition,
        };
        let is_of_format = match &call.input {
            Input::Untouched => true,
            Input::Open(_) | Input::Apart { .. } => format == InputFormat::Json,
            Input::Text(_) => format == InputFormat::Text,
        };
        Impossible::ensure(
            // Whatever it is that comes, the start is reported first.
            (call.is_reported || !call.has_input())
                && is_of_format
                && if is_full { left_out.is_some() } else { len <= options.limits.input_bytes }
                && call.start_input.len() <= options.limits.input_bytes.saturating_add(char::MAX.len_utf8()),
        )?;
        Ok(call)
    }

    /// True if the start has been reported.
    pub(in crate::calls) fn is_reported(&self) -> bool {
        self.is_reported
    }

    pub(in crate::calls) fn is_stopped(&self) -> bool {
        self.phase == Phase::Stopped
    }
}
