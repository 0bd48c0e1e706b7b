//! The example of async streams, which is built with this package, since it needs a runtime.

mod run_example;

use self::run_example::start;

#[test]
fn prints_text_before_the_last_chunk() {
    let shown = start("async_stream", &[]).ends().well();
    assert!(shown.starts_with("Hello, ₹ and 🚀!\n{\n"), "{shown}");
    assert!(shown.contains("\"reasoning\": \"greet first\""));

    let running =
        start("async_stream", &["-"]).write(r#"{"reasoning": "hidden", "reply": {"text": "on\u00"#).shows("on");
    assert_eq!(running.shown, "on", "shown before the escape is complete");
    let running = running.write(r#"65 \ud83d"#).shows("one ");
    let shown = running.write(r#"\ude80"}}"#).close().well();
    assert!(shown.starts_with("one 🚀\n{\n") && shown.contains("hidden"), "{shown}");

    let broken = start("async_stream", &["-"]).write(r#"{"reasoning": "hidden", "reply": {"text": "one"#);
    assert_eq!(broken.close().badly("incomplete: expected the rest of a string at line 1 column 47 "), "one");
    // Its input stays open: a bad byte ends it, not the end of input.
    let malformed = start("async_stream", &["-"]).write(r#"{"reasoning": "hidden", "reply": {"text": "one\x"#);
    assert_eq!(malformed.ends().badly("invalid escape: "), "one");
}
