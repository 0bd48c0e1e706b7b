//! JSON text that passes through serde: as a value in formats for people, as a string in others.
//!
//! serde's data model has no raw text. In JSON a value is told to serde token by token, and what serde says of a value
//! is written as text again: a number keeps its value, not its spelling. Only [`Exact`](super::exact::Exact) knows the
//! name under which the text itself is given, and writes it as it is.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::cell::Cell;
use core::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::value::{SERDE_DEPTH, is_deeper_than, on_one_line};
use crate::error::Fault;
use crate::tokenizer::{Interest, KeyFilter, Limits, Sink, Tokenizer, ValueKind, string_len, unescaped};

/// The name of the newtype that holds a JSON text; serde's formats pass over it.
pub(super) const RAW_JSON: &str = "$jsonspigot::RawJson";

/// The name by which serde_json knows a number's text, if a build has its feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// True if serde_json keeps numbers as they are spelled: with that feature, which any crate of a program may ask for,
/// its numbers are text.
pub(crate) const KEEPS_NUMBERS_AS_SPELT: bool = core::mem::needs_drop::<serde_json::Number>();

/// A value's JSON text, to be written.
pub struct RawJson<'a>(pub &'a str);

impl Serialize for RawJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The text is public, so it may be anything: what is not JSON must not get into a document.
        if !is_json(self.0) {
            return Err(ser::Error::custom("expected the text of one JSON value"));
        }
        serializer.serialize_newtype_struct(RAW_JSON, &Checked(self.0))
    }
}

/// The text of one JSON value.
struct Checked<'a>(&'a str);

impl Serialize for Checked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_str(self.0);
        }
        if is_deeper_than(self.0.as_bytes(), SERDE_DEPTH) {
            return Err(ser::Error::custom("more than 127 levels"));
        }
        Unread(Cell::new(&on_one_line(self.0))).serialize(serializer)
    }
}

/// What is left of a JSON text without white space, from the beginning of a value on, which is read by being
/// serialized.
struct Unread<'a>(Cell<&'a str>);

impl<'a> Unread<'a> {
    fn take(&self, len: usize) -> &'a str {
        let (taken, rest) = self.0.get().split_at(len);
        self.0.set(rest);
        taken
    }

    fn take_string(&self) -> Cow<'a, str> {
        let quoted = self.take(string_len(self.0.get().as_bytes()));
        let inside = &quoted[1..quoted.len() - 1];
        if inside.contains('\\') { unescaped(inside).unwrap_or_default().into() } else { inside.into() }
    }

    /// Takes a comma, or the bracket that ends the container; returns whether it was the latter.
    fn ends(&self, bracket: u8) -> bool {
        let first = self.0.get().as_bytes()[0];
        if first == b',' || first == bracket {
            self.take(1);
        }
        first == bracket
    }
}

impl Serialize for Unread<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.get().as_bytes()[0] {
            b'{' => {
                self.take(1);
                let mut map = serializer.serialize_map(None)?;
                while !self.ends(b'}') {
                    map.serialize_key(&self.take_string())?;
                    self.take(1);
                    map.serialize_value(self)?;
                }
                map.end()
            }
            b'[' => {
                self.take(1);
                let mut elements = serializer.serialize_seq(None)?;
                while !self.ends(b']') {
                    elements.serialize_element(self)?;
                }
                elements.end()
            }
            b'"' => serializer.serialize_str(&self.take_string()),
            _ => {
                let atom = self.0.get();
                match self.take(atom.find([',', ']', '}']).unwrap_or(atom.len())) {
                    "null" => serializer.serialize_unit(),
                    "true" => serializer.serialize_bool(true),
                    "false" => serializer.serialize_bool(false),
                    number => number.parse::<serde_json::Number>().map_err(ser::Error::custom)?.serialize(serializer),
                }
            }
        }
    }
}

/// A value's JSON text, as it was read: one JSON text, on one line.
pub(super) struct OwnedRawJson(pub(super) String);

impl<'de> Deserialize<'de> for OwnedRawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let mut text = String::new();
            Transcribe { text: &mut text, levels_left: SERDE_DEPTH }.deserialize(deserializer)?;
            return Ok(Self(text));
        }
        let text = String::deserialize(deserializer)?;
        if is_json(&text) {
            Ok(Self(on_one_line(&text)))
        } else {
            Err(de::Error::invalid_value(de::Unexpected::Str(&text), &"the text of one JSON value"))
        }
    }
}

