//! An error has the path of the innermost open value or none, for any retention, patterns and cuts.

use jsonspigot::{Error, Retain};

use crate::driver::{METHODS, builder, drive, pattern_set};
use crate::laws::Law;
use crate::model::chunking::{chunks, each_byte};
use crate::model::log::{ModelLog, Options, Verdict};
use crate::model::recogniser;

fn path(log: &ModelLog) -> Option<&str> {
    match &log.verdict {
        Verdict::Failed { path, .. } => path.0.as_deref(),
        Verdict::Complete | Verdict::Open => None,
    }
}

/// Checks that the path is the model's or absent. It is absent only if neither the text nor a partial document is kept,
/// or the text has deviated. These chunks, single bytes and the whole text give the same path.
pub fn are_true(document: &[u8], cuts: &[usize], options: &Options) {
    let expected = recogniser::run(document, options);
    for (retain, has_snapshots) in
        [(Retain::All, false), (Retain::Matches, false), (Retain::Nothing, false), (Retain::Nothing, true)]
    {
        let builder = builder(options).retain(retain);
        let builder = if has_snapshots { builder.snapshots() } else { builder };
        let builder = builder.patterns(&pattern_set(options));
        let fed = |chunks: &[&[u8]], method| {
            let mut parser = builder.build();
            let log = drive(&mut parser, chunks, method, true);
            assert_eq!(log.verdict, expected.verdict, "{retain:?}: {:?}", String::from_utf8_lossy(document));
            assert_eq!(parser.error().and_then(Error::path), path(&log));
            let is_kept = retain == Retain::All || has_snapshots;
            assert!(path(&log).is_some() || !is_kept || !log.verdict.is_failed() || !parser.is_strict());
            log
        };
        let whole = fed(&[document], METHODS[0]);
        for cut in [cuts.to_vec(), each_byte(document.len())] {
            for method in METHODS {
                let cut_log = fed(&chunks(document, &cut), method);
                assert_eq!(
                    path(&cut_log),
                    path(&whole),
                    "{retain:?}: {:?} at {cut:?}",
                    String::from_utf8_lossy(document)
                );
            }
        }
        if expected.verdict.is_failed() {
            Law::TruePlaces.mark_compared();
        }
    }
}
