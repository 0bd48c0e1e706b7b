//! The values of a text that has more than one.

use alloc::vec::Vec;

use jsonspigot::internal::Inside;
use jsonspigot::{ErrorKind, PatternSet};
use jsonspigot::{Parser, Retain};

/// The JSON texts that a text consists of, if there are two or more and nothing else; otherwise none.
pub(crate) fn values_of(text: &str) -> Vec<&str> {
    let mut parser = Parser::builder().retain(Retain::Nothing).build(&PatternSet::empty());
    let (mut values, mut rest) = (Vec::new(), text.trim_ascii());
    while !rest.is_empty() {
        parser.reset();
        let read = parser.feed_dyn(rest.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {}));
        let len = match read {
            Ok(()) => rest.len(),
            // The first byte that is not the value's.
            Err(error) if error.kind() == ErrorKind::TrailingBytes => usize::try_from(error.offset()).unwrap_or(0),
            Err(_) => return Vec::new(),
        };
        let Some((value, after)) = rest.split_at_checked(len).filter(|_| len > 0) else { return Vec::new() };
        values.push(value.trim_ascii_end());
        rest = after;
    }
    if values.len() > 1 { values } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::values_of;

    #[test]
    fn values_are_whole_and_all_there_is() {
        assert_eq!(values_of("{\"a\":1} {\"b\":\"}{\"}\n[]"), ["{\"a\":1}", "{\"b\":\"}{\"}", "[]"]);
        assert_eq!(values_of("1 \"é\"true"), ["1", "\"é\"", "true"]);
        for text in ["", "{}", " {} ", "{}{", "{}{]", "{},{}", "{} x", "{\"a\":1}{\"b\":"] {
            assert_eq!(values_of(text), Vec::<&str>::new(), "{text}");
        }
    }
}
