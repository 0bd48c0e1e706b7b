//! `--chunk`: how the input is cut. That no cut changes the lines, the vectors' own tests show.

use serde_json::Value;

use crate::command::run;

#[test]
fn chunks_longer_than_a_read() {
    let document = format!(r#"["{}"]"#, "0123456789".repeat(50_000));
    let run = run(&["$[*]", "--chunk", "200000"], &document);
    let texts = run.stdout.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["text"].as_str().map(str::len)
    });
    // The bracket and the quote are in the first chunk, their fellows in the last.
    assert_eq!(texts.collect::<Vec<_>>(), [199_998, 200_000, 100_002]);
    assert!(run.stdout.ends_with("{\"event\":\"done\",\"bytes\":500004}\n"));
}

#[test]
fn a_chunk_may_be_longer_than_memory() {
    let whole = run(&["$", "--chunk", &usize::MAX.to_string()], "[1]");
    assert_eq!(whole, run(&["$"], "[1]"));
}
