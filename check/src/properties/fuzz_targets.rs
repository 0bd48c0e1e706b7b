//! The fuzz targets: each makes the input of its properties from bytes. The fuzzer runs them on new inputs,
//! `tests/it/fuzz_corpus.rs` on the stored ones.
//!
//! An input is `head FE text`, and the text is cut at its bytes FF: no JSON text contains these bytes. The head has the
//! choices, and may be left out with its FE. Only the target `typed` has another form.

use jsonspigot::{DuplicateKeys, Framing, Leniency, Parser, PatternSet, Retain};

use super::inner_texts;
use super::ops::{Configuration, ParserCall};
use super::saved as states;
use super::{
    cuts, documents as documents_of, leniency, limits, ops, owned, paths, rewriting, snapshots, spelling,
    subject_types, text, typed,
};
use crate::driver::Method;
use crate::forged::edited;
use crate::model::chunking::chunks as chunks_of;
use crate::model::closer::OpenAtoms;
use crate::model::generate::Dress;
use crate::model::log::{DEVIATIONS, Options, flaws};
use crate::model::nested::{NestedPattern, written};
use crate::model::pattern::{ModelPattern, ModelSegment, NAMES, Selector, everything_below, root};
use crate::model::rewrite::ModelRule;

/// A target's name and body.
pub type Target = (&'static str, fn(&[u8]));

/// All of them but the providers', which need a feature.
pub const TARGETS: [Target; 13] = [
    ("chunks", chunks),
    ("verdict", verdict),
    ("snapshot", snapshot),
    ("paths", paths),
    ("ops", operations),
    ("limits", limits),
    ("lenient", lenient),
    ("respell", respell),
    ("typed", typed),
    ("documents", documents),
    ("nested", nested),
    ("saved", saved),
    ("rewrite", rewrite),
];

/// Every prefix of a text is read from its start: the square of this.
const LONGEST_FOR_PREFIXES: usize = 96;

struct Input<'a> {
    head: &'a [u8],
    chunks: Vec<&'a [u8]>,
}

impl<'a> Input<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let (head, text) = match bytes.iter().position(|&byte| byte == 0xFE) {
            Some(end) => (&bytes[..end], &bytes[end + 1..]),
            None => (&[][..], bytes),
        };
        Input { head, chunks: text.split(|&byte| byte == 0xFF).collect() }
    }

    fn document(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    fn cuts(&self) -> Vec<usize> {
        let ends = self.chunks.iter().scan(0, |end, chunk| {
            *end += chunk.len();
            Some(*end)
        });
        ends.take(self.chunks.len() - 1).collect()
    }
}

/// Checks that chunk edges are invisible.
pub fn chunks(input: &[u8]) {
    cuts::are_invisible(&input.split(|&byte| byte == 0xFF).collect::<Vec<_>>());
}

/// Checks that verdict, error, value and events are those of the model and serde_json, after every prefix.
pub fn verdict(input: &[u8]) {
    let input = Input::new(input);
    let (document, cuts) = (input.document(), input.cuts());
    let options = Options {
        reject_duplicates: input.head.first().is_some_and(|byte| byte % 2 == 1),
        ..Options::with_patterns([root(), everything_below()])
    };
    text::reads_as_the_model(&document, &cuts, &options);
    text::has_serde_jsons_value(&document, &cuts);
    if document.len() <= LONGEST_FOR_PREFIXES {
        owned::go_and_come(&document, &cuts, &options, Retain::All);
        text::is_reported_promptly(&document, &options);
    }
}

/// Checks that the partial document is the one of an independent closer, of the events and of the patches.
pub fn snapshot(input: &[u8]) {
    let input = Input::new(input);
    let (document, cuts) = (input.document(), input.cuts());
    snapshots::do_not_depend_on_the_cuts(&document, &cuts);
    snapshots::equal_their_events(&document);
    snapshots::change_nothing(&document, &cuts, &Options::with_patterns(patterns(input.head)));
    snapshots::find_their_members(&document, &cuts);
    snapshots::differ_in_open_atoms_only(&document, &cuts);
    snapshots::are_rebuilt_by_patches(&document, &cuts);
    if document.len() <= 4 * LONGEST_FOR_PREFIXES {
        snapshots::are_what_the_closer_says(&document);
        if crate::model::tree_reader::tree(&document).is_some_and(|tree| tree.has_distinct_keys()) {
            snapshots::only_grow(&document);
        }
    }
}

