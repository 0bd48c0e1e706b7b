//! Generates the files that packagers install beside the command: completion scripts and the man page, made from the
//! declared arguments.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Generator;
use clap_complete::shells::{Bash, Fish, PowerShell, Zsh};
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use crate::help::{EXIT_STATUS, LINES};
use crate::options::Options;
use crate::values::Generated;

/// Writes a whole file, and flushes.
pub(crate) fn write(wanted: Generated, output: &mut impl Write) -> io::Result<()> {
    // Written at once, since the generators write in many small pieces.
    let text = match wanted {
        Generated::Man => man_page()?,
        Generated::CompleteBash => completions(&Bash)?,
        Generated::CompleteZsh => completions(&Zsh)?,
        Generated::CompleteFish => completions(&Fish)?,
        Generated::CompletePowerShell => completions(&PowerShell)?,
    };
    output.write_all(&text)?;
    output.flush()
}

fn completions(shell: &dyn Generator) -> io::Result<Vec<u8>> {
    let mut command = Options::command();
    // Like `clap_complete::generate`, which panics if it can't write.
    command.set_bin_name("jsonspigot");
    command.build();
    let mut script = Vec::new();
    shell.try_generate(&command, &mut script)?;
    Ok(script)
}

fn man_page() -> io::Result<Vec<u8>> {
    // No date, so that the page is the same whenever it is made. Quoted, since roff would drop an empty argument and
    // put the version in the place of the date.
    let man = Man::new(Options::command()).date("\"\"");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Names in quotes stay whole, and no line is padded.
    page.extend_from_slice(Roff::new().control("nh", []).control("ad", ["l"]).to_roff().as_bytes());
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut rest = Roff::new();
    rest.control("SH", ["OUTPUT"]);
    lay_out(LINES, &mut rest);
    rest.control("SH", ["EXIT STATUS"]);
    lay_out(EXIT_STATUS, &mut rest);
    page.extend_from_slice(rest.to_roff().as_bytes());
    man.render_version_section(&mut page)?;
    Ok(ascii(&String::from_utf8_lossy(&page)).into_bytes())
}

/// Converts help text to roff. The text is laid out for a wide terminal. In the page, a row is an entry with its
/// explanation below it, and the text between rows is filled, so that it can be read at any width.
fn lay_out(text: &str, page: &mut Roff) {
    let mut is_after_row = false;
    for line in text.lines() {
        if let Some(row) = line.strip_prefix("  ") {
            let (entry, explanation) = row.split_once("  ").unwrap_or((row, ""));
            page.control("TP", []).text([bold(entry)]);
            if !explanation.is_empty() {
                page.text([roman(explanation.trim_start())]);
            }
            is_after_row = true;
            continue;
        }
        if is_after_row || line.is_empty() {
            page.control("PP", []);
        }
        if !line.is_empty() {
            page.text([roman(line)]);
        }
        is_after_row = false;
    }
}

/// Writes all characters that are not ASCII as escapes, which readers of man pages understand in every locale.
fn ascii(page: &str) -> String {
    let mut ascii = String::with_capacity(page.len());
    for character in page.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            // Writing to a string does not fail.
            let _ = write!(ascii, "\\[u{:04X}]", u32::from(character));
        }
    }
    ascii
}
