//! How delimiters are made and spelt: both ways give the same, every spelling reads back, and what is no name is
//! refused.

use jsonspigot::PatternSet;
use jsonspigot_llm::{Delimiter, DelimiterError, Envelope};
use proptest::prelude::*;
use proptest::sample::select;

const SHAPES: [&str; 3] = ["comment", "fence", "tag"];

fn made(shape: &str, name: &str) -> Result<Delimiter, DelimiterError> {
    match shape {
        "comment" => Delimiter::comment(name),
        "fence" => Delimiter::fence(name),
        _ => Delimiter::tag(name),
    }
}

/// Returns true for the names that [`DelimiterError`] allows.
fn is_name(name: &str) -> bool {
    let is_kept = |c: char| !c.is_whitespace() && !c.is_control() && !"<>`{}[]\"".contains(c);
    !name.is_empty() && name.chars().all(is_kept) && !name.ends_with(":json") && !name.ends_with(":raw")
}

proptest! {
    #[test]
    fn both_ways_give_the_same_mark(
        shape in select(&SHAPES[..]),
        name in "[a-z+.:é-]{0,6}|[*]|[a-c:<>`{}\\[\\]\" \u{85}\u{1}]{0,3}|[a-c]{0,2}:(json|raw|jso|text)",
    ) {
        let delimiter = made(shape, &name);
        prop_assert_eq!(delimiter.is_ok(), is_name(&name), "{}", name);
        let Ok(delimiter) = delimiter else { return Ok(()) };
        prop_assert_eq!(delimiter.name(), Some(name.as_str()));
        prop_assert_eq!(delimiter.to_string(), format!("{shape}:{name}"));
        let (json, raw) = (delimiter.clone().json(), delimiter.clone().raw());
        // Only a tag has another payload than JSON of its own accord.
        let declares_json = if shape == "tag" { ":json" } else { "" };
        prop_assert_eq!(json.to_string(), format!("{shape}:{name}{declares_json}"));
        prop_assert_eq!(raw.to_string(), format!("{shape}:{name}:raw"));
        prop_assert_eq!(json == delimiter, shape != "tag");
        prop_assert!(raw != delimiter && raw != json);
        prop_assert_eq!(raw.clone().json(), json.clone());
        for delimiter in [delimiter, json, raw] {
            prop_assert_eq!(&delimiter.to_string().parse::<Delimiter>().unwrap(), &delimiter);
            prop_assert_eq!(delimiter.name(), Some(name.as_str()));
        }
        prop_assert_eq!(format!("{shape}:{name}:json").parse::<Delimiter>().unwrap(), made(shape, &name).unwrap().json());
    }

    /// Checks that at most one declaration is removed; the rest is a name or an error.
    #[test]
    fn spelt_marks_are_refused_as_made_ones_are(
        shape in select(&SHAPES[..]),
        text in "[a-b<\" ]{0,2}(:json|:raw|:text)?(:json|:raw)?",
    ) {
        let name = [":json", ":raw"].iter().find_map(|declared| text.strip_suffix(declared)).unwrap_or(&text);
        let spelt = format!("{shape}:{text}").parse::<Delimiter>();
        prop_assert_eq!(spelt.is_ok(), is_name(name), "{}", text);
        if let Ok(delimiter) = spelt {
            prop_assert_eq!(delimiter.name(), Some(name));
        }
    }
}

#[test]
fn bare_marks_have_no_name_and_hold_json() {
    for (delimiter, spelt) in [(Delimiter::bare(), "bare"), (Delimiter::bare_object(), "bare:object")] {
        assert_eq!((delimiter.to_string().as_str(), delimiter.name()), (spelt, None));
        assert_eq!(spelt.parse(), Ok(delimiter.clone()));
        assert_eq!((delimiter.clone().raw(), delimiter.clone().json()), (delimiter.clone(), delimiter));
    }
    assert_ne!(Delimiter::bare(), Delimiter::bare_object());
}

#[test]
fn refusals_say_what_is_wanted() {
    let reason = |text: &str| text.parse::<Delimiter>().unwrap_err().to_string();
    for text in ["", "note:x", "comment", "tag", "bare:", "bare:array", "bare:object:raw", "Tag:x", "baren", ":x"] {
        let wanted = "expected `comment:NAME`, `fence:INFO`, `tag:NAME`, `between:OPEN:CLOSE`, `bare` or `bare:object`";
        assert_eq!(reason(text), wanted, "{text}");
    }
    let name = "expected a name without white space and without < > ` { } [ ] \"";
    assert_eq!((reason("tag:"), reason("tag:a b"), reason("comment::raw")), (name.into(), name.into(), name.into()));
    assert_eq!(Delimiter::fence("a:raw").unwrap_err().to_string(), "a name must not end in `:json` or `:raw`");
    assert_eq!(reason("fence:a:json:raw"), "a name must not end in `:json` or `:raw`");
}

#[test]
fn an_envelope_looks_for_the_marks_it_was_given() {
    let delimiters = ["tag:think", "bare", "comment:a:raw"].map(|delimiter| delimiter.parse::<Delimiter>().unwrap());
    let envelope = Envelope::new(delimiters.clone(), &PatternSet::default());
    assert_eq!(envelope.delimiters(), delimiters);
    assert_eq!(Envelope::builder().build([], &PatternSet::default()).delimiters(), []);
}
