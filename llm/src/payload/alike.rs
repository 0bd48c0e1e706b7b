//! Compares two JSON texts by value, allowing for the changes that servers make when they repeat a text.
//!
//! A server that repeats an input parses it and serializes it again, so the members may be in another order, and the
//! numbers in another format. The texts are read into snapshots instead of serde_json's `Value`, which would take a
//! tenth of a WebAssembly module that reads provider streams.

use alloc::vec::Vec;

use jsonspigot::ValueKind;
use jsonspigot::{Parser, Retain};

/// Returns true if both texts are JSON and have the same value. The order of members is ignored, the last of duplicate
/// members is compared, and numbers are equal if they are the same double.
pub(crate) fn are_alike(one: &str, other: &str) -> bool {
    are_same(one, other, false)
}

/// Returns true if `validated` may be the result of validating `input` with a schema, which may add default values and
/// remove unknown members. Compares like [`are_alike`], but objects may have additional members on both sides, as long
/// as they share one or one of them is empty.
pub(crate) fn is_validated(input: &str, validated: &str) -> bool {
    are_same(input, validated, true)
}

fn are_same(one: &str, other: &str, may_lack_members: bool) -> bool {
    let (Some(one), Some(other)) = (read(one), read(other)) else { return false };
    let mut pairs: Vec<_> = one.snapshot().zip(other.snapshot()).into_iter().collect();
    while let Some((one, other)) = pairs.pop() {
        let is_same = one.kind() == other.kind()
            && match one.kind() {
                ValueKind::Null => true,
                ValueKind::Bool => one.as_bool() == other.as_bool(),
                ValueKind::String => one.as_str() == other.as_str(),
                ValueKind::Number => {
                    one.as_number().zip(other.as_number()).is_some_and(|(one, other)| is_same_number(one, other))
                }
                ValueKind::Array => {
                    pairs.extend(one.iter().zip(other.iter()));
                    one.len() == other.len()
                }
                ValueKind::Object => {
                    let (mut ones, mut others) = (one.last_entries(), other.last_entries());
                    let has_none = ones.is_empty() || others.is_empty();
                    if may_lack_members {
                        ones.retain(|(key, _)| others.binary_search_by_key(key, |(other, _)| *other).is_ok());
                        others.retain(|(key, _)| ones.binary_search_by_key(key, |(one, _)| *one).is_ok());
                    }
                    let keys_are_same = ones.iter().map(|(key, _)| key).eq(others.iter().map(|(key, _)| key));
                    pairs.extend(ones.iter().zip(&others).map(|((_, one), (_, other))| (*one, *other)));
                    keys_are_same && (!may_lack_members || has_none || !ones.is_empty())
                }
            };
        if !is_same {
            return false;
        }
    }
    true
}

fn read(text: &str) -> Option<Parser> {
    let mut parser = Parser::builder().retain(Retain::Nothing).snapshots().build();
    parser.feed_dyn(text.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {})).ok().map(|()| parser)
}

/// Returns true if two JSON numbers are equal. Integers without fraction and exponent are compared exactly, because ids
/// may have more digits than a double. Other numbers are compared as doubles: `1.0` equals `1`, and
/// `0.30000000000000004` equals `0.3000000000000000444`. The comparison is approximate: numbers with more than 15
/// digits may differ in the last two, and all numbers below 1e-307, where doubles lose digits, are equal to zero.
fn is_same_number(one: &str, other: &str) -> bool {
    let is_whole = |number: &str| !number.contains(['.', 'e', 'E']);
    if is_whole(one) && is_whole(other) {
        let spelt = |number| if number == "-0" { "0" } else { number };
        return spelt(one) == spelt(other);
    }
    let (one, other) = (Decimal::new(one), Decimal::new(other));
    let (low, high) = if one.exponent <= other.exponent { (one, other) } else { (other, one) };
    if low.is_tiny() && high.is_tiny() {
        return true;
    }
    let digits = match high.exponent.saturating_sub(low.exponent) {
        0 => high.digits,
        1 => high.digits * 10,
        _ => return false,
    };
    low.is_negative == high.is_negative && digits.abs_diff(low.digits) <= Decimal::UNSURE
}

/// The beginning of a number: `0.digits` times ten to the power of `exponent`.
struct Decimal {
    is_negative: bool,
    /// The first [`LEN`](Self::LEN) digits, without leading zeros; 0 for zero.
    digits: u64,
    exponent: i64,
}

impl Decimal {
    /// The number of digits that distinguish each double from its neighbors.
    const LEN: usize = 17;

    /// The largest difference in `digits` of two numbers that are the same double: the last bit of a double is up to
    /// 2.3e-16 of its value, and one digit of each number may be truncated.
    const UNSURE: u64 = 25;

    /// Returns true if the absolute value is below 1e-307.
    fn is_tiny(&self) -> bool {
        self.digits == 0 || self.exponent <= -307
    }

