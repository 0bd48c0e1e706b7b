//! Edits the events of a body while it passes through. Everything but the text of events is passed on unchanged.
//!
//! Owns the detection of the format and the editing of an event's text. `lines.rs` reads the lines of server-sent
//! events, `values.rs` JSON texts. Both pass an event's text to the editing function as soon as it is whole.

mod lines;
mod values;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Error, RestoreError};

use self::lines::Lines;
use self::values::Values;
use crate::frame::{Damage, Frame};
use crate::frames::LIMIT;
use crate::saved::{Impossible, Writer, restore_with, with_added};
use crate::sse::BYTE_ORDER_MARK;

/// An editor of the events of a body: server-sent events, or JSON texts, one per line, spread over several, or in an
/// array. Everything around the text of events is passed on unchanged: names, ids, comments, blank lines.
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
/// The function `edit` receives a [`Text`](Frame::Text) for each event, an [`Unreadable`](Frame::Unreadable) for text
/// that is not UTF-8, is cut off, or is neither an event nor a field or comment of server-sent events, and a
/// [`TooLong`](Frame::TooLong). It returns the new text, or `None` to pass the text on unchanged. An event or line
/// whose text becomes empty is left out, and so are an event that is too long, and the data of one that is sent again,
/// by its id.
///
/// The example forwards an `Unreadable` event unchanged, secrets included. To redact the arguments of calls, use
/// `Frame::rewrite` (feature `providers`), whose errors contain the text to forward instead.
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
    /// The start of a body: white space, or a byte order mark, of which this many bytes were read. An incomplete mark
    /// is held back.
    Undecided(usize),
    Lines(Lines),
    Values(Box<Values>),
    /// A callback panicked, so the position in the body is unknown. True once that was reported.
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

/// The function that edits, and the function that receives the output.
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

    /// Edits the text of an event. Returns the new text; `None` if it stays the same.
    fn edited(&mut self, text: &[u8], is_whole: bool) -> Option<String> {
        match str::from_utf8(text) {
            Ok(text) if is_whole => (self.edit)(Frame::Text(text.into())).filter(|edited| edited != text),
            _ => {
                let text = String::from_utf8_lossy(text);
                (self.edit)(Frame::Unreadable((&*text).into())).filter(|edited| *edited != text)
            }
        }
    }

    /// Edits text between server-sent events. Returns `None` if it stays the same, as does text that the framing knows:
    /// a field or a comment, without anything that may be JSON.
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
    /// Creates an editor of events of at most 32 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// Creates an editor that leaves out events of more than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { state: State::Undecided(0), limit }
    }

    /// Reads a chunk and passes to `sink` all output that is decided by now.
    ///
    /// If `edit` or `sink` panics and the panic is caught, the next call passes [`Damage::Panicked`] to `edit`, and
    /// nothing more of the body is passed on.
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

    /// Ends the body and passes on the rest of it. The editor is then ready for another body.
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

    /// Returns the editor's state as bytes, together with `state`, the state of the function that edits. `state` may be
    /// any bytes, even none.
    ///
    /// # Errors
    ///
    /// Never fails. The type is that of the other `save` methods.
    pub fn save_with(&self, state: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        with_added(state.as_ref(), |out: &mut Writer<'_>| {
            match &self.state {
                State::Undecided(mark) => {
                    out.byte(0);
                    out.byte(*mark as u8);
                }
                State::Lines(lines) => {
                    out.byte(1);
                    lines.save(out);
                }
                State::Values(values) => {
                    out.byte(2);
                    values.save(out)?;
                }
                State::Panicked(is_reported) => {
                    out.byte(3);
                    out.flag(*is_reported);
                }
            }
            Ok(())
        })
    }

    /// Resumes where [`save_with`](Self::save_with) saved, with the limit of `self`. `restore_state` receives the state
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
    /// Fails if `restore_state`, which is called first, fails, or if the bytes are not a saved state. The bytes are not
    /// trusted: any bytes result in an editor or an error.
    pub fn restore_with<T>(
        self,
        bytes: &[u8],
        restore_state: impl FnOnce(&[u8]) -> Result<T, RestoreError>,
    ) -> Result<(Self, T), RestoreError> {
        let limit = self.limit;
        let (restored, beside) = restore_with(bytes, restore_state, |reader| {
            Ok(match reader.byte()? {
                0 => State::Undecided(usize::from(reader.choice(&[0_u8, 1, 2, 3])?)),
                1 => State::Lines(Lines::restore(reader, limit)?),
                2 => State::Values(Box::new(Values::restore(reader, limit)?)),
                3 => State::Panicked(reader.flag()?),
                _ => return Err(Impossible),
            })
        })?;
        let state = restored.ok_or(RestoreError::NotSavedState)?;
        Ok((Self { state, limit }, beside))
    }
}
