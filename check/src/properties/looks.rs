//! Typed looks at every prefix of a text: what they show only grows, and they fail only where nothing can fit any more.

use std::fmt::Debug;

use jsonspigot::PartialValue;
use serde::Deserialize;

pub use super::debug_text::Rules;
use super::debug_text::Shown;
use super::snapshots::plain;
use super::subject_types::Subject;
use crate::model::closer;

/// A type, as the functions that read it.
#[derive(Clone, Copy)]
pub struct TypeReader {
    pub look: fn(PartialValue<'_>) -> Look,
    /// serde_json's answer: what the whole text is, or why it is not.
    pub whole: fn(&str) -> Result<String, String>,
}

/// The result of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing can be shown yet.
    Pending,
    /// A value, by its `Debug`.
    Shows { value: String, is_complete: bool },
    /// The value does not fit.
    Fails { kind: &'static str, path: String, message: String },
}

pub fn look<'a, T: Deserialize<'a> + Debug>(value: PartialValue<'a>) -> Look {
    match value.deserialize::<T>() {
        Ok(None) => Look::Pending,
        Ok(Some(partial)) => {
            let shown = format!("{:?}", partial.get());
            match partial.into_complete() {
                Ok(complete) => Look::Shows { value: format!("{complete:?}"), is_complete: true },
                Err(_) => Look::Shows { value: shown, is_complete: false },
            }
        }
        Err(error) => Look::Fails {
            kind: error.kind().name(),
            path: error.path().unwrap().to_owned(),
            message: error.to_string(),
        },
    }
}

pub fn whole<'a, T: Deserialize<'a> + Debug>(text: &'a str) -> Result<String, String> {
    serde_json::from_slice::<T>(text.as_bytes()).map(|value| format!("{value:?}")).map_err(|error| error.to_string())
}

/// Runs [`look`] and [`whole`] of a type of the fuzz target.
pub fn look_at<S: Subject>(value: PartialValue<'_>) -> Look {
    look::<S::Read<'_>>(value)
}

pub fn whole_of<S: Subject>(text: &str) -> Result<String, String> {
    whole::<S::Read<'_>>(text)
}

/// One look after each byte, and one after the end. The place of a look is the number of bytes before it.
pub struct Looks<'a> {
    text: &'a str,
    all: Vec<Look>,
}

impl<'a> Looks<'a> {
    /// Returns `None` for a text that is not JSON.
    pub fn at(reader: &TypeReader, text: &'a str) -> Option<Self> {
        let mut parser = plain();
        let mut all = vec![Look::Pending];
        for byte in text.bytes() {
            parser.feed([byte]).check().ok()?;
            let Some(root) = parser.snapshot() else {
                all.push(Look::Pending);
                continue;
            };
            let look = (reader.look)(root);
            if let Look::Shows { is_complete, .. } = look {
                assert_eq!(is_complete, root.is_complete(), "{text}: complete, at {root}");
            }
            all.push(look);
        }
        parser.finish().check().ok()?;
        let root = parser.snapshot().expect("a whole text has a value");
        all.push((reader.look)(root));
        assert!(root.is_complete());
        Some(Looks { text, all })
    }

    /// Checks that the look at this position is the same if it is the first one.
    pub fn do_not_depend_on_earlier_ones(&self, reader: &TypeReader, place: usize) -> Result<(), String> {
        let mut parser = plain();
        let _ = parser.feed(&self.text.as_bytes()[..place]).check();
        let first = parser.snapshot().map_or(Look::Pending, reader.look);
        // A hash map has its members in any order.
        let is_same = match (&first, &self.all[place]) {
            (Look::Shows { value: first, .. }, Look::Shows { value, .. }) => Shown::of(first) == Shown::of(value),
            (first, later) => first == later,
        };
        if is_same {
            return Ok(());
        }
        Err(format!("{}: {:?}, but {first:?} at first sight", self.before(place), self.all[place]))
    }