    fn new(number: &str) -> Self {
        let (is_negative, absolute) = number.strip_prefix('-').map_or((false, number), |absolute| (true, absolute));
        let (mantissa, exponent) = absolute.split_once(['e', 'E']).unwrap_or((absolute, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let places = whole.bytes().chain(fraction.bytes());
        let zeros = places.clone().take_while(|digit| *digit == b'0').count();
        let significant = places.skip(zeros).chain(core::iter::repeat(b'0')).take(Self::LEN);
        // An exponent that exceeds 64 bits saturates.
        let farthest = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent = exponent.parse().unwrap_or(farthest);
        Self {
            is_negative,
            digits: significant.fold(0, |digits, digit| digits * 10 + u64::from(digit - b'0')),
            exponent: exponent.saturating_add(whole.len() as i64).saturating_sub(zeros as i64),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::{are_alike, is_same_number};

    /// Compares two values of serde_json.
    fn are_alike_as_values(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_alike_as_values(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| are_alike_as_values(one, other)))
            }
            _ => one == other,
        }
    }

    /// Generates texts with few keys and atoms, so that two texts are often equal.
    fn text() -> impl Strategy<Value = alloc::string::String> {
        let atom = prop::sample::select(&["null", "true", "1", "1.0", "10e-1", "-0", "0", "2", r#""""#, r#""1""#]);
        atom.prop_map(ToString::to_string).prop_recursive(3, 16, 4, |value| {
            let member = (prop::sample::select(&["a", "\\u0061", "b"]), value.clone());
            prop_oneof![
                prop::collection::vec(value, 0..3).prop_map(|values| format!("[{}]", values.join(", "))),
                prop::collection::vec(member, 0..4).prop_map(|members| {
                    let members: alloc::vec::Vec<_> =
                        members.iter().map(|(key, value)| format!(r#""{key}": {value}"#)).collect();
                    format!("{{{}}}", members.join(", "))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn texts_are_alike_as_their_values_are(one in text(), other in text()) {
            let value = |text: &str| serde_json::from_str(text).unwrap();
            assert_eq!(are_alike(&one, &other), are_alike_as_values(&value(&one), &value(&other)));
            assert!(are_alike(&one, &value(&one).to_string()));
        }

        #[test]
        fn a_double_is_the_same_however_it_is_spelt(double in any::<f64>().prop_filter("one of full precision", |it| it.is_normal()), len in 17_usize..30) {
            let shortest = serde_json::to_string(&double).unwrap();
            assert!(is_same_number(&shortest, &format!("{double:e}")));
            assert!(is_same_number(&format!("{double:.len$e}"), &shortest));
            assert!(is_same_number(&format!("{double}"), &shortest));
        }

        #[test]
        fn numbers_of_15_digits_differ(one in 1_u64..1_000_000_000_000_000, other in 1_u64..1_000_000_000_000_000, exponent in -290_i32..290) {
            let spelt = |number: u64| format!("{number}e{exponent}");
            assert_eq!(is_same_number(&spelt(one), &spelt(other)), one == other);
            assert!(!is_same_number(&spelt(one), &spelt(one + 1)));
            assert!(!is_same_number(&spelt(one), &format!("-{}", spelt(one))));
            assert!(!is_same_number(&spelt(one), &format!("{one}e{}", exponent + 1)));
        }

        #[test]
        fn whole_numbers_are_exact(one in any::<u128>(), near in -2_i128..3) {
            let other = one.saturating_add_signed(near);
            assert_eq!(is_same_number(&one.to_string(), &other.to_string()), one == other);
            assert_eq!(is_same_number(&format!("-{one}"), &format!("-{other}")), one == other);
        }
    }

    #[test]
    fn borders() {
        for (one, other) in
            [("0", "-0"), ("0", "-0.0e9"), ("0.0", "0e-5"), ("1", "1.0"), ("100", "1e2"), ("0.001", "1E-3")]
        {
            assert!(is_same_number(one, other), "{one} {other}");
        }
        for (one, other) in
            [("0", "1"), ("1e99999999999999999999", "1e-99999999999999999999"), ("1", "-1"), ("1", "10")]
        {
            assert!(!is_same_number(one, other), "{one} {other}");
        }
        // Subnormal doubles and numbers below all doubles.
        for (one, other) in [("1e-400", "0"), ("-1e-99999999999999999999", "0.0"), ("5e-324", "4.9E-324")] {
            assert!(is_same_number(one, other), "{one} {other}");
        }
        assert!(is_same_number("9.99999999999999999e-308", "1e-307"));
        assert!(!is_same_number("3e-307", "0") && !is_same_number("1e-400", "1"));
        // Doubles next to a power of ten.
        assert!(is_same_number("1", "0.99999999999999999"));
        assert!(!is_same_number("1.0", "0.999999999999999"));
        assert!(!are_alike("[1", "[1"));
        assert!(!are_alike("[1]", "[1, 2]"));
    }
}