/// Checks that patterns select the values of a recursive matcher, report them in order, and disturb nothing.
pub fn paths(input: &[u8]) {
    let input = Input::new(input);
    let (document, cuts) = (input.document(), input.cuts());
    let options = Options::with_patterns(patterns(input.head));
    text::reads_as_the_model(&document, &cuts, &options);
    paths::are_the_matchers(&document, &options.patterns);
    paths::are_spelt_as_the_rfcs_say(&document, &options.patterns);
    paths::do_not_disturb_each_other(&document, &cuts, &options.patterns);
    paths::change_no_verdict(&document, &options);
    if document.len() <= LONGEST_FOR_PREFIXES {
        paths::are_patterns(&document, &options.patterns);
    }
}

/// Runs calls in any order: the head's first byte builds the parser, and a letter after a cut is a call.
pub fn operations(input: &[u8]) {
    let input = Input::new(input);
    let (choices, patterns_head) = input.head.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    let mut options = Options::with_patterns(patterns(patterns_head));
    options.reject_duplicates = choices & 1 != 0;
    options.lenient = flaws(choices & 0x80 != 0);
    if choices & 2 != 0 {
        // All at once, or one by one, so that each bites before the others do, in the middle of a character as well.
        match choices >> 5 & 3 {
            0 => {
                (options.depth, options.key, options.string) = (3, Some(4), Some(9));
                (options.number, options.total) = (Some(4), Some(60));
            }
            1 => (options.string, options.blank) = (Some(5), Some(2)),
            2 => options.key = Some(2),
            _ => options.total = Some(12),
        }
    }
    let (retain, open_atoms) = [
        (Retain::All, OpenAtoms::Hidden),
        (Retain::Matches, OpenAtoms::Hidden),
        (Retain::Nothing, OpenAtoms::Hidden),
        (Retain::All, OpenAtoms::Shown),
    ][usize::from(choices >> 3 & 3)];
    let configuration = Configuration { retain, snapshots: (choices & 4 != 0).then_some(open_atoms) };
    let mut calls = Vec::new();
    for (place, chunk) in input.chunks.iter().enumerate() {
        let method = if place % 2 == 0 { Method::Iterator } else { Method::Callback };
        let (call, rest) = match chunk {
            [b'F', rest @ ..] => (Some(ParserCall::Finish(method)), rest),
            [b'L', rest @ ..] => (Some(ParserCall::Look), rest),
            [b'R', rest @ ..] => (Some(ParserCall::Reset), rest),
            [b'C', rest @ ..] => (Some(ParserCall::Clone), rest),
            all => (None, *all),
        };
        calls.extend(call);
        calls.push(ParserCall::Feed(rest.to_vec(), method));
    }
    ops::agree_with_the_model(&options, configuration, &calls);
}

/// Checks that limits apply at the model's byte. The head holds depth, key, string, number and total, 0 for none; then
/// flags for the rejection of duplicates and for leniency, and the limit on white space.
pub fn limits(input: &[u8]) {
    let input = Input::new(input);
    let (document, cuts) = (input.document(), input.cuts());
    let limit = |place: usize| input.head.get(place).map(|byte| u64::from(*byte)).filter(|most| *most > 0);
    let options = Options {
        depth: limit(0).unwrap_or(127),
        key: limit(1),
        string: limit(2),
        number: limit(3),
        total: limit(4),
        reject_duplicates: limit(5).is_some(),
        lenient: flaws(limit(6).is_some()),
        blank: limit(7),
        ..Options::with_patterns([root(), everything_below()])
    };
    limits::apply_at_the_models_byte(&document, &cuts, &options);
    limits::the_total_is_exact(&document, &cuts, &options);
}

/// Checks that the texts of a stream are read like each text alone. The head holds the framing and a flag for the
/// rejection of duplicates, then depth, string, number, total and white space, 0 for none.
pub fn documents(input: &[u8]) {
    let input = Input::new(input);
    let stream = input.document();
    let choices = input.head.first().map_or(0, |byte| usize::from(*byte));
    let limit = |place: usize| input.head.get(place).map(|byte| u64::from(*byte)).filter(|most| *most > 0);
    let options = Options {
        reject_duplicates: choices & 0x40 != 0,
        lenient: flaws(choices & 0x80 != 0),
        depth: limit(1).unwrap_or(127),
        string: limit(2),
        number: limit(3),
        total: limit(4),
        blank: limit(5),
        ..Options::with_patterns([root(), everything_below()])
    };
    if stream.len() <= 4 * LONGEST_FOR_PREFIXES {
        let framing = Framing::ALL[choices % Framing::ALL.len()];
        documents_of::are_those_alone(&stream, &input.cuts(), framing, &options);
    }
}

