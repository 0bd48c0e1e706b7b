//! Foreign text on a terminal: it is shown, and can't give the terminal orders.
//!
//! A model's text may hold escape sequences, which set the window's title, write to the clipboard or move the cursor,
//! and bidirectional controls, which show text in another order than it has. Here is which characters these are, and
//! how they are shown instead. It goes character by character, so a sequence that is cut anywhere is shown too. Where
//! output is no terminal it is data, and nothing is changed.

use std::io::{self, Write};

/// Whether a terminal obeys this character instead of showing it, or shows what follows in another order.
///
/// Line feed and tab, which only move on, count too; whoever lets them pass says so.
pub(crate) fn is_obeyed(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// How characters that a terminal would obey are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controls {
    /// As they are.
    Raw,
    /// For a person: in caret notation, `^[`, as `cat -v` does; what has none by its code point, `<U+202E>`, as `less`
    /// does. Line feed and tab stay.
    Shown,
    /// In lines of JSON: as an escape, `\u202e`. Outside strings such lines hold nothing but ASCII that can be seen, so
    /// they stay the same JSON.
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
            // The caret's letter differs in one bit: ESC, 0x1b, from `[`, 0x5b; DEL, 0x7f, from `?`, 0x3f.
            (_, Ok(byte)) if byte.is_ascii() => write!(self.out, "^{}", char::from(byte ^ 0x40)),
            _ => write!(self.out, "<U+{code:04X}>"),
        }
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.write_all(text).map(|()| text.len())
    }

    /// Whole characters, as all that is told is text; half of one would become U+FFFD.
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        if self.controls == Controls::Raw {
            return self.out.write_all(text);
        }
        let text = String::from_utf8_lossy(text);
        let mut rest = &*text;
        let has_to_change = |character| is_obeyed(character) && !matches!(character, '\n' | '\t');
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

    use super::{Controls, Guarded, is_obeyed};

    fn written(text: &str, controls: Controls) -> String {
        let mut out = Vec::new();
        Guarded::new(&mut out, controls).write_all(text.as_bytes()).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// All that the Unicode standard and ECMA-48 have of the kind, by their numbers.
    fn obeyed() -> impl Iterator<Item = char> {
        let numbers = (0..=0x1f).chain(0x7f..=0x9f).chain(0x202a..=0x202e).chain(0x2066..=0x2069);
        numbers.map(|number| char::from_u32(number).unwrap())
    }

    #[test]
    fn each_character_that_is_obeyed_and_no_other() {
        assert!(('\0'..=char::MAX).filter(|character| is_obeyed(*character)).eq(obeyed()));
    }

    #[test]
    fn what_is_shown_is_not_obeyed() {
        for control in obeyed().filter(|control| !matches!(control, '\n' | '\t')) {
            let text = format!("é{control}]0;title😀\n\t{control}");
            assert_eq!(written(&text, Controls::Raw), text);
            for controls in [Controls::Shown, Controls::Escaped] {
                let shown = written(&text, controls);
                assert_eq!(shown.chars().filter(|character| is_obeyed(*character)).collect::<String>(), "\n\t");
                assert!(shown.starts_with('é') && shown.contains("]0;title😀\n\t"), "{shown}");
            }
        }
        assert_eq!(written("\0\x07\x08\r\x1b[2J\x7f", Controls::Shown), "^@^G^H^M^[[2J^?");
        assert_eq!(written("\u{80}\u{9b}31m\u{202e}\u{2066}", Controls::Shown), "<U+0080><U+009B>31m<U+202E><U+2066>");
        assert_eq!(written("\"\u{7f}\u{9b}\u{202e}\"", Controls::Escaped), r#""\u007f\u009b\u202e""#);
    }
}
