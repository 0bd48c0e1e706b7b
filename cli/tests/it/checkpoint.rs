//! `--checkpoint`: after every N chunks the state is saved and restored. That nothing changes, `command::run` asks of
//! every input that the other tests have.

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
fn only_where_the_state_can_be_saved() {
    for other in [["--provider", "auto"], ["--envelope", "bare"]] {
        let refused = run(&[&["--checkpoint", "1"][..], &other].concat(), "");
        assert_eq!(refused.status, 2);
        assert!(refused.stderr.contains("cannot be used with"), "{}", refused.stderr);
    }
    assert_eq!(run(&["--checkpoint", "0"], "").status, 2);
}
