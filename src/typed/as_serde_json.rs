//! Values that are read by serde_json's own means, or in the same way, so that it reads as there: numbers, and
//! `RawValue`.

use alloc::string::String;
use core::iter;

use serde::de::value::MapDeserializer;
use serde::de::{self, MapAccess};
use serde_json::de::StrRead;

use super::error::TypedError;

/// The name by which serde_json knows its `RawValue`: the type's name, and the only key of the map it is read from.
pub(super) const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Returns the deserializer that serde_json's `RawValue` is read from: an object with one member.
pub(super) fn raw_value<'a, E: de::Error>(text: String) -> impl MapAccess<'a, Error = E> {
    MapDeserializer::new(iter::once((RAW_VALUE, text)))
}

/// Reads a number with serde_json itself, so that every number means the same to both.
pub(super) fn read_number<'a, T>(
    text: &'a str,
    read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'a>>) -> serde_json::Result<T>,
) -> Result<T, TypedError> {
    let mut number = serde_json::Deserializer::from_str(text);
    let value = read(&mut number)?;
    number.end()?;
    Ok(value)
}

/// A number as serde_json passes it to a visitor.
pub(super) enum ShortNumber {
    Positive(u64),
    Negative(i64),
    Float(f64),
}

/// Powers of ten that a float holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl ShortNumber {
    /// A number of up to 18 characters whose exponent is small, as most are; serde_json reads all others.
    ///
    /// A float's digits without the point are an integer that a float holds exactly, and so is the power of ten.
    /// Therefore their product or quotient is rounded once, correctly, as in serde_json.
    pub(super) fn read(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let is_negative = unsigned.len() < text.len();
        if unsigned.len() > 18 {
            return None;
        }
        let (mut digits, mut count, mut point) = (0, 0, None);
        let mut rest = unsigned.as_bytes().iter();
        let exponent = loop {
            match rest.next() {
                Some(digit @ b'0'..=b'9') => {
                    digits = digits * 10 + u64::from(digit - b'0');
                    count += 1;
                }
                Some(b'.') => point = Some(count),
                Some(b'e' | b'E') => break Some(small_exponent(rest.as_slice())?),
                None => break None,
                Some(_) => return None,
            }
        };
        if point.is_none() && exponent.is_none() {
            return match (is_negative, digits) {
                (false, _) => Some(Self::Positive(digits)),
                // Minus zero is a float.
                (true, 0) => None,
                (true, _) => Some(Self::Negative(-(digits as i64))),
            };
        }
        if count > 15 {
            return None;
        }
        let exponent = exponent.unwrap_or(0) - point.map_or(0, |point| count - point);
        let power = POWERS.get(exponent.unsigned_abs() as usize)?;
        let float = if exponent < 0 { digits as f64 / power } else { digits as f64 * power };
        Some(Self::Float(if is_negative { -float } else { float }))
    }
}

/// Reads the exponent after the `e`, if that is one or two digits.
fn small_exponent(text: &[u8]) -> Option<i32> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if !matches!(digits.len(), 1 | 2) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let exponent = digits.iter().fold(0, |exponent, digit| exponent * 10 + i32::from(digit - b'0'));
    Some(if is_negative { -exponent } else { exponent })
}