    fn before(&self, place: usize) -> std::borrow::Cow<'_, str> {
        let end = place.min(self.text.len());
        String::from_utf8_lossy(&self.text.as_bytes()[..end])
    }

    /// Checks that each later look that does not fail contains the shown values, unless they may become something else.
    pub fn only_grow(&self, rules: &Rules) -> Result<(), String> {
        let mut earlier: Option<(&str, Shown)> = None;
        for (place, look) in self.all.iter().enumerate() {
            match look {
                Look::Pending => {
                    if let Some((earlier, _)) = &earlier {
                        return Err(format!("{}: nothing any more, after {earlier}", self.before(place)));
                    }
                }
                Look::Fails { .. } => {}
                Look::Shows { value, .. } if earlier.as_ref().is_some_and(|(earlier, _)| earlier == value) => {}
                Look::Shows { value, .. } => {
                    let shown = Shown::of(value);
                    if let (Some((text, earlier)), None) = (&earlier, rules.may_change)
                        && !earlier.grows_into(&shown, rules)
                    {
                        return Err(format!("{}: {value}, after {text}", self.before(place)));
                    }
                    earlier = Some((value, shown));
                }
            }
        }
        Ok(())
    }

    /// Checks, for a text that fits, that no look fails, and that the last one shows serde_json's value.
    pub fn reach(&self, expected: &str) -> Result<(), String> {
        if let Some(place) = self.first_failure() {
            let Look::Fails { message, .. } = &self.all[place] else { unreachable!() };
            return Err(format!("{}: fails: {message}", self.before(place)));
        }
        match self.all.last() {
            Some(Look::Shows { value, is_complete: true }) if Shown::of(value) == Shown::of(expected) => Ok(()),
            other => Err(format!("{}: {other:?}, but serde_json says {expected}", self.text)),
        }
    }

    /// Checks, for a text that does not fit, that all looks fail from some byte on. Returns that byte.
    pub fn fail(&self) -> Result<usize, String> {
        let first = self.first_failure().ok_or_else(|| format!("{}: does not fail", self.text))?;
        for (place, look) in self.all.iter().enumerate().skip(first) {
            match look {
                Look::Fails { kind: "data", .. } => {}
                other => {
                    return Err(format!("{}: {other:?}, but failed after {}", self.before(place), self.before(first)));
                }
            }
        }
        Ok(first)
    }

    /// Checks, for a text that does not fit, that the last look fails.
    pub fn fail_in_the_end(&self) -> Result<(), String> {
        match self.all.last() {
            Some(Look::Fails { kind: "data", .. }) => Ok(()),
            other => Err(format!("{}: {other:?}, but it does not fit", self.text)),
        }
    }

    /// Checks, for a text that fits, that a look before its end shows serde_json's value of the text with everything
    /// open closed at once. If that does not fit, the innermost open value is left out, or the one around it, and so
    /// on. An open string may be left out even if it fits.
    pub fn leave_out_the_innermost(&self, reader: &TypeReader, rules: &Rules) -> Result<(), String> {
        if rules.waits || rules.may_change.is_some() {
            return Ok(());
        }
        for place in 0..=self.text.len() {
            let prefix = &self.text.as_bytes()[..place];
            let read = |text: Option<Vec<u8>>| (reader.whole)(str::from_utf8(&text?).ok()?).ok();
            let (without, is_text) = closer::without_each_open(prefix);
            let with_all = read(closer::closed_text(prefix, closer::OpenAtoms::Hidden));
            let without = without.into_iter().find_map(read);
            let expected = match with_all {
                Some(with_all) if is_text => vec![without, Some(with_all)],
                with_all => vec![with_all.or(without)],
            };
            let is_expected = match &self.all[place] {
                Look::Pending => expected.contains(&None),
                Look::Shows { value, .. } => expected.iter().flatten().any(|text| Shown::of(text) == Shown::of(value)),
                Look::Fails { .. } => false,
            };
            if !is_expected {
                return Err(format!("{}: {:?}, but {expected:?} fits", self.before(place), self.all[place]));
            }
        }
        Ok(())
    }

    fn first_failure(&self) -> Option<usize> {
        self.all.iter().position(|look| matches!(look, Look::Fails { .. }))
    }

    pub fn look(&self, place: usize) -> &Look {
        &self.all[place]
    }

    /// Checks that no text fits that begins like this one up to that byte.
    pub fn nothing_fits_after(
        &self,
        place: usize,
        reader: &TypeReader,
        continuations: impl IntoIterator<Item = String>,
    ) -> Result<(), String> {
        let end = place.min(self.text.len());
        let prefix = &self.text.as_bytes()[..end];
        let mut all = continuations.into_iter().filter(|text| text.as_bytes().starts_with(prefix));
        // After the end nothing comes any more.
        all.find(|text| (place <= self.text.len() || text == self.text) && (reader.whole)(text).is_ok())
            .map_or(Ok(()), |fits| Err(format!("{}: failed already, but {fits} fits", self.before(place))))
    }
}

/// Returns continuations of a prefix: closed at once, or with the end of any of these texts.
pub fn continuations(prefix: &[u8], texts: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    let closed = closer::closed_text(prefix, closer::OpenAtoms::Hidden).and_then(|text| String::from_utf8(text).ok());
    let Ok(prefix) = str::from_utf8(prefix) else { return all };
    all.extend(closed.filter(|closed| closed.starts_with(prefix)));
    for text in texts {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        all.extend(ends.map(|at| format!("{prefix}{}", &text[at..])));
    }
    all
}
