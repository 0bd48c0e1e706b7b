//! The envelope as JSON, by the chunks in `golden/` that `page/merge.test.js` merges.

use std::fs;
use std::path::Path;

use chat::wire::Envelope;
use serde_json::Value;

#[test]
fn an_envelope_omits_absent_fields_and_accepts_no_unknown_ones() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut count = 0;
    for entry in fs::read_dir(golden).unwrap() {
        let file: Value = serde_json::from_str(&fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
        for chunk in file["chunks"].as_array().into_iter().flatten() {
            let typed: Envelope = serde_json::from_value(chunk.clone()).unwrap();
            assert_eq!(serde_json::to_value(typed).unwrap(), *chunk);
            count += 1;
        }
    }
    assert!(count > 90, "{count}");
    for bad in [
        r#"{"type":"text"}"#,
        r#"{"chunk_id":1}"#,
        r#"{"type":"text","chunk_id":-1}"#,
        r#"{"type":"song","chunk_id":1}"#,
        r#"{"type":"text","chunk_id":1,"delta_action":"prepend"}"#,
        r#"{"type":"text","chunk_id":1,"route":"es_fetch"}"#,
    ] {
        assert!(serde_json::from_str::<Envelope>(bad).is_err(), "{bad}");
    }
}
