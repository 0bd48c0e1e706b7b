//! Output to a pseudo-terminal: no control characters from outside reach it. Other output is unchanged.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::command::{run, wait};

/// Follows what the command wrote.
const END: &[u8] = b"<the end of the output>";

/// Returns a terminal's standard output and standard error.
fn seen(arguments: &[&str], input: &[u8]) -> String {
    let inner = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&inner).unwrap();
    unlockpt(&inner).unwrap();
    let name = ptsname(&inner, Vec::new()).unwrap();
    let mut terminal = File::options()
        .read(true)
        .write(true)
        .custom_flags(OpenptFlags::NOCTTY.bits().cast_signed())
        .open(std::ffi::OsStr::from_bytes(name.as_bytes()))
        .unwrap();

    let mut child = Command::new(env!("CARGO_BIN_EXE_jsonspigot"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(terminal.try_clone().unwrap())
        .stderr(terminal.try_clone().unwrap())
        .spawn()
        .unwrap();
    let mut inner = File::from(inner);
    let reader = thread::spawn(move || {
        let (mut seen, mut piece) = (Vec::new(), [0; 1024]);
        while !seen.ends_with(END) {
            let len = inner.read(&mut piece).unwrap();
            seen.extend_from_slice(&piece[..len]);
        }
        seen.truncate(seen.len() - END.len());
        String::from_utf8(seen).unwrap()
    });
    // A run that does not read its input may have ended.
    let _ = child.stdin.take().unwrap().write_all(input);
    wait(&mut child);
    // Linux may lose what is not read yet when the last one closes a terminal: keep it open until the end is read.
    terminal.write_all(END).unwrap();
    // The terminal turns each line feed into CR LF.
    reader.join().unwrap().replace("\r\n", "\n")
}

/// Sets the title, writes to the clipboard, clears the screen, moves back, reverses text.
const CONTROLS: &str = "\u{1b}]0;title\u{7}\u{1b}]52;c;eA==\u{1b}\\\u{9b}2Jx\u{8}\ry\0\u{7f}\t\u{202e}z\u{2069}";
const SHOWN: &str = "^[]0;title^G^[]52;c;eA==^[\\<U+009B>2Jx^H^My^@^?\t<U+202E>z<U+2069>";

fn is_control(character: char) -> bool {
    let is_bidirectional = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_bidirectional || (character.is_control() && character != '\n')
}

/// Returns the text as a JSON string, with as few escapes as JSON allows.
fn document() -> Vec<u8> {
    serde_json::to_vec(&[CONTROLS, "é\n"]).unwrap()
}

fn chat() -> Vec<u8> {
    serde_json::to_vec(
        &serde_json::json!({ "choices": [{ "delta": { "content": CONTROLS }, "finish_reason": "stop" }] }),
    )
    .unwrap()
}

#[test]
fn text_on_a_terminal_has_no_control_characters() {
    // Wherever a sequence is cut.
    for chunk in ["1", "2", "3", "1000"] {
        let told = |arguments: &[&str], input: &[u8]| seen(&[arguments, &["--text", "--chunk", chunk]].concat(), input);
        assert_eq!(told(&["$[*]"], &document()), format!("{SHOWN}\né\n\n"));
        assert_eq!(told(&["--provider", "openai-chat"], &chat()), format!("{SHOWN}\n"));
        assert_eq!(told(&["--envelope", "tag:x"], CONTROLS.as_bytes()), SHOWN);
        assert_eq!(
            told(&["--envelope", "tag:x:json", "$[0]"], &[b"<x>", &*document(), b"</x>"].concat()),
            format!("{SHOWN}\n")
        );
    }
}

#[test]
fn lines_on_a_terminal_have_none_either_and_mean_the_same() {
    let lines = seen(&["$[0]", "--value", "--snapshots"], &document());
    let is_control =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!lines.contains(is_control), "{lines}");
    let elsewhere = run(&["$[0]", "--value", "--snapshots"], document()).stdout;
    assert!(elsewhere.contains("\u{9b}2J"), "{elsewhere}");
    let parsed = |lines: &str| -> Vec<serde_json::Value> {
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(parsed(&lines), parsed(&elsewhere));
}

#[test]
fn they_pass_on_request_and_where_there_is_no_terminal() {
    assert_eq!(seen(&["--text", "--raw-control", "$[0]"], &document()), format!("{CONTROLS}\n"));
    assert_eq!(run(&["--text", "$[0]"], document()).stdout, format!("{CONTROLS}\n"));
    assert_eq!(run(&["--text", "--raw-control", "$[0]"], document()).stdout, format!("{CONTROLS}\n"));
    let lines = seen(&["--raw-control", "$[0]"], &document());
    assert_eq!(lines, run(&["$[0]"], document()).stdout);
}

#[test]
fn messages_on_a_terminal_have_none_either() {
    let hidden = "x\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\u{2066}";
    let key = serde_json::to_string(hidden).unwrap();
    let error = serde_json::json!({ "type": "error", "error": { "message": hidden } }).to_string();
    let (array, object, selector, option) =
        (format!("{{{key}: [}}"), format!("{{{key}: 1}}"), format!("a[{hidden}"), format!("--{hidden}"));
    let cases: [(&[&str], &str); 7] = [
        (&["--text", "$..*"], &array),
        (&["--provider", "anthropic", "--text"], &error),
        (&["--provider", "gemini", "--text"], &object),
        (&["--input", hidden], ""),
        (&["--retain", hidden], ""),
        (&[&selector], ""),
        (&[&option], ""),
    ];
    for (arguments, input) in cases {
        let seen = seen(arguments, input.as_bytes());
        // With clap's colours, which other packages of a build may switch on, it drops such sequences itself.
        let is_clap_s = arguments[0] == "--retain" || arguments[0].starts_with("--x");
        assert!(seen.starts_with("error: ") && (is_clap_s || seen.contains("]0;title")), "{arguments:?}: {seen:?}");
        assert!(!seen.contains(is_control), "{arguments:?}: {seen:?}");
    }
}
