//! A parser that stops at the root reads the text up to there, and reports the same as any other parser.

use jsonspigot::Retain;

use crate::driver::{METHODS, builder, drive, pattern_set};
use crate::laws::Law;
use crate::model::chunking::chunks;
use crate::model::log::{Options, Verdict};
use crate::model::recogniser;

/// Checks that the events are the model's, and the verdict too, except for bytes after the root; and that the consumed
/// and kept text ends with the root.
pub fn takes_the_root_alone(document: &[u8], cuts: &[usize], options: &Options) {
    let expected = recogniser::run(document, options);
    let (verdict, end) = match expected.verdict {
        Verdict::Failed { kind: "trailing-bytes", offset, .. } => (Verdict::Complete, offset as usize),
        other => (other, document.len()),
    };
    let root = document[..end].trim_ascii_end();
    for retain in [Retain::All, Retain::Matches] {
        for method in METHODS {
            let mut parser = builder(options).retain(retain).stop_at_root().patterns(&pattern_set(options)).build();
            // Twice, since a reset must not forget it.
            for _ in 0..2 {
                let log = drive(&mut parser, &chunks(document, cuts), method, true);
                assert_eq!((&log.verdict, &log.events), (&verdict, &expected.events), "{}", document.escape_ascii());
                if verdict == Verdict::Complete {
                    assert_eq!(parser.offset(), root.len() as u64, "{}", document.escape_ascii());
                    assert!(parser.text().map_or(retain == Retain::Matches, |text| text == root));
                    Law::StoppingAtRoot.mark_compared();
                }
                parser.reset();
            }
        }
    }
}
