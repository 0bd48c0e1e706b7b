//! The events of a body, edited while it passes: what is no event's text comes out as it came in.
//!
//! Owns which format it is, and what becomes of an event's text. The lines of server-sent events are in `lines.rs`,
//! JSON texts in `values.rs`. Both hand each event's text on as soon as it is whole.

mod lines;
mod values;

use std::mem;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Error, RestoreError};

use self::lines::Lines;
use self::values::Values;
use crate::frame::{Damage, Frame};
use crate::frames::LIMIT;
use crate::saved::{Reader, Saved, Writer, with_added};
use crate::sse::BYTE_ORDER_MARK;

/// Edits the events of a body while it passes: server-sent events, or JSON texts, one per line, spread over several, or
/// in an array. All around an event's text comes out as it came in: names of events, ids, comments, blank lines.
///
/// ```
/// use jsonspigot_framing::{EventEditor, Frame};
///
/// let mut editor = EventEditor::new();
/// let mut out = String::new();
/// let mut edit = |frame: Frame<'_>| match frame {
///     Frame::Text(text) => Some(text.replace("secret", "…")),
///     _ => None,
/// };
/// for chunk in ["event: delta\r\ndata: {\"a\": \"sec", "ret\"}\r\n\r\n", ": ping\n\ndata: [DONE]\n\n"] {
///     editor.feed(chunk, &mut edit, |bytes| out.push_str(str::from_utf8(bytes).unwrap()));
/// }
/// editor.finish(&mut edit, |bytes| out.push_str(str::from_utf8(bytes).unwrap()));
/// assert_eq!(out, "event: delta\r\ndata: {\"a\": \"…\"}\r\n\r\n: ping\n\ndata: [DONE]\n\n");
/// ```
///
/// The function that edits gets a [`Text`](Frame::Text) for each event, an [`Unreadable`](Frame::Unreadable) for what
/// is not UTF-8, ends before it is whole, or is neither an event nor a field or comment of server-sent events, and
/// [`TooLong`](Frame::TooLong). It returns what stands in its place, or `None` if it stays. An event whose text becomes
/// empty is left out, and so is a line, and what is too long.
///
/// The example forwards an `Unreadable` event unchanged, secrets included. To redact the arguments of calls, use
/// `Frame::rewrite` (feature `providers`), whose errors have the text to forward instead.
///
/// # Cost
///
/// Linear in the body. Memory is that of the open event, which is at most the [limit](Self::with_limit).
#[derive(Clone, Debug)]
pub struct EventEditor {
    state: State,
    limit: usize,
}

#[derive(Clone, Debug)]
enum State {
    /// Nothing but white space so far, or a byte order mark, after so many bytes of it; an incomplete one is held back.
    Undecided(usize),
    Lines(Lines),
    Values(Box<Values>),
    /// A callback panicked, so the place in the body is not known. True once that was reported.
    Panicked(bool),
}

impl Interrupted for EventEditor {
    fn interrupt(&mut self) {
        self.state = State::Panicked(false);
    }
}

impl Default for EventEditor {
    fn default() -> Self {
        Self::new()
    }
}

/// What edits, and where all goes.
struct Pass<'a> {
    edit: &'a mut dyn FnMut(Frame<'_>) -> Option<String>,
    sink: &'a mut dyn FnMut(&[u8]),
    limit: usize,
}

impl Pass<'_> {
    fn pass(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            (self.sink)(bytes);
        }
    }

    fn report_panic(&mut self) {
        let _ = (self.edit)(Frame::Damaged(Damage::Panicked));
    }

    /// What stands in the place of an event's text; `None` if that stays.
    fn edited(&mut self, text: &[u8], is_whole: bool) -> Option<String> {
        match str::from_utf8(text) {
            Ok(text) if is_whole => (self.edit)(Frame::Text(text)).filter(|edited| edited != text),
            _ => {
                let text = String::from_utf8_lossy(text);
                (self.edit)(Frame::Unreadable(&text)).filter(|edited| *edited != text)
            }
        }
    }

    /// Edits what is around events, and passes as it is where the framing knows it: a field or a comment, and nothing
    /// that may be JSON.
    fn edited_aside(&mut self, text: &[u8]) -> Option<String> {
        let is_plain =
            |text: &str| !text.contains(|c: char| matches!(c, '"' | '{' | '[') || (c.is_control() && c != '\t'));
        let is_known = str::from_utf8(text).is_ok_and(|text| {
            let fields = [":", "data:", "error:", "event:", "id:", "retry:"];
            let is_field = fields.iter().any(|name| text.starts_with(name)) || ["event", "id", "retry"].contains(&text);
            text.trim_ascii().is_empty() || (is_field && is_plain(text))
        });
        if is_known { None } else { self.edited(text, false) }
    }
}

