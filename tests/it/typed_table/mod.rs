//! Typed looks, type by type: each row is a type with texts that fit it and texts that do not, looked at after every
//! byte. The rows are in the files beside; this one holds them to the rules.

// Fields are read by `Debug` alone, which the lint does not count.
#![allow(dead_code)]

/// The reader of a type, which may borrow under `'_`.
macro_rules! reader {
    ($type:ty) => {
        TypeReader {
            look: |value| crate::properties::looks::look::<$type>(value),
            whole: |text| crate::properties::looks::whole::<$type>(text),
        }
    };
}

mod buffered;
mod collections;
mod conversions;
mod enums;
mod foreign;
mod mixed;
mod standard;
mod strings;
mod structs;
mod tagged;

use jsonspigot_check::laws::Law;

use super::properties::looks::{Look, Looks, Rules, TypeReader, continuations};
use super::settled::has_arbitrary_precision;

/// A type with its texts.
pub(super) struct Row {
    name: &'static str,
    reader: TypeReader,
    fits: &'static [&'static str],
    misfits: &'static [(&'static str, &'static str)],
    shows: &'static [(&'static str, &'static str)],
    rules: Rules,
}

impl Row {
    fn new(name: &'static str, reader: TypeReader) -> Self {
        Row { name, reader, fits: &[], misfits: &[], shows: &[], rules: Rules::default() }
    }

    /// Adds texts that serde_json reads into the type.
    fn fits(self, fits: &'static [&'static str]) -> Self {
        Row { fits, ..self }
    }

    /// Adds texts that serde_json refuses, each with a `¦` after the value that shows it, or none if only the end does;
    /// and with the path of the misfit, or an empty one if a buffer of serde hides it.
    fn misfits(self, misfits: &'static [(&'static str, &'static str)]) -> Self {
        Row { misfits, ..self }
    }

    /// Adds the `Debug` text of the look after each of these beginnings, or `pending`.
    fn shows(self, shows: &'static [(&'static str, &'static str)]) -> Self {
        Row { shows, ..self }
    }

    /// Adds texts for absent fields, besides empty and zero.
    fn absent(self, absent: &'static [&'static str]) -> Self {
        Row { rules: Rules { absent, ..self.rules }, ..self }
    }

    /// Marks a type with values that are absent until they are whole, although the text so far would fit.
    fn waits(self) -> Self {
        Row { rules: Rules { waits: true, ..self.rules }, ..self }
    }

    /// Records why no look can know what the type will be.
    fn may_change(self, reason: &'static str) -> Self {
        Row { rules: Rules { may_change: Some(reason), ..self.rules }, ..self }
    }

    /// Returns true if a number in it has a fraction. With its feature `arbitrary_precision`, serde_json itself reads
    /// none of those out of a buffer.
    fn has_fractions(&self) -> bool {
        let is_fraction = |three: &[u8]| three[0].is_ascii_digit() && three[1] == b'.' && three[2].is_ascii_digit();
        self.fits.iter().any(|text| text.as_bytes().windows(3).any(is_fraction))
    }

    fn check(&self, wrong: &mut Vec<String>) {
        if has_arbitrary_precision() && self.has_fractions() {
            return;
        }
        // Without it, what serde buffers is not shown before it is complete.
        let is_late = !cfg!(feature = "std");
        let rules = Rules { waits: self.rules.waits || is_late, ..self.rules };
        let texts: Vec<_> =
            self.fits.iter().map(ToString::to_string).chain(self.read_misfits().map(|(text, ..)| text)).collect();
        let mut note =
            |result: Result<(), String>| wrong.extend(result.err().map(|what| format!("{}: {what}", self.name)));
        for text in self.fits {
            let expected = (self.reader.whole)(text).unwrap_or_else(|error| panic!("{}: {text}: {error}", self.name));
            let looks = Looks::at(&self.reader, text).unwrap();
            note(looks.reach(&expected));
            note(looks.only_grow(&rules));
            note(looks.leave_out_the_innermost(&self.reader, &rules));
            // At each token, and a character on.
            let bytes = text.as_bytes();
            let is_token = |place: &usize| bytes[place - 1..=*place].iter().any(|byte| !byte.is_ascii_alphanumeric());
            for place in (1..bytes.len()).filter(is_token) {
                note(looks.do_not_depend_on_earlier_ones(&self.reader, place));
            }
        }
        for (text, latest, path) in self.read_misfits() {
            assert!((self.reader.whole)(&text).is_err(), "{}: {text} fits", self.name);
            let looks = Looks::at(&self.reader, &text).unwrap_or_else(|| panic!("{}: {text}", self.name));
            // A missing value may be the misfit, if a buffer hides that.
            if !path.is_empty() {
                note(looks.only_grow(&rules));
            }
            let first = match looks.fail() {
                Ok(first) => first,
                Err(what) => {
                    note(Err(what));
                    continue;
                }
            };
            if first > latest && !is_late {
                note(Err(format!("{text}: fails after {first} bytes, and should after {latest} at the latest")));
            }
            let prefix = &text.as_bytes()[..first.min(text.len())];
            note(looks.nothing_fits_after(first, &self.reader, continuations(prefix, &texts)));
            for place in [first, text.len() + 1] {
                match looks.look(place) {
                    Look::Fails { path: own, message, .. } if !path.is_empty() && own != path => {
                        note(Err(format!("{text}: at {place}: {message}, instead of {path}")));
                    }
                    _ => {}
                }
            }
        }
        for (begin, expected) in self.shows {
            // The rest is that of the first text that begins so.
            let text = texts.iter().find(|text| text.starts_with(begin));
            let text = text.unwrap_or_else(|| panic!("{}: no text begins with {begin}", self.name));
            let shown = match Looks::at(&self.reader, text).unwrap().look(begin.len()) {
                Look::Pending => "pending".to_owned(),
                Look::Shows { value, .. } => value.clone(),
                Look::Fails { message, .. } => message.clone(),
            };
            if shown != *expected && !is_late {
                note(Err(format!("{begin}: shows {shown}, not {expected}")));
            }
        }
    }

    fn read_misfits(&self) -> impl Iterator<Item = (String, usize, &'static str)> + use<> {
        self.misfits.iter().map(|(text, path)| {
            let whole = text.replace('¦', "");
            // A number is over at the byte after it.
            let at = |at| if whole[..at].ends_with(|c: char| c.is_ascii_digit()) { at + 1 } else { at };
            let latest = text.find('¦').map_or(whole.len() + 1, at);
            (whole, latest, *path)
        })
    }
}

