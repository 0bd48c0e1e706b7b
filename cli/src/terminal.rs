//! Shows control characters in external text on a terminal instead of passing them through.
//!
//! A model's text may contain escape sequences that set the window title, write to the clipboard or move the cursor,
//! and bidirectional controls that display text in a misleading order. This file decides which characters these are and
//! how they are written. Each character is escaped by itself, so it does not matter where a sequence is cut. Output
//! that does not go to a terminal is data and is never changed.

use std::io::{self, Write};

/// Returns true if a terminal would interpret this character instead of showing it. These are the control characters,
/// line feed and tab included, and the characters that change the direction of the text after them.
pub(crate) fn is_terminal_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The form in which control characters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controls {
    /// Unchanged.
    Raw,
    /// For a person: in caret notation such as `^[`, like `cat -v`, or else as a code point such as `<U+202E>`, like
    /// `less`. Line feeds and tabs stay.
    Shown,
    /// In lines of JSON: as an escape such as `\u202e`. These characters occur only inside strings, so the JSON still
    /// means the same.
    Escaped,
}

/// A writer of text that may go to a terminal.
pub(crate) struct Guarded<W> {
    out: W,
    controls: Controls,
}

impl<W: Write> Guarded<W> {
    pub(crate) fn new(out: W, controls: Controls) -> Self {
        Self { out, controls }
    }

    fn write_control(&mut self, character: char) -> io::Result<()> {
        let code = u32::from(character);
        match (self.controls, u8::try_from(code)) {
            (Controls::Escaped, _) => write!(self.out, "\\u{code:04x}"),
            // One bit apart: ESC is 0x1b and `[` 0x5b; DEL is 0x7f and `?` 0x3f.
            (_, Ok(byte)) if byte.is_ascii() => write!(self.out, "^{}", char::from(byte ^ 0x40)),
            _ => write!(self.out, "<U+{code:04X}>"),
        }
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.write_all(text).map(|()| text.len())
    }

    /// Writes `text`, which must consist of whole characters, as it does for all callers. Part of a character would
    /// become U+FFFD.
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        if self.controls == Controls::Raw {
            return self.out.write_all(text);
        }
        let text = String::from_utf8_lossy(text);
        let mut rest = &*text;
        let has_to_change = |character| is_terminal_control(character) && !matches!(character, '\n' | '\t');
        while let Some((at, control)) = rest.char_indices().find(|(_, character)| has_to_change(*character)) {
            self.out.write_all(&rest.as_bytes()[..at])?;
            self.write_control(control)?;
            rest = &rest[at + control.len_utf8()..];
        }
        self.out.write_all(rest.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Controls, Guarded, is_terminal_control};

    fn written(text: &str, controls: Controls) -> String {
        let mut out = Vec::new();
        Guarded::new(&mut out, controls).write_all(text.as_bytes()).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Returns the control characters, listed by hand.
    fn controls() -> impl Iterator<Item = char> {
        let numbers = (0..=0x1f).chain(0x7f..=0x9f).chain(0x202a..=0x202e).chain(0x2066..=0x2069);
        numbers.map(|number| char::from_u32(number).unwrap())
    }

    #[test]
    fn each_control_character_and_no_other() {
        assert!(('\0'..=char::MAX).filter(|character| is_terminal_control(*character)).eq(controls()));
    }

    #[test]
    fn no_control_character_is_left() {
        for control in controls().filter(|control| !matches!(control, '\n' | '\t')) {
            let text = format!("é{control}]0;title😀\n\t{control}");
            assert_eq!(written(&text, Controls::Raw), text);
            for controls in [Controls::Shown, Controls::Escaped] {
                let shown = written(&text, controls);
                assert_eq!(
                    shown.chars().filter(|character| is_terminal_control(*character)).collect::<String>(),
                    "\n\t"
                );
                assert!(shown.starts_with('é') && shown.contains("]0;title😀\n\t"), "{shown}");
            }
        }
        assert_eq!(written("\0\x07\x08\r\x1b[2J\x7f", Controls::Shown), "^@^G^H^M^[[2J^?");
        assert_eq!(written("\u{80}\u{9b}31m\u{202e}\u{2066}", Controls::Shown), "<U+0080><U+009B>31m<U+202E><U+2066>");
        assert_eq!(written("\"\u{7f}\u{9b}\u{202e}\"", Controls::Escaped), r#""\u007f\u009b\u202e""#);
    }
}
