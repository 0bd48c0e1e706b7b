//! The examples of the command in its README and the library's, run as they stand there.

use std::process::Command;

/// What each example types, and what it shows.
fn examples(readme: &str) -> Vec<(String, String)> {
    let blocks = readme.split("```text\n$ ").skip(1).map(|block| block.split("\n```").next().unwrap());
    let split = |block: &str| {
        // A here-document is typed too.
        let end = block.find("\nSTREAM\n").map_or_else(|| block.find('\n').unwrap(), |at| at + "\nSTREAM".len());
        let (typed, shown) = block.split_at(end + 1);
        (typed.to_owned(), format!("{shown}\n"))
    };
    blocks.map(split).collect()
}

/// How each README calls the command.
const READMES: [(&str, &str, usize); 2] = [
    (include_str!("../../../README.md"), "cargo run -q -p jsonspigot-cli --", 4),
    (include_str!("../../README.md"), "jsonspigot", 1),
];

#[test]
fn the_examples_show_what_is_shown() {
    for (readme, command, at_least) in READMES {
        let examples = examples(readme);
        assert!(examples.len() >= at_least, "{examples:#?}");
        for (typed, shown) in examples {
            assert!(typed.contains(command), "{typed}");
            let typed = typed.replace(command, "\"$JSONSPIGOT\"");
            let output =
                Command::new("sh").args(["-c", &typed]).env("JSONSPIGOT", env!("CARGO_BIN_EXE_jsonspigot")).output();
            let output = output.unwrap();
            let found = [output.stdout, output.stderr].concat();
            assert_eq!(String::from_utf8(found).unwrap(), shown, "{typed}");
        }
    }
}
