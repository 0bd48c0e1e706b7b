//! Compares a parser that tolerates named deviations with the model and with a strict parser.

use jsonspigot::{Parser, PartialValue, Retain};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::driver::{METHODS, builder, check_cut, drive, observe, pattern_set};
use crate::laws::Law;
use crate::model::chunking::chunks;
use crate::model::log::{ModelLog, Options, Verdict};
use crate::model::replay;

/// Checks that leniency that is not needed changes nothing, and that tolerated deviations are reported as by the model,
/// at these cuts. The verdict is a strict parser's on every text.
pub fn reads_as_the_model(document: &[u8], cuts: &[usize], options: &Options) -> ModelLog {
    let log = check_cut(document, options, cuts);
    let strict = Options { lenient: Vec::new(), ..options.clone() };
    for method in METHODS {
        let strict = observe(&strict, &chunks(document, cuts), method);
        assert_eq!(strict.verdict, log.verdict, "a strict parser's verdict");
        assert!(strict.events.len() <= log.events.len() || strict.verdict == Verdict::Open);
        if log.deviations.is_empty() {
            assert_eq!(strict, log, "leniency that is not needed");
        } else {
            Law::DeviationsShown.mark_compared();
        }
    }
    log
}

/// Checks that the snapshot agrees with the events after each chunk, and that its root is never complete after a
/// deviation.
pub fn snapshots_agree_with_the_events(document: &[u8], cuts: &[usize], options: &Options) {
    let options = Options { end_of_input: false, patterns: replay::patterns(), ..options.clone() };
    for method in METHODS {
        let mut end = 0;
        for chunk in chunks(document, cuts) {
            end += chunk.len();
            let before = chunks(&document[..end], cuts);
            let mut parser = builder(&options).snapshots().patterns(&pattern_set(&options)).build();
            let log = drive(&mut parser, &before, method, false);
            let shown = parser.snapshot().map(|root| root.to_string());
            if let Ok(replayed) = replay::replay(&log.events) {
                let read = shown.as_deref().map(serde_json::from_str::<Value>);
                match read.transpose() {
                    Ok(read) => assert_eq!(read, replayed, "after {:?}", String::from_utf8_lossy(&document[..end])),
                    Err(error) => assert!(error.to_string().contains("number out of range"), "{error}"),
                }
            }
            let is_complete = parser.snapshot().is_some_and(PartialValue::is_complete);
            assert!(!is_complete || log.deviation_count == 0, "a text with deviations is not complete");
        }
    }
}

/// Checks that a text with accepted deviations is read as the model's strict text, at these cuts, for each [`Retain`],
/// and by a parser that has read it before.
pub fn is_accepted_as_rewritten(document: &[u8], cuts: &[usize], options: &Options) {
    let options = Options { accepts: true, ..options.clone() };
    let log = check_cut(document, &options, cuts);
    let Some(rewritten) = &log.rewritten else { return };
    let expected: Option<Value> = serde_json::from_slice(rewritten).ok();
    assert!(expected.is_some() || serde_json::from_slice::<IgnoredAny>(rewritten).is_ok(), "it is JSON");
    let chunks = chunks(document, cuts);
    let mut parser = builder(&options).snapshots().patterns(&pattern_set(&options)).build();
    for _ in 0..2 {
        let again = drive(&mut parser, &chunks, METHODS[0], true);
        assert_eq!((&again.events, &again.rewritten), (&log.events, &log.rewritten));
        assert!(parser.is_complete() && !parser.is_strict());
        assert_eq!(parser.deserialize::<Value>().ok(), expected);
        let root = parser.snapshot().unwrap();
        assert!(
            root.is_complete() && expected.as_ref().is_none_or(|expected| root == *expected),
            "it is what is shown"
        );
        parser.reset();
    }
    for method in METHODS {
        let mut parser = builder(&options).retain(Retain::Matches).patterns(&pattern_set(&options)).build();
        assert_eq!(drive(&mut parser, &chunks, method, true).events, log.events, "matches are kept");
        let mut parser = builder(&options).retain(Retain::Nothing).patterns(&pattern_set(&options)).build();
        let nothing = drive(&mut parser, &chunks, method, true);
        assert_eq!((nothing.verdict, nothing.deviations), (log.verdict.clone(), log.deviations.clone()));
    }
    Law::DeviationsAccepted.mark_compared();
}

/// Checks that the verdict and the report are the same if no value is selected.
pub fn skipping_changes_no_report(document: &[u8], cuts: &[usize], options: &Options, log: &ModelLog) {
    let options = Options { patterns: Vec::new(), ..options.clone() };
    let mut parser: Parser = builder(&options).build();
    let skipped = drive(&mut parser, &chunks(document, cuts), METHODS[0], options.end_of_input);
    assert_eq!(skipped.deviations, log.deviations);
    assert_eq!((skipped.verdict.failure(), skipped.stopped_by), (log.verdict.failure(), log.stopped_by));
}
