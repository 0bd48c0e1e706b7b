//! The three laws of a provider's stream, over all recorded streams and those of our own, whole and damaged: cut after
//! every event, and with each event dropped, repeated, swapped with the next, and retyped (each of its members with
//! every wrong type), or with a member that another event has in the same place.
//!
//! - The law of the end (`end`): the verdict is `Ok` if and only if all has come.
//! - Nothing vanishes (`strings`): what an event says is reported, or stands in a list with the reason.
//! - The law of the message (`message`): what goes back is accepted.
//!
//! Cuts of our own streams are tried in full. Where many events that are alike follow each other, the first and the
//! last of them are dropped, repeated and swapped, and a sample of those between. Of retyped events that are alike in a
//! stream the first and the last are tried, and of these a sample. Of the damages of a recorded stream every fifth is
//! tried. `JSONSPIGOT_LAWS=all` tries all; with another value, of those streams alone that have it in their name.

mod damage;
mod end;
mod message;
mod strings;
mod told;

use std::collections::BTreeMap;
use std::env;

use jsonspigot_check::laws::Law;
use jsonspigot_check::{laws, recorded};
use jsonspigot_llm::{Provider, ProviderStream};

use self::damage::Damage;
pub(crate) use self::damage::places;
use self::told::Told;
use super::support::{events_of_file, everything};
use super::wire_files;

/// A stream to try: its name, whose it is, and its events.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) provider: Provider,
    pub(crate) events: Vec<String>,
}

impl Recording {
    /// Returns `None` for the body of an error, which is no provider's own.
    fn new(name: String, bytes: &[u8]) -> Option<Self> {
        let events = events_of_file(&name, bytes).into_iter().filter(|event| !event.trim().is_empty());
        let events: Vec<_> = events.collect();
        let provider = events.iter().find_map(|event| Provider::detect(event))?;
        Some(Self { name, provider, events })
    }
}

pub(crate) fn recorded_streams() -> Vec<Recording> {
    recorded::streams().into_iter().filter_map(|name| Recording::new(name.clone(), &recorded::read(&name))).collect()
}

pub(crate) fn own_streams() -> Vec<Recording> {
    let wires = wire_files::inputs().into_iter();
    wires.filter_map(|(name, input)| Recording::new(name, input.as_bytes())).collect()
}

/// A stream while it is read, with its reports.
#[derive(Clone)]
struct Reading {
    stream: ProviderStream,
    told: Told,
}

impl Reading {
    fn new(provider: Provider) -> Self {
        let stream = ProviderStream::new(provider, everything().build()).with_message();
        Self { stream, told: Told::default() }
    }

    fn push(&mut self, event: &str) {
        let Self { stream, told } = self;
        told.begin_event(event);
        stream.push_with(event, |event| told.tell(&event));
    }

    fn finish(&mut self) {
        let Self { stream, told } = self;
        stream.finish_with(|event| told.tell(&event));
    }
}

/// Checks the laws over one damaged stream. Returns the faults.
fn faults(recording: &Recording, damage: &Damage, whole: &Told, start: &Reading) -> Vec<String> {
    let mut reading = start.clone();
    let events = damage.events(&recording.events);
    events[damage.from()..].iter().for_each(|event| reading.push(event));
    reading.finish();
    let Reading { stream, told } = &reading;
    let mut faults = Vec::new();
    strings::check((recording.provider, damage), &events, told, &mut faults);
    // It may stand in what a model or a tool wrote.
    if matches!(damage, Damage::Extend { .. } | Damage::Misplace { .. }) {
        Law::OkIsWhole.mark_compared();
        return faults;
    }
    end::check(recording, &events, (stream, told), (damage, whole), &mut faults);
    message::check(recording.provider, stream, told, &mut faults);
    Law::OkIsWhole.mark_compared();
    faults
}

/// Lists the damages of one kind that are tried on a stream, all of them or a sample.
type Damages = fn(&[String], bool) -> Vec<Damage>;

fn cut(events: &[String], _: bool) -> Vec<Damage> {
    (0..=events.len()).map(Damage::Cut).collect()
}

fn dropped(events: &[String], is_full: bool) -> Vec<Damage> {
    damage::places_of_change(events, is_full).map(Damage::Drop).collect()
}

