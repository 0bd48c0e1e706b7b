//! Arguments that are refused: what is wrong on standard error, nothing on standard output, exit status 2.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;

use crate::command::run;

#[test]
fn bad_patterns_have_a_caret_under_the_column() {
    assert_snapshot!(run(&["good", "items[-1]"], "[]"), @r"
    exit status 2
    --- stderr
    error: bad pattern at column 7: a negative number counts from the end, which a stream does not know yet
    items[-1]
          ^
    ");
    assert_snapshot!(run(&["$.a[?@.b > 1]"], "[]"), @r"
    exit status 2
    --- stderr
    error: bad pattern at column 5: filters look at values that a stream has not seen yet
    $.a[?@.b > 1]
        ^
    ");
    assert_snapshot!(run(&["a['b"], "[]"), @r"
    exit status 2
    --- stderr
    error: bad pattern at column 5: the quote is never closed
    a['b
        ^
    ");
    assert_eq!(
        run(&[""], "[]").stderr,
        "error: bad pattern at column 1: an empty pattern selects nothing; the root is `$`\n\n^\n"
    );
}

#[test]
fn the_caret_allows_for_wide_and_invisible_characters() {
    // Two columns each for the ideographs, none for the combining accent, one for the line feed's picture.
    let refused = run(&["日本.e\u{301}[\n-1]"], "[]");
    let shown = refused.stderr.lines().skip(1).collect::<Vec<_>>();
    assert_eq!(shown, ["日本.e\u{301}[␊-1]", "        ^"]);
}

#[test]
fn wrong_options() {
    let refusals: Vec<String> = [
        &["--no-such-option"][..],
        &["--valu"],
        &["-x"],
        &["--chunk"],
        &["--chunk", "0"],
        &["--chunk", "many"],
        &["--chunk", "1", "--chunk", "2"],
        &["--retain", "some"],
        &["--duplicate-keys", "first-wins"],
        &["--max-depth", "1.5"],
        &["--max-total", "18446744073709551616"],
        &["--text", "--value"],
        &["--snapshots", "--patches"],
        &["--patches", "--snapshots"],
        &["--text", "--snapshots"],
        &["--patches", "--text"],
        &["--provisional"],
        &["--provisional", "--text"],
        &["--provider", "auto", "--provisional"],
        &["--provider", "mistral"],
        &["--provider"],
        &["--provider", "auto", "--value"],
        &["--provider", "auto", "--snapshots"],
        &["--provider", "auto", "--patches"],
        &["--provider", "auto", "--retain", "text"],
        &["--structured"],
        &["--envelope", "note:x"],
        &["--envelope", "tag:think,tag:"],
        &["--envelope", "bare", "--structured"],
        &["--envelope", "bare", "--snapshots"],
        &["--envelope", "bare", "--value"],
        &["--value", "--retain", "matches"],
        &["--retain", "nothing", "--value"],
        &["--lenient", "comments", "--retain", "matches", "--checkpoint", "1"],
        &["--checkpoint", "1", "--lenient", "comments", "--retain", "nothing"],
        &["--checkpoint", "0"],
        &["--accept"],
        &["--lenient", "comments,everything"],
    ]
    .iter()
    .map(|arguments| {
        let refused = run(arguments, "[]");
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{arguments:?}");
        refused.stderr
    })
    .collect();
    assert_snapshot!(refusals.concat(), @r#"
    error: unexpected argument '--no-such-option' found; tip: to pass '--no-such-option' as a value, use '-- --no-such-option'
    error: unexpected argument '--valu' found; tip: a similar argument exists: '--value'
    error: unexpected argument '-x' found; tip: to pass '-x' as a value, use '-- -x'
    error: a value is required for '--chunk <N>' but none was supplied
    error: invalid value '0' for '--chunk <N>': it must be 1 or more
    error: invalid value 'many' for '--chunk <N>': invalid digit found in string
    error: the argument '--chunk <N>' cannot be used multiple times
    error: invalid value 'some' for '--retain <WHAT>' [possible values: all, matches, nothing]
    error: invalid value 'first-wins' for '--duplicate-keys <POLICY>' [possible values: last-wins, reject]; tip: a similar value exists: 'last-wins'
    error: invalid value '1.5' for '--max-depth <N>': invalid digit found in string
    error: invalid value '18446744073709551616' for '--max-total <N>': number too large to fit in target type
    error: the argument '--text' cannot be used with '--value'
    error: the argument '--snapshots' cannot be used with '--patches'
    error: the argument '--patches' cannot be used with '--snapshots'
    error: the argument '--text' cannot be used with '--snapshots'
    error: the argument '--patches' cannot be used with '--text'
    error: the following required arguments were not provided: <--snapshots|--patches>
    error: the following required arguments were not provided: <--snapshots|--patches>
    error: the following required arguments were not provided: <--snapshots|--patches>
    error: invalid value 'mistral' for '--provider <NAME>' [possible values: anthropic, openai-chat, openai-responses, gemini, bedrock, cohere, ollama, ag-ui, vercel-ui, mcp, claude-code, codex, dashscope, mistral-conversations, cloudflare, auto]; tip: a similar value exists: 'mistral-conversations'
    error: a value is required for '--provider <NAME>' but none was supplied [possible values: anthropic, openai-chat, openai-responses, gemini, bedrock, cohere, ollama, ag-ui, vercel-ui, mcp, claude-code, codex, dashscope, mistral-conversations, cloudflare, auto]
    error: the argument '--provider <NAME>' cannot be used with '--value'
    error: the argument '--provider <NAME>' cannot be used with '--snapshots'
    error: the argument '--provider <NAME>' cannot be used with '--patches'
    error: the argument '--provider <NAME>' cannot be used with '--retain <WHAT>'
    error: the following required arguments were not provided: --provider <NAME>
    error: invalid value 'note:x' for '--envelope <MARK>': expected `comment:NAME`, `fence:INFO`, `tag:NAME`, `between:OPEN:CLOSE`, `bare` or `bare:object`
    error: invalid value 'tag:think,tag:' for '--envelope <MARK>': `tag:`: expected a name without white space and without < > ` { } [ ] "
    error: the argument '--envelope <MARK>' cannot be used with '--structured'
    error: the argument '--envelope <MARK>' cannot be used with '--snapshots'
    error: the argument '--envelope <MARK>' cannot be used with '--value'
    error: the argument '--value' needs '--retain all', which keeps the whole value
    error: the argument '--value' needs '--retain all', which keeps the whole value
    error: the argument '--checkpoint' with '--lenient' needs '--retain all', since the state is the text
    error: the argument '--checkpoint' with '--lenient' needs '--retain all', since the state is the text
    error: invalid value '0' for '--checkpoint <N>': it must be 1 or more
    error: the following required arguments were not provided: --lenient <LIST>
    error: invalid value 'everything' for '--lenient <LIST>' [possible values: control-characters, bad-escapes, lone-surrogates, trailing-commas, comments, single-quotes, bare-keys, python-literals, non-finite, byte-order-mark, model-output]
    "#);
}

#[test]
fn help_and_version_are_no_errors() {
    let version = run(&["--version"], "");
    assert_eq!((version.status, version.stdout), (0, concat!("jsonspigot ", env!("CARGO_PKG_VERSION"), "\n").into()));
    let help = run(&["--help"], "");
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("Usage: jsonspigot [OPTIONS] [--] [PATTERN]... [< FILE]"));
}

#[test]
fn a_file_instead_of_standard_input() {
    let file = Scratch::new("document.json", br#"{"a":1}"#);
    let told = run(&["--input", file.path(), "--", "a"], "not read");
    assert_eq!(told, run(&["a"], br#"{"a":1}"#));
    assert_eq!(told.status, 0);
    assert_eq!(run(&["a", "--input", "-"], br#"{"a":1}"#), told);
}

#[test]
fn patterns_are_looked_at_before_the_input() {
    let refused = run(&["--input", "no/such/file", "a["], "");
    assert!(refused.stderr.starts_with("error: bad pattern at column 3: "), "{refused}");
}

#[cfg(unix)]
#[test]
fn unreadable_input() {
    assert_snapshot!(run(&["--input", "no/such/file"], ""), @r"
    exit status 2
    --- stderr
    error: cannot read no/such/file: No such file or directory (os error 2)
    ");
    assert_snapshot!(run(&["--input", "/"], ""), @r"
    exit status 2
    --- stderr
    error: cannot read /: Is a directory (os error 21)
    ");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let garbage = OsStr::from_bytes(b"a\xFF\xFEb");
    for arguments in [&[garbage][..], &[OsStr::new("--chunk"), garbage], &[OsStr::new("--"), garbage]] {
        let refused = run(arguments, "[]");
        assert_eq!((refused.status, refused.stderr.lines().count()), (2, 1), "{refused}");
    }
    let unreadable = run(&[OsStr::new("--input"), garbage], "");
    assert_eq!((unreadable.status, unreadable.stderr.lines().count()), (2, 1), "{unreadable}");
}

/// A file of this test run, removed after it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, content).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