/// Returns true if this is one RFC 8259 text.
fn is_json(text: &str) -> bool {
    let limits = Limits::new().depth(usize::MAX);
    let mut tokenizer = Tokenizer::new(limits);
    tokenizer.feed_dyn(text.as_bytes(), &mut NoSink).and_then(|()| tokenizer.finish(&mut NoSink)).is_ok()
}

/// Ignores everything but the verdict.
struct NoSink;

impl Sink for NoSink {
    fn begin_container(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn end_container(&mut self, _: ValueKind, _: u64) {}

    fn key(&mut self, _: &str, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn skips(&self) -> bool {
        true
    }

    fn wanted_keys(&self) -> KeyFilter {
        KeyFilter::NONE
    }

    fn skip_keys(&mut self, _: u64, _: Option<u64>) {}

    fn begin_string(&mut self, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn text(&mut self, _: &str, _: core::ops::Range<u64>) -> Result<(), Fault> {
        Ok(())
    }

    fn end_string(&mut self, _: u64) {}

    fn begin_atom(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn end_atom(&mut self, _: &str, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// Writes as JSON text what serde says of a value.
struct Transcribe<'a> {
    text: &'a mut String,
    levels_left: usize,
}

impl Transcribe<'_> {
    fn write<E>(self, text: &str) -> Result<(), E> {
        self.text.push_str(text);
        Ok(())
    }

    /// For what is inside the container that opens.
    fn inner<E: de::Error>(&mut self) -> Result<Transcribe<'_>, E> {
        let levels_left = self.levels_left.checked_sub(1).ok_or_else(|| E::custom("more than 127 levels"))?;
        Ok(Transcribe { text: self.text, levels_left })
    }
}

impl<'de> DeserializeSeed<'de> for Transcribe<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Transcribe<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.write("null")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.write("null")
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.write(if value { "true" } else { "false" })
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_u128<E>(self, value: u128) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        // As serde_json writes it: `1.0`, not `1`.
        let number = serde_json::Number::from_f64(value).ok_or_else(|| E::custom("not a finite number"))?;
        self.write(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.write(&serde_json::to_string(value).map_err(E::custom)?)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        self.text.push('[');
        let mut is_first = true;
        loop {
            let start = self.text.len();
            if !is_first {
                self.text.push(',');
            }
            if elements.next_element_seed(self.inner()?)?.is_none() {
                self.text.truncate(start);
                break;
            }
            is_first = false;
        }
        self.write("]")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut key = members.next_key::<String>()?;
        if KEEPS_NUMBERS_AS_SPELT && key.as_deref() == Some(NUMBER) {
            let number = members.next_value::<String>()?;
            let is_number = number.starts_with(|first: char| first == '-' || first.is_ascii_digit());
            if !is_number || !is_json(&number) {
                return Err(de::Error::invalid_value(de::Unexpected::Str(&number), &"a JSON number"));
            }
            return self.write(&number);
        }
        self.text.push('{');
        let mut comma = "";
        while let Some(name) = key {
            self.text.push_str(comma);
            Transcribe { text: self.text, levels_left: 0 }.visit_str(&name)?;
            self.text.push(':');
            members.next_value_seed(self.inner()?)?;
            (comma, key) = (",", members.next_key()?);
        }
        self.write("}")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use serde::de::IntoDeserializer;
    use serde::de::value::{BytesDeserializer, Error};

    use super::{DeserializeSeed, SERDE_DEPTH, Transcribe, Visitor};

    fn written(write: impl FnOnce(Transcribe<'_>) -> Result<(), Error>) -> String {
        let mut text = String::new();
        write(Transcribe { text: &mut text, levels_left: SERDE_DEPTH }).unwrap();
        text
    }

    /// serde_json's formats never say these; others that are for people do.
    #[test]
    fn what_other_formats_say_is_written_too() {
        assert_eq!(written(|it| it.visit_none()), "null");
        assert_eq!(written(|it| it.visit_some(7_u8.into_deserializer())), "7");
        assert_eq!(written(|it| it.visit_i128(-1 << 100)), "-1267650600228229401496703205376");
        assert_eq!(written(|it| it.visit_u128(1 << 100)), "1267650600228229401496703205376");
    }

    #[test]
    fn what_json_has_not_is_refused() {
        let mut text = String::new();
        let reader = Transcribe { text: &mut text, levels_left: SERDE_DEPTH };
        let error = reader.deserialize(BytesDeserializer::<Error>::new(b"x")).unwrap_err();
        assert!(error.to_string().ends_with("expected a JSON value"), "{error}");
    }
}
