//! The man page and the completion scripts: they have the contents of `--help`, and the programs that they are for can
//! read them.

use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::command::{run, spawn, wait};

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

/// Returns the text of a man page, without its requests and escapes, with single blanks.
fn plain(page: &str) -> String {
    assert!(page.is_ascii(), "no locale may matter");
    let mut plain = String::new();
    for line in page.lines().filter(|line| !line.starts_with('.')) {
        let mut rest = line;
        while let Some((text, escape)) = rest.split_once('\\') {
            plain.push_str(text);
            let (meant, length) = match escape.as_bytes() {
                [b'f', ..] => ("", 2),
                [b'&', ..] => ("", 1),
                [b'-', ..] => ("-", 1),
                [b'\\', ..] => ("\\", 1),
                [b'*', b'(', b'A', b'q', ..] => ("'", 4),
                _ if escape.starts_with("[u2026]") => ("…", 7),
                _ => panic!("an escape that this test does not know: \\{escape}"),
            };
            plain.push_str(meant);
            rest = &escape[length..];
        }
        plain.push_str(rest);
        plain.push(' ');
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_option_of_help_is_in_each() {
    for kind in KINDS {
        let text = generated(kind);
        let text = if kind == "man" { plain(&text) } else { text };
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
fn the_man_page_says_what_help_says() {
    let page = plain(&generated("man"));
    let help = help();
    let mut checked = 0;
    for line in help.lines().map(str::trim).filter(|line| !["Arguments:", "Options:"].contains(line)) {
        let line = line.trim_start_matches("Usage: ").trim_start_matches("Exit status: ").trim_start_matches("- ");
        let listed = line.strip_prefix("[possible values: ").and_then(|values| values.strip_suffix("]"));
        let cells: Vec<&str> = match listed {
            Some(values) => values.split(", ").collect(),
            None if line.starts_with("[PATTERN]") => vec!["[PATTERN]"],
            // The columns of a row.
            None => line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect(),
        };
        for cell in cells {
            assert!(page.contains(cell), "the man page does not say: {cell}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
    assert!(page.contains("a value has begun that PATTERN number 0 selects"));
}

#[test]
fn the_man_page_renders() {
    let page = generated("man");
    if let Some((succeeded, shown, complaints)) = output_of("groff", &["-man", "-ww", "-Tutf8", "-P-cbou"], &page) {
        assert!(succeeded);
        assert_eq!(complaints, "");
        assert!(shown.contains("EXIT STATUS"), "{shown}");
    }
    // Elsewhere `man` may be another program, which takes no page from standard input.
    let shown = if cfg!(target_os = "linux") { output_of("man", &["-l", "-"], &page) } else { None };
    if let Some((succeeded, shown, complaints)) = shown {
        assert!(succeeded);
        assert_eq!(complaints, "");
        assert_snapshot!(shown.lines().skip_while(|line| *line != "OUTPUT").take(7).collect::<Vec<_>>().join("\n"), @r#"
    OUTPUT
           Lines, each one JSON object, written as soon as it is known:

           {"event":"begin","pattern":0,"path":"…","kind":"string"}
                  a value has begun that PATTERN number 0 selects

           {"event":"delta","pattern":0,"path":"…","text":"…"}
    "#);
        let last = shown.trim_end().lines().last().unwrap();
        assert!(last.starts_with(concat!("jsonspigot ", env!("CARGO_PKG_VERSION"), " ")), "{last}");
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

/// Returns Bash's completions of `word` after `before`.
fn bash_offers(before: &[&str], word: &str) -> Option<Vec<String>> {
    let program = r#"
        eval "$(cat)"
        COMP_WORDS=(jsonspigot "$@") COMP_CWORD=$#
        _jsonspigot jsonspigot "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let arguments = [&["--norc", "--noprofile", "-c", program, "bash"], before, &[word]].concat();
    let (_, offered, complaints) = output_of("bash", &arguments, &generated("complete-bash"))?;
    // `compopt` complains that nothing is being completed.
    assert!(complaints.lines().all(|line| line.contains("compopt")), "{complaints}");
    Some(offered.lines().map(str::to_owned).collect())
}

/// Returns fish's completions of this line, without the explanations.
fn fish_offers(line: &str) -> Option<Vec<String>> {
    let arguments = ["--no-config", "-c", r#"source -; complete --do-complete="$argv""#, line];
    let (_, offered, complaints) = output_of("fish", &arguments, &generated("complete-fish"))?;
    assert_eq!(complaints, "");
    Some(offered.lines().map(|offer| offer.split('\t').next().unwrap().to_owned()).collect())
}

#[test]
fn the_shells_offer_options_and_values() {
    let long = sorted(options().into_iter().filter(|option| option.starts_with("--")).collect());
    let bash = |before: &[&str], word| bash_offers(before, word).map(sorted);
    let fish = |line| fish_offers(line).map(sorted);
    for offered in [bash(&[], "--"), fish("jsonspigot --")].into_iter().flatten() {
        assert_eq!(offered, long);
    }
    for offered in [bash(&["--provider"], "a"), fish("jsonspigot --provider a")].into_iter().flatten() {
        assert_eq!(offered, ["ag-ui", "anthropic", "auto"]);
    }
    for offered in [bash(&["--generate"], ""), fish("jsonspigot --generate ")].into_iter().flatten() {
        assert_eq!(offered, sorted(KINDS.map(str::to_owned).to_vec()));
    }
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words
}

/// Checks that it ends while its standard input is still open.
#[test]
fn nothing_is_read() {
    for kind in KINDS {
        let mut child = spawn(&["--generate", kind]);
        let stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        assert!(wait(&mut child).success(), "{kind}");
        drop(stdin);
        assert!(!reader.join().unwrap().is_empty(), "{kind}");
    }
}

#[test]
fn what_can_not_be_generated() {
    let refusals: Vec<String> = [
        &["--generate"][..],
        &["--generate", "complete-elvish"],
        &["--generate", "man", "--generate", "man"],
        &["--generate", "man", "--value"],
        &["--generate", "man", "a.b"],
    ]
    .iter()
    .map(|arguments| {
        let refused = run(arguments, "[]");
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{arguments:?}");
        refused.stderr
    })
    .collect();
    assert_snapshot!(refusals.concat(), @"
    error: a value is required for '--generate <KIND>' but none was supplied [possible values: man, complete-bash, complete-zsh, complete-fish, complete-powershell]
    error: invalid value 'complete-elvish' for '--generate <KIND>' [possible values: man, complete-bash, complete-zsh, complete-fish, complete-powershell]; tip: a similar value exists: 'complete-fish'
    error: the argument '--generate <KIND>' cannot be used multiple times
    error: the argument '--generate <KIND>' cannot be used with one or more of the other specified arguments
    error: the argument '--generate <KIND>' cannot be used with one or more of the other specified arguments
    ");
}