fn rows() -> Vec<Row> {
    let files = [
        structs::rows(),
        conversions::rows(),
        enums::rows(),
        tagged::rows(),
        buffered::rows(),
        mixed::rows(),
        collections::rows(),
        strings::rows(),
        standard::rows(),
        foreign::rows(),
    ];
    files.into_iter().flatten().collect()
}

pub(super) fn every_type_at_every_prefix() {
    let mut wrong = Vec::new();
    let rows = rows();
    assert!(!rows.is_empty());
    rows.iter().for_each(|row| row.check(&mut wrong));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    Law::TypedLooks.mark_compared();
}

#[test]
fn the_table_is_large_enough() {
    let rows = rows();
    let count = |what: fn(&Row) -> usize| rows.iter().map(what).sum::<usize>();
    assert!(rows.len() >= 100, "{} types", rows.len());
    assert!(count(|row| row.fits.len()) >= 150, "{} texts", count(|row| row.fits.len()));
    assert!(count(|row| row.misfits.len()) >= 100, "{} misfits", count(|row| row.misfits.len()));
    let changing = rows.iter().filter(|row| row.rules.may_change.is_some()).count();
    assert!(changing <= 4, "{changing} types are let off");
    for (place, row) in rows.iter().enumerate() {
        assert!(!row.fits.is_empty(), "{} has no text", row.name);
        assert!(rows[..place].iter().all(|other| other.name != row.name), "{} twice", row.name);
    }
}

/// Checks that the usual approach, closing the open brackets and reading that, does not pass.
#[cfg(feature = "std")]
#[test]
fn a_reader_that_guesses_is_found_out() {
    fn guess(value: jsonspigot::PartialValue<'_>) -> Look {
        match serde_json::from_str::<Vec<enums::Verb>>(&value.to_string()) {
            Ok(names) => Look::Shows { value: format!("{names:?}"), is_complete: value.is_complete() },
            Err(error) => Look::Fails { kind: "data", path: String::new(), message: error.to_string() },
        }
    }
    let reader = TypeReader { look: guess, ..reader!(Vec<enums::Verb>) };
    let row = Row::new("a guess", reader)
        .fits(&[r#"["run","runner"]"#])
        .misfits(&[(r#"["run",1¦,"run"]"#, "[1]"), (r#"["ru"¦]"#, "[0]")])
        .shows(&[(r#"["run"#, "[]")]);
    let mut wrong = Vec::new();
    row.check(&mut wrong);
    let found = [
        "fails: unknown variant",
        "[Run, Runner], after [Run, Run]",
        r#"[Some("[]")] fits"#,
        "but failed after",
        "failed already, but",
        "shows [Run], not []",
    ];
    for what in found {
        assert!(wrong.iter().any(|wrong| wrong.contains(what)), "{what} in {wrong:?}");
    }
}
