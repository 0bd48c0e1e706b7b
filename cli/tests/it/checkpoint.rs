//! `--checkpoint`: the state is saved and restored after every N chunks. `command::run` checks on the input of every
//! other test that this changes nothing.

use crate::command::run;

const TEXT: &str = r#"{"a": ["x", 12.5, {"b": "\ud83d\ude00 long enough to be cut"}], "a": null}"#;

#[test]
fn any_number_of_chunks_may_lie_between() {
    for extra in
        [&["--patches"][..], &["--snapshots", "--provisional"], &["--value"], &["--text"], &["--retain", "nothing"]]
    {
        let arguments = |checkpoint: &str| {
            let mut all = vec!["--chunk=3".to_owned(), format!("--checkpoint={checkpoint}"), "$..*".to_owned()];
            all.extend(extra.iter().map(ToString::to_string));
            all
        };
        let expected = run(&arguments("1000"), TEXT);
        assert_eq!(expected.status, 0);
        for every in ["1", "2", "5"] {
            assert_eq!(run(&arguments(every), TEXT), expected);
        }
    }
}

#[test]
fn streams_and_payloads_go_on_too() {
    let stream = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Let me\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":",
        "{\"name\":\"say\",\"arguments\":\"{\\\"a\\\": \\\"x\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"y\\\"}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
    );
    let text = "Hi <!--context {\"a\": [1, \"xé\"]} --> and <think>well</think> ```json\n{\"a\": 2}\n``` {";
    let envelope =
        ["--envelope", "comment:context", "--envelope", "tag:think", "--envelope", "fence:json", "--envelope", "bare"];
    for (input, kind) in
        [(stream, &["--provider", "auto"][..]), (stream, &["--provider", "openai-chat"]), (text, &envelope)]
    {
        let with = |every: &str| run(&[kind, &["--chunk", "3", "--checkpoint", every, "$..*"]].concat(), input);
        let expected = with("1000");
        assert_eq!((expected.status, &*expected.stderr), (0, ""));
        assert!(expected.stdout.contains(r#""event":"end""#), "{}", expected.stdout);
        for every in ["1", "2", "5"] {
            assert_eq!(with(every), expected);
        }
    }
    assert_eq!(run(&["--checkpoint", "0"], "").status, 2);
}
