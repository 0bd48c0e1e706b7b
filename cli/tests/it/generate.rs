//! The man page and the completion scripts: they have the contents of `--help`, and the programs that they are for can
//! read them.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use crate::command::run;

const KINDS: [&str; 5] = ["man", "complete-bash", "complete-zsh", "complete-fish", "complete-powershell"];

fn generated(kind: &str) -> String {
    let run = run(&["--generate", kind], "");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{kind}");
    run.stdout
}

fn help() -> String {
    run(&["--help"], "").stdout
}

/// Returns every option that `--help` lists, with its dashes.
fn options() -> Vec<String> {
    let help = help();
    let names = help.lines().map(str::trim_start).filter(|line| line.starts_with('-') && !line.starts_with("- "));
    let options: Vec<String> = names
        .flat_map(str::split_whitespace)
        .filter(|word| word.starts_with('-'))
        .map(|word| word.trim_end_matches(',').to_owned())
        .collect();
    assert!(["-h", "--help", "--input", "--generate"].iter().all(|known| options.iter().any(|o| o == known)));
    assert!(options.len() > 20, "{options:?}");
    options
}

/// Returns the output of a program for the input; `None` if it is not installed.
fn output_of(program: &str, arguments: &[&str], input: &str) -> Option<(bool, String, String)> {
    let home = env!("CARGO_TARGET_TMPDIR");
    let child = Command::new(program)
        .args(arguments)
        .envs([("HOME", home), ("LC_ALL", "C.UTF-8"), ("MANWIDTH", "80")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("left out: no {program} here");
            return None;
        }
        child => child.unwrap(),
    };
    // This input and the programs' output are both smaller than a pipe's buffer.
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    Some((output.status.success(), stdout, stderr))
}

#[test]
fn every_option_of_help_is_in_each() {
    for kind in KINDS {
        let text = generated(kind);
        assert!(kind != "man" || text.is_ascii() && text.contains("PATTERN number 0 selects"), "{text}");
        let text = text.replace("\\-", "-").replace("\\fB", "");
        // fish has a name without its dashes, and some have it beside others in one string.
        let words: Vec<&str> =
            text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter(|w| !w.is_empty()).collect();
        for option in options() {
            let bare = option.trim_start_matches('-');
            let flag = if option.starts_with("--") { "-l" } else { "-s" };
            let is_there = match kind {
                "complete-fish" => words.windows(2).any(|pair| pair == [flag, bare]),
                _ => words.contains(&option.as_str()),
            };
            assert!(is_there, "{option} is missing from {kind}");
        }
    }
}

#[test]
fn the_man_page_renders() {
    let page = generated("man");
    if let Some((succeeded, shown, complaints)) = output_of("groff", &["-man", "-ww", "-Tutf8", "-P-cbou"], &page) {
        assert!(succeeded);
        assert_eq!(complaints, "");
        assert!(shown.contains("EXIT STATUS"), "{shown}");
    }
}

#[test]
fn each_shell_reads_its_script() {
    for shell in ["bash", "zsh", "fish"] {
        let script = generated(&format!("complete-{shell}"));
        if let Some(output) = output_of(shell, &["-n"], &script) {
            assert_eq!(output, (true, String::new(), String::new()), "{shell}");
        }
    }
}
