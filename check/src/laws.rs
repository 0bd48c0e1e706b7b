//! The laws that callers can rely on, who must hold each one, and the proof that a test compared something for it.
//!
//! A law's *home* is a test binary that must hold it. The binary has a table, written with [`laws!`](crate::laws!),
//! that lists the central tests of each law. For each entry the table makes a test `laws::LAW::TEST`, which fails if
//! the function returns without a comparison for the law. Comparisons are counted by [`Law::mark_compared`], which the
//! functions that compare call, mostly those in the folders `properties`.

use std::cell::Cell;

/// A test binary that holds laws.
#[derive(Clone, Copy, Debug)]
pub enum Home {
    /// `tests/it`.
    Library,
    /// `tests/it` with the feature `schemars`.
    LibraryWithSchemas,
    /// `tests/it` with the feature `stream`.
    LibraryWithStreams,
    /// `tests/memory.rs`.
    Memory,
    /// `llm/tests/providers`.
    Providers,
    /// `llm/tests/envelope`.
    Envelope,
    /// `cli/src/vectors`.
    Command,
}

/// Declares the laws: for each one its documentation, its name and its homes.
macro_rules! declare {
    ($($(#[doc = $text:literal])+ $law:ident [$($home:ident),+],)+) => {
        /// Something that callers can rely on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Law {
            $($(#[doc = $text])+ $law,)+
        }

        impl Law {
            /// All laws, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$law),+];

            const fn homes(self) -> &'static [Home] {
                match self { $(Self::$law => &[$(Home::$home),+],)+ }
            }

            const fn complaint(self) -> &'static str {
                match self { $(Self::$law => concat!("no test holds the law ", stringify!($law)),)+ }
            }
        }
    };
}

thread_local! {
    static COMPARISONS: [Cell<u64>; Law::ALL.len()] = const { [const { Cell::new(0) }; Law::ALL.len()] };
}

impl Law {
    /// Records that this thread has compared something for the law, and that it was as the law says.
    pub fn mark_compared(self) {
        COMPARISONS.with(|counts| counts[self as usize].update(|count| count + 1));
    }

    /// Returns how often this thread has compared something for the law.
    pub fn comparisons(self) -> u64 {
        COMPARISONS.with(|counts| counts[self as usize].get())
    }
}

/// Runs a test of a law.
///
/// # Panics
///
/// If the test panics, or if it compares nothing for the law.
pub fn run(law: Law, test: fn()) {
    let before = law.comparisons();
    test();
    assert!(law.comparisons() > before, "the test ran, but it compared nothing for the law {law:?}");
}

/// Fails to compile if a law that has this home is not among those that are held.
pub const fn assert_all_held(home: Home, held: &[Law]) {
    let mut at = 0;
    while at < Law::ALL.len() {
        let law = Law::ALL[at];
        let (mut is_wanted, mut is_held, mut place) = (false, false, 0);
        while place < law.homes().len() {
            is_wanted |= law.homes()[place] as u8 == home as u8;
            place += 1;
        }
        place = 0;
        while place < held.len() {
            is_held |= held[place] as u8 == law as u8;
            place += 1;
        }
        assert!(is_held || !is_wanted, "{}", law.complaint());
        at += 1;
    }
}

/// Makes the tests of a home's laws: for each law a module, and in it a test for each function, by its path from the
/// module around the one with the table. A law of this home without an entry is a compile error.
///
/// ```text
/// laws! {
///     Library:
///     Prompt as prompt: [any_text::any_prefix_is_reported_promptly];
/// }
/// ```
#[macro_export]
macro_rules! laws {
    ($home:ident: $($law:ident as $module:ident: [$($($path:ident)::+),+ $(,)?];)+) => {
        const _: () = $crate::laws::assert_all_held($crate::laws::Home::$home, &[$($crate::laws::Law::$law),+]);
        $(mod $module { $($crate::laws!(@test $law ($($path)::+) $($path)::+);)+ })+
    };
    (@test $law:ident ($($path:tt)+) $test:ident) => {
        #[test]
        fn $test() {
            $crate::laws::run($crate::laws::Law::$law, super::super::$($path)+);
        }
    };
    (@test $law:ident $path:tt $outer:ident :: $($inner:tt)+) => { $crate::laws!(@test $law $path $($inner)+); };
}

declare! {
    /// Joined events, values, the verdict, and an error's kind and offset are the same for every way to cut the text,
    /// through `feed` and `feed_with`. Joined means that each match's deltas are appended to its first one.
    ChunkEdges [Library, Envelope],
    /// Reading succeeds if and only if the text is one RFC 8259 text in UTF-8 within the limits. The complete value is
    /// serde_json's; the two differ only in numbers outside the range of `f64`, depending on the features of serde_json.
    Strict [Library],
    /// The call that feeds the first byte after which no valid continuation exists returns the error, at that byte. A
    /// valid prefix that ends early is *incomplete*, at its length, and only `finish` reports that.
    FirstBadByte [Library],
    /// An error has the path of the innermost value that was open at its offset, or no path, for every cut alike.
    TruePlaces [Library],
    /// A parser that stops at the root reads exactly the bytes up to the root's end.
    StoppingAtRoot [Library],
    /// After each feed the deltas of an open string are all text that can be decoded: at most three bytes are held back,
    /// or eleven in an escaped surrogate pair. A delta is never empty and never ends inside a character.
    Prompt [Library, Envelope],
    /// A value's `Begin` is reported at its first byte; a number, boolean or null is reported once it has ended, and a
    /// key only as a whole. A closed value never changes.
    AtomsWhole [Library],
    /// Between snapshots strings grow at their end, arrays change their last element or gain elements, and objects change
    /// or gain their newest member. Types never change.
    AppendOnly [Library],
    /// A value that no pattern selects is validated like the others, but neither decoded nor built, and nothing is
    /// allocated for it.
    SkippingValidates [Library, Memory],
    /// A limit of N accepts N and fails at byte N + 1, for every cut and with or without patterns. A byte that is invalid
    /// anyway is reported as invalid; only the total limit is checked before the byte is looked at.
    Limits [Library, Envelope],
    /// Work is proportional to bytes, chunks and events. Only `deserialize`, `restore` and an error's path read the text
    /// again. Nothing recurses over the input; serde's interfaces refuse more than 127 levels.
    Linear [Library, Envelope],
    /// With nothing retained, memory grows with the depth, with the longest unfinished key or number of a followed value,
    /// and with the events of one chunk, but not with the text.
    Bounded [Memory],
    /// After an error, later calls return the same error and no events; earlier events, the text and the last snapshot
    /// stay. After `finish`, bytes are refused. `reset` makes a parser as new; a clone continues like its original.
    ErrorsStick [Library],
    /// Partial and complete values have different types, and a value that was not received as a whole is never complete.
    NeverRepaired [Library],
    /// With `LastWins` each occurrence of a key has its events, and the last one is the value. With `Reject` the second
    /// key's closing quote is an error, for decoded keys, in skipped objects too.
    DuplicateKeys [Library],
    /// A match has one `Begin`, its deltas, and an `End` if and only if the value closed; values nest.
    FramedMatches [Library],
    /// The document that is rebuilt from the events of `$` and `$..*` is the snapshot, and so is the text that an
    /// independent closer completes. Taking a snapshot changes nothing.
    Snapshots [Library],
    /// With open atoms shown, a number appears as its longest valid prefix and a literal from its first letter. Nothing
    /// else changes.
    OpenAtoms [Library],
    /// `has_changed_since` returns true if and only if the shown document or the set of complete values differs. A revision
    /// is accepted only if the patch since it is right, in any process.
    Revisions [Library],
    /// An event that is read from its serialized form equals the event that was written.
    OwnedEvents [Library],
    /// The command, the library and the bindings reproduce `vectors/` byte for byte. Each event, error, deviation,
    /// provider, option and status has a vector.
    Vectors [Library, Command],
    /// Patterns select the values that a recursive matcher and the test suite of RFC 9535 select, each value once. A
    /// printed path reads back as the same path.
    Selection [Library],
    /// A pattern in a set reports the events that it reports alone.
    PatternsApart [Library],
    /// `outer | inner` reports of a string the events that `inner` reports of its decoded text alone, as promptly, with
    /// offsets in the decoded text and one inner error for each pattern. The text around the string is read as without it.
    InnerTexts [Library],
    /// Raw deltas join to the value's text as it arrived, are as prompt as others, and change no other event.
    RawDeltas [Library],
    /// The output of a `Rewriter` is the text with its rules applied, and byte for byte the input where no rule applies.
    /// The verdict is the parser's. The output of a JSON text is a JSON text without any part of a redacted value. A
    /// call's arguments are rewritten alike in pieces and as a whole, and the rest of the stream is not changed.
    Rewriting [Library, Providers],
    /// White space and escapes change offsets only.
    Spelling [Library],
    /// A lenient parser reports each deviation that it tolerates. Its verdict is a strict parser's, and no value after the
    /// first deviation is complete.
    DeviationsShown [Library],
    /// If deviations are accepted, values and text are those of the text rewritten as strict JSON.
    DeviationsAccepted [Library],
    /// A type is read from a complete document as serde_json reads it. A field that shows as settled earlier is complete.
    Types [Library],
    /// A typed look shows everything that fits so far, fails only if no continuation fits, only grows, and depends on
    /// nothing but the text.
    TypedLooks [Library],
    /// `Settled<T>` has the schema of `T`.
    Schemas [LibraryWithSchemas],
    /// A `ParserStream` returns the events of its chunks and of `finish`, each once, however it is polled.
    AsyncStreams [LibraryWithStreams],
    /// Each text of a stream of documents is read as if it were alone; an invalid line costs only itself.
    DocumentsAlone [Library],
    /// A parser, rewriter, stream or envelope that is saved and restored continues as if nothing had happened. Any bytes,
    /// even with a right checksum, give an error or a sound parser, in memory that is a small multiple of their length.
    SavedState [Library, Envelope, Providers],
    /// However a stream interleaves its calls, each call's events are those of a parser that is fed that call alone.
    CallsAlone [Providers],
    /// Lost, repeated or reordered fragments never complete a call that the undamaged stream does not complete.
    Damage [Providers],
    /// Calls, ids, names, events and remembered state have limits, each with an error of its own.
    BoundedStreams [Providers],
    /// An envelope finds the pieces that a splitter of the whole text finds.
    Payloads [Envelope],
    /// Blocks, sources, results and the message are the same for every cut. Every block ends, and a stream that breaks off
    /// is reported as incomplete.
    StreamsEnd [Providers],
    /// A stream's verdict is `Ok` if and only if the stream arrived whole and nothing is wrong. Each string that is not an
    /// id is reported or listed with a reason. The message for the next request is accepted, or absent.
    OkIsWhole [Providers],
    /// A stream and its written stream, in every target's wire format, report the same, except for what is listed as lost.
    /// Nothing that is incomplete or damaged is written as complete.
    Writing [Providers],
    /// Any calls, with any configuration and any bytes, return without a panic.
    NoPanics [Library, Envelope, Providers],
}