/// Checks that deviations are tolerated, reported, shown and accepted as by the model. The head holds the bits of the
/// allowed ones, low ones first, then the head of the target `limits`.
pub fn lenient(input: &[u8]) {
    let input = Input::new(input);
    let (document, cuts) = (input.document(), input.cuts());
    let byte = |place: usize| input.head.get(place).copied();
    let bits = u16::from_le_bytes([byte(0).unwrap_or(!0), byte(1).unwrap_or(!0)]);
    let allowed = DEVIATIONS.into_iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
    let limit = |place: usize| byte(2 + place).map(u64::from).filter(|most| *most > 0);
    let options = Options {
        depth: limit(0).unwrap_or(127),
        key: limit(1),
        string: limit(2),
        number: limit(3),
        total: limit(4),
        reject_duplicates: limit(5).is_some(),
        blank: limit(7),
        lenient: allowed.map(|(_, name)| name).collect(),
        ..Options::with_patterns([root(), everything_below()])
    };
    let log = leniency::reads_as_the_model(&document, &cuts, &options);
    leniency::skipping_changes_no_report(&document, &cuts, &options, &log);
    leniency::is_accepted_as_rewritten(&document, &cuts, &options);
    if document.len() <= LONGEST_FOR_PREFIXES {
        leniency::snapshots_agree_with_the_events(&document, &cuts, &options);
        text::is_reported_promptly(&document, &options);
    }
}

/// Checks that another spelling, which the head chooses, changes offsets only.
pub fn respell(input: &[u8]) {
    let input = Input::new(input);
    let all = [root(), everything_below(), patterns(b"a*").remove(0)];
    spelling::may_be_changed(&input.document(), &Dress::of(input.head), &all);
}

/// The bodies of [`typed`], one for each type.
const TYPES: [fn(&[u8]); 12] = [
    typed::holds::<subject_types::OfPlain>,
    typed::holds::<subject_types::OfTagged>,
    typed::holds::<subject_types::OfAdjacent>,
    typed::holds::<subject_types::OfUntagged>,
    typed::holds::<subject_types::OfFlat>,
    typed::holds::<subject_types::OfExternal>,
    typed::holds::<subject_types::OfBorrowed>,
    typed::holds::<subject_types::OfNumbers>,
    typed::holds::<subject_types::OfKeys>,
    typed::holds::<subject_types::OfKept>,
    typed::holds::<subject_types::OfMixed>,
    typed::holds::<subject_types::OfMap>,
];

/// Reads types from a partial document. The first byte chooses a type; the others choose a text that nearly fits it.
pub fn typed(input: &[u8]) {
    if let Some((choice, bytes)) = input.split_first() {
        TYPES[usize::from(*choice) % TYPES.len()](bytes);
    }
}

/// JSON inside strings: in the text, 01 or 02 begins a string that holds JSON, and 03 ends it; in the head, `|` stands
/// between a pattern's queries. A `!` before the patterns rejects duplicate keys, a `#` sets limits.
pub fn nested(input: &[u8]) {
    const MOST_QUERIES: usize = 4;
    const LONGEST: usize = 2000;
    let input = Input::new(input);
    let choices = input.head.iter().take_while(|byte| b"!#".contains(byte)).count();
    let (choices, head) = input.head.split_at(choices);
    let mut options = Options { reject_duplicates: choices.contains(&b'!'), ..Options::default() };
    if choices.contains(&b'#') {
        (options.depth, options.key, options.string) = (3, Some(4), Some(60));
        (options.number, options.total) = (Some(3), Some(90));
    }
    let patterns: Vec<NestedPattern> = head
        .split(|&byte| byte == b';')
        .take(4)
        .map(|queries| queries.split(|&byte| byte == b'|').take(MOST_QUERIES).map(pattern).collect())
        .map(|queries| NestedPattern { queries })
        .collect();
    let document = written(&input.document());
    if document.len() > LONGEST {
        return;
    }
    // Near where the spelling is cut, which is as good as anywhere.
    let cuts: Vec<usize> = input.cuts().into_iter().map(|cut| written(&input.document()[..cut]).len()).collect();
    inner_texts::reports_the_text_alone(&document, &cuts, &patterns, &options);
    inner_texts::are_the_matchers(&document, &patterns);
    inner_texts::do_not_depend_on_retention(&document, &cuts, &patterns, &options);
    inner_texts::are_read_again(&document, &cuts, &patterns, &options);
    if document.len() <= LONGEST_FOR_PREFIXES {
        inner_texts::is_reported_promptly(&document, &patterns, &options);
        inner_texts::paths_are_patterns(&document, &patterns);
    }
}

