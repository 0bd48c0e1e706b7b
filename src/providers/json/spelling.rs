//! What JSON spells: the characters of strings, and whole numbers.

use alloc::string::String;

use crate::tokenizer::unescape;

/// What stands inside a string's quotes, decoded; `None` if there is half a surrogate pair.
pub(super) fn unescaped(inside: &str) -> Option<String> {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        if let Some(digits) = escape.strip_prefix('u') {
            let (high, after) = code_unit(digits)?;
            let is_half = (0xD800..0xDC00).contains(&high);
            let low = after.strip_prefix("\\u").filter(|_| is_half).and_then(code_unit);
            let (low, after) = low.unwrap_or((0, after));
            text.push(char::decode_utf16([high, low]).next()?.ok()?);
            rest = after;
        } else {
            let (letter, after) = escape.split_at_checked(1)?;
            text.push_str(unescape(*letter.as_bytes().first()?)?);
            rest = after;
        }
    }
    text.push_str(rest);
    Some(text)
}

/// Four hexadecimal digits, and what follows them.
fn code_unit(digits: &str) -> Option<(u16, &str)> {
    let (digits, rest) = digits.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

/// The whole number that a JSON number stands for, if it is one: `3.0` and `0.3e1` are.
///
/// Counts in decimal, so that nothing is rounded, and nothing depends on how serde_json reads numbers.
pub(super) fn whole_number(number: &str) -> Option<u64> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (digits, is_negative) = mantissa.strip_prefix('-').map_or((mantissa, false), |digits| (digits, true));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    // All digits, but for the zeros at the end, which are counted.
    let (mut significant, mut zeros) = (0_u64, 0_u32);
    for digit in whole.bytes().chain(fraction.bytes()) {
        if digit != b'0' {
            let digit = u64::from(digit - b'0');
            significant = significant.checked_mul(10_u64.checked_pow(zeros + 1)?)?.checked_add(digit)?;
            zeros = 0;
        } else if significant > 0 {
            zeros += 1;
        }
    }
    if significant == 0 || is_negative {
        return (significant == 0).then_some(0);
    }
    let exponent: i64 = exponent.parse().ok()?;
    let power = exponent.checked_add(i64::from(zeros))?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    significant.checked_mul(10_u64.checked_pow(u32::try_from(power).ok()?)?)
}
