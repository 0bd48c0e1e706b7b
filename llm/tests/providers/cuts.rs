//! Each call as if it were alone: any byte split of a provider's stream gives, call by call, the same argument bytes
//! and the same log as feeding those arguments directly; interleaved calls never mix.

use proptest::prelude::*;

use jsonspigot_check::effort::cases_of;

use super::fixtures::fixtures;
use super::fuzz_inputs::inputs;
use super::properties::damage::{Damage, PLACES, indices_may_be_strings, makes_nothing_whole};
use super::properties::{Call, Framed, WIRES, report_the_same_alone, soup, states, target};
use super::support::{each_cut, everything, read_bytes};

pub(super) fn arguments() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?",
        "[a-zé😀\"\\\\\n]{0,6}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just(r#""\ud83d\ude00""#.to_owned()),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|list| format!("[{}]", list.join(", "))),
            prop::collection::vec(("[a-c]{1,2}", inner), 0..4).prop_map(|entries| {
                let entries: Vec<_> = entries.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    });
    // Usually an object, as arguments are; sometimes a truncated or damaged one.
    let object = prop::collection::vec(("[a-c]{1,2}", value), 1..4).prop_map(|entries| {
        let entries: Vec<_> = entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", entries.join(", "))
    });
    (object, 0..8_u8, any::<prop::sample::Index>()).prop_map(|(object, spoil, place)| match spoil {
        0 => object.chars().take(1 + place.index(object.chars().count() - 1)).collect(),
        1 => format!("{object} {{}}"),
        2 => object.replacen(':', "=", 1),
        _ => object,
    })
}

fn call() -> impl Strategy<Value = Call> {
    (arguments(), prop::collection::vec(any::<prop::sample::Index>(), 0..6)).prop_map(|(arguments, cuts)| {
        let characters: Vec<char> = arguments.chars().collect();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
        cuts.extend([0, characters.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| characters[cut[0]..cut[1]].iter().collect()).collect();
        Call { arguments, pieces }
    })
}

pub(super) fn any_split_and_any_interleaving_tells_each_call_alone() {
    proptest!(cases_of(24, 192), |(
        calls in prop::collection::vec(call(), 1..4),
        order in prop::collection::vec(0..12_usize, 0..16),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        is_sse: bool,
    )| {
        let framing = if is_sse { Framed::Sse } else { Framed::Lines };
        for wire in WIRES.into_iter().filter(|wire| wire.has_pieces()) {
            report_the_same_alone(wire, &calls, &order, framing, |length| {
                let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(length)).collect();
                cuts.sort_unstable();
                cuts
            });
        }
    });
}

pub(super) fn damage_makes_nothing_whole() {
    proptest!(cases_of(16, 256), |(
        calls in prop::collection::vec(call(), 1..4),
        order in prop::collection::vec(0..12_usize, 0..16),
        which: usize,
        place in 0..=PLACES,
    )| {
        let damage = if place == PLACES { Damage::Early } else { Damage::Place(place) };
        for wire in WIRES.into_iter().filter(|wire| wire.has_pieces()) {
            makes_nothing_whole(wire, &calls, &order, which, damage);
            indices_may_be_strings(wire, &calls, &order);
        }
    });
}

pub(super) fn any_signals_are_survived() {
    proptest!(cases_of(16, 256), |(
        head in prop::collection::vec(any::<u8>(), 4),
        signals in prop::collection::vec(signal(), 0..24),
    )| {
        soup::is_survived(&head, &signals.iter().map(Vec::as_slice).collect::<Vec<_>>());
    });
}

/// Generates a signal: its kind, its position, and a piece of JSON.
pub(crate) fn signal() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        prop::sample::select(
            &["{\"a\":", "\"é😀é\"", "12", "}", "[", "{}", "1", "{\"a\":1}", "", "\\x", "tool_use"][..]
        )
        .prop_map(str::to_owned),
        arguments(),
    ];
    (any::<u8>(), 0..12_u8, text).prop_map(|(kind, place, text)| [&[kind, place], text.as_bytes()].concat())
}

/// Runs each input of the fuzzer's seeds and corpus without it.
#[test]
fn seeds_and_corpus_pass() {
    inputs("providers").iter().for_each(|input| target(input));
    inputs("saved")
        .iter()
        .filter(|input| matches!(input.first(), Some(0x80..0xC0)))
        .for_each(|input| states::target(input));
}

pub(crate) fn a_cut_recording_tells_the_same() {
    for (file, bytes) in fixtures() {
        let whole = read_bytes(everything(), &bytes, &[]);
        let byte_by_byte: Vec<_> = (1..bytes.len()).collect();
        assert_eq!(read_bytes(everything(), &bytes, &byte_by_byte), whole, "{file} byte by byte");
        for cuts in each_cut(bytes.len()) {
            assert_eq!(read_bytes(everything(), &bytes, &cuts), whole, "{file} cut at {cuts:?}");
        }
    }
}