/// Checks that the output of a rewriter is the model's, also for each text of a stream, and if the state is saved. The
/// text is one for the target `nested`; in the head, a byte before each pattern chooses its rule.
pub fn rewrite(input: &[u8]) {
    const MOST_QUERIES: usize = 4;
    const LONGEST: usize = 2000;
    use ModelRule::{Map, MapText, Redact, Remove, Replace};
    let input = Input::new(input);
    let rule = |spelt: &[u8]| {
        let (rule, queries) = spelt.split_first()?;
        let queries: Vec<_> = queries.split(|&byte| byte == b'|').take(MOST_QUERIES).map(pattern).collect();
        let rule = [Remove, Replace, Redact, Map, MapText][usize::from(*rule) % 5];
        let selects_root = queries.last().is_none_or(|query| query.segments.is_empty());
        Some((NestedPattern { queries }, if selects_root && rule == Remove { Redact } else { rule }))
    };
    let rules: Vec<(NestedPattern, ModelRule)> =
        input.head.split(|&byte| byte == b';').take(3).filter_map(rule).collect();
    let document = written(&input.document());
    if rules.is_empty() || document.len() > LONGEST {
        return;
    }
    let cuts: Vec<usize> = input.cuts().into_iter().map(|cut| written(&input.document()[..cut]).len()).collect();
    let cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(document.len())).collect();
    rewriting::is_the_models(&document, &cuts, &rules);
    rewriting::continues_when_restored(&chunks_of(&document, &cuts), &rules);
    for framing in Framing::ALL {
        rewriting::texts_are_those_alone(&document, &cuts, *framing, &rules);
    }
}

/// Reads patterns in a spelling for fuzzers, in which every byte string is a list of patterns: `;` begins the next
/// pattern, `.` makes a segment a descendant's, `,` joins a selector to the previous one; `*`, digits, `:` with three
/// bounds, else a name.
fn patterns(head: &[u8]) -> Vec<ModelPattern> {
    const MOST: usize = 12;
    head.split(|&byte| byte == b';').take(MOST).map(pattern).collect()
}

fn pattern(spelt: &[u8]) -> ModelPattern {
    const MOST: usize = 6;
    let mut segments: Vec<ModelSegment> = Vec::new();
    let (mut descendant, mut joins) = (false, false);
    let mut bytes = spelt.iter().copied();
    while let Some(byte) = bytes.next() {
        let selector = match byte {
            b'.' => {
                descendant = true;
                continue;
            }
            b',' => {
                joins = true;
                continue;
            }
            b'*' => Selector::Wildcard,
            b'0'..=b'9' => Selector::Index(u64::from(byte - b'0')),
            b':' => {
                let mut bound = || bytes.next().filter(u8::is_ascii_digit).map(|digit| u64::from(digit - b'0'));
                Selector::Slice { start: bound(), end: bound(), step: bound() }
            }
            // The names in order of `a`, `b`, ..., so that seeds can be read.
            name => Selector::named(NAMES[usize::from(name.wrapping_sub(b'a')) % NAMES.len()]),
        };
        let count = segments.len();
        match segments.last_mut() {
            Some(last) if joins && last.selectors.len() < MOST => last.selectors.push(selector),
            _ if count < MOST => segments.push(ModelSegment { descendant, selectors: vec![selector] }),
            _ => break,
        }
        (descendant, joins) = (false, false);
    }
    ModelPattern { segments }
}

/// Checks that a parser continues unchanged if it is saved and restored between any two chunks. The head's edits of the
/// bytes of its state give an error, or a parser that keeps its promises.
///
/// The head is two bytes of choices, then edits of the body: its place, what is done there, and a byte.
pub fn saved(input: &[u8]) {
    let input = Input::new(input);
    let (choices, edits) = input.head.split_at(input.head.len().min(2));
    let choice = |place: usize| choices.get(place).copied().unwrap_or_default();
    let patterns = [
        &[][..],
        &["$", "$..*"],
        &["a", "a.b", "a[*]", "[1:3]", "[*].a"],
        &["..a", "b"],
        &["$ | $..*", "..a | $", "[*] | a", "$..* | $..* | $..*"],
        &["raw:$", "$..*", "raw:..a", "raw:$..* | $..*"],
    ][usize::from(choice(1)) % 6];
    let patterns = PatternSet::new(patterns).expect("patterns");
    let retain = [Retain::All, Retain::Matches, Retain::Nothing][usize::from(choice(0) & 3) % 3];
    let leniency = if choice(0) & 4 == 0 { Leniency::NONE } else { Leniency::ALL };
    let builder = Parser::builder().retain(retain).lenient(leniency);
    let builder = if choice(0) & 8 == 0 { builder } else { builder.accept_deviations() };
    let builder = if choice(0) & 16 == 0 { builder } else { builder.duplicate_keys(DuplicateKeys::Reject) };
    let builder = &[builder.clone(), builder.clone().snapshots(), builder.clone().provisional(), builder]
        [usize::from(choice(0) >> 5 & 3)];
    states::changes_nothing(&input.chunks, builder, &patterns);
    let (first, rest) = input.chunks.split_first().expect("there is always one");
    let mut parser = builder.clone().patterns(&patterns).build();
    let _ = parser.feed(first).check();
    let Ok(state) = parser.save() else { return };
    states::is_refused_or_sound(&edited(state, edits), rest, builder, &patterns);
}