fn repeated(events: &[String], is_full: bool) -> Vec<Damage> {
    damage::places_of_change(events, is_full).map(Damage::Repeat).collect()
}

fn swapped(events: &[String], is_full: bool) -> Vec<Damage> {
    let before_the_last = damage::places_of_change(events, is_full).filter(|at| at + 1 < events.len());
    before_the_last.map(Damage::Swap).collect()
}

/// Tries these damages of each stream, or a sample.
fn hold(recordings: Vec<Recording>, kinds: &[Damages], sample: usize) {
    let wanted = env::var("JSONSPIGOT_LAWS").ok();
    let is_full = wanted.is_some();
    let name = wanted.filter(|wanted| wanted != "all").unwrap_or_default();
    let (mut tried, mut found) = (0, BTreeMap::<String, (usize, String)>::new());
    let sample = if is_full { 1 } else { sample };
    for (number, recording) in recordings.into_iter().filter(|recording| recording.name.contains(&name)).enumerate() {
        let mut whole = Reading::new(recording.provider);
        recording.events.iter().for_each(|event| whole.push(event));
        whole.finish();
        for damages in kinds {
            let mut start = Reading::new(recording.provider);
            let mut at = 0;
            for damage in damages(&recording.events, is_full).into_iter().skip(number % sample).step_by(sample) {
                // The events before the damage are read once.
                while at < damage.from() {
                    start.push(&recording.events[at]);
                    at += 1;
                }
                tried += 1;
                let faults = faults(&recording, &damage, &whole.told, &start);
                for fault in faults {
                    let example = || (0, format!("{} {damage:?}", recording.name));
                    found.entry(fault).or_insert_with(example).0 += 1;
                }
            }
        }
    }
    println!("{tried} streams");
    let list: Vec<_> =
        found.iter().map(|(fault, (count, example))| format!("{fault} ({count}, as in {example})")).collect();
    assert!(list.is_empty(), "{} of {tried}:\n{}", list.len(), list.join("\n"));
}

fn streams_that_end_early() {
    hold(own_streams(), &[cut], 1);
}

fn streams_without_an_event() {
    hold(own_streams(), &[dropped], 3);
}

fn streams_with_an_event_twice() {
    hold(own_streams(), &[repeated], 3);
}

fn streams_with_events_in_the_wrong_order() {
    hold(own_streams(), &[swapped], 3);
}

fn streams_with_members_that_nobody_knows() {
    hold(own_streams(), &[damage::extended], 5);
}

fn streams_with_members_in_the_wrong_place() {
    hold(own_streams(), &[damage::misplaced], 5);
}

fn streams_with_members_of_the_wrong_type() {
    hold(own_streams(), &[damage::retyped], 8);
}

pub(crate) fn recorded_streams_that_are_damaged() {
    let kinds: [Damages; 7] = [cut, dropped, repeated, swapped, damage::extended, damage::misplaced, damage::retyped];
    hold(recorded_streams(), &kinds, 5);
}

laws! {
    Providers:
    CallsAlone as calls_alone: [cuts::any_split_and_any_interleaving_tells_each_call_alone];
    Damage as damaged: [cuts::damage_makes_nothing_whole];
    BoundedStreams as bounded_streams: [
        limits::open_calls,
        limits::calls_one_after_the_other_are_forgotten_again,
        rewriting::calls_that_never_end_have_a_limit,
    ];
    StreamsEnd as streams_end: [facts::a_stream_that_breaks_off_is_incomplete];
    OkIsWhole as ok_is_whole: [
        laws::streams_that_end_early,
        laws::streams_without_an_event,
        laws::streams_with_an_event_twice,
        laws::streams_with_events_in_the_wrong_order,
        laws::streams_with_members_that_nobody_knows,
        laws::streams_with_members_in_the_wrong_place,
        laws::streams_with_members_of_the_wrong_type,
    ];
    Writing as writing_streams: [writing::own_streams_to_all_targets];
    Rewriting as rewriting: [rewriting::arguments_in_any_pieces_come_out_as_the_model_says];
    SavedState as saved_state: [
        saved::a_forged_stream_is_refused_or_sound,
        saved::all_that_can_be_pushed_between,
    ];
    NoPanics as no_panics: [cuts::any_signals_are_survived];
}
