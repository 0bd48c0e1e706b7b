//! The values of a text with several JSON texts.

use alloc::vec::Vec;
use core::ops::Range;

use jsonspigot::{ErrorKind, Parser};

/// Returns the ranges of the JSON texts in `text`, if it consists of at least two and nothing else; otherwise an empty
/// list. Each is parsed with the options of `parser`.
pub(crate) fn values_of(text: &str, parser: &Parser) -> Vec<Range<usize>> {
    let mut parser = parser.clone();
    let (mut values, mut start) = (Vec::new(), text.len() - text.trim_ascii_start().len());
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        parser.reset();
        let read = parser.feed_dyn(rest.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {}));
        let len = match read {
            Ok(()) => rest.len(),
            // The next value starts at the first byte after this one.
            Err(error) if error.kind() == ErrorKind::TrailingBytes => usize::try_from(error.offset()).unwrap_or(0),
            Err(_) => return Vec::new(),
        };
        let Some(value) = rest.get(..len).filter(|_| len > 0 && parser.is_strict()) else { return Vec::new() };
        values.push(start..start + value.trim_ascii_end().len());
        start += len;
    }
    if values.len() > 1 { values } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use jsonspigot::{DuplicateKeys, Limits, Parser};

    fn values_of(text: &str) -> Vec<&str> {
        let limits = Limits::new().depth(2).string(3);
        let builder = Parser::builder().limits(limits).duplicate_keys(DuplicateKeys::Reject);
        let parser = builder.build();
        super::values_of(text, &parser).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn values_are_whole_and_all_there_is() {
        assert_eq!(values_of("{\"a\":1} {\"b\":\"}{\"}\n[]"), ["{\"a\":1}", "{\"b\":\"}{\"}", "[]"]);
        assert_eq!(values_of("1 \"é\"true"), ["1", "\"é\"", "true"]);
        for text in [
            "",
            "{}",
            " {} ",
            "{}{",
            "{}{]",
            "{},{}",
            "{} x",
            "{\"a\":1}{\"b\":",
            "{}[[[]]]",
            "{}\"four\"",
            "{}{\"a\":1,\"a\":2}",
        ] {
            assert_eq!(values_of(text), Vec::<&str>::new(), "{text}");
        }
    }
}
