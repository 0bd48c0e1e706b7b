//! Limits are checked per byte: each allows N and refuses N + 1, at the same offset for every chunking, followed or
//! skipped.

use proptest::prelude::*;

use super::driver::check;
use super::effort::Sample;
use super::model::chunking::{each_byte, with_cuts};
use super::model::log::{Options, Verdict, flaws};
use super::model::mutate::any_document;
use super::model::pattern::{everything_below, patterns, root};
use super::properties::limits;

/// A document that needs just `n` of one thing.
type Needs = fn(u64) -> String;
/// Sets that limit.
type Limit = fn(&mut Options, u64);

const LIMITS: [(&str, Needs, Limit); 12] = [
    ("depth-limit", |n| format!("{}{}", "[".repeat(n as usize), "]".repeat(n as usize)), |o, n| o.depth = n),
    ("key-limit", |n| format!(r#"{{"{}": 1}}"#, "k".repeat(n as usize)), |o, n| o.key = Some(n)),
    ("key-limit", |n| format!(r#"[{{"\u0041{}": 1}}]"#, "k".repeat(n as usize - 6)), |o, n| o.key = Some(n)),
    ("string-limit", |n| format!(r#"["{}"]"#, "s".repeat(n as usize)), |o, n| o.string = Some(n)),
    ("string-limit", |n| format!(r#"["{}₹"]"#, "s".repeat(n as usize - 3)), |o, n| o.string = Some(n)),
    ("string-limit", |n| format!(r#"["{}\n"]"#, "s".repeat(n as usize - 2)), |o, n| o.string = Some(n)),
    ("string-limit", |n| format!(r#"["{}\uD83D\uDE00"]"#, "s".repeat(n as usize - 12)), |o, n| o.string = Some(n)),
    ("number-limit", |n| format!("[{}]", "7".repeat(n as usize)), |o, n| o.number = Some(n)),
    ("blank-limit", |n| format!("{}[]", " ".repeat(n as usize)), |o, n| o.blank = Some(n)),
    ("blank-limit", |n| format!("[1,{}2]", " \r\n\t".repeat(9).split_at(n as usize).0), |o, n| o.blank = Some(n)),
    ("blank-limit", |n| format!("7{}", "\n".repeat(n as usize)), |o, n| o.blank = Some(n)),
    ("total-limit", |n| format!("{}7", " ".repeat(n as usize - 1)), |o, n| o.total = Some(n)),
];

pub(super) fn each_limit_allows_n_and_refuses_n_plus_one() {
    for (kind, needs, limit) in LIMITS {
        for followed in [vec![], vec![root(), everything_below()]] {
            let n = 14;
            let mut options = Options::with_patterns(followed);
            limit(&mut options, n);
            assert_eq!(check(needs(n).as_bytes(), &options).verdict, Verdict::Complete, "{kind} at N");
            let failed = check(needs(n + 1).as_bytes(), &options).verdict;
            assert_eq!(failed.failure().map(|(kind, _)| kind), Some(kind), "{kind} at N + 1");
        }
    }
}

/// Checks each limit at each number, in the middle of characters and escapes too, regardless of other faults there.
#[test]
fn each_limit_applies_at_the_models_byte_of_hard_text() {
    const TEXTS: [&[u8]; 7] = [
        r#"["é₹😀é"]"#.as_bytes(),
        r#"{"é₹😀":"é"}"#.as_bytes(),
        br#"["\uD83D\uDE00\n\u00e9"]"#,
        b"[\"\\uDC00\\x\n\\uD83D\xC3\xA9\",\n2]",
        b"{\"\\uDC00\t\xE2\x82\xB9\\uD83D\\n\":1}",
        b"[-12.5e+3, tru\xC3\xA9]",
        b" [[\"\xF0\x9F\x98\x80\\uD83D\"],\n{\"\\d\":0}] ",
    ];
    const SET: [fn(&mut Options, u64); 6] = [
        |options, n| options.depth = n,
        |options, n| options.key = Some(n),
        |options, n| options.string = Some(n),
        |options, n| options.number = Some(n),
        |options, n| options.blank = Some(n),
        |options, n| options.total = Some(n),
    ];
    let mut sample = Sample::one_in(6);
    for text in TEXTS {
        for (set, n) in SET.iter().flat_map(|set| (0..text.len() as u64).map(move |n| (set, n))) {
            for passes in [false, true] {
                let mut options =
                    Options { lenient: flaws(passes), ..Options::with_patterns([root(), everything_below()]) };
                set(&mut options, n);
                limits::apply_at_the_models_byte(text, &each_byte(text.len()), &options);
                let cuts = (0..text.len()).filter(|_| sample.takes());
                cuts.for_each(|cut| limits::apply_at_the_models_byte(text, &[cut], &options));
            }
        }
    }
}

#[test]
fn limits_apply_before_an_endless_item_ends() {
    for (kind, document, offset) in [
        ("key-limit", r#"{"kkkkk"#, 6),
        ("string-limit", r#"["sssss"#, 6),
        ("number-limit", "[77777", 5),
        ("blank-limit", "[     ", 5),
    ] {
        let mut options = Options::with_patterns([everything_below()]);
        (options.key, options.string, options.number, options.blank) = (Some(4), Some(4), Some(4), Some(4));
        assert_eq!(check(document.as_bytes(), &options).verdict.failure(), Some((kind, offset)));
    }
}

pub(super) fn limits_apply_at_the_models_byte() {
    proptest!(|(
        (document, cuts) in with_cuts(any_document()),
        patterns in patterns(3),
        (depth, key, string, number, total) in
            (0_u64..6, prop::option::of(0_u64..9), prop::option::of(0_u64..15), prop::option::of(0_u64..6), prop::option::of(0_u64..90)),
        blank in prop::option::of(0_u64..4),
        lenient: bool,
    )| {
        let options = Options { depth, key, string, number, blank, total, ..Options::with_patterns(patterns) };
        let options = Options { lenient: flaws(lenient), ..options };
        limits::apply_at_the_models_byte(&document, &cuts, &options);
        limits::the_total_is_exact(&document, &cuts, &options);
    });
}
