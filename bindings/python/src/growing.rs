//! A number with a fraction or an exponent that is still growing, read on from where it was read to.
//!
//! Such a number is shown again with each digit. Read from its first digit each time, a number of n digits would cost n²: so
//! its digits are gathered as they come, and only as many as can matter are read as a float. Of two neighbouring floats, the
//! number half-way between them has at most 767 digits that count: after more than that, all that further digits can say is
//! whether there is anything but zeros, and one `1` in their place says the same.

use std::fmt::Write as _;

/// So many digits decide where a number lies between two floats, for certain.
const ENOUGH: usize = 800;

/// What has been read of a number's text.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    /// How many bytes of it.
    read: usize,
    is_negative: bool,
    /// The digits from the first that is not zero on.
    digits: String,
    /// Whether a digit other than zero came after those.
    has_more: bool,
    /// The power of ten of the last digit that is kept.
    scale: i64,
    part: Part,
    exponent: i64,
    is_exponent_negative: bool,
    /// What is read as a float, kept for its room.
    text: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Integer,
    Fraction,
    Exponent,
}

/// Where an exponent stops growing: the result is zero or infinite long before.
const MOST_EXPONENT: i64 = 1 << 40;

impl Growing {
    /// The float that this text stands for, which is the last one's with perhaps more after it.
    pub(crate) fn float(&mut self, text: &str) -> f64 {
        for &byte in text.as_bytes().iter().skip(self.read) {
            self.take(byte);
        }
        self.read = text.len();
        self.value()
    }

    fn take(&mut self, byte: u8) {
        match byte {
            b'-' if self.part == Part::Exponent => self.is_exponent_negative = true,
            b'-' => self.is_negative = true,
            b'.' => self.part = Part::Fraction,
            b'e' | b'E' => self.part = Part::Exponent,
            b'0'..=b'9' if self.part == Part::Exponent => {
                self.exponent = (self.exponent * 10 + i64::from(byte - b'0')).min(MOST_EXPONENT);
            }
            b'0'..=b'9' => self.digit(byte),
            _ => {}
        }
    }

    fn digit(&mut self, byte: u8) {
        let is_kept = self.digits.len() < ENOUGH;
        if is_kept && !(self.digits.is_empty() && byte == b'0') {
            self.digits.push(char::from(byte));
        }
        self.has_more |= !is_kept && byte != b'0';
        match self.part {
            // A zero before the first other digit counts here, and not in the integer part.
            Part::Fraction if is_kept => self.scale -= 1,
            Part::Integer if !is_kept => self.scale += 1,
            _ => {}
        }
    }

    fn value(&mut self) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        let exponent = if self.is_exponent_negative { -self.exponent } else { self.exponent };
        let (digits, more) = if self.digits.is_empty() { ("0", "") } else { (self.digits.as_str(), "1") };
        let (more, scale) = if self.has_more { (more, self.scale - 1) } else { ("", self.scale) };
        self.text.clear();
        // A `String` takes all that is written to it.
        let _ = write!(self.text, "{sign}{digits}{more}e{}", scale + exponent);
        self.text.parse().unwrap_or(f64::NAN)
    }
}
