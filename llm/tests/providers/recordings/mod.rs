//! The recordings by shape, compared with a table written by hand: the provider, the calls, other parts, the stop, and
//! the provider's errors; read with and without detection.

mod agents_and_native;
mod plain_reading;
mod table;

use jsonspigot_check::recorded;
use jsonspigot_llm::Provider;

use self::agents_and_native::AGENTS_AND_NATIVE;
pub(crate) use self::plain_reading::{recordings_of_claude_code, recordings_of_codex, recordings_of_dashscope};
use self::table::{BODIES, FAILURES, Failure, Row, STREAMS};
use super::support::{Log, events_of_file, everything, read_with};

fn rows() -> impl Iterator<Item = &'static Row> {
    STREAMS.iter().chain(&AGENTS_AND_NATIVE)
}

/// Returns a recording's events, in any framing.
fn events(file: &str) -> Vec<String> {
    let bytes = recorded::read(&format!("recordings/{file}"));
    if file.ends_with(".json") { vec![String::from_utf8(bytes).unwrap()] } else { events_of_file(file, &bytes) }
}

fn check_failures(log: &Log, failures: &[Failure], file: &str) {
    assert_eq!(log.provider_errors.len(), failures.len(), "{file}");
    for ((message, (kind, code)), wanted) in log.provider_errors.iter().zip(&log.error_kinds).zip(failures) {
        assert!(message.starts_with(wanted.0), "{file}: {message}");
        assert_eq!((kind.as_deref(), code.as_deref()), (wanted.1, wanted.2), "{file}");
    }
}

pub(crate) fn streams_are_those_of_the_table() {
    for &Row { file, provider, calls, says, stops, usages } in rows() {
        let events = events(file);
        let log = read_with(None, everything(), &events);
        assert_eq!(log, read_with(Some(provider), everything(), &events), "{file}");

        let told = log.summary();
        assert_eq!(told.len(), calls.len(), "{file}: {told:?}");
        assert!(told.iter().zip(calls).all(|(told, wanted)| told.starts_with(wanted)), "{file}: {told:?}");
        for (kind, text) in [("text", &log.text), ("reasoning", &log.reasoning), ("refusal", &log.refusal)] {
            let wanted = says.iter().find(|(wanted, _)| *wanted == kind);
            assert_eq!(text.is_empty(), wanted.is_none(), "{file}: {kind} {text:?}");
            assert!(wanted.is_none_or(|(_, wanted)| text.starts_with(wanted)), "{file}: {kind} {text:?}");
        }
        let native = |place: usize| log.native_reasons.iter().find(|(at, _)| *at == place).map(|(_, native)| native);
        let told = (0..).zip(&log.stops).map(|(place, (_, reason))| match native(place) {
            Some(native) => format!("{reason} ({native})"),
            None => reason.clone(),
        });
        assert_eq!(told.collect::<Vec<_>>(), stops, "{file}");
        assert_eq!(log.usage.len(), usages, "{file}");
        let failures = FAILURES.iter().find(|(of, _)| *of == file).map_or(&[][..], |(_, failures)| failures);
        check_failures(&log, failures, file);
        let broken = usize::from(file.contains("parallel-tool-call-wrapper")) * 2;
        assert_eq!((log.bad_frames.len(), &log.errors, &log.unknown), (broken, &vec![], &vec![]), "{file}");
    }
}

/// Checks that the first event that identifies a provider does, and that no event identifies another.
pub(crate) fn streams_tell_whose_they_are() {
    for &Row { file, provider, .. } in rows() {
        let events = events(file);
        let found: Vec<_> = events.iter().filter_map(|event| Provider::detect(event)).collect();
        assert!(!found.is_empty() && found.iter().all(|found| *found == provider), "{file}: {found:?}");
        let telling = events.iter().position(|event| Provider::detect(event).is_some()).unwrap();
        let is_broken = serde_json::from_str::<serde_json::Value>(&events[0]).is_err();
        assert_eq!(telling, usize::from(is_broken), "{file}");
    }
}

pub(crate) fn bodies_of_errors_are_told_by_everyone() {
    for (file, failure) in BODIES {
        let events = events(file);
        assert_eq!(Provider::detect(&events[0]), None, "{file}");
        let listed = [format!("[{}]", events[0])];
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let log = read_with(provider, everything(), &events);
            check_failures(&log, &[failure], file);
            let Log { provider_errors, error_kinds, retries, .. } = log.clone();
            assert_eq!(log, Log { provider_errors, error_kinds, retries, ..Log::default() }, "{file} {provider:?}");
            assert_eq!(read_with(provider, everything(), &listed), log, "{file} {provider:?} in a list");
        }
    }
}

pub(crate) fn every_recording_is_in_a_table() {
    let mut listed = recorded::listed("recordings");
    let mut known: Vec<_> = rows().map(|row| row.file).chain(BODIES.map(|(file, _)| file)).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}