impl EventEditor {
    /// Starts at a body's first byte, and allows events of at most 32 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// Leaves out events of more than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { state: State::Undecided(0), limit }
    }

    /// Reads a chunk, and passes on all that is decided by now.
    ///
    /// If `edit` or `sink` panics and the panic is caught, the next call gives [`Damage::Panicked`] to `edit`, and nothing
    /// more of the body passes.
    pub fn feed(
        &mut self,
        chunk: impl AsRef<[u8]>,
        mut edit: impl FnMut(Frame<'_>) -> Option<String>,
        mut sink: impl FnMut(&[u8]),
    ) {
        let pass = &mut Pass { edit: &mut edit, sink: &mut sink, limit: self.limit };
        unless_interrupted(self, |editor| editor.read(chunk.as_ref(), pass));
    }

    fn read(&mut self, mut chunk: &[u8], pass: &mut Pass<'_>) {
        if let State::Undecided(mark) = &mut self.state {
            while let (Some(expected), Some((byte, rest))) = (BYTE_ORDER_MARK.get(*mark), chunk.split_first())
                && byte == expected
            {
                (*mark, chunk) = (*mark + 1, rest);
                if *mark == BYTE_ORDER_MARK.len() {
                    pass.pass(&BYTE_ORDER_MARK);
                }
            }
            let Some(first) = chunk.first() else { return };
            let begun = BYTE_ORDER_MARK.get(..*mark).filter(|begun| begun.len() < BYTE_ORDER_MARK.len());
            let begun = begun.unwrap_or_default();
            *mark = BYTE_ORDER_MARK.len();
            let blank = chunk.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blank > 0 || matches!(first, b'{' | b'[') {
                pass.pass(begun);
                pass.pass(&chunk[..blank]);
                chunk = &chunk[blank..];
            }
            self.state = match chunk.first() {
                None => return,
                Some(b'{' | b'[') => State::Values(Box::default()),
                Some(_) => State::Lines(Lines::default()),
            };
            if let State::Lines(lines) = &mut self.state
                && blank == 0
            {
                lines.feed(begun, pass);
            }
        }
        match &mut self.state {
            State::Undecided(_) => {}
            State::Lines(lines) => lines.feed(chunk, pass),
            State::Values(values) => values.feed(chunk, pass),
            State::Panicked(true) => {}
            State::Panicked(is_reported) => {
                *is_reported = true;
                pass.report_panic();
            }
        }
    }

    /// The end of input: passes on what is left, and is ready for another body.
    pub fn finish(&mut self, mut edit: impl FnMut(Frame<'_>) -> Option<String>, mut sink: impl FnMut(&[u8])) {
        let pass = &mut Pass { edit: &mut edit, sink: &mut sink, limit: self.limit };
        unless_interrupted(self, |editor| editor.end(pass));
    }

    fn end(&mut self, pass: &mut Pass<'_>) {
        match mem::replace(&mut self.state, State::Undecided(0)) {
            State::Undecided(mark) if mark < BYTE_ORDER_MARK.len() => pass.pass(&BYTE_ORDER_MARK[..mark]),
            State::Undecided(_) => {}
            State::Lines(mut lines) => lines.finish(pass),
            State::Values(mut values) => values.finish(pass),
            State::Panicked(true) => {}
            State::Panicked(false) => pass.report_panic(),
        }
    }

    /// Saves how far the body has come, together with the state of what edits the events. That state may be anything,
    /// and empty.
    ///
    /// # Errors
    ///
    /// None: the type is that of the other `save` methods.
    pub fn save_with(&self, state: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        with_added(state.as_ref(), |out: &mut Writer<'_>| {
            match &self.state {
                State::Undecided(mark) => {
                    out.number(0);
                    out.number(*mark as u64);
                }
                State::Lines(lines) => {
                    out.number(1);
                    lines.save(out);
                }
                State::Values(values) => {
                    out.number(2);
                    values.save(out)?;
                }
                State::Panicked(is_reported) => {
                    out.number(3);
                    out.flag(*is_reported);
                }
            }
            Ok(())
        })
    }

    /// Resumes where [`save_with`](Self::save_with) saved, with the limit of this editor; `restore_state` gets the state
    /// that was saved with it.
    ///
    /// ```
    /// use jsonspigot_framing::{EventEditor, Frame};
    ///
    /// let mut editor = EventEditor::new();
    /// editor.feed("data: {\"a\"", |_| None, |_| {});
    /// let saved = editor.save_with("state")?;
    /// let (mut editor, state) = EventEditor::new().restore_with(&saved, |state| Ok(state.to_vec()))?;
    /// let mut out = Vec::new();
    /// editor.feed(": 1}\n", |_| None, |bytes| out.extend_from_slice(bytes));
    /// assert_eq!((&*out, &*state), (&b"data: {\"a\": 1}\n"[..], &b"state"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// That of `restore_state`, which comes first; or what is wrong with the bytes, which are read as hostile: any bytes
    /// give an editor or an error.
    pub fn restore_with<T>(
        self,
        bytes: &[u8],
        restore_state: impl FnOnce(&[u8]) -> Result<T, RestoreError>,
    ) -> Result<(Self, T), RestoreError> {
        let saved = Saved::of(bytes)?;
        let state_beside = restore_state(saved.state)?;
        let limit = self.limit;
        let read = |reader: &mut Reader<'_>| match reader.number()? {
            0 => {
                let mark = usize::try_from(reader.number()?).map_err(|_| RestoreError::Impossible)?;
                if mark > BYTE_ORDER_MARK.len() { Err(RestoreError::Impossible) } else { Ok(State::Undecided(mark)) }
            }
            1 => Ok(State::Lines(Lines::restore(reader, limit)?)),
            2 => Ok(State::Values(Box::new(Values::restore(reader, limit)?))),
            3 => Ok(State::Panicked(reader.flag()?)),
            _ => Err(RestoreError::Impossible),
        };
        let state = saved.added(read)?.ok_or(RestoreError::NotSavedState)?;
        Ok((Self { state, limit }, state_beside))
    }
}
