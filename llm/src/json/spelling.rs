//! Conversions between Rust values and JSON text: whole numbers, strings and members.

use alloc::string::String;

/// Returns the value of a JSON number that is whole, such as `3.0` or `0.3e1`; `None` for other numbers.
///
/// Uses decimal arithmetic, so nothing is rounded and the result does not depend on how serde_json reads numbers.
pub(super) fn whole_number(number: &str) -> Option<u64> {
    if let Ok(number) = number.parse() {
        return Some(number);
    }
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (digits, is_negative) = mantissa.strip_prefix('-').map_or((mantissa, false), |digits| (digits, true));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() || is_negative {
        return significant.is_empty().then_some(0);
    }
    let exponent: i64 = exponent.parse().ok()?;
    let power = exponent.checked_add(zeros)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    significant.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(u32::try_from(power).ok()?)?)
}

/// Returns the raw text between a string's quotes or a list's brackets; `None` for any other value.
pub(crate) fn inside(json: &str, bracket: char) -> Option<&str> {
    let close = if bracket == '[' { ']' } else { bracket };
    json.strip_prefix(bracket)?.strip_suffix(close)
}

/// Appends a member to the text of an open object, with a raw name and a raw value.
pub(crate) fn push_member(object: &mut String, name: &str, value: &str) {
    let comma = if object.len() > 1 { "," } else { "" };
    object.extend([comma, name, ":", value]);
}

/// Returns a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    // Serializing a string cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}
