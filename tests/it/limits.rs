//! Law 8: each limit holds at N and bites at N + 1, at the same offset for every chunking, followed or skipped.

use proptest::prelude::*;

use super::model::chunking::with_cuts;
use super::model::log::{Options, Verdict};
use super::model::mutate::any_document;
use super::model::pattern::{everything_below, patterns, root};
use super::observed::check;
use super::properties::limits;

/// A document that needs just `n` of one thing.
type Needs = fn(u64) -> String;
/// Sets that limit.
type Limit = fn(&mut Options, u64);

const LIMITS: [(&str, Needs, Limit); 9] = [
    ("depth-limit", |n| format!("{}{}", "[".repeat(n as usize), "]".repeat(n as usize)), |o, n| o.depth = n),
    ("key-limit", |n| format!(r#"{{"{}": 1}}"#, "k".repeat(n as usize)), |o, n| o.key = Some(n)),
    ("key-limit", |n| format!(r#"[{{"\u0041{}": 1}}]"#, "k".repeat(n as usize - 6)), |o, n| o.key = Some(n)),
    ("string-limit", |n| format!(r#"["{}"]"#, "s".repeat(n as usize)), |o, n| o.string = Some(n)),
    ("string-limit", |n| format!(r#"["{}₹"]"#, "s".repeat(n as usize - 3)), |o, n| o.string = Some(n)),
    ("string-limit", |n| format!(r#"["{}\n"]"#, "s".repeat(n as usize - 2)), |o, n| o.string = Some(n)),
    ("string-limit", |n| format!(r#"["{}\uD83D\uDE00"]"#, "s".repeat(n as usize - 12)), |o, n| o.string = Some(n)),
    ("number-limit", |n| format!("[{}]", "7".repeat(n as usize)), |o, n| o.number = Some(n)),
    ("total-limit", |n| format!("{}7", " ".repeat(n as usize - 1)), |o, n| o.total = Some(n)),
];

#[test]
fn each_limit_holds_at_n_and_bites_at_n_plus_one() {
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

#[test]
fn an_endless_item_bites_before_it_ends() {
    for (kind, document, offset) in
        [("key-limit", r#"{"kkkkk"#, 6), ("string-limit", r#"["sssss"#, 6), ("number-limit", "[77777", 5)]
    {
        let mut options = Options::with_patterns([everything_below()]);
        (options.key, options.string, options.number) = (Some(4), Some(4), Some(4));
        assert_eq!(check(document.as_bytes(), &options).verdict.failure(), Some((kind, offset)));
    }
}

proptest! {
    /// Property 23.
    #[test]
    fn limits_bite_at_the_models_byte(
        (document, cuts) in with_cuts(any_document()),
        patterns in patterns(3),
        (depth, key, string, number, total) in
            (0_u64..6, prop::option::of(0_u64..9), prop::option::of(0_u64..15), prop::option::of(0_u64..6), prop::option::of(0_u64..90)),
    ) {
        let options = Options { depth, key, string, number, total, ..Options::with_patterns(patterns) };
        limits::bite_at_the_models_byte(&document, &cuts, &options);
        limits::the_total_is_exact(&document, &cuts, &options);
    }
}
