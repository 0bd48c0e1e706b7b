//! Runs the examples in the command's README unchanged.

use std::process::Command;

/// Returns the input and the output of each example.
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

#[test]
fn the_examples_show_what_is_shown() {
    let examples = examples(include_str!("../../README.md"));
    assert!(examples.len() >= 6, "{examples:#?}");
    for (typed, shown) in examples {
        assert!(typed.contains("jsonspigot "), "{typed}");
        let typed = typed.replace("jsonspigot ", "\"$JSONSPIGOT\" ");
        let command =
            Command::new("sh").args(["-c", &typed]).env("JSONSPIGOT", env!("CARGO_BIN_EXE_jsonspigot")).output();
        let output = command.unwrap();
        let found = [output.stdout, output.stderr].concat();
        assert_eq!(String::from_utf8(found).unwrap(), shown, "{typed}");
    }
}
